package stat

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Estimate is a number with its 95 % interval; each is nil where it does not
// exist.
type Estimate struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"ci_low"`
	High  *float64 `json:"ci_high"`
}

// Proportion returns events/n with Wilson's interval.
func Proportion(events, n int) Estimate {
	low, high := Wilson(events, n)
	return estimate(float64(events)/float64(n), low, high)
}

// estimate makes an Estimate of what is finite.
func estimate(value, low, high float64) Estimate {
	return Estimate{Finite(value), Finite(low), Finite(high)}
}

// normal returns value ± z·se.
func normal(value, se float64) Estimate {
	return estimate(value, value-Z95*se, value+Z95*se)
}

// logNormal returns exp(log ± z·se): the interval of a ratio.
func logNormal(log, se float64) Estimate {
	return estimate(math.Exp(log), math.Exp(log-Z95*se), math.Exp(log+Z95*se))
}

// mean averages what exists.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(v *float64) {
	if v != nil {
		m.sum, m.n = m.sum+*v, m.n+1
	}
}

// value is nil when nothing was added.
func (m *mean) value() *float64 { return Finite(m.sum / float64(m.n)) }

// OrNaN returns what v holds, NaN for nil.
func OrNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// Mean returns the mean of v with its normal 95 % interval, ± z·SD/√n: what a
// mean of per-row losses is worth on other rows of the same kind.
func Mean(v []float64) Estimate {
	mean, sd := stat.MeanStdDev(v, nil)
	return normal(mean, sd/math.Sqrt(float64(len(v))))
}

// meanOfRows is Mean with the values added row by row: the sum that metrics kept
// since the first version have, to the last bit.
func meanOfRows(v []float64) Estimate {
	return normal(total(v)/float64(len(v)), stat.StdDev(v, nil)/math.Sqrt(float64(len(v))))
}

const meanInterval = "normal interval of a mean"

func total(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum
}
