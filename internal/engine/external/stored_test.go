package external_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/external"
	"taper/internal/engine/fit"
	"taper/internal/engine/model"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/golden"
	"taper/internal/testtime"
	"taper/testdata"
)

// TestStoredEvaluations: evaluations of several models on new rows equal the stored ones; an
// ended context gives an error.
func TestStoredEvaluations(t *testing.T) {
	clinic := tabletest.FromRecords(tabletest.Clinic(120, 3))
	other := tabletest.Clinic(90, 8)
	other[3][0], other[4][3], other[5][5], other[6][1] = "140", "Z", "", "-7" // outside the range, unknown level, no outcome
	for i, r := range tabletest.Clinic(120, 3)[1:4] {
		other[10+i] = r // training rows of the model
	}
	var later bytes.Buffer
	w := csv.NewWriter(&later)
	if err := w.WriteAll(other); err != nil {
		t.Fatal(err)
	}
	two := runspec.Spec{Outcome: "outcome", Positive: table.Levels{"died"}, Predictors: []string{"age", "marker", "sex", "site"},
		Task: "binary", Boundaries: []float64{.2, .5}, Model: fit.Spec{L2: fit.L2{Value: .01}}, Seed: 7}
	bands, kernel := two, two
	bands.Task, bands.Model.Loss = "interval", "interval"
	kernel.Model = fit.Spec{Kind: "kernel", Loss: "logistic", Kernel: &fit.Kernel{Name: "rbf", Gamma: .2}, L2: fit.L2{Value: .05}}
	iris := testdata.Read("iris.csv")
	several := runspec.Spec{Outcome: "species", Predictors: []string{"sepal_length", "petal_width"}, Seed: 3,
		Model: fit.Spec{L2: fit.L2{Value: 1. / 64}}}
	abstain, softmax := several, several
	several.Task, abstain.Task, softmax.Task, softmax.Model.Loss = "multiclass", "abstain", "multiclass", "softmax"
	for _, c := range []struct {
		name  string
		table *table.Table
		spec  runspec.Spec
		data  []byte
		o     external.EvaluateOptions
	}{
		{"logistic", clinic, two, later.Bytes(), external.EvaluateOptions{By: "sex", Seed: 4}},
		{"interval", clinic, bands, later.Bytes(), external.EvaluateOptions{Seed: 4}},
		{"kernel", clinic, kernel, later.Bytes(), external.EvaluateOptions{By: "site"}},
		{"zero-one", tabletest.CSV(t, "../../../testdata/csv/iris.csv"), several, iris, external.EvaluateOptions{Seed: 4}},
		{"abstain", tabletest.CSV(t, "../../../testdata/csv/iris.csv"), abstain, iris, external.EvaluateOptions{}},
		{"softmax", tabletest.CSV(t, "../../../testdata/csv/iris.csv"), softmax, iris, external.EvaluateOptions{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := engine.Fit(t.Context(), c.table, c.spec, nil)
			if err != nil {
				t.Fatal(err)
			}
			c.o.Known = external.KnownRows(r.Model, c.table, engine.SeenRows(r.Rows))
			e, err := external.EvaluateCSV(t.Context(), r.Model, c.data, model.PredictOptions{Limits: table.DefaultLimits}, c.o)
			if err != nil {
				t.Fatal(err)
			}
			var scored bytes.Buffer
			var sum model.Summary
			o := model.PredictOptions{Limits: table.DefaultLimits, Summary: &sum}
			if err := model.PredictCSV(t.Context(), r.Model, c.data, &scored, o); err != nil {
				t.Fatal(err)
			}
			cells, err := csv.NewReader(&scored).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			golden.Equal(t, "evaluations/"+c.name, map[string]any{"evaluation": e, "classes": e.Classes, "scored": numbers(cells), "summary": sum})
			testtime.EndAtLooks(t, func(ctx context.Context) error {
				_, err := external.EvaluateCSV(ctx, r.Model, c.data, model.PredictOptions{Limits: table.DefaultLimits}, c.o)
				return err
			})
		})
	}
}

// numbers converts numeric cells so that they become JSON numbers.
func numbers(cells [][]string) (all [][]any) {
	for _, row := range cells {
		var line []any
		for _, cell := range row {
			if v, ok := table.ParseNumber(cell, "."); ok {
				line = append(line, v)
			} else {
				line = append(line, cell)
			}
		}
		all = append(all, line)
	}
	return all
}

// TestFewRows: one row is enough to evaluate; a file without a row of a known class is refused.
func TestFewRows(t *testing.T) {
	iris := runspec.Spec{Outcome: "species", Predictors: []string{"sepal_length", "petal_width"}, Seed: 3, Task: "multiclass",
		Model: fit.Spec{L2: fit.L2{Value: 1. / 64}}}
	several, err := engine.Fit(t.Context(), tabletest.CSV(t, "../../../testdata/csv/iris.csv"), iris, nil)
	if err != nil {
		t.Fatal(err)
	}
	two, err := engine.Fit(t.Context(), tabletest.FromRecords(tabletest.Clinic(120, 3)), runspec.Spec{Outcome: "outcome",
		Positive: table.Levels{"died"}, Predictors: []string{"age"}, Task: "binary", Model: fit.Spec{L2: fit.L2{Value: .01}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, data, want string
		m                *model.Model
	}{
		{"one of three classes", "sepal_length,petal_width,species\n5.1,0.2,setosa\n", "", several.Model},
		{"none of three classes", "sepal_length,petal_width,species\n5.1,0.2,orchid\n", "No row has a class", several.Model},
		{"one of two classes", "age,outcome\n60,died\n", "", two.Model},
		{"none of two classes", "age,outcome\n60,moved\n", "No row has ‘died’ or ‘alive’", two.Model},
	} {
		e, err := external.EvaluateCSV(t.Context(), c.m, []byte(c.data), model.PredictOptions{Limits: table.DefaultLimits}, external.EvaluateOptions{})
		if c.want == "" && (err != nil || e.Rows != 1) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %+v, %v", c.name, e, err)
		}
	}
}

// TestEvaluateRows: JSON rows are evaluated; the subgroup column must be one of theirs.
func TestEvaluateRows(t *testing.T) {
	r, err := engine.Fit(t.Context(), tabletest.FromRecords(tabletest.Clinic(120, 3)), runspec.Spec{Outcome: "outcome",
		Positive: table.Levels{"died"}, Predictors: []string{"age"}, Task: "binary", Model: fit.Spec{L2: fit.L2{Value: .01}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := []map[string]any{{"age": 60., "sex": "f", "outcome": "died"}, {"age": 50., "sex": "m", "outcome": "alive"}}
	all, e, err := external.EvaluateRows(t.Context(), r.Model, rows, external.EvaluateOptions{By: "sex"})
	if err != nil || len(all) != 2 || e.Rows != 2 || e.Events != 1 || len(e.Subgroups) != 2 {
		t.Errorf("%d predictions, %+v, %v", len(all), e, err)
	}
	if _, e, err := external.EvaluateRows(t.Context(), r.Model, rows, external.EvaluateOptions{By: "ward"}); err == nil || e != nil || !strings.Contains(err.Error(), `(got ‘ward’)`) {
		t.Errorf("by a column that is not there: %+v, %v", e, err)
	}
	if _, _, err := external.EvaluateRows(t.Context(), r.Model, []map[string]any{{"age": []any{1}}}, external.EvaluateOptions{}); err == nil {
		t.Error("a list was taken for an age")
	}
}
