package viz

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestOddsNumber: only 1 reads as 1, because the unit of a predictor may be so small that one more of it changes
// the odds by a millionth.
func TestOddsNumber(t *testing.T) {
	for _, c := range []struct {
		odds float64
		want string
	}{
		{1, "1.0000"}, {math.Exp(3.1e-5), "1.000031"}, {math.Exp(-3.1e-5), "0.999969"}, {math.Exp(4.2e-8), "1.000000042"},
		{1.0488, "1.0488"}, {1.001, "1.0010"}, {0.9, "0.9"}, {1.59, "1.59"}, {2, "2.00"}, {21.014, "21"}, {0.0012, "0.0012"},
	} {
		if got := OddsNumber(c.odds); got != c.want {
			t.Errorf("%v: %s, want %s", c.odds, got, c.want)
		}
	}
}

// TestApart: two values that differ do not read alike in one sentence.
func TestApart(t *testing.T) {
	p := panel{write: func(v float64) string { return Number(v, 3) }}
	if a, b := p.apart(.99812, .99788); a == b {
		t.Errorf("highest %s, lowest %s", a, b)
	}
	p.write = func(v float64) string { return Short(v, 3) }
	if a, b := p.apart(1.128e7, 1880399); a != "1.13\u202f×\u202f10⁷" || b != "1.88\u202f×\u202f10⁶" {
		t.Errorf("one power of ten, one number: %s and %s", a, b)
	}
	if a, b := p.apart(.5, .5); a != b {
		t.Errorf("%s and %s of the same value", a, b)
	}
}

// TestForestOddsFit: the longest number of a forest plot ends inside the drawing.
func TestForestOddsFit(t *testing.T) {
	all := []Odds{{"ST depression", 1.9, 1.2, 3.1}, {"trestbps", .99191, .98471, .99999}}
	svg := ForestOddsSVG(all)
	for _, o := range all {
		text := oddsText(o)
		before, _, found := strings.Cut(svg, ">"+Escape(text)+"<")
		at := regexp.MustCompile(`x="([\d.]+)"[^>]*$`).FindStringSubmatch(before)
		if !found || at == nil {
			t.Fatalf("%q is not drawn", text)
		}
		if x, _ := strconv.ParseFloat(at[1], 64); x+6.6*float64(len([]rune(text))) > 680 {
			t.Errorf("%q starts at %v and ends outside 680", text, x)
		}
	}
}
