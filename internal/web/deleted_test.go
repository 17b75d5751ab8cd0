package web

import (
	"context"
	"strings"
	"testing"
	"time"

	"taper/internal/app"
	"taper/internal/engine/cost"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// TestRunOfDeletedDataset deletes a dataset while a run of it is being created: once completely, once with the
// models kept.
func TestRunOfDeletedDataset(t *testing.T) {
	for _, keep := range []bool{false, true} {
		s, _ := testServer(t, Config{})
		d := heart(t, s)
		id := d.ID
		if keep {
			trained(t, s, heartSpec(d, "Kept", "interval", .3))
		}
		done := false
		late := app.New(s.db, s.datasets, cost.Memory{}, 0, testVersion, s.log, func() time.Time { // called after the dataset was found
			if !done {
				done = true
				if keep {
					if _, err := s.app.KeepModels(context.Background(), id); err != nil {
						t.Error(err)
					}
				} else if err := s.app.DeleteDataset(context.Background(), id); err != nil {
					t.Error(err)
				}
			}
			return s.now()
		})
		_, err := late.StartRun(context.Background(), heartSpec(d, "Late", "interval", .3))
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
