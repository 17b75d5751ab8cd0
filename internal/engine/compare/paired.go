package compare

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"taper/internal/engine/metric"
)

// difference is the paired difference of a metric with its 95 % interval, nil
// for a metric that has none.
func (p pair) difference(id string, pi []float64) *Difference {
	if p.n() < 2 {
		return nil
	}
	switch {
	case id == "auc":
		return p.auc()
	case id == "brier" && p.probability[0] != nil:
		return meanDifference(p.squares(0), p.squares(1))
	case id == "interval_loss" && len(pi) > 0:
		return meanDifference(p.bandLosses(0, pi), p.bandLosses(1, pi))
	}
	if p.right[0] == nil {
		return nil
	}
	switch id {
	case "accuracy":
		return p.shareRight(func(bool) bool { return true })
	case "sensitivity":
		return p.shareRight(func(event bool) bool { return event })
	case "specificity":
		return p.shareRight(func(event bool) bool { return !event })
	}
	return nil
}

// shareRight is the difference of the shares predicted right, among the rows
// of a kind.
func (p pair) shareRight(among func(event bool) bool) *Difference {
	var both, base, own, neither int
	for i, event := range p.event {
		switch x, y := p.right[0][i], p.right[1][i]; {
		case !among(event):
		case x && y:
			both++
		case x:
			base++
		case y:
			own++
		default:
			neither++
		}
	}
	d := metric.PairedDifference(both, own, base, neither)
	if d.Value == nil {
		return nil
	}
	return &Difference{both + base + own + neither, d.Value, d.Low, d.High}
}

// meanDifference returns mean(b − a) ± z·SD/√n over rows.
func meanDifference(a, b []float64) *Difference {
	d := make([]float64, len(a))
	for i := range d {
		d[i] = b[i] - a[i]
	}
	mean, sd := stat.MeanStdDev(d, nil)
	half := metric.Z95 * sd / math.Sqrt(float64(len(d)))
	low, high := mean-half, mean+half
	return &Difference{len(d), &mean, &low, &high}
}

// squares are the rows' shares of the Brier score, (p − y)².
func (p pair) squares(side int) []float64 {
	s := make([]float64, p.n())
	for i, q := range p.probability[side] {
		if p.event[i] {
			q = 1 - q
		}
		s[i] = q * q
	}
	return s
}

// bandLosses are the rows' shares of ℓ_π (math.md §6).
func (p pair) bandLosses(side int, pi []float64) []float64 {
	costs := make([][2]float64, len(pi)+1) // of a band, for others and events
	for k := range costs {
		costs[k] = [2]float64{metric.IntervalLoss(pi, []int{k}, []bool{false}), metric.IntervalLoss(pi, []int{k}, []bool{true})}
	}
	s := make([]float64, p.n())
	for i, k := range p.band[side] {
		if p.event[i] {
			s[i] = costs[k][1]
		} else {
			s[i] = costs[k][0]
		}
	}
	return s
}

// auc is the paired test of DeLong et al. 1988.
func (p pair) auc() *Difference {
	d := metric.CompareAUC(p.score[1], p.score[0], p.event).Difference
	if d.Value == nil {
		return nil
	}
	return &Difference{p.n(), d.Value, d.Low, d.High}
}
