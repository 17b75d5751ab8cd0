package train

import (
	"context"
	"math"

	"taper/internal/engine/loss"
)

// IntervalOptions sets an interval fit; the zero value is the default.
type IntervalOptions struct {
	Start   *Linear        // where to start; nil = the best constant score
	Gap     float64        // relative duality gap to certify; 0 = 1e-6
	MaxIter int            // Newton steps or subgradient steps; 0 = 1,000 or 5,000
	Solver  string         // "" or "newton": exact; "subgradient": the paper's method, for teaching
	Report  func(Progress) // called after each λ, Fraction of the path; nil = silent
}

const (
	defaultGap   = 1e-6
	newtonSteps  = 1000
	firstWidth   = 4.0 // of the bent kinks, in units of the score
	widthFactor  = 0.2
	smallestBend = 1e-5
)

// Interval minimises (1/Σv) Σ v_i φ^{y_i}(y_i f_i) + (λ/2)‖w‖², the surrogate
// of paper 004 with a free intercept (math.md §6). y is ±1; nil weights are 1.
func Interval(ctx context.Context, x Matrix, y []float64, weights []float64, iv loss.Interval, l2 float64, o IntervalOptions) (*Linear, error) {
	fits, err := IntervalPath(ctx, x, y, weights, iv, []float64{l2}, o)
	if err != nil {
		return nil, err
	}
	return fits[0], nil
}

// IntervalPath fits every λ from the largest down, each from the one before.
// Result i belongs to l2s[i] whatever their order.
func IntervalPath(ctx context.Context, x Matrix, y, weights []float64, iv loss.Interval, l2s []float64, o IntervalOptions) ([]*Linear, error) {
	set, err := newSample(x, y, weights)
	if err != nil {
		return nil, err
	}
	for _, l2 := range l2s {
		if err := checkL2(l2); err != nil {
			return nil, err
		}
	}
	if err := finite(x); err != nil {
		return nil, err
	}
	t := newTeam(len(x.Data))
	defer t.close()
	s := newNewton(ctx, set, newKinks(iv), t)
	s.start(o.Start)
	fits := make([]*Linear, len(l2s))
	for done, i := range descending(l2s) {
		if fits[i], err = s.fit(l2s[i], o); err != nil {
			return nil, err
		}
		if o.Report != nil {
			o.Report(Progress{Fraction: float64(done+1) / float64(len(l2s)), Iteration: fits[i].Iterations, Objective: fits[i].Objective})
		}
	}
	return fits, nil
}

// start sets the first point.
func (s *newton) start(from *Linear) {
	if from != nil {
		if len(from.W) != s.set.x.Cols {
			panic("train: shape mismatch")
		}
		copy(s.theta, from.W)
		s.theta[len(from.W)] = from.B
		return
	}
	b, _ := s.exactIntercept(s.f, 0, nil) // f is zero
	s.theta[len(s.theta)-1] = b
}

// fit runs the outer loop for one λ from the current point.
func (s *newton) fit(l2 float64, o IntervalOptions) (*Linear, error) {
	s.l2, s.iters, s.evals = l2, 0, 0
	target := o.Gap
	if target == 0 {
		target = defaultGap
	}
	width := firstWidth
	stopped := "iterations"
	inner := 1e-3
	last := math.Inf(1)
	for range 40 {
		s.bend(width)
		if err := s.solve(inner, 50); err != nil {
			return nil, err
		}
		s.rows.apply(s.f, s.theta)
		g := s.gap()
		p := s.primal(s.theta, s.f)
		done := g <= target*math.Max(p, 1e-12)
		if g <= 1e-6*target*math.Max(p, 1e-12) || done && g > 0.5*last {
			stopped = "gap"
			break
		}
		last = g
		inner = 0.01 * g
		copy(s.center, s.t)
		width = math.Max(width*widthFactor, smallestBend)
	}
	return s.finish(stopped), nil
}

// finish certifies the current point.
func (s *newton) finish(stopped string) *Linear {
	d := len(s.theta) - 1
	w := make([]float64, d+1)
	bound := s.dual(w)
	f := make([]float64, len(s.f))
	copy(f, s.f)
	var best []float64
	objective := math.Inf(1)
	for _, theta := range [][]float64{s.theta, w} {
		theta = append([]float64(nil), theta...)
		theta[d] = s.theta[d]
		s.rows.apply(f, theta)
		theta[d], _ = s.exactIntercept(f, theta[d], nil)
		s.rows.apply(f, theta)
		if p := s.primal(theta, f); p < objective {
			objective, best = p, theta
		}
	}
	gap := (objective - bound) / math.Max(objective, 1e-12)
	return &Linear{W: best[:d:d], B: best[d], Objective: objective, Gap: &gap, Iterations: s.iters, Evaluations: s.evals, Stopped: stopped}
}

// descending returns the indices of the values from the largest down.
func descending(v []float64) []int {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	for i := 1; i < len(order); i++ {
		for j := i; j > 0 && v[order[j]] > v[order[j-1]]; j-- {
			order[j], order[j-1] = order[j-1], order[j]
		}
	}
	return order
}
