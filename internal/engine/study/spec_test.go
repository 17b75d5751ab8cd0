package study

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"taper/internal/engine/usererr"
)

// TestSpecJSON reads the two forms of the API and writes them back.
func TestSpecJSON(t *testing.T) {
	for _, text := range []string{
		`{"preset":"sypherd-fig5","size":"quick","seed":1}`,
		`{"seed":1,"dataset":"ab12","outcome":"y","models":[{"kind":"linear","loss":"alpha","params":{"alpha":4},"l2":0.0001}],"noise":{"kind":"symmetric","rates":[0,0.1]},"replicates":20,"test":0.5,"metric":"accuracy"}`,
		`{"seed":3,"dataset":{"generator":"gmm","rows":200,"params":{}},"models":[{"kind":"linear","loss":"interval","l2":0.1}],"metric":"interval_loss","boundaries":[0.2,0.6]}`,
		`{"seed":2,"dataset":{"generator":"long-servedio","rows":2000,"params":{}},"models":[{"kind":"boost","loss":"alpha","l2":"cv"}],"replicates":3}`,
	} {
		var s, again Spec
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := s.WithDefaults().Validate(presets); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &again); err != nil || !reflect.DeepEqual(normal(s), normal(again)) {
			t.Errorf("%s\nwritten as %s", text, b)
		}
	}
	var s Spec
	if err := json.Unmarshal([]byte(`{"dataset":17}`), &s); !usererr.Is(err, usererr.Invalid) {
		t.Errorf("dataset 17: %v", err)
	}
}

// normal has an empty map for nil.
func normal(s Spec) Spec {
	if len(s.Dataset.Params) == 0 {
		s.Dataset.Params = nil
	}
	return s
}

// presets are two that specs may name: one on its own data, one that takes uploads.
var presets = Presets{{ID: "sypherd-fig5", Build: nothing}, {ID: "sypherd-fig6", Uploads: true, Build: nothing}}

func nothing(Input) (Plan, error) { return Plan{}, nil }

// TestValidate: each wrong field is named, with what would be right.
func TestValidate(t *testing.T) {
	good := `"dataset":{"generator":"moons","rows":100}`
	for _, c := range []struct{ text, field, says string }{
		{`{"preset":"nobody-fig1"}`, "preset", "must be one of sypherd-fig5"},
		{`{"preset":"sypherd-fig5","size":"huge"}`, "size", "smoke, quick or full"},
		{`{"preset":"sypherd-fig5","dataset":"ab12"}`, "dataset", "cannot take the place"},
		{`{"preset":"sypherd-fig6","dataset":{"generator":"moons"}}`, "dataset", "uploaded"},
		{`{"preset":"sypherd-fig6","dataset":"ab12"}`, "outcome", "name the column"},
		{`{"preset":"sypherd-fig5","replicates":7}`, "replicates", "sizes"},
		{`{"preset":"sypherd-fig5","models":[{"kind":"linear"}]}`, "models", "grid"},
		{`{"preset":"sypherd-fig5","noise":{"rates":[0.1]}}`, "noise", "grid"},
		{`{}`, "dataset", "name a generator"},
		{`{` + good + `,"positive":[]}`, "positive", "at least one level"},
		{`{` + good + `,"positive":["a","b","a"]}`, "positive[2]", "‘a’ a second time"},
		{`{` + good + `,"negative":["a","a"]}`, "negative[1]", "second time"},
		{`{"dataset":"ab12"}`, "outcome", "name the column"},
		{`{"dataset":{"generator":"lorenz"}}`, "dataset.generator", "lorenz"},
		{`{"dataset":{"generator":"moons","rows":3}}`, "dataset.rows", "from 10"},
		{`{` + good + `,"replicates":5000}`, "replicates", "1000"},
		{`{` + good + `,"test":1.5}`, "test", "between 0 and 1"},
		{`{` + good + `,"metric":"beauty"}`, "metric", "accuracy"},
		{`{` + good + `,"noise":{"kind":"loud","rates":[0.1]}}`, "noise.kind", "symmetric"},
		{`{` + good + `,"noise":{"rates":[0.1,1]}}`, "noise.rates[1]", "less than 1"},
		{`{` + good + `,"noise":{"rates":[0.1,0.1]}}`, "noise.rates[1]", "twice"},
		{`{` + good + `,"noise":{"kind":"class","rates":[0.1,0.2,0.1],"rates_negative":[0.2,0.2,0.2]}}`, "noise.rates[2]", "twice"},
		{`{` + good + `,"noise":{"rates":[0.1],"rates_negative":[0.2]}}`, "noise.rates_negative", "class"},
		{`{` + good + `,"models":[{"kind":"magic"}]}`, "models[0].kind", "boost"},
		{`{` + good + `,"models":[{},{"loss":"alpha","params":{"alpha":-1}}]}`, "models[1].params.alpha", ""},
		{`{` + good + `,"models":[{},{}]}`, "models[1]", "models[0] again"},
		{`{` + good + `,"models":[{"kind":"boost","loss":"hinge"}]}`, "models[0].loss", "alpha"},
		{`{` + good + `,"models":[{"kind":"boost","rounds":99999999}]}`, "models[0].rounds", "must be from 1"},
		{`{` + good + `,"models":[{"kind":"kernel","loss":"t-logistic"}]}`, "models[0].loss", "has no kernel score"},
		{`{` + good + `,"models":[{"loss":"logistic","solver":"smo"}]}`, "models[0].solver", "auto"},
		{`{` + good + `,"models":[{"kind":"kernel","loss":"hinge","kernel":{"name":"rbf","gamma":-1}}]}`, "models[0].kernel.gamma", "positive"},
		{`{` + good + `,"models":[{"loss":"interval","params":{"pi":[0.5,0.2]}}]}`, "models[0].params.pi[1]", "greater than params.pi[0]"},
		{`{` + good + `,"metric":"interval_loss"}`, "boundaries", "must hold 1 to 99 probabilities (got 0)"},
		{`{` + good + `,"metric":"interval_loss","boundaries":[0.5,0.2]}`, "boundaries[1]", "greater than boundaries[0]"},
		{`{` + good + `,"metric":"interval_loss","boundaries":[0.2,1]}`, "boundaries[1]", "strictly between 0 and 1"},
		{`{` + good + `,"metric":"brier","boundaries":[0.2]}`, "boundaries", "leave them out for brier"},
		{`{"preset":"sypherd-fig5","boundaries":[0.2]}`, "boundaries", "grid"},
		{`{` + good + `,"metric":"interval_loss","boundaries":[0.2,0.4],"models":[{},{"loss":"hinge"}]}`, "models[1].loss", "no cut-off exists"},
		{`{` + good + `,"metric":"interval_loss","boundaries":[0.2,0.4],"models":[{"loss":"al-zero-one"}]}`, "models[0].loss", "two classes"},
		{`{` + good + `,"metric":"interval_loss","boundaries":[0.2,0.4],"models":[{"loss":"interval","params":{"pi":[0.2,0.5]}}]}`, "models[0].params.pi", "must be the boundaries [0.2 0.4]"},
		{`{` + good + `,"models":[{"loss":"logistic","tuning":"same-folds"}]}`, "models[0].tuning", "training rows"},
	} {
		var s Spec
		if err := json.Unmarshal([]byte(c.text), &s); err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		err := s.WithDefaults().Validate(presets)
		e, ok := usererr.As(err)
		if !ok || len(e.Fields) != 1 || e.Fields[0].Field != c.field || !strings.Contains(e.Fields[0].Message, c.says) {
			t.Errorf("%s: %v, want %s: … %s …", c.text, err, c.field, c.says)
		}
		if _, err := NewPlan(presets, s, nil); err == nil {
			t.Errorf("%s has a plan", c.text)
		}
	}
}

// TestValidateAll reports every field at once.
func TestValidateAll(t *testing.T) {
	s := Spec{Dataset: Source{Generator: "moons"}, Replicates: -1, Test: 2, Metric: "beauty"}
	e, ok := usererr.As(s.WithDefaults().Validate(presets))
	if !ok || len(e.Fields) != 3 {
		t.Errorf("%+v", e)
	}
}

// TestPlanOfUpload: a dataset that is gone, and one without the outcome.
func TestPlanOfUpload(t *testing.T) {
	s := Spec{Dataset: Source{ID: "ab12"}, Outcome: "diagnosis"}
	if _, err := NewPlan(presets, s, nil); !usererr.Is(err, usererr.NotFound) {
		t.Errorf("gone: %v", err)
	}
	if _, err := NewPlan(presets, s, &Data{Name: "x", Table: irisData(t).Table, Outcome: "nothing"}); !usererr.Is(err, usererr.Invalid) {
		t.Errorf("no outcome: %v", err)
	}
}

// FuzzSpec: no request makes a plan panic, and what is valid writes back to the
// same spec.
func FuzzSpec(f *testing.F) {
	f.Add([]byte(`{"preset":"sypherd-fig5","size":"quick","seed":1}`))
	f.Add([]byte(`{"dataset":{"generator":"gmm","rows":50,"params":{"mean":2}},"models":[{"kind":"boost","rounds":5}],"noise":{"kind":"class","rates":[0.1],"rates_negative":[0]},"replicates":2}`))
	f.Add([]byte(`{"dataset":{"generator":"gmm","rows":50},"models":[{"loss":"interval"}],"metric":"interval_loss","boundaries":[0.2,0.6]}`))
	f.Add([]byte(`{"dataset":"ab12","outcome":"y","test":1e-320,"models":[{"loss":"tempered","params":{"t1":"inf"},"l2":"cv-1se"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var s Spec
		if json.Unmarshal(b, &s) != nil {
			return
		}
		s = s.WithDefaults()
		if s.Validate(presets) != nil {
			return
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var again Spec
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := again.WithDefaults().Validate(presets); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if s.Dataset.Rows <= 1000 && s.Preset == "" && s.Dataset.ID == "" {
			if p, err := NewPlan(presets, s, nil); err == nil && len(p.Units) == 0 {
				t.Fatalf("%s: a plan of nothing", text)
			}
		}
	})
}
