package viz

import (
	"math"
	"strings"
	"testing"

	"taper/internal/engine/phrase"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestScaleCases(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		n      int
		want   string
	}{
		{0, 1, 5, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{0, 100, 4, "0 25 50 75 100"},
		{-8.7, 12, 6, "−10 −5 0 5 10 15"},
		{-0.03, 0.31, 4, "−0.1 0.0 0.1 0.2 0.3 0.4"},
		{0.0501, 0.0509, 3, "0.0500 0.0505 0.0510"},
		{3, 3, 4, "1 2 3 4 5"},
		{0, 0, 4, "−0.5 0.0 0.5"},
		{math.NaN(), 2, 2, "0.0 0.5 1.0"},
		{5, -5, 2, "−5 0 5"},
		{0, 864154, 4, "0 250\u202f000 500\u202f000 750\u202f000 1\u202f000\u202f000"},
	} {
		s := NewScale(c.lo, c.hi, c.n)
		var got []string
		for _, v := range s.Ticks {
			got = append(got, s.Label(v))
		}
		if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
			t.Errorf("%v … %v: %s", c.lo, c.hi, d)
		}
	}
}

// TestScaleProperties: ticks are equally spaced, labels differ, and the ends are ticks that
// enclose the data.
func TestScaleProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e9, 1e9).Draw(t, "lo")
		width := math.Max(math.Pow(10, rapid.Float64Range(-4, 10).Draw(t, "width")), 1e-6*math.Abs(lo))
		n := rapid.IntRange(1, 12).Draw(t, "n")
		s := NewScale(lo, lo+width, n)
		if s.Min > lo+2e-8*s.Step || s.Max < lo+width-2e-8*s.Step {
			t.Fatalf("[%v, %v] does not hold [%v, %v]", s.Min, s.Max, lo, lo+width)
		}
		if len(s.Ticks) < 2 || len(s.Ticks) > n+2 || s.Ticks[0] != s.Min || s.Ticks[len(s.Ticks)-1] != s.Max {
			t.Fatalf("%d ticks for %d steps, %v in [%v, %v]", len(s.Ticks), n, s.Ticks, s.Min, s.Max)
		}
		for i := 1; i < len(s.Ticks); i++ {
			if math.Abs(s.Ticks[i]-s.Ticks[i-1]-s.Step) > 1e-3*s.Step {
				t.Fatalf("ticks %v and %v, step %v", s.Ticks[i-1], s.Ticks[i], s.Step)
			}
			if s.Label(s.Ticks[i]) == s.Label(s.Ticks[i-1]) {
				t.Fatalf("two ticks read %s", s.Label(s.Ticks[i]))
			}
		}
	})
}

// TestFrozenScale: the given ends are kept.
func TestFrozenScale(t *testing.T) {
	s := FrozenScale(-8.7, 12.3, 6)
	if s.Min != -8.7 || s.Max != 12.3 {
		t.Errorf("ends %v and %v", s.Min, s.Max)
	}
	if d := cmp.Diff([]float64{-5, 0, 5, 10}, s.Ticks); d != "" {
		t.Error(d)
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range [][2]string{
		{Number(-0.5, 1), "−0.5"}, {Number(-0.04, 1), "0.0"}, {Number(math.Inf(1), 1), None}, {NumberOf(nil, 2), None},
		{Short(0.00390625, 3), "0.00391"}, {Short(1024, 3), "1024"}, {Short(0.25, 4), "0.25"}, {Short(3.1e-7, 2), "3.1\u202f×\u202f10⁻⁷"},
		{Short(-2.5e9, 2), "−2.5\u202f×\u202f10⁹"}, {Short(100, 2), "100"}, {Short(0, 3), "0"}, {Short(99.96, 3), "100"},
		{phrase.Int(1234567), "1\u202f234\u202f567"}, {phrase.Int(999), "999"}, {Percent(0.125, 1), "12.5"},
		{BandName(0, 0.25), "≤\u00a025\u00a0%"}, {BandName(1./3, 2./3), "33.33\u00a0–\u2060\u00a066.67\u00a0%"}, {BandName(0.75, 1), ">\u00a075\u00a0%"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}

// TestMarks: the bands of a usual plot differ in symbol or fill.
func TestMarks(t *testing.T) {
	for k := 1; k <= 6; k++ {
		seen := map[string]bool{}
		for j := 0; j <= k; j++ {
			m := bandMark(j, k+1, float64(j)/float64(k+1), float64(j+1)/float64(k+1))
			key := m.Symbol + m.Class
			if m.Symbol == "" || seen[key] {
				t.Errorf("%d boundaries: band %d is drawn as %q like another", k, j, key)
			}
			seen[key] = true
		}
	}
}
