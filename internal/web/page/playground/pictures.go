package playground

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"taper/internal/engine/loss"
	"taper/internal/viz"
	"taper/internal/viz/fluid"
	"taper/internal/web/form"
	"taper/internal/web/live"
	"taper/web/templates"
)

// model is one of the two models with its figures, without those that a drag does not show.
func (v pageView) model(k int, m *modelView, a *Answer, q url.Values, want live.Want) templates.PlayModel {
	id := slots[k][:1]
	out := templates.PlayModel{ID: id, Badge: string(rune('A' + k)), Method: v.ask.methods(k), Pars: v.ask.pars(k),
		Chips: chips(a.st.Models[k]), Accuracy: viz.None, Note: v.ask.withoutKernel(k)}
	open := func(part string) bool { return slices.Contains(q["open"], part) }
	out.Picture = templates.PlayPicture{ID: "pg-" + id + "-surface", Finding: "Nothing is fitted."}
	out.Picture.Open = open(out.Picture.ID + "-data")
	if a.st.Present {
		out.Pars = nil
	}
	x, y := viz.FrozenScale(-2, 2, 5), viz.FrozenScale(-2, 2, 5)
	if a.bench != nil {
		x, y = viz.FrozenScale(a.Axes.X.Min, a.Axes.X.Max, 5), viz.FrozenScale(a.Axes.Y.Min, a.Axes.Y.Max, 5)
	}
	if m != nil {
		out.Title = m.Title
	}
	if !m.ok() {
		if m != nil && m.Error != "" {
			out.Picture.Finding = m.Error
		}
		out.Picture.Over = templates.SVG(fluid.SurfaceSVG(x, y, nil))
		return out
	}
	out.Accuracy, out.Measure = m.score()
	out.Picture.Over = templates.SVG(fluid.SurfaceSVG(x, y, surfaceLines(m)))
	out.Picture.Finding = surfaceFinding(out.Badge, m, a)
	if out.Picture.Open {
		out.Picture.Grid = surfaceGrid(m, a)
	}
	held := heldAxes(q.Get("held"))
	if want.Seen("pg-" + id + "-lossbox") {
		out.Loss = lossFigure(k, m, a, held["pg-"+id+"-loss"])
		if out.Loss.Open = open(out.Loss.ID + "-data"); out.Loss.Open {
			out.Loss.Table = lossTable(m, a, out.Loss.Title)
		}
	}
	if want.Seen("pg-" + id + "-weightbox") {
		out.Weights = weightFigure(k, m, a, held["pg-"+id+"-weights"])
		if out.Weights.Open = open(out.Weights.ID + "-data"); out.Weights.Open {
			out.Weights.Table = weightTable(m.look.Histogram, a, out.Weights.Title)
		}
	}
	return out
}

// heldAxes reads the axes that are fixed during a drag: "id:1,2,3;id:4".
func heldAxes(text string) map[string][]float64 {
	all := map[string][]float64{}
	for _, item := range strings.Split(text, ";") {
		id, list, _ := strings.Cut(item, ":")
		for _, part := range strings.Split(list, ",") {
			if v, ok := form.ParseNumber(part); ok && !math.IsInf(v, 0) {
				all[id] = append(all[id], v)
			}
		}
	}
	return all
}

// stepSlider moves both fits through their frames together; the shorter one stays at its last frame. It is nil
// where nothing is fitted.
func stepSlider(a *Answer) *templates.PlaySteps {
	last, words := 0, []string{}
	for k, m := range a.Models.models() {
		if !m.ok() {
			continue
		}
		last = max(last, m.Steps.Of-1)
		word := string(rune('A'+k)) + ": " + m.Steps.Labels[m.Steps.At]
		if v := m.Steps.Objective[m.Steps.At]; !math.IsNaN(v) && !math.IsInf(v, 0) {
			word += ", objective " + viz.Short(v, 5)
		}
		words = append(words, word)
	}
	if len(words) == 0 {
		return nil
	}
	at := last
	if st := a.st.Step; st >= 0 {
		at = min(st, last)
	}
	said := strings.Join(words, "; ")
	s := templates.Slider{ID: "pg-step", Name: "step", Label: "Solver step", Max: float64(max(last, 1)), Step: 1,
		Value: float64(at), Default: float64(last), Compact: true, Disabled: last < 1,
		Spoken: fmt.Sprintf("step %d of %d, %s", at, last, said)}
	return &templates.PlaySteps{Slider: s, Word: fmt.Sprintf("Step %d of %d. ", at, last) + said + "."}
}

// chips are labels for the kind of loss.
func chips(m model) []templates.Chip {
	how := mustMethod(m.Method)
	if how.banded() {
		return []templates.Chip{{Icon: "convex", Label: "convex"}}
	}
	if how.Family.Margin == nil {
		return nil
	}
	values, err := how.Family.Parse(m.typed())
	if err != nil {
		return nil
	}
	l, ok := how.Family.Margin(values).(loss.Regimer)
	if !ok {
		return nil
	}
	switch r := l.Regime(); {
	case !math.IsInf(r.Bound, 1):
		return []templates.Chip{{Icon: "bounded", Label: "bounded at " + viz.Number(r.Bound, 2)}}
	case r.Convex:
		return []templates.Chip{{Icon: "convex", Label: "convex"}}
	case r.QuasiConvex:
		return []templates.Chip{{Icon: "quasi", Label: "quasi-convex"}}
	}
	return nil
}

// pageView is an answer with the texts and figures of the page.
type pageView struct {
	ask  controls
	page templates.Play
}
