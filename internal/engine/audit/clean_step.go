package audit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// maximise updates ρ and makes one Newton step in a and b, halved until the likelihood increases.
func (c *cleaner) maximise() {
	if c.wrongs {
		c.rates()
	}
	step := c.newton()
	from, a, b := c.value(), c.a, slices.Clone(c.b)
	for range 20 {
		c.a = a + step[0]
		for j := 1; j < c.k; j++ {
			c.b[j] = b[j] + step[j]
		}
		if c.classes(); c.value() >= from {
			return
		}
		for j := range step {
			step[j] /= 2
		}
	}
	c.a, c.b = a, b
}

// rates updates the shares of each class recorded as another one. They stay below ½: with more, the names
// of the classes would be exchanged.
func (c *cleaner) rates() {
	all, wrong := make([]float64, c.k), make([]float64, c.k)
	for i, l := range c.label {
		for j, r := range c.r[i*c.k : (i+1)*c.k] {
			if all[j] += r; j != l {
				wrong[j] += r
			}
		}
	}
	for j := range all {
		if all[j] > 0 {
			c.rho[j] = min(wrong[j]/all[j], 0.49)
		}
	}
}

// value is the objective in a and b: Σ r·log q minus the ridge.
func (c *cleaner) value() (v float64) {
	for i, r := range c.r {
		if r > 0 {
			v += r * math.Log(max(c.q[i], leastProb))
		}
	}
	for _, b := range c.b {
		v -= cleanRidge / 2 * b * b
	}
	return v - cleanRidge/2*c.a*c.a
}

// newton returns the step of a and of b_1 … b_{k−1}.
func (c *cleaner) newton() []float64 {
	k := c.k
	h, g := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
	h.SetSym(0, 0, cleanRidge)
	g.SetVec(0, -cleanRidge*c.a)
	for j := 1; j < k; j++ {
		h.SetSym(j, j, cleanRidge)
		g.SetVec(j, -cleanRidge*c.b[j])
	}
	for i := 0; i < len(c.z); i += k {
		c.add(h, g, c.z[i:i+k], c.q[i:i+k], c.r[i:i+k])
	}
	step := mat.NewVecDense(k, nil)
	var chol mat.Cholesky
	if !chol.Factorize(h) || chol.SolveVecTo(step, g) != nil {
		return make([]float64, k)
	}
	return step.RawVector().Data
}

// add adds a row to the Hessian and gradient.
func (c *cleaner) add(h *mat.SymDense, g *mat.VecDense, z, q, r []float64) {
	mean := 0.0
	for j := range q {
		mean += q[j] * z[j]
	}
	slope, bend := 0.0, 0.0
	for j := range q {
		slope += (r[j] - q[j]) * z[j]
		bend += q[j] * (z[j] - mean) * (z[j] - mean)
	}
	h.SetSym(0, 0, h.At(0, 0)+bend)
	g.SetVec(0, g.AtVec(0)+slope)
	for j := 1; j < c.k; j++ {
		g.SetVec(j, g.AtVec(j)+r[j]-q[j])
		h.SetSym(0, j, h.At(0, j)+q[j]*(z[j]-mean))
		h.SetSym(j, j, h.At(j, j)+q[j]*(1-q[j]))
		for l := j + 1; l < c.k; l++ {
			h.SetSym(j, l, h.At(j, l)-q[j]*q[l])
		}
	}
}
