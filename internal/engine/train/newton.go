package train

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	lapack "gonum.org/v1/gonum/lapack/gonum"
)

// newton minimises the interval objective by the method of multipliers: each
// kink is bent over a width ε about the multiplier reached so far (Moreau
// envelope, so slopes stay inside their range and the multipliers are a dual
// point), the bent problem is solved by Newton steps with an exact line
// search, and ε falls until the duality gap is certified. It is the semismooth
// Newton augmented Lagrangian method of Li, Sun and Toh (2018) for the dual of
// math.md §6.
//
// theta, grad and step have d+1 entries; the last belongs to the intercept.
type newton struct {
	ctx  context.Context
	set  sample
	rows *rows
	team *team
	side [2]kinks
	l2   float64
	eps  float64

	theta, grad, step []float64
	f                 []float64 // scores at theta
	u                 []float64 // f + ε·center: where the envelope is evaluated
	df                []float64 // change of the scores along step
	center            []float64 // multiplier about which the kinks are bent
	t                 []float64 // multiplier: derivative of the envelope in f, −y·s in math.md §6
	vt                []float64 // weight × multiplier
	state             []uint8   // piece of the envelope each row is on

	hess   hessian
	search lineSearch
	iters  int // Newton steps
	evals  int // passes over the rows
}

func newNewton(ctx context.Context, set sample, side [2]kinks, t *team) *newton {
	n, d := set.x.Rows, set.x.Cols
	s := &newton{ctx: ctx, set: set, rows: newRows(set.x, t), team: t, side: side,
		theta: make([]float64, d+1), grad: make([]float64, d+1), step: make([]float64, d+1),
		f: make([]float64, n), u: make([]float64, n), df: make([]float64, n), center: make([]float64, n),
		t: make([]float64, n), vt: make([]float64, n), state: make([]uint8, n)}
	s.hess.init(s)
	s.search.init(s)
	return s
}

// bend sets the width and the centre of the bent problem and evaluates it.
func (s *newton) bend(eps float64) {
	s.eps = eps
	s.side[0].smooth(eps)
	s.side[1].smooth(eps)
	s.rows.apply(s.f, s.theta)
	for i, f := range s.f {
		s.u[i] = f + eps*s.center[i]
	}
	s.multipliers()
	s.gradient()
}

// multipliers updates state, t and vt at u.
func (s *newton) multipliers() {
	for i, u := range s.u {
		k := &s.side[s.set.side[i]]
		z := k.locate(s.state[i], u)
		s.state[i] = z
		s.t[i] = k.base[z] + k.rate[z]*(u-k.from[z])
		s.vt[i] = s.set.v[i] * s.t[i]
	}
}

// gradient stores Xᵀ(v·t) + λ(w, 0) in grad.
func (s *newton) gradient() {
	s.rows.adjoint(s.grad, s.vt)
	for j, w := range s.theta[:len(s.theta)-1] {
		s.grad[j] += s.l2 * w
	}
	s.evals++
}

// slack is what the gradient adds to the duality gap: ‖∇w‖²/2λ + r·|∇b|, with
// r the range of the kinks, the most the intercept can gain.
func (s *newton) slack() float64 {
	d := len(s.grad) - 1
	sq := 0.0
	for _, g := range s.grad[:d] {
		sq += g * g
	}
	neg, pos := s.side[0].at, s.side[1].at
	return sq/(2*s.l2) + (pos[len(pos)-1]-neg[0])*math.Abs(s.grad[d])
}

// solve minimises the bent problem until its gradient adds no more than tol
// to the gap, or max steps are made.
func (s *newton) solve(tol float64, max int) error {
	for range max {
		if s.slack() <= tol {
			return nil
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if !s.advance() {
			return nil
		}
	}
	return nil
}

// advance makes one Newton step; false means no descent is left in rounding.
func (s *newton) advance() bool {
	s.hess.assemble()
	if !s.hess.solve(s.step, s.grad) {
		return false
	}
	slope := dot(s.grad, s.step)
	if !(slope < 0) {
		return false
	}
	s.rows.apply(s.df, s.step)
	alpha := s.search.run(slope)
	if alpha == 0 {
		return false
	}
	for j, p := range s.step {
		s.theta[j] += alpha * p
	}
	for i, p := range s.df {
		s.f[i] += alpha * p
		s.u[i] += alpha * p
	}
	s.multipliers()
	s.gradient()
	s.iters++
	return true
}

func dot(a, b []float64) float64 {
	return kernel.Ddot(len(a), a, 1, b, 1)
}

// hessian is the bent problem's. The intercept is eliminated first, which
// centres the rows on a bend at their mean m: what remains,
// λI + (1/ε) Σ v (x−m)(x−m)ᵀ, is positive definite whatever rows those are.
type hessian struct {
	s      *newton
	active []int     // rows on a bend
	mass   float64   // Σ v/ε over them: the intercept's curvature
	mean   []float64 // m
	cols   []float64 // d×stride: √(v/ε)(x−m), one column of X a row
	stride int
	a      []float64 // d×d upper triangle, then its Cholesky factor

	gatherFn, productFn func(int)
}

const gatherRows = 64 // rows a gathering task

func (h *hessian) init(s *newton) {
	d := s.set.x.Cols
	*h = hessian{s: s, active: make([]int, 0, s.set.x.Rows), mean: make([]float64, d), a: make([]float64, d*d)}
	h.gatherFn, h.productFn = h.gather, h.product
}

// assemble builds the matrix; each task owns whole rows of it.
func (h *hessian) assemble() {
	s, d := h.s, h.s.set.x.Cols
	h.active, h.mass = h.active[:0], 0
	clear(h.mean)
	for i, z := range s.state {
		if v := s.set.v[i]; z&1 == 1 && v > 0 {
			h.active = append(h.active, i)
			h.mass += v / s.eps
			kernel.Daxpy(d, v/s.eps, s.set.x.Row(i), 1, h.mean, 1)
		}
	}
	if h.mass > 0 {
		kernel.Dscal(d, 1/h.mass, h.mean, 1)
	}
	m := len(h.active)
	h.stride = m
	if need := d * m; cap(h.cols) < need {
		h.cols = make([]float64, need, need+need/4)
	}
	h.cols = h.cols[:d*m]
	s.team.run((m+gatherRows-1)/gatherRows, h.gatherFn)
	s.team.run(d, h.productFn)
}

// gather copies centred, scaled active rows into columns.
func (h *hessian) gather(k int) {
	s := h.s
	lo := k * gatherRows
	for at, i := range h.active[lo:min(lo+gatherRows, len(h.active))] {
		scale := math.Sqrt(s.set.v[i] / s.eps)
		p := lo + at
		for j, x := range s.set.x.Row(i) {
			h.cols[p] = scale * (x - h.mean[j])
			p += h.stride
		}
	}
}

// product computes one row of the upper triangle.
func (h *hessian) product(j int) {
	d := h.s.set.x.Cols
	row := h.a[j*d+j : (j+1)*d]
	clear(row)
	const chunk = 1024 // active rows at a time, to stay in cache
	for lo := 0; lo < h.stride; lo += chunk {
		m := min(chunk, h.stride-lo)
		kernel.Dgemv(blas.NoTrans, d-j, m, 1, h.cols[j*h.stride+lo:], h.stride, h.cols[j*h.stride+lo:], 1, 1, row, 1)
	}
	row[0] += h.s.l2
}

// flatCurvature stands in for the intercept's when no row is on a bend; the
// line search finds the right length.
const flatCurvature = 0.1

// solve stores the Newton step −H⁻¹·grad in dst.
func (h *hessian) solve(dst, grad []float64) bool {
	d := len(grad) - 1
	if !(lapack.Implementation{}).Dpotrf(blas.Upper, d, h.a, d) {
		return false
	}
	for j, g := range grad[:d] {
		dst[j] = h.mean[j]*grad[d] - g
	}
	kernel.Dtrsv(blas.Upper, blas.Trans, blas.NonUnit, d, h.a, d, dst, 1)
	kernel.Dtrsv(blas.Upper, blas.NoTrans, blas.NonUnit, d, h.a, d, dst, 1)
	mass := h.mass
	if mass == 0 {
		mass = flatCurvature
	}
	dst[d] = -grad[d]/mass - dot(h.mean, dst[:d])
	return true
}
