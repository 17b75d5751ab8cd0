package store

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"taper/internal/engine/usererr"
)

// TestWritersAndReaders runs everything concurrently: a call fails only if another one deleted
// or confirmed its data, and a reader never gets a partly wiped file.
func TestWritersAndReaders(t *testing.T) {
	db := open(t, t.TempDir())
	stop, cancel := context.WithTimeout(ctx, 1500*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	loop := func(fn func(i int) error) {
		wg.Go(func() {
			for i := 0; stop.Err() == nil; i++ {
				if err := fn(i); err != nil && !usererr.Is(err, usererr.NotFound) && !usererr.Is(err, usererr.Conflict) {
					t.Error(err)
					return
				}
			}
		})
	}
	for w := range 3 {
		loop(func(i int) error { return churn(db, w, i) })
	}
	for range 3 {
		loop(func(int) error { return readAll(db) })
	}
	wg.Wait()
}

// churn creates a dataset with a run, confirms it and, every other time, deletes it.
func churn(db *DB, w, i int) error {
	id := db.NewID("d")
	u, err := db.NewUpload(0)
	if err != nil {
		return err
	}
	defer u.Abort()
	fmt.Fprint(u, strings.Repeat(id+"\n", 5000))
	if err := db.CreateDataset(ctx, Dataset{ID: id, State: Raw, Rows: 3}, u); err != nil {
		return err
	}
	run := Run{ID: db.NewID("r"), Dataset: id, Name: fmt.Sprint(w, i)}
	for _, step := range []func() error{
		func() error { return db.CreateRun(ctx, run) },
		func() error { return db.StartRun(ctx, run.ID) },
		func() error { return keepColumns(ctx, db, id, id) },
		func() error { return db.FinishRun(ctx, run.ID, result(id, 50)) },
		func() error { return db.DescribeRun(ctx, run.ID, About{new("x"), new("y")}) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	if i%2 == 0 {
		return db.DeleteDataset(ctx, id)
	}
	return db.DeleteRun(ctx, run.ID)
}

func readAll(db *DB) error {
	list, _, err := db.Datasets(ctx, 5, 0)
	if err != nil {
		return err
	}
	for _, d := range list {
		raw, err := db.RawFile(ctx, d.ID)
		if err == nil && string(raw) != strings.Repeat(d.ID+"\n", 5000) {
			return fmt.Errorf("upload %s is half wiped", d.ID)
		}
		t, err := db.Columns(ctx, d.ID)
		if err == nil && t.Columns[1].Levels[0] != d.ID+"F" {
			return fmt.Errorf("columns of %s: %v", d.ID, t.Columns[1].Levels)
		}
	}
	runs, _, err := db.Runs(ctx, RunFilter{Limit: 3, Sort: "auc"})
	if err != nil {
		return err
	}
	for _, r := range runs {
		full, err := db.Run(ctx, r.ID)
		if err == nil && (full.Status == Done) != (full.Result != nil) {
			return fmt.Errorf("run %s is %s, result %v", r.ID, full.Status, full.Result)
		}
		if _, err := db.RunRows(ctx, r.ID); err != nil {
			return err
		}
	}
	return nil
}
