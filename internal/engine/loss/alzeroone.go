package loss

import "slices"

// alZeroOne is the adversarial zero-one loss (Fathony et al. 2018, Theorem 5; docs/math.md, section 7.1), the
// log-partition G_0 of the potentials (sparsemax), in O(k log k).
type alZeroOne struct {
	k int
	w float64
}

func (l alZeroOne) Outputs() int   { return l.k }
func (l alZeroOne) Options() int   { return l.k }
func (l alZeroOne) unit() float64  { return l.w }
func (l alZeroOne) floor() float64 { return -4 }

func (l alZeroOne) play(q, g []float64) float64 {
	v, least, n := support(g)
	for j := range q {
		q[j] = step(g[j] >= least) / float64(n)
	}
	return v
}

// support returns the value of the game, the smallest potential in the support of q, and the size of the
// support. The support consists of the best labels; a label belongs to it as long as its potential
// exceeds the value of the game without it.
func support(g []float64) (v, least float64, n int) {
	var buf [room]float64
	s := scratch(buf[:], len(g))
	copy(s, g)
	slices.Sort(s)
	slices.Reverse(s)
	v, least, n = s[0], s[0], 1
	sum := s[0]
	for n < len(s) && s[n]+1 > v {
		least = s[n]
		sum += least
		n++
		v = (sum + float64(n-1)) / float64(n)
	}
	return v, least, n
}

func (l alZeroOne) predict(p, g []float64) {
	v, _, _ := support(g)
	for j, u := range g {
		p[j] = max(0, u+1-v)
	}
}

var advZeroOne = Family{
	ID: "al-zero-one", Title: "Adversarial zero-one", Kind: KindPotential,
	Source:  "Fathony et al. 2018, Theorem 5",
	Errata:  []string{"Fathony 1", "Fathony 10"},
	Formula: `\max_{S\ne\emptyset}\tfrac{\sum_{j\in S}f_j+w(|S|-1)}{|S|}-f_y`,
	Use:     "Multiclass zero-one loss; Fisher consistent.",
	Params:  []Param{weight()}, Cases: weightCases,

	PaperSolver: "pegasos",

	Potential: func(v Values, k int) Potential { return adversarial{alZeroOne{k, v.Number("weight")}} },
}
