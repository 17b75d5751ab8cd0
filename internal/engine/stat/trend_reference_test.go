package stat

import (
	"math"
	"slices"

	"taper/testdata/oracle"
)

// stats 4.2.2: cor.test(method = "kendall", exact = FALSE), whose z is that of
// Jonckheere and Terpstra with ties, and cor.test(method = "spearman", exact =
// FALSE); survival 3.5-3: concordance(group ~ q); base R: the interval of Bonett
// and Wright; pROC 1.18.0 ci.auc and glm on the rows of one level.
func groupsByR() []oracle.Statistic {
	some := func(r cohort) Subgroup {
		level := make([]int, len(r.Y))
		for i, x := range r.X4 {
			level[i] = int(x)
		}
		return Subgroups([]string{"0", "1"}, level, Scores{Event: r.Event(), Score: r.Q, Probability: r.Q})[0]
	}
	return []oracle.Statistic{
		{Name: "auc_of_some", Tol: 1e-14, Ours: func(r cohort) []float64 { s := some(r).AUC; return values(s.Low, s.Value, s.High) }},
		{Name: "slope_of_some", Tol: 1e-11, Ours: func(r cohort) []float64 { return numbers(some(r).Slope) }},
		{Name: "kendall", Tol: 1e-14, Ours: func(r cohort) []float64 { s := Trend(r.Group, r.Q); return values(s.Z, s.P) }},
		{Name: "concordance", Tol: 1e-14, Ours: func(r cohort) []float64 { return values(Trend(r.Group, r.Q).Concordance.Value) }},
		{Name: "spearman", Tol: 1e-14, Ours: func(r cohort) []float64 { s := Trend(r.Group, r.Q); return values(s.Spearman.Value, s.SpearmanP) }},
		{Name: "spearman_interval", Tol: 1e-14, Ours: func(r cohort) []float64 { return numbers(Trend(r.Group, r.Q).Spearman)[1:] }},
	}
}

// stats 4.2.2: quantile(type = 7), bw.nrd0, the mean of dnorm(g, x, bw.nrd0(x)),
// and prcomp(scale. = TRUE), whose signs are arbitrary and whose SDs have n − 1;
// base R: the mean absolute error of classes with confint.default(lm(v ~ 1)).
func quantilesByR() []oracle.Statistic {
	return []oracle.Statistic{
		{Name: "quartiles", Tol: 1e-14, Ours: func(r cohort) []float64 { a, b, c := Quartiles(r.Q); return []float64{a, b, c} }},
		{Name: "percentiles", Tol: 1e-14, Ours: percentiles},
		{Name: "bandwidth", Tol: 1e-14, Ours: func(r cohort) []float64 { _, h := KDE(r.X2, nil); return []float64{h} }},
		{Name: "density", Tol: 1e-14, Ours: density},
		{Name: "components", Tol: 1e-12, Ours: func(r cohort) []float64 {
			scores, share := PCA2(r.X(false), len(r.Y), 4)
			n := float64(len(r.Y))
			var v []float64
			for _, s := range slices.Concat(scores[0], scores[1]) {
				v = append(v, math.Abs(s)*math.Sqrt((n-1)/n))
			}
			return append(v, share[:]...)
		}},
		{Name: "mae", Tol: 1e-14, Ours: func(r cohort) []float64 {
			c := Multiclass(Answers{Levels: []string{"a", "b", "c", "d"}, Label: r.Label, Predicted: r.Predicted, Ordinal: true})
			return values(c.MAE, c.MAELow, c.MAEHigh)
		}},
	}
}

func percentiles(r cohort) []float64 { low, high := Percentiles(r.X2); return []float64{low, high} }

func density(r cohort) []float64 {
	y, _ := KDE(r.X2, []float64{-3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	return y
}

// sklearn.metrics 1.2.1: confusion_matrix, accuracy_score,
// balanced_accuracy_score, precision_recall_fscore_support, f1_score(average =
// "macro"), mean_absolute_error, cohen_kappa_score(weights = "quadratic"),
// log_loss; Brier's score of 1950 by 4·mean_squared_error of the shares.
func classesByPython() []oracle.Statistic {
	of := func(ours func(Classes) []float64) func(cohort) []float64 {
		return func(r cohort) []float64 {
			return ours(Multiclass(Answers{Levels: []string{"a", "b", "c", "d"}, Label: r.Label, Predicted: r.Predicted, Probability: r.Shares, Ordinal: true}))
		}
	}
	return []oracle.Statistic{
		{Name: "confusion", Ours: of(func(c Classes) (v []float64) {
			for _, row := range c.Confusion {
				for _, n := range row {
					v = append(v, float64(n))
				}
			}
			return v
		})},
		{Name: "per_class", Tol: 1e-14, Ours: of(func(c Classes) []float64 {
			v := make([]float64, 16)
			for i, row := range c.PerClass {
				v[i], v[i+4], v[i+8], v[i+12] = *row.Precision.Value, *row.Recall.Value, *row.F1, float64(row.Support)
			}
			return v
		})},
		{Name: "accuracy", Tol: 1e-14, Ours: of(func(c Classes) []float64 { return values(c.Accuracy) })},
		{Name: "balanced_accuracy", Tol: 1e-14, Ours: of(func(c Classes) []float64 { return values(c.BalancedAccuracy) })},
		{Name: "macro_f1", Tol: 1e-14, Ours: of(func(c Classes) []float64 { return values(c.MacroF1) })},
		{Name: "mae", Tol: 1e-14, Ours: of(func(c Classes) []float64 { return values(c.MAE) })},
		{Name: "kappa", Tol: 1e-14, Ours: of(func(c Classes) []float64 { return values(c.Kappa) })},
		{Name: "log_loss_classes", Tol: 1e-14, Ours: of(func(c Classes) []float64 { return values(c.LogLoss) })},
		{Name: "brier_classes", Tol: 1e-14, Ours: of(func(c Classes) []float64 { return values(c.Brier) })},
	}
}
