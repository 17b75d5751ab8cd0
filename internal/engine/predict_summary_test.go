package engine

import (
	"bytes"
	"context"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"taper/internal/engine/check"
	"taper/internal/engine/model"
	"taper/internal/engine/prep"
)

// TestSummary counts by hand what a file with known doubts came to, and the
// bands in the file that came out.
func TestSummary(t *testing.T) {
	m, _ := trained(t, "interval")
	file := "id;age;marker;sex;site\n" +
		"1;60,5; 0,2 ;M;A\n" +
		"2;200;0,2;M;A\n" + // above the range
		"3;-5;0,2;F;Mars\n" + // below it, unseen
		"4;60;x;F;\n" + // no number, missing
		"5;;0,1;F;A\n" +
		strings.Repeat("6;61;0,3;F;A\n", 8)
	var sum model.Summary
	var out bytes.Buffer
	if err := model.PredictCSV(context.Background(), m, []byte(file), &out, model.PredictOptions{Summary: &sum}); err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(&out)
	r.Comma = ';'
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	bands, outside := make([]int, 4), 0
	for _, rec := range records[1:] {
		if rec[7] == check.OutsideData {
			outside++
			continue
		}
		bands[rec[6][0]-'0']++
	}
	if sum.Rows != 13 || outside != 2 || sum.OutsideData != 2 || sum.RowsWithWarning != 4 || cmp.Diff(bands, sum.Bands) != "" {
		t.Errorf("%d rows, %d warned, bands %v; the file says %v", sum.Rows, sum.RowsWithWarning, sum.Bands, bands)
	}
	want := []model.IssueCount{{Column: "age", Kind: prep.IssueRange, Rows: 2}, {Column: "site", Kind: prep.IssueUnseen, Rows: 1}, {Column: "marker", Kind: prep.IssueNotANumber, Rows: 1}, {Column: "site", Kind: prep.IssueMissing, Rows: 1}, {Column: "age", Kind: prep.IssueMissing, Rows: 1}}
	if diff := cmp.Diff(want, sum.Issues); diff != "" {
		t.Error(diff)
	}
	if len(sum.FirstRows) != model.FirstRows || sum.FirstRows[0].Cells[2] != "0,2" || sum.FirstRows[2].Cells[4] != "Mars" || sum.FirstRows[3].Stratum != int(records[4][6][0]-'0') {
		t.Errorf("first rows %+v", sum.FirstRows)
	}
	if diff := cmp.Diff([]string{"id", "age", "marker", "sex", "site"}, sum.Header); diff != "" {
		t.Error(diff)
	}
}
