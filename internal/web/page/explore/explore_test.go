package explore

import (
	"bytes"
	"encoding/json"
	"math"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

func mustQuery(t testing.TB, text string) url.Values {
	t.Helper()
	q, err := url.ParseQuery(strings.TrimPrefix(text, "?"))
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestSmallValueSpoken: a screen reader says a small value as a power of ten, as pages show it.
func TestSmallValueSpoken(t *testing.T) {
	st, bad := Parse(mustQuery(t, "t1=0.00003"))
	if got := t1Slider(st).Spoken; len(bad) > 0 || !strings.HasPrefix(got, "t1 3\u202f×\u202f10⁻⁵, the loss is bounded") {
		t.Errorf("%q (%v)", got, bad)
	}
}

// TestClosedFormOfGame: the closed form for abstention stands there only where its value is that of the game, α ≤ ½.
func TestClosedFormOfGame(t *testing.T) {
	for query, want := range map[string]int{"family=adversarial&metric=abstain&cost=0.5": 4, "family=adversarial&metric=abstain&cost=0.51": 3,
		"family=adversarial&metric=zero-one": 4} {
		st, bad := Parse(mustQuery(t, query))
		if got := len(gameFormula(st, play{}).Lines); len(bad) > 0 || got != want {
			t.Errorf("%s: %d lines, want %d (%v)", query, got, want, bad)
		}
	}
}

// TestRoundTrip: parsing the canonical address of a state gives the state, and its address is the same.
func TestRoundTrip(t *testing.T) {
	states := []string{"", "t1=0&t2=1", "t1=.3&pin=alpha:3&pin=tempered:0.2:1.4&z=2.5", "family=alpha&alpha=inf&with=", "family=alpha&view=landscape&noise=.2&gamma=.1",
		"family=interval&pi=.1,.2,.9&over=margin&top=2&open=theory&open=surrogate", "family=interval&pi=0,25", "family=adversarial&metric=abstain&cost=.3&k=2&y=2&rival=cs&a=-1",
		"family=t-logistic&third=xi&with=logistic&with=t-logistic:1.9", "t1=3&t2=0.5"}
	for _, g := range paperFigures() {
		for _, f := range g.figures {
			states = append(states, strings.TrimPrefix(f.st.Query(), "?"))
		}
	}
	for _, text := range states {
		st, bad := Parse(mustQuery(t, text))
		if len(bad) > 0 {
			t.Errorf("%q: %v", text, bad)
		}
		again, bad := Parse(mustQuery(t, st.Query()))
		if len(bad) > 0 || again.URL() != st.URL() {
			t.Errorf("%q became %q, then %q (%v)", text, st.URL(), again.URL(), bad)
		}
		if st.Pins == nil {
			st.Pins = again.Pins
		}
		if len(st.With) == 0 {
			st.With, again.With = nil, nil
		}
		if !reflect.DeepEqual(st, again) {
			t.Errorf("%q: %+v read back as %+v", text, st, again)
		}
	}
}

// TestFormQuery: the query of a form has one number per boundary, decimal commas, and an empty list of comparisons.
func TestFormQuery(t *testing.T) {
	st, bad := Parse(mustQuery(t, "family=interval&pi=0,2&pi=0.45&with=&z=-1,5"))
	if len(bad) > 0 || !reflect.DeepEqual(st.Pi, []float64{.2, .45}) || len(st.With) != 0 || st.Z != -1.5 {
		t.Errorf("π = %v, with %v, z = %v, %v", st.Pi, st.With, st.Z, bad)
	}
}

// TestTypedAlpha: α is read as it is typed, and what cannot be read is named.
func TestTypedAlpha(t *testing.T) {
	for text, want := range map[string]float64{"∞": math.Inf(1), "inf": math.Inf(1), "Infinity": math.Inf(1), "+INF": math.Inf(1),
		"0,5": .5, "2.5": 2.5, "3\u202f×\u202f10⁻²": .03, " 4 ": 4} {
		if st, bad := Parse(url.Values{"family": {"alpha"}, "alpha": {text}}); len(bad) > 0 || st.Alpha != want {
			t.Errorf("α = %q is %v, %v; want %v", text, st.Alpha, bad, want)
		}
	}
	for _, text := range []string{"-inf", "−∞", "0", "−1", "NaN", "infinite", "1.2.3"} {
		st, bad := Parse(url.Values{"family": {"alpha"}, "alpha": {text}})
		if want := "must be a number above 0 or ∞, not ‘" + text + "’"; len(bad) != 1 || bad[0].Message != want || st.Alpha != 4 {
			t.Errorf("α = %q: %v, %v", text, st.Alpha, bad)
		}
	}
	if st, bad := Parse(url.Values{"family": {"bi-tempered"}, "t1": {"0,5"}}); len(bad) > 0 || st.Params.Number("t1") != .5 {
		t.Errorf("a parameter of a listed loss: %v, %v", st.Params, bad)
	}
}

// FuzzExplore: for every query the state renders and its address parses back to it.
func FuzzExplore(f *testing.F) {
	for _, q := range []string{"", "t1=0,3&t2=1.2", "family=alpha&alpha=inf", "family=interval&pi=.1,.2&over=margin", "family=interval&pi=0,25", "family=adversarial&k=2&metric=squared&a=3", "pin=alpha:2&with=ramp:-1&open=loss", "t1=4&t2=0", "with=t-logistic:same&family=alpha", "family=alpha&alpha=1e-300", "top=1e3&z=-8"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		st, bad := Parse(q)
		for _, b := range bad {
			if b.Field == "" || b.Message == "" {
				t.Errorf("%q: nameless problem %+v", text, b)
			}
		}
		again, worse := Parse(mustQuery(t, st.Query()))
		if len(worse) > 0 || again.URL() != st.URL() {
			t.Errorf("%q became %q, then %q (%v)", text, st.URL(), again.URL(), worse)
		}
		if st.View == Landscape { // slow, and tested separately
			return
		}
		v := newView(st)
		for _, c := range v.charts() {
			if !json.Valid(c.plot.Option) || bytes.Contains(c.plot.Option, []byte("<")) || c.plot.Sentence == "" {
				t.Errorf("%q: chart %s", text, c.plot.ID)
			}
		}
	})
}
