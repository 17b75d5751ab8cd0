package study

import (
	"math"
	"testing"
)

// TestVerdict holds the acceptance rule at its limit: with a printed interval,
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
			if v.Holds != d.holds || v.Allowed == nil || !(math.Abs(*v.Allowed-c.allowed) <= 1e-10) {
				t.Errorf("%s, %v off: %+v, allowed %v", c.name, d.by, v, *v.Allowed)
			}
			// Φ⁻¹(.8) = .8416212336 standard errors more leave one repeat of five inside.
			if want := c.allowed + 0.8416212336*(c.allowed-r.Digit/2)/3; !(math.Abs(*v.Notices-want) <= 1e-9) {
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
	if share := float64(missed) / repeats; !(math.Abs(share-power) <= 0.03) {
		t.Errorf("%.3f of the repeats are called out, want %v", share, power)
	}
}

// TestContrast holds differences of two cells, paired by replicate, to values
// worked out by hand.
func TestContrast(t *testing.T) {
	a, b := Key{Model: "a"}, Key{Model: "b"}
	p := Plan{}
	done := Values{}
	values := [][2]float64{{1, 0.5}, {2, 1.75}, {4, 3.25}, {3, 2.5}, {9, math.NaN()}}
	for r, v := range values {
		id := string(rune('p' + r))
		p.Units = append(p.Units, Unit{ID: id, Kind: "k", Replicate: r, Keys: []Key{a, b}})
		done[id] = v[:]
	}
	cells := Summarise(p, done)
	// Differences .5, .25, .75, .5: mean .5, SD √(.125/3).
	se := math.Sqrt(0.125/3) / 2
	d := Contrast(Reference{Key: a, Value: 2.6, N: 4, Digit: 0.1}, Reference{Key: b, Value: 2.1, N: 9, Digit: 0.1})
	v := d.Verdict(cells)
	if v.N != 4 || !(math.Abs(*v.Ours-0.5) <= 1e-12) || !(math.Abs(*v.SE-se) <= 1e-12) || !v.Holds ||
		!(math.Abs(*v.Allowed-(3*se*math.Sqrt2+0.1)) <= 1e-12) {
		t.Errorf("%+v, ours %v, SE %v, allowed %v", v, *v.Ours, *v.SE, *v.Allowed)
	}
	for _, c := range []struct {
		name  string
		claim Reference
		holds bool
	}{
		{"above", Claim(a, b, 1, "w"), true}, // .5 > 3·.102
		{"below", Claim(a, b, -1, "w"), false},
		{"reversed", Claim(b, a, -1, "w"), true},
		{"itself", Claim(a, a, 1, "w"), false},
	} {
		if v := c.claim.Verdict(cells); v.Holds != c.holds || v.Allowed == nil {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
	if v := Claim(a, b, 1, "w").Verdict(cells); !(math.Abs(*v.Notices-(0.5-3*se+0.8416212336*se)) <= 1e-9) {
		t.Errorf("a claim notices %v", *v.Notices)
	}
	if v := Claim(a, b, 1, "w").Verdict(cells[:1]); v.Ours != nil || v.Holds {
		t.Errorf("against nothing: %+v", v)
	}
	d.Median = true
	// The pairs have medians 2.5 and 2.125.
	if v := d.Verdict(cells); !(math.Abs(*v.Ours-0.375) <= 1e-12) {
		t.Errorf("difference of medians %v", *v.Ours)
	}
}

// TestMedianDifference holds the standard error of a difference of paired medians to
// the spread of ten thousand draws: correlated, independent and equal.
func TestMedianDifference(t *testing.T) {
	const n, draws = 101, 4000
	rng := Random(2, "medians", 0)
	for _, c := range []struct{ rho float64 }{{0.9}, {0}, {-0.6}} {
		var d []float64
		mean := 0.0
		for range draws {
			x, y := make([]float64, n), make([]float64, n)
			for i := range x {
				x[i] = rng.NormFloat64()
				y[i] = c.rho*x[i] + math.Sqrt(1-c.rho*c.rho)*rng.NormFloat64()
			}
			gap, se := medianDifference(x, y)
			d, mean = append(d, gap), mean+se/draws
		}
		if _, sd := moments(d); !(math.Abs(mean/sd-1) <= 0.08) {
			t.Errorf("correlation %v: standard error %.4f, the draws spread by %.4f", c.rho, mean, sd)
		}
	}
	x := []float64{3, 1, 2, 8}
	if d, se := medianDifference(x, x); d != 0 || se > 1e-9 {
		t.Errorf("of the same values %v ± %v", d, se)
	}
}
