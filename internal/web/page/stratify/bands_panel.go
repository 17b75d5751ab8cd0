package stratify

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine"
	"taper/internal/engine/check"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/spline"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/viz"
	"taper/internal/web/boundary"
	"taper/internal/web/control"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// bandsPanel are the controls of the decision rule and its boundaries.
func (p *Page) bandsPanel(r *engine.Result) *templates.BandsPanel {
	st := p.State
	var rules, presets []templates.Option
	for _, rule := range boundary.Rules {
		rules = append(rules, templates.Option{Value: rule.ID, Label: rule.Label, Note: rule.Note})
	}
	now := boundary.PresetOf(st.Mode, st.Pi)
	if now == boundary.Custom {
		presets = append(presets, templates.Option{Value: boundary.Custom, Label: "Your own"})
	}
	for _, preset := range boundary.Presets {
		presets = append(presets, templates.Option{Value: preset.ID, Label: preset.Label})
	}
	v := templates.BandsPanel{
		WasRule: st.Mode, Was: now, Strip: templates.SVG(viz.BandStripSVG(st.Pi)),
		Rule:       choice("rule", "mode", "Decision rule", st.Mode, rules...),
		Template:   choice("template", "template", "Template", now, presets...),
		Boundaries: p.boundaries(r), Took: took(r, st.Method),
	}
	switch rule, _ := boundary.RuleOf(st.Mode); {
	case st.Mode != "interval":
		v.NoAdd = "The rule “" + rule.Label + "” has " + boundary.Number(len(rule.Pi)) + ". Risk bands take more."
	case len(st.Pi) >= boundary.Most:
		v.NoAdd = "Six boundaries are the most on this page; the API takes more."
	default:
		v.Add = p.cutURL(boundary.Widest(st.Pi), st.Mode)
	}
	return &v
}

// boundaries are the sliders, one per boundary.
func (p *Page) boundaries(r *engine.Result) []templates.Slider {
	pi := p.State.Pi
	start := pi
	if named, ok := boundary.RuleOf(p.State.Mode); ok && len(named.Pi) == len(pi) {
		start = named.Pi
	}
	var all []templates.Slider
	for k, share := range pi {
		low, high := boundary.FreeRange(pi, k)
		number, percent := strconv.Itoa(k+1), viz.Short(100*share, 4)
		s := templates.Slider{
			ID: "pi" + number, Name: "pi", Symbol: "π", Sub: number, Note: percent + format.Pc,
			Max: 1, Step: .01, Value: share, Default: start[k], Low: form.Text(low), High: form.Text(high),
			Spoken: "Boundary " + number + " at " + percent + " percent",
		}
		if cut := resultview.CutOff(r, k); cut != "" {
			s.Spoken += ", " + cut
		}
		if k == len(pi)-1 {
			s.Ticks = []templates.Tick{{At: 0, Label: "0"}, {At: 1, Label: "100"}}
		}
		if p.State.Mode == "interval" && len(pi) > 1 && !p.lean {
			without := slices.Delete(slices.Clone(pi), k, k+1)
			s.Extra = templates.RemoveBoundary(p.cutURL(without, p.State.Mode), "Remove the boundary at "+percent+format.Pc)
		}
		all = append(all, control.Percent(s))
	}
	return all
}

// cutURL is the address of the state with other boundaries.
func (p *Page) cutURL(pi []float64, mode string) string {
	to := p.State
	to.Pi, to.Mode, to.Page = pi, mode, 1
	if to.Band > len(pi) {
		to.Band = -1
	}
	return to.URL()
}

func took(r *engine.Result, m Method) string {
	text := "The surrogate is refitted for the boundaries you choose"
	if !banded(m.ID) {
		text = "The boundaries cut the probability; the model stays as it is"
	}
	if r == nil {
		return text + "."
	}
	return text + "; " + resultview.Elapsed(r.ElapsedS) + "."
}

// predictors lists the columns that the model uses and those it could use.
func (p *Page) predictors() *templates.PredictorPick {
	st, weights := p.State, p.State.Dataset.Choice.Weights
	chosen := p.chosen()
	usable := check.UsablePredictors(p.table, st.Outcome, st.Group, weights)
	v := templates.PredictorPick{URL: p.at(), Knots: p.splineNote(),
		Error: strings.TrimSpace(p.problem("predictors") + " " + p.splineProblem())}
	without := st
	without.Predictors, without.Splines = nil, nil
	v.Base = strings.TrimPrefix(without.Query(), "?")
	on, able := 0, 0 // identifiers and other columns that cannot be predictors do not count
	for i, c := range p.table.Columns {
		col := templates.PredictorColumn{Name: c.Name, On: slices.Contains(chosen, c.Name), Note: string(c.Type)}
		switch {
		case c.Name == st.Outcome:
			col.Off, col.On, col.Note = true, false, "the outcome"
		case c.Name == st.Group:
			col.Off, col.On, col.Note = true, false, "groups the rows"
		case c.Name == weights:
			col.Off, col.On, col.Note = true, false, "weights the rows"
		case !slices.Contains(usable, c.Name) && !col.On:
			col.Off = true
			col.Note += ", left out"
		}
		if col.On {
			on++
		}
		if !col.Off {
			able++
			col.Knots = p.knotChoice(c, i)
		}
		v.Columns = append(v.Columns, col)
	}
	v.Count = phrase.Int(on) + " of " + phrase.Int(able)
	names, curves := []string{}, st.Curves()
	for _, col := range v.Columns {
		if col.On { // the outcome that the address names may be a predictor by the page of the data
			names = append(names, col.Name)
		}
	}
	for i, name := range names {
		if k := curves[name]; k > 0 {
			names[i] = name + " (" + runspec.KnotWords(k) + ")"
		}
	}
	v.Names = format.Names(names, 10)
	return &v
}

// splineProblem is the error about splines, as a sentence.
func (p *Page) splineProblem() string {
	i := slices.IndexFunc(p.Bad, func(f usererr.Field) bool { return strings.HasPrefix(f.Field, "spline") })
	if i < 0 {
		return ""
	}
	if name, ok := strings.CutPrefix(p.Bad[i].Field, "splines."); ok {
		return "The curve of ‘" + name + "’ " + p.Bad[i].Message + "."
	}
	return format.Problem(p.Bad[i])
}

// knotChoice offers the knots of a numeric column, nil where the column can only be linear.
func (p *Page) knotChoice(c *table.Column, i int) *templates.Choice {
	if !p.State.Bends() || !c.Numeric() || c.Type == table.Date && c.Spec.DateAs != "days" ||
		c.Distinct <= spline.MinKnots {
		return nil
	}
	all, now := []templates.Option{{Label: "straight line"}}, ""
	for k := spline.MinKnots; k <= spline.MaxKnots; k++ {
		all = append(all, templates.Option{Value: SplineKey(c.Name, k), Label: runspec.KnotWords(k)})
	}
	if k := p.State.Splines[c.Name]; k > 0 {
		now = SplineKey(c.Name, k)
	}
	v := choice("spline"+strconv.Itoa(i), "spline", "How "+c.Name+" enters", now, all...)
	return &v
}

// splineNote explains the choices, or why there are none.
func (p *Page) splineNote() string {
	if p.State.Bends() {
		return "A numeric predictor enters linearly, or as a restricted cubic spline with knots at Harrell’s quantiles " +
			"of the training rows."
	}
	if names := slices.Sorted(maps.Keys(p.State.Splines)); len(names) > 0 {
		return "Splines are for linear models: trees and kernels are nonlinear already, so " + phrase.Join(names) +
			" enters as it is."
	}
	return ""
}
