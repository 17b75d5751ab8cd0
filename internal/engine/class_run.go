package engine

import (
	"math"
	"slices"

	"taper/internal/engine/resample"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

// ofClasses makes the result.
func (c *comparison) ofClasses() *Result {
	b := &classRun{comparison: c}
	b.null = b.read(c.p.constant(c.p.shares), b.likely)
	b.model = b.read(c.model, b.reader(c.model, c.rule))
	if b.plain = b.model; !c.spec.Plain() {
		b.plain = b.read(c.plain, b.reader(c.plain, task.RuleExpected))
	}
	return b.result()
}

// result puts together what the fits found.
func (b *classRun) result() *Result {
	r := b.comparison.result()
	r.Link = linkOf(b.how)
	for i := range r.Tuning { // γ is told once for all
		r.Tuning[i].Gamma = nil
	}
	if b.model.oneSE != nil {
		r.L2OneSE = &b.model.oneSE.L2
	}
	r.Classes = b.classes()
	r.Coefficients, r.Classes.Thresholds = b.coefficients()
	return b.finish(r, b.rows(), b.warnings(r))
}

// classes is the part of the result that two classes do not have.
func (b *classRun) classes() *ClassResult {
	p := b.p
	c := &ClassResult{
		Task: b.spec.Task, Levels: p.cohort.Target.Levels, Rule: b.rule, Costs: b.cost,
		Criterion: criterionOf(b.how, b.cost), Mixture: b.model.final.Potential.Model.Options() > 0,
		Table1: p.about.table1, Features: featuresOf(b.how, b.task),
	}
	for k, level := range c.Levels {
		c.Rows = append(c.Rows, ClassRows{level, countOf(p.cohort.Label, p.final.Train(), k),
			countOf(p.cohort.Label, p.judged(), k)})
	}
	b.beside(c)
	b.kernel(c)
	if about := &p.about; len(about.pca[0]) > 0 {
		at := resample.Pick(p.judged(), about.sample)
		c.PCA = &ClassPCA{Share: about.share, X: about.pca[0], Y: about.pca[1], Class: resample.Pick(p.cohort.Label, at),
			Predicted: resample.Pick(b.model.repeat[0].Class, about.sample), Row: resample.Pick(p.cohort.Rows, at)}
	}
	if p.traced {
		c.Pictures = b.pictures()
	}
	return c
}

// rows lists every row used.
func (b *classRun) rows() []RowScore {
	k := b.p.cohort.Classes()
	say := func(a task.Answers) func(r *RowScore, i, at int) {
		return func(r *RowScore, i, _ int) {
			r.Predicted, r.Scores = a.Class[i], slices.Clone(a.Score[i*k:(i+1)*k])
			if len(a.Prob) > 0 {
				r.Probabilities = slices.Clone(a.Prob[i*k : (i+1)*k])
			}
		}
	}
	return b.list(say(b.model.train), say(b.model.repeat[0]), say(b.model.extra))
}

// beside judges the model, softmax regression and no predictors on the same
// folds.
func (b *classRun) beside(c *ClassResult) {
	own := b.average(b.model)
	c.Metrics.Test, c.Cost = own, b.meanCost(b.model)
	c.Metrics.Train = b.measure(b.model.train, b.p.final.Train())
	c.Metrics.Baselines = map[string]stat.Classes{}
	c.Beside = []ClassBeside{{ID: "model", Title: runspec.TitleOfClasses(b.how, &b.spec), Cost: c.Cost, L2: &b.model.setting.L2,
		Metrics: own}}
	for _, other := range []struct {
		id, title string
		v         readings
		l2        *float64
	}{{"logistic", "Softmax regression", b.plain, &b.plain.setting.L2}, {"null", "No predictors", b.null, nil}} {
		m := b.average(other.v)
		c.Metrics.Baselines[other.id] = m
		if other.v.assessment == b.model.assessment {
			continue
		}
		row := ClassBeside{ID: other.id, Title: other.title, Cost: b.meanCost(other.v), L2: other.l2, Metrics: m}
		row.Difference, row.DifferenceSE = b.difference(b.model.repeat[0], other.v.repeat[0])
		c.Beside = append(c.Beside, row)
	}
	c.Coverage = b.coverage(b.model.repeat[0])
}

// meanCost is the mean cost over the repeats.
func (b *classRun) meanCost(v readings) float64 {
	label := resample.Pick(b.p.cohort.Label, b.p.judged())
	total := 0.0
	for _, a := range v.repeat {
		total += b.cost.Mean(a.Class, label)
	}
	return total / float64(len(v.repeat))
}

// difference is the other's price minus the model's over the rows of the first
// repeat, and the standard error of that mean.
func (b *classRun) difference(own, other task.Answers) (mean, se *float64) {
	at := b.p.judged()
	total, squares, n := 0.0, 0.0, float64(len(at))
	for i, row := range at {
		k := b.p.cohort.Label[row]
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

// coveragePoints bounds the points of the curve.
const coveragePoints = 60

// coverage is the accuracy of the best class against the share of rows
// answered, the surest first: by the largest probability, else by the lead of
// the largest score.
func (b *classRun) coverage(a task.Answers) []stat.Covered {
	if !b.task.Abstains() {
		return nil
	}
	at, k := b.p.judged(), b.p.cohort.Classes()
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
		right[i] = best == b.p.cohort.Label[row]
	}
	return stat.Coverage(sure, right, coveragePoints)
}

// leader is the largest entry and how far it leads the next.
func leader(v []float64) (best int, lead float64) {
	best = task.Largest(v)
	lead = math.Inf(1)
	for i, x := range v {
		if i != best {
			lead = min(lead, v[best]-x)
		}
	}
	return best, lead
}
