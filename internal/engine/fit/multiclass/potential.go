// Package multiclass fits losses of several potentials: many classes, ordered
// classes, predictors that abstain, and kernel scores of two classes.
//
// It is opinionated: a polyhedral loss (the adversarial losses, the multiclass
// hinges, hinges at thresholds, the interval surrogate) is never smoothed. Its
// dual is climbed row by row, or with a kernel by working sets of rows, and the
// fit stops when the duality gap proves it. A smooth loss goes to L-BFGS. The
// PEGASOS steps of paper 001 are there to be watched, with the same
// certificate.
//
// Conventions: classes count from 0; a score has m entries z = W·x, or with a
// kernel z = Σ_j a_j κ(x_j, x); offsets are the entries of η beside it; the
// potentials are f = S·z + B·η (head). v are row weights that sum to 1, u the
// derivative of the loss with respect to f that the dual stands for. The
// objective is Σ v_i L(y_i, f_i) + (λ/2)(‖W‖² + ‖η‖²), without ‖η‖² where the
// offsets are free: the intercepts of softmax, of its tempered kin and of two
// classes, and the thresholds of threshold losses but reduction. Adversarial
// losses and multiclass hinges penalise all parameters (math.md §7.7), the
// constant feature included, and so does every loss in the th form.
//
// Results repeat to the bit for one seed on any number of cores, and a
// cancelled context ends a fit within a few milliseconds of work.
package multiclass

import (
	"cmp"
	"context"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// Features of ordered classes (math.md §7.6).
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
	Solver    string                // "" = dual for polyhedral losses, lbfgs for smooth ones
	Gap       float64               // relative duality gap to certify; 0 = 1e-6
	GradTol   float64               // ‖∇‖∞ to reach, for columns scaled to unit curvature; 0 = 1e-7
	MaxIter   int                   // sweeps and Newton steps, iterations or PEGASOS steps; 0 = 20,000, 1,000 or 50 a row
	Random    int                   // random starts of a loss that is not convex; 0 = 1, negative = none
	Single    bool                  // one start alone: the convex loss next to it, else zero
	Patience  int                   // sweeps before Newton steps on a linear score of at most 128 parameters; 0 = 40
	Landmarks int                   // rows whose kernel functions span the score; 0 = all up to MaxExact (smooth losses: 1,000), then 500
	Seed      uint64                // of sweeps, steps, starts and landmarks
	Trace     func(linear.Step)     // called after each pass of the dual or iteration of L-BFGS, and now and then by PEGASOS, without W; nil = none
	Report    func(linear.Progress) // called now and then from the calling goroutine; nil = silent
}

const (
	defaultGap     = 1e-6
	defaultGradTol = 1e-7
	maxSweeps      = 20000
	maxLBFGS       = 1000
)

// tell hands a point of a fit to who listens.
func (o Options) tell(step, limit int, best proof) {
	if o.Report != nil {
		o.Report(progress(step, limit, best))
	}
	if o.Trace != nil {
		gap := best.gap()
		o.Trace(linear.Step{Iteration: step, Objective: best.objective, Gap: &gap})
	}
}

// Fitted is a model with its certificate.
type Fitted struct {
	Model *Model

	Objective    float64
	Gap          *float64 // (P−D)/max(P, 1e-12); nil where no dual is known
	GradientNorm *float64 // ‖∇‖∞ of smooth losses
	Iterations   int      // sweeps with the Newton steps after them, working sets, L-BFGS iterations or PEGASOS steps
	Evaluations  int      // passes over all rows
	Stopped      string   // "gap", "gradient", "iterations", "stalled"
	Landmarks    int      // Nyström landmarks; 0 = exact
	Starts       []linear.StartReport
	Warnings     []string
}

// Fit minimises the objective. y has the class of each row; nil weights are 1.
func Fit(ctx context.Context, x linear.Matrix, y []int, weights []float64, s Spec, o Options) (*Fitted, error) {
	p, err := newProblem(x, y, weights, s)
	if err != nil {
		return nil, err
	}
	solver, err := p.solver(o.Solver)
	if err != nil {
		return nil, err
	}
	if p.kernel != nil && (solver == SolverLBFGS || o.Landmarks > 0 || x.Rows > MaxExact) {
		return p.viaLandmarks(ctx, solver, o)
	}
	return p.run(ctx, solver, o)
}

// run fits with one solver.
func (p *problem) run(ctx context.Context, solver string, o Options) (*Fitted, error) {
	o.Gap = cmp.Or(o.Gap, defaultGap)
	switch {
	case solver == SolverLBFGS:
		return p.smooth(ctx, o)
	case solver == SolverPegasos:
		return p.pegasos(ctx, o)
	case p.kernel != nil:
		return p.decompose(ctx, o)
	}
	return p.sweep(ctx, o)
}

// solver checks the choice against the loss.
func (p *problem) solver(name string) (string, error) {
	auto := SolverDual
	if p.flat == nil {
		auto = SolverLBFGS
	}
	switch name {
	case "", "auto", auto:
		return auto, nil
	case SolverPegasos:
		if p.flat != nil && !p.head.free {
			return name, nil
		}
		return "", usererr.BadField("solver", "%q fits polyhedral losses that penalise all parameters; %s wants %q", name,
			p.spec.Family.ID, auto)
	}
	return "", usererr.BadField("solver", "must be \"auto\", %q or, for polyhedral losses without free offsets, %q "+
		"(got %q)",
		auto, SolverPegasos, name)
}
