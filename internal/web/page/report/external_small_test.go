package report

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/store"
)

// TestSmallCountsElsewhere: a report of an external validation masks small counts, and prints every one of its bands,
// levels and missing values where they are asked for.
func TestSmallCountsElsewhere(t *testing.T) {
	bandsOf := func(d doc.Document) (counts []mask.Span) {
		for _, s := range d.Sections {
			if s.Title != "Strata" {
				continue
			}
			for _, n := range s.Body {
				if table, ok := n.(doc.Table); ok && counts == nil {
					for _, r := range table.Rows {
						for _, c := range r.Cells {
							if v, ok := c.Value.(mask.Span); ok {
								counts = append(counts, v)
							}
						}
					}
				}
			}
		}
		return counts
	}
	said := func(d doc.Document) string {
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	// moved has the lines of the table before and after recalibration.
	moved := func(d doc.Document) map[string]bool {
		lines := map[string]bool{}
		for _, s := range d.Sections {
			for _, n := range s.Body {
				if table, ok := n.(doc.Table); ok && table.Label == "Before and after recalibration" {
					for _, r := range table.Rows {
						lines[r.Cells[0].Text()] = true
					}
				}
			}
		}
		return lines
	}
	hid, recalibrated := 0, 0
	for _, seed := range []uint64{0, 1, 2, 3, 4, 5, 6, 38, 41} { // with the last two, the loss may have three decimals
		rng := rand.New(rand.NewPCG(seed, 3))
		spec := smallSpec("logistic")
		r, err := engine.Fit(t.Context(), smallData(rng), spec, nil)
		if err != nil {
			continue
		}
		run := store.Run{ID: "r1", Spec: spec, Result: r}
		masked := externalOf(t, run, rand.New(rand.NewPCG(seed, 5)), MaskSmall)
		shown := externalOf(t, run, rand.New(rand.NewPCG(seed, 5)), ShowSmall)
		var want []mask.Span
		for _, b := range shown.e.Strata {
			want = append(want, mask.Span{Low: b.N, High: b.N}, mask.Span{Low: b.Events, High: b.Events})
		}
		if got := bandsOf(shown.Report()); !slices.Equal(got, want) {
			t.Errorf("seed %d: asked for, the bands have %v, want %v", seed, got, want)
		}
		if !slices.Equal(bandsOf(masked.Report()), want) {
			if hid++; moved(masked.Report())[stat.ByID("interval_loss").Label] {
				t.Errorf("seed %d: three interval losses beside masked bands", seed)
			}
		}
		if lines := moved(shown.Report()); len(lines) > 0 && !lines[stat.ByID("interval_loss").Label] {
			t.Errorf("seed %d: asked for, recalibration shows no interval loss: %v", seed, lines)
		} else if len(lines) > 0 {
			recalibrated++
		}
		if text := said(shown.Report()); !strings.Contains(text, "patients may be recognised") || strings.Contains(text, "fewer than 10 ro") ||
			strings.Contains(text, "are masked, and") {
			t.Errorf("seed %d: asked for, the report masks something", seed)
		}
		if text := said(masked.Report()); strings.Contains(text, "patients may be recognised") {
			t.Errorf("seed %d: a masked report says that it is not", seed)
		}
	}
	if hid < 4 || recalibrated < 4 {
		t.Errorf("%d reports have a masked band, %d a recalibration: the data do not fit this test", hid, recalibrated)
	}
}
