package web

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// TestRunOfDeletedDataset deletes a dataset while a run of it is being created:
// once with its rows, once where the models are kept and its row stays.
func TestRunOfDeletedDataset(t *testing.T) {
	for _, keep := range []bool{false, true} {
		s, _ := testServer(t, Config{})
		d := heart(t, s)
		id := d.ID
		if keep {
			trained(t, s, heartSpec(d, "Kept", "interval", .3))
		}
		clock, done := s.now, false
		s.now = func() time.Time { // asked for after the dataset was found
			if !done {
				done = true
				if keep {
					if _, err := s.keepModels(context.Background(), id); err != nil {
						t.Error(err)
					}
				} else if err := s.deleteDataset(context.Background(), id); err != nil {
					t.Error(err)
				}
			}
			return clock()
		}
		_, err := s.startRun(context.Background(), heartSpec(d, "Late", "interval", .3))
		if want := "was deleted while the run was being created, so there is no run. Choose another dataset"; !usererr.Is(err, usererr.Conflict) || !strings.Contains(err.Error(), want) {
			t.Errorf("keep %v: %v", keep, err)
		}
		runs, _, err := s.db.Runs(context.Background(), store.RunFilter{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range runs {
			if r.Name == "Late" {
				t.Errorf("keep %v: an orphan is %s", keep, r.Status)
			}
		}
	}
}

// TestOverflowed: a result that JSON cannot hold fails with a sentence.
func TestOverflowed(t *testing.T) {
	_, err := json.Marshal([]float64{1, math.Inf(1)})
	err = overflowed(err)
	if !usererr.Is(err, usererr.Invalid) || !strings.Contains(err.Error(), "overflowed (it is +Inf)") || !strings.Contains(err.Error(), "model.standardize") {
		t.Errorf("%v", err)
	}
	if overflowed(nil) != nil {
		t.Error("a sound result overflowed")
	}
}
