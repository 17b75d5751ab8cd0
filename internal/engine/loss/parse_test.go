package loss

import (
	"encoding/json"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/usererr"
)

// published are the ids of the API, which stay.
var published = strings.Fields("zero-one hinge squared-hinge exponential logistic probit ramp dwd alpha t-logistic tempered interval " +
	"softmax tempered-multiclass ww cs llw ova al-zero-one al-ordinal al-squared al-abstain al-cost " +
	"all-threshold immediate-threshold reduction")

// TestFamilies: ids, cases, defaults and constructors are complete.
func TestFamilies(t *testing.T) {
	for _, id := range published {
		family(t, id)
	}
	seen := map[string]bool{}
	for _, f := range Families {
		if seen[f.ID] {
			t.Errorf("two losses are called %s", f.ID)
		}
		seen[f.ID] = true
		if f.Title == "" || f.Source == "" || f.Formula == "" || f.Use == "" {
			t.Errorf("%s is not told in full", f.ID)
		}
		for _, c := range []struct {
			is  bool
			has bool
		}{
			{f.Kind == KindMargin || f.Kind == KindInterval, f.Margin != nil},
			{f.Kind == KindPotential, f.Potential != nil},
			{f.Kind == KindThreshold, f.Threshold != nil},
		} {
			if c.is != c.has {
				t.Errorf("%s: its constructor does not fit its kind", f.ID)
			}
		}
		for _, p := range f.Params {
			if p.Type == Number && !(p.within(p.Default.Number) && p.within(p.SliderMin) && p.within(p.SliderMax) && p.SliderMin < p.SliderMax && p.Step > 0) {
				t.Errorf("%s: default or slider of %s is out of bounds", f.ID, p.Name)
			}
		}
		settings(t, f)
		f.Defaults()
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ id, query, want string }{
		{"tempered", "t1=0.25&t2=3&seed=7", `{"t1":0.25,"t2":3}`},
		{"tempered", "t1=", `{"t1":0.6,"t2":1.6}`},
		{"tempered", "t1=0.1&t1=0.2", `{"t1":0.2,"t2":1.6}`},
		{"alpha", "alpha=1e2", `{"alpha":100}`},
		{"interval", "pi=0.2&pi=0.4", `{"pi":[0.2,0.4]}`},
		{"interval", "pi=0.2, 0.4", `{"pi":[0.2,0.4]}`},
		{"al-cost", "matrix=0,1/2,0/.5,.5", `{"matrix":[[0,1],[2,0],[0.5,0.5]]}`},
		{"all-threshold", "base=dwd", `{"base":"dwd"}`},
		{"hinge", "anything=else", `{}`},
	} {
		f := family(t, c.id)
		q, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Parse(q)
		if err != nil {
			t.Errorf("%s?%s: %v", c.id, c.query, err)
			continue
		}
		var raw map[string]json.RawMessage
		if err := json.Unmarshal([]byte(c.want), &raw); err != nil {
			t.Fatal(err)
		}
		want, err := f.ParseJSON("params", raw)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: query %s gives %v, JSON %s gives %v, %v", c.id, c.query, got, c.want, want, err)
		}
	}
	for _, text := range []string{"inf", "+inf", "Inf", "INF", "infinity", "Infinity", "+Infinity", "∞", "+∞", " ∞ "} {
		if v, err := family(t, "alpha").Parse(url.Values{"alpha": {text}}); err != nil || !math.IsInf(v.Number("alpha"), 1) {
			t.Errorf("alpha = %s: %v, %v", text, v, err)
		}
		v, err := family(t, "alpha").Params[0].Parse("", text)
		if err != nil || !math.IsInf(v.Number, 1) {
			t.Errorf("α alone as %s: %v, %v", text, v, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ id, query, field, say string }{
		{"tempered", "t1=4.5", "t1", "between 0 and 4 (got 4.5)"},
		{"tempered", "t2=-0.1", "t2", "between 0 and 4 (got -0.1)"},
		{"tempered", "t1=0,5", "t1", `a number with a decimal point (got ‘0,5’)`},
		{"tempered", "t1=nan", "t1", `a number with a decimal point (got ‘nan’)`},
		{"tempered", "t1=0x1p-1", "t1", "a number with a decimal point"},
		{"tempered", "t1=1_0", "t1", "a number with a decimal point"},
		{"tempered", "t1=inf", "t1", "between 0 and 4 (got inf)"},
		{"tempered", "t1=1e999", "t1", "must be finite"},
		{"tempered", "t1=1-e", "t1", "a number with a decimal point"},
		{"alpha", "alpha=0", "alpha", "greater than 0, or inf (got 0)"},
		{"alpha", "alpha=-inf", "alpha", "greater than 0, or inf (got -inf)"},
		{"alpha", "alpha=-Infinity", "alpha", "greater than 0, or inf (got -inf)"},
		{"alpha", "alpha=−∞", "alpha", "greater than 0, or inf (got -inf)"},
		{"alpha", "alpha=%2B-inf", "alpha", "a number with a decimal point"},
		{"alpha", "alpha=infinite", "alpha", "a number with a decimal point"},
		{"t-logistic", "t=2.5", "t", "between 1 and 2"},
		{"ramp", "s=1", "s", "finite and less than 1 (got 1)"},
		{"ramp", "s=-inf", "s", "finite and less than 1 (got -inf)"},
		{"al-zero-one", "weight=0", "weight", "finite and greater than 0"},
		{"al-zero-one", "weight=inf", "weight", "finite and greater than 0"},
		{"al-abstain", "alpha=1.01", "alpha", "between 0 and 1"},
		{"interval", "pi=0.5,0.2", "pi[1]", "greater than pi[0] (0.5)"},
		{"interval", "pi=0,0.2", "pi[0]", "strictly between 0 and 1"},
		{"interval", "pi=0.1,,0.2", "pi[1]", "a number with a decimal point"},
		{"interval", "pi=0.1,inf", "pi[1]", "finite"},
		{"al-cost", "matrix=0,1/2", "matrix[1]", "2 entries"},
		{"al-cost", "matrix=0/2", "matrix", "rows and columns (got 2×1)"},
		{"al-cost", "matrix=0,1", "matrix", "rows and columns (got 1×2)"},
		{"al-cost", "matrix=0,inf/1,1", "matrix[0][1]", "finite"},
		{"all-threshold", "base=ramp", "base", "one of hinge"},
	} {
		q, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		_, err = family(t, c.id).Parse(q)
		refused(t, c.id+"?"+c.query, err, c.field, c.say)
	}
}

func TestParseJSONRefuses(t *testing.T) {
	for _, c := range []struct{ id, body, field, say string }{
		{"tempered", `{"t3":1}`, "params.t3", "is not a parameter of tempered, which takes t1 and t2"},
		{"hinge", `{"t":1}`, "params.t", "which takes none"},
		{"tempered", `{"t1":"0.5"}`, "params.t1", "must be a number"},
		{"tempered", `{"t1":null}`, "params.t1", "must be a number (got null)"},
		{"tempered", `{"t1":[1]}`, "params.t1", "must be a number"},
		{"tempered", `{"t1":1e400}`, "params.t1", "must be finite"},
		{"interval", `{"pi":0.5}`, "params.pi", "must be a list"},
		{"interval", `{"pi":[]}`, "params.pi", "not empty"},
		{"interval", `{"pi":[0.1,"x"]}`, "params.pi[1]", "must be a number"},
		{"interval", `{"pi":[0.5,0.2]}`, "params.pi[1]", "greater than params.pi[0] (0.5)"},
		{"al-cost", `{"matrix":[[0,1],[1]]}`, "params.matrix[1]", "2 entries"},
		{"al-cost", `{"matrix":[0,1]}`, "params.matrix[0]", "must be a list"},
		{"al-cost", `{"matrix":[[0,1],[1,"inf"]]}`, "params.matrix[1][1]", "must be finite"},
		{"all-threshold", `{"base":1}`, "params.base", "must be one of"},
		{"all-threshold", `{"base":""}`, "params.base", "must be one of"},
	} {
		var raw map[string]json.RawMessage
		if err := json.Unmarshal([]byte(c.body), &raw); err != nil {
			t.Fatal(err)
		}
		_, err := family(t, c.id).ParseJSON("params", raw)
		refused(t, c.id+" "+c.body, err, c.field, c.say)
	}
}

func refused(t *testing.T, what string, err error, field, say string) {
	t.Helper()
	e, ok := usererr.As(err)
	if !ok || e.Code != usererr.Invalid || len(e.Fields) != 1 || e.Fields[0].Field != field || !strings.Contains(e.Detail, say) {
		t.Errorf("%s: %v, want one about %s that says %q", what, err, field, say)
	}
}

// TestCapabilities: every optional interface has losses that offer it, and
// those that cannot do not pretend to.
func TestCapabilities(t *testing.T) {
	have := map[string][]string{}
	for _, f := range Families {
		v := f.Defaults()
		note := func(name string, ok bool) {
			if ok && slices.Contains(published, f.ID) {
				have[name] = append(have[name], f.ID)
			}
		}
		if f.Margin != nil {
			m := f.Margin(v)
			_, curver := m.(Curver)
			_, modeler := m.(Modeler)
			_, prober := m.(Prober)
			_, weigher := m.(Weigher)
			_, regimer := m.(Regimer)
			note("curver", curver)
			note("modeler", modeler)
			note("prober", prober)
			note("weigher", weigher)
			note("regimer", regimer)
		}
		if f.Potential != nil {
			p := f.Potential(v, 3)
			_, adversary := p.(Adversary)
			_, classifier := p.(Classifier)
			_, decider := p.(Decider)
			note("adversary", adversary)
			note("classifier", classifier)
			note("decider", decider)
		}
	}
	for name, want := range map[string]string{
		"curver":     "tempered t-logistic alpha logistic hinge squared-hinge exponential probit ramp dwd",
		"modeler":    "tempered t-logistic alpha logistic",
		"prober":     "tempered t-logistic alpha logistic squared-hinge exponential dwd",
		"weigher":    "tempered t-logistic alpha",
		"regimer":    "tempered t-logistic alpha interval logistic hinge squared-hinge exponential probit ramp dwd zero-one",
		"adversary":  "al-zero-one al-ordinal al-squared al-abstain al-cost",
		"classifier": "softmax tempered-multiclass",
		"decider":    "al-zero-one al-ordinal al-squared al-abstain al-cost softmax tempered-multiclass ww cs llw ova",
	} {
		fields := strings.Fields(want)
		slices.Sort(fields)
		slices.Sort(have[name])
		if !slices.Equal(have[name], fields) {
			t.Errorf("%s: %v, want %v", name, have[name], want)
		}
	}
	for _, l := range []Margin{family(t, "alpha").Margin(Values{"alpha": {Number: inf}}), newTempered(0, 1.3)} {
		if _, ok := l.(Prober); ok {
			t.Errorf("%T%+v claims to recover class probabilities", l, l)
		}
	}
	if (TemperedClasses{0, 1.3, 2}).ClassProbabilities(make([]float64, 2), []float64{0, 1}) {
		t.Error("t1 = 0 claims to recover class probabilities of several classes")
	}
}

// TestBoundsInWords: what the limits of a parameter are called, by which ends belong to it.
func TestBoundsInWords(t *testing.T) {
	for _, c := range []struct {
		p    Param
		want string
	}{
		{Param{Min: 0, Max: 1}, "between 0 and 1"},
		{Param{Min: 0, Max: 1, ExclusiveMin: true}, "greater than 0 and at most 1"},
		{Param{Min: 0, Max: 1, ExclusiveMax: true}, "at least 0 and less than 1"},
		{Param{Min: 0, Max: inf, AllowsInf: true, ExclusiveMin: true}, "greater than 0, or inf"},
		{Param{Min: -inf, Max: inf}, "finite"}, {Param{Min: 1, Max: inf}, "finite and at least 1"}, {Param{Min: -inf, Max: 1}, "finite and at most 1"},
	} {
		if got := c.p.bounds(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.p, got, c.want)
		}
	}
	_, err := Param{Options: []string{"hinge", "logistic"}}.text("base", []byte(`3`))
	if err == nil || err.Error() != "base must be one of hinge, logistic (got 3)." {
		t.Error(err)
	}
	if got := (BiTemperedClasses{T1: .5, T2: 2, K: 3}).Softened(.5); got != (BiTemperedClasses{T1: .75, T2: 1.5, K: 3}) {
		t.Errorf("half way to the logistic loss: %+v", got)
	}
	for want, f := range map[int][]float64{Abstain: {-1, -.5, 0}, 2: {-1, -.5, .1}} {
		if got := (OneVsAll{}).Decide(f); got != want {
			t.Errorf("%v: class %d, want %d", f, got, want)
		}
	}
}
