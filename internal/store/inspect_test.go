package store

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"taper/internal/engine/usererr"
)

// damaged returns a closed folder whose database has an invalid page in the middle: SQLite
// opens it and reads the first pages without error.
func damaged(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	db := open(t, dir)
	d := upload(t, db, "a", "x")
	finishedRun(t, db, d.ID, "run", result("", 20_000))
	var page int64
	noError(t, db.r.QueryRow(`SELECT rootpage FROM sqlite_schema WHERE name = 'audit_decisions'`).Scan(&page))
	noError(t, db.Close())
	file := filepath.Join(dir, dbName)
	b, err := os.ReadFile(file)
	noError(t, err)
	copy(b[(page-1)*4096:page*4096], bytes.Repeat([]byte{0xa5}, 4096))
	noError(t, os.WriteFile(file, b, 0o600))
	return dir
}

func TestADamagedDatabaseIsRefused(t *testing.T) {
	dir := damaged(t)
	before, err := os.ReadFile(filepath.Join(dir, dbName))
	noError(t, err)
	for range 2 {
		_, err := Open(ctx, dir, time.Now)
		wantCode(t, err, usererr.Conflict, "is damaged")
		wantCode(t, err, usererr.Conflict, "restore your last backup")
	}
	after, err := os.ReadFile(filepath.Join(dir, dbName))
	noError(t, err)
	if !bytes.Equal(before, after) {
		t.Error("the refused database was changed")
	}
}

// TestALargeDatabaseIsCheckedInTheBackground: the check runs in parallel to other work, and a
// deletion need not wait for it.
func TestALargeDatabaseIsCheckedInTheBackground(t *testing.T) {
	whole := inspectAtOnce
	inspectAtOnce = 0
	defer func() { inspectAtOnce = whole }()
	db, err := Open(ctx, damaged(t), time.Now)
	noError(t, err)
	defer db.Close()
	wantCode(t, <-db.Damaged(), usererr.Conflict, "is damaged")

	sound := open(t, t.TempDir())
	d := upload(t, sound, "a", "x")
	noError(t, sound.DeleteDataset(ctx, d.ID))
	noError(t, sound.Close()) // ends the check
	select {
	case err := <-sound.Damaged():
		t.Errorf("a sound database is refused: %v", err)
	default:
	}
}
