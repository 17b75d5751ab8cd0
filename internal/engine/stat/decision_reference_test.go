package stat

import (
	"taper/testdata/oracle"
)

// epiR 2.0.57: epi.tests(method = "wilson")$detail for sensitivity, specificity,
// predictive values (Wilson) and likelihood ratios (Simel et al. 1991); Hmisc
// 4.8-0: improveProb on the numbers of the bands for who moves; base R: net
// benefit and interventions avoided by dcurves' formulas, but a row at a
// threshold is not above it, with the interval of a mean, confint.default(lm(v
// ~ 1)); the log-normal interval of a ratio.
func decisionsByR() []oracle.Statistic {
	curve := func(of func(NetBenefit) Estimate) func(cohort) []float64 {
		return func(r cohort) (v []float64) {
			for _, b := range DecisionCurve(r.P, r.Event(), []float64{0.05, 0.1, 0.25, 0.31, 0.5}) {
				v = append(v, numbers(of(b))...)
			}
			return v
		}
	}
	return []oracle.Statistic{
		{Name: "benefit", Tol: 1e-14, Ours: curve(func(b NetBenefit) Estimate { return b.Model })},
		{Name: "benefit_all", Tol: 1e-14, Ours: curve(func(b NetBenefit) Estimate { return b.All })},
		{Name: "avoided", Tol: 1e-13, Ours: curve(func(b NetBenefit) Estimate { return b.Avoided })},
		{Name: "table", Tol: 1e-14, Ours: func(r cohort) []float64 {
			b := Boundaries(thresholds, bands(r.P, thresholds...), r.Event())[1]
			v := make([]float64, 18)
			for i, id := range []string{"sensitivity", "specificity", "ppv", "npv", "lr_positive", "lr_negative"} {
				e := b.Of(id)
				v[i], v[i+6], v[i+12] = *e.Value, *e.Low, *e.High
			}
			return v
		}},
		{Name: "band_ratio", Tol: 1e-14, Ours: func(r cohort) []float64 {
			return numbers(BandRatios(thresholds, bands(r.P, thresholds...), r.Event())[2].LR)
		}},
		{Name: "moves", Tol: 1e-14, Ours: func(r cohort) []float64 {
			m := Reclassify(bands(r.P, thresholds...), bands(r.Q, thresholds...), r.Event(), 4)
			e, o := m.Events, m.Others
			return []float64{*e.Up.Value, *e.Down.Value, *e.Net.Value, se(e.Net), *o.Up.Value, *o.Down.Value, -*o.Net.Value, se(o.Net)}
		}},
		{Name: "nri", Tol: 1e-14, Ours: func(r cohort) []float64 {
			m := Reclassify(bands(r.P, 0.25), bands(r.Q, 0.25), r.Event(), 2)
			return []float64{*m.NRI.Value, se(*m.NRI)}
		}},
	}
}

// se returns the standard error of a normal interval.
func se(e Estimate) float64 { return (*e.High - *e.Low) / (2 * Z95) }

// Hmisc 4.8-0: binconf(method = "wilson"); stats 4.2.2: prop.test(correct =
// FALSE)$conf.int; Epi 2.47: ci.pd(method = "Nc").
func proportionsByR() []oracle.Statistic {
	return []oracle.Statistic{
		{Name: "wilson", Tol: 1e-14, Ours: func(r cohort) []float64 { return numbers(Proportion(count(r.Event()), len(r.Y))) }},
		{Name: "wilson_part", Tol: 1e-14, Ours: func(r cohort) []float64 { a, m, _, _ := arms(r); return numbers(Proportion(a, m))[1:] }},
		{Name: "wilson_none", Tol: 1e-14, Ours: func(r cohort) []float64 { _, m, _, _ := arms(r); return numbers(Proportion(0, m))[1:] }},
		{Name: "newcombe", Tol: 1e-14, Ours: func(r cohort) []float64 { return numbers(ProportionDifference(arms(r))) }},
	}
}

// statsmodels 0.13.5: proportion_confint(method = "wilson"),
// confint_proportions_2indep(method = "newcomb"), Table2x2.riskratio and its
// confint; scipy 1.10.1: kendalltau(method = "asymptotic").pvalue, spearmanr,
// gaussian_kde at Silverman's bandwidth; numpy 1.24.2: quantile.
func intervalsByPython() []oracle.Statistic {
	return []oracle.Statistic{
		{Name: "wilson", Tol: 1e-14, Ours: func(r cohort) []float64 { return numbers(Proportion(count(r.Event()), len(r.Y)))[1:] }},
		{Name: "newcombe", Tol: 1e-14, Ours: func(r cohort) []float64 { return numbers(ProportionDifference(arms(r)))[1:] }},
		{Name: "likelihood_ratio", Tol: 1e-14, Ours: func(r cohort) []float64 {
			return numbers(Boundaries([]float64{0.25}, bands(r.P, 0.25), r.Event())[0].Of("lr_positive"))
		}},
		{Name: "kendall", Tol: 1e-14, Ours: func(r cohort) []float64 { return values(Trend(r.Group, r.Q).P) }},
		{Name: "spearman", Tol: 1e-14, Ours: func(r cohort) []float64 { s := Trend(r.Group, r.Q); return values(s.Spearman.Value, s.SpearmanP) }},
		{Name: "density", Tol: 1e-14, Ours: density},
		{Name: "percentiles", Tol: 1e-14, Ours: percentiles},
	}
}
