package playground

import (
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/synth"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/web/templates"
)

// controls is the input of the controls besides the state.
type controls struct {
	st         state
	kind       kind
	columns    columns            // columns of a dataset to choose from
	datasets   []templates.Option // uploaded files
	corruption string             // number of flipped labels, in words
	note       string             // of the source of points
	plane      bool               // there are two columns, so features may be derived from them
	classes    int
	cut        []string // columns offered for the axes
	across     string   // the columns shown
	up         string
}

// groups are the groups of the control column.
func (a controls) groups() []templates.PlayGroup {
	st := a.st
	noise := templates.PlayGroup{ID: "noise", Title: "Label noise",
		Controls: []templates.PlayControl{{Choice: a.noiseChoice()}}}
	if st.Noise != synth.NoiseNone {
		noise.Controls = append(noise.Controls, templates.PlayControl{Slider: a.rateSlider("rate")})
	}
	if st.Noise == synth.NoiseClass {
		noise.Controls = append(noise.Controls, templates.PlayControl{Slider: a.rateSlider("rate0")})
	}
	seed := templates.Input{ID: "pg-seed", Name: "seed", Label: "Seed", Value: strconv.FormatUint(st.Seed, 10),
		Numeric: true}
	noise.Controls = append(noise.Controls, templates.PlayControl{Seed: &seed})
	show := templates.PlayGroup{ID: "show", Title: "Show", Controls: []templates.PlayControl{
		{Check: &templates.Option{Value: "train", Label: "Training points", On: true}},
		{Check: &templates.Option{Value: "test", Label: "Test points", On: true}}}}
	edit := templates.PlayControl{Edit: true,
		Text: "List all points, or edit a copy of them: add, drag and remove."}
	if st.Data == userPoints {
		edit.Text = "Click empty space to add a point, drag to move it, press Delete to remove it. Press 0, 1 " +
			"or 2 to choose its class."
	}
	return []templates.PlayGroup{noise, a.sampleGroup(), show, {ID: "points", Title: "Points",
		Controls: []templates.PlayControl{edit}}}
}

func (a controls) noiseChoice() *templates.Choice {
	c := &templates.Choice{ID: "pg-noise", Name: "noise", Label: "Kind"}
	for _, n := range format.Noises() {
		c.Options = append(c.Options, templates.Option{Value: n.ID, Label: n.Title, On: n.ID == a.st.Noise,
			Disabled: n.ID == synth.NoiseClass && a.kind != binary})
	}
	return c
}

func (a controls) rateSlider(name string) *templates.Slider {
	f := form.Get(&a.st, name)
	s, rate := control.NumericSlider(f), f.Number()
	s.ID, s.Note, s.Spoken = "pg-"+name, viz.Percent(rate, 0)+format.Pc, viz.Percent(rate, 0)+" percent"
	s.Ticks = []templates.Tick{{At: 0, Label: "0"}, {At: .2 / f.Max, Label: "20"}, {At: 1, Label: "50"}}
	if name == "rate" {
		// Own points start without noise, and 0 would be no rate to return to.
		s.Default = 20
		s.Hint = strings.TrimSpace(s.Hint + " " + a.corruption) // after the hint about small rates
	}
	return s
}

func (a controls) sampleGroup() templates.PlayGroup {
	st := a.st
	g := templates.PlayGroup{ID: "sample", Title: "Sample", Controls: []templates.PlayControl{{Choice: a.dataChoice(),
		Text: a.note}}}
	if st.dataset() != "" {
		g.Controls = append(g.Controls, a.datasetControls()...)
	} else if len(a.cut) > 2 {
		g.Controls = append(g.Controls, listed("cx", "Across", a.cut, a.across), listed("cy", "Up", a.cut, a.up))
	}
	if s := a.countSlider(); s != nil {
		g.Controls = append(g.Controls, templates.PlayControl{Slider: s})
	}
	test := control.NumericSlider(form.Get(&a.st, "test"))
	test.ID, test.Note = "pg-test", viz.Percent(st.Test, 0)+format.Pc
	test.Hint = strings.TrimSpace(test.Hint + " Used for testing only.")
	test.Spoken = viz.Percent(st.Test, 0) + " percent held out"
	if st.Test == 0 {
		test.Hint = "No hold-out: accuracy is measured on newly simulated points."
		if st.Data == userPoints || strings.HasPrefix(st.Data, datasetPrefix) {
			test.Hint = "No hold-out: accuracy is measured on the training points, by their true labels."
		}
	}
	g.Controls = append(g.Controls, templates.PlayControl{Slider: test})
	return g
}

func (a controls) dataChoice() *templates.Choice {
	c := &templates.Choice{ID: "pg-data", Name: "data", Label: "Points from"}
	for _, g := range synth.Generators {
		c.Options = append(c.Options, templates.Option{Value: g.ID, Label: g.Title, On: g.ID == a.st.Data})
	}
	c.Options = append(c.Options, a.datasets...)
	c.Options = append(c.Options, templates.Option{Value: userPoints, Label: "Own points", On: a.st.Data == userPoints})
	return c
}

// datasetControls choose the columns shown and the outcome of an uploaded file.
func (a controls) datasetControls() []templates.PlayControl {
	st, c := a.st, a.columns
	event := &templates.Choice{ID: "pg-positive", Name: "positive", Label: "Event"}
	for _, l := range c.Levels {
		event.Options = append(event.Options, templates.Option{Value: l, Label: l, On: len(c.Positive) == 1 &&
			c.Positive.Has(l)})
	}
	switch len(c.Positive) {
	case 0:
		event.Options = append([]templates.Option{{Label: "Each level is a class", On: true}}, event.Options...)
	case 1:
	default: // as chosen on the page of the dataset
		event.Options = append([]templates.Option{{Label: c.Positive.String(), On: true}}, event.Options...)
	}
	use := &templates.Choice{ID: "pg-use", Name: "use", Label: "Columns used",
		Options: []templates.Option{{Value: "", Label: "These two", On: !st.All}, {Value: "all", Label: "All", On: st.All}}}
	return []templates.PlayControl{listed("outcome", "Outcome", c.Outcomes, c.Outcome), {Choice: event},
		listed("cx", "Across", c.Numeric, a.across), listed("cy", "Up", c.Numeric, a.up), {Seg: use}}
}

// listed is a drop-down of columns.
func listed(id, label string, all []string, now string) templates.PlayControl {
	out := &templates.Choice{ID: "pg-" + id, Name: id, Label: label}
	if now == "" {
		out.Options = append(out.Options, templates.Option{Label: "choose", On: true})
	}
	for _, name := range all {
		out.Options = append(out.Options, templates.Option{Value: name, Label: name, On: name == now})
	}
	return templates.PlayControl{Choice: out}
}

// countSlider is the number of points, limited by the rows of a file; nil where there is nothing to choose.
func (a controls) countSlider() *templates.Slider {
	st, most := a.st, mostPoints
	if st.dataset() != "" {
		most = min(most, a.columns.Rows)
	}
	if st.Data == userPoints || most <= leastPoints {
		return nil
	}
	below := func(all ...float64) []float64 {
		return slices.DeleteFunc(all, func(v float64) bool { return v > float64(most) })
	}
	stops := below(100, 150, 200, 300, 400, 500, 600, 800, 1000, 1500, 2000, 3000, 4000, 5000)
	if stops[len(stops)-1] < float64(most) {
		stops = append(stops, float64(most))
	}
	return control.Stops(templates.Slider{ID: "pg-n", Name: "n", Label: "Points n"}, float64(min(most, st.N)),
		float64(min(most, newState(st.Data).N)), stops, below(100, 300, 1000, 5000))
}
