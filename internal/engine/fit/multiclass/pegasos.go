package multiclass

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sort"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/parallel"
)

// pegasos makes the steps of docs/math.md, section 7.7: at step t a row i is drawn with probability proportional
// to its weight, u = q* − e_y is computed at the potentials of θ = −(1/(λ(t−1))) Σ α φ (docs/errata.md,
// Fathony 1), and u is added to α_i. The mean of the u drawn for a row is also a dual point, so the
// result has a duality gap; it decreases only like log T/(λT).
type pegasos struct {
	p     *problem
	space space
	alpha []float64 // Σ u per row, k entries each
	tally []float64 // Σ b of each row's corners
	count []int     // how often each row was drawn
	eta   []float64 // Σ Bᵀα
	f, g  []float64
	u, z  []float64
}

// space stores Σ_i Sᵀα_i φ(x_i), whose inner products with rows are scores.
type space interface {
	scores(z []float64, i int)
	add(i int, z []float64)
	// norm returns ‖Σ a_i φ(x_i)‖² for m coefficients per row.
	norm(a []float64) float64
}

const stepsPerRow = 50

// looks is the number of steps between two certificates, each of which costs as much as some passes.
func looks(steps int) int { return max(1, steps/50) }

func (p *problem) pegasos(ctx context.Context, o Options) (*Fitted, error) {
	steps := cmp.Or(o.MaxIter, stepsPerRow*p.x.Rows)
	draw := p.lottery(o.Seed)
	s := newPegasos(p)
	for t := 1; t <= steps; t++ {
		if t%breath == 0 {
			if err := parallel.Yield(ctx); err != nil {
				return nil, err
			}
			if o.Report != nil && t%(64*breath) == 0 {
				o.Report(linear.Progress{Fraction: float64(t) / float64(steps), Message: "PEGASOS", Iteration: t})
			}
		}
		s.step(t, draw())
		if o.Trace != nil && t%looks(steps) == 0 {
			o.tell(t, steps, s.proof(t))
		}
	}
	fit := s.proof(steps).fitted(o)
	fit.Iterations, fit.Evaluations = steps, 1
	fit.Model = s.model(steps)
	return fit, ctx.Err()
}

func newPegasos(p *problem) *pegasos {
	n, k, m := p.x.Rows, p.head.k, p.head.m
	s := &pegasos{p: p, alpha: make([]float64, n*k), tally: make([]float64, n), count: make([]int, n),
		eta: make([]float64, p.head.r),
		f:   make([]float64, k), g: make([]float64, k), u: make([]float64, k), z: make([]float64, m)}
	if p.kernel == nil {
		s.space = &flatSpace{p.x, make([]float64, m*p.x.Cols)}
	} else {
		s.space = newCurvedSpace(*p.kernel, p.x, m)
	}
	return s
}

// lottery draws rows with probabilities proportional to their weights.
func (p *problem) lottery(seed uint64) func() int {
	random := rand.New(rand.NewPCG(seed, 2))
	upTo := make([]float64, len(p.v))
	sum := 0.0
	for i, v := range p.v {
		sum += v
		upTo[i] = sum
	}
	return func() int {
		at := random.Float64() * sum
		return sort.Search(len(upTo)-1, func(i int) bool { return upTo[i] > at })
	}
}

// step makes step t = 1, 2, … with row i.
func (s *pegasos) step(t, i int) {
	s.potentials(i, t-1)
	clear(s.u)
	for part := range s.p.flat.parts() {
		v := s.p.flat.piece(s.g, part, s.p.y[i], s.f)
		axpy(1, s.g, s.u)
		s.tally[i] += v - dot(s.g, s.f)
	}
	s.count[i]++
	axpy(1, s.u, s.alpha[i*s.p.head.k:(i+1)*s.p.head.k])
	clear(s.z)
	s.p.head.back(s.z, s.eta, s.u, 1)
	s.space.add(i, s.z)
}

// potentials fills f with those of row i after the given number of steps.
func (s *pegasos) potentials(i, steps int) {
	clear(s.f)
	if steps == 0 {
		return
	}
	s.space.scores(s.z, i)
	s.p.head.apply(s.f, s.z, s.eta)
	for j := range s.f {
		s.f[j] *= s.scale(steps)
	}
}

func (s *pegasos) scale(steps int) float64 { return -1 / (s.p.l2 * float64(steps)) }

// proof evaluates θ after T steps, and the dual at the mean corner of each row.
func (s *pegasos) proof(steps int) proof {
	n, k, m := s.p.x.Rows, s.p.head.k, s.p.head.m
	last, mean := make([]float64, n*m), make([]float64, n*m)
	eta, meanEta := make([]float64, len(s.eta)), make([]float64, len(s.eta))
	b := proof{}
	for i, v := range s.p.v {
		if v == 0 {
			continue
		}
		s.potentials(i, steps)
		for part := range s.p.flat.parts() {
			b.objective += v * s.p.flat.piece(s.g, part, s.p.y[i], s.f)
			if s.count[i] == 0 {
				b.dual += v * s.p.flat.none(part, s.p.y[i])
			}
		}
		s.p.head.back(last[i*m:(i+1)*m], eta, s.alpha[i*k:(i+1)*k], s.scale(steps))
		if c := float64(s.count[i]); c > 0 {
			b.dual += v * s.tally[i] / c
			s.p.head.back(mean[i*m:(i+1)*m], meanEta, s.alpha[i*k:(i+1)*k], -v/(c*s.p.l2))
		}
	}
	b.objective += s.p.l2 / 2 * (s.space.norm(last) + dot(eta, eta))
	b.dual -= s.p.l2 / 2 * (s.space.norm(mean) + dot(meanEta, meanEta))
	return b
}

func (s *pegasos) model(steps int) *Model {
	scale, k, m := s.scale(steps), s.p.head.k, s.p.head.m
	eta := slices.Clone(s.eta)
	for l := range eta {
		eta[l] *= scale
	}
	if flat, ok := s.space.(*flatSpace); ok {
		w := slices.Clone(flat.w)
		for j := range w {
			w[j] *= scale
		}
		return s.p.linearModel(w, eta)
	}
	out := s.p.model(eta)
	out.Kernel = s.p.kernel
	for i, c := range s.count {
		if c == 0 {
			continue
		}
		a := make([]float64, m)
		s.p.head.back(a, make([]float64, len(eta)), s.alpha[i*k:(i+1)*k], scale)
		out.Rows = append(out.Rows, slices.Clone(s.p.x.Row(i)))
		out.Coefficients = append(out.Coefficients, s.p.entries(a))
	}
	return out.must()
}

// flatSpace is the space of a linear score.
type flatSpace struct {
	x linear.Matrix
	w []float64 // m×d
}

func (s *flatSpace) scores(z []float64, i int) {
	d := s.x.Cols
	for l := range z {
		z[l] = inner(s.w[l*d:(l+1)*d], s.x.Row(i))
	}
}

func (s *flatSpace) add(i int, z []float64) {
	d := s.x.Cols
	for l, v := range z {
		axpy(v, s.x.Row(i), s.w[l*d:(l+1)*d])
	}
}

func (s *flatSpace) norm(a []float64) float64 {
	w := &flatSpace{s.x, make([]float64, len(s.w))}
	m := len(s.w) / s.x.Cols
	for i := range s.x.Rows {
		w.add(i, a[i*m:(i+1)*m])
	}
	return dot(w.w, w.w)
}

// curvedSpace is the space of a kernel score; it stores the scores of all rows.
type curvedSpace struct {
	gram *gram
	z    [][]float64 // m slices of n
}

func newCurvedSpace(k Kernel, x linear.Matrix, m int) *curvedSpace {
	s := &curvedSpace{gram: newGram(k, x)}
	for range m {
		s.z = append(s.z, make([]float64, x.Rows))
	}
	return s
}

func (s *curvedSpace) scores(z []float64, i int) {
	for l := range z {
		z[l] = s.z[l][i]
	}
}

func (s *curvedSpace) add(i int, z []float64) {
	s.gram.need([]int{i})
	for l, v := range z {
		if v != 0 {
			axpy(v, s.gram.columns[i], s.z[l])
		}
	}
}

func (s *curvedSpace) norm(a []float64) float64 {
	var rows []int
	m := len(s.z)
	for i := range s.gram.columns {
		if !zero(a[i*m : (i+1)*m]) {
			rows = append(rows, i)
		}
	}
	return s.gram.norm(rows, func(i int) []float64 { return a[i*m : (i+1)*m] })
}
