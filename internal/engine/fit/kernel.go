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

// Limits of kernel scores of two classes. Fits use features that span the Gram matrix.
// Piecewise-linear losses that need many such features are solved in the dual instead, exactly
// up to multiclass.MaxExact rows. Above these limits the Gram matrix is approximated by
// Nyström's method.
const (
	ExactSmooth    = 1000    // rows up to which a smooth loss is exact
	fewFeatures    = 500     // up to this number the primal interval solver is faster than the dual
	LandmarksLarge = 500     // Nyström landmarks, where the fit is not exact
	MostKernelRows = 100_000 // rows of a fit; the features of so many take 400 MB
)

// GammaCV is the value of γ in a spec that leaves the choice to cross-validation.
const GammaCV = "cv"

// Tuned reports whether cross-validation chooses γ. The linear kernel has none.
func (k *Kernel) Tuned() bool {
	return k != nil && k.Name != multiclass.KernelLinear && (k.Gamma == nil || k.Gamma == GammaCV)
}

// number is γ, or 0 where cross-validation chooses it or the kernel has none.
func (k *Kernel) number() float64 {
	v, _ := k.Gamma.(float64)
	return v
}

// withDefaults fills in an RBF kernel with γ by cross-validation, and degree 3 for a
// polynomial.
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

// Title is the kernel's name for readers, such as "RBF kernel".
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

// KernelLosses lists the two-class losses that can have a kernel score. Losses whose prior is
// on single columns are excluded: a rotation of the features would change it.
func KernelLosses() []string {
	return slices.DeleteFunc(MarginLosses(), func(id string) bool {
		f, _ := loss.FamilyByID(id)
		return f.Prior
	})
}

// ExactRows is the largest number of rows for which the loss is fitted with the full Gram
// matrix.
func ExactRows(f loss.Family) int {
	if f.Polyhedral {
		return multiclass.MaxExact
	}
	return ExactSmooth
}

// Solvers lists the solvers that a spec may name, the default first.
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

// kernelled fits kernel scores. γ may be left open until At.
type kernelled struct {
	flat   learner // fits linear scores of the kernel's features
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

// at returns the learner with γ set.
func (l kernelled) at(gamma float64) learner {
	l.kernel.Gamma, l.open = gamma, false
	return l
}

// path fits every λ: as a linear score of features that span the kernel and that all λ share,
// or in the dual.
func (l kernelled) path(ctx context.Context, d signed, l2s []float64, o Options) ([]*Fitted, error) {
	if l.open {
		panic("fit: γ is open")
	}
	n := d.X.Rows
	if n > MostKernelRows {
		return nil, usererr.BadField("model.kind",
			"kernel takes at most 100\u202f000 training rows (got %d): use a linear or boosted model, or fewer rows", n)
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

// span returns the features of the fit, or nil for a fit in the dual.
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

// features fits linear scores of the kernel's features and rewrites them as kernel expansions.
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

// looseGap is the relative gap of fits that only serve to choose λ and γ.
const looseGap = 1e-4

// duals fits a piecewise-linear loss in the dual. For PEGASOS the intercept is left out,
// because its step sizes need a strongly convex objective, with a penalty on every parameter
// (docs/math.md, section 7.7).
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

// expanded converts a fit of the dual to the common form of two-class fits.
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

// without is the relative size below which a coefficient is taken as rounding error; such rows
// are not stored as support vectors.
const without = 1e-10

func abs(v float64) float64 { return max(v, -v) }
