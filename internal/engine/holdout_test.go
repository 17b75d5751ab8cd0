package engine

import (
	"context"
	"maps"
	"reflect"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/runspec/spectest"
	"taper/internal/engine/table/tabletest"
)

// TestHoldOutNeverTrains: whatever the labels of the held-out rows are, the model, λ chosen on a sample included, stays.
func TestHoldOutNeverTrains(t *testing.T) {
	ctx := context.Background()
	whole := tabletest.FromRecords(tabletest.Clinic(400, 1))
	spec := spectest.Clinic()
	spec.Validation, spec.Model.L2, spec.Model.Tuning = runspec.HoldOut(), fit.L2{Mode: "cv"}, runspec.TuningSample
	before, err := Fit(ctx, whole, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := before.Flow.Scored; n != len(before.Rows) || n == 0 || n+before.Flow.Trained > 400 {
		t.Fatalf("%d rows held out, %d listed, %d trained", n, len(before.Rows), before.Flow.Trained)
	}
	num := whole.Column("age").Num
	for _, r := range before.Rows {
		if r.Split != "test" {
			t.Fatalf("row %d is of part %q", r.Row, r.Split)
		}
		num[r.Row] = 1000 - num[r.Row] // which division rows are in depends on the outcome alone
	}
	after, err := Fit(ctx, whole, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(rowNumbers(before), rowNumbers(after)) {
		t.Fatal("other rows are held out")
	}
	if !reflect.DeepEqual(before.Model.Weights, after.Model.Weights) || before.L2 != after.L2 ||
		!reflect.DeepEqual(before.Metrics.Train, after.Metrics.Train) {
		t.Error("values of held-out rows changed the model")
	}
	if reflect.DeepEqual(before.Metrics.Test, after.Metrics.Test) {
		t.Error("the evaluation does not use the held-out rows")
	}
}

// TestHoldOutKeepsGroups: all rows of a group are on one side.
func TestHoldOutKeepsGroups(t *testing.T) {
	whole := tabletest.FromRecords(tabletest.Clinic(400, 1))
	patient := make([]float64, whole.Rows)
	for i := range patient {
		patient[i] = float64(i / 5)
	}
	whole.Columns = append(whole.Columns, tabletest.Numbers("patient", patient...))
	spec := spectest.Clinic()
	spec.Validation, spec.Group = runspec.HoldOut(), "patient"
	spec.Validation.Rows = "" // to see both sides
	r, err := Fit(context.Background(), whole, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	side := map[int]string{}
	for _, row := range r.Rows {
		if row.Split == "scored" {
			continue
		}
		if was, seen := side[row.Row/5]; seen && was != row.Split {
			t.Errorf("patient %d is on both sides", row.Row/5)
		}
		side[row.Row/5] = row.Split
	}
	if len(side) < 70 {
		t.Errorf("%d patients are used", len(side))
	}
}

// TestSeenBy: selecting the rows of a run again finds those that its whole list names as seen, with their outcomes.
func TestSeenBy(t *testing.T) {
	ctx := context.Background()
	whole := tabletest.FromRecords(tabletest.Clinic(400, 1))
	spec := spectest.Clinic()
	spec.Validation = runspec.HoldOut()
	short, err := SeenBy(ctx, spec, whole)
	if err != nil {
		t.Fatal(err)
	}
	spec.Validation.Rows = ""
	r, err := Fit(ctx, whole, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := maps.Collect(SeenRows(r.Rows))
	if got := maps.Collect(short); !maps.Equal(got, want) || len(want) != r.Flow.Trained+r.Flow.Scored {
		t.Errorf("%d rows are seen, of %d", len(got), len(want))
	}
}

func rowNumbers(r *Result) (all []int) {
	for _, row := range r.Rows {
		all = append(all, row.Row)
	}
	return all
}
