package stat

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// regression is a logistic regression without penalty.
type regression struct {
	beta []float64
	cov  *mat.SymDense // inverse information
}

// logistic fits event on the rows×cols row-major x, which holds its own column
// of ones, by Newton steps that are halved while they lose likelihood. Not ok
// when the information is singular or no finite coefficients are the best.
func logistic(x []float64, cols int, event []bool) (r regression, ok bool) {
	r.beta = make([]float64, cols)
	f := make([]float64, len(event))
	best := likelihood(f, event)
	for range 60 {
		step, cov, ok := newtonStep(x, cols, f, event)
		if !ok {
			return r, false
		}
		r.cov = cov
		for try := 0; ; try++ {
			beta := floats.AddTo(make([]float64, cols), r.beta, step)
			linear(f, x, beta)
			if l := likelihood(f, event); l >= best-1e-12*math.Abs(best) || try > 40 {
				r.beta, best = beta, l
				break
			}
			floats.Scale(0.5, step)
		}
		if floats.Norm(f, math.Inf(1)) > 1e4 { // separated: the risks run to 0 and 1
			return r, false
		}
		if floats.Norm(step, math.Inf(1)) <= 1e-11*(1+floats.Norm(r.beta, math.Inf(1))) {
			return r, true
		}
	}
	return r, false
}

// linear sets f = Xβ.
func linear(f, x, beta []float64) {
	k := len(beta)
	for i := range f {
		f[i] = floats.Dot(x[i*k:(i+1)*k], beta)
	}
}

// newtonStep returns H⁻¹g and H⁻¹ at the scores f.
func newtonStep(x []float64, cols int, f []float64, event []bool) (step []float64, cov *mat.SymDense, ok bool) {
	g, h := make([]float64, cols), make([]float64, cols*cols) // h: upper triangle
	for i, v := range f {
		row := x[i*cols : (i+1)*cols]
		res, w := residual(v, event[i])
		for j, a := range row {
			g[j] += res * a
			to, wa := h[j*cols:(j+1)*cols], w*a
			for k := j; k < cols; k++ {
				to[k] += wa * row[k]
			}
		}
	}
	var c mat.Cholesky
	if !c.Factorize(mat.NewSymDense(cols, h)) || c.Cond() > 1e13 {
		return nil, nil, false
	}
	var d mat.VecDense
	cov = mat.NewSymDense(cols, nil)
	if c.SolveVecTo(&d, mat.NewVecDense(cols, g)) != nil || c.InverseTo(cov) != nil {
		return nil, nil, false
	}
	return d.RawVector().Data, cov, true
}

// likelihood returns Σ log P at scores f.
func likelihood(f []float64, event []bool) float64 { return logLik(0, 1, f, event) }

// at returns βx and its standard error √(xᵀ·cov·x).
func (r regression) at(x []float64) (f, se float64) {
	v := mat.NewVecDense(len(x), x)
	return floats.Dot(x, r.beta), math.Sqrt(max(0, mat.Inner(v, r.cov, v)))
}

// mostStep is how far a Newton step may go from the maximum of the likelihood as solvers
// find it, in standard errors and in the units of a coefficient. Where classes are
// separated every step goes by about 1, and standard errors are huge.
const mostStep = 0.01

// StandardErrors are those of the coefficients of a logistic regression without penalty
// whose scores at the maximum of the likelihood are f: the square roots of the diagonal
// of the inverse information (Wald). The rows×cols row-major x holds its own column of
// ones. Not ok when the information is singular, and where f is not at that maximum.
func StandardErrors(x []float64, cols int, f []float64, event []bool) (se []float64, ok bool) {
	step, cov, ok := newtonStep(x, cols, f, event)
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

// Wald is exp(log), a ratio, with its interval from the standard error of log.
func Wald(log, se float64) Estimate { return logNormal(log, se) }
