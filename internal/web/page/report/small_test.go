package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/table"
	"taper/internal/store"
)

// TestSmallCountsOnPaper: a report masks small counts unless they are asked for, a kept report always masks them,
// and each report states which.
func TestSmallCountsOnPaper(t *testing.T) {
	run := judgedRun([]float64{0.25, 0.5, 0.75}, [2]int{326, 9}, [2]int{43, 13}, [2]int{24, 15}, [2]int{176, 175})
	run.Result.Flow.Dropped = []table.Drop{{Reason: "Row 17 has 9 cells, expected 8.", Rows: 3}}
	p := New(run, store.Dataset{}, Clinical{})
	shown := p
	shown.Small = ShowSmall
	frozen, err := shown.Frozen()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := ReadKept(frozen)
	if err != nil {
		t.Fatal(err)
	}
	older, err := ReadKept(`{"title": "Risk bands", "use": "Research. Contains no row-level data.", "facts": [{"label": "Run", "value": "r1"}], "sections": []}`)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(shown.Report())
	if err != nil || !strings.Contains(string(text), "Dropped, 3: Row 17 has 9 cells") {
		t.Errorf("shown: %v, three dropped rows are not there: %s", err, text)
	}
	if text, err = json.Marshal(p.Report()); err != nil || strings.Contains(string(text), "Dropped, 3") {
		t.Errorf("masked: %v, three dropped rows are there", err)
	}
	for _, c := range []struct {
		name       string
		d          doc.Document
		head, foot string
		events     mask.Span // of the band with nine events
	}{
		{"by default", p.Report(), "1 to 9 masked", "Counts of 1 to 9 are masked", mask.Span{Low: 1, High: 9}},
		{"asked for", shown.Report(), "shown in full", "Small counts are shown in full: patients may be recognised", mask.Span{Low: 9, High: 9}},
		{"kept", kept.Document, "1 to 9 masked", "Counts of 1 to 9 are masked", mask.Span{Low: 1, High: 9}},
		{"kept by an earlier version", older.Document, "1 to 9 masked", "Counts of 1 to 9 are masked", mask.Span{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if n := strings.Count(c.d.Use, "Contains no row-level data"); n != map[bool]int{true: 0, false: 1}[c.head == "shown in full"] {
				t.Errorf("the use says %d times that no row is there: %s", n, c.d.Use)
			}
			if n := slices.IndexFunc(c.d.Facts, func(f doc.Fact) bool { return f.Label == smallFact }); n < 0 ||
				c.d.Facts[n].Value != c.head || !slices.Contains(c.d.Foot, c.foot) {
				t.Errorf("head %v, foot %v", c.d.Facts, c.d.Foot)
			}
			if (c.events == mask.Span{}) {
				return
			}
			for _, s := range c.d.Sections {
				if s.Title != "Strata" {
					continue
				}
				got := s.Body[0].(doc.Table).Rows[0].Cells
				if !slices.ContainsFunc(got, func(cell doc.Cell) bool { return cell.Value == c.events }) {
					t.Errorf("no %v among %v", c.events, got)
				}
				return
			}
			t.Error("no strata")
		})
	}
}

// TestOneSidedInPrint: a masked report contains the warning about a category without events only where Table 1
// shows all counts of the column.
func TestOneSidedInPrint(t *testing.T) {
	message := "All rows on one side of the outcome: ‘ward = C’ (no event in 4 rows)."
	for _, c := range []struct {
		name  string
		small SmallCounts
		rows  float64 // of the category
		want  string
	}{
		{"few rows", MaskSmall, 4, ""},
		{"few rows, shown", ShowSmall, 4, message},
		{"rows enough", MaskSmall, 40, message},
	} {
		run := judgedRun([]float64{0.5}, [2]int{200, 40}, [2]int{200, 160})
		run.Result.Flow.Trained, run.Result.Flow.TrainedEvents = 400, 200
		run.Result.Table1 = []engine.Table1Row{
			{Name: "ward", Level: "A", Negative: [3]float64{200 - c.rows}, Positive: [3]float64{200}},
			{Name: "ward", Level: "C", Negative: [3]float64{c.rows}, Positive: [3]float64{0}},
		}
		p := New(run, store.Dataset{}, Clinical{})
		p.Small = c.small
		if got := p.warning(engine.Warning{Code: engine.WarnOneSided, Column: "ward", Message: message}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
