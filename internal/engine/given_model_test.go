package engine

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/model"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

// modelFile fits a spec on a table and returns its model.json.
func modelFile(t *testing.T, of *table.Table, spec runspec.Spec) (*model.Model, json.RawMessage) {
	t.Helper()
	r, err := Fit(context.Background(), of, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r.Model)
	if err != nil {
		t.Fatal(err)
	}
	return r.Model, b
}

// TestGivenModel evaluates model.json files of several methods on new rows: every row has the score and the
// probability that the model gives for its texts.
func TestGivenModel(t *testing.T) {
	old, of := judgedTable(300), judgedTable(500)
	of.Column("age").Num[7] = 900 // outside the training data
	for _, c := range []struct {
		name  string
		spec  fit.Spec
		scale string
	}{
		{"logistic", fit.Spec{Loss: "logistic"}, fit.ScaleProbability},
		{"alpha", fit.Spec{Loss: "alpha", Params: map[string]any{"alpha": 3.0}}, fit.ScaleProbability},
		{"trees", fit.Spec{Kind: "boost", Rounds: 8, Depth: 2}, fit.ScaleProbability},
		{"interval", fit.Spec{Loss: "interval"}, fit.ScaleScore},
	} {
		trained := judgeSpec("", "")
		if trained.Model = c.spec; c.spec.Kind == "" {
			trained.Model.L2 = fit.L2{Value: .01}
		}
		m, file := modelFile(t, old, trained)
		spec := judgeSpec("", "")
		spec.Model.Columns, spec.Model.File = nil, file
		got, err := Fit(context.Background(), of, spec, nil)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if got.Given.Scale != c.scale || got.Given.Outside != 1 || got.Given.Model == "" ||
			!slices.Equal(got.Given.Columns, slices.Sorted(maps.Keys(m.UsedColumns()))) {
			t.Errorf("%s: %+v", c.name, got.Given)
		}
		if !strings.Contains(strings.Join(got.Given.Unknown(), " "), "1 row of the data") {
			t.Errorf("%s: %q", c.name, got.Given.Unknown())
		}
		for _, row := range got.Rows {
			p, err := model.PredictRows(m, []map[string]any{{"age": of.Column("age").Num[row.Row],
				"marker": of.Column("marker").Num[row.Row], "sex": of.Column("sex").Levels[of.Column("sex").Code[row.Row]]}})
			if err != nil {
				t.Fatal(err)
			}
			if c.scale == fit.ScaleScore {
				if row.Score != p[0].Score {
					t.Fatalf("%s, row %d: score %v, want %v", c.name, row.Row, row.Score, p[0].Score)
				}
			} else if math.Abs(*row.Probability-*p[0].Probability) > 1e-15 || row.Stratum != p[0].Stratum {
				t.Fatalf("%s, row %d: %v in band %d, want %v in %d", c.name, row.Row, *row.Probability, row.Stratum,
					*p[0].Probability, p[0].Stratum)
			}
		}
	}
}

// TestGivenModelOfClasses evaluates a model of three classes, which have another order in the data.
func TestGivenModelOfClasses(t *testing.T) {
	iris := tabletest.CSV(t, "../../testdata/csv/iris.csv")
	spec := runspec.Spec{Outcome: "species", Task: "multiclass", Seed: 3,
		Model: fit.Spec{Loss: "softmax", L2: fit.L2{Value: 1. / 64}}}
	m, file := modelFile(t, iris, spec)
	given := runspec.Spec{Outcome: "species", Task: "multiclass", Seed: 3,
		Levels: []string{"virginica", "setosa", "versicolor"},
		Model:  fit.Spec{Kind: fit.KindGiven, File: file, L2: fit.L2{Value: 1. / 64}}}
	got, err := Fit(context.Background(), iris, given, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec.Model.Loss = "al-zero-one"
	_, given.Model.File = modelFile(t, iris, spec)
	if err := given.Validate(iris); err == nil || !strings.Contains(err.Error(), "al-zero-one, has none") {
		t.Errorf("a loss without probabilities: %v", err)
	}
	scorer, err := m.Scorer()
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]map[string]float64{}
	if err := scorer.ScoreTable(iris, func(row int, p model.Prediction) {
		want[row] = map[string]float64{}
		for k, level := range p.Classes.Levels {
			want[row][level] = p.Classes.Probabilities[k]
		}
	}); err != nil {
		t.Fatal(err)
	}
	for _, row := range got.Rows {
		for k, level := range given.Levels {
			if p := row.Probabilities[k]; math.Abs(p-want[row.Row][level]) > 1e-12 {
				t.Fatalf("row %d, %s: %v, want %v", row.Row, level, p, want[row.Row][level])
			}
		}
	}
}

// TestGivenModelRefused: errors say which model.json cannot be evaluated, and why.
func TestGivenModelRefused(t *testing.T) {
	of := judgedTable(120)
	fitted := func(m fit.Spec) json.RawMessage {
		s := judgeSpec("", "")
		s.Model = m
		_, file := modelFile(t, of, s)
		return file
	}
	logistic := fitted(fit.Spec{L2: fit.L2{Value: .1}})
	for _, c := range []struct {
		field, part string
		change      func(s *runspec.Spec)
	}{
		{"model.file", "model.json", func(s *runspec.Spec) { s.Model.File = json.RawMessage(`{"format":"other"}`) }},
		{"model.file", "model.json", func(s *runspec.Spec) { s.Model.File = json.RawMessage(`{"format":3}`) }},
		{"model.file", "left out", func(s *runspec.Spec) { s.Model.Formula = "age" }},
		{"model.file", "rows", func(s *runspec.Spec) {
			s.Model.File = fitted(fit.Spec{Kind: "kernel", Loss: "logistic", Kernel: &fit.Kernel{Name: "rbf", Gamma: .1},
				L2: fit.L2{Value: .1}})
		}},
		{"model.file", "outcome", func(s *runspec.Spec) {
			s.Model.File = json.RawMessage(strings.ReplaceAll(string(logistic), `"marker"`, `"outcome"`))
		}},
		{"model.file", "dose", func(s *runspec.Spec) {
			s.Model.File = json.RawMessage(strings.ReplaceAll(string(logistic), `"marker"`, `"dose"`))
		}},
		{"model.scale", "link", func(s *runspec.Spec) { s.Model.Scale = fit.ScaleLogit }},
		{"model.scale", "interval", func(s *runspec.Spec) {
			s.Model.File, s.Model.Scale = fitted(fit.Spec{Loss: "interval", L2: fit.L2{Value: .1}}), fit.ScaleProbability
		}},
	} {
		spec := judgeSpec("", "")
		spec.Model.Columns, spec.Model.File = nil, logistic
		c.change(&spec)
		err := spec.Validate(of)
		if got := fields(t, err); !slices.Contains(got, c.field) || !strings.Contains(err.Error(), c.part) {
			t.Errorf("%s, %s: got %v", c.field, c.part, err)
		}
	}
}
