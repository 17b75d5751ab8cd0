package multiclass

import (
	"math"
	"slices"
)

// corner is an affine minorant b + g·f of a part of the loss, and its share in the mixture that is the
// row's multiplier.
type corner struct {
	g    []float64
	b, a float64
	at   float64 // b + g·f at the present f
}

// hull is the set of corners found so far for one part of one row's loss, with shares that sum to 1.
// Unused corners are kept for a while, since they often become useful again.
type hull []corner

// duals are the multipliers of all rows, and the offsets η = c − (1/ρ) Σ v Bᵀu that follow from them.
// Penalised offsets have ρ = λ and c = 0. Free ones are found by the method of multipliers: c is set to η
// from time to time, until Σ v Bᵀu vanishes.
type duals struct {
	p      *problem
	k      int
	parts  int
	hulls  []hull    // one hull per part, for each row
	u      []float64 // k per row
	eta    []float64 // r
	center []float64 // c, r
	rho    float64
	blocks blocks
	gaps   []float64 // v × gap of each row, when last measured
	evals  int
	even   bool // the head is
	exact  bool // a visit finds the best mixture of a row's corners, not only a better one
}

func newDuals(p *problem, rho float64) *duals {
	n := p.x.Rows
	d := &duals{p: p, k: p.head.k, parts: p.flat.parts(), rho: rho, even: p.head.even(),
		hulls: make([]hull, n*p.flat.parts()), u: make([]float64, n*p.head.k),
		eta: make([]float64, p.head.r), center: make([]float64, p.head.r), blocks: newBlocks(n), gaps: make([]float64, n)}
	nought := make([]float64, d.k)
	for i, y := range p.y {
		for part := range d.parts {
			d.hulls[i*d.parts+part] = hull{{g: nought, b: p.flat.none(part, y), a: 1}}
		}
	}
	return d
}

// climber is the scratch memory for optimising the multipliers of a row.
type climber struct {
	*duals
	f    []float64 // potentials of the current row
	du   []float64 // change of its u
	g    []float64
	z    []float64 // m
	self []float64 // k×k: f decreases by self·du
	settler
}

func newClimber(d *duals) *climber {
	return &climber{duals: d, f: make([]float64, d.k), du: make([]float64, d.k), g: make([]float64, d.k),
		z: make([]float64, d.p.head.m), self: make([]float64, d.k*d.k)}
}

// rounds is how often one visit of a row asks the loss for a new corner. The row will be visited again,
// so full accuracy is not needed.
const rounds = 4

// climb maximises the dual over the multipliers of row i, whose potentials are in c.f and whose κ(x_i,
// x_i) is own. It updates c.f, u and the shares, stores the change of u in c.du, and reports whether
// there was any.
func (c *climber) climb(i int, own float64) bool {
	clear(c.du)
	ready, moved := false, false
	for range rounds {
		still := true
		for part := range c.parts {
			h := &c.hulls[i*c.parts+part]
			if !c.look(h, i, part) {
				continue
			}
			if !ready {
				c.setSelf(i, own)
				ready = true
			}
			if c.exact && c.self[0] > 0 {
				c.settle(*h, c.self[0])
			} else {
				c.mix(*h)
			}
			still, moved = false, true
		}
		if still || c.parts > 1 && ready {
			break // interactions between the parts are left to the next visit
		}
	}
	for j, v := range c.du {
		c.u[i*c.k+j] += v
	}
	return moved
}

// setSelf stores v (κ/λ·S·Sᵀ + 1/ρ·B·Bᵀ), which for an even head is a multiple of I.
func (c *climber) setSelf(i int, own float64) {
	s, b := c.p.v[i]*own/c.p.l2, c.p.v[i]/c.rho
	if c.even {
		c.self[0] = s*c.p.head.ss[0] + b*c.p.head.bb[0]
		return
	}
	for j := range c.self {
		c.self[j] = s*c.p.head.ss[j] + b*c.p.head.bb[j]
	}
}

// look asks the loss for its largest corner at f and reports whether adding it can increase the dual.
func (c *climber) look(h *hull, i, part int) bool {
	value := c.p.flat.piece(c.g, part, c.p.y[i], c.f)
	mean := h.mean(c.f)
	if value-mean <= rounding*max(1, math.Abs(value)) {
		return false
	}
	h.add(c.g, value, c.f)
	return true
}

// rounding is the rounding error of a difference of two values of order one.
const rounding = 1e-14

// mean evaluates all corners at f and returns the value of the mixture.
func (h hull) mean(f []float64) float64 {
	sum := 0.0
	for j := range h {
		h[j].at = h[j].b + dot(h[j].g, f)
		sum += h[j].a * h[j].at
	}
	return sum
}

// spare is how many unused corners a hull keeps.
const spare = 4

// same is the largest difference of gradients, of order one, that counts as rounding.
const same = 1e-12

// add adds the minorant with gradient g and the given value at f to the hull. If there are many unused
// corners it replaces the worst of them.
func (h *hull) add(g []float64, value float64, f []float64) {
	worst, unused := -1, 0
	for j := range *h {
		e := &(*h)[j]
		if near(e.g, g) {
			return
		}
		if e.a == 0 {
			if unused++; worst < 0 || e.at < (*h)[worst].at {
				worst = j
			}
		}
	}
	e := corner{g: slices.Clone(g), b: value - dot(g, f), at: value}
	if unused < spare {
		*h = append(*h, e)
		return
	}
	(*h)[worst] = e
}

func near(a, b []float64) bool {
	for j, v := range a {
		if math.Abs(v-b[j]) > same {
			return false
		}
	}
	return true
}

// mix moves shares from the corner with the smallest value to the one with the largest until both are
// equal: steepest ascent with an exact line search.
func (c *climber) mix(h hull) {
	for range 4 * len(h) {
		best, least := h.ends()
		lead := h[best].at - h[least].at
		if lead <= rounding*max(1, math.Abs(h[best].at)) {
			return
		}
		for j := range c.g {
			c.g[j] = h[best].g[j] - h[least].g[j]
		}
		step := h[least].a
		if bend := c.bend(); bend*step > lead {
			step = lead / bend
			h[least].a -= step
		} else {
			h[least].a = 0
		}
		h[best].a += step
		c.shift(step)
		h.mean(c.f)
	}
}

// ends returns the corner with the largest value, and the used corner with the smallest.
func (h hull) ends() (best, least int) {
	least = -1
	for j := range h {
		if h[j].at > h[best].at {
			best = j
		}
		if h[j].a > 0 && (least < 0 || h[j].at < h[least].at) {
			least = j
		}
	}
	return best, least
}

// bend is gᵀ·self·g.
func (c *climber) bend() float64 {
	sum := 0.0
	if c.even {
		for _, v := range c.g {
			sum += v * (c.self[0] * v)
		}
		return sum
	}
	for a, v := range c.g {
		if v != 0 {
			sum += v * dot(c.self[a*c.k:(a+1)*c.k], c.g)
		}
	}
	return sum
}

// shift changes u by step·g, and f accordingly.
func (c *climber) shift(step float64) {
	if c.even {
		for a, v := range c.g {
			c.du[a] += v * step
			c.f[a] -= v * step * c.self[0]
		}
		return
	}
	for a, v := range c.g {
		if v == 0 {
			continue
		}
		v *= step
		c.du[a] += v
		for j, s := range c.self[a*c.k : (a+1)*c.k] {
			c.f[j] -= v * s
		}
	}
}

// gap returns the loss of row i at f, and by how much it exceeds the row's mixture: its part of the
// duality gap. g is scratch.
func (d *duals) gap(i int, f, g []float64) (value, gap float64) {
	for part := range d.parts {
		v := d.p.flat.piece(g, part, d.p.y[i], f)
		mean := 0.0
		for _, e := range d.hulls[i*d.parts+part] {
			if e.a > 0 {
				mean += e.a * (e.b + dot(e.g, f))
			}
		}
		value += v
		gap += max(0, v-mean)
	}
	return value, gap
}

// mixed reports whether a row's multipliers are inside their range, so that they change with every change
// of the scores.
func (d *duals) mixed(i int) bool {
	for _, h := range d.hulls[i*d.parts : (i+1)*d.parts] {
		for _, e := range h {
			if e.a > 0 && e.a < 1 {
				return true
			}
		}
	}
	return false
}
