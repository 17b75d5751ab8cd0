package stat

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"taper/internal/engine/odds"
	"taper/internal/engine/spline"
	"taper/testdata/oracle"
)

// rms 6.5-0: val.prob, whose intercept and slope are those of one fit and whose
// Eavg, E90 and Emax are another quantity than ours (a lowess of the risks, not
// a spline of their logits); stats 4.2.2: glm(y ~ offset(qlogis(p)), binomial)
// and glm(y ~ qlogis(p), binomial) with coef and confint.default; base R for
// O/E; rms 6.5-0: lrm(y ~ rcs(qlogis(p), 5)) with predict(se.fit = TRUE) for the
// curve, its band and its errors. glm's standard errors are those of its last
// step but one, whence 1e-11.
func calibrationByR() []oracle.Statistic {
	return []oracle.Statistic{
		{Name: "val_prob", Tol: 1e-11, Ours: func(r cohort) []float64 {
			c := Recalibrate(r.P, r.Event())
			return append(append(ofAUC(r, r.P)[1:2], *Brier(r.P, r.Event()).Value), values(c.JointIntercept, c.Slope.Value)...)
		}},
		{Name: "val_prob_certain", Tol: 1e-11, Ours: func(r cohort) []float64 { // val.prob leaves p = 0 out, here it weighs nothing
			c := Recalibrate(append([]float64{0}, r.P...), append([]bool{false}, r.Event()...))
			return values(c.JointIntercept, c.Slope.Value)
		}},
		{Name: "intercept", Tol: 1e-11, Ours: func(r cohort) []float64 { return numbers(Recalibrate(r.P, r.Event()).Intercept) }},
		{Name: "slope", Tol: 1e-11, Ours: func(r cohort) []float64 { return line95(r, r.P) }},
		{Name: "slope_q", Tol: 1e-11, Ours: func(r cohort) []float64 { return line95(r, r.Q) }},
		{Name: "observed_expected", Tol: 1e-14, Ours: func(r cohort) []float64 { return numbers(ObservedExpected(r.P, r.Event())) }},
		{Name: "curve", Tol: 1e-10, Ours: func(r cohort) []float64 { return curve95(r, r.P) }},
		{Name: "curve_q", Tol: 1e-10, Ours: func(r cohort) []float64 { return curve95(r, r.Q) }},
		{Name: "errors", Tol: 1e-10, Ours: func(r cohort) []float64 { e := CalibrationErrors(r.P, r.Event()); return e[:] }},
		{Name: "errors_q", Tol: 1e-10, Ours: func(r cohort) []float64 { e := CalibrationErrors(r.Q, r.Event()); return e[:] }},
	}
}

// line95 returns intercept, slope and the slope's interval.
func line95(r cohort, p []float64) []float64 {
	c := Recalibrate(p, r.Event())
	return append(values(c.JointIntercept), numbers(c.Slope)...)
}

// curve95 returns 21 points of the calibration curve, their low and their high.
func curve95(r cohort, p []float64) []float64 {
	var v [3][]float64
	for _, s := range wholeCurve(p, r.Event(), 21) {
		v[0], v[1], v[2] = append(v[0], s.Observed), append(v[1], s.Low), append(v[2], s.High)
	}
	return slices.Concat(v[:]...)
}

// Hmisc 4.8-0: rcspline.eval(x, nk, knots.only = TRUE) and (x, nk = 5, inclx =
// TRUE, norm = 2). It also moves knots off a value that a twentieth of the rows
// share; ours takes fewer knots where two coincide.
func splinesByR() []oracle.Statistic {
	at := func(k int, x func(cohort) []float64) func(cohort) []float64 {
		return func(r cohort) []float64 { return spline.Knots(sorted(x(r)), k) }
	}
	x2 := func(r cohort) []float64 { return r.X2 }
	return []oracle.Statistic{
		{Name: "knots_3", Tol: 1e-14, Ours: at(3, x2)},
		{Name: "knots_4", Tol: 1e-14, Ours: at(4, x2)},
		{Name: "knots_5", Tol: 1e-14, Ours: at(5, func(r cohort) []float64 {
			x, _ := logits(r.P, r.Event())
			return x
		})},
		{Name: "spline", Tol: 1e-14, Ours: func(r cohort) []float64 {
			knots := spline.Knots(sorted(r.X2), 5)
			v := make([]float64, 4*len(r.X2)) // R's matrix, column by column
			for i, x := range r.X2 {
				for j, b := range spline.Append([]float64{x}, x, knots) {
					v[j*len(r.X2)+i] = b
				}
			}
			return v
		}},
	}
}

func sorted(x []float64) []float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	return s
}

// stats 4.2.2: glm(y ~ x1 + x2 + x3 + x4, binomial), coef and vcov; rms 6.5-0:
// lrm()$stats["Model L.R."], vif(ols()); car 3.1-1: vif(lm()); base R: Riley's
// criteria at 8 parameters and R² = 0.2.
func regressionByR() []oracle.Statistic {
	riley := func(r cohort) SampleSize { return Riley(len(r.Y), count(r.Event()), 8, 0.2) }
	return []oracle.Statistic{
		{Name: "glm", Tol: 1e-11, Ours: func(r cohort) []float64 { beta, se, _ := fit(r); return append(beta, se...) }},
		{Name: "cox_snell_fit", Tol: 1e-14, Ours: func(r cohort) []float64 {
			_, _, p := fit(r)
			for i, f := range p {
				p[i] = odds.Sigmoid(f)
			}
			return []float64{CoxSnell(p, r.Event())}
		}},
		{Name: "vif", Tol: 1e-13, Ours: func(r cohort) []float64 { return values(VIF(r.X(false), len(r.Y), 4)...) }},
		{Name: "vif_ols", Tol: 1e-13, Ours: func(r cohort) []float64 { return values(VIF(r.X(false), len(r.Y), 4)...) }},
		{Name: "riley_1", Ours: func(r cohort) []float64 { return []float64{float64(*riley(r).N1)} }},
		{Name: "riley_2", Ours: func(r cohort) []float64 { return []float64{float64(*riley(r).N2)} }},
		{Name: "riley_3", Ours: func(r cohort) []float64 { return []float64{float64(*riley(r).N3)} }},
	}
}

// rms 6.5-0: validate(lrm(y ~ x1 + x2 + x3 + x4), B = 50)["Dxy", ] with
// index.orig, the means over its samples of training and test, optimism and
// index.corrected; Dxy = 2·AUC − 1.
func TestOptimismReference(t *testing.T) {
	stored := oracle.Statistics(t, "statistics-r")
	for _, r := range oracle.Read[cohort](t, "statistics-data") {
		of := stored[r.Name]
		_, _, score := fit(r)
		auc, _, _ := AUC(score, r.Event())
		o := CorrectOptimism(2*auc-1, of["optimism_own"].Value, of["optimism_original"].Value)
		want := of["optimism"].Value
		close(t, r.Name+" apparent", *o.Apparent, want[0], 1e-14)
		close(t, r.Name+" training", floats.Sum(of["optimism_own"].Value)/50, want[1], 1e-14)
		close(t, r.Name+" optimism", *o.Optimism.Value, want[3], 1e-14)
		close(t, r.Name+" corrected", *o.Corrected.Value, want[4], 1e-14)
		if o.Replicates != 50 || math.IsNaN(OrNaN(o.Corrected.Low)) {
			t.Errorf("%s: %+v", r.Name, o)
		}
	}
}
