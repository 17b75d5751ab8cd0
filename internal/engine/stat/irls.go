package stat

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// regression is a logistic regression without penalty.
type regression struct {
	beta []float64
	cov  *mat.SymDense // inverse of the information matrix
}

// irls fits a logistic regression without penalty by iteratively reweighted least squares. A bootstrap sample
// contains a row as often as it was drawn. Terms of a row are computed once, and sums run over the sample in
// the order of its draws, so the result has the same bits as a fit to the sample written out.
type irls struct {
	x     []float64 // rows×cols, row-major, including a column of ones
	cols  int
	event []bool
	drawn []int // row index of each draw; nil means each row once, in order

	f     []float64 // scores of the rows
	e     []float64 // exp(−|f|)
	terms []float64 // per row, or of the current row: terms of the gradient, then of the information's upper triangle
	sums  []float64 // sums of terms
	chol  mat.Cholesky
}

// logistic fits event on the rows×cols row-major x, which includes a column of ones, by Newton steps that are
// halved while they decrease the likelihood. drawn is as in irls. It also returns the scores of the rows. ok is
// false when the information is singular or the likelihood has no finite maximum.
func logistic(x []float64, cols int, event []bool, drawn []int) (r regression, f []float64, ok bool) {
	s := &irls{x: x, cols: cols, event: event, drawn: drawn}
	s.begin()
	r.beta = make([]float64, cols)
	best := s.move(r.beta)
	for range 60 {
		step, ok := s.step()
		if !ok {
			return r, nil, false
		}
		for try := 0; ; try++ {
			beta := floats.AddTo(make([]float64, cols), r.beta, step)
			if l := s.move(beta); l >= best-1e-12*math.Abs(best) || try > 40 {
				r.beta, best = beta, l
				break
			}
			floats.Scale(0.5, step)
		}
		if floats.Norm(s.f, math.Inf(1)) > 1e4 { // separated classes: the scores diverge
			return r, nil, false
		}
		if floats.Norm(step, math.Inf(1)) <= 1e-11*(1+floats.Norm(r.beta, math.Inf(1))) {
			r.cov, ok = s.inverse()
			return r, s.f, ok
		}
	}
	return r, nil, false
}

func (s *irls) begin() {
	n, width := len(s.event), s.cols+s.cols*(s.cols+1)/2
	s.f, s.e = make([]float64, n), make([]float64, n)
	s.sums = make([]float64, width)
	if s.drawn != nil {
		width *= n
	}
	s.terms = make([]float64, width)
}

// factors is how many terms 1 + exp(−|f|), each between 1 and 2, can be multiplied without overflow.
const factors = 1000

// move computes the scores at β and returns the log-likelihood. It takes one logarithm per product of many 1 +
// e, since logarithms dominate the time.
func (s *irls) move(beta []float64) (l float64) {
	product, n := 1.0, 0
	count := func(i int) {
		if v := s.f[i]; s.event[i] == (v < 0) {
			l -= math.Abs(v)
		}
		product *= 1 + s.e[i]
		if n++; n%factors == 0 {
			l -= math.Log(product)
			product = 1
		}
	}
	for i := range s.f {
		v := floats.Dot(s.x[i*s.cols:(i+1)*s.cols], beta)
		s.f[i], s.e[i] = v, math.Exp(-math.Abs(v))
		if s.drawn == nil {
			count(i)
		}
	}
	for _, i := range s.drawn {
		count(i)
	}
	return l - math.Log(product)
}

// step returns the Newton step H⁻¹g at the current scores.
func (s *irls) step() (step []float64, ok bool) {
	width := len(s.sums)
	clear(s.sums)
	for i := range s.f {
		if s.drawn == nil {
			s.term(s.terms, i)
			floats.Add(s.sums, s.terms)
		} else {
			s.term(s.terms[i*width:(i+1)*width], i)
		}
	}
	for _, i := range s.drawn {
		floats.Add(s.sums, s.terms[i*width:(i+1)*width])
	}
	h := make([]float64, s.cols*s.cols)
	for j, from := 0, s.cols; j < s.cols; j++ {
		from += copy(h[j*s.cols+j:(j+1)*s.cols], s.sums[from:])
	}
	if !s.chol.Factorize(mat.NewSymDense(s.cols, h)) || s.chol.Cond() > 1e13 {
		return nil, false
	}
	var d mat.VecDense
	if s.chol.SolveVecTo(&d, mat.NewVecDense(s.cols, s.sums[:s.cols])) != nil {
		return nil, false
	}
	return d.RawVector().Data, true
}

// term sets dst to the contribution of row i to the gradient and to the upper triangle of the information.
func (s *irls) term(dst []float64, i int) {
	row := s.x[i*s.cols : (i+1)*s.cols]
	res, w := residualOf(s.f[i], s.e[i], s.event[i])
	to := dst[s.cols:]
	for j, a := range row {
		dst[j] = res * a
		wa := w * a
		for k, b := range row[j:] {
			to[k] = wa * b
		}
		to = to[len(row)-j:]
	}
}

// inverse returns H⁻¹ at the scores of the last step.
func (s *irls) inverse() (cov *mat.SymDense, ok bool) {
	cov = mat.NewSymDense(s.cols, nil)
	return cov, s.chol.InverseTo(cov) == nil
}

// at returns βx and its standard error √(xᵀ·cov·x).
func (r regression) at(x []float64) (f, se float64) {
	v := mat.NewVecDense(len(x), x)
	return floats.Dot(x, r.beta), math.Sqrt(max(0, mat.Inner(v, r.cov, v)))
}

// mostStep is the largest Newton step, in standard errors and in units of a coefficient, that is consistent
// with being at the maximum of the likelihood to a solver's tolerance. Where classes are separated every step
// has a length of about 1, and standard errors are huge.
const mostStep = 0.01

// StandardErrors returns the Wald standard errors of the coefficients of a logistic regression without penalty
// whose scores at the maximum of the likelihood are f: the square roots of the diagonal of the inverse
// information. The rows×cols row-major x includes a column of ones. ok is false when the information is
// singular or f is not at that maximum.
func StandardErrors(x []float64, cols int, f []float64, event []bool) (se []float64, ok bool) {
	s := &irls{x: x, cols: cols, event: event}
	s.begin()
	for i, v := range f {
		s.f[i], s.e[i] = v, math.Exp(-math.Abs(v))
	}
	step, ok := s.step()
	if !ok {
		return nil, false
	}
	cov, ok := s.inverse()
	if !ok {
		return nil, false
	}
	for k, v := range step {
		se = append(se, math.Sqrt(cov.At(k, k)))
		if !(math.Abs(v) <= mostStep*min(1, se[k])) {
			return nil, false
		}
	}
	return se, true
}

// Wald returns the ratio exp(log) with the interval that follows from the standard error of log.
func Wald(log, se float64) Estimate { return logNormal(log, se) }
