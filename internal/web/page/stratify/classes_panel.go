package stratify

import (
	"cmp"
	"slices"
	"strconv"

	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/web/templates"
)

// classesPanel are the controls of the outcome and its levels.
func (p *Page) classesPanel() *templates.ClassesPanel {
	st := p.State
	v := templates.ClassesPanel{Note: st.About().Words().Note}
	var columns []templates.Option
	for _, c := range p.table.Columns {
		some := c.Code != nil && len(c.Levels) > 1 && len(c.Levels) <= table.MaxLevels || c.Num != nil && st.About().Ordered()
		if c.Name == st.Outcome || some && c.Type != table.Date && c.Type != table.Identifier {
			columns = append(columns, templates.Option{Value: c.Name, Label: c.Name})
		}
	}
	v.Task = p.taskChoice()
	v.Outcome = choice("outcome", "outcome", "Outcome", st.Outcome, columns...)
	col := p.table.Column(st.Outcome)
	if col == nil {
		return &v
	}
	if st.About().Ordered() && col.Numeric() && col.Num != nil {
		v.Cut = p.binChoices()
	}
	for i, l := range p.levels {
		place := templates.LevelPlace{Name: l}
		if k := slices.Index(col.Levels, l); k >= 0 && k < len(col.Count) {
			place.Rows = phrase.Int(col.Count[k])
		}
		if i > 0 && st.About().Ordered() {
			to := st
			to.Levels = slices.Clone(p.levels)
			to.Levels[i-1], to.Levels[i] = to.Levels[i], to.Levels[i-1]
			place.Up = to.URL()
		}
		v.Order = append(v.Order, place)
	}
	return &v
}

// binChoices are the ways to cut a numeric outcome into classes.
func (p *Page) binChoices() []templates.Choice {
	counts, now := []templates.Option{{Label: "as they are"}}, ""
	if p.State.Bins > 0 {
		now = strconv.Itoa(p.State.Bins)
	}
	for _, n := range []string{"3", "4", "5", "10"} {
		counts = append(counts, templates.Option{Value: n, Label: n + " classes"})
	}
	if !slices.ContainsFunc(counts, func(o templates.Option) bool { return o.Value == now }) {
		counts = append(counts, templates.Option{Value: now, Label: now + " classes"})
	}
	return []templates.Choice{choice("bins", "bins", "Values of "+p.State.Outcome, now, counts...),
		choice("by", "by", "Cut into", p.State.BinsBy, templates.Option{Value: "length", Label: "equal lengths"},
			templates.Option{Value: "frequency", Label: "equal numbers of rows"})}
}

// lossPanel are the controls of a multiclass loss and its parameters.
func (p *Page) lossPanel() templates.MethodPanel {
	st := p.State
	var losses []templates.Option
	for _, id := range st.About().Losses() {
		family, _ := loss.FamilyByID(id)
		losses = append(losses, templates.Option{Value: id, Label: family.Title})
	}
	v := templates.MethodPanel{Method: choice("method", "method", "Loss", st.Loss, losses...), Note: lossNote(st)}
	for _, f := range p.Bad { // except those shown at a control that every task has
		if !slices.Contains([]string{"noise", "rate", "l2", "folds", "seed"}, f.Field) {
			v.Fail(format.Problem(f))
		}
	}
	for _, param := range st.Params() {
		switch {
		case param.Type == loss.ID:
			var all []templates.Option
			for _, id := range param.Options {
				base, _ := loss.FamilyByID(id)
				all = append(all, templates.Option{Value: id, Label: base.Title})
			}
			v.Choices = append(v.Choices, choice(param.Name, param.Name, phrase.UpperFirst(param.Description), st.Base,
				all...))
		case param.Type == loss.Matrix:
			v.Costs = p.costGrid()
		case param.Name != "weight": // a weight only scales λ
			now := st.Numbers[param.Name]
			v.Sliders = append(v.Sliders, templates.Slider{ID: "m-" + param.Name, Name: param.Name, Symbol: param.Symbol,
				Label: param.Heading(), Min: min(param.SliderMin, now), Max: max(param.SliderMax, now),
				Step: param.Step, Value: now,
				Default: param.Default.Number})
		}
	}
	v.Choices = append(v.Choices, choice("kind", "kind", "Score", st.Kind,
		templates.Option{Value: "linear", Label: "Linear"}, templates.Option{Value: "rbf", Label: "Gaussian kernel"},
		templates.Option{Value: "poly", Label: "Polynomial kernel"}))
	if st.Formed() {
		now := st.Spec(max(len(p.levels), 2)).Model.Features
		v.Choices = append(v.Choices, choice("features", "features", "Form", cmp.Or(now, "mc"),
			templates.Option{Value: "th", Label: "One score and thresholds"},
			templates.Option{Value: "mc", Label: "A score for each class"}))
	}
	return v
}

// costGrid is the editor of the cost matrix, nil for too many classes.
func (p *Page) costGrid() *templates.CostGrid {
	k := len(p.levels)
	if k < 2 || k > MostCosts {
		return nil
	}
	g := &templates.CostGrid{Columns: p.levels}
	for i, row := range p.State.CostsFor(k) {
		r := templates.CostRow{Name: "no answer"}
		if i < k {
			r.Name = p.levels[i]
		}
		for _, v := range row {
			r.Values = append(r.Values, form.Text(v))
		}
		g.Rows = append(g.Rows, r)
	}
	return g
}

// lossNote says what a loss provides.
func lossNote(st State) string {
	family, _ := loss.FamilyByID(st.Loss)
	text := family.Use
	if family.CostParam() != "" && task.HasPrice(st.About()) {
		text = "Trained on the costs of the answers."
	}
	switch {
	case family.LinkOf(family.Defaults()).ID == loss.LinkEscort:
		return "Calibrated (link-inverted) probabilities. " + text
	case family.Link != nil:
		return "Probabilities of the classes. " + text
	}
	return text + " The model gives no probabilities: it answers by its scores."
}
