package loss

var intervals = Family{
	ID: "interval", Title: "Interval surrogate", Kind: KindInterval,
	Source:  "Kimes et al. 2016, Proposition 1 and Theorem 3",
	Errata:  []string{"Kimes 1", "Kimes 2", "Kimes 3", "Kimes 15"},
	Formula: `\max\bigl(0,\max_k H(\pi_k)-(1-\pi_k)z\bigr),\quad \max\bigl(0,\max_k H(\pi_k)-\pi_k z\bigr)`,
	Use:     "Risk bands with chosen boundaries: the fit targets these boundaries and gives no individual probabilities.",
	Params: []Param{{
		Name: "pi", Symbol: "π", Type: List, Min: 0, ExclusiveMin: true, Max: 1, ExclusiveMax: true,
		SliderMin: .01, SliderMax: .99, Step: .01, Default: Value{List: []float64{.25, .5, .75}},
		Description: "boundaries between the bands, ascending",
	}},
	Cases: []Case{
		{"hard", "pi=0.5"}, {"weighted", "pi=0.2"}, {"reject", "pi=0.2,0.8"}, {"quartiles", "pi=0.25,0.5,0.75"},
		{"the paper’s", "pi=0.2,0.4,0.6"}, {"extreme", "pi=0.000001,0.5,0.999999"}, {"close", "pi=0.3,0.3000001"},
	},

	Polyhedral: true, PaperSolver: "subgradient",

	Margin: func(v Values) Margin {
		iv, err := NewInterval(v.List("pi"))
		if err != nil {
			panic(err) // Parse has validated the boundaries
		}
		return iv
	},
}

// Hinges returns the margins at which the slope of the surrogate of class s changes, ascending: h_1 … h_K
// for the positive class, −h_(K−1) … −h_0 for the negative.
func (iv Interval) Hinges(s float64) []float64 {
	k := len(iv.Pi)
	h := make([]float64, k)
	for j := range h {
		if s > 0 {
			h[j] = iv.Hinge[j+1]
		} else {
			h[j] = -iv.Hinge[k-1-j]
		}
	}
	return h
}

// Regime applies to both surrogates. Their kinks, which differ, are in Hinges.
func (iv Interval) Regime() Regime { return convex }
