package engine

import (
	"context"
	"math"

	"taper/internal/engine/boost"
	"taper/internal/engine/loss"
	"taper/internal/engine/train"
)

// learner fits one kind of model and says how badly held-out scores do.
type learner interface {
	// path fits every λ, which descend; step hears how far it got, 0 … 1.
	path(ctx context.Context, d *design, l2s []float64, step func(fraction float64)) ([]*fitted, error)
	// criterion is the mean loss by which λ is chosen.
	criterion(f, y []float64) float64
}

// fitted is one fit with its certificate: a linear score, or that of trees.
type fitted struct {
	*train.Linear // of trees: the certificate alone
	trees         *boost.Model
	starts        []train.StartReport
}

// Score returns the score of a row of the design.
func (m *fitted) Score(x []float64) float64 {
	if m.trees != nil {
		return m.trees.Score(x)
	}
	return m.Linear.Score(x)
}

// linears turns the fits of a linear solver into models.
func linears(fits []*train.Linear, err error) ([]*fitted, error) {
	if err != nil {
		return nil, err
	}
	all := make([]*fitted, len(fits))
	for i, fit := range fits {
		all[i] = &fitted{Linear: fit}
	}
	return all, nil
}

// interval is the piecewise-linear model of paper 004, tuned on the
// theoretical loss ℓ_π with the canonical cut-offs (math.md §6).
type interval struct {
	iv     loss.Interval
	solver string
	theory [2][]float64 // ℓ_π of class 0, 1 in each band
}

var _ learner = interval{}

func newInterval(iv loss.Interval, solver string) interval {
	l := interval{iv: iv, solver: solver}
	if solver == "auto" {
		l.solver = ""
	}
	for k, s := range [2]float64{-1, 1} {
		l.theory[k] = make([]float64, len(iv.Pi)+1)
		for j := range l.theory[k] {
			l.theory[k][j] = iv.Theory(s, j)
		}
	}
	return l
}

func (l interval) path(ctx context.Context, d *design, l2s []float64, step func(float64)) ([]*fitted, error) {
	report := func(p Progress) { step(p.Fraction) }
	return linears(train.IntervalPath(ctx, d.x, d.y, d.w, l.iv, l2s, train.IntervalOptions{Solver: l.solver, Report: report}))
}

func (l interval) criterion(f, y []float64) float64 {
	sum := 0.0
	for i, v := range f {
		sum += l.theory[class(y[i])][l.iv.Band(v)]
	}
	return sum / float64(len(f))
}

// logistic is plain logistic regression, tuned on log-loss.
type logistic struct{}

var _ learner = logistic{}

func (logistic) path(ctx context.Context, d *design, l2s []float64, step func(float64)) ([]*fitted, error) {
	report := func(p Progress) { step(p.Fraction) }
	return linears(train.LogisticPath(ctx, d.x, d.y, d.w, l2s, train.LogisticOptions{Report: report}))
}

func (logistic) criterion(f, y []float64) float64 {
	sum := 0.0
	for i, v := range f {
		sum += softplus(-y[i] * v)
	}
	return sum / float64(len(f))
}

// softplus is log(1 + eᶻ) without overflow (math.md §0).
func softplus(z float64) float64 { return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) }

// sigmoid is 1/(1 + e⁻ᶻ).
func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

func logit(p float64) float64 { return math.Log(p) - math.Log1p(-p) }
