package studyreport

import (
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/engine/study"
	"taper/internal/engine/study/stored"
)

// TestSetsWithoutSplit: a table of datasets that have no test file has no columns for one.
func TestSetsWithoutSplit(t *testing.T) {
	for tested, want := range map[int]int{0: 6, 20: 8} {
		v := Report{Sets: []stored.Result{{}},
			preset: study.Preset{Data: study.DataTable{Own: []study.Set{{Name: "a", Rows: 50, Test: tested}}}}}
		table := v.dataTable()[0].(doc.Block)[0].(doc.Table)
		if len(table.Columns) != want || len(table.Rows[0].Cells) != want || table.Columns[want-4].Label != "Features" {
			t.Errorf("%d test rows: %+v", tested, table.Columns)
		}
	}
}

// TestResplitsHaveNoTest: replicates that divide the same uploaded rows have neither a p value nor a verdict, since
// more of them would make any difference significant; new samples of a generator have both.
func TestResplitsHaveNoTest(t *testing.T) {
	mean, low, high := -.003, -.005, -.001
	pair := study.Pair{Mean: &mean, Low: &low, High: &high, Wilcoxon: study.SignedRank{P: .0011}}
	cells := []study.ComparedCell{{Cell: study.Cell{Key: study.Key{Model: "a"}, Mean: new(.75)}, Best: true},
		{Cell: study.Cell{Key: study.Key{Model: "b"}, Mean: new(.747)}, Pair: &pair}}
	for id, tested := range map[string]bool{"": true, "d1": false} {
		v := Report{spec: study.Spec{Dataset: study.Source{ID: id}}}
		row := v.pairTable(cells).Rows[1]
		if p := row.Cells[3].Text(); (p == "0.0011") != tested {
			t.Errorf("data %q: p %q", id, p)
		}
		if verdict := row.Cells[4].Text(); (verdict == "–") == tested {
			t.Errorf("data %q: verdict %q", id, verdict)
		}
		if say := v.pairsSay(); strings.Contains(say, "no test") == tested {
			t.Error(say)
		}
	}
	onFiles := Report{known: true, preset: study.Preset{Data: study.DataTable{Own: []study.Set{{}}}}}
	if say := onFiles.pairsSay(); !strings.Contains(say, "Nadeau") || strings.Contains(say, "no test") {
		t.Errorf("a paper’s test on one file: %s", say)
	}
}
