package audit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Settings of the fit of true classes.
const (
	cleanSteps = 200
	cleanGain  = 1e-3  // gain of the log-likelihood below which iteration ends
	cleanRidge = 0.01  // ridge on temperature and shifts, needed where the classes are separated
	cleanLevel = 0.999 // level of the likelihood-ratio test for wrong labels
	cleanWork  = 4e6   // largest rows × classes²; with more rows every m-th is used
	leastProb  = 1e-30 // lower bound of a class's probability
)

// cleaner fits the distribution of the true classes, given labels some of which may be wrong (Copas 1988
// for two classes): P(true = j | x) ∝ p_j(x)^a·exp(b_j), and a row of class j is recorded as another one
// with probability ρ_j. a and b correct probabilities that are too extreme, not extreme enough, or
// biased. ρ is the rate of disagreement that remains where the model is most confident: overlap vanishes
// there, flips do not. The fit uses expectation–maximisation with one Newton step per iteration.
type cleaner struct {
	k      int
	z      []float64 // log p, row-major
	label  []int
	q, r   []float64 // probabilities of true classes without and with knowledge of the label
	a      float64
	b      []float64 // b of class 0 is 0
	rho    []float64
	wrongs bool // whether ρ is fitted
}

// cleanProb returns the probabilities of the true classes and the ρ of each class, nil where labels
// without errors explain the data as well. The test is a likelihood ratio at 99.9 % with one degree of
// freedom per class: strict, because the form with a and b is an assumption, and overlap must not be
// reported as errors.
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

// read uses every m-th row.
func (c *cleaner) read(prob []float64, every int) {
	c.z = c.z[:0]
	for i := 0; i < len(prob); i += every * c.k {
		for _, p := range prob[i : i+c.k] {
			c.z = append(c.z, math.Log(max(p, leastProb)))
		}
	}
	c.q, c.r = make([]float64, len(c.z)), make([]float64, len(c.z))
}

// fit returns the final log-likelihood.
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

// classes computes q.
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

// expect computes q and r and returns the log-likelihood of the labels.
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

// records is the probability that class j is recorded as l.
func (c *cleaner) records(j, l int) float64 {
	if j == l {
		return 1 - c.rho[j]
	}
	return c.rho[j] / float64(c.k-1)
}
