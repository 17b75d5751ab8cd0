package web

import (
	"encoding/json"
	"strings"
	"testing"

	"taper/internal/app"
	"taper/internal/engine/job"
	"taper/internal/store"
)

// TestJobsThatCannotGoOn: a job that the start of the program cannot take up fails with the reason, and its units go.
func TestJobsThatCannotGoOn(t *testing.T) {
	s, _ := testServer(t, Config{Memory: 1 << 30})
	ctx := t.Context()
	spec := heartSpec(heart(t, s), "", "logistic", 0.5)
	trained(t, s, spec)
	for _, c := range []struct {
		name     string
		bytes    int64
		class    string
		attempts int
		want     string
	}{
		{"ends the program each time", 0, "", 3, "ended 3 times in a row while it worked on this run"},
		{"takes too much memory", 1 << 40, "", 0, "This run would need about"},
		{"is held to a class that is gone", 0, "riscv64", 0, "class riscv64"},
		{"goes on", 0, "", 2, ""},
	} {
		r := store.Run{ID: s.db.NewID("r"), Dataset: spec.Dataset, Name: c.name, Spec: spec.WithDefaults()}
		if err := s.db.CreateRun(ctx, r); err != nil {
			t.Fatal(err)
		}
		asked, err := json.Marshal(map[string]any{"run": r.ID, "terms": app.Terms{Class: c.class}})
		if err != nil {
			t.Fatal(err)
		}
		j := store.Job{ID: r.ID, Kind: store.RunJob, Run: r.ID, Spec: asked, Bytes: c.bytes, Class: c.class}
		if err := s.db.BeginJob(ctx, j); err != nil {
			t.Fatal(err)
		}
		unit := store.Unit{Stage: 0, ID: "path 1 of 5", Answer: job.EncodeNumbers([]float64{1})}
		if err := s.db.KeepUnits(ctx, r.ID, []store.Unit{unit}, 0); err != nil {
			t.Fatal(err)
		}
		if err := s.db.Interrupt(ctx); err != nil {
			t.Fatal(err)
		}
		for range c.attempts {
			if err := s.db.OpenJob(ctx, r.ID, "", ""); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.app.Resume(ctx); err != nil {
			t.Fatal(err)
		}
		if c.want == "" {
			finished(t, s, r.ID)
			continue
		}
		for got := r; !strings.Contains(got.Error, c.want); {
			if got, err = s.db.Run(ctx, r.ID); err != nil || app.HasEnded(got.Status) && !strings.Contains(got.Error, c.want) {
				t.Fatalf("%s: %s %q, %v", c.name, got.Status, got.Error, err)
			}
		}
		left := 0
		if err := s.db.Units(ctx, r.ID, 0, func(string, []byte) error { left++; return nil }); err != nil || left > 0 {
			t.Errorf("%s: %d units are left, %v", c.name, left, err)
		}
	}
}
