package form

import (
	"math"
	"strings"
	"testing"

	"taper/internal/engine/usererr"
)

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]float64{
		"3.05\u202f×\u202f10⁻⁵": 3.05e-5, "−10⁻⁷": -1e-7, "2 × 10⁸": 2e8,
		"0.25": .25, "0,25": .25, ".5": .5, "−1.5": -1.5, "1e3": 1000,
	} {
		if v, ok := ParseNumber(text); !ok || v != want {
			t.Errorf("%q is %v, %v; want %v", text, v, ok, want)
		}
	}
	for _, text := range []string{"", "x", "inf", "NaN", "1.2.3"} {
		if v, ok := ParseNumber(text); ok {
			t.Errorf("%q was read as %v", text, v)
		}
	}
	if v, _ := ParseNumber("-0"); math.Signbit(v) {
		t.Error("a negative zero")
	}
}

func TestText(t *testing.T) {
	for v, want := range map[float64]string{.1: "0.1", 1e-9: "1e-09", -2: "-2", math.Inf(1): "inf"} {
		if got := Text(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}

func TestEncode(t *testing.T) {
	got := Encode([]Pair{{"pi", ".25,.5"}, {"pin", "alpha:3"}, {"x", "a & b/c"}, {"x", ""}})
	if want := "?pi=.25,.5&pin=alpha:3&x=a+%26+b/c&x="; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := Encode(nil); got != "" {
		t.Errorf("no pairs are %q", got)
	}
}

func TestError(t *testing.T) {
	if Error(nil) != nil {
		t.Error("nothing is an error")
	}
	bad := []usererr.Field{{Field: "t1", Message: "must be a number"}, {Field: "pi", Message: "must rise."}}
	if got, want := Error(bad).Error(), "T1 must be a number Pi must rise."; !strings.Contains(got, want) {
		t.Errorf("%q lacks %q", got, want)
	}
}
