package loss

import "math"

// alSquared is the adversarial squared loss (i − j)² (Fathony et al. 2018, Theorem 7; docs/math.md,
// section 7.3), in O(k).
type alSquared struct {
	k int
	w float64
}

func (l alSquared) Outputs() int   { return l.k }
func (l alSquared) Options() int   { return l.k }
func (l alSquared) unit() float64  { return l.w }
func (l alSquared) floor() float64 { d := float64(l.k); return -4 * d * d }

func (l alSquared) play(q, g []float64) float64 {
	m := solveSquared(g)
	if q != nil {
		clear(q)
		q[m.i] = m.qi
		if m.j != m.i {
			q[m.j] = 1 - m.qi
		}
	}
	return m.v
}

// squaredMix is the adversary's best mixture of two labels i ≤ j, for which the predictor is indifferent
// between l − 1 and l; i = j means a single label.
type squaredMix struct {
	v    float64
	i, j int
	qi   float64
}

// solveSquared tries the vertices of the concave majorant of (i, g_i + i²), and for each edge all l
// between its ends. Of equal values the first is taken.
func solveSquared(g []float64) squaredMix {
	var buf [room]int
	hull := majorant(buf[:0], g)
	best := squaredMix{v: -inf}
	for _, i := range hull {
		if g[i] > best.v {
			best = squaredMix{v: g[i], i: i, j: i, qi: 1}
		}
	}
	for n := 1; n < len(hull); n++ {
		i, j := hull[n-1], hull[n]
		for l := i + 1; l <= j; l++ {
			qi := float64(2*(j-l)+1) / float64(2*(j-i))
			v := qi*(g[i]+square(l-i)) + (1-qi)*(g[j]+square(j-l))
			if v > best.v {
				best = squaredMix{v, i, j, qi}
			}
		}
	}
	return best
}

func square(d int) float64 { return float64(d) * float64(d) }

// majorant appends the vertices of the concave majorant of (i, g_i + i²). The test of a middle point does
// not subtract squares, which would cancel: their second difference is (b−a)(c−b)(c−a), in closed form.
func majorant(hull []int, g []float64) []int {
	for c := range g {
		for n := len(hull); n > 1; n-- {
			a, b := hull[n-2], hull[n-1]
			left, right := float64(b-a), float64(c-b)
			if (g[b]-g[a])*right-(g[c]-g[b])*left > left*right*(left+right) {
				break
			}
			hull = hull[:n-1]
		}
		hull = append(hull, c)
	}
	return hull
}

// predict fills p with the optimal mixture, which is unique. On an edge the mean of the prediction is m*
// = (c_j − c_i)/(2(j−i)), a mixture of the two neighbouring labels; at a vertex it is the label itself.
func (l alSquared) predict(p, g []float64) {
	m := solveSquared(g)
	clear(p)
	if m.i == m.j {
		p[m.i] = 1
		return
	}
	mean := float64(m.i+m.j)/2 + (g[m.j]-g[m.i])/float64(2*(m.j-m.i))
	lo := math.Floor(min(max(mean, 0), float64(l.k-1)))
	at := min(int(lo), l.k-2)
	p[at+1] = min(1, max(0, mean-float64(at)))
	p[at] = 1 - p[at+1]
}

var advSquared = Family{
	ID: "al-squared", Title: "Adversarial squared", Kind: KindPotential,
	Source:  "Fathony et al. 2018, Theorem 7",
	Errata:  []string{"Fathony 5", "Fathony 10"},
	Formula: `\max_{i,j,l}\,q_i(f_i+w(l-i)^2)+q_j(f_j+w(j-l)^2)-f_y`,
	Use:     "Ordered classes; an error costs its squared distance in classes.",
	Params:  []Param{weight()}, Cases: weightCases,

	PaperSolver: "pegasos", Ordered: true,

	Potential: func(v Values, k int) Potential { return adversarial{alSquared{k, v.Number("weight")}} },
}
