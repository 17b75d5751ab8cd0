package store

import (
	"encoding/json"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/cost"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// read returns the result of an existing run.
func read(t *testing.T, db *DB, id string) *engine.Result {
	t.Helper()
	r, err := db.Run(ctx, id)
	noError(t, err)
	if r.Result == nil {
		t.Fatalf("the run %s has no result", id)
	}
	return r.Result
}

// TestResultsAreKept: a result is decoded once, and again after every change that may affect
// it.
func TestResultsAreKept(t *testing.T) {
	db := open(t, t.TempDir())
	db.KeepResults(cost.Memory{})
	d := upload(t, db, "data", "x\n1\n")
	one, other := finishedRun(t, db, d.ID, "one", result("", 20)), finishedRun(t, db, d.ID, "other", result("mark", 20))
	kept := read(t, db, one.ID)
	if of := read(t, db, other.ID); of == kept || of.Positive.String() != "marksick" {
		t.Fatalf("the result of another run: %v", of.Positive)
	}
	for _, c := range []struct {
		what   string
		change func() error
		again  bool // whether it is decoded again
	}{
		{"nothing", func() error { return nil }, false},
		{"another run", func() error { finishedRun(t, db, d.ID, "third", result("", 20)); return nil }, false},
		{"its name", func() error { return db.DescribeRun(ctx, one.ID, About{new("renamed"), new("")}) }, true},
		{"nothing after that", func() error { return nil }, false},
		{"a deletion", func() error { return db.DeleteRun(ctx, other.ID) }, true},
	} {
		noError(t, c.change())
		now := read(t, db, one.ID)
		if (now != kept) != c.again {
			t.Errorf("%s changed: decoded again %v, want %v", c.what, now != kept, c.again)
		}
		kept = now
	}
	if r, err := db.Run(ctx, one.ID); err != nil || r.Name != "renamed" {
		t.Errorf("%q, %v: what a run is called is not kept with its result", r.Name, err)
	}
	if _, err := db.Run(ctx, other.ID); !usererr.Is(err, usererr.NotFound) {
		t.Errorf("the deleted run: %v", err)
	}
}

// TestResultsOfDeleted: after data are deleted their results are not cached, and a kept model
// has its own result.
func TestResultsOfDeleted(t *testing.T) {
	db := open(t, t.TempDir())
	db.KeepResults(cost.Memory{})
	d := upload(t, db, "data", "x\n1\n")
	stays, goes := finishedRun(t, db, d.ID, "stays", result("canary", 20)), finishedRun(t, db, d.ID, "goes", result("canary", 20))
	early := db.RecordsRevision()
	late := read(t, db, goes.ID)
	read(t, db, stays.ID)
	noError(t, db.KeepModels(ctx, d.ID, []KeptRun{bareRun(stays.ID, "bare")}))
	if n := db.w.results.kept.Len(); n != 0 {
		t.Errorf("%d results stay in memory", n)
	}
	db.keepResult(goes.ID, late, 100, early) // a reader slower than the deletion
	if db.w.results.get(goes.ID) != nil {
		t.Error("a result that was read before the deletion is kept after it")
	}
	if of := read(t, db, stays.ID); of.Positive.String() != "baresick" {
		t.Errorf("the kept model has the result %v", of.Positive)
	}
	// The cached result is not that of a deleted run, whoever stored it.
	db.keepResult(stays.ID, late, 100, db.RecordsRevision())
	if of := read(t, db, stays.ID); of.Positive.String() != "baresick" {
		t.Errorf("the wiped run has the result %v", of.Positive)
	}
}

// TestProfilesAreKept: the profiles of a dataset are decoded once, what a reader does to its list changes no other's,
// and none stays after a deletion, or enters from before it.
func TestProfilesAreKept(t *testing.T) {
	db := open(t, t.TempDir())
	db.KeepResults(cost.Memory{})
	d := upload(t, db, "data", "x\n1\n")
	d.Profiles = []table.Profile{{Name: "canary", Levels: []table.LevelCount{{Level: "a", Rows: 2}}}}
	noError(t, db.UpdateDataset(ctx, d))
	text := ""
	for range 3 {
		got, err := db.Dataset(ctx, d.ID)
		noError(t, err)
		if len(got.Profiles) != 1 || got.Profiles[0].Name != "canary" || got.Profiles[0].Levels[0].Rows != 2 {
			t.Fatalf("%+v", got.Profiles)
		}
		got.Profiles[0].Name = "changed"
		j, err := json.Marshal(d.Profiles)
		noError(t, err)
		text = string(j)
		if _, kept := db.w.results.profiles(text); !kept {
			t.Error("the profiles are not kept")
		}
	}
	early := db.RecordsRevision()
	noError(t, db.DeleteRun(ctx, finishedRun(t, db, d.ID, "goes", result("", 20)).ID))
	if n := db.w.results.about.Len(); n != 0 {
		t.Errorf("%d lists of profiles stay in memory", n)
	}
	if _, err := db.profiles(text, early); err != nil || db.w.results.about.Len() != 0 {
		t.Error("profiles read before a deletion are kept after it", err)
	}
}

// TestResultsGiveWay: the cache counts against the memory and is emptied when others need it.
func TestResultsGiveWay(t *testing.T) {
	memory := cost.NewMemory(64 << 10)
	db := open(t, t.TempDir())
	db.KeepResults(memory)
	d := upload(t, db, "data", "x\n1\n")
	r := finishedRun(t, db, d.ID, "run", result("", 20))
	text, err := json.Marshal(result("", 20))
	noError(t, err)
	first := read(t, db, r.ID)
	if held := memory.Caches.Held(); held < int64(len(text)) || read(t, db, r.ID) != first {
		t.Fatalf("%d bytes are held for a result of %d", held, len(text))
	}
	release, err := memory.Jobs.Acquire(ctx, 32<<10)
	noError(t, err)
	defer release()
	more, err := memory.Requests.Acquire(ctx, 16<<10)
	noError(t, err)
	defer more()
	if memory.Caches.Held() != 0 {
		t.Errorf("%d bytes are still held", memory.Caches.Held())
	}
}
