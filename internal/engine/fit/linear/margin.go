package linear

import (
	"context"
	"math"
	"math/rand/v2"

	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// MarginOptions sets a fit of a margin loss; the zero value is the default. A
// page that cannot wait for all starts gives the fit at the neighbouring setting
// and names "given" alone, or "zero".
type MarginOptions struct {
	NoIntercept bool                  // fit f = W·x
	Path        []loss.Margin         // softer losses on the way to this one, convex first; nil = no graduated start
	Given       []*Linear             // more starts
	Only        []string              // kinds of starts to try: "zero", "logistic", "graduated", "random", "given"; nil = all
	Random      int                   // random starts; 0 = 1 for a loss that is not convex, negative = none; a convex loss tries them where Only names them
	Uniform     float64               // half-width of U[−u, u], from which they come; 0 = N(0, 0.001²)
	Seed        uint64                // of those
	Judge       func(*Linear) float64 // an error of where a start led, for its report; nil = none
	GradTol     float64               // ‖∇‖∞ to reach, for columns scaled to unit curvature; 0 = 1e-7, and 1e-12 where a Hessian is cheap
	MaxIter     int                   // L-BFGS iterations a start; 0 = 1,000
	Trace       func(Step)            // called at each start and after each iteration; nil = none
	Report      func(Progress)        // called once an iteration; nil = silent
}

// StartReport says where one start of a fit led.
type StartReport struct {
	Start        string   `json:"start"` // "zero", "logistic", "graduated", "given 1", "random 1"
	Objective    float64  `json:"objective"`
	GradientNorm float64  `json:"gradient_norm"`
	Iterations   int      `json:"iterations"`
	Evaluations  int      `json:"evaluations"`
	Error        *float64 `json:"error,omitempty"` // by Judge
	Stopped      string   `json:"stopped"`
	Kept         bool     `json:"kept"`
}

// randomSpread is the standard deviation of random starts (paper 000, §6). Paper
// 002 draws them from U[−½, ½] (figure 5).
const randomSpread = 1e-3

// Margin minimises (1/Σv) Σ v_i ℓ(y_i f_i) + (λ/2)‖w‖² with a free intercept
// (math.md §0). A convex loss is fitted from zero. Any other is fitted from
// several starts, because L-BFGS finds but the next minimum: the best fit is
// returned, and all are reported.
//
// The hinge and the interval surrogate go to the exact solver of Interval and
// come back with a duality gap; the ramp is fitted through smoothed ramps and
// its objective is the ramp's own. The zero-one loss has no slope to follow.
func Margin(ctx context.Context, x Matrix, y, weights []float64, l loss.Margin, l2 float64,
	o MarginOptions) (*Linear, []StartReport, error) {
	switch l := l.(type) {
	case loss.ZeroOne:
		return nil, nil, usererr.BadField("loss",
			"zero-one cannot be trained: its slope is 0; train another loss and count errors")
	case loss.Hinge:
		return fitHinge(ctx, x, y, weights, l2, o)
	case loss.Interval:
		return fitInterval(ctx, x, y, weights, l, l2, o)
	}
	set, err := newSample(x, y, weights)
	if err != nil {
		return nil, nil, err
	}
	if err := checkL2(l2); err != nil {
		return nil, nil, err
	}
	t := newTeam(len(x.Data))
	defer t.close()
	e := newEntropy(ctx, set, newRows(x, t))
	scale, err := newScaling(e)
	if err != nil {
		return nil, nil, err
	}
	if o.NoIntercept {
		e.pinned = true
		scale.fromZero()
	}
	s := &search{e: e, scale: scale, l2: l2, o: o, loss: l, trace: tracer{to: o.Trace}}
	return s.run(stages(l))
}

// stages are the losses a fit goes through: itself, or smoothed ones for a ramp.
func stages(l loss.Margin) []loss.Margin {
	if r, ok := l.(loss.Ramp); ok {
		return smoothRamps(r)
	}
	return []loss.Margin{l}
}

// isConvex reports whether a loss says that it is convex.
func isConvex(l loss.Margin) bool {
	r, ok := l.(loss.Regimer)
	return ok && r.Regime().Convex
}

// scatter returns random start k: uniform within ±width, or normal where the
// width is zero.
func scatter(seed uint64, k, n int, width float64) []float64 {
	r := rand.New(rand.NewPCG(seed, uint64(k)))
	theta := make([]float64, n)
	for j := range theta {
		if width > 0 {
			theta[j] = width * (2*r.Float64() - 1)
		} else {
			theta[j] = randomSpread * r.NormFloat64()
		}
	}
	return theta
}

// judge returns an error of a fit where one is asked for.
func (o MarginOptions) judge(fit *Linear) *float64 {
	if o.Judge == nil {
		return nil
	}
	e := o.Judge(fit)
	return &e
}

// pack stores a fit's weights and intercept in one slice.
func (l *Linear) pack() []float64 {
	return append(append(make([]float64, 0, len(l.W)+1), l.W...), l.B)
}

// shrink halves theta until the objective is finite, which it is at zero: some
// losses are infinite beyond a margin.
func (e *entropy) shrink(theta []float64) {
	for range 1100 {
		copy(e.theta, theta)
		if e.pass(); !math.IsInf(e.value, 1) {
			return
		}
		for j := range theta {
			theta[j] /= 2
		}
	}
}
