package stat

// ClassIntervals are the metrics of several classes with percentile bootstrap
// intervals, for what has no interval of its own in Classes.
type ClassIntervals struct {
	BalancedAccuracy Estimate `json:"balanced_accuracy"`
	MacroF1          Estimate `json:"macro_f1"`
	Kappa            Estimate `json:"kappa"`
	LogLoss          Estimate `json:"log_loss"`
	Brier            Estimate `json:"brier"`
	AbstentionLoss   Estimate `json:"abstention_loss"`
	AbstentionRate   Estimate `json:"abstention_rate"`
}

// MulticlassIntervals bootstraps the metrics over the rows.
func MulticlassIntervals(a Answers, d Draws) (c ClassIntervals) {
	to := []*Estimate{&c.BalancedAccuracy, &c.MacroF1, &c.Kappa, &c.LogLoss, &c.Brier, &c.AbstentionLoss,
		&c.AbstentionRate}
	if len(a.Label) == 0 {
		return c
	}
	draws := d.run(len(a.Label), len(to), func(rows []int) []float64 {
		v := make([]float64, len(to))
		for k, m := range Multiclass(a.at(rows)).bootstrapped() {
			v[k] = orNaN(m)
		}
		return v
	})
	for k, m := range Multiclass(a).bootstrapped() {
		low, high := Percentiles(draws[k])
		if m != nil {
			*to[k] = estimate(*m, low, high)
		}
	}
	return c
}

// bootstrapped returns the metrics in the order of ClassIntervals.
func (c Classes) bootstrapped() []*float64 {
	return []*float64{c.BalancedAccuracy, c.MacroF1, c.Kappa, c.LogLoss, c.Brier, c.AbstentionLoss, c.AbstentionRate}
}

// at returns the answers of the rows.
func (a Answers) at(rows []int) Answers {
	if a.Probability != nil {
		k := len(a.Levels)
		p := make([]float64, 0, k*len(rows))
		for _, i := range rows {
			p = append(p, a.Probability[i*k:(i+1)*k]...)
		}
		a.Probability = p
	}
	a.Label, a.Predicted = at(a.Label, rows), at(a.Predicted, rows)
	return a
}
