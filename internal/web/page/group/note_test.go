package group

import (
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/store"
)

// TestRowsAreNoPatients: a patient can have several rows, so the page counts rows; that a row was held out says
// nothing about other rows of its patient, unless groups are kept together.
func TestRowsAreNoPatients(t *testing.T) {
	g := Group{State: State{Run: store.Run{Result: &engine.Result{}}}}
	if got := g.note(); !strings.HasPrefix(got, "Rows held out from the fit of their fold.") || strings.Contains(got, "group") {
		t.Error(got)
	}
	g.Run.Result.Flow.Groups, g.Run.Spec.Group = 182, "id"
	if got := g.note(); !strings.Contains(got, "182 groups of rows by id: rows of one group, such as those of one patient, ") {
		t.Error(got)
	}
}
