package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is a number with its 95 % interval. A part that does not exist is nil.
type Estimate struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"ci_low"`
	High  *float64 `json:"ci_high"`
}

// Negated returns −e: a difference in the opposite direction.
func (e Estimate) Negated() Estimate {
	minus := func(v *float64) *float64 {
		if v == nil {
			return nil
		}
		return Finite(-*v)
	}
	return Estimate{Value: minus(e.Value), Low: minus(e.High), High: minus(e.Low)}
}

// alone returns e without its interval.
func (e Estimate) alone() Estimate { return Estimate{Value: e.Value} }

// Proportion returns events/n with Wilson's interval.
func Proportion(events, n int) Estimate {
	low, high := Wilson(events, n)
	return estimate(float64(events)/float64(n), low, high)
}

// estimate makes an Estimate, with nil in place of NaN and infinite values.
func estimate(value, low, high float64) Estimate {
	return Estimate{Finite(value), Finite(low), Finite(high)}
}

// normal returns value with the interval value ± z·se.
func normal(value, se float64) Estimate {
	return estimate(value, value-Z95*se, value+Z95*se)
}

// logNormal returns exp(log) with the interval exp(log ± z·se), for ratios.
func logNormal(log, se float64) Estimate {
	return estimate(math.Exp(log), math.Exp(log-Z95*se), math.Exp(log+Z95*se))
}

// mean averages the values that exist.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(v *float64) {
	if v != nil {
		m.sum, m.n = m.sum+*v, m.n+1
	}
}

// value returns the mean, nil when no value was added.
func (m *mean) value() *float64 { return Finite(m.sum / float64(m.n)) }

// OrNaN returns *v, NaN for nil.
func OrNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// Mean returns the mean of v with its normal 95 % interval, ± z·SD/√n, which treats the rows as a random
// sample.
func Mean(v []float64) Estimate {
	mean, sd := stat.MeanStdDev(v, nil)
	return normal(mean, sd/math.Sqrt(float64(len(v))))
}

// medianOf returns the median of v with the order statistics that enclose that of the population with a probability
// of at least 95 %, by the binomial distribution. Fewer than six values have no such interval.
func medianOf(v []float64) Estimate {
	if len(v) == 0 {
		return Estimate{}
	}
	sorted := slices.Sorted(slices.Values(v))
	e := Estimate{Value: Finite(Median(v))}
	below := distuv.Binomial{N: float64(len(v)), P: .5}
	rank := 0
	for below.CDF(float64(rank)) <= .025 {
		rank++
	}
	if rank > 0 {
		e.Low, e.High = Finite(sorted[rank-1]), Finite(sorted[len(v)-rank])
	}
	return e
}

// meanOfRows is Mean of losses, which are never negative, so neither is its lower limit. It adds the values in
// the order of rows, which reproduces bit for bit the metrics stored by the first version.
func meanOfRows(v []float64) Estimate {
	return normal(total(v)/float64(len(v)), stat.StdDev(v, nil)/math.Sqrt(float64(len(v)))).AtLeast(0)
}

// AtLeast cuts the lower limit at the least possible value.
func (e Estimate) AtLeast(least float64) Estimate {
	if e.Low != nil {
		low := max(least, *e.Low)
		e.Low = &low
	}
	return e
}

// within cuts the interval at the least and the largest possible value.
func (e Estimate) within(least, most float64) Estimate {
	if e.High != nil {
		high := min(most, *e.High)
		e.High = &high
	}
	return e.AtLeast(least)
}

// MedianInterval names the method of medianOf.
const MedianInterval = "exact interval of a median"

// MeanInterval names the method of Mean.
const MeanInterval = "normal interval of a mean"

func total(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum
}
