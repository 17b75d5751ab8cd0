package study

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"taper/internal/engine/stat"
)

// Reference is a number that ours must land at. What was printed says how
// exactly it is known: N replicates under our protocol, the last printed digit.
type Reference struct {
	Key       Key
	Median    bool // of medians, not means
	Value     float64
	N         int     // replicates behind it; 0 = an exact number
	HalfWidth float64 // printed 95 % half-width over N; 0 = none
	SD        float64 // printed standard deviation over N; 0 = none
	Digit     float64 // one unit of the last printed digit
	AtLeast   bool    // a target: ours must not be below, however far above
	Where     string
	Differs   string // why ours is known to differ; "" = nothing is known
}

// Verdict is a reference beside our number.
type Verdict struct {
	Reference
	Ours    *float64 // nil: no such cell, or no value in it
	SE      *float64
	N       int      // replicates of ours
	Allowed *float64 // difference; nil: fewer than two replicates tell nothing of ours
	Notices *float64 // smallest true difference that does not hold in four of five repeats
	Holds   bool
}

// Acceptance rule (reference-numbers.md §2).
const (
	allowedSE = 3
	power     = 0.8 // of a verdict at the difference that it notices
)

var powerSE = distuv.UnitNormal.Quantile(power)

// Verdict applies the acceptance rule: |ours − reference| ≤ 3·√(se_ref² + se_ours²)
// and half a unit of the last printed digit.
func (r Reference) Verdict(cells []Cell) Verdict {
	v := Verdict{Reference: r}
	c := Find(cells, r.Key)
	if c == nil {
		return v
	}
	v.N, v.Ours, v.SE = c.N, c.Mean, stat.Finite(c.SE())
	if r.Median {
		v.Ours, v.SE = c.Median, c.MedianSE
	}
	own := 0.0
	switch {
	case v.Ours == nil, v.SE == nil && r.N > 0:
		return v
	case v.SE != nil:
		own = *v.SE
	}
	se := math.Hypot(r.se(own, v.N), own)
	allowed := allowedSE*se + r.Digit/2
	v.Holds = math.Abs(*v.Ours-r.Value) <= allowed
	if r.AtLeast {
		allowed, v.Holds = 0, *v.Ours >= r.Value
	}
	notices := allowed + powerSE*se
	v.Allowed, v.Notices = &allowed, &notices
	return v
}

// se is the standard error of the printed number. Where none was printed the
// reference was made by our protocol: its replicates spread like ours, whose
// standard error over n is own.
func (r Reference) se(own float64, n int) float64 {
	switch {
	case r.N == 0 || r.AtLeast:
		return 0
	case r.HalfWidth > 0:
		return r.HalfWidth / tQuantile(r.N)
	case r.SD > 0:
		return r.SD / math.Sqrt(float64(r.N))
	}
	return own * math.Sqrt(float64(n)/float64(r.N))
}

// Verdicts judges every reference of a preset.
func (p Preset) Verdicts(cells []Cell) []Verdict {
	var all []Verdict
	for _, r := range p.References {
		all = append(all, r.Verdict(cells))
	}
	return all
}
