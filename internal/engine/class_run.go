package engine

import (
	"cmp"
	"math"
	"slices"

	"taper/internal/engine/crossfit"
	"taper/internal/engine/fit"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
	"taper/internal/engine/resample"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

// ofClasses builds the result of a multiclass task.
func (c *comparison) ofClasses() *Result {
	b := &classRun{comparison: c}
	b.answers = b.read(c.model, b.reader(c.model, c.rule))
	r := c.result()
	r.Link = linkOf(b.how)
	for i := range r.Tuning { // γ is reported once for all points
		r.Tuning[i].Gamma = nil
	}
	if c.model.OneSE != nil {
		r.L2OneSE = &c.model.OneSE.L2
	}
	r.Classes = b.classes()
	b.beside(r)
	if b.spec.Model.Given() {
		r.Coefficients, r.Given = []Coefficient{}, b.judged()
	} else {
		b.coefficients(r)
	}
	return b.finish(r, b.rows(), b.warnings(r))
}

// read applies a reader to the test outputs of every repeat and to the training outputs.
func (b *classRun) read(a *crossfit.Assessment, of func(outputs []float64) task.Answers) answers {
	v := answers{train: of(a.Train), extra: of(a.Extra)}
	for _, outputs := range b.held(a) {
		v.repeat = append(v.repeat, of(outputs))
	}
	return v
}

// reader returns the decision rule of a multiclass model, applied to its outputs.
func (b *classRun) reader(a *crossfit.Assessment, rule string) func(outputs []float64) task.Answers {
	return task.NewReader(a.Final.Potential.Model, rule, b.cost).All
}

// likely reads outputs that are probabilities already: the predicted class has the smallest expected cost.
func (b *classRun) likely(prob []float64) task.Answers {
	k := b.p.Cohort.Classes()
	a := task.Answers{Prob: prob, Class: make([]int, len(prob)/k)}
	for i := range a.Class {
		a.Class[i] = b.cost.Least(prob[i*k : (i+1)*k])
	}
	return a
}

// measure evaluates the answers to the rows at these positions.
func (b *classRun) measure(a task.Answers, at []int) stat.Classes {
	label := resample.Pick(b.p.Cohort.Label, at)
	return stat.Multiclass(a.Statistics(b.task, b.cost, b.p.Cohort.Target.Levels, label))
}

// average evaluates every repeat. Tables come from the first repeat, metrics are means over all.
func (b *classRun) average(v answers) stat.Classes {
	var all []stat.Classes
	for _, a := range v.repeat {
		all = append(all, b.measure(a, b.p.Judged()))
	}
	return stat.Average(all)
}

// classes builds the part of the result that only multiclass tasks have.
func (b *classRun) classes() *ClassResult {
	p := b.p
	c := &ClassResult{
		Task: b.spec.Task, Levels: p.Cohort.Target.Levels, Rule: b.rule, Costs: b.cost,
		Criterion: criterionOf(b.how, b.cost), Mixture: b.model.Final.Potential.Model.Options() > 0,
		Table1: p.about.table1, Features: featuresOf(b.how, b.task),
	}
	for k, level := range c.Levels {
		c.Rows = append(c.Rows, ClassRows{level, countOf(p.Cohort.Label, p.Final.Train(), k),
			countOf(p.Cohort.Label, p.Judged(), k)})
	}
	b.kernel(c)
	if about := &p.about; len(about.pca[0]) > 0 {
		at := resample.Pick(p.Judged(), about.sample)
		c.PCA = &ClassPCA{Share: about.share, X: about.pca[0], Y: about.pca[1], Class: resample.Pick(p.Cohort.Label, at),
			Predicted: resample.Pick(b.answers.repeat[0].Class, about.sample), Row: resample.Pick(p.Cohort.Rows, at)}
	}
	if p.Traced {
		c.Pictures = b.pictures()
	}
	return c
}

// rows returns every row used.
func (b *classRun) rows() []RowScore {
	k := b.p.Cohort.Classes()
	say := func(a task.Answers) func(r *RowScore, i, at int) {
		return func(r *RowScore, i, _ int) {
			r.Predicted, r.Scores = a.Class[i], slices.Clone(a.Score[i*k:(i+1)*k])
			if len(a.Prob) > 0 {
				r.Probabilities = slices.Clone(a.Prob[i*k : (i+1)*k])
			}
		}
	}
	return b.list(say(b.answers.train), say(b.answers.repeat[0]), say(b.answers.extra))
}

// beside evaluates the model and its baselines on the same folds.
func (b *classRun) beside(r *Result) {
	c, own := r.Classes, b.average(b.answers)
	c.Metrics.Test, c.Cost = own, b.meanCost(b.answers)
	c.Metrics.Train = b.measure(b.answers.train, b.p.Final.Train())
	c.Metrics.Baselines = map[string]stat.Classes{}
	c.Beside = []ClassBeside{{ID: "model", Title: r.Method, Cost: c.Cost, L2: b.model.Penalty(), Metrics: own}}
	for i, line := range b.task.Baselines() {
		a, of := b.baselines[i](), b.likely
		if a == b.model {
			c.Metrics.Baselines[line.ID] = own
			continue
		}
		if a.Final != nil {
			of = b.reader(a, task.RuleExpected)
		}
		v := b.read(a, of)
		row := ClassBeside{ID: line.ID, Title: line.Title, Cost: b.meanCost(v), L2: a.Penalty(), Metrics: b.average(v)}
		row.Difference, row.DifferenceSE = b.difference(b.answers.repeat[0], v.repeat[0])
		c.Metrics.Baselines[line.ID] = row.Metrics
		c.Beside = append(c.Beside, row)
	}
	c.Coverage = b.coverage(b.answers.repeat[0])
}

// meanCost returns the mean cost over all repeats.
func (b *classRun) meanCost(v answers) float64 {
	label := resample.Pick(b.p.Cohort.Label, b.p.Judged())
	total := 0.0
	for _, a := range v.repeat {
		total += b.cost.Mean(a.Class, label)
	}
	return total / float64(len(v.repeat))
}

// difference returns the mean cost of the other model minus that of this one over the test rows of the first
// repeat, and its paired standard error, nil with a single row.
func (b *classRun) difference(own, other task.Answers) (mean, se *float64) {
	at := b.p.Judged()
	total, squares, n := 0.0, 0.0, float64(len(at))
	for i, row := range at {
		k := b.p.Cohort.Label[row]
		d := b.cost.Of(other.Class[i], k) - b.cost.Of(own.Class[i], k)
		total += d
		squares += d * d
	}
	diff := total / n
	if n < 2 {
		return &diff, nil
	}
	err := math.Sqrt(max(squares/n-diff*diff, 0) / (n - 1))
	return &diff, &err
}

func countOf(label, at []int, k int) (n int) {
	for _, i := range at {
		if label[i] == k {
			n++
		}
	}
	return n
}

// coveragePoints is the largest number of points of a coverage curve.
const coveragePoints = 60

// coverage returns accuracy against the share of rows answered. Rows are answered in the order of their largest
// probability or, without probabilities, of the margin between their two largest scores.
func (b *classRun) coverage(a task.Answers) []stat.CoveragePoint {
	if !b.task.Abstains() {
		return nil
	}
	at, k := b.p.Judged(), b.p.Cohort.Classes()
	sure, right := make([]float64, len(at)), make([]bool, len(at))
	for i, row := range at {
		score := a.Score[i*k : (i+1)*k]
		if a.Prob != nil {
			score = a.Prob[i*k : (i+1)*k]
		}
		best, lead := leader(score)
		if sure[i] = lead; a.Prob != nil {
			sure[i] = score[best]
		}
		right[i] = best == b.p.Cohort.Label[row]
	}
	return stat.Coverage(sure, right, coveragePoints)
}

// leader returns the index of the largest entry and its margin over the second largest.
func leader(v []float64) (best int, lead float64) {
	best = loss.Argmax(v)
	lead = math.Inf(1)
	for i, x := range v {
		if i != best {
			lead = min(lead, v[best]-x)
		}
	}
	return best, lead
}

func featuresOf(how fit.Method, about task.Task) string {
	switch {
	case how.Family.Kind == loss.KindThreshold:
		return multiclass.Thresholds
	case about.Ordered():
		return cmp.Or(how.Spec.Features, multiclass.PerClass)
	}
	return ""
}

// criterionOf names the criterion that tuning minimises.
func criterionOf(how fit.Method, c task.Cost) string {
	switch {
	case how.Costs() != nil:
		return "mean cost"
	case c.Abstains():
		return "abstention loss"
	case c.Classes() > 2 && c[0][2] == 2:
		return "mean absolute error"
	}
	return "error rate"
}
