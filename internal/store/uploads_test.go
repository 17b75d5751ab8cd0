package store

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"taper/internal/engine/usererr"
)

// copyDatabase copies the database of a closed folder.
func copyDatabase(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(from, dbName))
	noError(t, err)
	noError(t, os.WriteFile(filepath.Join(to, dbName), b, 0o600))
}

// told collects the notices about a folder.
func told(db *DB) *[]string {
	all := new([]string)
	db.Notify(func(s string) { *all = append(*all, s) })
	return all
}

// TestALostDatabaseKeepsTheUploads removes, truncates and blanks the database of a folder with
// uploads. The program refuses to start, no upload is lost, and a backup restores everything.
func TestALostDatabaseKeepsTheUploads(t *testing.T) {
	for _, c := range []struct {
		name, words string
		lose        func(file string) error
		blank       bool
	}{
		{"missing", "2 uploaded files, but its database taper.db is missing", os.Remove, false},
		{"empty", "2 uploaded files, but its database taper.db is empty", func(f string) error { return os.Truncate(f, 0) }, false},
		{"blank", "2 uploaded files, but its database taper.db is blank", func(f string) error {
			noError(t, os.Remove(f))
			db, err := sql.Open("sqlite", f)
			noError(t, err)
			defer db.Close()
			_, err = db.Exec(`CREATE TABLE a (b); DROP TABLE a`)
			return err
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			db := open(t, dir)
			a, b := upload(t, db, "a", "Canary1"), upload(t, db, "b", "Canary2")
			backup := filepath.Join(t.TempDir(), "b.tar")
			noError(t, Backup(ctx, dir, backup))
			noError(t, db.Close())
			noError(t, c.lose(filepath.Join(dir, dbName)))
			for range 2 {
				_, err := Open(ctx, dir, time.Now)
				wantCode(t, err, usererr.Conflict, c.words)
				wantCode(t, err, usererr.Conflict, "restore FILE")
				wantCode(t, err, usererr.Conflict, "move the folder "+filepath.Join(dir, rawDir)+" away")
			}
			for id, text := range map[string]string{a.ID: "Canary1", b.ID: "Canary2"} {
				if got, err := os.ReadFile(filepath.Join(dir, rawDir, id+rawExt)); err != nil || string(got) != text {
					t.Errorf("upload %q, %v", got, err)
				}
			}
			if c.blank {
				noError(t, os.Remove(filepath.Join(dir, dbName)))
			}
			noError(t, Restore(ctx, dir, backup))
			db = open(t, dir)
			if got, err := db.RawFile(ctx, a.ID); err != nil || string(got) != "Canary1" {
				t.Errorf("restored %q, %v", got, err)
			}
			if exists(filepath.Join(dir, orphanDir)) {
				t.Error("files of the backup were set aside")
			}
		})
	}
}

// TestAnOlderDatabaseDoesNoHarm replaces the database by one from before an upload and a
// deletion, then puts the newer one back.
func TestAnOlderDatabaseDoesNoHarm(t *testing.T) {
	dir, older, newer := t.TempDir(), t.TempDir(), t.TempDir()
	db := open(t, dir)
	first, gone := upload(t, db, "first", "First"), upload(t, db, "gone", "Gone")
	noError(t, db.Close())
	copyDatabase(t, dir, older)
	db = open(t, dir)
	noError(t, db.DeleteDataset(ctx, gone.ID))
	later := upload(t, db, "later", "Later")
	noError(t, db.Close())
	copyDatabase(t, dir, newer)

	copyDatabase(t, older, dir)
	db = open(t, dir)
	said := strings.Join(*told(db), "\n")
	aside := filepath.Join(dir, orphanDir)
	if got, err := os.ReadFile(filepath.Join(aside, later.ID+rawExt)); err != nil || string(got) != "Later" {
		t.Errorf("set aside: %q, %v", got, err)
	}
	if info, err := os.Stat(aside); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if !strings.Contains(said, "1 uploaded file lay in") || !strings.Contains(said, aside) || !strings.Contains(said, gone.ID) {
		t.Errorf("told %q", said)
	}
	if got, err := db.RawFile(ctx, first.ID); err != nil || string(got) != "First" {
		t.Errorf("%q, %v", got, err)
	}
	_, err := db.RawFile(ctx, gone.ID)
	wantCode(t, err, usererr.Conflict, "is not in the data folder")
	backup := filepath.Join(t.TempDir(), "b.tar") // a missing upload does not prevent a backup
	noError(t, Backup(ctx, dir, backup))
	noError(t, Restore(ctx, filepath.Join(t.TempDir(), "again"), backup))
	noError(t, db.DeleteDataset(ctx, gone.ID))
	noError(t, db.Close())

	copyDatabase(t, newer, dir)
	db = open(t, dir)
	if got, err := db.RawFile(ctx, later.ID); err != nil || string(got) != "Later" {
		t.Errorf("the file did not come back: %q, %v", got, err)
	}
	noError(t, db.DeleteDataset(ctx, later.ID))
	if left := holds(t, dir, "Later"); left != nil {
		t.Errorf("left over: %v", left)
	}
}

// TestRestoreKeepsStrayUploads restores a backup into a folder that lost its database after
// another upload.
func TestRestoreKeepsStrayUploads(t *testing.T) {
	db, backup := backedUp(t)
	dir := db.Dir()
	more := upload(t, db, "more", "Only copy")
	noError(t, db.Close())
	noError(t, os.Remove(filepath.Join(dir, dbName)))
	noError(t, Restore(ctx, dir, backup))
	if got, err := os.ReadFile(filepath.Join(dir, orphanDir, more.ID+rawExt)); err != nil || string(got) != "Only copy" {
		t.Errorf("set aside: %q, %v", got, err)
	}
	open(t, dir)
}

// TestBackupSaysWhichUploadIsDamaged: such a backup once retried for ever.
func TestBackupSaysWhichUploadIsDamaged(t *testing.T) {
	db := open(t, t.TempDir())
	d := upload(t, db, "a", "as uploaded")
	noError(t, os.WriteFile(db.RawPath(d.ID), []byte("as changed!"), 0o600))
	wantCode(t, Backup(ctx, db.Dir(), filepath.Join(t.TempDir(), "b")), usererr.Conflict, d.ID+".raw in ")
}
