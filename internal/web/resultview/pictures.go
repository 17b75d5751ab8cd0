package resultview

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/format"
	"taper/web/templates"
)

// Pictures are the figures of a kept run; nil for one of before they were kept.
func (s Bands) Pictures() *templates.Pictures {
	v := &templates.Pictures{Kernel: kernelFacts(s.Result), Starts: s.starts()}
	if p := s.Result.Pictures; p != nil {
		v.Told = slotsOf(s.roc(p.ROC), s.calibration(p.Calibration))
		if p.Confusion.N > 0 {
			confusion, each := s.confusion(p.Confusion), s.perClass(p.Confusion)
			v.Confusion, v.PerClass = &confusion, &each
		}
		if all := slotsOf(s.giveUp(p.GiveUp)); len(all) > 0 {
			v.GiveUp = &all[0]
		}
	}
	v.Way = slotsOf(s.convergence(), s.gammas())
	return v
}

// slotsOf are the places of the figures that there are.
func slotsOf(all ...*viz.Figure) []templates.Slot {
	var slots []templates.Slot
	for _, f := range all {
		if f != nil {
			slots = append(slots, templates.Slot{ID: "fig-" + f.ID, Chart: control.Figure(*f)})
		}
	}
	return slots
}

var hundred = [2]float64{0, 100}

// roc draws the curve with the point where rows are called events.
func (s Bands) roc(c stat.ROCCurve) *viz.Figure {
	if len(c.Points) < 2 {
		return nil
	}
	test := s.Result.Metrics.Test
	o := viz.Overlay{ID: "roc", Title: "Events found against false alarms", Diagonal: "no better than chance",
		X: viz.Axis{Name: "false alarms, % of other rows", Ends: hundred}, Y: viz.Axis{Ends: hundred},
		Head: []string{"Score from", "False alarms, %", "Events found, %"}}
	curve := viz.Trace{Name: "ROC curve", Mark: "s1"}
	stride := max(1, len(c.Points)/40)
	for i, p := range c.Points {
		curve.X, curve.Y = append(curve.X, 100*p.FPR), append(curve.Y, 100*p.TPR)
		if i%stride == 0 || i == len(c.Points)-1 {
			at := "above all"
			if p.Threshold != nil {
				at = viz.Short(*p.Threshold, 3)
			}
			o.Rows = append(o.Rows, []string{at, viz.Percent(p.FPR, 1), viz.Percent(p.TPR, 1)})
		}
	}
	o.Lines = []viz.Trace{curve}
	o.Sentence = "ROC: % of events found at each price in false alarms. Area " + viz.NumberOf(test.AUC, 3)
	if test.AUCLow != nil && test.AUCHigh != nil {
		o.Sentence += " (95" + format.Pc + " CI " + viz.Range(viz.Number(*test.AUCLow, 3), viz.Number(*test.AUCHigh, 3)) +
			")"
	}
	o.Sentence += "."
	if test.Sensitivity != nil && test.Specificity != nil {
		o.Lines = append(o.Lines, viz.Trace{Name: "cut at " + viz.Short(100*s.Result.Cut, 3) + format.Pc, Mark: "s2",
			Dot: true, X: []float64{100 * (1 - *test.Specificity)}, Y: []float64{100 * *test.Sensitivity}})
		o.Sentence += fmt.Sprintf(" Called events from %s%s on: %s%s of the events are found, with %s%s false alarms.",
			viz.Short(100*s.Result.Cut, 3), format.Pc, viz.Percent(*test.Sensitivity, 1), format.Pc,
			viz.Percent(1-*test.Specificity, 1), format.Pc)
	}
	f := viz.Overlaid(o)
	return &f
}

// linkTitle names the link whose probabilities a figure shows.
func (s Bands) linkTitle() string { return engine.LinkName(s.Result.Link.ID) + " link" }

// calibration draws what happened against what was predicted, with its band.
func (s Bands) calibration(c *stat.Smooth) *viz.Figure {
	if c == nil || len(c.Points) == 0 {
		return nil
	}
	o := viz.Overlay{ID: "calibration", Title: "Calibration, " + s.linkTitle(), Diagonal: "perfect",
		X: viz.Axis{Name: "predicted risk, %", Ends: hundred}, Y: viz.Axis{Ends: hundred},
		Head: []string{"Predicted risk, %", "Observed, %", "95" + format.Pc + " band"}}
	curve, low, high := viz.Trace{Name: "observed, smoothed", Mark: "s1"}, viz.Trace{Name: "95" + format.Pc + " band",
		Mark: "ref2"}, viz.Trace{Name: "95" + format.Pc + " band", Mark: "ref2", Twin: true}
	for i, p := range c.Points {
		x := 100 * p.Predicted
		curve.X, curve.Y = append(curve.X, x), append(curve.Y, 100*p.Observed)
		low.X, low.Y = append(low.X, x), append(low.Y, 100*p.Low)
		high.X, high.Y = append(high.X, x), append(high.Y, 100*p.High)
		if i%4 == 0 || i == len(c.Points)-1 {
			o.Rows = append(o.Rows, []string{viz.Percent(p.Predicted, 1), viz.Percent(p.Observed, 1),
				viz.Range(viz.Percent(p.Low, 1), viz.Percent(p.High, 1))})
		}
	}
	o.Lines = []viz.Trace{curve, low, high}
	o.Sentence = "Observed against predicted risk; the probability is " + s.Result.Link.Formula + "."
	if test := s.Result.Metrics.Test; test.CalibrationSlope != nil {
		o.Sentence += " Slope " + viz.Number(*test.CalibrationSlope, 2) +
			": above 1 the predicted risks are too timid, below 1 too extreme."
	}
	if c.ICI != nil {
		o.Sentence += " On average the curve is " + viz.Percent(*c.ICI, 1) + " points from the diagonal."
	}
	f := viz.Overlaid(o)
	return &f
}

// confusion counts the rows by class and what they are called at the cut.
func (s Bands) confusion(c stat.Classes) templates.Table {
	t := templates.Table{Caption: "Called at " + viz.Short(100*s.Result.Cut, 3) + format.Pc, Label: "Confusion matrix",
		Class: "tbl-tight", Columns: []templates.Column{{Label: "Is"}}}
	for _, level := range c.Levels {
		t.Columns = append(t.Columns, templates.Column{Label: "Called " + level, Num: true})
	}
	t.Columns = append(t.Columns, templates.Column{Label: "Rows", Num: true})
	for i, level := range c.Levels {
		cells := []string{level}
		sum := 0
		for _, n := range c.Confusion[i] {
			cells, sum = append(cells, viz.Count(n)), sum+n
		}
		t.Rows = append(t.Rows, control.Row(append(cells, viz.Count(sum))))
	}
	t.Note = "A row is called " + s.Result.Positive.String() + " where its risk is above " +
		viz.Short(100*s.Result.Cut, 3) + format.Pc + "."
	if s.interval() {
		t.Note = "A row is called " + s.Result.Positive.String() + " above the cut-off of the boundary " +
			viz.Short(100*s.Result.Cut, 3) + format.Pc + ", the one nearest to one half."
	}
	return t
}

// perClass are the statistics of each class, with what they come to.
func (s Bands) perClass(c stat.Classes) templates.Table {
	t := PerClass(c)
	t.Caption = t.Label
	var all []string
	for _, id := range []string{"accuracy", "balanced_accuracy"} {
		if v := c.Of(id).Value; v != nil {
			all = append(all, stat.ByID(id).Label+" "+format.WithUnit(stat.ByID(id), v))
		}
	}
	t.Note = strings.Join(append(all, t.Note), ". ")
	return t
}

// giveUp is the histogram of the give-up factors.
func (s Bands) giveUp(g *engine.GiveUp) *viz.Figure {
	if g == nil {
		return nil
	}
	o := viz.Overlay{ID: "giveup", Title: "How much each row still counts", Steps: true,
		X:    viz.Axis{Name: "weight against logistic’s, p^(t₂−t₁)", Ends: [2]float64{0, 1}},
		Head: []string{"Weight", s.Result.Positive.String(), s.Result.Negative.String(), "Flipped on purpose"}}
	lines := [3]viz.Trace{{Name: s.Result.Positive.String(), Mark: "s1"}, {Name: s.Result.Negative.String(), Mark: "s2"},
		{Name: "flipped on purpose", Mark: "s3"}}
	all, flipped := 0, 0
	most := 0
	for k, b := range g.Bins {
		for i, n := range [3]int{b.Events, b.Others, b.Flipped} {
			lines[i].X, lines[i].Y = append(lines[i].X, b.Lower), append(lines[i].Y, float64(n))
			if k == len(g.Bins)-1 {
				lines[i].X, lines[i].Y = append(lines[i].X, b.Upper), append(lines[i].Y, float64(n))
			}
			most = max(most, n)
		}
		all, flipped = all+b.Events+b.Others, flipped+b.Flipped
		o.Rows = append(o.Rows, []string{viz.Range(viz.Short(b.Lower, 2), viz.Short(b.Upper, 2)), viz.Count(b.Events),
			viz.Count(b.Others), viz.Count(b.Flipped)})
	}
	o.Y.Ends = [2]float64{0, 1.05 * float64(max(most, 1))}
	o.Lines = lines[:2]
	if flipped > 0 {
		o.Lines = lines[:]
	}
	o.Sentence = fmt.Sprintf("%s of %s rows count less than half: the model expects another outcome of them. Each by "+
		"the label it trains with.", viz.Count(g.Half), viz.Count(all))
	f := viz.Overlaid(o)
	return &f
}

// convergence draws what is left to gain by iteration: the certified gap, or
// the gradient.
func (s Bands) convergence() *viz.Figure {
	o := viz.Overlay{ID: "convergence", X: viz.Axis{Name: "iteration"}, Y: viz.Axis{Log: true},
		Head: []string{"Iteration", "Objective", ""}}
	line := viz.Trace{Name: "relative duality gap", Mark: "s1"}
	of := func(p engine.TracePoint) *float64 { return p.Gap }
	if s.Result.Gap == nil {
		line.Name, of = "largest gradient entry", func(p engine.TracePoint) *float64 { return p.GradientNorm }
	}
	o.Head[2] = format.UpperFirst(line.Name)
	for _, p := range s.Result.Trace {
		if v := of(p); v != nil && *v > 0 && !math.IsInf(*v, 0) {
			line.X, line.Y = append(line.X, float64(p.Iteration)), append(line.Y, max(*v, 1e-16))
			o.Rows = append(o.Rows, []string{viz.Count(p.Iteration), viz.Short(p.Objective, 6), viz.Short(*v, 2)})
		}
	}
	if len(line.X) < 2 {
		return nil
	}
	o.Lines = []viz.Trace{line}
	o.Title = "Convergence of the final fit"
	o.Sentence = fmt.Sprintf("The %s falls from %s to %s; the objective ends at %s.", line.Name, viz.Short(line.Y[0], 2),
		viz.Short(line.Y[len(line.Y)-1], 2), viz.Short(s.Result.Objective, 6))
	f := viz.Overlaid(o)
	return &f
}

// gammas draws the lowest criterion over λ at each γ tried.
func (s Bands) gammas() *viz.Figure {
	if len(s.Result.Trials) < 2 || s.Result.Kernel == nil || s.Result.Kernel.Gamma == nil {
		return nil
	}
	line := viz.Trace{Name: "lowest over λ", Mark: "s1"}
	o := viz.Overlay{ID: "gammas", Title: "Choice of γ", X: viz.Axis{Name: "γ of the kernel", Log: true}, Dots: true,
		Head: []string{"γ", "λ", "Mean over the folds", "Standard error"}}
	for _, p := range s.Result.Trials {
		o.Rows = append(o.Rows, []string{viz.Short(*p.Gamma, 3), viz.Short(p.L2, 3), viz.Number(p.Mean, 4),
			viz.Number(p.SE, 4)})
		if n := len(line.X); n > 0 && line.X[n-1] == *p.Gamma {
			line.Y[n-1] = min(line.Y[n-1], p.Mean)
			continue
		}
		line.X, line.Y = append(line.X, *p.Gamma), append(line.Y, p.Mean)
	}
	o.Lines = []viz.Trace{line}
	o.Sentence = fmt.Sprintf("Of %s pairs of γ and λ, in two stages, γ = %s with λ = %s did best on the rows held out "+
		"for it.", strconv.Itoa(len(s.Result.Trials)), viz.Short(*s.Result.Kernel.Gamma, 3), viz.Short(s.Result.L2, 3))
	f := viz.Overlaid(o)
	return &f
}

// kernelFacts say what the score of a kernel is a sum over.
func kernelFacts(r *engine.Result) []templates.Fact {
	k := r.Kernel
	if k == nil {
		return nil
	}
	what := map[string]string{"linear": "linear, x·x′", "rbf": "radial, exp(−γ‖x − x′‖²)",
		"poly": "polynomial, (1 + γ x·x′)^" + strconv.Itoa(k.Degree)}[k.Name]
	facts := []templates.Fact{{Label: "Kernel", Value: what}}
	if k.Gamma != nil {
		facts = append(facts, templates.Fact{Label: "γ", Value: viz.Short(*k.Gamma, 3)})
	}
	facts = append(facts,
		templates.Fact{Label: "Penalty λ", Value: viz.Short(r.L2, 3)},
		templates.Fact{Label: "Rows in the score", Value: viz.Count(k.Support) + " of " + viz.Count(k.Rows) + " trained on"})
	how := "exact (up to " + viz.Count(k.ExactUpTo) + " rows of this loss)"
	if k.Landmarks > 0 {
		how = "Nyström with " + viz.Count(k.Landmarks) + " landmarks, exact up to " + viz.Count(k.ExactUpTo) + " rows"
	}
	return append(facts, templates.Fact{Label: "Gram matrix", Value: how},
		templates.Fact{Label: "Model file", Value: "holds these rows, standardised: share it as you would share the data"})
}

// starts lists where the starts of a fit led.
func (s Bands) starts() *templates.Starts {
	if len(s.Result.Starts) < 2 {
		return nil
	}
	t := templates.Table{Label: "Starts of the final fit", Class: "tbl-tight", Columns: []templates.Column{
		{Label: "Start"}, {Label: "Objective", Num: true}, {Label: "Largest gradient entry", Num: true},
		{Label: "Iterations", Num: true}, {Label: "Stopped by"}, {Label: ""},
	}}
	for _, v := range s.Result.Starts {
		kept := ""
		if v.Kept {
			kept = "kept"
		}
		t.Rows = append(t.Rows, control.Row([]string{v.Start, viz.Short(v.Objective, 7), viz.Short(v.GradientNorm, 2),
			viz.Count(v.Iterations), v.Stopped, kept}))
	}
	t.Note = "The objective is not convex: a fit ends in the minimum next to its start. The lowest is kept."
	return &templates.Starts{Table: t}
}

// kernelCoefficients says why there is no table of them.
func kernelCoefficients(k *engine.KernelSummary) string {
	return "A kernel score has no coefficients of the predictors: it is a sum over " + viz.Count(k.Support) + " rows."
}

// Kernel lists what a kernel score is, where others have coefficients.
func Kernel(r *engine.Result) doc.Table {
	t := doc.Table{Label: "Kernel", Columns: []doc.Column{{Label: "Kernel of the score"}, {Label: ""}}}
	for _, f := range kernelFacts(r) {
		t.Rows = append(t.Rows, doc.TextRow([]string{f.Label, f.Value}))
	}
	t.Note = kernelCoefficients(r.Kernel)
	return t
}
