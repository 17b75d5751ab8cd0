package task

import (
	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
)

// Answers are the predictions for rows.
type Answers struct {
	Score []float64 // rows×classes
	Prob  []float64 // rows×classes; nil if the loss has none
	Class []int     // the predicted class, stat.Abstained for abstention
}

// Rules of model.json by which scores give the predicted class.
const (
	RuleExpected   = "least-expected-cost" // from the probabilities and the cost matrix
	RuleLargest    = "largest-score"
	RuleThresholds = "thresholds-passed" // number of thresholds below the score
	RuleLead       = "largest-score-if-it-leads-by-half"
	RulePositive   = "largest-score-if-positive"
	RuleMixture    = "largest-share-of-the-mixture"
)

// Reader converts the outputs of one model to answers. It is not safe for concurrent use.
type Reader struct {
	model Decider
	rule  string
	cost  Cost
	raw   []float64 // outputs of one row
}

// Decider is the part of a model with potentials that a Reader needs.
type Decider interface {
	Outputs() int
	Potentials(dst, x []float64)
	PerClass(dst, f []float64)
	Decide(f []float64) int
	DecideOrAbstain(f []float64) int
	Probabilities(dst, f []float64) bool
}

// NewReader returns a reader that decides by the given rule.
func NewReader(m Decider, rule string, c Cost) *Reader {
	return &Reader{model: m, rule: rule, cost: c, raw: make([]float64, m.Outputs())}
}

// Row fills the scores and probabilities of one design row and returns the predicted class and
// the model's outputs, which the next call overwrites. probable is false if the loss has no
// probabilities.
func (r *Reader) Row(score, prob, x []float64) (call int, raw []float64, probable bool) {
	r.model.Potentials(r.raw, x)
	call, probable = r.Outputs(score, prob, r.raw)
	return call, r.raw, probable
}

// Outputs is Row for given outputs of the model.
func (r *Reader) Outputs(score, prob, raw []float64) (call int, probable bool) {
	probable = r.model.Probabilities(prob, raw)
	r.model.PerClass(score, raw)
	switch r.rule {
	case RuleExpected:
		return r.cost.Least(prob), probable
	case RuleLargest:
		return loss.Argmax(score), probable
	case RuleLead, RulePositive:
		call = r.model.DecideOrAbstain(raw)
	default:
		call = r.model.Decide(raw)
	}
	if call == loss.Abstain {
		return stat.Abstained, probable
	}
	return r.cost.called(call), probable
}

// All reads the outputs of several rows, rows × outputs.
func (r *Reader) All(raw []float64) Answers {
	k, out := r.cost.Classes(), r.model.Outputs()
	n := len(raw) / out
	a := Answers{Score: make([]float64, n*k), Prob: make([]float64, n*k), Class: make([]int, n)}
	probable := true
	for i := range n {
		a.Class[i], probable = r.Outputs(a.Score[i*k:(i+1)*k], a.Prob[i*k:(i+1)*k], raw[i*out:(i+1)*out])
	}
	if !probable {
		a.Prob = nil
	}
	return a
}

// Statistics converts answers and true classes to the input of statistics.
func (a Answers) Statistics(t Task, c Cost, levels []string, label []int) stat.Answers {
	return stat.Answers{
		Levels: levels, Label: label, Predicted: a.Class, Probability: a.Prob,
		Ordinal: t.Ordered(), Abstain: t.Abstains(), Cost: c.Abstention(),
	}
}
