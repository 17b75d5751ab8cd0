package runspec

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/usererr"
)

// example is the request in the API description, with every field it documents.
const example = `{
  "name": "optional", "dataset": "ID",
  "outcome": "diagnosis", "positive": "malignant", "negative": "benign", "score_only": [], "levels": [],
  "predictors": ["age", "x"], "group": null, "weights": null,
  "task": "interval",
  "model": {"kind": "linear", "loss": "interval", "params": {}, "solver": "auto", "l2": "cv", "standardize": true,
            "features": "mc", "kernel": {"name": "rbf", "gamma": "cv", "degree": 3}, "rounds": 100, "depth": 1, "theta_rule": "half-log"},
  "boundaries": [0.25, 0.5, 0.75],
  "validation": {"kind": "split", "test": 0.3},
  "noise": {"kind": "none", "rate": 0},
  "seed": 7
}`

func TestDecodeExample(t *testing.T) {
	s, err := Decode(strings.NewReader(example))
	if err != nil {
		t.Fatal(err)
	}
	if s.Outcome != "diagnosis" || s.Group != "" || s.Seed != 7 || s.Model.L2.Mode != "cv" || s.Model.Kernel.Degree != 3 ||
		s.Validation != (Validation{Kind: "split", Test: 0.3}) || !slices.Equal(s.Boundaries, []float64{0.25, 0.5, 0.75}) {
		t.Errorf("read as %+v", s)
	}
}

func TestDecodeTuning(t *testing.T) {
	for _, text := range []string{`{"tuning":"same-folds"}`, `{"model":{"tuning":"same-folds"}}`, `{"model":{"l2":"cv"},"tuning":"same-folds"}`} {
		if s, err := Decode(strings.NewReader(text)); err != nil || s.Model.Tuning != "same-folds" {
			t.Errorf("%s: %+v, %v", text, s.Model, err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ text, field, says string }{
		{`{"outcme":"y"}`, "outcme", "not a field"},
		{`{"Outcome":"y"}`, "Outcome", "not a field"},
		{`{"model":{"lambda":1}}`, "model.lambda", "not a field"},
		{`{"validation":{"kind":"cv","fold":5}}`, "validation.fold", "not a field"},
		{`{"boundaries":[0.2,"x"]}`, "boundaries[1]", "finite number (got a text)"},
		{`{"boundaries":[0.2,null]}`, "boundaries[1]", "got null"},
		{`{"boundaries":[0.2,1e400]}`, "boundaries[1]", "finite"},
		{`{"boundaries":0.5}`, "boundaries", "must be a list (got 0.5)"},
		{`{"predictors":["a",3]}`, "predictors[1]", "a text (got 3)"},
		{`{"model":{"l2":0}}`, "model.l2", "from 1e-30 to 1e30"},
		{`{"model":{"l2":-1}}`, "model.l2", "from 1e-30 to 1e30"},
		{`{"model":{"l2":1e-300}}`, "model.l2", "from 1e-30 to 1e30"},
		{`{"boundaries":[]}`, "boundaries", "must hold 1 to 99 probabilities (got 0)"},
		{`{"validation":{"kind":"split","test":0}}`, "validation.test", "strictly between 0 and 1 (got 0)"},
		{`{"validation":{"kind":"cv","folds":0}}`, "validation.folds", "between 2 and 50 (got 0)"},
		{`{"validation":{"kind":"cv","repeats":0}}`, "validation.repeats", "between 1 and 100 (got 0)"},
		{`{"seed":` + strings.Repeat("9", 5000) + `}`, "seed", "(got " + strings.Repeat("9", 40) + ")"},
		{`{"model":{"l2":"best"}}`, "model.l2", "‘best’"},
		{`{"model":{"l2":[1]}}`, "model.l2", "from 1e-30 to 1e30"},
		{`{"model":{"params":{"t1":1e999}}}`, "model.params.t1", "finite"},
		{`{"model":[]}`, "model", "must be an object"},
		{`{"seed":-1}`, "seed", "whole number from 0"},
		{`{"seed":1.5}`, "seed", "whole number from 0"},
		{`{"validation":{"folds":2.5}}`, "validation.folds", "whole number"},
		{`{"splines":{"age":4.5}}`, "splines.age", "whole number"},
		{`{"splines":{"age":null}}`, "splines.age", "whole number"},
		{`{"splines":["age"]}`, "splines", "must be an object"},
		{`{"model":{"standardize":"yes"}}`, "model.standardize", "true or false"},
	} {
		_, err := Decode(strings.NewReader(c.text))
		if got := fields(t, err); !slices.Equal(got, []string{c.field}) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v names %q", c.text, err, got)
		}
	}
	for _, text := range []string{``, `null`, `[]`, `{`, `{} {}`, `{}x`, `{"seed":NaN}`, `"x"`} {
		if _, err := Decode(strings.NewReader(text)); !usererr.Is(err, usererr.Invalid) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := Decode(strings.NewReader(`{"name":"` + strings.Repeat("a", maxSpec) + `"}`)); !usererr.Is(err, usererr.TooLarge) {
		t.Errorf("a spec of 4 MB: %v", err)
	}
	_, err := Decode(strings.NewReader(`{"a":1,"seed":-1,"boundaries":[true],"model":{"l2":0}}`))
	if got := fields(t, err); !slices.Equal(got, []string{"a", "boundaries[0]", "model.l2", "seed"}) {
		t.Errorf("several errors: %q", got)
	}
}

// FuzzDecodeSpec: no input panics, an error is a user error, and a decoded spec survives
// encoding and decoding.
func FuzzDecodeSpec(f *testing.F) {
	for _, seed := range []string{example, `{}`, `{"seed":18446744073709551615}`, `{"model":{"l2":1e-300,"params":{"pi":[0.1]}}}`, `{"tuning":null}`, `{"boundaries":[1e-400]}`, `[[`, `{"predictors":null}`, `{"splines":{"age":4,"marker":0}}`, `{"splines":{"age":null}}`} {
		f.Add(seed)
	}
	tab := tabletest.FromRecords(tabletest.Clinic(40, 1))
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Decode(strings.NewReader(text))
		if err != nil {
			if _, ok := usererr.As(err); !ok {
				t.Fatalf("not an error for the user: %v", err)
			}
			return
		}
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(strings.NewReader(string(b)))
		if err != nil {
			t.Fatalf("%s does not read back: %v", b, err)
		}
		if b2, _ := json.Marshal(again); string(b2) != string(b) {
			t.Fatalf("read back as %s, was %s", b2, b)
		}
		if err := s.Validate(tab); err != nil {
			fields(t, err)
		}
	})
}

// TestDefaultName: a default name has the outcome, the method and the boundaries, and is
// distinguished from a name that somebody gave.
func TestDefaultName(t *testing.T) {
	spec := func(text string) Spec {
		t.Helper()
		s, err := Decode(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return s.WithDefaults()
	}
	bands := spec(`{"dataset":"d","outcome":"sick","task":"interval","boundaries":[0.025,0.5]}`)
	for _, x := range []struct {
		spec Spec
		want string
	}{
		{bands, "sick: Interval surrogate (2.5, 50\u00a0%)"},
		{spec(`{"dataset":"d","outcome":"sick","task":"binary","model":{"loss":"alpha","params":{"alpha":4}},"boundaries":[0.5]}`),
			"sick: α-loss, α = 4 (50\u00a0%)"},
		{spec(`{"dataset":"d","outcome":"` + strings.Repeat("é", 70) + `","task":"multiclass"}`),
			strings.Repeat("é", 59) + "…: Adversarial zero-one, w = 1"},
	} {
		if got := x.spec.DefaultName(); got != x.want {
			t.Errorf("%q, want %q", got, x.want)
		}
	}
	for after, want := range map[string]string{"": "", " #2": " #2", " #x": "none", ", reviewed": "none"} {
		number, ok := bands.AfterDefault(bands.DefaultName() + after)
		if !ok {
			number = "none"
		}
		if number != want {
			t.Errorf("%q is followed by %q, want %q", after, number, want)
		}
	}
}
