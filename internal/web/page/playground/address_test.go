package playground

import (
	"net/url"
	"reflect"
	"strings"
	"testing"

	"taper/internal/engine/synth"
)

// addresses are canonical addresses of states.
var addresses = []string{
	"", "data=gmm&noise=class&rate=0.3&rate0=0.1&seed=9&n=1000", "data=blobs&a.method=al-cost&a.matrix=0,1,2/1,0,1/3,1,0",
	"data=own&pts=0,0,0;1,1.5,1;2,2,0;-1,3,1&ax=-1,2,-3,4", "a.method=boost&a.alpha=inf&a.rounds=20&a.depth=2&a.rule=line-search&step=3",
	"b.method=interval&b.pi=0.2,0.7&b.l2=0.01&b.solver=subgradient&brush=b:4", "a.method=hinge&a.kernel=poly&a.degree=2&a.gamma=0.5&present=1",
	"data=own&a.method=logistic&b.method=hinge", "data=dataset:1a2b&b.method=alpha",
	"l2=0.01&kernel=poly&degree=2&b.method=t-logistic", "settings=own", "settings=shared&b.method=t-logistic", "data=blobs&features=rbf&gamma=2&b.method=hinge",
	"data=ordinal-stripes&a.method=all-threshold&a.base=logistic&test=0.25",
}

func TestAddressesComeBack(t *testing.T) {
	for _, text := range addresses {
		q, _ := url.ParseQuery(strings.ReplaceAll(text, ";", "%3B"))
		st, bad := parse(q)
		if len(bad) > 0 {
			t.Errorf("%s: %v", text, bad)
		}
		q, err := url.ParseQuery(strings.TrimPrefix(st.query(), "?"))
		if err != nil {
			t.Fatal(err)
		}
		again, bad := parse(q)
		if len(bad) > 0 || !reflect.DeepEqual(st, again) {
			t.Errorf("%s: %s reads as another state: %v\n%+v\n%+v", text, st.query(), bad, st, again)
		}
	}
}

// TestTypedParameters: a parameter is read as it is typed, and written in one form.
func TestTypedParameters(t *testing.T) {
	for text, want := range map[string]string{"∞": "inf", "Infinity": "inf", "INF": "inf", "0,5": "0.5", "4.0": "4"} {
		st, bad := parse(url.Values{"b.method": {"alpha"}, "b.alpha": {text}})
		if len(bad) > 0 || st.Models[1].Params["alpha"] != want {
			t.Errorf("α = %q is %v, %v; want %s", text, st.Models[1].Params, bad, want)
		}
	}
	st, bad := parse(url.Values{"data": {"blobs"}, "a.method": {"al-cost"}, "a.matrix": {"0,1,2/1,0,1/3,1,0"}})
	if len(bad) > 0 || st.Models[0].Params["matrix"] != "0,1,2/1,0,1/3,1,0" {
		t.Errorf("the commas of a matrix: %v, %v", st.Models[0].Params, bad)
	}
}

func TestNamesWhatItCannotUse(t *testing.T) {
	for text, field := range map[string]string{
		"data=nowhere": "data", "n=7": "n", "rate=0.9": "rate", "noise=loud": "noise", "a.method=zero-one": "a.method", "b.alpha=-1": "b.alpha",
		"b.method=interval&b.pi=0.5,0.4": "b.pi[1]", "data=own&pts=1,2": "pts", "ax=1,0,0,1": "ax", "brush=c:1": "brush", "seed=1.5": "seed", "a.l2=0": "a.l2", "l2=0": "l2",
	} {
		q, _ := url.ParseQuery(strings.ReplaceAll(text, ";", "%3B"))
		if _, bad := parse(q); len(bad) != 1 || bad[0].Field != field {
			t.Errorf("%s: %+v, want the field %s", text, bad, field)
		}
	}
	p := New(Config{})
	if a := at(t, p, "data=blobs&a.method=hinge"); len(a.Problems) != 1 || a.Problems[0].Field != "a.method" || !a.Models.A.ok() {
		t.Errorf("three classes and a hinge: %+v", a.Problems)
	}
	if a := at(t, p, "data=long-servedio&b.features=rbf"); len(a.Problems) != 1 || !a.Models.B.ok() {
		t.Errorf("RBF features of 21 columns: %+v", a.Problems)
	}
	q, _ := url.ParseQuery("data=own&pts=0,0,0%3B1,1,0%3B2,1,0%3B3,2,0%3B4,3,0")
	st, _ := parse(q)
	if _, err := p.show(t.Context(), st, nil); err == nil || !strings.Contains(err.Error(), "class 1") {
		t.Errorf("points of one class: %v", err)
	}
}

// FuzzState: for every query, the address of the parsed state parses back to the state.
func FuzzState(f *testing.F) {
	for _, text := range addresses {
		f.Add(strings.ReplaceAll(text, ";", "%3B"))
	}
	f.Add("a.matrix=1,2/3&a.method=al-cost&n=1e3&rate=-0&ax=0,1e-320,0,1&pts=%3B%3B1,1,1&data=own&brush=b:19&a.gamma=∞")
	f.Fuzz(func(t *testing.T, text string) {
		q, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		st, _ := parse(q)
		back, err := url.ParseQuery(strings.TrimPrefix(st.query(), "?"))
		if err != nil {
			t.Fatal(err)
		}
		again, bad := parse(back)
		if len(bad) > 0 || !reflect.DeepEqual(st, again) {
			t.Errorf("%q: %q reads as another state: %v\n%+v\n%+v", text, st.query(), bad, st, again)
		}
		for _, m := range st.Models {
			if _, err := m.setting(2, 1); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}

// The message of a problem names its control in words, and the page below does not repeat it.
func TestWordsProblems(t *testing.T) {
	p := New(Config{})
	for query, want := range map[string]string{
		"data=blobs&a.method=logistic": "Model A: Logistic", "rate=9": "Rate must be", "b.method=tempered&b.l2=no": "Model B, penalty λ: must be", "l2=no": "Both models, penalty λ: must be", "b.method=tempered&b.t1=no": "Model B, t1: ",
		"b.method=t-logistic&b.kernel=rbf": "Model B, kernel: t-logistic fits without one.", "b.method=interval&b.pi=0.5,0.4": "Model B, boundaries: ", "data=own&pts=1,2": "Points must be",
		"data=moon": "The address asks for points that do not exist, ‘moon’: choose others under Points from. The rest is shown.",
	} {
		page := pageAt(t, p, query)
		if n := strings.Count(page, want); n != 1 {
			t.Errorf("%s: %q is said %d times", query, want, n)
		}
		if strings.Contains(page, "a.method cannot") || strings.Contains(page, "A cannot") {
			t.Errorf("%s: the page speaks of keys", query)
		}
	}
	if a := liveAt(t, p, "parts=1&data=blobs&a.method=logistic"); !strings.Contains(a.Parts["pg-warn"], "Model A: Logistic") {
		t.Errorf("live says %q", a.Parts["pg-warn"])
	}
}

// Where the points restrict the methods, an address without a method gets a suitable default without a message; an
// address with an unsuitable method gets a message.
func TestOpensWithWhatFits(t *testing.T) {
	p := New(Config{})
	points := "data=own&pts=0,0,0%3B0,1,0%3B1,0,0%3B3,0,1%3B3,1,1%3B4,0,1%3B0,4,2%3B1,4,2%3B0,5,2"
	a := at(t, p, points)
	if len(a.Problems) > 0 || a.st.Models[0].Method != "softmax" || a.st.Models[1].Method != "tempered-multiclass" || !a.Models.A.ok() || !a.Models.B.ok() {
		t.Errorf("three classes and no method: %+v, %s and %s", a.Problems, a.st.Models[0].Method, a.st.Models[1].Method)
	}
	if again := at(t, p, strings.TrimPrefix(a.URL, "/playground?")); again.URL != a.URL || len(again.Problems) > 0 {
		t.Errorf("%s comes back as %s: %+v", a.URL, again.URL, again.Problems)
	}
	if a = at(t, p, points+"&b.method=alpha"); len(a.Problems) != 1 || a.Problems[0].Field != "b.method" {
		t.Errorf("three classes and a method of two: %+v", a.Problems)
	}
}

// TestPresentingOffersNoise: the page for an audience has the noise slider in every state, at 0 where labels are as they
// are.
func TestPresentingOffersNoise(t *testing.T) {
	for query, want := range map[string]float64{"present=1&noise=none": 0, "present=1&data=own": 0, "present=1": .2} {
		q, _ := url.ParseQuery(query)
		if st, bad := parse(q); st.Noise == synth.NoiseNone || st.Rate != want || len(bad) > 0 {
			t.Errorf("%s: %s at %v (%v), want noise at %v", query, st.Noise, st.Rate, bad, want)
		}
	}
}
