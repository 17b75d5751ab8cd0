package loss

import (
	"math"
	"slices"
)

// alAbstain is the adversarial loss of a predictor that may abstain at the cost alpha (Fathony et al.
// 2018, Theorem 13; docs/math.md, section 7.4). For alpha > ½ the formula in the paper is wrong (docs/errata.md,
// Fathony 2), and playDear computes the value of the game.
type alAbstain struct {
	k     int
	alpha float64
}

func (l alAbstain) Outputs() int   { return l.k }
func (l alAbstain) Options() int   { return l.k + 1 } // the last option is to abstain
func (l alAbstain) unit() float64  { return 1 }
func (l alAbstain) floor() float64 { return -4 }

func (l alAbstain) play(q, g []float64) float64 {
	if l.alpha > .5 {
		return l.playDear(q, g)
	}
	i, j := two(g)
	v, share := g[i], 1.0
	if u := (1-l.alpha)*g[i] + l.alpha*g[j] + l.alpha; u > v {
		v, share = u, 1-l.alpha
	}
	if q != nil {
		clear(q)
		q[i] = share
		q[j] += 1 - share
	}
	return v
}

// two returns the indices of the largest and the second largest entry; of equal entries the lower index.
func two(g []float64) (i, j int) {
	i = Argmax(g)
	return i, bestOther(i, g)
}

// playDear solves the game for α > ½. The adversary either mixes the support of the zero-one game evenly
// or, when that has more than 1/(1−α) labels, gives 1−α to as many of the best labels as possible and the
// rest to the next one; abstaining then costs as much as predicting any of them.
func (l alAbstain) playDear(q, g []float64) float64 {
	_, _, n := support(g)
	m := l.full()
	if n <= m {
		return alZeroOne{k: l.k}.play(q, g)
	}
	order := descending(g)
	rest := 1 - float64(m)*(1-l.alpha)
	v := l.alpha + rest*g[order[m]]
	for _, i := range order[:m] {
		v += (1 - l.alpha) * g[i]
	}
	if q != nil {
		clear(q)
		for _, i := range order[:m] {
			q[i] = 1 - l.alpha
		}
		q[order[m]] = rest
	}
	return v
}

// full returns how many labels can have a share of 1−α each.
func (l alAbstain) full() int {
	if m := math.Floor(1 / (1 - l.alpha)); m < float64(l.k) {
		return int(m)
	}
	return l.k
}

func descending(g []float64) []int {
	order := make([]int, len(g))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case g[a] > g[b]:
			return -1
		case g[a] < g[b]:
			return 1
		}
		return 0
	})
	return order
}

// predict fills p with the predictor's mixture. For α ≤ ½ the leading label gets its margin over the next
// one, and abstaining the rest. Above, the leading labels get their margin over the first label without a
// full share, if the support is too large for the zero-one solution.
func (l alAbstain) predict(p, g []float64) {
	labels := p[:l.k]
	clear(p)
	if l.alpha <= .5 {
		i, j := two(g)
		p[i] = min(1, g[i]-g[j])
		p[l.k] = 1 - p[i]
		return
	}
	_, _, n := support(g)
	if n <= l.full() {
		alZeroOne{k: l.k}.predict(labels, g)
		return
	}
	next := g[descending(g)[l.full()]]
	sum := 0.0
	for j, u := range g {
		labels[j] = max(0, u-next)
		sum += labels[j]
	}
	p[l.k] = max(0, 1-sum)
}

// abstaining decides by the larger share of p*: abstaining or the leading class. For α ≤ ½ the leading
// class needs a margin of ½.
type abstaining struct{ adversarial }

func (a abstaining) Decide(f []float64) int { return DecideAbstain(f) }

// DecideAbstain returns the leading class if its margin is at least ½, otherwise Abstain.
func DecideAbstain(f []float64) int {
	i, j := two(f)
	if f[i]-f[j] >= .5 {
		return i
	}
	return Abstain
}

var advAbstain = Family{
	ID: "al-abstain", Title: "Adversarial, with abstention", Kind: KindPotential,
	Source:  "Fathony et al. 2018, Theorem 13; extended beyond α = ½",
	Errata:  []string{"Fathony 2"},
	Formula: `\max\bigl(f_{(1)},\,(1-\alpha)f_{(1)}+\alpha f_{(2)}+\alpha\bigr)-f_y`,
	Use:     "Abstains where every answer has an expected cost above α.",
	Params: []Param{{
		Name: "alpha", Symbol: "α", Type: Number, Min: 0, Max: 1,
		SliderMin: 0, SliderMax: .5, Step: .01, Default: Value{Number: .5},
		Ticks: []Tick{{1. / 3, "⅓"}, {.5, "½"}}, Description: "cost of abstaining, where an error costs 1",
	}},
	Cases: []Case{{"½", "alpha=0.5"}, {"⅓", "alpha=0.3333333333333333"}, {"free", "alpha=0"}, {"dear", "alpha=0.6"},
		{"dearer", "alpha=0.8"}, {"as an error", "alpha=1"}},

	PaperSolver: "pegasos", Abstains: true,

	Potential: func(v Values, k int) Potential {
		return abstaining{adversarial{alAbstain{k, v.Number("alpha")}}}
	},
}
