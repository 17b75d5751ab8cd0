package form

import (
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]float64{"0.25": .25, "0,25": .25, ".5": .5, "−1.5": -1.5, "1e3": 1000} {
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

func TestParser(t *testing.T) {
	q, _ := url.ParseQuery("kind=b&t=1,5&n=3&half=2.5&high=9&what=z")
	p := Parser{Values: q}
	if got := p.OneOf("kind", "a", []string{"", "a", "b"}); got != "b" {
		t.Errorf("kind %q", got)
	}
	if got := p.Number("t", 0, 0, 4); got != 1.5 {
		t.Errorf("t %v", got)
	}
	if got := p.Whole("n", 0, 0, 4); got != 3 {
		t.Errorf("n %v", got)
	}
	if got := p.Number("none", .7, 0, 4); got != .7 || len(p.Bad) > 0 {
		t.Errorf("a key that is not there is %v; problems %v", got, p.Bad)
	}
	if got := p.Whole("half", 1, 0, 4); got != 1 {
		t.Errorf("half %v", got)
	}
	if got := p.Number("high", 2, 0, 4); got != 2 {
		t.Errorf("high %v", got)
	}
	if got := p.OneOf("what", "a", []string{"", "a", "b"}); got != "a" {
		t.Errorf("what %q", got)
	}
	want := []string{`half must be a whole number, not "2.5"`, `high must be a number from 0 to 4, not "9"`, `what must be one of a, b, not "z"`}
	for i, f := range p.Bad {
		if i >= len(want) || f.Field+" "+f.Message != want[i] {
			t.Errorf("problem %d: %s %s", i+1, f.Field, f.Message)
		}
	}
	if len(p.Bad) != len(want) {
		t.Errorf("%d problems, want %d", len(p.Bad), len(want))
	}
}

func TestBoundaries(t *testing.T) {
	plain := []float64{.5}
	for text, want := range map[string][]float64{
		"pi=.25,.75":       {.25, .75},
		"pi=0,25":          {.25},
		"pi=0,2&pi=0.45":   {.2, .45},
		"pi=.2&pi=&pi=.45": {.2, .45},
		"":                 plain,
	} {
		q, _ := url.ParseQuery(text)
		p := Parser{Values: q}
		if got := p.Boundaries("pi", plain); !slices.Equal(got, want) || len(p.Bad) > 0 {
			t.Errorf("%q is %v (%v), want %v", text, got, p.Bad, want)
		}
	}
	for text, want := range map[string]string{
		"pi=.5,.4": "pi[1] must be greater than pi[0] (0.5)",
		"pi=1.5":   "pi[0] must lie strictly between 0 and 1 (got 1.5)",
		"pi=.2,x":  `pi must be probabilities between 0 and 1, not "x"`,
	} {
		q, _ := url.ParseQuery(text)
		p := Parser{Values: q}
		if got := p.Boundaries("pi", plain); !slices.Equal(got, plain) || len(p.Bad) != 1 || p.Bad[0].Field+" "+p.Bad[0].Message != want {
			t.Errorf("%q is %v, %v; want %s", text, got, p.Bad, want)
		}
	}
}

func TestError(t *testing.T) {
	p := Parser{}
	p.Fail("t1", "must be a number")
	p.Fail("pi", "must rise.")
	if got, want := Error(p.Bad).Error(), "T1 must be a number Pi must rise."; !strings.Contains(got, want) {
		t.Errorf("%q lacks %q", got, want)
	}
}

// FuzzParser: whatever the query, what is read lies within its limits, and what
// is not within them has a problem.
func FuzzParser(f *testing.F) {
	for _, q := range []string{"", "pi=.25,.5&t=1,5", "pi=0,25", "pi=.5&pi=.2", "t=-0&n=1e300", "pi=,,&t=−2"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		p := Parser{Values: q}
		if v := p.Number("t", 1, -3, 3); !(v >= -3 && v <= 3) || v == 0 && math.Signbit(v) {
			t.Errorf("%q: t = %v", text, v)
		}
		if n := p.Whole("n", 1, 0, 9); n < 0 || n > 9 {
			t.Errorf("%q: n = %v", text, n)
		}
		pi := p.Boundaries("pi", []float64{.5})
		for k, v := range pi {
			if !(v > 0 && v < 1) || k > 0 && !(v > pi[k-1]) {
				t.Errorf("%q: π = %v", text, pi)
			}
		}
		var pairs []Pair
		for key, values := range q {
			for _, v := range values {
				pairs = append(pairs, Pair{url.QueryEscape(key), v})
			}
		}
		back, err := url.ParseQuery(strings.TrimPrefix(Encode(pairs), "?"))
		if err != nil || back.Encode() != q.Encode() {
			t.Errorf("%q came back as %q, %v", q.Encode(), back.Encode(), err)
		}
	})
}
