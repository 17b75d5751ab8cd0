package study

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"taper/internal/engine/stat"
)

// Reference is a published number. The other fields say how accurately it is known: N replicates under
// our protocol, the last printed digit.
type Reference struct {
	Key       Key
	Against   *Key // the number is Key's minus that of Against, paired by replicate; nil = Key's
	Median    bool // medians instead of means
	Value     float64
	N         int     // number of replicates; 0 = an exact number
	HalfWidth float64 // printed 95 % half-width for N; 0 = none
	SD        float64 // printed standard deviation for N; 0 = none
	Digit     float64 // one unit of the last printed digit
	AtLeast   bool    // a target: ours must not be below, however far above
	Sign      int     // only a sign is claimed, 1 or −1: ours must be 3 standard errors beyond 0
	Where     string
	Differs   string // known reason why ours differs; "" = none
}

// rerun begins Where of numbers that no paper prints.
const rerun = "Independent "

// Printed reports whether a paper prints the number. The others are from an independent rerun or implementation of
// its method.
func (r Reference) Printed() bool { return !strings.HasPrefix(r.Where, rerun) }

// Verdict compares a reference with our number.
type Verdict struct {
	Reference
	Ours    *float64 // nil if the cell or its value does not exist
	SE      *float64
	N       int      // number of our replicates
	Allowed *float64 // allowed difference; nil with fewer than two replicates
	Notices *float64 // smallest true difference that is detected in four of five repeats
	Holds   bool
}

// The acceptance rule (docs/reference-numbers.md, Results of the methods).
const (
	allowedSE = 3
	power     = 0.8 // power of a verdict at the difference that it detects
)

var powerSE = distuv.UnitNormal.Quantile(power)

// Verdict applies the acceptance rule: |ours − reference| ≤ 3·√(se_ref² + se_ours²) plus half a unit of
// the last printed digit.
func (r Reference) Verdict(cells []Cell) Verdict {
	v := Verdict{Reference: r}
	v.Ours, v.SE, v.N = r.ours(cells)
	own := 0.0
	switch {
	case v.Ours == nil, v.SE == nil && (r.N > 0 || r.Sign != 0):
		return v
	case v.SE != nil:
		own = *v.SE
	}
	se := math.Hypot(r.se(own, v.N), own)
	allowed := allowedSE*se + r.rounding()
	v.Holds = math.Abs(*v.Ours-r.Value) <= allowed
	if r.AtLeast {
		allowed, v.Holds = 0, *v.Ours >= r.Value
	}
	notices := allowed + powerSE*se
	if r.Sign != 0 {
		beyond := float64(r.Sign) * *v.Ours
		// How much smaller our difference can become before the claim fails in four of five repeats.
		v.Holds, notices = beyond > allowed, max(0, beyond-allowed+powerSE*se)
	}
	v.Allowed, v.Notices = &allowed, &notices
	return v
}

// ours returns our number, its standard error (nil with fewer than two replicates), and the number of
// replicates.
func (r Reference) ours(cells []Cell) (value, se *float64, n int) {
	c := Find(cells, r.Key)
	switch {
	case c == nil:
		return nil, nil, 0
	case r.Against != nil:
		other := Find(cells, *r.Against)
		if other == nil {
			return nil, nil, 0
		}
		x, y := pairs(*c, *other)
		if r.Median {
			d, se := medianDifference(x, y)
			return stat.Finite(d), stat.Finite(se), len(x)
		}
		for i := range x {
			x[i] -= y[i]
		}
		mean, sd := moments(x)
		return stat.Finite(mean), stat.Finite(sd / math.Sqrt(float64(len(x)))), len(x)
	case r.Median:
		return c.Median, c.MedianSE, c.N
	}
	return c.Mean, stat.Finite(c.SE()), c.N
}

// rounding is the largest rounding error of the printed number: half a unit of the last digit; twice that
// for a difference of two numbers.
func (r Reference) rounding() float64 {
	if r.Against != nil {
		return r.Digit
	}
	return r.Digit / 2
}

// Contrast is the difference of two references, a minus b, for the same replicates.
func Contrast(a, b Reference) Reference {
	d := Reference{Key: a.Key, Against: &b.Key, Median: a.Median, Value: a.Value - b.Value, N: min(a.N, b.N),
		Digit: max(a.Digit, b.Digit), Where: a.Where}
	if d.Differs = a.Differs; d.Differs == "" {
		d.Differs = b.Differs
	}
	return d
}

// Claim is a claim without a number: a is above b (sign 1) or below (−1).
func Claim(a, b Key, sign int, where string) Reference {
	return Reference{Key: a, Against: &b, Sign: sign, Where: where}
}

// se is the standard error of the printed number. If none was printed, the reference was computed with
// our protocol, so the spread of its replicates is taken to be ours; own is our standard error for n
// replicates.
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

// Verdicts evaluates every reference of a preset.
func (p Preset) Verdicts(cells []Cell) []Verdict {
	var all []Verdict
	for _, r := range p.References {
		all = append(all, r.Verdict(cells))
	}
	return all
}

// Name distinguishes the number from the others of its preset.
func (r Reference) Name() string {
	of := r.Key
	switch {
	case r.Against == nil:
	case of.SameBut(*r.Against):
		of.Model += " − " + r.Against.Model
	default:
		return of.name() + " − " + r.Against.name()
	}
	return of.name()
}

// SameBut reports whether two keys differ at most in the model.
func (k Key) SameBut(other Key) bool {
	other.Model = k.Model
	return k == other
}

func (k Key) name() string {
	var parts []string
	for _, s := range []string{k.Data, k.Model, k.Metric} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if k.Noise != 0 {
		parts = append(parts, fmt.Sprintf("noise %g", k.Noise))
	}
	if k.At != 0 {
		parts = append(parts, fmt.Sprintf("at %g", k.At))
	}
	return strings.Join(parts, ", ")
}
