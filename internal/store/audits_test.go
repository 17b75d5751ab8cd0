package store

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"taper/internal/engine/audit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/usererr"
)

// TestAuditsReadBack: an audit is read back as stored, and a second one replaces it.
func TestAuditsReadBack(t *testing.T) {
	db := open(t, t.TempDir())
	d := upload(t, db, "a.csv", "a,b\n1,2\n")
	r := finishedRun(t, db, d.ID, "one", result("x", 3))
	if a, err := db.Audit(ctx, r.ID); a != nil || err != nil {
		t.Fatalf("before: %v, %v", a, err)
	}
	made := &audit.LabelAudit{Method: "α-loss", Classes: []string{"no", "yes"}, Basis: audit.ByMargin, Rows: 2,
		Ranking: []audit.Row{{Row: 4, Label: 1, Margin: -2, Probability: math.NaN(), Weight: .5, Score: -2}, {Row: 0, Margin: 1, Probability: math.NaN(), Weight: 1, Score: -1}}}
	keys := []audit.Key{{1}, {2}}
	noError(t, db.KeepAudit(ctx, r.ID, "v1", made, keys))
	got, err := db.Audit(ctx, r.ID)
	noError(t, err)
	if diff := cmp.Diff(made.Ranking, got.Rows, cmpopts.EquateNaNs()); diff != "" || got.Keys[1] != keys[1] || got.Summary.Method != "α-loss" || got.Version != "v1" {
		t.Errorf("%+v\n%s", got, diff)
	}
	if at, err := db.AuditMade(ctx, r.ID); err != nil || !at.Equal(got.Created) {
		t.Error(at, err)
	}
	noError(t, db.KeepTrial(ctx, r.ID, &audit.Trial{TrialOptions: audit.TrialOptions{Kind: "symmetric", Rate: .1, Seed: 3}, Flipped: 7}))
	if v, err := db.Trials(ctx, r.ID); err != nil || len(v) != 1 || v[0].Flipped != 7 || v[0].Seed != 3 {
		t.Error(v, err)
	}
	noError(t, db.DeleteRun(ctx, r.ID))
	if a, err := db.Audit(ctx, r.ID); a != nil || err != nil {
		t.Fatalf("after the run: %v, %v", a, err)
	}
}

// TestDecisions: the last decision on a row is valid and undoing restores the one before.
// Decisions survive a restart and the deletion of the run, and are wiped with the data, to the
// last byte.
func TestDecisions(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	d := upload(t, db, "a.csv", "a,b\n1,2\n")
	r := finishedRun(t, db, d.ID, "one", result("x", 3))
	l := Labels{d.ID, d.SHA256, "b"}
	if _, err := db.Undo(ctx, l); !usererr.Is(err, usererr.Conflict) {
		t.Errorf("nothing to undo: %v", err)
	}
	one, two := audit.Key{1}, audit.Key{2}
	noError(t, db.Decide(ctx, l, r.ID, audit.Decision{Key: one, Row: 5, Kind: audit.Keep, Label: "no"}))
	noError(t, db.Decide(ctx, l, r.ID, audit.Decision{Key: two, Row: 6, Kind: audit.Unsure, Label: "no", Note: "canary-audit-note", Control: true, Blind: true}))
	noError(t, db.Decide(ctx, l, r.ID, audit.Decision{Key: one, Row: 5, Kind: audit.Flip, Label: "no", To: "yes"}))
	want := func(kinds ...audit.Kind) []audit.Decision {
		t.Helper()
		all, err := db.Decisions(ctx, l)
		noError(t, err)
		var got []audit.Kind
		for _, d := range all {
			got = append(got, d.Kind)
		}
		if diff := cmp.Diff(kinds, got); diff != "" {
			t.Fatal(diff)
		}
		return all
	}
	all := want(audit.Unsure, audit.Flip)
	if all[0].Note != "canary-audit-note" || !all[0].Control || !all[0].Blind || all[1].To != "yes" || all[1].Label != "no" || all[1].Row != 5 {
		t.Errorf("%+v", all)
	}
	for _, other := range []Labels{{d.ID, d.SHA256, "a"}, {d.ID, "sha", "b"}} {
		if got, err := db.Decisions(ctx, other); err != nil || len(got) != 0 {
			t.Errorf("%+v has %v, %v", other, got, err)
		}
	}
	noError(t, db.Close())
	db = open(t, dir)
	want(audit.Unsure, audit.Flip)
	if last, err := db.Undo(ctx, l); err != nil || last.Key != one || last.Kind != audit.Flip {
		t.Fatal(last, err)
	}
	want(audit.Keep, audit.Unsure)
	noError(t, db.DeleteRun(ctx, r.ID))
	want(audit.Keep, audit.Unsure)
	noError(t, db.DeleteDataset(ctx, d.ID))
	want()
	noError(t, db.Close())
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte("canary-audit-note")) {
			t.Errorf("%s still holds a note", filepath.Base(path))
		}
		return err
	})
	noError(t, err)
}

func TestChildren(t *testing.T) {
	db := open(t, t.TempDir())
	d := upload(t, db, "a.csv", "a,b\n1,2\n")
	r := finishedRun(t, db, d.ID, "one", result("x", 3))
	c := Run{ID: db.NewID("r"), Dataset: d.ID, Name: "child", Spec: runspec.Spec{Outcome: "b", Review: &runspec.Review{Parent: r.ID, Changes: []runspec.Relabel{{Row: 3, To: "yes"}}}}}
	noError(t, db.CreateRun(ctx, c))
	got, err := db.Children(ctx, r.ID)
	noError(t, err)
	if len(got) != 1 || got[0].ID != c.ID || got[0].Changes != 1 || got[0].Status != Queued {
		t.Errorf("%+v", got)
	}
}

// TestChildrenMemory: the changes of a child, which may be as many as rows, are not read to list it.
func TestChildrenMemory(t *testing.T) {
	db := open(t, t.TempDir())
	d := upload(t, db, "a.csv", "a,b\n1,2\n")
	r := finishedRun(t, db, d.ID, "one", result("x", 3))
	c := Run{ID: db.NewID("r"), Dataset: d.ID, Name: "child", Spec: runspec.Spec{Outcome: "b",
		Review: &runspec.Review{Parent: r.ID, Changes: make([]runspec.Relabel, 200_000)}}}
	noError(t, db.CreateRun(ctx, c))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := db.Children(ctx, r.ID)
	runtime.ReadMemStats(&after)
	noError(t, err)
	if took := after.TotalAlloc - before.TotalAlloc; len(got) != 1 || took > 1<<20 {
		t.Errorf("%d children, %d bytes were allocated", len(got), took)
	}
}
