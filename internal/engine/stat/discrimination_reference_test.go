package stat

import (
	"math"

	"taper/testdata/oracle"
)

// pROC 1.18.0: auc, var, cov, ci.auc and roc.test(paired = TRUE), each with
// method = "delong", coords(roc, "all"), coords(roc, thresholds); Hmisc 4.8-0:
// somers2. pROC calls a row at the threshold positive as ROC does; Boundaries
// does not, so its thresholds are taken just above.
func discriminationByR() []oracle.Statistic {
	return []oracle.Statistic{
		{Name: "auc", Tol: 1e-14, Ours: func(r cohort) []float64 { return ofAUC(r, r.P)[1:2] }},
		{Name: "auc_somers", Tol: 1e-14, Ours: func(r cohort) []float64 { return ofAUC(r, r.Q)[1:2] }},
		{Name: "auc_variance", Tol: 1e-14, Ours: func(r cohort) []float64 { return ofAUC(r, r.P)[3:] }},
		{Name: "auc_interval", Tol: 1e-14, Ours: func(r cohort) []float64 { return ofAUC(r, r.P)[:3] }},
		{Name: "auc_interval_q", Tol: 1e-14, Ours: func(r cohort) []float64 { return ofAUC(r, r.Q)[:3] }},
		{Name: "auc_covariance", Tol: 1e-14, Ours: func(r cohort) []float64 {
			d := CompareAUC(r.P, r.Q, r.Event()).Difference
			half := (*d.High - *d.Value) / Z95
			return []float64{(ofAUC(r, r.P)[3] + ofAUC(r, r.Q)[3] - half*half) / 2}
		}},
		{Name: "auc_test", Tol: 1e-13, Ours: func(r cohort) []float64 {
			d := CompareAUC(r.P, r.Q, r.Event())
			return values(d.Z, d.P, d.Difference.Low, d.Difference.High)
		}},
		{Name: "roc", Tol: 1e-14, Ours: func(r cohort) []float64 {
			points := cuts(r.Q, r.Event())
			v := make([]float64, 2*len(points))
			for i, p := range points {
				at := len(points) - 1 - i // pROC's thresholds rise
				v[at], v[at+len(points)] = p.FPR, p.TPR
			}
			return v
		}},
		{Name: "tables", Tol: 1e-14, Ours: func(r cohort) (v []float64) {
			b := Boundaries(thresholds, bands(r.P, thresholds...), r.Event())
			for _, of := range []func(Boundary) float64{
				func(b Boundary) float64 { return float64(b.TP) }, func(b Boundary) float64 { return float64(b.FP) },
				func(b Boundary) float64 { return float64(b.FN) }, func(b Boundary) float64 { return float64(b.TN) },
				func(b Boundary) float64 { return *b.Of("sensitivity").Value }, func(b Boundary) float64 { return *b.Of("specificity").Value },
				func(b Boundary) float64 { return *b.Of("ppv").Value }, func(b Boundary) float64 { return *b.Of("npv").Value },
			} {
				for _, b := range b {
					v = append(v, of(b))
				}
			}
			return v
		}},
	}
}

// thresholds have risks on each of them.
var thresholds = []float64{0.1, 0.25, 0.5}

// ofAUC returns low, AUC, high and the variance that the interval has.
func ofAUC(r cohort, p []float64) []float64 {
	value, low, high := AUC(p, r.Event())
	return []float64{low, value, high, math.Pow((value-low)/Z95, 2)}
}

// boot 1.3-28.1: empinf(type = "inf") for the influence of each row on the scaled
// score; base R: means with confint.default(lm(v ~ 1)), 1 − B/(ȳ(1−ȳ)),
// 1 − exp(−2(ℓ−ℓ0)/n).
func lossesByR() []oracle.Statistic {
	return []oracle.Statistic{
		{Name: "brier", Tol: 1e-14, Ours: func(r cohort) []float64 { return numbers(Brier(r.P, r.Event())) }},
		{Name: "log_loss", Tol: 1e-14, Ours: func(r cohort) []float64 { return numbers(LogLoss(r.P, r.Event())) }},
		{Name: "scaled_brier", Tol: 1e-14, Ours: func(r cohort) []float64 { return numbers(ScaledBrier(r.P, r.Event()))[:1] }},
		{Name: "scaled_brier_sd", Tol: 1e-6, Ours: func(r cohort) []float64 { // differences of step 1e-5/n
			e := ScaledBrier(r.P, r.Event())
			return []float64{(*e.High - *e.Value) / Z95 * math.Sqrt(float64(len(r.P)))}
		}},
		{Name: "cox_snell", Tol: 1e-14, Ours: func(r cohort) []float64 { return []float64{CoxSnell(r.P, r.Event())} }},
	}
}

// sklearn.metrics 1.2.1: roc_auc_score, brier_score_loss, log_loss,
// average_precision_score; statsmodels 0.13.5: Logit(y, x).fit(method =
// "newton"), params and bse, variance_inflation_factor.
func twoClassesByPython() []oracle.Statistic {
	return []oracle.Statistic{
		{Name: "auc", Tol: 1e-14, Ours: func(r cohort) []float64 { return ofAUC(r, r.P)[1:2] }},
		{Name: "brier", Tol: 1e-14, Ours: func(r cohort) []float64 { return numbers(Brier(r.P, r.Event()))[:1] }},
		{Name: "log_loss", Tol: 1e-14, Ours: func(r cohort) []float64 { return numbers(LogLoss(r.P, r.Event()))[:1] }},
		{Name: "average_precision", Tol: 1e-14, Ours: func(r cohort) []float64 { return values(RankFlips(r.Q, r.Event()).AveragePrecision) }},
		{Name: "logit", Tol: 1e-13, Ours: func(r cohort) []float64 { beta, se, _ := fit(r); return append(beta, se...) }},
		{Name: "vif", Tol: 1e-13, Ours: func(r cohort) []float64 { return values(VIF(r.X(false), len(r.Y), 4)...) }},
	}
}
