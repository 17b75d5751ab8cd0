package report

import (
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/audit"
	"taper/internal/engine/runspec"
	"taper/internal/store"
)

// TestReportOfReviewedLabels checks what the report says about labels, and that no count from 1 to 9 is in it.
func TestReportOfReviewedLabels(t *testing.T) {
	p := Printed{run: store.Run{Spec: runspec.Spec{Review: &runspec.Review{}}}, r: &engine.Result{Flow: engine.Flow{Relabelled: 21, LeftOut: 3}}}
	if got := p.reviewed(); !strings.Contains(got, "21 rows changed, fewer than 10 rows left out") {
		t.Error(got)
	}
	p.run.Spec.Review = nil
	if got := p.reviewed(); !strings.HasPrefix(got, "No reviewed labels were used.") {
		t.Error(got)
	}
	f := Audit{Estimate: &audit.Estimate{Wrong: 57.4, Low: 44, High: 71, Share: .1009}}
	if got := f.ranked(); !strings.Contains(got, "10.1\u00a0% of the labels disagree confidently with them (57 rows") || !strings.Contains(got, "44\u00a0–\u2060\u00a071") {
		t.Error(got)
	}
	for want, e := range map[string]audit.Estimate{
		"joint fewer than 10 rows disagree confidently with them. Where classes overlap, some labels disagree without being wrong: this is no count of errors.":                                                                                  {Wrong: 8.2, Low: 4, High: 14, Share: .014},
		"joint none disagree confidently with them; fewer than 10 rows would be expected from overlapping classes alone. There is no excess; errors at random look like overlap, so they cannot be ruled out.":                                   {Expected: &audit.Expected{Mean: 2}},
		"joint 2.5\u00a0% of the labels disagree confidently with them (14 rows, bootstrap 95\u00a0% interval from fewer than 10 to 21); 12 rows would be expected from overlapping classes alone. Only the excess is evidence of label errors.": {Wrong: 14, Low: 6, High: 21, Share: .0246, Expected: &audit.Expected{Mean: 12, Low: 10, High: 13}},
	} {
		f.Estimate = &e
		if got := f.ranked(); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	f.Estimate = nil
	if got := f.ranked(); !strings.Contains(got, "no estimate") {
		t.Error(got)
	}
	for want, tally := range map[string]audit.Tally{
		"No row was reviewed yet.": {},
		"40 rows reviewed, fewer than 10 rows found to be wrong, none excluded.":                                                           {Reviewed: 40, Errors: 4},
		"Fewer than 10 rows reviewed, none found to be wrong, none excluded.":                                                              {Reviewed: 4},
		"40 rows reviewed, 20 rows found to be wrong (50.0\u00a0%, Wilson 95\u00a0% interval 35.2\u00a0–\u2060\u00a064.8), none excluded.": {Reviewed: 40, Errors: 20},
	} {
		f.Tally = tally
		if got := f.looked(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	shown := Audit{small: ShowSmall, Estimate: &audit.Estimate{Wrong: 14, Low: 6, High: 21, Share: .0246}, Tally: audit.Tally{Reviewed: 40, Errors: 4}}
	if got := shown.ranked(); !strings.Contains(got, "interval 6\u00a0–\u2060\u00a021") {
		t.Error(got)
	}
	if got := shown.looked(); !strings.Contains(got, "4 rows found to be wrong (10.0\u00a0%, Wilson") {
		t.Error(got)
	}
}

// TestReportOfLabelCounts: counts are exact where this reveals nothing small, and rounded to tens where a
// difference, or the rows missing from the sum, would be 1 to 9.
func TestReportOfLabelCounts(t *testing.T) {
	counts := func(a, b int) []ClassCount { return []ClassCount{{"no", a}, {"yes", b}} }
	for _, c := range []struct {
		name          string
		before, after []ClassCount
		tally         audit.Tally
		want          string
	}{
		{"many flips", counts(300, 200), counts(288, 212), audit.Tally{Errors: 12}, "300 288 200 212"},
		{"few flips", counts(300, 200), counts(297, 203), audit.Tally{Errors: 3}, "300 about 300 200 about 200"},
		{"few excluded", counts(300, 200), counts(280, 217), audit.Tally{Errors: 17, Excluded: 3}, "300 about 280 200 about 220"},
		{"flips that cancel", counts(300, 200), counts(300, 200), audit.Tally{Errors: 4}, "300 about 300 200 about 200"},
		{"a rare class", counts(300, 6), counts(280, 26), audit.Tally{Errors: 20}, "about 300 about 280 fewer than 10 about 30"},
	} {
		table := Audit{Before: c.before, After: c.after, Tally: c.tally}.beforeAndAfter("disease")
		var got []string
		for _, r := range table.Rows {
			got = append(got, r.Cells[1].Text(), r.Cells[2].Text())
		}
		if strings.Join(got, " ") != c.want || strings.Contains(c.want, "about") != (table.Note != "") {
			t.Errorf("%s: %q, note %q", c.name, got, table.Note)
		}
	}
}
