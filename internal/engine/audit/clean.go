package audit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Limits of the fit of true classes.
const (
	cleanSteps = 200
	cleanGain  = 1e-3  // of the log-likelihood: less is no step
	cleanRidge = 0.01  // on temperature and shifts, where the classes come apart
	cleanLevel = 0.999 // of the likelihood ratio up to which no label is wrong
	cleanWork  = 4e6   // most rows × classes²; of more rows every m-th is taken
	leastProb  = 1e-30 // of a class
)

// cleaner fits what the true classes follow, given labels some of which may be
// wrong (Copas 1988 for two classes): P(true = j | x) ∝ p_j(x)^a·exp(b_j), and a
// row of class j is recorded as another one with chance ρ_j. Both a and b mend
// probabilities that are too sure, too timid or off as a whole; ρ is what is
// left where the model is at its surest, since overlap ends there and flips do
// not. Fitted by expectation and maximisation with one Newton step each.
type cleaner struct {
	k      int
	z      []float64 // log p, row-major
	label  []int
	q, r   []float64 // true classes without and with the label
	a      float64
	b      []float64 // of class 0: 0
	rho    []float64
	wrongs bool // ρ is fitted
}

// cleanProb returns the probabilities of true classes, and the ρ of each class,
// nil where labels without an error explain the labels as well: twice the gain
// of the log-likelihood must pass the 99.9 % point of χ² with a degree a class,
// since the form of a and b is an assumption and overlap must not pass for errors.
func cleanProb(prob []float64, label []int, k int) (q, rho []float64) {
	plain := newCleaner(prob, label, k, false)
	noisy := newCleaner(prob, label, k, true)
	best := plain
	if 2*(noisy.fit()-plain.fit()) > (distuv.ChiSquared{K: float64(k)}).Quantile(cleanLevel) {
		best = noisy
		rho = noisy.rho
	}
	best.read(prob, 1)
	best.classes()
	return best.q, rho
}

func newCleaner(prob []float64, label []int, k int, wrongs bool) *cleaner {
	c := &cleaner{k: k, a: 1, b: make([]float64, k), rho: make([]float64, k), wrongs: wrongs}
	every := 1 + int(float64(len(label)*k*k)/cleanWork)
	c.read(prob, every)
	for i := 0; i < len(label); i += every {
		c.label = append(c.label, label[i])
	}
	if wrongs {
		for j := range c.rho {
			c.rho[j] = 0.05
		}
	}
	return c
}

// read takes every m-th row.
func (c *cleaner) read(prob []float64, every int) {
	c.z = c.z[:0]
	for i := 0; i < len(prob); i += every * c.k {
		for _, p := range prob[i : i+c.k] {
			c.z = append(c.z, math.Log(max(p, leastProb)))
		}
	}
	c.q, c.r = make([]float64, len(c.z)), make([]float64, len(c.z))
}

// fit returns the log-likelihood it ends at.
func (c *cleaner) fit() float64 {
	at := c.expect()
	for range cleanSteps {
		c.maximise()
		was := at
		if at = c.expect(); at-was < cleanGain {
			break
		}
	}
	return at
}

// classes fills q.
func (c *cleaner) classes() {
	for i := 0; i < len(c.z); i += c.k {
		q, z := c.q[i:i+c.k], c.z[i:i+c.k]
		for j := range q {
			q[j] = c.a*z[j] + c.b[j]
		}
		top, sum := slices.Max(q), 0.0
		for j := range q {
			q[j] = math.Exp(q[j] - top)
			sum += q[j]
		}
		for j := range q {
			q[j] /= sum
		}
	}
}

// expect fills q and r and returns the log-likelihood of the labels.
func (c *cleaner) expect() (sum float64) {
	c.classes()
	for i, l := range c.label {
		q, r := c.q[i*c.k:(i+1)*c.k], c.r[i*c.k:(i+1)*c.k]
		all := 0.0
		for j := range r {
			r[j] = q[j] * c.records(j, l)
			all += r[j]
		}
		for j := range r {
			r[j] /= max(all, leastProb)
		}
		sum += math.Log(max(all, leastProb))
	}
	return sum
}

// records is the chance that class j is recorded as l.
func (c *cleaner) records(j, l int) float64 {
	if j == l {
		return 1 - c.rho[j]
	}
	return c.rho[j] / float64(c.k-1)
}
