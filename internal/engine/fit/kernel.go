package fit

import (
	"context"
	"fmt"
	"slices"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// Limits of kernel scores of two classes. They are fitted on features that span
// the Gram matrix; losses of straight pieces that need many of those have a
// dual instead, exact up to potential.MaxExact rows. Beyond, Nyström's method
// stands in.
const (
	ExactSmooth    = 1000    // rows up to which a smooth loss is exact
	fewFeatures    = 500     // to which the primal steps of the interval solver beat its dual's
	LandmarksLarge = 500     // landmarks beyond the exact rows
	MostKernelRows = 100_000 // rows of a fit; their features take 400 MB
)

// GammaCV is the γ of a spec that cross-validation chooses.
const GammaCV = "cv"

// Tuned reports whether cross-validation chooses γ. The linear kernel has none.
func (k *Kernel) Tuned() bool {
	return k != nil && k.Name != multiclass.KernelLinear && (k.Gamma == nil || k.Gamma == GammaCV)
}

// number is γ as given, 0 where it is open or there is none.
func (k *Kernel) number() float64 {
	v, _ := k.Gamma.(float64)
	return v
}

// withDefaults is the radial kernel whose γ is tuned, of degree 3 if polynomial.
func (k *Kernel) withDefaults() *Kernel {
	d := Kernel{}
	if k != nil {
		d = *k
	}
	d.Name = or(d.Name, multiclass.KernelRBF)
	if n, ok := d.Gamma.(int); ok {
		d.Gamma = float64(n)
	}
	if d.Gamma == nil && d.Name != multiclass.KernelLinear {
		d.Gamma = GammaCV
	}
	if d.Name == multiclass.KernelPoly {
		d.Degree = or(d.Degree, 3)
	}
	return &d
}

// Title names the kernel: "RBF kernel".
func (k *Kernel) Title() string {
	switch {
	case k == nil || k.Name == multiclass.KernelRBF:
		return "RBF kernel"
	case k.Name == multiclass.KernelPoly:
		return fmt.Sprintf("polynomial kernel of degree %d", or(k.Degree, 3))
	}
	return "linear kernel"
}

// Kernelled reports whether the score is a sum of kernel functions.
func (m Spec) Kernelled() bool { return m.Kind == "kernel" }

// GammaTuned reports whether cross-validation chooses the kernel's γ.
func (m Spec) GammaTuned() bool { return m.Kernelled() && m.Kernel.Tuned() }

// KernelLosses lists the two-class losses that a kernel score can have: all but those
// whose prior belongs to single columns and changes with the axes.
func KernelLosses() []string {
	return slices.DeleteFunc(MarginLosses(), func(id string) bool {
		f, _ := loss.FamilyByID(id)
		return f.Prior
	})
}

// ExactRows is the number of rows up to which a kernel score of a loss is fitted exactly.
func ExactRows(f loss.Family) int {
	if f.Polyhedral {
		return multiclass.MaxExact
	}
	return ExactSmooth
}

// Solvers lists what a spec may name as the solver of its loss, the program's own choice
// first.
func (m Spec) Solvers() []string {
	f := m.Family()
	all := []string{"auto"}
	switch {
	case m.Kernelled() && f.Margin != nil && f.Polyhedral:
		return append(all, "smo", multiclass.SolverPegasos)
	case m.Kernelled() && f.Margin != nil:
		return append(all, linear.SolverDirect)
	case f.Polyhedral:
		all = append(all, linear.SolverNewton)
	case f.Margin != nil || f.Descended():
		all = append(all, linear.SolverDirect)
	}
	if f.PaperSolver != "" {
		all = append(all, f.PaperSolver)
	}
	return all
}

// kernelled is a learner of kernel scores, whose γ may be open.
type kernelled struct {
	flat   learner // of linear scores
	kernel multiclass.Kernel
	open   bool
	how    Method
	values loss.Values
	seed   uint64
}

// kernelled returns the learner of a kernel score.
func (m Method) kernelled(iv loss.Interval, seed uint64) kernelled {
	k := m.Spec.Kernel.withDefaults()
	flat := m
	flat.Spec.Kind, flat.Spec.Solver = "linear", ""
	l := kernelled{flat: flat.learner(iv, seed), how: m, values: m.Values, seed: seed, open: k.Tuned(),
		kernel: multiclass.Kernel{Name: k.Name, Gamma: k.number(), Degree: k.Degree}}
	if m.Family.Kind == loss.KindInterval {
		l.values = loss.Values{"pi": {List: iv.Pi}}
	}
	return l
}

// at is the learner with a γ.
func (l kernelled) at(gamma float64) learner {
	l.kernel.Gamma, l.open = gamma, false
	return l
}

// path fits every λ: as a linear score of features that span the kernel, which
// all λ share, or by the dual.
func (l kernelled) path(ctx context.Context, d signed, l2s []float64, o Options) ([]*Fitted, error) {
	if l.open {
		panic("fit: γ is open")
	}
	n := d.X.Rows
	if n > MostKernelRows {
		return nil, usererr.BadField("model.kind",
			"kernel takes up to 100\u202f000 training rows, and here are %d: take a linear or boosted model, or fewer rows", n)
	}
	f, err := l.span(d.X)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return l.duals(ctx, d, l2s, o)
	}
	return l.features(ctx, f, d, l2s, o)
}

// span returns the features of the fit, nil for one by the dual.
func (l kernelled) span(x linear.Matrix) (*multiclass.Features, error) {
	flat, most := l.how.Family.Polyhedral, 0
	switch n := x.Rows; {
	case flat && l.how.solver() != "":
		return nil, nil
	case flat && n <= multiclass.MaxExact:
		return multiclass.ExactFeatures(l.kernel, x, fewFeatures)
	case flat || n > ExactSmooth:
		most = LandmarksLarge
	}
	return multiclass.NewFeatures(l.kernel, x, most, l.seed)
}

// features fits linear scores of the kernel's features.
func (l kernelled) features(ctx context.Context, f *multiclass.Features, d signed, l2s []float64,
	o Options) ([]*Fitted, error) {
	z := signed{X: f.Of(ctx, d.X), Y: d.Y, W: d.W}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	fits, err := l.flat.path(ctx, z, l2s, o)
	if err != nil {
		return nil, err
	}
	rows := f.Landmarks()
	squares := multiclass.Squares(rows)
	for _, fit := range fits {
		e := &Expansion{Kernel: f.Kernel(), Rows: rows, Coefficients: f.Expand(fit.W), B: fit.B, squares: squares}
		if !f.Exact() {
			e.Landmarks = rows.Rows
		}
		fit.Kernel, fit.W = e, nil
	}
	return fits, nil
}

// looseGap ends the fits that only serve to choose λ and γ.
const looseGap = 1e-4

// duals fits a loss of straight pieces by its dual. PEGASOS has no intercept:
// its steps need a penalty on every parameter (docs/math.md, section 7.7).
func (l kernelled) duals(ctx context.Context, d signed, l2s []float64, o Options) ([]*Fitted, error) {
	y := make([]int, len(d.Y))
	for i, s := range d.Y {
		y[i] = max(0, int(s))
	}
	how := multiclass.Options{Seed: l.seed, Gap: o.Gap, Trace: o.Trace}
	s := multiclass.Spec{Family: l.how.Family, Params: l.values, Classes: 2, Kernel: &l.kernel}
	if l.how.Spec.Solver == multiclass.SolverPegasos {
		how.Solver, s.Bare = multiclass.SolverPegasos, true
	}
	if len(l2s) > 1 {
		how.Gap = looseGap
	}
	fits := make([]*Fitted, len(l2s))
	for i, l2 := range l2s {
		s.L2 = l2
		how.Report = func(p linear.Progress) { o.step((float64(i) + min(p.Fraction, 1)) / float64(len(l2s))) }
		fit, err := multiclass.Fit(ctx, d.X, y, d.W, s, how)
		if err != nil {
			return nil, err
		}
		fits[i] = expanded(fit)
	}
	return fits, nil
}

// expanded is a fit of the dual in the form of all two-class fits.
func expanded(fit *multiclass.Fitted) *Fitted {
	m := fit.Model
	e := &Expansion{Kernel: *m.Kernel, B: m.Offsets[0], Landmarks: fit.Landmarks}
	top := 0.0
	for _, c := range m.Coefficients {
		top = max(top, abs(c[0]))
	}
	e.Rows.Cols = len(m.Rows[0])
	for i, c := range m.Coefficients {
		if abs(c[0]) > without*top || i == 0 && top == 0 {
			e.Rows.Data = append(e.Rows.Data, m.Rows[i]...)
			e.Coefficients = append(e.Coefficients, c[0])
			e.Rows.Rows++
		}
	}
	e.squares = multiclass.Squares(e.Rows)
	return &Fitted{Kernel: e, Linear: &linear.Linear{B: e.B, Objective: fit.Objective, Gap: fit.Gap,
		GradientNorm: fit.GradientNorm,
		Iterations:   fit.Iterations, Evaluations: fit.Evaluations, Stopped: fit.Stopped, Warnings: fit.Warnings}}
}

// without is the share of the largest coefficient that is rounding: a row with
// less holds nothing up.
const without = 1e-10

func abs(v float64) float64 { return max(v, -v) }
