package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine"
	"taper/internal/engine/loss"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/engine/usererr"
	"taper/internal/viz"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/internal/web/page/stratify"
	"taper/web/templates"
)

// panel is the column of controls; r is nil before there is a result.
func (x *classSteering) panel(r *engine.Result) templates.SeveralPanel {
	st := x.st
	p := templates.SeveralPanel{
		Task: templates.Choice{ID: "task", Name: "task", Label: "Kind of task"}, TaskNote: st.About().Words().Note,
		Loss: templates.Choice{ID: "method", Name: "method", Label: "Loss"}, Note: lossNote(st.Loss),
		Kind: pickOf("kind", "Score", []option{{"linear", "Linear"}, {"rbf", "Gaussian kernel"},
			{"poly", "Polynomial kernel"}}, st.Kind),
		Folds: foldsChoice(st.Folds), Seed: templates.Input{ID: "seed", Name: "seed", Label: "Seed",
			Value: strconv.FormatUint(st.Seed, 10)},
	}
	for _, t := range task.Classed() {
		p.Task.Options = append(p.Task.Options, templates.Option{Value: t.ID(), Label: t.Words().Label, On: t.ID() == st.Task})
	}
	p.Noise = noisePanel(st, r, x.noiseProblem)
	for _, f := range x.bad {
		if text := format.Problem(f); text != x.noiseProblem(f.Field) {
			p.Errors = append(p.Errors, text)
		}
	}
	for _, id := range st.About().Losses() {
		family, _ := loss.FamilyByID(id)
		p.Loss.Options = append(p.Loss.Options, templates.Option{Value: id, Label: family.Title, On: id == st.Loss})
	}
	p.Outcome = templates.Choice{ID: "outcome", Name: "outcome", Label: "Outcome"}
	for _, c := range x.t.Columns {
		some := c.Code != nil && len(c.Levels) > 1 && len(c.Levels) <= table.MaxLevels || c.Num != nil && st.About().Ordered()
		if on := c.Name == st.Outcome; on || some && c.Type != table.Date && c.Type != table.Identifier {
			p.Outcome.Options = append(p.Outcome.Options, templates.Option{Value: c.Name, Label: c.Name, On: on})
		}
	}
	x.classes(&p)
	x.settings(&p)
	x.penalty(&p, r)
	p.Hidden = append(p.Hidden, hiddenFields(st, "group", "level", "score", "x")...)
	p.Shape = strings.Join([]string{st.Task, st.Outcome, st.Loss, strconv.Itoa(st.Bins), strconv.Itoa(len(x.levels)),
		st.Noise.Kind, p.L2.Options[0].Note, strconv.FormatBool(st.L2.Tuned())}, " ")
	return p
}

// noiseProblem is what is wrong with a control of noise, "" for nothing.
func (x *classSteering) noiseProblem(field string) string {
	i := slices.IndexFunc(x.bad, func(f usererr.Field) bool { return f.Field == field })
	if i < 0 || field != "noise" && field != "rate" {
		return ""
	}
	return format.Problem(x.bad[i])
}

func pickOf(id, label string, all []option, on string) templates.Choice {
	c := templates.Choice{ID: id, Name: id, Label: label}
	for _, o := range all {
		c.Options = append(c.Options, templates.Option{Value: o.value, Label: o.label, On: o.value == on})
	}
	return c
}

// classes are the controls of the outcome's levels.
func (x *classSteering) classes(p *templates.SeveralPanel) {
	col := x.t.Column(x.st.Outcome)
	if col == nil {
		return
	}
	if x.st.About().Ordered() && col.Numeric() && col.Num != nil {
		of := []option{{"", "as they are"}}
		for _, n := range []string{"3", "4", "5", "10"} {
			of = append(of, option{n, n + " classes"})
		}
		now := ""
		if x.st.Bins > 0 {
			if now = strconv.Itoa(x.st.Bins); !slices.ContainsFunc(of, func(o option) bool { return o.value == now }) {
				of = append(of, option{now, now + " classes"})
			}
		}
		bins := pickOf("bins", "Values of "+x.st.Outcome, of, now)
		by := pickOf("by", "Cut into", []option{{"length", "equal lengths"}, {"frequency", "equal numbers of rows"}},
			x.st.BinsBy)
		p.Bins, p.BinsBy = &bins, &by
	}
	for i, l := range x.levels {
		place := templates.LevelPlace{Name: l}
		if k := slices.Index(col.Levels, l); k >= 0 && k < len(col.Count) {
			place.Rows = viz.Count(col.Count[k])
		}
		if i > 0 && x.st.About().Ordered() {
			to := x.st
			to.Levels = slices.Clone(x.levels)
			to.Levels[i-1], to.Levels[i] = to.Levels[i], to.Levels[i-1]
			place.Up = to.URL()
		}
		p.Order = append(p.Order, place)
	}
}

// settings are the controls of the loss's parameters.
func (x *classSteering) settings(p *templates.SeveralPanel) {
	for _, param := range x.st.Params() {
		switch {
		case param.Type == loss.ID:
			var all []option
			for _, id := range param.Options {
				base, _ := loss.FamilyByID(id)
				all = append(all, option{id, base.Title})
			}
			p.Selects = append(p.Selects, pickOf(param.Name, format.UpperFirst(param.About), all, x.st.Base))
		case param.Type == loss.Matrix:
			p.Costs = x.grid()
		case param.Name != "weight": // it only scales λ
			v := x.st.Numbers[param.Name]
			p.Sliders = append(p.Sliders, templates.Slider{ID: "m-" + param.Name, Name: param.Name, Symbol: param.Symbol,
				Label: param.About,
				Min:   min(param.SliderMin, v), Max: max(param.SliderMax, v), Step: param.Step, Value: v,
				Default: param.Default.Number})
		}
	}
	if x.st.Formed() {
		now := x.st.Spec(max(len(x.levels), 2)).Model.Features
		f := pickOf("features", "Form", []option{{"th", "One score and thresholds"}, {"mc", "A score for each class"}},
			cmp.Or(now, "mc"))
		p.Features = &f
	}
}

// grid is the editor of costs, nil for very many classes.
func (x *classSteering) grid() *templates.CostGrid {
	k := len(x.levels)
	if k < 2 || k > stratify.MostCosts {
		return nil
	}
	g := &templates.CostGrid{Columns: x.levels}
	for i, row := range x.st.CostsFor(k) {
		r := templates.CostRow{Name: "no answer"}
		if i < k {
			r.Name = x.levels[i]
		}
		for _, v := range row {
			r.Values = append(r.Values, form.Text(v))
		}
		g.Rows = append(g.Rows, r)
	}
	return g
}

func (x *classSteering) penalty(p *templates.SeveralPanel, r *engine.Result) {
	how := "hand"
	if x.st.L2.Tuned() {
		how = stratify.L2Text(x.st.L2)
	}
	p.L2 = pickOf("how", "Penalty λ", []option{{"auto", "by cross-validation"}, {"1se", "within one standard error"},
		{"hand", "by hand"}}, how)
	if how != "hand" {
		held := 1. / 64
		if r != nil {
			held = r.L2
		}
		p.Hidden = append(p.Hidden, templates.Field{Name: "lambda", Value: stratify.L2Text(engine.L2{Value: held})})
		return
	}
	s := lambdaSlider(stratify.State{L2: x.st.L2}, r, "")
	p.Lambda = &s
}

// lossNote says what a loss gives.
func lossNote(id string) string {
	family, _ := loss.FamilyByID(id)
	text := family.Use
	switch {
	case id == "tempered-multiclass":
		return "Probabilities, link-corrected. " + text
	case family.Link != nil:
		return "Probabilities of the classes. " + text
	}
	return text + " No probabilities: the answer follows from the scores."
}
