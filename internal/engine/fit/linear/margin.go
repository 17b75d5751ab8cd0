package linear

import (
	"context"

	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// Margin minimises (1/Σv) Σ v_i ℓ(y_i f_i) + (λ/2)‖w‖² with an unpenalised intercept (docs/math.md,
// Conventions). A convex loss is fitted from zero. Other losses are fitted from several starting points,
// because L-BFGS finds only a local minimum; the best fit is returned and all are reported.
//
// The hinge and the interval surrogate are solved exactly, as by Interval, and have a duality gap. The
// ramp is fitted through smoothed ramps, but its objective is that of the ramp itself. The zero-one loss
// has slope 0 and cannot be fitted.
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
	if r, ok := l.(loss.Ramp); ok {
		return s.run(smoothRamps(r))
	}
	return s.run([]loss.Margin{l})
}
