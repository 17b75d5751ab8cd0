package engine

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/usererr"
)

// TestExtremeSpecs: whatever a valid spec asks for has a result that JSON can
// hold, without a NaN, an infinity or an error of the machine.
func TestExtremeSpecs(t *testing.T) {
	long(t)
	mixed := tabletest.Clinic(90, 6)
	parted := tabletest.Clinic(90, 7) // separable, and a column in very large units
	for i, r := range parted[1:] {
		r[0] = strconv.Itoa(i) + "e90"
		r[5] = []string{"alive", "died"}[i/45]
	}
	for _, records := range [][][]string{mixed, parted} {
		tab := tabletest.FromRecords(records)
		for _, model := range []fit.Spec{{Loss: "interval"}, {Loss: "logistic"}, {Loss: "alpha", Params: map[string]any{"alpha": 4.0}},
			{Loss: "tempered", Params: map[string]any{"t1": 0.6, "t2": 1.6}}, {Loss: "t-logistic"}, {Loss: "dwd"}, {Kind: "boost", Rounds: 20}} {
			lossID := model.Loss + model.Kind
			for _, l2 := range []float64{fit.MinL2, 1e-20, 1e-12, 1e-6, 1e3, 1e15, fit.MaxL2} {
				for _, pi := range [][]float64{{1e-9, 0.999999}, {0.5}, {0.5, 0.5 + 1e-15}, {1e-300, 0.3}} {
					s := clinicSpec()
					s.Model = model
					s.Model.L2 = fit.L2{Value: l2}
					s.Boundaries, s.Validation = pi, runspec.Validation{Kind: "cv", Folds: 3}
					r, err := Fit(context.Background(), tab, s, nil)
					if _, user := usererr.As(err); user {
						t.Logf("%s, λ = %g, π = %v: %v", lossID, l2, pi, err)
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					if _, err := json.Marshal(r); err != nil {
						t.Errorf("%s, λ = %g, π = %v: %v", lossID, l2, pi, err)
					}
					if _, err := json.Marshal(r.Rows); err != nil {
						t.Errorf("%s, λ = %g, π = %v: rows: %v", lossID, l2, pi, err)
					}
				}
			}
		}
	}
}

// TestTinyUnit: a column whose coefficient per unit exceeds the doubles is refused by name; in units up to there the
// result is one that JSON can hold.
func TestTinyUnit(t *testing.T) {
	for unit, fine := range map[string]bool{"e-300": true, "e-315": false} {
		records := [][]string{{"x", "y"}}
		for i := range 60 {
			records = append(records, []string{strconv.Itoa(i%7+i%2) + unit, []string{"no", "yes"}[i%2]})
		}
		tab := tabletest.FromRecords(records)
		for _, s := range []runspec.Spec{
			{Positive: table.Levels{"yes"}, Model: fit.Spec{L2: fit.L2{Value: .01}}},
			{Positive: table.Levels{"yes"}, Model: fit.Spec{Loss: "logistic", L2: fit.L2{Value: .01}}},
			{Task: "multiclass", Model: fit.Spec{Loss: "softmax", L2: fit.L2{Value: .01}}},
			{Task: "ordinal", Model: fit.Spec{Loss: "all-threshold", L2: fit.L2{Value: .01}}},
		} {
			s.Outcome, s.Validation = "y", runspec.Validation{Kind: "cv", Folds: 3}
			r, err := Fit(t.Context(), tab, s, nil)
			if !fine {
				if !usererr.Is(err, usererr.Invalid) || !strings.Contains(err.Error(), "‘x’ varies so little") {
					t.Errorf("%s, %s: %v", unit, s.Model.Loss, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(unit, s.Model.Loss, err)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Errorf("%s, %s: %v", unit, s.Model.Loss, err)
			}
		}
	}
}
