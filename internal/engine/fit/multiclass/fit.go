package multiclass

import (
	"cmp"
	"context"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/usererr"
)

// Fit minimises the objective. y is the class of each row; nil weights mean 1.
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
	s := newSweeper(ctx, p)
	s.exact = o.Brief && s.even
	return s.fit(o, 0, s.patience(o))
}

// solver checks that the solver suits the loss.
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
	return "", usererr.BadField("solver", "must be ‘auto’, %q or, for polyhedral losses without free offsets, %q "+
		"(got %q)",
		auto, SolverPegasos, name)
}

// viaLandmarks fits a linear score on Nyström features.
func (p *problem) viaLandmarks(ctx context.Context, solver string, o Options) (*Fitted, error) {
	want := o.Landmarks
	switch {
	case want > 0:
	case p.x.Rows > MaxExact:
		want = landmarksLarge
	default:
		want = landmarksSmooth
	}
	s := newNystrom(*p.kernel, p.draw(min(want, p.x.Rows), o.Seed))
	q := *p
	q.x, q.kernel = s.features(ctx, p.x), nil
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	fit, err := q.run(ctx, solver, o)
	if err != nil {
		return nil, err
	}
	if want < p.x.Rows {
		fit.Landmarks = s.rows.Rows
	}
	fit.Model.kernelize(s)
	return fit, nil
}
