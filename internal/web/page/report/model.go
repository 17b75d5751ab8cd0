package report

import (
	"fmt"
	"slices"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/loss"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
)

// modelParts are the coefficients, the equation, the choice of the penalty and the convergence of the fit.
func (p Printed) modelParts() []doc.Node {
	if p.r.Given != nil {
		return p.givenParts()
	}
	if len(p.r.Coefficients) == 0 && len(p.r.Importance) == 0 && p.r.Kernel == nil {
		return nil
	}
	parts := []doc.Node{p.coefficients()}
	if f := p.c.forest(); f != nil {
		parts = append(parts, f, doc.Note(p.c.forestSay()))
	}
	if v := p.c.Curves(); v != nil {
		parts = append(parts, v)
	}
	parts = append(parts, doc.Code(p.equation()))
	if f := p.c.pointsFigure(viz.PointsWidth); f != "" {
		parts = append(parts, doc.Drawing{Wide: f, Narrow: p.c.pointsFigure(pointsNarrow), Reveals: ofTrained},
			doc.Guarded{Node: doc.Note(p.c.pointsSay()), Reveals: ofTrained})
	}
	if len(p.r.Tuning) > 1 {
		f := viz.TuningCurve(p.r) // it contains the loss with more decimals than a mask allows
		parts = append(parts, doc.Figures{{Title: f.Title, Say: f.Sentence, SVG: viz.TuningSVG(p.r), Reveals: ofBands}})
	}
	return append(parts, doc.Note(p.convergence()))
}

func (p Printed) coefficients() doc.Table {
	switch {
	case p.r.Importance != nil:
		return resultview.Importance(p.r)
	case p.r.Kernel != nil:
		return resultview.Kernel(p.r)
	}
	t := doc.Table{Label: "Coefficients", Columns: []doc.Column{
		{Label: "Term"}, {Label: "Coefficient", Unit: "per natural unit", Number: true},
		{Label: "Coefficient", Unit: "per SD", Number: true},
	}}
	odds := resultview.OddsColumns(p.r)
	for _, o := range odds {
		t.Columns = append(t.Columns, doc.Column{Label: "Odds ratio", Unit: o.Unit, Number: true})
	}
	hide := p.maskedTerms()
	tight := p.tightTerms(hide)
	shown := resultview.WithoutRounding(p.r.Coefficients)
	for _, c := range p.r.Coefficients {
		value, ratio := p.c.withCI(c.Name)
		perSD := doc.Cell{Value: maskedText}
		if !hide[c.Name] {
			perSD.Value = viz.NumberOf(c.Standardized, 3)
		}
		row := doc.Row{Cells: []doc.Cell{{Value: c.Name}, p.refitted(shown(c), value, 0), perSD}}
		if c.Name == model.InterceptName && p.tellsConstant() {
			row.Cells[1], row.Cells[2] = doc.Cell{Value: maskedText}, doc.Cell{Value: maskedText}
		}
		for k, o := range odds {
			cell := doc.Cell{Value: o.Of(c), Format: doc.Format{Style: doc.Odds}}
			if k == 0 && c.OddsRatio != nil {
				if ci := c.OddsRatioCI; ci != nil && p.c.checked() == nil && !tight[c.Name] {
					ratio.Low, ratio.High = &ci[0], &ci[1]
				}
				cell = p.refitted(*c.OddsRatio, ratio, 1)
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Note = strings.TrimSpace(resultview.OddsNote(p.r, p.run.Spec) + resultview.CurveNote(p.r))
	if len(hide) > 0 {
		t.Note = strings.TrimSpace(t.Note + " Per SD masked: with the coefficient beside it, it would disclose how " +
			"many rows have a rare level.")
	}
	b := p.c.checked()
	switch {
	case b == nil && len(tight) > 0 && slices.ContainsFunc(p.r.Coefficients, func(c engine.Coefficient) bool {
		return c.OddsRatioCI != nil && tight[c.Name]
	}):
		t.Note += " Intervals of odds ratios are left out where they would disclose a masked count."
	case b == nil && p.c.Origin == nil && !p.narrow() && resultview.LacksIntervals(p.r):
		t.Note = strings.TrimSpace(t.Note + " Odds ratios without an interval: the bootstrap on the run’s page " +
			"computes them.")
	}
	if b != nil {
		t.Note = strings.TrimSpace(t.Note + " In brackets: 95" + format.Pc + " percentile intervals over " +
			phrase.Int(b.Replicates) + " bootstrap refits." + p.c.missedSay())
	}
	return t
}

// refitted is a number of the final model with its bootstrap interval, a dash where too few samples have the term.
func (p Printed) refitted(v float64, e stat.Estimate, null float64) doc.Cell {
	if e.Low != nil && e.High != nil {
		return doc.Cell{Value: v, Low: e.Low, High: e.High, Format: doc.Format{Style: doc.Joint, Null: null}}
	}
	c := doc.Cell{Value: v, Format: doc.Format{Style: doc.Significant, Digits: 4}}
	if null == 1 {
		c.Format.Style = doc.Odds
	}
	if e.Value != nil {
		c.Note = "(" + viz.None + ")"
	}
	return c
}

// equation is the whole model as a formula.
func (p Printed) equation() string {
	var b strings.Builder
	b.WriteString("f = ")
	if p.r.Importance != nil {
		b.WriteString("Σ θ · vote over " + phrase.Int(p.r.Iterations) + " trees, which are in model.json")
	}
	if k := p.r.Kernel; k != nil {
		b.WriteString("Σ a · κ(x′, x) + b over " + phrase.Int(k.Support) + " rows, which are in model.json")
	}
	for i, c := range p.r.Coefficients {
		if i == 0 && p.tellsConstant() {
			b.WriteString(maskedText)
			continue
		}
		sign, v := " + ", c.Value
		if v < 0 {
			sign, v = " \u2212 ", -v
		}
		switch {
		case i == 0 && c.Value < 0:
			b.WriteString("\u2212")
		case i > 0:
			b.WriteString(sign)
		}
		b.WriteString(viz.Short(v, 5))
		if c.Name != model.InterceptName {
			b.WriteString(" · [" + c.Name + "]")
		}
	}
	for _, c := range p.r.Splines {
		b.WriteString("\n" + knotText(c))
	}
	if len(p.r.Splines) > 0 {
		b.WriteString("\n[x′], [x″] … of x with knots t₁ … t_k: ((x − t_j)₊³ − (x − t_{k−1})₊³ " +
			"(t_k − t_j)/(t_k − t_{k−1}) + (x − t_k)₊³ (t_{k−1} − t_j)/(t_k − t_{k−1}))/(t_k − " +
			"t₁)², j = 1, 2 …")
	}
	if len(p.r.Delta) > 0 {
		var cuts []string
		for _, d := range p.r.Delta {
			cuts = append(cuts, viz.Number(d, 4))
		}
		b.WriteString("\nband = number of cut-offs below f; cut-offs: " + strings.Join(cuts, ", "))
	}
	return b.String()
}

// knotText lists the knots of a spline in the unit of its column.
func knotText(c engine.SplineCurve) string {
	var each []string
	for _, k := range c.Knots {
		each = append(each, viz.Short(k, 5))
	}
	text := c.Column + ": natural cubic spline with knots " + strings.Join(each, ", ")
	if c.Origin != nil {
		text += " days after " + viz.SplineValue(c, 0)
	}
	return text
}

func (p Printed) convergence() string {
	r := p.r
	text := "Final fit on all training rows"
	if p.run.Spec.Model.Penalised() {
		text += " at λ = " + viz.Short(r.L2, 3) + p.lambdaHow()
	}
	if !p.tellsConstant() {
		text += ": objective " + viz.Short(r.Objective, 6)
	} else {
		text += ": objective " + maskedText
	}
	if p.Alone { // the iterations can differ between processors, so verification leaves them out
		return text + "."
	}
	if r.Gap != nil {
		// The gap bounds the distance to the optimum of the convex surrogate on the training rows, not of the
		// interval loss and not on other rows.
		text += ", certified relative duality gap of this convex objective " + viz.Short(*r.Gap, 2)
	}
	if r.GradientNorm != nil {
		text += ", largest gradient entry " + viz.Short(*r.GradientNorm, 2)
	}
	return text + fmt.Sprintf(", %d iterations, stopping criterion: %s. %s%ss; the whole run %s%ss.",
		r.Iterations, r.Stopped, viz.Short(r.Seconds, 2), phrase.NBSP, viz.Short(r.ElapsedS, 2), phrase.NBSP)
}

// lambdaHow says how λ was chosen, and what the other rule would have given.
func (p Printed) lambdaHow() string {
	if len(p.r.Tuning) < 2 {
		return ", as given"
	}
	if p.run.Spec.Model.L2.Mode == "cv-1se" {
		return ", the largest value whose cross-validated loss is within one standard error of the lowest"
	}
	text := ", the value with the lowest cross-validated loss"
	if v := p.r.L2OneSE; v != nil && *v != p.r.L2 {
		text += " (the one-standard-error rule would give " + viz.Short(*v, 3) + " and was not used)"
	}
	return text
}

// classModelParts are the weights of each class. Where a class size is masked, intercepts, thresholds and the
// objective are left out, since they reveal it if weights are small.
func (p Printed) classModelParts() []doc.Node {
	if p.r.Given != nil {
		return p.givenParts()
	}
	on := p.classes()
	fit, note := on.Fit(), "model.json contains the whole model; other programs can score with it."
	t := on.Coefficients()
	for i := range fit {
		if fit[i].Label == resultview.PenaltyLabel && p.run.Spec.Model.Penalised() {
			fit[i].Value += p.lambdaHow()
		}
	}
	if p.Alone {
		fit = resultview.WithoutPath(fit)
	}
	if p.classTable().Hidden() {
		fit = slices.DeleteFunc(fit, func(f doc.Fact) bool { return f.Label == "Objective" })
		what := "The objective is"
		switch {
		case len(p.r.Classes.Thresholds) > 0:
			what = "Thresholds and the objective are"
		case slices.ContainsFunc(p.r.Coefficients, func(c engine.Coefficient) bool { return c.Name == model.InterceptName }):
			what = "Intercepts and the objective are"
		}
		note += " " + what + " masked: they would disclose the rows of a class."
	}
	parts := []doc.Node{fit}
	if what := loss.TitleNote(p.run.Spec.Model.Loss); what != "" {
		parts = append(parts, doc.Note(what))
	}
	if t != nil {
		t.Tall = false
		if p.classTable().Hidden() {
			t.Note, _, _ = strings.Cut(t.Note, resultview.ThresholdsOf)
			for _, row := range t.Rows {
				for k := range row.Cells[1:] {
					if row.Cells[0].Value == model.InterceptName {
						row.Cells[1+k] = doc.Cell{Value: maskedText}
					}
				}
			}
		}
		parts = append(parts, parted(*t, 7)...)
	}
	return append(parts, doc.Note(note))
}
