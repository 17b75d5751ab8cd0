// Package multiclass fits losses of several potentials: many classes, ordered
// classes, predictors that abstain, and kernel scores of two classes.
//
// It is opinionated: a polyhedral loss (the adversarial losses, the multiclass
// hinges, hinges at thresholds, the interval surrogate) is never smoothed. Its
// dual is climbed row by row, or with a kernel by working sets of rows, and the
// fit stops when the duality gap proves it. A smooth loss goes to L-BFGS. The
// PEGASOS steps of Fathony et al. 2018 are there to be watched, with the same
// certificate.
//
// Conventions: classes count from 0; a score has m entries z = W·x, or with a
// kernel z = Σ_j a_j κ(x_j, x); offsets are the entries of η beside it; the
// potentials are f = S·z + B·η (head). v are row weights that sum to 1, u the
// derivative of the loss with respect to f that the dual stands for. The
// objective is Σ v_i L(y_i, f_i) + (λ/2)(‖W‖² + ‖η‖²), without ‖η‖² where the
// offsets are free: the intercepts of softmax, of its tempered kin and of two
// classes, and the thresholds of threshold losses but reduction. Adversarial
// losses and multiclass hinges penalise all parameters (docs/math.md §7.7), the
// constant feature included, and so does every loss in the th form.
//
// Results repeat to the bit for one seed on any number of cores, and a
// cancelled context ends a fit within a few milliseconds of work.
package multiclass

import (
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
)

// Features of ordered classes (docs/math.md §7.6).
const (
	PerClass   = "mc" // a weight vector a class
	Thresholds = "th" // one score and thresholds
)

// Solvers.
const (
	SolverDual    = "dual"    // certified; the default of polyhedral losses
	SolverPegasos = "pegasos" // subgradient steps of math.md §7.7; penalises all parameters
	SolverLBFGS   = "lbfgs"   // smooth losses
)

// Spec is what to fit.
type Spec struct {
	Family     loss.Family
	Params     loss.Values // nil = the family's defaults
	Classes    int
	Features   string  // of a loss of potentials: "" = PerClass; threshold losses have their own
	NoConstant bool    // leaves out the constant feature of PerClass; a polyhedral loss with a kernel never has one
	Bare       bool    // leaves out the intercept of two classes, as PEGASOS must
	L2         float64 // λ > 0
	Kernel     *Kernel // nil = linear
}

// Options sets a fit; the zero value is the default.
type Options struct {
	Solver   string  // "" = dual for polyhedral losses, lbfgs for smooth ones
	Gap      float64 // relative duality gap to certify; 0 = 1e-6
	GradTol  float64 // ‖∇‖∞ to reach, for columns scaled to unit curvature; 0 = 1e-7
	MaxIter  int     // sweeps and Newton steps, iterations or PEGASOS steps; 0 = 20,000, 1,000 or 50 a row
	Random   int     // random starts of a loss that is not convex; 0 = 1, negative = none
	Single   bool    // one start alone: the convex loss next to it, else zero
	Patience int     // sweeps before Newton steps on a linear score of at most 128 parameters; 0 = 40
	// Landmarks is the number of rows whose kernel functions span the score; 0 = all
	// up to MaxExact (smooth losses: 1,000), then 500.
	Landmarks int
	Seed      uint64 // of sweeps, steps, starts and landmarks
	// Trace is called without W after each pass of the dual or iteration of L-BFGS,
	// and now and then by PEGASOS; nil = none.
	Trace  func(linear.Step)
	Report func(linear.Progress) // called now and then from the calling goroutine; nil = silent
}

const (
	defaultGap     = 1e-6
	defaultGradTol = 1e-7
	maxSweeps      = 20000
	maxLBFGS       = 1000
)
