package stat

import (
	"context"
	"math"
)

// ClassIntervals are percentile bootstrap intervals of metrics of Classes. Most of them have an
// analytic interval too, which pages show.
// The fields are those of the first version; statistics added later are in Listed.
type ClassIntervals struct {
	BalancedAccuracy Estimate `json:"balanced_accuracy"`
	MacroF1          Estimate `json:"macro_f1"`
	Kappa            Estimate `json:"kappa"`
	LogLoss          Estimate `json:"log_loss"`
	Brier            Estimate `json:"brier"`
	AbstentionLoss   Estimate `json:"abstention_loss"`
	AbstentionRate   Estimate `json:"abstention_rate"`

	Listed map[string]Estimate `json:"-"`
}

// MulticlassIntervals bootstraps the metrics of answers over rows. It ends with the context.
func MulticlassIntervals(ctx context.Context, a Answers, whole Classes, d Draws) (c ClassIntervals, err error) {
	if len(a.Label) == 0 {
		return c, nil
	}
	list := Which(Statistic.bootstrapped)
	draws, err := d.run(ctx, len(a.Label), len(list), func(rows []int) []float64 {
		sample, v := Multiclass(a.at(rows)), make([]float64, len(list))
		for k, s := range list {
			v[k] = OrNaN(sample.Of(s.ID).Value)
		}
		return v
	})
	if err != nil {
		return c, err
	}
	for k, s := range list {
		v := whole.Of(s.ID).Value
		if v == nil {
			continue
		}
		low, high := Percentiles(draws[k])
		if low == high { // an interval without width would promise certainty
			low, high = math.NaN(), math.NaN()
		}
		if to := field[Estimate](&c, s.ID); to != nil {
			*to = estimate(*v, low, high)
		} else {
			c.Listed = with(c.Listed, s.ID, estimate(*v, low, high))
		}
	}
	return c, nil
}

func (s Statistic) bootstrapped() bool { return s.resampledClasses }

// Of returns the interval of a metric, empty for one that is not bootstrapped.
func (c ClassIntervals) Of(id string) Estimate {
	if e := field[Estimate](&c, id); e != nil {
		return *e
	}
	return c.Listed[id]
}

// MarshalJSON writes the fields, then the statistics added later.
func (c ClassIntervals) MarshalJSON() ([]byte, error) {
	type plain ClassIntervals
	return appendMore(plain(c), c.Listed)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *ClassIntervals) UnmarshalJSON(text []byte) (err error) {
	type plain ClassIntervals
	c.Listed, err = readMore[Estimate](text, (*plain)(c), Which(Statistic.bootstrapped))
	return err
}

// at returns the answers to these rows.
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
