package playground

import (
	"context"
	"math"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
)

// Evaluation is the performance of a model at a frame.
type Evaluation struct {
	CleanAccuracy stat.Estimate  // on clean test points; abstaining counts as wrong
	NoisyAccuracy stat.Estimate  // agreement with the given labels of the training points
	Classes       stat.Classes   // on the clean test points
	Strata        []stat.Stratum // of the clean test points, for the interval surrogate
	TestSet       TestSet
	Rows          int // number of test points
	Answered      int
	Correct       []bool // per test point; models of one sample share the test points, kernels use the first of them
}

// Evaluate computes the performance of a model. Kernels are tested on fewer fresh rows.
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

// kernelTestRows is the number of fresh test rows for a kernel model, each of whose scores is a
// sum over the training points.
const kernelTestRows = 2000

// testRows returns the rows for clean accuracy and their true classes; see maps rows to
// features, nil if they are features already.
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
	return s.X, s.Class, f.Mapper // nothing is held out: test on the training points
}

// answers are the predicted classes of rows and, for a single score, their bands.
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
