package viz

import (
	"strings"
	"testing"

	"taper/internal/engine/phrase"
)

// TestEstimate: a value and its limits have equal decimals.
func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		value, low, high, null float64
		want                   string
	}{
		{1.0287, 0.9411, 1.13, 1, "1.03 (0.94 – 1.13)"},
		{-11.33, -15, -5.22, 0, "−11.3 (−15.0 – −5.2)"},
		{0.833, 0.5951, 1.0712, 1, "0.83 (0.60 – 1.07)"},
		{0.9944, 0.2, 1.62, 1, "0.99 (0.20 – 1.62)"},
		{1.0029, 0.9984, 1.0081, 1, "1.0029 (0.9984 – 1.0081)"},
		{1.003, 0.8, 1.25, 1, "1.003 (0.800 – 1.250)"}, // 1.00 would be read as no effect
		{1.2, 1.002, 1.44, 1, "1.200 (1.002 – 1.440)"}, // 1.00 would be read as including no effect
		{0.0021, -0.3, 0.31, 0, "0.002 (−0.300 – 0.310)"},
		{0.083, -0.270, 0.438, 0, "0.08 (−0.27 – 0.44)"},
		{12.34, 8.1, 20.5, 1, "12.3 (8.1 – 20.5)"},
		{0.0012, 0.0003, 0.005, 1, "0.0012 (0.0003 – 0.0050)"},
		{1, 1, 1, 1, "1.00 (1.00 – 1.00)"},
		{3e9, 1, 8e12, 1, "3\u202f×\u202f10⁹ (1 – 8\u202f×\u202f10¹²)"},
	} {
		text, limits := Estimate(c.value, c.low, c.high, c.null)
		got := text + " (" + limits + ")"
		if want := strings.ReplaceAll(c.want, " – ", phrase.To); got != want {
			t.Errorf("%v (%v, %v) is written %q, want %q", c.value, c.low, c.high, got, want)
		}
	}
}
