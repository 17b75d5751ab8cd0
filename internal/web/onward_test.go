package web

import (
	"net/http"
	"testing"
)

// TestOnward: the page of an error leads to the run or the data that it is about, or else to their list.
func TestOnward(t *testing.T) {
	for _, c := range []struct {
		path   string
		status int
		to     string
	}{
		{"/runs/r1/nomogram", http.StatusConflict, "/runs/r1"}, {"/report/r1", http.StatusConflict, "/runs/r1"},
		{"/audit/r1", http.StatusUnprocessableEntity, "/runs/r1"}, {"/stratify/d1/flips", http.StatusConflict, "/data/d1"},
		{"/runs/r1", http.StatusConflict, "/runs"}, {"/runs/r1/nomogram", http.StatusNotFound, "/runs"},
		{"/stratify/d1", http.StatusNotFound, "/data"}, {"/compare", http.StatusUnprocessableEntity, "/runs"},
		{"/runs", http.StatusUnprocessableEntity, "/"}, {"/nothing", http.StatusNotFound, "/"},
	} {
		if got := onward(c.path, c.status).URL; got != c.to {
			t.Errorf("%d on %s leads to %s, want %s", c.status, c.path, got, c.to)
		}
	}
}
