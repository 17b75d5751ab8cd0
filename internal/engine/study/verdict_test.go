package study

import (
	"math"
	"testing"
)

// TestVerdict holds the acceptance rule at its border: with a printed interval,
// a printed SD, neither, and for exact numbers and targets.
func TestVerdict(t *testing.T) {
	key := Key{Model: "m"}
	cell := func(n int, value, se float64) []Cell {
		sd := se * math.Sqrt(float64(n))
		return []Cell{{Key: key, N: n, Mean: &value, SD: &sd, Median: &value, MedianSE: &se}}
	}
	alone := []Cell{{Key: key, N: 1, Mean: new(float64)}}
	*alone[0].Mean = 0.5
	const sliver = 1e-9
	for _, c := range []struct {
		name    string
		ref     Reference
		se      float64 // of ours, over 4
		allowed float64
	}{
		// t(19) at 97.5 % is 2.0930240544
		{"a printed interval", Reference{HalfWidth: 0.020930240544, N: 20}, 0.02, 3 * math.Hypot(0.01, 0.02)},
		{"a printed interval over five", Reference{HalfWidth: 0.027764451052, N: 5}, 0, 3 * 0.01},
		{"a printed SD", Reference{SD: 0.04, N: 16}, 0.02, 3 * math.Hypot(0.01, 0.02)},
		{"as many replicates as ours", Reference{N: 4}, 0.02, 3 * 0.02 * math.Sqrt2},
		{"four times as many", Reference{N: 16}, 0.02, 3 * 0.02 * math.Sqrt(1.25)},
		{"medians", Reference{N: 1, Median: true}, 0.02, 3 * 0.02 * math.Sqrt(5)},
		{"its last digit", Reference{N: 4, Digit: 1e-3}, 0.02, 3*0.02*math.Sqrt2 + 5e-4},
		{"replicates of one value", Reference{N: 4, Digit: 1e-3}, 0, 5e-4},
		{"an exact number", Reference{Digit: 1e-6}, 0, 5e-7},
		{"an exact number, drawn by us", Reference{Digit: 1e-6}, 0.02, 3*0.02 + 5e-7},
	} {
		r := c.ref
		r.Key, r.Value = key, 0.5
		for _, d := range []struct {
			by    float64
			holds bool
		}{{c.allowed - sliver, true}, {c.allowed + sliver, false}, {-c.allowed + sliver, true}, {-c.allowed - sliver, false}} {
			v := r.Verdict(cell(4, 0.5+d.by, c.se))
			if v.Holds != d.holds || v.Allowed == nil || math.Abs(*v.Allowed-c.allowed) > 1e-10 {
				t.Errorf("%s, %v off: %+v, allowed %v", c.name, d.by, v, *v.Allowed)
			}
			// Φ⁻¹(.8) = .8416212336 standard errors more leave one repeat of five inside.
			if want := c.allowed + 0.8416212336*(c.allowed-r.Digit/2)/3; math.Abs(*v.Notices-want) > 1e-9 {
				t.Errorf("%s notices %v, want %v", c.name, *v.Notices, want)
			}
		}
	}
	for _, c := range []struct {
		name    string
		ref     Reference
		cells   []Cell
		ours    bool
		allowed bool
		holds   bool
	}{
		{"no such cell", Reference{Key: Key{Model: "other"}, Value: 0.5, N: 4}, cell(4, 0.5, 0), false, false, false},
		{"no value", Reference{Key: key, Value: 0.5, N: 4}, []Cell{{Key: key}}, false, false, false},
		{"one replicate", Reference{Key: key, Value: 0.5, N: 4}, alone, true, false, false},
		{"one number, exact", Reference{Key: key, Value: 0.5}, alone, true, true, true},
		{"a target reached", Reference{Key: key, Value: 0.5, AtLeast: true}, cell(4, 0.6, 0), true, true, true},
		{"a target met", Reference{Key: key, Value: 0.5, AtLeast: true}, cell(4, 0.5, 1), true, true, true},
		{"a target missed", Reference{Key: key, Value: 0.5, AtLeast: true}, cell(4, 0.4999, 1), true, true, false},
	} {
		v := c.ref.Verdict(c.cells)
		if v.Holds != c.holds || (v.Ours != nil) != c.ours || (v.Allowed != nil) != c.allowed || (v.Notices != nil) != c.allowed {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

// TestVerdictPower draws repeats at the difference that a verdict notices: four
// of five must be called out.
func TestVerdictPower(t *testing.T) {
	const n, repeats = 20, 4000
	rng, r := Random(1, "power", 0), Reference{Key: Key{Model: "m"}, N: n}
	se := math.Sqrt(2. / n) // of the difference of two means of n, each value of SD 1
	shift, missed := (allowedSE+powerSE)*se, 0
	for range repeats {
		sum, theirs := Cell{Key: r.Key}, 0.0
		for range n {
			x := rng.NormFloat64() + shift
			sum.Values = append(sum.Values, &x)
			theirs += rng.NormFloat64() / n
		}
		sum.sum(&quantiles{})
		r.Value = theirs
		if !r.Verdict([]Cell{sum}).Holds {
			missed++
		}
	}
	if share := float64(missed) / repeats; math.Abs(share-power) > 0.03 {
		t.Errorf("%.3f of the repeats are called out, want %v", share, power)
	}
}
