package model_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/model"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/golden"
)

// TestStoredModels: WithoutRows, Recalibrate and PredictRows give the stored results.
func TestStoredModels(t *testing.T) {
	clinic, iris := tabletest.FromRecords(tabletest.Clinic(120, 3)), tabletest.CSV(t, "../../../testdata/csv/iris.csv")
	two := runspec.Spec{Outcome: "outcome", Positive: table.Levels{"died"}, Predictors: []string{"age", "marker", "sex", "site", "ward"},
		Task: "binary", Boundaries: []float64{.2, .5}, Model: fit.Spec{L2: fit.L2{Value: .01}}, Seed: 7, Validation: runspec.Validation{Kind: "none"}}
	with := func(s runspec.Spec, change func(s *runspec.Spec)) runspec.Spec { change(&s); return s }
	several := runspec.Spec{Outcome: "species", Task: "multiclass", Seed: 3, Model: fit.Spec{L2: fit.L2{Value: 1. / 64}}, Validation: runspec.Validation{Kind: "none"}}
	for _, c := range []struct {
		name  string
		table *table.Table
		spec  runspec.Spec
	}{
		{"logistic", clinic, two},
		{"splines", clinic, with(two, func(s *runspec.Spec) { s.Splines = map[string]int{"age": 4} })},
		{"alpha", clinic, with(two, func(s *runspec.Spec) { s.Model.Loss, s.Model.Params = "alpha", map[string]any{"alpha": 4.0} })},
		{"kernel", clinic, with(two, func(s *runspec.Spec) {
			s.Model = fit.Spec{Kind: "kernel", Loss: "logistic", Kernel: &fit.Kernel{Name: "rbf", Gamma: .1}, L2: fit.L2{Value: .1}}
		})},
		{"boost", clinic, with(two, func(s *runspec.Spec) { s.Model = fit.Spec{Kind: "boost", Rounds: 6} })},
		{"interval", clinic, with(two, func(s *runspec.Spec) { s.Task, s.Model.Loss = "interval", "interval" })},
		{"zero-one", iris, several},
		{"softmax", iris, with(several, func(s *runspec.Spec) { s.Model.Loss = "softmax" })},
		{"abstain", iris, with(several, func(s *runspec.Spec) { s.Task = "abstain" })},
		{"thresholds", iris, with(several, func(s *runspec.Spec) {
			s.Task, s.Outcome, s.Bins = "ordinal", "sepal_length", &runspec.Bins{Count: 4, By: "frequency"}
			s.Model.Loss = "all-threshold"
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := engine.Fit(t.Context(), c.table, c.spec, nil)
			if err != nil {
				t.Fatal(err)
			}
			m := r.Model
			rare := m.Rare(120)
			found := map[string]any{"holds rows": m.HoldsRows(), "rare": rare, "whole": m,
				"influence": m.Influence(), "used": m.UsedColumns(), "recalibrates": m.Recalibrates()}
			if !m.HoldsRows() {
				found["without rows"] = m.WithoutRows(rare)
			}
			for i, rows := range [][]map[string]any{
				{{"age": 61.5, "marker": "0.3", "sex": "F", "site": "A", "ward": "w1"}, {"age": nil, "marker": nil, "sex": "X", "site": nil}},
				{{"sepal_length": 5.1, "sepal_width": 3.5, "petal_length": 1.4, "petal_width": .2}, {"sepal_length": 7, "petal_length": "5", "petal_width": true}},
				{{"age": []any{1}}}, {{}},
			} {
				p, err := model.PredictRows(m, rows)
				found[fmt.Sprint("rows ", i)] = map[string]any{"predictions": golden.Exported(p), "error": fmt.Sprint(err)}
			}
			for _, outcome := range []string{"died", "alive", "setosa", "5.5", "", "other"} {
				class, ok := m.Class(outcome)
				event, known := m.Event(outcome)
				found["outcome "+outcome] = []any{class, ok, event, known}
			}
			if m.Recalibrates() {
				for _, ab := range [][2]float64{{0, 1}, {-.7, .8}} {
					moved, shift, err := m.Recalibrate(ab[0], ab[1])
					found[fmt.Sprint("moved by ", ab)] = map[string]any{"model": moved, "shift": shift, "error": fmt.Sprint(err)}
				}
				found["scale"] = m.LogitScale()
			}
			golden.Equal(t, "models/"+c.name, found)
		})
	}
}

// TestBrokenFiles puts odd values into every place of model.json, one at a time. Errors must
// equal the stored ones, and every accepted model must score a row.
func TestBrokenFiles(t *testing.T) {
	for _, name := range []string{"splines", "kernel", "boost", "interval", "zero-one", "thresholds"} {
		text, err := os.ReadFile("testdata/models/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var stored struct{ Whole any }
		if err := json.Unmarshal(text, &stored); err != nil {
			t.Fatal(err)
		}
		answers := map[string][]string{}
		for _, path := range paths(nil, stored.Whole) {
			for _, value := range []any{nil, -1., 0., 1., 2., 1e6, "x", []any{}} {
				broken, err := json.Marshal(replaced(stored.Whole, path, value))
				if err != nil {
					t.Fatal(err)
				}
				var m model.Model
				answer := "fine"
				if err := json.Unmarshal(broken, &m); err != nil {
					answer = "JSON"
				} else if _, err := m.Scorer(); err != nil {
					answer = err.Error()
				}
				if answer != "JSON" {
					answers[answer] = append(answers[answer], fmt.Sprint(strings.Join(path, "."), " ", value))
				}
			}
		}
		golden.Equal(t, "broken/"+name, answers)
	}
}

// paths lists the places of all values; of lists only the first and the last element.
func paths(at []string, v any) (all [][]string) {
	if len(at) > 0 {
		all = append(all, at)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			all = append(all, paths(append(slices.Clone(at), k), v[k])...)
		}
	case []any:
		for i := range v {
			if i == 0 || i == len(v)-1 {
				all = append(all, paths(append(slices.Clone(at), fmt.Sprint(i)), v[i])...)
			}
		}
	}
	return all
}

// replaced returns a value with one place changed.
func replaced(v any, path []string, by any) any {
	if len(path) == 0 {
		return by
	}
	switch v := v.(type) {
	case map[string]any:
		c := maps.Clone(v)
		c[path[0]] = replaced(v[path[0]], path[1:], by)
		return c
	case []any:
		c := slices.Clone(v)
		i, _ := strconv.Atoi(path[0]) // paths wrote a number
		c[i] = replaced(v[i], path[1:], by)
		return c
	}
	return v
}
