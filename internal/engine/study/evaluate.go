package study

import (
	"math"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/stat"
)

// GridMetrics are the metrics of a grid: the statistics with a better direction.
func GridMetrics() (all []Metric) {
	for _, s := range stat.All {
		if !s.Averaged || s.Better == stat.BestAtOne || s.Better == stat.BestAtZero {
			continue
		}
		all = append(all, MetricOf(s.ID, map[string]string{"abstention_loss": " at cost ½"}[s.ID]))
	}
	return all
}

// MetricOf returns a statistic as a metric; about is appended to its label.
func MetricOf(id, about string) Metric {
	s := stat.ByID(id)
	return Metric{id, s.Label + about, s.Better == stat.HigherBetter}
}

// MetricByID returns a metric of grids.
func MetricByID(id string) (Metric, bool) {
	all := GridMetrics()
	i := slices.IndexFunc(all, func(m Metric) bool { return m.ID == id })
	if i < 0 {
		return Metric{}, false
	}
	return all[i], true
}

// NeedsBoundaries reports whether a metric needs the boundaries of bands.
func NeedsBoundaries(metric string) bool {
	return slices.ContainsFunc(stat.All, func(s stat.Statistic) bool {
		return s.ID == metric && s.Needs&stat.NeedBoundaries != 0
	})
}

// Evaluate evaluates a model on test rows; NaN where the model or the rows do not define the metric.
func Evaluate(m *fit.Model, r Rows, id string) float64 {
	a, score := answers(m, r)
	all := stat.Multiclass(a)
	v := all.Of(id).Value
	switch {
	case v != nil && id == "brier" && m.Single():
		half := *v / 2 // with two classes the square is counted once
		v = &half
	case v != nil:
	case !m.Single():
		return math.NaN()
	case id == "sensitivity": // based on the predicted classes, which need not follow from a threshold
		v = all.PerClass[1].Recall.Value
	case id == "specificity":
		v = all.PerClass[0].Recall.Value
	default:
		s := stat.Scores{Event: r.Events(), Score: score, Band: make([]int, len(score)), Pi: m.Task.Boundaries}
		for i, f := range score {
			s.Band[i] = m.Band(f)
		}
		for k := 1; k < len(a.Probability); k += 2 {
			s.Probability = append(s.Probability, a.Probability[k])
		}
		v = stat.Classification(s).Of(id).Value
	}
	if v == nil {
		return math.NaN()
	}
	return *v
}

// answers returns the predictions for the rows, and the scores of a model with a single one.
func answers(m *fit.Model, r Rows) (stat.Answers, []float64) {
	k := m.Task.Classes
	a := stat.Answers{Levels: make([]string, k), Label: r.Y, Predicted: make([]int, len(r.Y)), Ordinal: true,
		Abstain: true, Cost: 0.5}
	f, p, score := make([]float64, m.Outputs()), make([]float64, k), make([]float64, len(r.Y))
	var all []float64
	for i := range r.Y {
		m.Scores(f, r.X.Row(i))
		a.Predicted[i], score[i] = m.Decide(f), f[0]
		if m.Probabilities(p, f) {
			all = append(all, p...)
		}
	}
	if len(all) == k*len(r.Y) {
		a.Probability = all
	}
	return a, score
}
