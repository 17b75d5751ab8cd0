package stratify

import (
	"math"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/form"
)

func queryOf(st State) string { return strings.TrimPrefix(st.Query(), "?") }

// testData is the dataset of these tests.
var testData = store.Dataset{ID: "d1", State: store.Raw,
	Choice: store.Choice{Outcome: "diagnosis", Positive: table.Levels{"malignant"}, Negative: table.Levels{"benign"}}}

func TestParseState(t *testing.T) {
	for query, want := range map[string]string{ // query → canonical query
		"":                                    "",
		"pi=.25,.5,.75":                       "",
		"pi=0.3,0.6":                          "pi=.3,.6",
		"pi=.02,.025,.1":                      "pi=.02,.025,.1",
		"mode=hard":                           "mode=hard",
		"mode=hard&pi=.5":                     "mode=hard",
		"mode=reject&pi=.2,.8":                "mode=reject&pi=.2,.8",
		"l2=auto":                             "",
		"l2=1se":                              "l2=1se",
		"l2=0.00390625":                       "l2=0.00391",
		"l2=0.00391":                          "l2=0.00391",
		"l2=0.003":                            "l2=0.003",
		"folds=5&seed=7":                      "",
		"folds=2&seed=0":                      "folds=2&seed=0",
		"seed=18446744073709551615":           "seed=18446744073709551615",
		"x=a+b&x=c%26d":                       "x=a+b&x=c%26d",
		"x=":                                  "x=",
		"outcome=diagnosis":                   "",
		"outcome=grade&positive=3&negative=1": "outcome=grade&positive=3&negative=1",
		"score=&group=patient":                "group=patient",
		"score=sMCI&score=pMCI":               "score=sMCI&score=pMCI",
		"band=2&page=3":                       "band=2&page=3",
		"method=interval":                     "",
		"method=logistic&alpha=2":             "method=logistic", // the method has no α
		"method=alpha&alpha=4":                "method=alpha",
		"method=alpha&alpha=0.5":              "method=alpha&alpha=0.5",
		"method=tempered&t2=1.30&t1=0.6":      "method=tempered&t2=1.3",
		"method=t-logistic&t=1.9":             "method=t-logistic&t=1.9",
		"method=bi-tempered&t1=0.8&t2=1.6":    "method=bi-tempered&t2=1.6", // at the defaults of this method
		"method=bi-tempered&t1=0":             "method=bi-tempered&t1=0",
		"method=dwd&t1=0.3":                   "method=dwd",
		"method=boost&rounds=250&depth=2":     "method=boost&rounds=250&depth=2",
		"hold=1":                              "hold=1",
		"noise=none&rate=0.3":                 "",
		"noise=random&rate=0.1":               "noise=random",
		"noise=random&rate=0,25":              "noise=random&rate=0.25",
		"noise=class&rate=0.3":                "noise=class", // the default rate of class noise
		"noise=class&rate_positive=0.2&rate_negative=0.05&seed=3": "seed=3&noise=class&rate_positive=0.2&rate_negative=0.05",
		// In a form, the control that was changed wins.
		"mode=interval&wasmode=interval&template=quartiles&was=quartiles&pi=0,3&pi=.5&pi=0.75": "pi=.3,.5,.75",
		"mode=interval&wasmode=interval&template=low&was=quartiles&pi=.25&pi=.5&pi=.75":        "pi=.02,.05,.1",
		"mode=interval&wasmode=interval&template=half&was=own&pi=.3&pi=.5":                     "mode=hard",
		"mode=reject&wasmode=interval&template=quartiles&was=quartiles&pi=.25&pi=.5&pi=.75":    "mode=reject",
		"how=hand&lambda=0.0156": "l2=0.0156",
		"how=auto&lambda=0.0156": "",
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		st, bad := Parse(q, testData)
		if got := queryOf(st); got != want || len(bad) > 0 {
			t.Errorf("%s reads as %q with %v, want %q", query, got, bad, want)
		}
	}
	if st, _ := Parse(url.Values{"l2": {"0.00391"}}, testData); st.L2.Value != 1./256 {
		t.Errorf("λ 0.00391 is %v, want 2^-8", st.L2.Value)
	}
}

// TestParseStateSaysWhatIsWrong: each invalid value is replaced by the default and reported in a sentence.
func TestParseStateSaysWhatIsWrong(t *testing.T) {
	for query, want := range map[string]string{
		"mode=soft":                         "must be hard, weighted, reject or interval",
		"pi=.5,.25":                         "boundary 2 must be at least 51\u00a0%, not 25\u00a0%",
		"pi=.5,.505":                        "at least 51\u00a0%",
		"pi=.02,.0205":                      "at least 2.1\u00a0%",
		"pi=0":                              "from 0.1 to 99.9\u00a0%",
		"pi=NaN":                            "from 0.1 to 99.9\u00a0%",
		"pi=0x1p-2":                         "from 0.1 to 99.9\u00a0%",
		"pi=":                               "from 0.1 to 99.9\u00a0%",
		"pi=.1,.2,.3,.4,.5,.6,.7":           "up to 6 boundaries, not 7",
		"mode=hard&pi=.2,.5":                "takes one boundary, not 2",
		"mode=reject&pi=.5":                 "takes two boundaries, not 1",
		"l2=0":                              "λ must be auto, 1se or a number",
		"l2=-1":                             "λ must be",
		"l2=Inf":                            "λ must be",
		"folds=1":                           "whole number from 2 to 50",
		"folds=5.5":                         "whole number from 2 to 50",
		"seed=-1":                           "whole number from 0 on",
		"band=9":                            "whole number from 0 to 3",
		"band=1&page=0":                     "whole number from 1",
		"noise=loud":                        "no noise ‘loud’",
		"noise=random&rate=1.5":             "A share lies between 0 and 100\u00a0%, not 150\u00a0%",
		"noise=class&rate_negative=x":       "A share lies between 0 and 100\u00a0%",
		"method=magic":                      "no method ‘magic’",
		"method=alpha&alpha=0":              "Alpha must be greater than 0",
		"method=boost&alpha=inf":            "at ∞ the score has no probability",
		"method=alpha&alpha=x":              "a number with a decimal point",
		"method=tempered&t1=0":              "at 0 the score has no probability",
		"method=tempered&t2=9":              "T2 must be between 0 and 4",
		"method=t-logistic&t=3":             "T must be between 1 and 2",
		"method=boost&rounds=0":             "whole number from 1 to 1000",
		"method=boost&depth=7":              "whole number from 1 to 6",
		"template=zigzag&was=quartiles":     "no template",
		"pi=" + strings.Repeat("9", 10_000): "from 0.1 to 99.9\u00a0%",
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		st, bad := Parse(q, testData)
		if len(bad) != 1 || !strings.Contains(bad[0].Message, want) || len(bad[0].Message) > 300 {
			t.Errorf("%.60s: %v, want one sentence with %q", query, bad, want)
		}
		if spec := st.Spec(0); len(spec.Boundaries) == 0 || spec.Validation.Folds < 2 {
			t.Errorf("%.60s leaves no usable state: %+v", query, spec)
		}
	}
}

// TestStateRoundTrip writes random states as addresses and parses them.
func TestStateRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringN(1, 12, -1)
		st := State{Dataset: testData,
			Outcome: rapid.SampledFrom([]string{"diagnosis", "ünï & co", "a=b;c"}).Draw(t, "outcome"),
			Mode:    rapid.SampledFrom([]string{"hard", "weighted", "reject", "interval"}).Draw(t, "mode"),
			Folds:   rapid.IntRange(2, 50).Draw(t, "folds"), Seed: rapid.Uint64().Draw(t, "seed"), Band: -1, Page: 1, Kind: "linear", BinsBy: "length",
			L2: rapid.SampledFrom([]fit.L2{{Mode: "cv"}, {Mode: "cv-1se"}, {Value: 1. / 64}, {Value: .01}, {Value: 3e-5}}).Draw(t, "l2"),
		}
		st.Positive, st.Negative = table.Levels{word.Draw(t, "positive"), word.Draw(t, "second")}, table.Levels{word.Draw(t, "negative")}
		if st.Outcome == testData.Choice.Outcome {
			st.Positive = table.Levels{"malignant"}
		}
		st.Method = plainMethod()
		st.Method.ID = rapid.SampledFrom(Methods).Draw(t, "method").Value
		for _, param := range st.Method.params() {
			if st.Method.Numbers == nil {
				st.Method.Numbers = map[string]float64{}
			}
			most := min(param.Max, 1.99)
			st.Method.Numbers[param.Name] = rapid.SampledFrom([]float64{.7 + param.Min, 1.05, 1.3, 1.99}).
				Filter(func(v float64) bool { return v <= most }).Draw(t, param.Name)
		}
		if st.Method.ID == "boost" {
			st.Method.Rounds, st.Method.Depth = rapid.IntRange(1, 1000).Draw(t, "rounds"), rapid.IntRange(1, 6).Draw(t, "depth")
		}
		k := map[string]int{"hard": 1, "weighted": 1, "reject": 2}[st.Mode]
		if k == 0 {
			k = rapid.IntRange(1, 6).Draw(t, "k")
		}
		for i := range k {
			st.Pi = append(st.Pi, float64(8+15*i+rapid.IntRange(0, 10).Draw(t, "pi"))/100)
		}
		if rapid.Bool().Draw(t, "some") {
			st.Predictors = rapid.SliceOfN(word, 1, 4).Draw(t, "x")
		}
		if rapid.Bool().Draw(t, "curves") {
			st.Splines = rapid.MapOfN(word, rapid.IntRange(3, 5), 1, 3).Draw(t, "splines")
		}
		if rapid.Bool().Draw(t, "list") {
			st.Band, st.Page = rapid.IntRange(0, k).Draw(t, "band"), rapid.IntRange(1, 9).Draw(t, "page")
		}
		q, err := url.ParseQuery(queryOf(st))
		if err != nil {
			t.Fatal(err)
		}
		got, bad := Parse(q, testData)
		if len(bad) > 0 || !reflect.DeepEqual(got, st) {
			t.Fatalf("%+v\nbecomes %s\nand reads as %+v, %v", st, queryOf(st), got, bad)
		}
	})
}

// TestL2Text: λ is written in a readable form that parses to the same λ.
func TestL2Text(t *testing.T) {
	for v, want := range map[float64]string{1024: "1024", 512: "512", 1: "1", math.Exp2(-9): "0.00195", 0.3: "0.3", 1.5: "1.5"} {
		got := L2Text(fit.L2{Value: v})
		if got != want || snap(form.MustFloat(got)) != v {
			t.Errorf("λ = %g reads %q, want %q", v, got, want)
		}
	}
}

// FuzzStratifyQuery: every query gives a usable state without a panic, and its address parses back to the state.
func FuzzStratifyQuery(f *testing.F) {
	for _, q := range []string{"", "pi=.25,.5,.75&mode=interval&l2=auto", "mode=reject&pi=.2,.8&folds=10&seed=3", "how=hand&lambda=1e-3&was=own&pi=0,3",
		"outcome=a&positive=b&x=c&x=d&score=e&band=1&page=2&hold=1", "pi=%00&mode=%ff&folds=999999999999999999999",
		"method=boost&alpha=0,5&rounds=1e3&depth=-1", "method=tempered&t1=0.3&t2=1.5&t=2&alpha=inf",
		"spline=age.4&spline=age.5&spline=a.b.3&spline=&spline=x.0", "spline=.4&spline=x&spline=x.9&spline=x.-3"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		st, _ := Parse(q, testData)
		if err := checkBoundaries(st.Pi); err != nil {
			t.Fatalf("%q: boundaries %v: %v", text, st.Pi, err)
		}
		again, err := url.ParseQuery(queryOf(st))
		if err != nil {
			t.Fatal(err)
		}
		back, bad := Parse(again, testData)
		if len(bad) > 0 || queryOf(back) != queryOf(st) {
			t.Fatalf("%q: %q reads as %q, %v", text, queryOf(st), queryOf(back), bad)
		}
	})
}

// checkBoundaries applies the engine's rule.
func checkBoundaries(pi []float64) error {
	s := runspec.Spec{Boundaries: pi, Outcome: "y", Positive: table.Levels{"a"}, Predictors: []string{"x"}, Model: fit.Spec{L2: fit.L2{Value: 1}}}
	err := s.Validate(&table.Table{})
	if e, ok := usererr.As(err); ok {
		for _, f := range e.Fields {
			if strings.HasPrefix(f.Field, "boundaries") {
				return err
			}
		}
	}
	return nil
}

// TestLambdaOfTrees: trees have no penalty, so the control names the comparison and the numbers of the comparison are called
// optimistic, not those of the trees.
func TestLambdaOfTrees(t *testing.T) {
	for method, want := range map[string][2]string{
		"boost":    {"Penalty λ of the comparison", "λ of the comparison is chosen on the same 5 folds that its numbers come from, so they are optimistic. Those of the trees are not."},
		"logistic": {"Penalty λ", "λ is chosen on the same 5 folds that the numbers come from, so they are optimistic: "},
	} {
		st := State{Folds: 5, Method: Method{ID: method}}
		st.L2.Mode = "cv"
		if label, note := st.lambdaLabel(), st.lambdaNote(); label != want[0] || !strings.HasPrefix(note, want[1]) {
			t.Errorf("%s: %q, %q", method, label, note)
		}
	}
}
