package arena

import (
	"context"
	"math"

	"taper/internal/engine/loss"
	"taper/internal/engine/method"
	"taper/internal/engine/metric"
	"taper/internal/engine/train"
)

// Verdict is what a model is worth at a frame.
type Verdict struct {
	Clean     metric.Estimate  // share of clean judges that it gets right; no answer is not right
	Noisy     metric.Estimate  // share of the training points whose given label it repeats
	Classes   metric.Classes   // on the clean judges
	Strata    []metric.Stratum // of the clean judges, for the interval surrogate
	Judges    Clean
	Rows      int // of the judges
	Answered  int
	Objective float64
}

// Judge counts how a model does. Kernels are judged by fewer fresh rows.
func (f *Fit) Judge(ctx context.Context, m *method.Model) (Verdict, error) {
	v := Verdict{Judges: f.Sample.Judges(), Objective: objective(m)}
	x, y := f.judges(m)
	v.Rows = len(y)
	decided, band := f.answers(m, x)
	if err := ctx.Err(); err != nil {
		return v, err
	}
	v.Clean = metric.Proportion(agreed(decided, y), len(y))
	v.Classes = metric.Multiclass(metric.Answers{Levels: f.Sample.Levels, Label: y, Predicted: decided, Ordinal: f.Sample.Ordered, Abstain: abstains(m), Cost: .5})
	v.Answered = v.Classes.Answered
	if pi := f.Setting.Boundaries; len(pi) > 0 && m.Method.Family.ID == "interval" {
		event := make([]bool, len(y))
		for i, c := range y {
			event[i] = c == 1
		}
		v.Strata = metric.Strata(pi, band, event)
	}
	given, _ := f.answers(m, f.x)
	v.Noisy = metric.Proportion(agreed(given, f.y), len(f.y))
	return v, ctx.Err()
}

// kernelJudges are the fresh rows that judge a kernel model, whose every score
// is a sum over the training points.
const kernelJudges = 2000

// judges are the rows that count clean accuracy, and their true classes.
func (f *Fit) judges(m *method.Model) (train.Matrix, []int) {
	s := f.Sample
	switch s.Judges() {
	case CleanFresh:
		n := s.FreshX.Rows
		if m.Potential != nil && m.Potential.Model.Kernel != nil {
			n = min(n, kernelJudges)
		}
		return f.seen(cut(s.FreshX, 0, n), nil), s.FreshClass[:n]
	case CleanHeld:
		var at []int
		for i, h := range s.Held {
			if h {
				at = append(at, i)
			}
		}
		return f.seen(s.X, at), pick(s.Class, at)
	}
	return f.x, pick(s.Class, f.rows)
}

func (f *Fit) seen(x train.Matrix, at []int) train.Matrix { return f.Mapper.rows(x, at) }

// answers are the decisions about rows, and the bands of a single score.
func (f *Fit) answers(m *method.Model, x train.Matrix) (decided, band []int) {
	decided, band = make([]int, x.Rows), make([]int, x.Rows)
	parallel(x.Rows, func(lo, hi int) {
		scores := make([]float64, m.Outputs())
		for i := lo; i < hi; i++ {
			m.Scores(scores, x.Row(i))
			if decided[i] = m.Decide(scores); decided[i] == loss.Abstain {
				decided[i] = metric.Abstained
			}
			if m.Single() {
				band[i] = m.Band(scores[0])
			}
		}
	})
	return decided, band
}

func agreed(a, b []int) int {
	n := 0
	for i := range a {
		if a[i] == b[i] {
			n++
		}
	}
	return n
}

func objective(m *method.Model) float64 {
	switch {
	case m.Potential != nil:
		return m.Potential.Objective
	case m.Fitted.Trees != nil:
		return m.Fitted.Trees.Objective
	}
	return m.Fitted.Objective
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	return metric.Median(v)
}
