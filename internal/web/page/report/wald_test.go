package report

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/store"
)

// TestWaldMasked: where Table 1 masks a count of a column, the report and what is kept without data leave out the
// Wald intervals of its terms, since the interval of a single indicator follows from the 2×2 table. Otherwise all
// intervals stay.
func TestWaldMasked(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	records := [][]string{{"age", "side", "ward", "outcome"}}
	for i := range 300 {
		side, outcome := "left", "alive"
		if i%4 == 0 {
			side = "right"
		}
		if side == "right" && i%100 < 8 || side == "left" && rng.IntN(3) == 0 { // 6 events with side "right"
			outcome = "died"
		}
		records = append(records, []string{strconv.Itoa(40 + rng.IntN(40)), side, []string{"a", "b"}[rng.IntN(2)], outcome})
	}
	spec := runspec.Spec{Outcome: "outcome", Positive: table.Levels{"died"}, Predictors: []string{"age", "side", "ward"},
		Boundaries: []float64{.25}, Seed: 7, Model: fit.Spec{Loss: "logistic", L2: fit.L2{Value: 1e-12}}}
	r, err := engine.Fit(t.Context(), tabletest.FromRecords(records), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	run := store.Run{ID: "r1", Spec: spec, Result: r}
	for _, small := range []SmallCounts{MaskSmall, ShowSmall} {
		p := New(run, store.Dataset{}, Clinical{Run: run, Model: r.Model})
		p.Small = small
		for _, row := range p.printed().coefficients().Rows {
			name, cell := row.Cells[0].Text(), row.Cells[3]
			want := name != "(intercept)" && (name == "age" || name == "ward = b" || name == "ward = a" || small == ShowSmall)
			if (cell.Low != nil) != want {
				t.Errorf("small counts shown %v: %s has an interval: %v", small, name, cell.Low != nil)
			}
		}
	}
	kept, _ := WithoutRows(run, r.Model)
	for _, c := range kept.Result.Coefficients {
		if want := c.Name != "(intercept)" && c.Name != "side = right"; (c.OddsRatioCI != nil) != want {
			t.Errorf("kept without data: %s has an interval: %v", c.Name, c.OddsRatioCI != nil)
		}
	}
}
