package store

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"taper/internal/engine/usererr"
	"taper/internal/testtime"
	"taper/migrations"
)

func TestOpenMakesThePresentSchema(t *testing.T) {
	db := open(t, t.TempDir())
	steps, err := migrations.List()
	noError(t, err)
	var version, loose int
	noError(t, db.r.QueryRow(`PRAGMA user_version`).Scan(&version))
	noError(t, db.r.QueryRow(`SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%' AND NOT strict`).Scan(&loose))
	if version != len(steps) || loose != 0 {
		t.Fatalf("schema %d of %d, %d tables not STRICT", version, len(steps), loose)
	}
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "secure_delete": "1", "busy_timeout": "5000"} {
		var got string
		noError(t, db.w.QueryRow("PRAGMA "+pragma).Scan(&got))
		if got != want {
			t.Errorf("writer %s = %s, want %s", pragma, got, want)
		}
	}
	if _, err := db.r.Exec(`DELETE FROM runs`); err == nil {
		t.Error("a reader could write")
	}
}

func TestABrokenMigrationLeavesNothing(t *testing.T) {
	db := open(t, t.TempDir())
	err := apply(ctx, db.w.DB, migrations.Migration{Version: 99, SQL: `CREATE TABLE half (a INTEGER) STRICT; CREATE nonsense;`})
	if err == nil {
		t.Fatal("no error")
	}
	var version, tables int
	noError(t, db.w.QueryRow(`SELECT user_version, (SELECT count(*) FROM sqlite_schema WHERE name = 'half') FROM pragma_user_version`).Scan(&version, &tables))
	if version == 99 || tables != 0 {
		t.Fatalf("schema %d, %d tables", version, tables)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		name, words string
		make        func(dir string) error
	}{
		{"newer schema", "newer Taper (schema 99; ", func(dir string) error {
			db, err := Open(ctx, dir, time.Now)
			if err != nil {
				return err
			}
			_, err = db.w.Exec(`PRAGMA user_version = 99`)
			db.Close()
			return err
		}},
		{"no database", "taper.db in /", func(dir string) error {
			text := strings.Repeat("age,sex\n1,F\n", 500)
			return os.WriteFile(filepath.Join(dir, dbName), []byte(text), 0o600)
		}},
		{"other files", "holds other files (letters)", func(dir string) error {
			return os.Mkdir(filepath.Join(dir, "letters"), 0o755)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			noError(t, c.make(dir))
			_, err := Open(ctx, dir, time.Now)
			wantCode(t, err, usererr.Conflict, c.words)
			_, err = Open(ctx, dir, time.Now) // the lock was released
			wantCode(t, err, usererr.Conflict, c.words)
		})
	}
	file := filepath.Join(t.TempDir(), "file")
	noError(t, os.WriteFile(file, nil, 0o600))
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		_, err := Open(ctx, dir, time.Now)
		wantCode(t, err, usererr.Conflict, "cannot be ")
	}
}

func TestOneProgramAFolder(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	_, err := Open(ctx, dir, time.Now)
	wantCode(t, err, usererr.Conflict, "in use by another Taper")
	noError(t, db.Close())
	open(t, dir)
}

// TestServerOfFolder: the address of the server that has a folder open can be read by others, and is not that of one
// that was killed.
func TestServerOfFolder(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	if got := Server(dir); got != "" {
		t.Errorf("%q before it is known", got)
	}
	noError(t, db.Announce("[::1]:8080"))
	if got := Server(dir); got != "[::1]:8080" {
		t.Errorf("%q", got)
	}
	noError(t, db.Close())
	open(t, dir)
	if got := Server(dir); got != "" {
		t.Errorf("%q of a server that ended", got)
	}
	noError(t, os.WriteFile(filepath.Join(dir, lockName), []byte("x; rm -r /"), 0o600))
	if got := Server(dir); got != "" {
		t.Errorf("%q is no address", got)
	}
}

func TestEverythingIsPrivate(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	dir := filepath.Join(t.TempDir(), "a b%?#'", "data")
	noError(t, os.MkdirAll(dir, 0o777))
	db := open(t, dir)
	d := upload(t, db, "a", "x")
	_, err := db.NewUpload(0)
	noError(t, err)
	newRun(t, db, d.ID, "r")
	seen := map[string]bool{}
	noError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		noError(t, err)
		info, err := e.Info()
		want := fs.FileMode(0o600)
		if e.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
		}
		seen[e.Name()] = true
		return err
	}))
	for _, name := range []string{dbName, dbName + "-wal", dbName + "-shm", lockName, d.ID + rawExt} {
		if !seen[name] {
			t.Errorf("%s not seen among %v", name, seen)
		}
	}
	noError(t, os.Chmod(filepath.Join(dir, dbName), 0o644))
	noError(t, db.Close())
	open(t, dir)
	if info, _ := os.Stat(filepath.Join(dir, dbName)); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v after opening", info.Mode().Perm())
	}
}

func TestOpenClearsWhatACrashLeft(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	raw, kept := upload(t, db, "raw", "x"), upload(t, db, "kept", "y")
	noError(t, db.KeepColumns(ctx, kept, smallTable("")))
	queued, running := newRun(t, db, raw.ID, "q"), newRun(t, db, raw.ID, "r")
	noError(t, db.StartRun(ctx, running.ID))
	done := finishedRun(t, db, raw.ID, "d", result("", 1))
	noError(t, db.Close())

	inRaw := func(name string) string { return filepath.Join(dir, rawDir, name) }
	half := filepath.Join(dir, uploadDir, "d0half"+partExt) // marks raw/d0half as not yet a dataset's
	for _, file := range []string{inRaw("d0half" + rawExt), inRaw(kept.ID + rawExt), filepath.Join(dir, uploadDir, "123"+partExt), half} {
		noError(t, os.WriteFile(file, []byte("Canary"), 0o600))
	}
	// A kill between the confirmation of the columns and the deletion of the file.
	db = open(t, dir)
	first := *told(db)
	noError(t, db.tx(ctx, func(tx *sql.Tx) error { return markWipe(ctx, tx, kept.ID) }))
	noError(t, db.Close())
	if left := holds(t, dir, "Canary"); len(left) != 1 {
		t.Errorf("a file that no deletion names was wiped: %v", left)
	}
	noError(t, os.Rename(filepath.Join(dir, orphanDir, kept.ID+rawExt), inRaw(kept.ID+rawExt)))
	noError(t, os.WriteFile(inRaw("photo.jpg"), []byte("mine"), 0o600)) // not Taper's

	db = open(t, dir)
	said := strings.Join(append(first, *told(db)...), "\n")
	for _, want := range []string{"unfinished files of a killed upload or backup", "1 uploaded file of a committed deletion"} {
		if !strings.Contains(said, want) {
			t.Errorf("the log does not say that %s went: %s", want, said)
		}
	}
	if left := holds(t, dir, "Canary"); left != nil {
		t.Errorf("left over: %v", left)
	}
	if left := holds(t, dir, "mine"); len(left) != 1 {
		t.Error("a foreign file was removed")
	}
	for id, want := range map[string]string{queued.ID: Interrupted, running.ID: Interrupted, done.ID: Done} {
		if r, err := db.Run(ctx, id); err != nil || r.Status != want || (want == Interrupted) != (r.Error != "") || r.Finished.IsZero() {
			t.Errorf("%s: %s %q, %v; want %s", r.Name, r.Status, r.Error, err, want)
		}
	}
	if b, err := db.RawFile(ctx, raw.ID); err != nil || string(b) != "x" {
		t.Errorf("raw %q, %v", b, err)
	}
}

// TestOpenResumesAScrub starts from the mark that a crash after a deletion leaves.
func TestOpenResumesAScrub(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	noError(t, db.tx(ctx, func(tx *sql.Tx) error { return markScrub(ctx, tx) }))
	noError(t, db.Close())
	db = open(t, dir)
	testtime.Until(t, "the scrub", func() bool {
		var n int
		noError(t, db.r.QueryRow(`SELECT count(*) FROM scrub_pending`).Scan(&n))
		return n == 0
	})
}

// TestScrubKeepsLaterMarks: the mark of a deletion committed during a VACUUM stays for the next
// pass.
func TestScrubKeepsLaterMarks(t *testing.T) {
	db := open(t, t.TempDir())
	mark := func() { noError(t, db.tx(ctx, func(tx *sql.Tx) error { return markScrub(ctx, tx) })) }
	count := func() (n int) {
		noError(t, db.r.QueryRow(`SELECT count(*) FROM scrub_pending`).Scan(&n))
		return n
	}
	mark()
	mark()
	last, err := db.lastScrub(ctx)
	noError(t, err)
	mark() // while VACUUM runs
	noError(t, db.unmarkScrubs(ctx, last))
	if n := count(); n != 1 {
		t.Errorf("%d marks are left, want that of the later deletion", n)
	}
	noError(t, db.vacuum(ctx))
	if n := count(); n != 0 {
		t.Errorf("%d marks are left after a pass that began later", n)
	}
}
