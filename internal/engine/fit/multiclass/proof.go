package multiclass

import (
	"context"
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/fit/linear"
)

// check computes W and η afresh from the multipliers, and the objective and the dual there. best keeps
// the better of each.
func (s *sweeper) check(best *proof) error {
	size := len(s.w) + len(s.eta)
	sums := s.total(size, func(i int, to []float64) { s.add(to, i, s.u[i*s.k:(i+1)*s.k]) })
	for j := range s.w {
		s.w[j] = sums[j] / s.p.l2
	}
	for l := range s.eta {
		s.eta[l] = s.center[l] + sums[len(s.w)+l]/s.rho
	}
	value, gap := s.measure()
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if s.judge(best, value, gap, dot(s.w, s.w), s.w, s.repaired) {
		for l := range s.eta {
			s.center[l] = s.eta[l]
			s.eta[l] += sums[len(s.w)+l] / s.rho
		}
	}
	return nil
}

// add adds −v Sᵀu xᵀ and −v Bᵀu of a row to sums.
func (s *sweeper) add(to []float64, i int, u []float64) {
	d, m := s.x.Cols, s.p.head.m
	var buf [64]float64
	dz := append(buf[:0], make([]float64, m)...)
	s.p.head.back(dz, to[m*d:m*d+len(s.eta)], u, -s.p.v[i])
	for l, v := range dz {
		if v != 0 {
			axpy(v, s.x.Row(i), to[l*d:(l+1)*d])
		}
	}
}

// total returns the sum of what fn adds for each row. Rows are added in blocks and blocks in order, so
// the bits do not depend on the number of cores.
func (s *sweeper) total(size int, fn func(i int, to []float64)) []float64 {
	spread(s.blocks.count, s.x.Rows*(s.x.Cols+s.k), func(b int) {
		to := s.part[b*size : (b+1)*size]
		clear(to)
		lo, hi := s.blocks.span(b)
		for i := lo; i < hi && s.ctx.Err() == nil; i++ {
			fn(i, to)
		}
	})
	sums := s.part[:size]
	for b := 1; b < s.blocks.count; b++ {
		axpy(1, s.part[b*size:(b+1)*size], sums)
	}
	return slices.Clone(sums)
}

func (s *sweeper) measure() (value, gap float64) {
	return s.measureAt(s.ctx, s.x.Cols+8, func(f, z []float64, i int) { s.scores(f, z, s.x.Row(i)) })
}

// measureAt returns the mean loss and the duality gap, and stores each row's part of the gap. at fills f
// with the potentials of a row, using z for its scores; work is its cost per output.
func (d *duals) measureAt(ctx context.Context, work int, at func(f, z []float64, i int)) (value, gap float64) {
	d.evals++
	sums := make([]float64, 2*d.blocks.count)
	spread(d.blocks.count, len(d.p.v)*work*d.k, func(b int) {
		lo, hi := d.blocks.span(b)
		f, g, z := make([]float64, d.k), make([]float64, d.k), make([]float64, d.p.head.m)
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			if d.p.v[i] == 0 {
				continue
			}
			at(f, z, i)
			v, e := d.gap(i, f, g)
			d.gaps[i] = d.p.v[i] * e
			sums[2*b] += d.p.v[i] * v
			sums[2*b+1] += d.gaps[i]
		}
	})
	for b := 0; b < len(sums); b += 2 {
		value += sums[b]
		gap += sums[b+1]
	}
	return value, gap
}

// judge keeps in best the better primal and dual values at w, whose squared norm is square. Free offsets
// have a dual value only after a repair. moves says whether the gap is small enough to set the centre of
// free offsets to their present values.
func (d *duals) judge(best *proof, value, gap, square float64, w []float64, repaired func() float64) (moves bool) {
	penalty := d.p.l2 / 2 * square
	if !d.p.head.free {
		penalty += d.p.l2 / 2 * dot(d.eta, d.eta)
		best.dual = max(best.dual, value+penalty-gap)
	} else {
		best.dual = max(best.dual, repaired())
	}
	if value+penalty < best.objective {
		best.objective, best.w, best.eta = value+penalty, slices.Clone(w), slices.Clone(d.eta)
	}
	return d.p.head.free && gap <= .1*(best.objective-best.dual)
}

// repaired returns the dual objective at the nearest feasible point when the offsets are free: Σ v u_l =
// 0 is satisfied by shrinking the multipliers of the side of each threshold with the larger sum. Losses
// are non-negative, so 0 is one of their minorants and a shrunk mixture is still a mixture.
func (s *sweeper) repaired() float64 {
	shrink := s.balance()
	size := len(s.w) + len(s.eta) + 1
	sums := s.total(size, func(i int, to []float64) {
		var buf [64]float64
		u := append(buf[:0], s.u[i*s.k:(i+1)*s.k]...)
		for l, h := range s.hulls[i*s.parts : (i+1)*s.parts] {
			t := shrink[l][side(u[l])]
			u[l] *= t
			for _, e := range h {
				to[size-1] += s.p.v[i] * t * e.a * e.b
			}
		}
		s.add(to, i, u)
	})
	w := sums[:len(s.w)]
	return sums[size-1] - dot(w, w)/(2*s.p.l2)
}

func side(u float64) int {
	if u > 0 {
		return 1
	}
	return 0
}

// balance returns for each output the factors by which negative and positive multipliers shrink.
func (d *duals) balance() [][2]float64 {
	mass := make([][2]float64, d.k)
	for i, v := range d.p.v {
		for l, u := range d.u[i*d.k : (i+1)*d.k] {
			mass[l][side(u)] += v * math.Abs(u)
		}
	}
	for l, m := range mass {
		mass[l] = [2]float64{1, 1}
		switch {
		case m[0] > m[1]:
			mass[l][0] = m[1] / m[0]
		case m[1] > m[0]:
			mass[l][1] = m[0] / m[1]
		}
	}
	return mass
}

// proof is the best point so far and the best lower bound.
type proof struct {
	objective, dual float64
	w, eta          []float64 // of a linear score
}

func (b proof) gap() float64 { return max(0, b.objective-b.dual) / max(b.objective, 1e-12) }

func (b proof) fitted(o Options) *Fitted {
	gap := b.gap()
	f := &Fitted{Objective: b.objective, Gap: &gap, Stopped: "gap"}
	if gap > o.Gap {
		f.Stopped = "iterations"
		f.Warnings = append(f.Warnings, fmt.Sprintf("The fit stopped at a relative duality gap of %.1e, above the %.1e "+
			"asked for.", gap, o.Gap))
	}
	return f
}

// tell sends a point of a fit to Trace and Report.
func (o Options) tell(step, limit int, best proof) {
	if o.Report != nil {
		o.Report(progress(step, limit, best))
	}
	if o.Trace != nil {
		gap := best.gap()
		o.Trace(linear.Step{Iteration: step, Objective: best.objective, Gap: &gap})
	}
}

func progress(step, limit int, b proof) linear.Progress {
	return linear.Progress{Fraction: float64(step) / float64(limit), Message: fmt.Sprintf("Gap %.1e", b.gap()),
		Iteration: step, Objective: b.objective}
}

// sweeper maximises the dual of a linear score, one row after another in random order, and updates W =
// −(1/λ) Σ v Sᵀu xᵀ (block coordinate ascent after Shalev-Shwartz and Zhang, JMLR 2013, with the corners
// of Lacoste-Julien et al., ICML 2013).
type sweeper struct {
	*duals
	ctx    context.Context
	x      linear.Matrix
	w      []float64 // m×d
	square []float64 // ‖x_i‖²
	climb  *climber
	z      []float64 // m
	dz     []float64
	deta   []float64
	part   []float64 // partial sums of a block
}

func newSweeper(ctx context.Context, p *problem) *sweeper {
	n, d := p.x.Rows, p.x.Cols
	s := &sweeper{ctx: ctx, x: p.x, w: make([]float64, p.head.m*d), square: make([]float64, n),
		z: make([]float64, p.head.m), dz: make([]float64, p.head.m), deta: make([]float64, p.head.r)}
	sum := 0.0
	for i := range n {
		s.square[i] = dot(p.x.Row(i), p.x.Row(i))
		sum += p.v[i] * s.square[i]
	}
	s.duals = newDuals(p, p.grip(sum))
	s.climb = newClimber(s.duals)
	s.part = make([]float64, s.blocks.count*(p.head.m*d+p.head.r+1))
	return s
}

// scores fills z with W·x and f with the potentials.
func (s *sweeper) scores(f, z, x []float64) {
	for l := range z {
		z[l] = inner(s.w[l*len(x):(l+1)*len(x)], x)
	}
	s.p.head.apply(f, z, s.eta)
}

func (s *sweeper) all() []int {
	rows := make([]int, s.x.Rows)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// grip is ρ: λ for penalised offsets. For free ones it is chosen so that they move as fast as the scores
// of a row with mean squared norm.
func (p *problem) grip(square float64) float64 {
	if p.head.free && square > 0 {
		return p.l2 / square
	}
	return p.l2
}
