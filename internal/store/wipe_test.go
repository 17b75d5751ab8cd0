package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"taper/internal/engine/table"
)

// TestDeletedDataAreNowhere puts a canary into every place for data and searches every byte of
// every file for it after the deletion.
func TestDeletedDataAreNowhere(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	stay := upload(t, db, "stay", "Resident")
	finishedRun(t, db, stay.ID, "Resident", result("Resident", 3))
	const canary = "Canary7"
	gone := upload(t, db, canary, "age,name\n1,"+canary+"\n")
	gone.Warnings = []table.Warning{{Code: "level", Message: canary}}
	gone.Profiles = []table.Profile{{Name: canary, Levels: []table.LevelCount{{Level: canary, Rows: 1}}}}
	gone.Options.Columns = []table.ColumnSpec{{Name: canary, MissingCodes: []string{canary}}}
	gone.Choice.Positive = table.Levels{canary}
	noError(t, db.UpdateDataset(ctx, gone))
	raw := upload(t, db, "raw "+canary, canary)
	run := finishedRun(t, db, raw.ID, canary, result(canary, 500))
	noError(t, db.DescribeRun(ctx, run.ID, About{new(canary + " 2"), new(canary)}))
	if holds(t, dir, canary) == nil {
		t.Fatal("the canary was never there")
	}
	kept := smallTable(canary)
	kept.Columns[0].Name = canary
	noError(t, db.KeepColumns(ctx, gone, kept))
	finishedRun(t, db, gone.ID, canary, result(canary, 5))

	noError(t, db.DeleteRun(ctx, run.ID))
	noError(t, db.DeleteDataset(ctx, raw.ID))
	noError(t, db.DeleteDataset(ctx, gone.ID))
	if found := holds(t, dir, canary); found != nil {
		t.Errorf("the canary is still in %v", found)
	}
	if holds(t, dir, "Resident") == nil {
		t.Error("other data are gone too")
	}
	noError(t, db.Close())
	if found := holds(t, dir, canary); found != nil {
		t.Errorf("after closing the canary is still in %v", found)
	}
}

// TestNoNameSurvivesInSlack deletes rows that grew, shrank and moved between pages, which
// secure_delete alone does not cover.
func TestNoNameSurvivesInSlack(t *testing.T) {
	rng := rand.New(rand.NewPCG(26, 1)) // with this seed one name survives without VACUUM
	dir := t.TempDir()
	db := open(t, dir)
	d := upload(t, db, "x", "a\n1\n")
	names, ids := map[string]string{}, []string{}
	for range 300 {
		name := fmt.Sprintf("canary%016x", rng.Uint64())
		r := newRun(t, db, d.ID, name+strings.Repeat("x", rng.IntN(1500)))
		if rng.IntN(2) == 0 {
			noError(t, db.FinishRun(ctx, r.ID, result(name, rng.IntN(60))))
		}
		names[r.ID], ids = name, append(ids, r.ID)
		if rng.IntN(3) == 0 {
			id := ids[rng.IntN(len(ids))]
			noError(t, db.DescribeRun(ctx, id, About{new(names[id] + strings.Repeat("y", rng.IntN(900))), new("")}))
		}
		if rng.IntN(3) == 0 {
			dropRun(t, db, names, &ids, rng.IntN(len(ids)))
		}
	}
	for len(ids) > 30 {
		dropRun(t, db, names, &ids, rng.IntN(len(ids)))
	}
	noError(t, db.scrub(ctx))
	file, err := os.ReadFile(filepath.Join(dir, dbName))
	noError(t, err)
	alive := map[string]bool{}
	for _, id := range ids {
		alive[id] = true
	}
	for id, name := range names {
		if strings.Contains(string(file), name) != alive[id] {
			t.Errorf("%s in the file: %v, want %v", name, !alive[id], alive[id])
		}
	}
}

// dropRun deletes without the scrub, which would hide remaining traces.
func dropRun(t *testing.T, db *DB, names map[string]string, ids *[]string, i int) {
	t.Helper()
	id := (*ids)[i]
	noError(t, db.erase(ctx, `DELETE FROM runs WHERE id = ?`, id, noRun(id)))
	(*ids)[i] = (*ids)[len(*ids)-1]
	*ids = (*ids)[:len(*ids)-1]
}

func TestWipeFileOverwritesBeforeRemoving(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	noError(t, os.WriteFile(file, []byte(strings.Repeat("Canary", 400_000)), 0o600)) // larger than one buffer
	noError(t, os.Link(file, link))
	noError(t, wipeFile(file))
	noError(t, wipeFile(file)) // it no longer exists
	b, err := os.ReadFile(link)
	noError(t, err)
	if len(b) != 2_400_000 || strings.Trim(string(b), "\x00") != "" {
		t.Fatalf("%d bytes, not all zero", len(b))
	}
}
