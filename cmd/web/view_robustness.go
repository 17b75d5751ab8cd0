package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"taper/internal/engine/method"
	"taper/internal/engine/study"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/web/templates"
)

// page builds what is shown, or the scene before an audience.
func (v *robust) page(c echo.Context) (p templates.Robustness, err error) {
	p.Label = v.label(c.Request().Context())
	if v.present {
		return p, v.scenePage(c, &p)
	}
	f, err := v.s.robustForm(c, v.spec)
	if err != nil {
		return p, err
	}
	p.Form = &f
	v.state(&p)
	if chart, ok := v.chart(v.spec.Models); ok {
		p.Chart = &chart
		p.Notes = v.notes()
		p.Table = v.keptTable()
		if p.Weights, err = v.weightsView(c, true); err != nil {
			return p, err
		}
	} else {
		p.Empty = &templates.Empty{Title: "No numbers yet", Text: "The chart is drawn with the first replicate that is done, and grows with the others."}
	}
	p.More = v.more()
	return p, nil
}

func (v *robust) more() []templates.Button {
	if v.st == nil {
		return nil
	}
	return []templates.Button{
		{Label: "Report of this study", Icon: "document", URL: "/studies/" + v.st.ID},
		{Label: "The stored result", Icon: "undo", URL: "/robustness"}}
}

// state shows how far a study of one's own is.
func (v *robust) state(p *templates.Robustness) {
	if v.st == nil {
		return
	}
	var page templates.Study
	v.s.studyState(*v.st, &page)
	p.Progress, p.Controls, p.Banner = page.Progress, page.Controls, page.Banner
	if page.Live != "" {
		p.Live = "/robustness/live?study=" + v.st.ID
		p.Progress.Done = "/robustness?study=" + v.st.ID
	}
}

// label says what the numbers are.
func (v *robust) label(ctx context.Context) string {
	source := v.s.sourceName(ctx, v.spec.Dataset)
	n := fmt.Sprintf("%d replicates, seed %d.", v.spec.Replicates, v.spec.Seed)
	if v.st == nil {
		return fmt.Sprintf("Stored result: %s, %s rows, %s Taper %s, %s.", source, viz.Count(v.spec.Dataset.Rows), n, v.stock.Version, dayWords(v.stock.Date))
	}
	if v.st.Status != store.Done {
		return "So far: " + source + ", " + n
	}
	return "Computed here: " + source + ", " + n + " Taper " + v.st.Version + "."
}

// chart is accuracy against noise for some of the models.
func (v *robust) chart(models []method.Spec) (templates.Chart, bool) {
	var labels []string
	for _, m := range models {
		labels = append(labels, study.Label(m))
	}
	var own []study.Cell
	for _, c := range v.cells {
		if slices.Contains(labels, c.Model) && c.Metric == v.spec.Metric {
			c.Model = shortLabel(c.Model)
			own = append(own, c)
		}
	}
	d := gridDrawing(v.spec)
	d.X.Title = "Training labels flipped"
	if len(d.Metrics) == 0 {
		return templates.Chart{}, false
	}
	m := d.Metrics[0]
	if m.ID == "accuracy" {
		m.Title = "Accuracy on clean rows"
	}
	figures := viz.StudyFigures(d, own, m)
	if len(figures) == 0 {
		return templates.Chart{}, false
	}
	figures[0].ID = "robust"
	chart := figure(viz.Marked(figures[0], 100*v.rate))
	chart.Height = "l"
	return chart, true
}

// shortLabel leaves λ out of a model's name.
func shortLabel(name string) string {
	name, _, _ = strings.Cut(name, ", λ = ")
	return name
}

// words are the result as one sentence.
func (v *robust) words() (strong, rest string) {
	s := robustSentence(v.spec, v.cells, v.rate)
	if s[0] == "" {
		return "No result yet.", "The sentence is made from the numbers once a replicate of each model is done."
	}
	if v.st != nil && v.st.Status != store.Done {
		return "So far: " + lowerTitle(s[0]), s[1]
	}
	return s[0], s[1]
}

// defaultRate is the rate that the sentence speaks of: a fifth, or the one in
// the middle.
func defaultRate(s study.Spec) float64 {
	rates := slices.Sorted(slices.Values(s.WithDefaults().Noise.Rates))
	if slices.Contains(rates, 0.2) {
		return 0.2
	}
	return rates[len(rates)/2]
}

// keptShare is what a model keeps of its own clean number at a rate; NaN without.
func keptShare(cells []study.Cell, s study.Spec, model string, rate float64) (clean, noisy, share float64) {
	clean, noisy = math.NaN(), math.NaN()
	for _, c := range cells {
		if c.Model != model || c.Metric != s.Metric || c.Mean == nil {
			continue
		}
		if c.Noise == 0 {
			clean = *c.Mean
		}
		if c.Noise == rate {
			noisy = *c.Mean
		}
	}
	return clean, noisy, noisy / clean
}

// robustSentence says what noise does, worst first: two parts, the first in
// bold; empty while numbers are missing.
func robustSentence(s study.Spec, cells []study.Cell, rate float64) [2]string {
	s = s.WithDefaults()
	if m, ok := study.MetricByID(s.Metric); !ok || !m.Higher || !slices.Contains(s.Noise.Rates, 0) || rate == 0 {
		return [2]string{}
	}
	type keeps struct {
		name  string
		share float64
	}
	var all []keeps
	for _, m := range s.Models {
		name := study.Label(m)
		if _, _, share := keptShare(cells, s, name, rate); !math.IsNaN(share) {
			all = append(all, keeps{inWords(shortLabel(name)), share})
		}
	}
	if len(all) == 0 {
		return [2]string{}
	}
	slices.SortStableFunc(all, func(a, b keeps) int {
		switch {
		case a.share < b.share:
			return -1
		case a.share > b.share:
			return 1
		}
		return 0
	})
	part := func(k keeps) string { return k.name + " " + keptWords(k.share) }
	metric := "clean accuracy"
	if m, _ := study.MetricByID(s.Metric); m.ID != "accuracy" {
		metric = "its clean " + lowerTitle(m.Title)
	}
	first := fmt.Sprintf("With %s%s of training labels flipped, %s keeps %s of %s", viz.Short(100*rate, 3), unitPc, all[0].name, keptWords(all[0].share), metric)
	if s.Noise.Kind == "instance" {
		first = strings.Replace(first, "training labels flipped", "training rows replaced", 1)
	}
	if len(all) == 1 {
		return [2]string{first + ".", ""}
	}
	best := all[len(all)-1]
	rest := ""
	if between := all[1 : len(all)-1]; len(between) > 0 {
		var texts []string
		for _, k := range slices.Backward(between) {
			texts = append(texts, part(k))
		}
		rest = capital(strings.Join(texts, "; ")) + "."
	}
	return [2]string{first + ", " + part(best) + ".", rest}
}

// keptTable lists what each model keeps at each rate.
func (v *robust) keptTable() *templates.Table {
	t := templates.Table{Label: "Share of the clean accuracy that is kept", Class: "tbl-tight", Columns: []templates.Column{{Label: "Model"}, {Label: "Clean", Unit: "accuracy", Num: true}}}
	for _, r := range v.rates {
		if r > 0 {
			t.Columns = append(t.Columns, templates.Column{Label: viz.Short(100*r, 3) + unitPc, Num: true})
		}
	}
	for _, m := range v.spec.Models {
		name := study.Label(m)
		clean, _, _ := keptShare(v.cells, v.spec, name, 0)
		cells := []string{shortLabel(name), viz.Number(clean, 3)}
		for _, r := range v.rates {
			if r > 0 {
				_, _, share := keptShare(v.cells, v.spec, name, r)
				cells = append(cells, viz.Percent(share, 0))
			}
		}
		t.Rows = append(t.Rows, row(cells))
	}
	t.Note = "Per cent of its own accuracy without noise that a model keeps, mean of the replicates."
	return &t
}

// notes say what the picture leaves out.
func (v *robust) notes() []string {
	var notes []string
	if v.spec.Dataset.Generator == "long-servedio" {
		notes = append(notes, "The rows are Long and Servedio’s: built so that every convex loss fails under a few random flips. On many real data sets the lines lie close together: try your own.")
	}
	if worst := v.worst(); worst != "" {
		notes = append(notes, worst)
	}
	for _, m := range v.spec.Models {
		if m.Loss == "alpha" {
			notes = append(notes, "A robust loss has more than one minimum: which is reached depends on the start. The α-loss starts from softened losses here; from zero it may end elsewhere (at α = 2 and 30"+unitPc+" noise half of the samples do).")
			break
		}
	}
	return append(notes, "λ and the parameters were given, not tuned on the noisy labels. Bands are 95"+unitPc+" intervals of the mean over replicates, not of a single run.")
}

// worst says where even the best model falls.
func (v *robust) worst() string {
	last := v.rates[len(v.rates)-1]
	best, name := math.Inf(-1), ""
	for _, m := range v.spec.Models {
		if _, _, share := keptShare(v.cells, v.spec, study.Label(m), last); share > best {
			best, name = share, inWords(shortLabel(study.Label(m)))
		}
	}
	if name == "" || best > 0.95 {
		return ""
	}
	return fmt.Sprintf("No loss survives everything: at %s%s the best, %s, keeps %s.", viz.Short(100*last, 3), unitPc, name, keptWords(best))
}

// weightsView is the histogram of the rows' weights, linked to the chart by the
// rate.
func (v *robust) weightsView(c echo.Context, controls bool) (w templates.RobustWeights, err error) {
	if v.st != nil && v.st.Status != store.Done {
		return w, nil // the cores belong to the study
	}
	found, err := v.weights(c.Request().Context())
	if err != nil {
		return w, err
	}
	name := shortLabel(study.Label(v.spec.Models[v.model]))
	w.Title = "Which rows are given up"
	if controls {
		for _, r := range v.rates {
			st := v.robustState
			st.rate = r
			w.Rates = append(w.Rates, templates.View{Label: viz.Short(100*r, 3) + unitPc, URL: st.url() + "#weights", On: r == v.rate, At: viz.Short(100*r, 6)})
		}
		for i, m := range v.spec.Models {
			st := v.robustState
			st.model = i
			w.Model = append(w.Model, templates.View{Label: shortLabel(study.Label(m)), URL: st.url() + "#weights", On: i == v.model})
		}
	}
	if found.Symbol == "" {
		w.Say = capital(name) + " gives no row up: the farther a label lies on the wrong side, the harder it pulls. Choose a loss that is bounded."
		return w, nil
	}
	chart := figure(viz.WeightFigure(found, name))
	chart.Height = "l"
	w.Chart = &chart
	return w, nil
}

// sceneHead is the heading and the sentence of a scene.
func (v *robust) sceneHead(ctx context.Context) (title string, sentence templ.Component) {
	strong, rest := v.words()
	switch v.scene {
	case 1:
		text := "An ordinary model learns from labels as they are."
		if i := v.ordinary(); i >= 0 {
			_, noisy, share := keptShare(v.cells, v.spec, study.Label(v.spec.Models[i]), v.rate)
			if !math.IsNaN(share) {
				text = fmt.Sprintf("Flip %s%s of the labels it learns from, and it gets %s%s of clean rows right.", viz.Short(100*v.rate, 3), unitPc, viz.Percent(noisy, 1), unitPc)
			}
		}
		return "A few wrong labels", templates.Sentence(text, "")
	case 2:
		return "The same labels, other losses", templates.Sentence(strong, rest)
	case 3:
		return "Which rows are given up", templates.Sentence(v.givenUp(ctx))
	}
	return "What this does not show", templates.Sentence("", "")
}

// givenUp says whose labels the rows have that weigh least.
func (v *robust) givenUp(ctx context.Context) (strong, rest string) {
	w, err := v.weights(ctx)
	if err != nil || w.Symbol == "" {
		return "A loss without a bound gives no row up.", ""
	}
	low, n := viz.GivenUp(w)
	all := low[0] + low[1]
	if all == 0 {
		return "No row is given up", "at this rate of noise."
	}
	return fmt.Sprintf("%s of the %s rows that %s gives up have a flipped label;", viz.Count(low[1]), viz.Count(all), inWords(shortLabel(w.Model))),
		fmt.Sprintf("%s of %s flipped rows are among them.", viz.Count(low[1]), viz.Count(n[1]))
}

// inWords names a model inside a sentence, its parameters in brackets.
func inWords(name string) string {
	name = lowerTitle(name)
	if at := strings.Index(name, ", "); at > 0 {
		return name[:at] + " (" + name[at+2:] + ")"
	}
	return name
}

// keptWords writes a share that is kept; what is not all is not written so.
func keptWords(share float64) string {
	if text := viz.Percent(share, 0); text != "100" || share >= 1 {
		return text + unitPc
	}
	return viz.Percent(math.Floor(1000*share)/1000, 1) + unitPc
}

// ordinary is the model that the others are held against: logistic regression,
// else the first.
func (v *robust) ordinary() int {
	i := slices.IndexFunc(v.spec.Models, func(m method.Spec) bool { return m.Loss == "logistic" })
	if i < 0 && len(v.spec.Models) > 0 {
		return 0
	}
	return i
}

// scenePage fills one scene.
func (v *robust) scenePage(c echo.Context, p *templates.Robustness) (err error) {
	at := func(scene int) string {
		if scene < 1 || scene > scenes {
			return ""
		}
		st := v.robustState
		st.scene = scene
		return st.url()
	}
	end := v.robustState
	end.present = false
	p.Scene = &templates.RobustScene{Number: v.scene, Of: scenes, Prev: at(v.scene - 1), Next: at(v.scene + 1), End: end.url()}
	switch v.scene {
	case 1, 2:
		models := v.spec.Models
		if v.scene == 1 {
			models = models[v.ordinary() : v.ordinary()+1]
		}
		if chart, ok := v.chart(models); ok {
			chart.Height = "xl"
			p.Chart = &chart
		}
	case 3:
		if p.Weights, err = v.weightsView(c, false); err != nil {
			return err
		}
		if p.Weights.Chart != nil {
			p.Weights.Chart.Height = "xl"
		} else {
			p.Notes = []string{or(p.Weights.Say, "The study has not ended yet: its rows are shown when it has.")}
		}
	default:
		p.Notes, p.Table = v.notes(), v.keptTable()
	}
	return nil
}

// robustForm is the control column.
func (s *Server) robustForm(c echo.Context, spec study.Spec) (f templates.RobustForm, err error) {
	f = templates.RobustForm{Noise: noiseChoice(spec.Noise.Kind), Rates: strings.ReplaceAll(rateWords(spec.Noise.Rates), ",", ""),
		Replicates: strconv.Itoa(spec.Replicates), Seed: strconv.FormatUint(spec.Seed, 10)}
	if spec.Dataset.Rows > 0 {
		f.Rows = strconv.Itoa(spec.Dataset.Rows)
	}
	f.Data, err = s.dataChoice(c.Request().Context(), spec.Dataset, true)
	var more string
	f.Models, more = modelChoices(spec.Models)
	for l := range strings.Lines(more) {
		l = strings.TrimSpace(l)
		if m, err := readModel(l); err == nil {
			f.Models = append(f.Models, templates.Option{Value: l, Label: study.Label(m.WithDefaults("")), On: true})
		}
	}
	return f, err
}
