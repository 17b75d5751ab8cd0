package report

import (
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/table"
	"taper/internal/store"
)

// TestTextsReadAsNumbersNamed: of the columns of the run, crp has limits read as numbers and dose numbers with units;
// ward, in no model, is not named, and neither is age, whose texts are missing.
func TestTextsReadAsNumbersNamed(t *testing.T) {
	run := store.Run{Result: &engine.Result{}}
	run.Spec.Outcome, run.Spec.Predictors = "died", []string{"age", "crp", "dose"}
	run.Reading = &table.Options{Columns: []table.ColumnSpec{{Name: "crp", NonNumeric: "limit"}, {Name: "age", NonNumeric: "missing"},
		{Name: "dose", NonNumeric: "strip"}, {Name: "ward", NonNumeric: "limit"}}}
	p := New(run, store.Dataset{}, Clinical{Run: run, Result: run.Result})
	want := " Read as numbers in crp: a limit such as <0.01 as its number, 0.01, other texts as missing. Read as numbers in " +
		"dose: a text with a number in it, such as <0.01 or 12 mg, as that number."
	if got := p.textsNote(); got != want || !strings.Contains(strings.Join(p.dataNotes(), " "), want) {
		t.Errorf("%q", got)
	}
	run.Reading = nil
	if got := New(run, store.Dataset{}, Clinical{Run: run, Result: run.Result}).textsNote(); got != "" {
		t.Errorf("no texts: %q", got)
	}
}
