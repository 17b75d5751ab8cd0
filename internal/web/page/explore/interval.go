package explore

import (
	"fmt"
	"slices"
	"strconv"

	"taper/internal/engine/loss"
	"taper/internal/viz"
	"taper/internal/web/boundary"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/web/templates"
)

// The interval family: two piecewise linear surrogates, the loss they approximate, and the range of cut-offs they
// allow (docs/math.md, Interval classification).

// dense are boundaries close enough to represent all of (0, 1).
func dense() []float64 {
	pi := make([]float64, 99)
	for k := range pi {
		pi[k] = float64(k+1) / 100
	}
	return pi
}

// sets are the named sets of boundaries.
var sets = []struct {
	Label string
	Pi    []float64
}{{"hard", []float64{.5}}, {"reject", []float64{.2, .8}}, {"weighted", []float64{.25}},
	{"quartiles", []float64{.25, .5, .75}}, {"0.2, 0.4, 0.6", []float64{.2, .4, .6}}, {"dense", dense()}}

func setName(pi []float64) string {
	for _, s := range sets {
		if slices.Equal(s.Pi, pi) {
			return s.Label
		}
	}
	return ""
}

func intervalControls(st State) []templates.ExploreControl {
	var links []templates.Link
	for _, s := range sets {
		to := st
		to.Pi = s.Pi
		links = append(links, templates.Link{Label: s.Label, URL: to.URL()})
	}
	out := []templates.ExploreControl{
		{Title: "Template", Links: links, On: setName(st.Pi), Help: "boundaries"},
	}
	if st.View == "" {
		out = append(out, templates.ExploreControl{Choice: &templates.Choice{ID: "over", Name: "over", Label: "Axis",
			Options: []templates.Option{
				{Value: overScore, Label: "score f(x)", On: st.Over == overScore},
				{Value: overMargin, Label: "margin z = y · f(x)", On: st.Over == overMargin}}}, Help: "interval"})
	}
	if len(st.Pi) > boundary.Most {
		return out
	}
	for k, p := range st.Pi {
		low, high := boundary.FreeRange(st.Pi, k)
		s := templates.Slider{ID: "pi" + strconv.Itoa(k+1), Name: "pi", Symbol: "π", Sub: strconv.Itoa(k + 1),
			Note: viz.Short(100*p, 4) + format.Pc,
			Max:  1, Step: .01, Value: p, Default: p, NoReset: true, Low: form.Text(low), High: form.Text(high),
			Hint: boundaryHint(st, k),
			Spoken: fmt.Sprintf("Boundary %d at %s percent, cut-off at score %s", k+1, viz.Short(100*p, 4),
				viz.Number(mustGeometry(st.Pi).Delta[k], 2))}
		if len(st.Pi) > 1 {
			less := st
			less.Pi = slices.Delete(slices.Clone(st.Pi), k, k+1)
			s.Extra = templates.VisitButton(less.URL(), "bad", "Remove the boundary at "+viz.Short(100*p, 4)+format.Pc,
				"pi"+strconv.Itoa(k+1)+"-range pi"+strconv.Itoa(k)+"-range")
		}
		s = control.Percent(s)
		out = append(out, templates.ExploreControl{Slider: &s, Help: "boundaries"})
	}
	if len(st.Pi) < boundary.Most {
		more := st
		more.Pi = boundary.Widest(st.Pi)
		out = append(out, templates.ExploreControl{Links: []templates.Link{{Label: "Add a boundary", URL: more.URL()}},
			Button: true, ID: "pi-add", Else: "pi" + strconv.Itoa(boundary.Most) + "-range", Help: "boundaries"})
	}
	return out
}

// sides are the functions of both classes on the axis of the page.
func (st State) sides(f func(s, z float64) float64) (plus, minus func(x float64) float64) {
	if st.Over == overMargin {
		return func(z float64) float64 { return f(1, z) }, func(z float64) float64 { return f(-1, z) }
	}
	return func(x float64) float64 { return f(1, x) }, func(x float64) float64 { return f(-1, -x) }
}

// kinksOfClass are the kinks of a class on the axis of the page.
func (st State) kinksOfClass(iv loss.Interval, s float64) []float64 {
	k := len(iv.Pi)
	if s > 0 {
		return iv.Hinge[1:]
	}
	out := slices.Clone(iv.Hinge[:k])
	if st.Over == overMargin {
		slices.Reverse(out)
		for i := range out {
			out[i] = -out[i]
		}
	}
	return out
}

func (st State) axisName() (name, symbol string) {
	if st.Over == overMargin {
		return "margin z = y · f(x)", "z"
	}
	return "score f(x)", "f"
}

// subscript writes a number in subscript digits.
func subscript(k int) string {
	out := []rune{}
	for _, d := range strconv.Itoa(k) {
		out = append(out, '₀'+(d-'0'))
	}
	return string(out)
}

// theory is the loss ℓ_π of the band of a score.
func theory(iv loss.Interval) func(s, z float64) float64 {
	return func(s, z float64) float64 { return iv.Theory(s, iv.Band(s*z)) }
}
