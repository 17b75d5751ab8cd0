package synth

import "taper/internal/engine/table"

// longServedio is the 21-dimensional data of Long and Servedio as used by Ding and Vishwanathan
// 2010 and Sypherd et al. 2023 (docs/math.md, Datasets and noise): a quarter large-margin rows,
// a quarter pullers, half penalizers; y·Σx is 21, 1 and 1.
var longServedio = Generator{
	ID: "long-servedio", Title: "Long–Servedio, 21 dimensions",
	Source: "Sypherd et al. 2023, section 6.1; Ding and Vishwanathan 2010, section 5", Rows: 2000, cols: 22,
	make: func(d draw) (*table.Table, Meta) {
		cols, event := features(21, d.rows), make([]bool, d.rows)
		var role [21]bool // whether each feature agrees with the label
		for i := range d.rows {
			event[i] = d.rng.IntN(2) == 1
			roles(&role, d)
			for j, agrees := range role {
				cols[j].Num[i] = -1
				if agrees == event[i] {
					cols[j].Num[i] = 1
				}
			}
		}
		return binary(cols, event)
	},
}

// roles draws a large-margin row, a puller or a penalizer.
func roles(agrees *[21]bool, d draw) {
	*agrees = [21]bool{}
	switch d.rng.IntN(4) {
	case 0: // large margin: all agree
		for j := range agrees {
			agrees[j] = true
		}
	case 1: // puller: the first eleven agree
		for j := range 11 {
			agrees[j] = true
		}
	default: // penalizer: five of the first eleven and six of the last ten
		for _, j := range d.rng.Perm(11)[:5] {
			agrees[j] = true
		}
		for _, j := range d.rng.Perm(10)[:6] {
			agrees[11+j] = true
		}
	}
}

// LongServedioRole determines a row's role from its 21 features and its true class: 0 for large
// margin (all features agree with the class), 1 for a puller (the first eleven agree, not all),
// 2 for a penalizer (docs/math.md, Datasets and noise).
func LongServedioRole(x []float64, class int) int {
	all, first := 0.0, 0.0
	for j, v := range x {
		all += v * float64(2*class-1)
		if j < 11 {
			first += v * float64(2*class-1)
		}
	}
	switch {
	case all == 21:
		return 0
	case first == 11:
		return 1
	}
	return 2
}

// longServedio2D repeats the four points of the counter-example (docs/math.md, Datasets and
// noise): N copies labelled 1 and one flipped copy, so the noise rate is 1/(N+1).
var longServedio2D = Generator{
	ID: "long-servedio-2d", Title: "Long–Servedio, the four points in two dimensions",
	Source: "Sypherd et al. 2023, Fig. 3", Rows: 12,
	Params: []Param{
		{Name: "gamma", Title: "γ", Min: 0.001, Max: 0.1666, Default: 0.05},
		{Name: "copies", Title: "clean copies for each flipped one", Min: 1, Max: 99, Default: 2, Integer: true},
	},
	make: func(d draw) (*table.Table, Meta) {
		g, n := d.params["gamma"], int(d.params["copies"])
		points := [4][2]float64{{1, 0}, {g, -g}, {g, -g}, {g, 5 * g}}
		cols, event := features(2, d.rows), make([]bool, d.rows)
		for i := range d.rows {
			cols[0].Num[i], cols[1].Num[i] = points[i%4][0], points[i%4][1]
			event[i] = i/4%(n+1) < n
		}
		t, meta := binary(cols, event)
		meta.Notes = []string{"Every clean label is 1; the rows labelled 0 are the flipped copies."}
		return t, meta
	},
}

// measeWyner is uniform on the cube with a diagonal decision boundary (docs/math.md, Datasets
// and noise).
var measeWyner = Generator{
	ID: "mease-wyner", Title: "Mease–Wyner, 20 dimensions",
	Source: "Ding and Vishwanathan 2010, section 5", Rows: 2000, cols: 21,
	make: func(d draw) (*table.Table, Meta) {
		cols, event := features(20, d.rows), make([]bool, d.rows)
		for i := range d.rows {
			sum := 0.0
			for j, c := range cols {
				c.Num[i] = d.rng.Float64()
				if j < 5 {
					sum += c.Num[i]
				}
			}
			event[i] = sum >= 2.5
		}
		return binary(cols, event)
	},
}

// gmm is a mixture of two Gaussians at ±(1, 1) with unit covariance; the Bayes score is 2x₁ +
// 2x₂ + logit of the prevalence (docs/math.md, Datasets and noise).
var gmm = Generator{
	ID: "gmm", Title: "Two Gaussians", Source: "Sypherd et al. 2023, section 6.2", Rows: 1000,
	Params: []Param{
		{Name: "prevalence", Title: "share of events", Min: 0.001, Max: 0.999, Default: 0.14},
		{Name: "mean", Title: "centre (μ, μ) and (−μ, −μ)", Min: 0, Max: 10, Default: 1},
	},
	make: func(d draw) (*table.Table, Meta) {
		cols, event := features(2, d.rows), make([]bool, d.rows)
		for i := range d.rows {
			mu := -d.params["mean"]
			if event[i] = d.rng.Float64() < d.params["prevalence"]; event[i] {
				mu = -mu
			}
			for _, c := range cols {
				c.Num[i] = mu + d.rng.NormFloat64()
			}
		}
		return binary(cols, event)
	},
}
