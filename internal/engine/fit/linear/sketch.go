package linear

import (
	"math"
	"math/rand/v2"
	"slices"

	"taper/internal/engine/pages"
)

// A fit of many rows sees all of them only a few times. It minimises over a sample of the rows first, and over a
// sample of these before that. Then it makes Newton steps whose gradient is that of all rows and whose Hessian is
// that of the sample, corrected by what earlier steps showed of the gradient, as L-BFGS does. With m sampled rows and
// d columns a step without corrections reduces the gradient by a factor of about 2√(d/m) (Roosta-Khorasani and
// Mahoney, Math. Program. 2019), and with them by about √(d/m), as conjugate gradients do with such a preconditioner.
// So five or six passes over all rows take the gradient from 1e-2 to 1e-8. Columns that the sample does not show to
// correlate need fewer, since the first Hessian then has only the correlations that the loss makes. Steps that do not
// reduce the gradient are not taken; L-BFGS then continues from the last point.
const (
	sketchCells   = 1 << 20 // rows × columns from which a fit starts from a sample
	sketchNested  = 1 << 16 // those from which the fit of a sample does
	sketchShare   = 32      // one row of so many is sampled,
	sketchRows    = 250     // but at least so many per column,
	sketchMost    = 8       // of which there are so many times as many, however,
	sketchFewest  = 40      // and only where at least so many per column are left
	sketchGrad    = 1e-3    // ‖∇‖∞ to reach over the sample
	sketchMinimum = 1e-5    // that of a loss that is not convex: Newton's steps need a minimum nearby
	sketchSlow    = .5      // ratio of gradients above which the Hessian is computed again
	sketchSteps   = 24      // largest number of factored Hessians
	sketchChance  = 1.25    // ratio to chance of the squared correlations up to which columns count as uncorrelated,
	sketchPair    = .25     // where no two of them correlate more than this
)

// sketch is the sample of rows of an entropy, kept for its next fits.
type sketch struct {
	at      []int32 // the sampled rows
	e       *entropy
	hessian *curvature
}

// sampled returns how many rows a sample has; 0 where it is not worthwhile.
func (e *entropy) sampled() int {
	n, d := e.set.x.Rows, e.set.x.Cols
	count, cells := max(n/sketchShare, min(sketchRows*(d+1), n/sketchMost)), sketchCells
	if e.nested {
		cells = sketchNested
	}
	if n*d < cells || count < sketchFewest*(d+1) || d+1 > polishWidest {
		return 0
	}
	return count
}

// sample returns the sampled rows, with the present weights and loss; nil where a sample is not worthwhile.
func (e *entropy) sample() *entropy {
	count := e.sampled()
	if count == 0 {
		return nil
	}
	if e.sketch == nil {
		e.sketch = e.draw(count)
		e.rows.spread(func(lo, hi int) { e.sketch.copy(e.set, lo, hi) })
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
	s.e.even = equal(set.v)
	return s.e
}

// draw chooses the sample of a fit, whose rows are still to be copied.
func (e *entropy) draw(count int) *sketch {
	at, set := e.set.draw(count)
	part := newEntropy(e.ctx, set, newRows(set.x, e.rows.team))
	part.nested = true
	return &sketch{at, part, newCurvature(part, nil)}
}

// copy takes those rows into the sample that it has of the rows from lo to hi.
func (s *sketch) copy(from sample, lo, hi int) { s.e.set.copy(from, s.at, lo, hi) }

// draw chooses one row at random of each of so many stretches of the file, because files are often sorted, with a seed
// of its own, because the same rows must give the same fit. Its cells, classes and weights are left to the caller.
func (s sample) draw(count int) (at []int32, part sample) {
	n, d := s.x.Rows, s.x.Cols
	part = sample{x: Matrix{Rows: count, Cols: d, Data: pages.Make[float64](count * d)}, side: pages.Make[uint8](count),
		v: pages.Make[float64](count)}
	at = make([]int32, count)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for k := range at {
		lo, hi := k*n/count, (k+1)*n/count
		at[k] = int32(lo + r.IntN(hi-lo))
	}
	return at, part
}

// copy takes the cells and classes of the sampled rows from lo to hi.
func (s *sample) copy(from sample, at []int32, lo, hi int) {
	first, _ := slices.BinarySearch(at, int32(lo))
	for k := first; k < len(at) && int(at[k]) < hi; k++ {
		copy(s.x.Row(k), from.x.Row(int(at[k])))
		s.side[k] = from.side[at[k]]
	}
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
func (f *descent) sketched(tol float64) (bool, error) {
	part := f.e.sample()
	if part == nil {
		return false, nil
	}
	rough := &descent{e: part, scale: f.scale, most: f.most, point: slices.Clone(f.point)}
	near := sketchGrad
	if part.other != nil && !part.other.convex {
		near = sketchMinimum
	}
	near = max(tol, near)
	if done, err := rough.sketched(near); err != nil {
		return false, err
	} else if !done {
		if err := rough.lbfgs(near); err != nil {
			return false, err
		}
	}
	n, hessian := len(f.point), f.e.sketch.hessian
	hessian.scale = f.scale
	p := &polisher{e: f.e, scale: f.scale, most: f.most - f.iterations, slow: sketchSlow, learns: true, hessian: hessian,
		point: rough.point, grad: make([]float64, n), step: make([]float64, n), next: make([]float64, n),
		slope: make([]float64, n)}
	p.accepted = func() { f.note(f.iterations + p.steps) }
	p.follow(part, tol)
	f.iterations += p.steps
	f.stand(p.point)
	return f.norm <= tol, f.e.ctx.Err()
}

// follow makes Newton steps with the Hessian of a sample of the rows, computed again where the last one became slow.
func (p *polisher) follow(part *entropy, tol float64) {
	p.enter()
	for k := range sketchSteps {
		p.scale.from(part.theta, p.point)
		p.moves = p.moves[:0]
		if part.fresh = false; p.norm <= tol || p.steps >= p.most {
			return
		}
		p.hessian.sum()
		changed := k == 0 && p.hessian.uncorrelate(p.point)
		if whole := p.hessian.cholesky() || changed && p.hessian.factor(); !whole || !p.descend(tol) {
			return
		}
	}
}

// uncorrelate takes chance out of the Hessian of a sample, in the scaled coordinates of the point. Where its columns
// correlate no more than chance lets columns without correlation, it keeps of the correlations what the loss makes of
// such columns: it bends along the score, so they are the products of a column's parts of the score, and with the
// intercept those parts themselves. Steps then have the errors of the correlations in all rows, which are several times
// smaller. Chance is what the shares of the sample differ by. It reports whether it changed the Hessian: one pair of
// columns that clearly correlates is enough to leave it, though it be in one share only, which looks like chance.
func (c *curvature) uncorrelate(point []float64) (changed bool) {
	n, last := len(point), len(point)-1
	if c.gram.shares < 2 {
		return false // what chance does is unknown
	}
	size, score := make([]float64, n), make([]float64, last)
	for j := range n {
		if !(c.h[j*n+j] > 0) {
			return false
		}
		size[j] = math.Sqrt(c.h[j*n+j])
		if j < last {
			score[j] = point[j] / size[j]
		}
	}
	length := math.Sqrt(dot(score, score))
	if length == 0 {
		return false
	}
	kernel.Dscal(last, 1/length, score, 1)
	bent, own, shift := 0.0, 0.0, 0.0
	for i, s := range score {
		for j := i + 1; j < last; j++ {
			bent += 2 * s * score[j] * c.h[i*n+j] / (size[i] * size[j])
		}
		own += s * s * s * s
		shift += s * c.h[i*n+last] / (size[i] * size[last])
	}
	if own == 1 { // the score is one column's
		return false
	}
	bent /= 1 - own
	made := func(i, j int) float64 {
		if j == last {
			return shift * score[i] * size[i] * size[last]
		}
		return bent * score[i] * score[j] * size[i] * size[j]
	}
	found, chance, end := 0.0, 0.0, n
	if c.e.pinned {
		end = last // no column has a part in a fixed intercept
	}
	for i := range last {
		for j := i + 1; j < end; j++ {
			unit := 1 / (size[i] * size[j])
			r := (c.h[i*n+j] - made(i, j)) * unit
			if math.Abs(r) > sketchPair {
				return false
			}
			found += r * r
			chance += c.gram.variance(i, j) * unit * unit
		}
	}
	if !(found <= sketchChance*chance) {
		return false
	}
	for i := range last {
		for j := i + 1; j < n; j++ {
			c.h[i*n+j] = made(i, j)
		}
	}
	return true
}

// move is an accepted step, with the change of the gradient along it.
type move struct {
	step, change []float64
	product      float64 // of the two
	share        float64 // of the step in the direction that is being corrected
}

// learn keeps what the last accepted step showed of the Hessian, where it is curved upwards.
func (p *polisher) learn() {
	n := len(p.point)
	m := move{step: make([]float64, n), change: make([]float64, n)}
	for j := range n {
		m.step[j], m.change[j] = p.next[j]-p.point[j], p.slope[j]-p.grad[j]
	}
	if m.product = dot(m.step, m.change); m.product > 0 {
		p.moves = append(p.moves, m)
	}
}

// direct stores −H⁻¹·grad in step, where H agrees with what the moves showed: the two loops of L-BFGS about the
// factored Hessian.
func (p *polisher) direct() {
	if len(p.moves) == 0 {
		p.hessian.solve(p.step, p.grad)
		return
	}
	left := p.next // free until the next point is computed
	copy(left, p.grad)
	for k := len(p.moves) - 1; k >= 0; k-- {
		m := &p.moves[k]
		m.share = dot(m.step, left) / m.product
		kernel.Daxpy(len(left), -m.share, m.change, 1, left, 1)
	}
	p.hessian.solve(p.step, left)
	for _, m := range p.moves {
		kernel.Daxpy(len(left), -m.share-dot(m.change, p.step)/m.product, m.step, 1, p.step, 1)
	}
}
