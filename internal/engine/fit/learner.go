package fit

import (
	"context"
	"math"
	"slices"

	"taper/internal/engine/fit/boost"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
)

// Data is what a two-class fit learns from.
type Data struct {
	X linear.Matrix
	Y []float64 // ±1
	W []float64 // weights; nil = 1
}

// Learner fits one kind of model and says how badly held-out scores do.
type Learner interface {
	// Path fits every λ, which descend; step hears how far it got, 0 … 1.
	Path(ctx context.Context, d Data, l2s []float64, step func(fraction float64)) ([]*Fitted, error)
	// Criterion is the mean loss by which λ is chosen.
	Criterion(f, y []float64) float64
}

// Fitted is one fit with its certificate: a linear score, or that of trees or of
// a kernel.
type Fitted struct {
	*linear.Linear // of trees and kernels: the certificate alone
	Trees          *boost.Model
	Kernel         *Expansion
	Starts         []linear.StartReport
}

// Score returns the score of a row of the design.
func (m *Fitted) Score(x []float64) float64 {
	switch {
	case m.Trees != nil:
		return m.Trees.Score(x)
	case m.Kernel != nil:
		return m.Kernel.Score(x)
	}
	return m.Linear.Score(x)
}

// Flat reports whether the fit uses no predictor: it gives every row the same
// score.
func (m *Fitted) Flat() bool {
	counts := func(v float64) bool { return v != 0 }
	switch {
	case m.Trees != nil:
		return !slices.ContainsFunc(m.Trees.Trees, func(t boost.Tree) bool { return len(t.Nodes) > 1 })
	case m.Kernel != nil:
		return !slices.ContainsFunc(m.Kernel.Coefficients, counts)
	}
	return !slices.ContainsFunc(m.W, counts)
}

// linears turns the fits of a linear solver into models.
func linears(fits []*linear.Linear, err error) ([]*Fitted, error) {
	if err != nil {
		return nil, err
	}
	all := make([]*Fitted, len(fits))
	for i, fit := range fits {
		all[i] = &Fitted{Linear: fit}
	}
	return all, nil
}

// interval is the piecewise-linear model of paper 004, tuned on the
// theoretical loss ℓ_π with the canonical cut-offs (math.md §6).
type interval struct {
	iv     loss.Interval
	solver string
	theory [2][]float64 // ℓ_π of class 0, 1 in each band
	trace  func(linear.Step)
}

var _ Learner = interval{}

// NewInterval returns the learner of boundaries; solver "" or "auto" is its own
// choice.
func NewInterval(iv loss.Interval, solver string) Learner {
	if solver == "auto" {
		solver = ""
	}
	return interval{iv: iv, solver: solver, theory: Theory(iv)}
}

// Theory lists the theoretical loss ℓ_π of class 0 and 1 in each band.
func Theory(iv loss.Interval) (lost [2][]float64) {
	for k, s := range [2]float64{-1, 1} {
		lost[k] = make([]float64, len(iv.Pi)+1)
		for j := range lost[k] {
			lost[k][j] = iv.Theory(s, j)
		}
	}
	return lost
}

func (l interval) Path(ctx context.Context, d Data, l2s []float64, step func(float64)) ([]*Fitted, error) {
	report := func(p linear.Progress) { step(p.Fraction) }
	return linears(linear.IntervalPath(ctx, d.X, d.Y, d.W, l.iv, l2s,
		linear.IntervalOptions{Solver: l.solver, Trace: l.trace, Report: report}))
}

func (l interval) Criterion(f, y []float64) float64 {
	sum := 0.0
	for i, v := range f {
		sum += l.theory[max(0, int(y[i]))][l.iv.Band(v)]
	}
	return sum / float64(len(f))
}

// Logistic is plain logistic regression, tuned on log-loss.
type Logistic struct{ trace func(linear.Step) }

var _ Learner = Logistic{}

func (l Logistic) Path(ctx context.Context, d Data, l2s []float64, step func(float64)) ([]*Fitted, error) {
	report := func(p linear.Progress) { step(p.Fraction) }
	return linears(linear.LogisticPath(ctx, d.X, d.Y, d.W, l2s, linear.LogisticOptions{Trace: l.trace, Report: report}))
}

func (Logistic) Criterion(f, y []float64) float64 {
	sum := 0.0
	for i, v := range f {
		sum += Softplus(-y[i] * v)
	}
	return sum / float64(len(f))
}

// Softplus is log(1 + eᶻ) without overflow (math.md §0).
func Softplus(z float64) float64 { return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) }

// Sigmoid is 1/(1 + e⁻ᶻ).
func Sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// Logit is log(p/(1−p)).
func Logit(p float64) float64 { return math.Log(p) - math.Log1p(-p) }
