package engine

import (
	"strings"
	"testing"

	"taper/internal/engine/runspec/spectest"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/usererr"
)

// clinicSpec is the spec of most tests.
var clinicSpec = spectest.Clinic

// long leaves a test out of the short form, which is run with the race detector:
// its numbers are those of one fit after another.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out of the short form")
	}
}

// fields returns the names of the wrong fields of an error.
func fields(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	e, ok := usererr.As(err)
	if !ok || e.Code != usererr.Invalid || strings.Contains(err.Error(), "%!") {
		t.Fatalf("not an error for the user: %v", err)
	}
	var names []string
	for _, f := range e.Fields {
		names = append(names, f.Field)
	}
	return names
}

// shipped reads a clean file of testdata/csv.
func shipped(t testing.TB, name string) *table.Table {
	t.Helper()
	return tabletest.CSV(t, "../../testdata/csv/"+name)
}
