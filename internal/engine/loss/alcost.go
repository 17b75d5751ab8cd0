package loss

// alCost is the adversarial loss for any cost matrix, whose rows are the predictor's options and whose
// columns are the labels (Fathony et al. 2018, equation (11), corrected as in docs/errata.md, Fathony 3;
// docs/math.md, section 7.5). Each value is an exact linear program; for a small matrix its vertices are listed
// once and the best one is taken.
type alCost struct {
	cost [][]float64 // scaled to [−1, 1]
	mid  float64     // midpoint between the smallest and the largest cost
	half float64     // half their difference; 1 when all costs are equal

	listed []costCorner // vertices for a small matrix, otherwise nil
}

// newCost scales the matrix. Costs are halved before subtracting, so that the difference of huge costs
// stays finite.
func newCost(m [][]float64) alCost {
	lo, hi := inf, -inf
	for _, r := range m {
		for _, c := range r {
			lo, hi = min(lo, c), max(hi, c)
		}
	}
	l := alCost{mid: lo/2 + hi/2, half: hi/2 - lo/2, cost: make([][]float64, len(m))}
	if l.half == 0 {
		l.half = 1
	}
	for i, r := range m {
		l.cost[i] = make([]float64, len(r))
		for j, c := range r {
			l.cost[i][j] = min(1, max(-1, (c-l.mid)/l.half))
		}
	}
	l.listed = l.corners()
	return l
}

func (l alCost) Outputs() int   { return len(l.cost[0]) }
func (l alCost) Options() int   { return len(l.cost) }
func (l alCost) unit() float64  { return l.half }
func (l alCost) floor() float64 { return -8 }

func (l alCost) play(q, g []float64) float64 {
	if l.listed != nil {
		v, mix := l.best(g)
		copy(q, mix)
		return v
	}
	mix := make([]float64, len(g))
	l.solve(g).mixtures(make([]float64, len(l.cost)), mix)
	v := l.worth(mix, g)
	copy(q, mix)
	return v
}

// worth returns the payoff that the mixture q guarantees, that of its worst row. It equals the value of
// the game up to the rounding of q.
func (l alCost) worth(q, g []float64) float64 {
	own := 0.0
	for j, u := range g {
		own += q[j] * u
	}
	least := inf
	for _, r := range l.cost {
		sum := 0.0
		for j, c := range r {
			sum += q[j] * c
		}
		least = min(least, sum)
	}
	return least + own
}

// predict returns, of all optimal mixtures, the one with the smallest sum of costs over the labels, so
// that none is cheaper for one label and at most as dear for the others. Costs in equal steps allow many
// optimal mixtures; without this rule the prediction would depend on the order of the rows.
func (l alCost) predict(p, g []float64) {
	total := make([]float64, len(l.cost))
	for i, r := range l.cost {
		for _, c := range r {
			total[i] += c / float64(len(r))
		}
	}
	t := l.solve(g)
	t.prefer(total)
	t.mixtures(p, make([]float64, len(g)))
}

// solve solves the matrix game with payoffs cost + 1·gᵀ.
func (l alCost) solve(g []float64) *tableau {
	return solveGame(len(l.cost), len(g), func(i, j int) float64 { return l.cost[i][j] + g[j] })
}

// costly adds the midpoint of the costs, which the normal form subtracts, and predicts from the optimal
// mixture p*.
type costly struct {
	adversarial
	mid     float64
	options int
}

func (c costly) Value(y int, f []float64) float64 { return c.mid + c.adversarial.Value(y, f) }

func (c costly) Grad(dst []float64, y int, f []float64) float64 {
	return c.mid + c.adversarial.Grad(dst, y, f)
}

// Decide returns the row with the largest share of p*.
func (c costly) Decide(f []float64) int {
	p := make([]float64, c.options)
	c.Predict(p, f)
	return Argmax(p)
}

var advCost = Family{
	ID: "al-cost", Title: "Adversarial, any cost matrix", Kind: KindPotential,
	Source:  "Fathony et al. 2018, equation (11)",
	Errata:  []string{"Fathony 3", "Fathony 10"},
	Formula: `\min_p\max_q\,p^{\mathsf T}Lq+f^{\mathsf T}q-f_y`,
	Use:     "Any cost matrix, also with more answers than classes.",
	Params: []Param{{
		Name: "matrix", Symbol: "L", Type: Matrix, Min: -inf, Max: inf,
		Default:     Value{Matrix: [][]float64{{0, 1, 4}, {1, 0, 1}, {4, 1, 0}}},
		Description: "one row per answer, one column per class",
	}},
	Cases: []Case{
		{"squared", "matrix=0,1,4/1,0,1/4,1,0"}, {"one-sided", "matrix=0,1/10,0"},
		{"with abstention", "matrix=0,1,1/1,0,1/1,1,0/0.4,0.4,0.4"},
		{"two answers", "matrix=0,1,2,3/3,2,1,0"}, {"equal costs", "matrix=2,2/2,2"}, {"negative", "matrix=-3,1/2,-7"},
		{"huge", "matrix=-1e308,1e308/1e308,-1e308"},
	},

	PaperSolver: "pegasos",

	Classes: func(v Values) int { return len(v.Matrix("matrix")[0]) },
	Potential: func(v Values, _ int) Potential {
		l := newCost(v.Matrix("matrix"))
		return costly{adversarial{l}, l.mid, len(l.cost)}
	},
}
