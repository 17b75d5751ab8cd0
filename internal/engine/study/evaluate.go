package study

import (
	"maps"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/stat"
)

// metrics are those of a grid.
var metrics = map[string]Metric{
	"accuracy":          {"accuracy", "Accuracy", true},
	"balanced_accuracy": {"balanced_accuracy", "Balanced accuracy", true},
	"sensitivity":       {"sensitivity", "Sensitivity", true},
	"specificity":       {"specificity", "Specificity", true},
	"auc":               {"auc", "Area under the ROC curve", true},
	"log_loss":          {"log_loss", "Log-loss", false},
	"brier":             {"brier", "Brier score", false},
	"mae":               {"mae", "Mean absolute error of ordered classes", false},
	"abstention_loss":   {"abstention_loss", "Abstention loss at cost ½", false},
	"abstention_rate":   {"abstention_rate", "Share without an answer", false},
}

func metricIDs() []string { return slices.Sorted(maps.Keys(metrics)) }

// MetricByID returns a metric of grids.
func MetricByID(id string) (Metric, bool) {
	m, ok := metrics[id]
	return m, ok
}

// Evaluate judges a model on rows it did not see; NaN for a metric that it or
// the rows do not define.
func Evaluate(m *fit.Model, r Rows, id string) float64 {
	switch id {
	case "sensitivity", "specificity", "auc":
		if !m.Single() {
			return nan
		}
	}
	a, s := answers(m, r)
	all := stat.Multiclass(a)
	var v *float64
	switch id {
	case "accuracy":
		v = all.Accuracy
	case "balanced_accuracy":
		v = all.BalancedAccuracy
	case "log_loss":
		v = all.LogLoss
	case "brier":
		v = all.Brier
		if v != nil && m.Single() {
			half := *v / 2 // of two classes the square is counted once
			v = &half
		}
	case "mae":
		v = all.MAE
	case "abstention_loss":
		v = all.AbstentionLoss
	case "abstention_rate":
		v = all.AbstentionRate
	case "sensitivity":
		v = all.PerClass[1].Recall.Value
	case "specificity":
		v = all.PerClass[0].Recall.Value
	case "auc":
		auc, _, _ := stat.AUC(s, events(r.Y))
		v = &auc
	default:
		panic("study: no metric " + id)
	}
	if v == nil {
		return nan
	}
	return *v
}

// answers collects what the model says of the rows, and its scores where they
// are single.
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

func events(y []int) []bool {
	e := make([]bool, len(y))
	for i, c := range y {
		e[i] = c == 1
	}
	return e
}
