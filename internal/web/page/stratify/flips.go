package stratify

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/synth"
	"taper/internal/viz"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/internal/web/live"
	"taper/internal/web/render"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// FlipsURL is the page that compares the strata with and without label noise.
func (st State) FlipsURL() string { return "/stratify/" + st.Dataset.ID + "/flips" + st.Query() }

// present is the key of the flips shown to an audience; the rest of the address is the state of /stratify.
const present = "present"

// Presents reports whether the flips are shown to an audience.
func (p *Page) Presents() bool { return p.query.Get(present) == "1" }

// flipsURL is the page of the state’s flips, shown to an audience or not.
func (p *Page) flipsURL(shown bool) string {
	at := p.State.FlipsURL()
	switch {
	case !shown:
		return at
	case strings.Contains(at, "?"):
		return at + "&" + present + "=1"
	}
	return at + "?" + present + "=1"
}

// FlipsAddress is the address of the page as it is shown.
func (p *Page) FlipsAddress() string { return p.flipsURL(p.Presents()) }

// WithFlips is the page with the label noise of its state, or 10 % where it has none.
func (p *Page) WithFlips() *Page {
	with := *p
	if with.State.Noise.Kind == "" {
		with.State.Noise = Noise{Kind: synth.NoiseRandom, Rate: .1}
	}
	return &with
}

// FlipSpecs are the two runs of the page, without and with label noise.
func (p *Page) FlipSpecs() (specs [2]runspec.Spec, err error) {
	clean := *p
	clean.State.Noise = Noise{}
	if specs[0], err = clean.Spec(); err != nil {
		return specs, err
	}
	specs[1], err = p.Spec()
	return specs, err
}

// Flips is the page with both results, without and with label noise.
func (p *Page) Flips(of [2]*engine.Result) templates.Flips {
	st := p.State
	noise := p.noisePanel(of[1])
	noise.Kind.Options = slices.DeleteFunc(noise.Kind.Options, func(o templates.Option) bool {
		return o.Value == synth.NoiseNone
	})
	v := templates.Flips{URL: p.at() + "/flips", Back: st.URL(), Noise: noise, Draws: notDrawn}
	if st.Noise.random() {
		v.Draws = "Other draws are summed up here in a moment."
		v.Draw = &templates.Input{ID: "draw", Name: "draw", Label: "Draw", Value: strconv.Itoa(st.Noise.Draw), Numeric: true,
			Error: p.problem("draw")}
	}
	if v.Show = p.flipsURL(true); p.Presents() {
		v.End = p.flipsURL(false)
		v.Fields = []templates.Field{{Name: present, Value: "1"}}
	}
	for _, pair := range form.Pairs(&st) {
		if !slices.Contains([]string{"noise", "rate", "rate_positive", "rate_negative", "draw"}, pair.Key) {
			v.Fields = append(v.Fields, templates.Field{Name: pair.Key, Value: pair.Value})
		}
	}
	if of[1] == nil {
		return v
	}
	v.Strong, v.Rest = flipWords(of, st.Noise)
	on := p.bands(of[1]) // the noise touches training labels only: both are evaluated alike
	on.Spec = st.Spec(len(p.levels))
	difference := flipDifference(of)
	v.Note = on.HowEvaluated()
	if difference != "" {
		v.Note += " The interval of the difference in AUC, paired by DeLong’s method, is for these labels alone."
	}
	if p.Presents() { // the screen has a line for it
		v.Note = on.ScoredBy()
	}
	says := [2]string{flipSay(of[0], ""), flipSay(of[1], difference)}
	for i, title := range []string{"Labels as recorded", "With label noise"} {
		v.Tables[i] = templates.FlipTable{Title: title, Say: says[i],
			Table: render.Table(slim(resultview.Strata(of[i].Strata, format.Event(of[i].Outcome, of[i].Positive), "")))}
		v.Tables[i].Table.Label = title + ": strata"
	}
	return v
}

// slim drops the columns of a strata table that do not fit beside another: shares and likelihood ratios.
func slim(t doc.Table) doc.Table {
	keep := []int{0, 1, 3, 4, 5, 7}
	pick := func(cells []doc.Cell) (out []doc.Cell) {
		for _, k := range keep {
			out = append(out, cells[k])
		}
		return out
	}
	t.Class += " flip-strata"
	columns := t.Columns
	t.Columns = nil
	for _, k := range keep {
		t.Columns = append(t.Columns, columns[k])
	}
	rows := t.Rows
	t.Rows, t.Foot = nil, pick(t.Foot)
	for _, r := range rows {
		r.Cells = pick(r.Cells)
		t.Rows = append(t.Rows, r)
	}
	return t
}

// flipWords describes the effect of one draw of the noise: labels flipped, and patients whose band changed.
func flipWords(of [2]*engine.Result, noise Noise) (strong, rest string) {
	moved, rows := movedBetween(of)
	what := " training labels flipped, "
	if noise.Kind == synth.NoiseInstance {
		what = " training rows replaced, "
	}
	f := of[1].Flow
	return "With " + phrase.Int(f.Flipped) + " of " + phrase.Int(f.Trained) + what + phrase.Int(moved) + " of " +
			phrase.Count(rows, "patient") + " change band in this draw.",
		"Both tables count the recorded labels."
}

// movedBetween counts the rows of both results, and those whose band differs.
func movedBetween(of [2]*engine.Result) (moved, rows int) {
	band := map[int]int{}
	for _, r := range of[0].Rows {
		if r.Evaluates(false) { // as the tables below: rows that are only scored do not count
			band[r.Row] = r.Stratum
		}
	}
	for _, r := range of[1].Rows {
		if was, both := band[r.Row]; both {
			if rows++; was != r.Stratum {
				moved++
			}
		}
	}
	return moved, rows
}

// flipDifference is the paired difference of the AUC; "" where it has no interval.
func flipDifference(of [2]*engine.Result) string {
	was := map[int]engine.RowScore{}
	for _, r := range of[0].Rows {
		was[r.Row] = r
	}
	var before, rows []engine.RowScore
	for _, r := range of[1].Rows {
		if same, both := was[r.Row]; both && r.Evaluates(false) {
			before, rows = append(before, same), append(rows, r)
		}
	}
	after := of[1].ScoresOf(rows)
	d := stat.CompareAUC(after.Score, of[0].ScoresOf(before).Score, after.Event).Difference
	if d.Low == nil || *d.Low == *d.High {
		return ""
	}
	as := doc.Of(stat.ByID("auc"))
	as.Signed = true
	return " (difference before rounding " + as.Write(*d.Value) + ", 95" + format.Pc + " CI " +
		viz.Range(as.Write(*d.Low), as.Write(*d.High)) + ")"
}

// FlipDraws is the number of draws that FlipsDrawn sums up.
const FlipDraws = 20

// DrawSpecs are the runs of the first FlipDraws draws of the page's noise; none where it is not random.
func (p *Page) DrawSpecs() (specs []runspec.Spec, err error) {
	if !p.State.Noise.random() {
		return nil, nil
	}
	with := *p
	for k := range FlipDraws {
		with.State.Noise.Draw = k
		spec, err := with.Spec()
		if err != nil {
			return nil, err
		}
		specs = append(specs, spec)
	}
	return specs, nil
}

// Drawn is what a draw of the noise did.
type Drawn struct {
	moved, rows int
	auc         *float64
}

// DrawnBy compares the result of a draw with that of the recorded labels.
func DrawnBy(clean, noisy *engine.Result) Drawn {
	moved, rows := movedBetween([2]*engine.Result{clean, noisy})
	return Drawn{moved, rows, noisy.Metrics.Test.Of("auc").Value}
}

// notDrawn explains noise without draws.
const notDrawn = "This kind of noise is not random: it has one draw."

// FlipsDrawn sums up the draws: patients who change band, and the AUC. Without all of the draws it says so.
func (p *Page) FlipsDrawn(ctx context.Context, clean *engine.Result, drawn []Drawn) (live.Answer, error) {
	words := "Other draws are not summed up here: a fit takes too long. Change the draw to see them one by one."
	switch {
	case !p.State.Noise.random():
		words = notDrawn
	case len(drawn) == FlipDraws:
		words = drawnWords(clean.Metrics.Test.Of("auc").Value, drawn)
	}
	a := live.Answer{}
	err := a.Add(ctx, live.Want{}, map[string]templ.Component{"flip-draws": templates.Words(words)})
	a.Stamps = nil // the request was for all of it
	return a, err
}

func drawnWords(was *float64, drawn []Drawn) string {
	var moved, auc []float64
	for _, d := range drawn {
		moved = append(moved, float64(d.moved))
		if d.auc != nil {
			auc = append(auc, *d.auc)
		}
	}
	whole := func(v float64) string { return phrase.Int(int(v)) }
	text := "In draws 0 to " + phrase.Int(len(drawn)-1) + " of the same rate, " + spanned(moved, whole) + " of " +
		phrase.Count(drawn[0].rows, "patient") + " change band" +
		median(moved, func(v float64) string { return viz.Short(v, 4) })
	if len(auc) == len(drawn) && was != nil {
		short := func(v float64) string { return viz.Number(v, 3) }
		text += ". AUC " + spanned(auc, short) + median(auc, short) + ", with the recorded labels " + short(*was)
	}
	return text + "."
}

// spanned is the range of values, one of them where they are equal.
func spanned(values []float64, write func(float64) string) string {
	low, high := write(slices.Min(values)), write(slices.Max(values))
	if low == high {
		return low
	}
	return viz.Range(low, high)
}

// median is that of values that differ, in brackets.
func median(values []float64, write func(float64) string) string {
	if slices.Min(values) == slices.Max(values) {
		return ""
	}
	return " (median " + write(stat.Median(values)) + ")"
}

// flipSay gives the discrimination of the model, with the difference to the other, above its table.
func flipSay(r *engine.Result, difference string) string {
	text := "AUC "
	if auc := r.Metrics.Test.Of("auc").Value; auc != nil {
		text += viz.Number(*auc, 3)
	} else {
		text += viz.None
	}
	text += difference
	if loss := r.Metrics.Test.Of("interval_loss").Value; loss != nil {
		text += ", interval loss " + viz.Number(*loss, 3)
	}
	return text + "."
}

// FlipParts are the parts of the page that change with its controls.
func FlipParts(v templates.Flips) map[string]templ.Component {
	leave := templates.FlipShow(v)
	if v.End != "" {
		leave = templates.FlipEnd(v)
	}
	return map[string]templ.Component{"result": templates.Sentence(v.Strong, v.Rest), "flip-leave": leave,
		"flip-0": templates.FlipTableView(v.Tables[0]), "flip-1": templates.FlipTableView(v.Tables[1]),
		"r-noise": templates.Words(v.Noise.Note)}
}

// FlipsLive answers a move of the controls with the differences.
func (p *Page) FlipsLive(ctx context.Context, of [2]*engine.Result) (live.Answer, error) {
	v, want := p.Flips(of), live.ReadWant(p.query)
	a := live.Answer{URL: p.FlipsAddress(), Sliders: map[string]live.Slider{}}
	if err := a.Add(ctx, want, FlipParts(v)); err != nil {
		return a, err
	}
	for _, s := range v.Noise.Rates {
		a.Sliders[s.ID] = live.SliderOf(s)
	}
	if err := a.AddAs(ctx, want, p.noiseStamp("flip-draw"), templates.FlipDraw(v)); err != nil {
		return a, err
	}
	return a, a.AddAs(ctx, want, p.noiseStamp("flip-noise"), templates.FlipNoise(v))
}

// noiseStamp is the kind of noise: each has its own controls.
func (p *Page) noiseStamp(part string) live.Stamp {
	return live.Stamp{ID: part, Shows: p.State.Noise.Kind}
}

// FlipStamps are the stamps of the parts as the page was first sent.
func (p *Page) FlipStamps(ctx context.Context, v templates.Flips) (string, error) {
	return live.Stamps(ctx, FlipParts(v), nil, p.noiseStamp("flip-noise"), p.noiseStamp("flip-draw"))
}
