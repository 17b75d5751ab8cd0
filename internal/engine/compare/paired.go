package compare

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"taper/internal/engine/metric"
)

// difference is the paired difference of a metric with its 95 % interval, nil
// for a metric that has none.
func (p pair) difference(id string, pi []float64) *Difference {
	if p.n < 2 {
		return nil
	}
	soft, two := p.probability[0] != nil, p.event != nil
	switch {
	case id == "auc" && two:
		return p.auc()
	case id == "brier" && soft:
		return meanDifference(p.squares(0), p.squares(1))
	case id == "scaled_brier" && soft:
		return p.scaledBrier()
	case id == "log_loss" && soft:
		return meanDifference(p.logLosses(0), p.logLosses(1))
	case id == "interval_loss" && two && len(pi) > 0:
		return meanDifference(p.bandLosses(0, pi), p.bandLosses(1, pi))
	case id == "cost" && p.cost[0] != nil:
		return meanDifference(p.cost[0], p.cost[1])
	case p.correct[0] == nil:
		return nil
	case id == "accuracy":
		return p.shareRight(func(int) bool { return true })
	case id == "sensitivity" && two:
		return p.shareRight(func(i int) bool { return p.event[i] })
	case id == "specificity" && two:
		return p.shareRight(func(i int) bool { return !p.event[i] })
	case id == "balanced_accuracy" && two:
		return p.balanced()
	}
	return nil
}

// shareRight is the difference of the shares predicted right, among the rows
// of a kind.
func (p pair) shareRight(among func(i int) bool) *Difference {
	var both, base, own, neither int
	for i := range p.n {
		switch x, y := p.correct[0][i], p.correct[1][i]; {
		case !among(i):
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
	s := make([]float64, p.n)
	for i, q := range p.probability[side] {
		if p.event[i] {
			q = 1 - q
		}
		s[i] = q * q
	}
	return s
}

// scaledBrier is −ΔBrier/(ȳ(1−ȳ)): the share of events is that of the rows.
func (p pair) scaledBrier() *Difference {
	d := meanDifference(p.squares(0), p.squares(1))
	rate := 0.0
	for _, event := range p.event {
		if event {
			rate += 1 / float64(p.n)
		}
	}
	scale := -1 / (rate * (1 - rate))
	if math.IsInf(scale, 0) {
		return nil
	}
	value, low, high := *d.Value*scale, *d.High*scale, *d.Low*scale
	return &Difference{d.N, &value, &low, &high}
}

// logLosses are the rows' −log P of what happened; a probability that was
// rounded to 0 or 1 counts as the nearest double inside.
func (p pair) logLosses(side int) []float64 {
	s := make([]float64, p.n)
	for i, q := range p.probability[side] {
		q = min(max(q, 0x1p-1022), 1-0x1p-53)
		if p.event[i] {
			s[i] = -math.Log(q)
		} else {
			s[i] = -math.Log1p(-q)
		}
	}
	return s
}

// balanced is the mean of the differences of sensitivity and specificity. They
// are of different rows, so the distances of their limits add as squares
// (Zou and Donner 2008).
func (p pair) balanced() *Difference {
	a, b := p.shareRight(func(i int) bool { return p.event[i] }), p.shareRight(func(i int) bool { return !p.event[i] })
	if a == nil || b == nil || a.Low == nil || b.Low == nil {
		return nil
	}
	value := (*a.Value + *b.Value) / 2
	low := value - math.Hypot(*a.Value-*a.Low, *b.Value-*b.Low)/2
	high := value + math.Hypot(*a.High-*a.Value, *b.High-*b.Value)/2
	return &Difference{p.n, &value, &low, &high}
}

// bandLosses are the rows' shares of ℓ_π (math.md §6).
func (p pair) bandLosses(side int, pi []float64) []float64 {
	costs := make([][2]float64, len(pi)+1) // of a band, for others and events
	for k := range costs {
		costs[k] = [2]float64{metric.IntervalLoss(pi, []int{k}, []bool{false}), metric.IntervalLoss(pi, []int{k}, []bool{true})}
	}
	s := make([]float64, p.n)
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
	return &Difference{p.n, d.Value, d.Low, d.High}
}
