package linear

import (
	"math/rand/v2"
	"slices"
)

// A fit of many rows sees all of them only a few times. It minimises over a sample of the rows first, and then
// makes Newton steps whose gradient is that of all rows and whose Hessian is that of the sample. With m sampled
// rows and d columns such a step reduces the gradient by a factor of about √(d/m) (Roosta-Khorasani and Mahoney,
// Math. Program. 2019), so that five or six passes over all rows take it from 1e-2 to 1e-8. Steps that do not reduce
// the gradient are not taken; L-BFGS then continues from the last point.
const (
	sketchCells   = 1 << 20 // rows × columns from which a fit starts from a sample
	sketchShare   = 32      // one row of so many is sampled,
	sketchRows    = 100     // but at least so many per column
	sketchLeast   = 16      // and only if there are so many times as many rows
	sketchGrad    = 1e-3    // ‖∇‖∞ to reach over the sample
	sketchMinimum = 1e-5    // that of a loss that is not convex: Newton's steps need a minimum nearby
	sketchSlow    = .5      // ratio of gradients above which the Hessian is computed anew
	sketchSteps   = 24      // largest number of factored Hessians
)

// sketch is the sample of rows of an entropy, kept for its next fits.
type sketch struct {
	at      []int32 // the sampled rows
	e       *entropy
	hessian *curvature
}

// sample returns the sampled rows, with the present weights and loss; nil where a sample is not worthwhile.
func (e *entropy) sample() *entropy {
	n, d := e.set.x.Rows, e.set.x.Cols
	count := max(n/sketchShare, sketchRows*(d+1))
	if n*d < sketchCells || n < sketchLeast*count || d+1 > polishWidest {
		return nil
	}
	if e.sketch == nil {
		e.sketch = e.draw(count)
	}
	s := e.sketch
	s.e.l2, s.e.prior, s.e.pinned, s.e.other, s.e.fresh = e.l2, e.prior, e.pinned, nil, false
	if e.other != nil {
		s.e.other = e.other.over(s.e.rows)
	}
	set := &s.e.set
	if !set.weigh(e.set.v, s.at) {
		return nil
	}
	s.e.even = slices.Min(set.v) == slices.Max(set.v)
	return s.e
}

// draw takes a sample of the rows for a fit.
func (e *entropy) draw(count int) *sketch {
	at, set := e.set.draw(count)
	part := newEntropy(e.ctx, set, newRows(set.x, e.rows.team))
	return &sketch{at, part, newCurvature(part, nil)}
}

// draw chooses rows at random, because files are often sorted, with a seed of its own, because the same rows must
// give the same fit. The weights are left to the caller.
func (s sample) draw(count int) (at []int32, part sample) {
	n, d := s.x.Rows, s.x.Cols
	part = sample{x: Matrix{Rows: count, Cols: d, Data: make([]float64, 0, count*d)}, side: make([]uint8, 0, count),
		v: make([]float64, count)}
	at = make([]int32, 0, count)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range n {
		if need := count - len(at); r.Float64()*float64(n-i) < float64(need) {
			at = append(at, int32(i))
			part.x.Data = append(part.x.Data, s.x.Row(i)...)
			part.side = append(part.side, s.side[i])
		}
	}
	return at, part
}

// weigh gives the rows of a sample their shares of its total weight. It reports whether both classes have some.
func (s *sample) weigh(v []float64, at []int32) bool {
	total := 0.0
	s.mass = [2]float64{}
	for k, i := range at {
		s.v[k] = v[i]
		total += s.v[k]
		s.mass[s.side[k]] += s.v[k]
	}
	if s.mass[0] == 0 || s.mass[1] == 0 {
		return false
	}
	for k := range s.v {
		s.v[k] /= total
	}
	return true
}

// sketched minimises over the sample and then over all rows, as far as that goes. It reports whether the gradient
// asked for is reached.
func (f *descent) sketched() (bool, error) {
	part := f.e.sample()
	if part == nil {
		return false, nil
	}
	rough := &descent{e: part, scale: f.scale, most: f.most, point: slices.Clone(f.point)}
	tol := sketchGrad
	if part.other != nil && !part.other.convex {
		tol = sketchMinimum
	}
	if err := rough.lbfgs(max(f.tol, tol)); err != nil {
		return false, err
	}
	n, hessian := len(f.point), f.e.sketch.hessian
	hessian.scale = f.scale
	p := &polisher{e: f.e, scale: f.scale, most: f.most - f.iterations, slow: sketchSlow, hessian: hessian,
		point: rough.point, grad: make([]float64, n), step: make([]float64, n), next: make([]float64, n),
		slope: make([]float64, n)}
	p.accepted = func() { f.note(f.iterations + p.steps) }
	p.follow(part, f.tol)
	f.iterations += p.steps
	f.stand(p.point)
	return f.norm <= f.tol, f.e.ctx.Err()
}

// follow makes Newton steps with the Hessian of a sample of the rows, computed anew where the last one became slow.
func (p *polisher) follow(part *entropy, tol float64) {
	p.enter()
	for range sketchSteps {
		p.scale.from(part.theta, p.point)
		if part.fresh = false; p.norm <= tol || p.steps >= p.most || !p.hessian.factor() || !p.descend(tol) {
			return
		}
	}
}
