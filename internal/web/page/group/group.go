package group

import (
	"context"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/boundary"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/internal/web/live"
	"taper/web/templates"
)

// Group is the page: a state with its reclassified rows, as masked counts. Everything on the page is made from
// these counts.
type Group struct {
	State
	moves [][]mask.Row  // [from][to]
	bands []mask.People // the hundred people of each band, by previous band: index band·bands + from
	rows  []mask.Row    // of each band now
}

// New takes the counts of a run's rows reclassified by the boundaries of a state.
func New(st State, moves [][]engine.Move) *Group {
	g := &Group{State: st}
	cells := make([][]mask.Split, len(moves))
	for i, row := range moves {
		for _, m := range row {
			cells[i] = append(cells[i], mask.Split(m))
		}
	}
	g.moves = mask.Moves(cells)
	if st.Counts == "shown" {
		for i, row := range cells {
			g.moves[i] = mask.Show(row).Rows
		}
	}
	for j := range g.moves {
		from := g.into(j)
		g.rows = append(g.rows, mask.Sum(from...))
		g.bands = append(g.bands, mask.Hundred(from)...)
	}
	return g
}

// into counts the rows now in band j by previous band.
func (g *Group) into(j int) (all []mask.Row) {
	for i := range g.moves {
		all = append(all, g.moves[i][j])
	}
	return all
}

// hundred are the hundred people of band j by previous band.
func (g *Group) hundred(j int) []mask.People {
	n := len(g.moves)
	return g.bands[j*n : (j+1)*n]
}

// crowd is the whole group as a hundred people: the number in each band, and how many of these came from another
// band.
func (g *Group) crowd() (people, came []int) {
	n := len(g.moves)
	shares := make([]float64, 0, n*n)
	for j := range n {
		for _, r := range g.into(j) {
			shares = append(shares, float64(r.N.Low+r.N.High)/2)
		}
	}
	people, came = make([]int, n), make([]int, n)
	for k, whole := range mask.Apportion(shares, 100) {
		j, i := k/n, k%n
		if people[j] += whole; i != j {
			came[j] += whole
		}
	}
	return people, came
}

// View is the page with its live parts.
func (g *Group) View() templates.Group {
	people, came := g.crowd()
	v := templates.Group{URL: Address(g.Run), End: "/runs/" + g.Run.ID, Counts: g.Counts, Sliders: g.sliders(),
		Say: g.say(came), Legend: g.legend(), Note: g.note()}
	crowd := func(lines int) templates.SVG {
		return templates.SVG(viz.CrowdSVG(g.Pi, people, came, lines, v.Whole+": "+g.listed(people)))
	}
	v.Whole = "The whole group as 100 people, by band"
	v.Crowd, v.CrowdNarrow = crowd(2), crowd(4)
	other := g.State
	if other.Counts, v.Switch.Label = "shown", "Show counts of 1 to 9"; g.Counts == "shown" {
		other.Counts, v.Switch.Label = "", "Mask counts of 1 to 9"
	}
	v.Switch.URL = other.URL()
	for j := range g.rows {
		v.Bands = append(v.Bands, g.band(j, people[j], came[j]))
	}
	return v
}

// shown is the number of rows where that of every band is shown, else 0.
func (g *Group) shown() (n int) {
	for _, r := range g.rows {
		if !r.N.Shown() {
			return 0
		}
		n += r.N.Low
	}
	return n
}

// band is the hundred people of one band.
func (g *Group) band(j, share, came int) templates.GroupBand {
	low, high := 0.0, 1.0
	if j > 0 {
		low = g.Pi[j-1]
	}
	if j < len(g.Pi) {
		high = g.Pi[j]
	}
	row := g.rows[j]
	b := templates.GroupBand{Name: viz.BandName(low, high), Swatch: templates.SVG(viz.SwatchSVG(low, high)),
		Share: strconv.Itoa(share) + format.Pc + " of all"}
	if n := g.shown(); n > 0 { // of the rows; the people drawn are whole numbers that make a hundred
		b.Share = viz.Percent(float64(row.N.Low)/float64(n), 1) + format.Pc + " of all"
	}
	if came > 0 {
		b.Came = strconv.Itoa(came) + " from another band"
	}
	var drawn []viz.Person
	sum := mask.People{}
	for i, p := range g.hundred(j) {
		sum.Events, sum.Others, sum.Unsure = sum.Events+p.Events, sum.Others+p.Others, sum.Unsure+p.Unsure
		for _, kind := range []struct {
			n  int
			is viz.Outcome
		}{{p.Events, viz.Event}, {p.Unsure, viz.MaskedOutcome}, {p.Others, viz.NoEvent}} {
			for range kind.n {
				drawn = append(drawn, viz.Person{Outcome: kind.is, Came: i != j})
			}
		}
	}
	switch {
	case row.N.High == 0:
		b.Big, b.Rows = "–", "no rows"
	case len(drawn) == 0:
		b.Big, b.Rows = "–", "masked: "+row.N.CountText()+" rows"
	default:
		b.Big = strconv.Itoa(sum.Events)
		if sum.Unsure > 0 {
			b.Big = viz.Range(b.Big, strconv.Itoa(sum.Events+sum.Unsure))
		}
		b.Rows = row.N.CountText() + " rows"
		if row.N.Shown() {
			b.Rows = phrase.Count(row.N.Low, "row")
		}
		b.Of = "of 100"
		switch {
		case sum.Unsure > 0:
			b.Rows += ", masked range"
		case row.N.Shown() && row.Events.Shown():
			low, high := stat.Wilson(row.Events.Low, row.N.Low)
			b.Rows += ", 95" + format.Pc + " CI " + viz.Range(viz.Percent(low, 1), viz.Percent(high, 1))
		}
		b.SVG = templates.SVG(viz.PeopleSVG(drawn, b.Name+": "+b.Big+" of 100 with "+g.event()))
	}
	return b
}

func (g *Group) event() string { return format.Event(g.Run.Result.Outcome, g.Run.Result.Positive) }

// say is the sentence that changes with the boundaries.
func (g *Group) say(came []int) string {
	if !g.moved() {
		return "Number with " + g.event() + " among 100 people of each band."
	}
	sum := 0
	for _, n := range came {
		sum += n
	}
	if sum == 0 {
		return "At these boundaries fewer than 1 of 100 people changes band."
	}
	if sum == 1 {
		return "1 of 100 people changes band at these boundaries."
	}
	return strconv.Itoa(sum) + " of 100 people change band at these boundaries."
}

// listed lists numbers of people by band.
func (g *Group) listed(people []int) string {
	var all []string
	for j, name := range viz.BandNames(g.Pi) {
		all = append(all, strconv.Itoa(people[j])+" in "+name)
	}
	return phrase.Join(all)
}

func (g *Group) legend() (all []templates.GroupMark) {
	mark := func(p viz.Person, text string, present bool) {
		all = append(all, templates.GroupMark{SVG: viz.PersonSVG(p), Text: text, Absent: !present})
	}
	mark(viz.Person{Outcome: viz.Event}, g.event(), true)
	mark(viz.Person{}, format.Event(g.Run.Result.Outcome, g.Run.Result.Negative), true)
	if g.Counts != "shown" {
		unsure := slices.ContainsFunc(g.bands, func(p mask.People) bool { return p.Unsure > 0 })
		mark(viz.Person{Outcome: viz.MaskedOutcome}, "masked: either of the two", unsure)
	}
	mark(viz.Person{Outcome: viz.NoEvent, Came: true}, "from another band", g.moved())
	return all
}

// note says who is counted, and what moving a boundary means for the model.
func (g *Group) note() string {
	text := "Rows held out from the fit of their fold."
	switch kind := g.Run.Spec.Validation.Kind; {
	case g.Run.Result.Apparent:
		text = "Rows that the model was trained on: optimistic."
	case g.Run.Spec.Model.Given():
		text = "Rows with a prediction that came with the data."
	case kind == "split":
		text = "Rows held out from the fit."
	}
	if g.Run.Result.IsRecalibrated() {
		text += " They are of the parent run’s population, not of the other one."
	}
	if n := g.Run.Result.Flow.Groups; n > 0 { // a patient can have several rows
		text += " The data have " + phrase.Count(n, "group") + " of rows by " + g.Run.Spec.Group +
			": rows of one group, such as those of one patient, count one by one."
	}
	if g.Run.Spec.Model.Banded() {
		text += " The interval model is fitted again for other boundaries, with λ held."
	} else {
		text += " Boundaries cut the predicted risk; the model stays as it is."
	}
	return text + " Research and education. Not a medical device."
}

// sliders are the sliders of the boundaries.
func (g *Group) sliders() (all []templates.Slider) {
	for k, share := range g.Pi {
		low, high := boundary.FreeRange(g.Pi, k)
		number := strconv.Itoa(k + 1)
		s := templates.Slider{ID: "pi" + number, Name: "pi", Symbol: "π", Sub: number, Note: g.percent(k) + format.Pc,
			Max: 1, Step: .01, Value: share, Default: g.Run.Result.Boundaries[k], Low: form.Text(low), High: form.Text(high),
			Spoken: "Boundary " + number + " at " + g.percent(k) + " percent"}
		all = append(all, control.Percent(s))
	}
	return all
}

// Live answers a move with the parts of the page that differ.
func (g *Group) Live(ctx context.Context, want live.Want) (live.Answer, error) {
	v := g.View()
	a := live.Answer{URL: g.URL(), Sliders: map[string]live.Slider{}}
	for _, s := range v.Sliders {
		a.Sliders[s.ID] = live.SliderOf(s)
	}
	return a, a.Add(ctx, want, Parts(v))
}

// Parts are the parts of the page that change with the boundaries, by id.
func Parts(v templates.Group) map[string]templ.Component {
	return map[string]templ.Component{"group-say": templates.Words(v.Say), "group-bands": templates.GroupBands(v),
		"group-crowd": templates.GroupCrowd(v), "group-legend": templates.GroupLegend(v),
		"group-counts": templates.GroupCounts(v)}
}
