package multiclass

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
)

// smooth fits by L-BFGS. A loss that is not convex is fitted from several starting points: zero, the
// neighbouring convex loss, a graduated start, and N(0, 0.001²).
func (p *problem) smooth(ctx context.Context, o Options) (*Fitted, error) {
	s := newSmoother(ctx, p)
	if convex(p.spec, p.loss) {
		fit, _, err := s.fit(make([]float64, len(s.theta)), o)
		return fit, err
	}
	var best *Fitted
	var reports []linear.StartReport
	kept, evals := 0, 0
	for _, start := range s.starts(o) {
		theta, err := start.from()
		if err != nil {
			return nil, err
		}
		fit, _, err := s.fit(theta, o.from(start.name))
		if err != nil {
			return nil, err
		}
		reports = append(reports, linear.StartReport{Start: start.name, Objective: fit.Objective,
			GradientNorm: *fit.GradientNorm,
			Iterations:   fit.Iterations, Evaluations: fit.Evaluations, Stopped: fit.Stopped})
		evals += fit.Evaluations
		if best == nil || fit.Objective < best.Objective {
			best, kept = fit, len(reports)-1
		}
	}
	reports[kept].Kept = true
	best.Starts, best.Evaluations = reports, evals
	if first := reports[0].Objective; best.Objective < first-1e-6*max(1, first) {
		best.Warnings = append(best.Warnings, fmt.Sprintf("The loss has several minima: from zero the fit ends at %.6g, "+
			"the start %q reached %.6g.", first, reports[kept].Start, best.Objective))
	}
	return best, nil
}

// from names the start in the steps sent to Trace.
func (o Options) from(start string) Options {
	if to := o.Trace; to != nil {
		o.Trace = func(s linear.Step) {
			s.Start = start
			to(s)
		}
	}
	return o
}

// convex reports whether every local minimum is global (docs/math.md, Two-temperature loss).
func convex(s Spec, l loss.Potential) bool {
	switch l := l.(type) {
	case loss.Smooth:
		return l.Convex()
	case loss.Binary:
		r, ok := l.Margin.(loss.Regimer)
		return ok && r.Regime().Convex
	case margins:
		r, ok := l.base.(loss.Regimer)
		return ok && r.Regime().Convex
	}
	return false
}

// start is a named starting point.
type start struct {
	name string
	from func() ([]float64, error)
}

// randomSpread is the standard deviation of random starts (Amid et al. 2019, section 6).
const randomSpread = 1e-3

func (s *smoother) starts(o Options) []start {
	zero := func() ([]float64, error) { return make([]float64, len(s.theta)), nil }
	list := []start{{"zero", zero}}
	if t, ok := s.loss.(loss.Smooth); ok {
		list = append(list,
			start{"softmax", func() ([]float64, error) { return s.through(o, t, 1) }},
			start{"graduated", func() ([]float64, error) { return s.through(o, t, graduation) }})
	}
	if o.Single {
		return list[min(1, len(list)-1):][:1]
	}
	for k := range max(0, cmp.Or(o.Random, 1)) {
		list = append(list, start{fmt.Sprintf("random %d", k+1), func() ([]float64, error) {
			r := rand.New(rand.NewPCG(o.Seed, uint64(k)+3))
			theta := make([]float64, len(s.theta))
			for j := range theta {
				theta[j] = randomSpread * r.NormFloat64()
			}
			return theta, nil
		}})
	}
	return list
}

// graduation is the number of losses between softmax and the requested loss.
const graduation = 4

// through fits the losses on the path from softmax to the requested one, each from the previous fit,
// without the last.
func (s *smoother) through(o Options, t loss.Smooth, steps int) ([]float64, error) {
	theta := make([]float64, len(s.theta))
	o.Report, o.Trace = nil, nil
	if o.Single {
		o.MaxIter = 0 // counted for the start as a whole
	}
	defer func() { s.loss = t }()
	for k := range steps {
		s.loss = t.Softened(float64(k) / float64(steps))
		_, next, err := s.fit(theta, o)
		if err != nil {
			return nil, err
		}
		theta = next
	}
	return theta, nil
}
