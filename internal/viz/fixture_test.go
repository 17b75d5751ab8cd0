package viz

import (
	"math"
	"math/rand/v2"

	"taper/internal/engine"
	"taper/internal/engine/crossfit"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
)

// hostile is a name that must be escaped wherever it is used.
const hostile = `</script><img src=x onerror=alert(1)>"'&`

func ptr(v float64) *float64 { return &v }

// wilson is computed here, so that expected values do not come from the code under test
// (docs/clinical.md, Statistics).
func wilson(e, n int) (lo, hi float64) {
	const z = 1.959963984540054
	p, m := float64(e)/float64(n), float64(n)
	mid, half, den := p+z*z/(2*m), z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m)), 1+z*z/m
	return (mid - half) / den, (mid + half) / den
}

func stratum(lower, upper float64, n, events int, verdict string) stat.Stratum {
	s := stat.Stratum{Lower: lower, Upper: upper, N: n, Events: events, Verdict: verdict}
	if n > 0 {
		lo, hi := wilson(events, n)
		s.Observed, s.Low, s.High = ptr(float64(events)/float64(n)), &lo, &hi
	}
	return s
}

// sample is a run like that in the design: 569 rows, four bands.
func sample() *engine.Result {
	rng := rand.New(rand.NewPCG(7, 7))
	r := &engine.Result{
		Outcome: "diagnosis", Positive: table.Levels{"malignant"}, Negative: table.Levels{"benign"},
		Boundaries: []float64{0.25, 0.5, 0.75}, Delta: []float64{-math.Log(3), 0, math.Log(3)},
		Validation: "5 folds, stratified, nested tuning", Monotone: true,
		Strata: []stat.Stratum{
			stratum(0, 0.25, 326, 9, "inside"), stratum(0.25, 0.5, 43, 13, "compatible"),
			stratum(0.5, 0.75, 24, 15, "too few"), stratum(0.75, 1, 176, 175, "inside"),
		},
		Flow: engine.Flow{Read: 569, Trained: 569, TrainedEvents: 212, Scored: 569, ScoredEvents: 212},
		L2:   math.Pow(2, -8), L2OneSE: ptr(math.Pow(2, -4)),
	}
	for _, g := range []struct {
		level      string
		n          int
		mean, wide float64
	}{{"benign", 357, -4, 2}, {"malignant", 212, 4.5, 3}} {
		d := engine.Density{Level: g.level, N: g.n, Trained: true, Median: g.mean}
		for i := 0; i <= 80; i++ {
			x := -9 + 21*float64(i)/80
			u := (x - g.mean) / g.wide
			d.X, d.Y = append(d.X, x), append(d.Y, math.Exp(-u*u/2)/(g.wide*math.Sqrt(2*math.Pi)))
		}
		r.Density = append(r.Density, d)
	}
	r.PCA = &engine.PCA{Share: [2]float64{0.55, 0.25}}
	for j, s := range r.Strata {
		for i := 0; i < s.N; i++ {
			r.PCA.X = append(r.PCA.X, []float64{-2, 0, 1, 3}[j]+rng.NormFloat64()*0.9)
			r.PCA.Y = append(r.PCA.Y, rng.NormFloat64()*1.5)
			r.PCA.Band, r.PCA.Event, r.PCA.Row = append(r.PCA.Band, j), append(r.PCA.Event, i < s.Events), append(r.PCA.Row, i)
		}
	}
	for e := -15; e <= 10; e++ {
		u := float64(e+8) / 8
		r.Tuning = append(r.Tuning, crossfit.TuningPoint{L2: math.Pow(2, float64(e)), Mean: 0.05 + 0.04*u*u, SE: 0.006})
	}
	for _, b := range []struct {
		id, title  string
		loss, auc  float64
		brier, cal *float64
	}{{"model", "Interval surrogate", 0.0501, 0.985, nil, nil}, {"logistic", "Logistic, thresholded", 0.051, 0.985, ptr(0.0439), ptr(0.97)}, {"null", "No predictors", 0.2909, 0.5, ptr(0.2338), nil}} {
		r.Beside = append(r.Beside, engine.Beside{ID: b.id, Title: b.title,
			Metrics: stat.Binary{IntervalLoss: ptr(b.loss), AUC: ptr(b.auc), Brier: b.brier, CalibrationSlope: b.cal}})
	}
	return r
}

// oddities are extreme results that figures must handle.
func oddities() map[string]*engine.Result {
	named := sample()
	named.Positive, named.Negative = table.Levels{hostile}, table.Levels{"@c0"}
	named.Density[0].Level, named.Density[1].Level = "@c0", hostile
	named.Beside[1].Title = hostile
	nan := sample()
	nan.Density[0].Y[3], nan.Density[1].X[0] = math.NaN(), math.Inf(1)
	nan.PCA.X[0], nan.PCA.Y[1] = math.NaN(), math.Inf(-1)
	nan.Tuning[0].Mean, nan.Tuning[1].SE = math.NaN(), math.Inf(1)
	nan.Beside[0].Metrics.IntervalLoss = ptr(math.NaN())
	nan.L2 = math.NaN()
	one := &engine.Result{
		Boundaries: []float64{0.5}, Delta: []float64{0}, L2: 1,
		Strata:  []stat.Stratum{stratum(0, 0.5, 1, 0, "too few"), stratum(0.5, 1, 0, 0, "too few")},
		Density: []engine.Density{{Level: "no", N: 1, X: []float64{0.2}, Y: []float64{math.Inf(1)}}},
		PCA:     &engine.PCA{X: []float64{0}, Y: []float64{0}, Band: []int{0}, Event: []bool{false}, Row: []int{0}},
		Tuning:  []crossfit.TuningPoint{{L2: 1, Mean: 0.2}},
	}
	many := sample()
	many.Boundaries, many.Delta, many.Strata = nil, nil, nil
	for k := 1; k <= 99; k++ {
		p := float64(k) / 100
		many.Boundaries, many.Delta = append(many.Boundaries, p), append(many.Delta, math.Log(p/(1-p)))
	}
	for j := 0; j <= 99; j++ {
		lo, hi := edges(many.Boundaries, j)
		many.Strata = append(many.Strata, stratum(lo, hi, j, j/2, "too few"))
	}
	hard := sample()
	hard.Boundaries, hard.Delta = []float64{0.5}, []float64{0}
	hard.Strata = []stat.Stratum{stratum(0, 0.5, 369, 22, "inside"), stratum(0.5, 1, 200, 190, "inside")}
	return map[string]*engine.Result{
		"sample": sample(), "empty": {}, "named": named, "nan": nan, "one": one, "many": many, "hard": hard,
		"unboundaried": {Density: sample().Density, PCA: &engine.PCA{X: []float64{1, 1}, Y: []float64{2, 2}, Band: []int{0, 7}}},
	}
}
