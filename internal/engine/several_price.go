package engine

import (
	"math"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
)

// prices is what each answer costs where a class is true: the task in one
// table. Rows are answers: the classes, then abstaining if that is one. The
// mean price of held-out rows is the error rate of task multiclass, the mean
// absolute error of task ordinal, the abstention loss of task abstain, and the
// mean cost of an own matrix.
type prices [][]float64

// abstaining is the price of no answer beside a loss that does not set it.
const abstaining = 0.5

// pricesOf returns those of a task for k classes.
func pricesOf(task string, how fit.Method, k int) prices {
	if how.Family.ID == "al-cost" {
		return how.Values.Matrix("matrix")
	}
	all := make(prices, k)
	for a := range all {
		all[a] = make([]float64, k)
		for c := range k {
			switch {
			case task == "ordinal":
				all[a][c] = math.Abs(float64(a - c))
			case a != c:
				all[a][c] = 1
			}
		}
	}
	if task == "abstain" {
		cost := abstaining
		if how.Family.ID == "al-abstain" {
			cost = how.Values.Number("alpha")
		}
		all = append(all, repeated(cost, k))
	}
	return all
}

// classes is the number of classes.
func (t prices) classes() int { return len(t[0]) }

// abstains reports whether no answer is one.
func (t prices) abstains() bool { return len(t) > t.classes() }

// abstention is the mean price of no answer.
func (t prices) abstention() float64 {
	if !t.abstains() {
		return 0
	}
	return sum(t[t.classes()]) / float64(t.classes())
}

// of is the price of an answer.
func (t prices) of(answer, class int) float64 {
	if answer == stat.Abstained {
		answer = t.classes()
	}
	return t[answer][class]
}

// mean is the mean price of answers.
func (t prices) mean(answers, classes []int) float64 {
	total := 0.0
	for i, a := range answers {
		total += t.of(a, classes[i])
	}
	return total / float64(len(answers))
}

// best is the answer of the least expected price under probabilities, the
// first of equals: the likeliest class, the median of ordered ones, or none
// (Chow 1970).
func (t prices) best(p []float64) int {
	answer, least := 0, math.Inf(1)
	for a, row := range t {
		expected := 0.0
		for c, price := range row {
			expected += price * p[c]
		}
		if expected < least-1e-12 {
			answer, least = a, expected
		}
	}
	return t.named(answer)
}

// named turns a row of the table into an answer.
func (t prices) named(row int) int {
	if row >= t.classes() {
		return stat.Abstained
	}
	return row
}

// answers are what a model says of rows.
type answers struct {
	score []float64 // rows×classes
	prob  []float64 // rows×classes; nil without
	class []int
}

// Rules of model.json: how the answer follows from the scores.
const (
	RuleExpected   = "least-expected-cost" // by the probabilities and the costs
	RuleLargest    = "largest-score"
	RuleThresholds = "thresholds-passed" // number of thresholds below the score
	RuleLead       = "largest-score-if-it-leads-by-half"
	RulePositive   = "largest-score-if-positive"
	RuleMixture    = "largest-share-of-the-mixture"
)

// reader reads the scores of one model.
type reader struct {
	prices prices
	model  scored
	rule   string
	raw    []float64 // outputs of one row
}

// scored is what a reader needs of a model of potentials.
type scored interface {
	Outputs() int
	Potentials(dst, x []float64)
	Decide(f []float64) int
	DecideOrAbstain(f []float64) int
	Probabilities(dst, f []float64) bool
}

// ruleOf is the rule of a loss in a task.
func ruleOf(f loss.Family, task string) string {
	switch id := f.ID; {
	case f.Link != nil: // probabilities: the least expected price
		return RuleExpected
	case f.Kind == loss.KindThreshold:
		return RuleThresholds
	case id == "al-cost":
		return RuleMixture
	case task == "abstain" && id == "ova":
		return RulePositive
	case task == "abstain":
		return RuleLead
	}
	return RuleLargest
}

// newReader is not safe for concurrent use; make one a goroutine.
func newReader(m scored, rule string, t prices) *reader {
	return &reader{prices: t, model: m, rule: rule, raw: make([]float64, m.Outputs())}
}

// read fills the scores and probabilities of one row and returns the answer;
// false where the loss has no probabilities.
func (r *reader) read(score, prob, x []float64) (answer int, probable bool) {
	r.model.Potentials(r.raw, x)
	probable = r.model.Probabilities(prob, r.raw)
	r.perClass(score)
	switch r.rule {
	case RuleExpected:
		return r.prices.best(prob), probable
	case RuleLargest:
		return largest(score), probable
	case RuleLead, RulePositive:
		answer = r.model.DecideOrAbstain(r.raw)
	default:
		answer = r.model.Decide(r.raw)
	}
	if answer == loss.Abstain {
		return stat.Abstained, probable
	}
	return r.prices.named(answer), probable
}

// perClass turns distances above thresholds into a score a class, f_c = Σ_{l<c}
// (s − η_l), the potentials of math.md §7.6 less those of the first class.
func (r *reader) perClass(score []float64) {
	if r.rule != RuleThresholds {
		copy(score, r.raw)
		return
	}
	score[0] = 0
	for c, above := range r.raw {
		score[c+1] = score[c] + above
	}
}

// largest is the position of the largest entry, the first of equals.
func largest(v []float64) int {
	best := 0
	for i, x := range v {
		if x > v[best] {
			best = i
		}
	}
	return best
}

// all reads every row of a matrix.
func (r *reader) all(x linear.Matrix) answers {
	k := r.prices.classes()
	a := answers{score: make([]float64, x.Rows*k), prob: make([]float64, x.Rows*k), class: make([]int, x.Rows)}
	probable := true
	for i := range x.Rows {
		a.class[i], probable = r.read(a.score[i*k:(i+1)*k], a.prob[i*k:(i+1)*k], x.Row(i))
	}
	if !probable {
		a.prob = nil
	}
	return a
}

// put copies row i of b to row at.
func (a *answers) put(at int, b answers, i, k int) {
	a.class[at] = b.class[i]
	copy(a.score[at*k:(at+1)*k], b.score[i*k:(i+1)*k])
	if b.prob == nil {
		a.prob = nil
	} else {
		copy(a.prob[at*k:(at+1)*k], b.prob[i*k:(i+1)*k])
	}
}

// pick gathers rows.
func (a answers) pick(at []int, k int) answers {
	b := answers{score: make([]float64, len(at)*k), class: make([]int, len(at))}
	if a.prob != nil {
		b.prob = make([]float64, len(at)*k)
	}
	for i, from := range at {
		b.put(i, answers{a.score, a.prob, a.class}, from, k)
	}
	return b
}
