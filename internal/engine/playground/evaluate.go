package playground

import (
	"context"
	"math"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
)

// Evaluation is what a model is worth at a frame.
type Evaluation struct {
	CleanAccuracy stat.Estimate  // share of clean test points that it gets right; no answer is not right
	NoisyAccuracy stat.Estimate  // share of the training points whose given label it repeats
	Classes       stat.Classes   // on the clean test points
	Strata        []stat.Stratum // of the clean test points, for the interval surrogate
	TestSet       TestSet
	Rows          int // of the test points
	Answered      int
	Correct       []bool // of each test point; models of one sample have the same, some fewer of them
}

// Evaluate counts how a model does. Kernels are tested on fewer new rows.
func (f *Fit) Evaluate(ctx context.Context, m *fit.Model) (Evaluation, error) {
	v := Evaluation{TestSet: f.Sample.TestSet()}
	x, y, see := f.testRows(m)
	v.Rows = len(y)
	decided, band := f.answers(m, x, see)
	if err := ctx.Err(); err != nil {
		return v, err
	}
	v.CleanAccuracy, v.Correct = stat.Proportion(agreed(decided, y), len(y)), make([]bool, len(y))
	for i := range y {
		v.Correct[i] = decided[i] == y[i]
	}
	v.Classes = stat.Multiclass(stat.Answers{Levels: f.Sample.Levels, Label: y, Predicted: decided,
		Ordinal: f.Sample.Ordered, Abstain: abstains(m), Cost: .5})
	v.Answered = v.Classes.Answered
	if pi := f.Setting.Boundaries; len(pi) > 0 && m.Method.Family.Kind == loss.KindInterval {
		event := make([]bool, len(y))
		for i, c := range y {
			event[i] = c == 1
		}
		v.Strata = stat.Strata(pi, band, event)
	}
	given, _ := f.answers(m, f.x, nil)
	v.NoisyAccuracy = stat.Proportion(agreed(given, f.y), len(f.y))
	return v, ctx.Err()
}

// kernelTestRows are the new test rows of a kernel model, whose every score
// is a sum over the training points.
const kernelTestRows = 2000

// testRows are the rows that count clean accuracy, and their true classes; see
// maps them to what the model sees, nil where they are that already.
func (f *Fit) testRows(m *fit.Model) (x linear.Matrix, y []int, see Mapping) {
	s := f.Sample
	switch s.TestSet() {
	case TestFresh:
		n := s.FreshX.Rows
		if m.Potential != nil && m.Potential.Model.Kernel != nil {
			n = min(n, kernelTestRows)
		}
		return cut(s.FreshX, 0, n), s.FreshClass[:n], f.Mapper
	case TestHeldOut:
		x = linear.Matrix{Cols: s.X.Cols}
		for i, h := range s.HeldOut {
			if h {
				x.Data = append(x.Data, s.X.Row(i)...)
				x.Rows++
				y = append(y, s.Class[i])
			}
		}
		return x, y, f.Mapper
	}
	return s.X, s.Class, f.Mapper // nothing is held out
}

// answers are the decisions about rows, and the bands of a single score.
func (f *Fit) answers(m *fit.Model, x linear.Matrix, see Mapping) (decided, band []int) {
	decided, band = make([]int, x.Rows), make([]int, x.Rows)
	spans(x.Rows, func(lo, hi int) {
		scores, seen := make([]float64, m.Outputs()), make([]float64, f.Mapper.width())
		for i := lo; i < hi; i++ {
			row := x.Row(i)
			if see != nil {
				see.row(seen, row)
				row = seen
			}
			m.Scores(scores, row)
			if decided[i] = m.Decide(scores); decided[i] == loss.Abstain {
				decided[i] = stat.Abstained
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

func median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	return stat.Median(v)
}
