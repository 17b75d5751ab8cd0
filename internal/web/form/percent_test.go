package form

import (
	"math"
	"net/url"
	"testing"
)

// TestParsePercent: a field in per cent reads per cent; 0.3 means 0.3 %, not 30 %.
func TestParsePercent(t *testing.T) {
	for text, want := range map[string]float64{
		"30": .3, "30 %": .3, "30%": .3, " 30\u00a0% ": .3, "12,5": .125, "0.3": .003, "0,3 %": .003, "33.33": .3333, "7": .07, "100": 1, "-5": -.05, "150": 1.5,
	} {
		if v, ok := ParsePercent(text); !ok || v != want {
			t.Errorf("%q is %v, %v; want %v", text, v, ok, want)
		}
	}
	for _, text := range []string{"", "%", "x", "30 %%", "1/3", "inf", "NaN"} {
		if v, ok := ParsePercent(text); ok {
			t.Errorf("%q was read as %v", text, v)
		}
	}
	for share, want := range map[float64]string{.07: "7", .29: "29", .3333: "33.33", .003: "0.3", 1e-9: "0.0000001"} {
		if got := PercentText(share); got != want {
			t.Errorf("%v is %q, want %q", share, got, want)
		}
		if back, _ := ParsePercent(PercentText(share)); back != share {
			t.Errorf("%v comes back as %v", share, back)
		}
	}
}

// TestFractions: addresses contain fractions, whatever a form sent; if both are present, the field in per cent
// wins.
func TestFractions(t *testing.T) {
	q, _ := url.ParseQuery("pi.pct=30&pi.pct=50&pi=.25&rate.pct=0,3&b.pi.pct=x&seed=7")
	if got, want := Fractions(q).Encode(), "b.pi=x&pi=0.3&pi=0.5&rate=0.003&seed=7"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	plain, _ := url.ParseQuery("pi=.3,.5")
	if got := Fractions(plain).Encode(); got != plain.Encode() {
		t.Errorf("an address became %s", got)
	}
}

// FuzzPercent: a parsed value is written as a text that parses to the same value.
func FuzzPercent(f *testing.F) {
	for _, text := range []string{"30", "12,5 %", "1e308", "-0", "5e-324", "%"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, ok := ParsePercent(text)
		if !ok {
			return
		}
		if back, ok := ParsePercent(PercentText(v)); !math.IsInf(Percent(v), 0) && (!ok || math.Abs(back-v) > 1e-12*math.Abs(v)) {
			t.Errorf("%q is %v and comes back as %v", text, v, back)
		}
	})
}
