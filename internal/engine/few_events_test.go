package engine

import (
	"fmt"
	"strings"
	"testing"

	"taper/internal/engine/check"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table/tabletest"
)

// The events of a fitted run are given for the terms that it has, those of splines
// and of missing values among them, and for the rows it trains on: the same
// numbers as in its sample size.
func TestFewEventsOfTheFit(t *testing.T) {
	records := valley()[:81] // 48 events and 32 others of 80 rows
	for i := 1; i < len(records); i += 4 {
		records[i][0] = ""
	}
	tbl := tabletest.FromRecords(records)
	for _, knots := range []int{0, 5} {
		for _, v := range []runspec.Validation{{Kind: "none"}, {Kind: "split", Test: 0.3}} {
			s := valleySpec(knots)
			s.Model.L2, s.Validation = fit.L2{Value: 0.01}, v
			r := mustFit(t, tbl, s)
			rarer, noun := r.Flow.TrainedEvents, "events"
			if others := r.Flow.Trained - rarer; others < rarer {
				rarer, noun = others, "rows without the event"
			}
			terms := 2 + 1 + max(knots-2, 0) // x and z, x missing, x′ x″ x‴
			if n := r.Statistics(s, r.Rows, nil).SampleSize.Parameters; n != terms || r.Clinical.Parameters != terms {
				t.Fatalf("%d knots: %d and %d parameters, want %d", knots, n, r.Clinical.Parameters, terms)
			}
			said := ""
			for _, w := range r.Warnings {
				if w.Code == check.WarnFewEvents {
					said += w.Message
				}
			}
			want := ""
			if rarer < 10*terms {
				want = fmt.Sprintf("%d %s for %d parameters (%.1f each): exploratory only.", rarer, noun, terms, float64(rarer)/float64(terms))
			}
			if said != want || strings.Count(said, "each") > 1 {
				t.Errorf("%d knots, %s: %q, want %q", knots, v.Kind, said, want)
			}
		}
	}
}
