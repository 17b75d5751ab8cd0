package linear

import "math"

// Where the best weights are 0, a solver ends near them and not there: the rest
// is its rounding, yet it ranks rows and draws curves. So a fit takes 0 where the
// certificate it came with cannot tell its weights from 0.

// simplest returns the verdict on the best constant score where that is as good
// as the fit's own point: within the duality gap that the fit proves of itself,
// and within the gap asked for; else v.
func (p *path) simplest(v verdict) verdict {
	d := len(v.theta) - 1
	none := verdict{theta: make([]float64, d+1), bound: v.bound}
	none.theta[d] = constant(p.judge.set.mass, p.judge.side)
	for c, mass := range p.judge.set.mass {
		none.objective += mass * p.judge.side[c].eval(none.theta[d])
	}
	own := math.Max(v.gap(), polish*p.o.Gap)
	if none.gap() > math.Max(p.o.Gap, own) || none.objective-v.objective > own*math.Max(v.objective, gapFloor) {
		return v
	}
	return none
}

// nearZero is the multiple of the gradient reached, for columns of unit
// curvature, beyond which weights are not tried at 0: it saves a pass.
const nearZero = 1e3

// simplify takes the weights to 0 where the gradient there is no larger than the
// one reached, or than what Newton's method asks for, and the objective no worse
// but for rounding.
func (f *descent) simplify() {
	d := len(f.point) - 1
	enough, top := math.Max(f.norm, polished), largest(f.point[:d])
	if top == 0 || f.norm > f.tol || top > nearZero*enough {
		return
	}
	was, objective, norm := append([]float64(nil), f.point...), f.e.value, f.norm
	none := make([]float64, d+1)
	none[d] = f.point[d]
	f.stand(none)
	if f.norm > enough || f.e.value > objective+roundingLoss*math.Abs(objective) {
		f.stand(was)
		f.norm = norm
	}
}
