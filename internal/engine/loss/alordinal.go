package loss

// alOrdinal is the adversarial absolute loss |i − j| (Fathony et al. 2018, Theorem 6; docs/math.md, section 7.2),
// in O(k).
type alOrdinal struct {
	k int
	w float64
}

func (l alOrdinal) Outputs() int   { return l.k }
func (l alOrdinal) Options() int   { return l.k }
func (l alOrdinal) unit() float64  { return l.w }
func (l alOrdinal) floor() float64 { return -4 * float64(l.k) }

func (l alOrdinal) play(q, g []float64) float64 {
	i, j := 0, 0
	down, up := -inf, -inf
	for c, u := range g {
		d := float64(c)
		if u-d > down {
			i, down = c, u-d
		}
		if u+d > up {
			j, up = c, u+d
		}
	}
	if q != nil {
		clear(q)
		q[i] += .5
		q[j] += .5
	}
	return (down + up) / 2
}

// predict computes E, the largest convex function below v − g with slopes in [−1, 1]. Its second
// differences are twice p, and every p with this E is optimal.
func (l alOrdinal) predict(p, g []float64) {
	v := l.play(nil, g)
	var buf [room + 2]float64
	e := scratch(buf[:], l.k+2) // one more entry at both ends
	mid := e[1 : l.k+1]
	for c, u := range g {
		mid[c] = v - u
	}
	lipschitz(mid)
	lowerHull(mid)
	e[0], e[l.k+1] = mid[0]+1, mid[l.k-1]+1
	for c := range p {
		p[c] = max(0, (e[c+2]-2*e[c+1]+e[c])/2)
	}
}

// lipschitz replaces u by the largest function below it with slopes in [−1, 1].
func lipschitz(u []float64) {
	for c := 1; c < len(u); c++ {
		u[c] = min(u[c], u[c-1]+1)
	}
	for c := len(u) - 2; c >= 0; c-- {
		u[c] = min(u[c], u[c+1]+1)
	}
}

// lowerHull replaces u by its convex envelope.
func lowerHull(u []float64) {
	var buf [room]int
	hull := buf[:0]
	for c := range u {
		for n := len(hull); n > 1 && above(u, hull[n-2], hull[n-1], c); n-- {
			hull = hull[:n-1]
		}
		hull = append(hull, c)
	}
	for n := 1; n < len(hull); n++ {
		a, b := hull[n-1], hull[n]
		ua, slope := u[a], (u[b]-u[a])/float64(b-a)
		for c := a + 1; c < b; c++ {
			u[c] = ua + slope*float64(c-a)
		}
	}
}

// above reports whether (b, u_b) lies on or above the chord from a to c.
func above(u []float64, a, b, c int) bool {
	return (u[b]-u[a])*float64(c-a) >= (u[c]-u[a])*float64(b-a)
}

var advOrdinal = Family{
	ID: "al-ordinal", Title: "Adversarial absolute", Kind: KindPotential,
	Source:  "Fathony et al. 2018, Theorem 6",
	Errata:  []string{"Fathony 7", "Fathony 10"},
	Formula: `\tfrac12\bigl(\max_i(f_i-wi)+\max_j(f_j+wj)\bigr)-f_y`,
	Use:     "Ordered classes; an error costs its distance in classes.",
	Params:  []Param{weight()}, Cases: weightCases,

	PaperSolver: "pegasos", Ordered: true,

	Potential: func(v Values, k int) Potential { return adversarial{alOrdinal{k, v.Number("weight")}} },
}
