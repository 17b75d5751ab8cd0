package resultview

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/crossfit"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// core are the measures that a saved run shows first: ROC curve, calibration, net benefit and the densities by
// class, and below them the table of performance. Runs of early versions have no curves.
func (s Bands) core(distribution doc.Figures) []doc.Section {
	var figures doc.Figures
	shown := Core{Benefit: len(s.Benefit) > 0, Distribution: len(distribution) > 0}
	if p := s.Result.Pictures; p != nil {
		calibration := s.calibration(p.Calibration)
		figures, shown.Calibration = drawn(mask.OfRows, s.roc(p.ROC), calibration), calibration != nil
	}
	var body []doc.Node
	benefit := slices.Insert(slices.Clone(s.Benefit), min(1, len(s.Benefit)), distribution...) // curves side by side
	if figures = append(figures, benefit...); len(figures) > 0 {
		body = append(body, figures)
	}
	if body = append(body, s.Performance...); len(body) == 0 {
		return nil
	}
	return []doc.Section{{ID: "performance", Title: "Core measures", Say: CoreMeasures(s.soft(), shown) +
		Independent(s.Result), Body: body}}
}

// classification is the statistics of a saved run at thresholds, each part with its threshold.
func (s Bands) classification() []doc.Section {
	var body []doc.Node
	if p := s.Result.Pictures; p != nil && p.Confusion.N > 0 {
		body = append(body, doc.Pair{{s.confusion(p.Confusion)}, {s.perClass(p.Confusion)}})
	}
	if body = append(body, s.AtBoundaries...); len(body) == 0 {
		return nil
	}
	return []doc.Section{{ID: "classification", Title: "Classification", Class: "clinical",
		Say: "Each measure applies to the threshold beside it and to no other.", Body: body}}
}

// way shows the convergence of the final fit.
func (s Bands) way() []doc.Section {
	var body []doc.Node
	if facts := kernelFacts(s.Result); facts != nil {
		body = append(body, doc.Group{Class: "sec", Body: []doc.Node{facts}})
	}
	if p := s.Result.Pictures; p != nil {
		if f := s.giveUp(p.GiveUp); f != nil {
			body = append(body, doc.Figure{Lines: f, Reveals: mask.OfRows})
		}
	}
	if all := append(drawn(mask.NoCount, convergence(s.Result)), drawn(mask.OfRows, s.gammas())...); len(all) > 0 {
		body = append(body, all)
	}
	return []doc.Section{{ID: "way", Title: "Fit details", Body: append(body, starts(s.Result, s.Restarts)...)}}
}

// drawn are the existing figures side by side, with the counts they reveal.
func drawn(reveals mask.Ref, all ...*viz.Overlay) (out doc.Figures) {
	for _, o := range all {
		if o != nil {
			out = append(out, doc.Figure{Lines: o, Reveals: reveals})
		}
	}
	return out
}

var hundred = [2]float64{0, 100}

// roc draws the ROC curve with the point of the threshold in Classification.
func (s Bands) roc(c stat.ROCCurve) *viz.Overlay {
	if len(c.Points) < 2 {
		return nil
	}
	auc := s.drawnAUC()
	o := viz.Overlay{ID: "roc", Title: "ROC curve", Diagonal: "no better than chance",
		X: viz.Axis{Name: "1 − specificity, %", Ends: hundred}, Y: viz.Axis{Name: "sensitivity, %", Ends: hundred},
		Head: []string{"Threshold of the score", "1 − specificity, %", "Sensitivity, %"}}
	stride := max(1, len(c.Points)/40)
	for i, p := range c.Points {
		if i%stride == 0 || i == len(c.Points)-1 {
			at := "above all"
			if p.Threshold != nil {
				at = viz.Short(*p.Threshold, 3)
			}
			o.Rows = append(o.Rows, []string{at, viz.Percent(p.FPR, 1), viz.Percent(p.TPR, 1)})
		}
	}
	o.Lines = []viz.Trace{rocTrace("ROC curve", "s1", c.Points)}
	o.Sentence = "Sensitivity against 1 − specificity at every threshold. AUC " + viz.NumberOf(auc.Value, 3)
	switch {
	case auc.Low == nil || auc.High == nil:
		if auc.Value != nil && len(c.Points) == 2 { // its ends alone
			o.Sentence += " without an interval, since all scores are equal"
		}
	case *auc.Low != *auc.High:
		o.Sentence += " (95" + format.Pc + " CI " + viz.Range(viz.Number(*auc.Low, 3), viz.Number(*auc.High, 3)) +
			")"
	default:
		o.Sentence += " without an interval, since the scores separate the classes"
	}
	o.Sentence += "." + cmp.Or(Pooled(s.Result, s.Spec, "The AUC"), s.ofRepeat())
	if specificity, sensitivity := s.drawnDot(); sensitivity != nil && specificity != nil {
		o.Lines = append(o.Lines, viz.Trace{Name: "cut at " + s.threshold(), Mark: "s2", Dot: true,
			X: []float64{100 * (1 - *specificity)}, Y: []float64{100 * *sensitivity}})
	}
	return &o
}

// drawnDot is the point of the threshold on the drawn ROC curve, by the confusion matrix of the same scores. With
// repeats the metrics are means over all of them, and such a point may lie beside the curve.
func (s Bands) drawnDot() (specificity, sensitivity *float64) {
	if p := s.Result.Pictures; p != nil && len(p.Confusion.PerClass) == 2 {
		return p.Confusion.PerClass[0].Recall.Value, p.Confusion.PerClass[1].Recall.Value
	}
	return nil, nil
}

// drawnAUC is the AUC of the scores whose ROC curve is drawn. With repeats these are the first repeat's, like those of
// the table of performance, and the metrics are means over all of them.
func (s Bands) drawnAUC() stat.Estimate {
	if c := s.Result.Clinical; s.Spec.Validation.Repeats > 1 && c != nil {
		return c.Judged.AUC
	}
	return s.Result.Metrics.Test.Of("auc")
}

func (s Bands) ofRepeat() string { return FirstRepeat(s.Spec) }

func rocTrace(name, mark string, points []stat.ROCPoint) viz.Trace {
	line := viz.Trace{Name: name, Mark: mark}
	for _, at := range points {
		line.X, line.Y = append(line.X, 100*at.FPR), append(line.Y, 100*at.TPR)
	}
	return line
}

// byChance is the clause about the distance from the diagonal that chance alone gives.
func (s Bands) byChance() string {
	if s.Result.Clinical == nil {
		return ""
	}
	chance := s.Result.Clinical.Judged.Of(stat.ChanceICI)
	if chance.Value == nil {
		return ""
	}
	return " If the risks were right, chance alone would give about " + viz.Percent(*chance.Value, 1) + " (mostly " +
		viz.Range(viz.Percent(*chance.Low, 1), viz.Percent(*chance.High, 1)) + ")."
}

// linkTitle names the link of the probabilities in a figure.
func (s Bands) linkTitle() string { return model.LinkName(s.Result.Link.ID) + " link" }

// calibration draws observed against predicted risks, with a confidence band.
func (s Bands) calibration(c *stat.SmoothedCalibration) *viz.Overlay {
	if c == nil || len(c.Points) == 0 {
		return nil
	}
	o := viz.Overlay{ID: "calibration", Title: "Calibration, " + s.linkTitle(), Diagonal: "perfect",
		X: viz.Axis{Name: "predicted risk, %", Ends: hundred}, Y: viz.Axis{Name: "observed, %", Ends: hundred},
		Head: []string{"Predicted risk, %", "Observed, %", "Pointwise 95" + format.Pc + " band"}}
	curve := viz.Trace{Name: "observed, smoothed", Mark: "s1"}
	low := viz.Trace{Name: "pointwise 95" + format.Pc + " band", Mark: "ref2"}
	high := low
	high.Continuation = true
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
	o.Sentence = "Observed against predicted risk; the probability is " + s.Result.Link.Text() + ". " + c.Smoother()
	slope := stat.Estimate{Value: s.Result.Metrics.Test.CalibrationSlope}
	if c := s.Result.Clinical; c != nil {
		slope = c.Judged.CalibrationSlope
	}
	if slope.Value != nil {
		o.Sentence += " Slope " + viz.Number(*slope.Value, 2)
		if slope.Low != nil && slope.High != nil {
			o.Sentence += " (95" + format.Pc + " CI " + viz.Range(viz.Number(*slope.Low, 2), viz.Number(*slope.High, 2)) + ")"
		}
		o.Sentence += "; a slope above 1 means that predictions are not extreme enough, one below 1 that they are too " +
			"extreme (overfitting)."
	}
	if c.ICI != nil {
		o.Sentence += " On average the curve is " + viz.Percent(*c.ICI, 1) + " percentage points from the diagonal."
		o.Sentence += s.byChance()
	}
	o.Sentence += c.Ends() + s.ofRepeat()
	return &o
}

// threshold names what a row must exceed to be predicted positive in the table of classes.
func (s Bands) threshold() string { return format.Threshold(s.Spec, s.Result) }

// confusion counts the rows by class and by prediction at the threshold.
func (s Bands) confusion(c stat.Classes) doc.Table {
	at := s.threshold()
	t := doc.Table{Caption: "Confusion matrix at a threshold of " + at, Label: "Confusion matrix", Class: "tbl-tight",
		Columns: []doc.Column{{Label: "Observed"}}}
	for _, level := range c.Levels {
		t.Columns = append(t.Columns, doc.Column{Label: "Predicted " + level, Number: true})
	}
	t.Columns = append(t.Columns, doc.Column{Label: "Rows", Number: true})
	for i, level := range c.Levels {
		cells := []doc.Cell{{Value: level}}
		sum := 0
		for _, n := range c.Confusion[i] {
			cells, sum = append(cells, doc.Cell{Value: n}), sum+n
		}
		t.Rows = append(t.Rows, doc.Row{Cells: append(cells, doc.Cell{Value: sum})})
	}
	t.Note = "Predicted " + s.Result.Positive.String() + ": "
	switch {
	case !s.interval():
		t.Note += "risk above " + at + "."
	case slices.Contains(s.Result.Boundaries, s.Result.Cut):
		t.Note += "score above the cut-off of the boundary " + at + ", the one nearest to one half."
	default:
		t.Note += "score above 0, which is the cut-off of no boundary: two boundaries are equally near to one half."
	}
	return t
}

// perClass are the statistics of each class, with their means.
func (s Bands) perClass(c stat.Classes) doc.Table {
	t := PerClass(c)
	t.Caption = t.Label + " at a threshold of " + s.threshold()
	var all []string
	var shown []stat.Statistic
	for _, id := range []string{"accuracy", "balanced_accuracy"} {
		s, e := stat.ByID(id), c.Of(id)
		if e.Value == nil {
			continue
		}
		if text := s.Label + " " + format.WithUnit(s, e.Value); e.Low == nil {
			all = append(all, text)
		} else {
			as := doc.Of(s)
			as.Bare = true
			all, shown = append(all, text+" ("+viz.Range(as.Write(*e.Low), as.Write(*e.High))+")"), append(shown, s)
		}
	}
	t.Note = strings.Join(append(all, t.Note), ". ")
	if len(shown) > 0 {
		t.Note += " In brackets above: 95" + format.Pc + " CI. " + format.Hows(shown)
	}
	return t
}

// giveUp is the histogram of the weight factors by class.
func (s Bands) giveUp(g *engine.GiveUp) *viz.Overlay {
	if g == nil {
		return nil
	}
	names := [2]string{s.Result.Positive.String(), s.Result.Negative.String()}
	return weights{names: names, head: names, against: "logistic", expects: "outcome"}.overlay(g.ByAnswer())
}

// weights are the texts of a histogram of row weights.
type weights struct {
	names, head      [2]string // the two kinds of rows
	against, expects string    // loss with weight 1; expected class otherwise
}

func (h weights) overlay(g *engine.ClassGiveUp) *viz.Overlay {
	o := viz.Overlay{ID: "giveup", Title: "Weight of each row", Steps: true,
		X:    viz.Axis{Name: "weight relative to " + h.against + " loss", Ends: [2]float64{0, 1}},
		Head: []string{"Weight", h.head[0], h.head[1], "Label flipped"}}
	lines := []viz.Trace{{Name: h.names[0], Mark: "s1"}, {Name: h.names[1], Mark: "s2"},
		{Name: "label flipped", Mark: "s3"}}
	all, flipped, most := 0, 0, 1
	for k, b := range g.Bins {
		row := []string{viz.Range(viz.Short(b.Lower, 2), viz.Short(b.Upper, 2))}
		for i, n := range [3]int{b.Right, b.Wrong, b.Flipped} {
			lines[i].X, lines[i].Y = append(lines[i].X, b.Lower), append(lines[i].Y, float64(n))
			if k == len(g.Bins)-1 {
				lines[i].X, lines[i].Y = append(lines[i].X, b.Upper), append(lines[i].Y, float64(n))
			}
			most, row = max(most, n), append(row, phrase.Int(n))
		}
		all, flipped = all+b.Right+b.Wrong, flipped+b.Flipped
		o.Rows = append(o.Rows, row)
	}
	o.Y = viz.Axis{Name: "rows", Ends: [2]float64{0, 1.05 * float64(most)}}
	if o.Lines = lines[:2]; flipped > 0 {
		o.Lines = lines
	}
	o.Sentence = fmt.Sprintf("%s of %s rows have a weight below ½: the model expects another %s of them. Weights are "+
		"those under the label used for training.", phrase.Int(g.Half), phrase.Int(all), h.expects)
	return &o
}

// convergence draws the certified gap over the iterations, or the gradient.
func convergence(r *engine.Result) *viz.Overlay {
	o := viz.Overlay{ID: "convergence", X: viz.Axis{Name: "iteration"}, Y: viz.Axis{Log: true},
		Head: []string{"Iteration", "Objective", ""}}
	line := viz.Trace{Name: "relative duality gap", Mark: "s1"}
	of := func(p crossfit.TracePoint) *float64 { return p.Gap }
	if r.Gap == nil {
		line.Name, of = "largest gradient entry", func(p crossfit.TracePoint) *float64 { return p.GradientNorm }
	}
	o.Head[2] = phrase.UpperFirst(line.Name)
	for _, p := range r.Trace {
		if v := of(p); v != nil && *v > 0 && !math.IsInf(*v, 0) {
			line.X, line.Y = append(line.X, float64(p.Iteration)), append(line.Y, max(*v, 1e-16))
			o.Rows = append(o.Rows, []string{phrase.Int(p.Iteration), viz.Short(p.Objective, 6), viz.Short(*v, 2)})
		}
	}
	if len(line.X) < 2 {
		return nil
	}
	o.Lines = []viz.Trace{line}
	o.Title = "Convergence of the final fit"
	o.Sentence = fmt.Sprintf("The %s falls from %s to %s; the objective ends at %s.", line.Name, viz.Short(line.Y[0], 2),
		viz.Short(line.Y[len(line.Y)-1], 2), viz.Short(r.Objective, 6))
	return &o
}

// gammas draws the smallest criterion over λ for each γ tried.
func (s Bands) gammas() *viz.Overlay {
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
	o.Sentence = viz.Unbroken(fmt.Sprintf("Of %d pairs of γ and λ, in two stages, γ = %s with λ = %s did best on the "+
		"rows held out for it.", len(s.Result.Trials), viz.Short(*s.Result.Kernel.Gamma, 3), viz.Short(s.Result.L2, 3)))
	return &o
}

// kernelFacts describe the sum in the score of a kernel.
func kernelFacts(r *engine.Result) doc.Facts {
	k := r.Kernel
	if k == nil {
		return nil
	}
	what := map[string]string{"linear": "linear, x·x′", "rbf": "radial, exp(−γ‖x − x′‖²)",
		"poly": "polynomial, (1 + γ x·x′)^" + strconv.Itoa(k.Degree)}[k.Name]
	facts := doc.Facts{{Label: "Kernel", Value: what}}
	if k.Gamma != nil {
		facts = append(facts, doc.Fact{Label: "γ", Value: viz.Short(*k.Gamma, 3)})
	}
	how := "exact (up to " + phrase.Int(k.ExactUpTo) + " rows of this loss)"
	if k.Landmarks > 0 {
		how = "Nyström with " + phrase.Int(k.Landmarks) + " landmarks, exact up to " + phrase.Int(k.ExactUpTo) + " rows"
	}
	return append(facts,
		doc.Fact{Label: "Penalty λ", Value: viz.Short(r.L2, 3)},
		doc.Fact{Label: "Rows in the score", Value: phrase.Int(k.Support) + " of " + phrase.Int(k.Rows) +
			" trained on"},
		doc.Fact{Label: "Gram matrix", Value: how},
		doc.Fact{Label: "Model file", Value: "holds these rows, standardised: share it as you would share the data"})
}

// Restarts are random initialisations of a run's fit, tried on demand.
type Restarts struct {
	URL   string // "" if this is not possible
	Tried []engine.Start
	Note  string // why there are none
}

// starts lists the results of the initialisations, nil for a single one.
func starts(r *engine.Result, more Restarts) []doc.Node {
	if len(r.Starts) < 2 {
		return nil
	}
	t := doc.Table{Label: "Initialisations of the final fit", Class: "tbl-tight stacks stacks-wide", Columns: []doc.Column{
		{Label: "Start"}, {Label: "Objective", Number: true}, {Label: "Largest gradient entry", Number: true},
		{Label: "Iterations", Number: true}, {Label: "Stopping criterion"}, {Label: "Kept"},
	}}
	for _, v := range r.Starts {
		kept := ""
		if v.Kept {
			kept = "yes"
		}
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Value: v.Start},
			{Value: v.Objective, Format: doc.Format{Style: doc.Significant, Digits: 7}},
			{Value: v.GradientNorm, Format: doc.Format{Style: doc.Significant, Digits: 2}},
			{Value: v.Iterations}, {Value: v.Stopped}, {Value: kept}}})
	}
	t.Note = "The objective is not convex: different starting points can lead to different minima. The lowest is kept."
	body := []doc.Node{t}
	if more.Tried != nil {
		body = append(body, doc.Figure{Lines: restarted(more.Tried, r.Objective), Reveals: mask.NoCount})
	}
	if more.Note != "" {
		body = append(body, doc.Note(more.Note))
	}
	if more.URL != "" {
		body = append(body, doc.Form{View: templates.ActionLink("Try 50 random initialisations", more.URL)})
	}
	return []doc.Node{doc.Section{ID: "starts", Title: "Results of the initialisations", Lower: true, Body: body}}
}

// restarted draws the objectives reached by random initialisations in ascending order.
func restarted(all []engine.Start, kept float64) *viz.Overlay {
	ends := slices.Clone(all)
	slices.SortStableFunc(ends, func(a, b engine.Start) int { return int(math.Copysign(1, a.Objective-b.Objective)) })
	o := viz.Overlay{ID: "manystarts", Title: fmt.Sprintf("Results of %d random "+
		"initialisations", len(ends)), Dots: true,
		X:    viz.Axis{Name: "start, the lowest first"},
		Head: []string{"Start", "Objective", "Iterations", "Stopping criterion"}}
	line := viz.Trace{Name: "objective", Mark: "s1"}
	same := 0
	for i, v := range ends {
		line.X, line.Y = append(line.X, float64(i+1)), append(line.Y, v.Objective)
		o.Rows = append(o.Rows, []string{v.Start, viz.Short(v.Objective, 8), phrase.Int(v.Iterations), v.Stopped})
		if v.Objective <= kept+1e-6*math.Abs(kept) {
			same++
		}
	}
	if low, high := line.Y[0], line.Y[len(line.Y)-1]; high-low < 1e-6*math.Abs(low) { // not only rounding
		o.Y.Ends = [2]float64{low - .01*math.Abs(low), low + .01*math.Abs(low)}
	}
	o.Lines = []viz.Trace{line}
	o.Sentence = fmt.Sprintf("%d of %d starts from U[−½, ½] end at the objective of the run, %s, or below it; the "+
		"lowest at %s, the highest at %s.",
		same, len(ends), viz.Short(kept, 6), viz.Short(line.Y[0], 6), viz.Short(line.Y[len(line.Y)-1], 6))
	return &o
}

// kernelCoefficients says why there is no table of coefficients.
func kernelCoefficients(k *engine.KernelSummary) string {
	return "A kernel score has no coefficients of the predictors: it is a sum over " + phrase.Int(k.Support) + " rows."
}

// Kernel describes a kernel score, in the place of coefficients.
func Kernel(r *engine.Result) doc.Table {
	t := doc.Table{Label: "Kernel", Columns: []doc.Column{{Label: "Kernel of the score"}, {Label: "Value"}}}
	for _, f := range kernelFacts(r) {
		t.Rows = append(t.Rows, doc.TextRow([]string{f.Label, f.Value}))
	}
	t.Note = kernelCoefficients(r.Kernel)
	return t
}
