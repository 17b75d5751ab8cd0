// Package multiclass fits losses of several potentials: multiclass, ordered classes, abstention, and
// kernel scores for two classes.
//
// A polyhedral loss (the adversarial losses, the multiclass hinges, hinges at thresholds, the interval
// surrogate) is never replaced by a smooth one. Its dual is maximised row by row, or with a kernel by
// working sets of rows, and the fit stops when the duality gap proves its accuracy. Smooth losses are
// minimised by L-BFGS. The PEGASOS steps of Fathony et al. (2018) are included for demonstration, with
// the same certificate.
//
// Conventions: classes count from 0. A score has m entries z = W·x, or with a kernel z = Σ_j a_j
// κ(x_j, x). Offsets are the entries of η. The potentials are f = S·z + B·η (head). v are row
// weights that sum to 1; u, the multiplier, is a subgradient of the loss with respect to f. The
// objective is Σ v_i L(y_i, f_i) + (λ/2)(‖W‖² + ‖η‖²), without ‖η‖² where the offsets are free:
// the intercepts of softmax, of its two-temperature and bi-tempered counterparts and of two-class
// models, and the thresholds of all threshold losses except reduction. Adversarial losses and
// multiclass hinges penalise all parameters (docs/math.md, section 7.7), including the constant
// feature, and so does every loss in the form th.
//
// Results have the same bits for one seed on any number of cores. A cancelled context ends a fit within a
// few milliseconds of work.
package multiclass

import (
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
)

// Features for ordered classes (docs/math.md, section 7.6).
const (
	PerClass   = "mc" // one weight vector per class
	Thresholds = "th" // one score and thresholds
)

// Solvers.
const (
	SolverDual    = "dual"    // certified by a duality gap; the default for polyhedral losses
	SolverPegasos = "pegasos" // subgradient steps of docs/math.md, section 7.7; penalises all parameters
	SolverLBFGS   = "lbfgs"   // for smooth losses
)

// Spec is the model to fit.
type Spec struct {
	Family     loss.Family
	Params     loss.Values // nil = the family's defaults
	Classes    int
	Features   string  // for a loss of potentials: "" = PerClass; threshold losses have their own
	NoConstant bool    // no constant feature for PerClass; a polyhedral loss with a kernel never has one
	Bare       bool    // no intercept for two classes, as PEGASOS requires
	L2         float64 // λ > 0
	Kernel     *Kernel // nil = linear
}

// Options are the settings of a fit; the zero value has the defaults.
type Options struct {
	Solver   string  // "" = dual for polyhedral losses, lbfgs for smooth ones
	Gap      float64 // relative duality gap to certify; 0 = 1e-6
	GradTol  float64 // ‖∇‖∞ to reach, for columns scaled to unit curvature; 0 = 1e-7
	MaxIter  int     // sweeps and Newton steps, iterations, or PEGASOS steps; 0 = 20,000, 1,000, or 50 per row
	Random   int     // random starts of a loss that is not convex; 0 = 1, negative = none
	Single   bool    // a single start: the neighbouring convex loss, or zero
	Patience int     // sweeps before Newton steps on a linear score of at most 128 parameters; 0 = 40
	Brief    bool    // the fastest way to a gap of about 1e-3, for fits that follow a slider
	// Landmarks is the number of rows whose kernel functions span the score; 0 = all rows up to MaxExact
	// (smooth losses: 1,000), otherwise 500.
	Landmarks int
	Seed      uint64 // of sweeps, steps, starts and landmarks
	// Trace is called without W after each pass of the dual solver or iteration of L-BFGS, and now and
	// then by PEGASOS; nil = none.
	Trace  func(linear.Step)
	Report func(linear.Progress) // called now and then from the calling goroutine; nil = none
}

const (
	defaultGap     = 1e-6
	defaultGradTol = 1e-7
	maxSweeps      = 20000
	maxLBFGS       = 1000
)
