package store

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// smallDisk mounts a small disk for the test.
func smallDisk(t *testing.T, bytes int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", bytes)); err != nil {
		t.Skipf("this user may not mount a small disk: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// fill fills a disk to the last byte.
func fill(t *testing.T, dir string) (file string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "filler"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	noError(t, err)
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
			size /= 2
		} else {
			noError(t, err)
		}
	}
	return f.Name()
}

// bigTable takes about 8 bytes per cell.
func bigTable(mark string, rows, columns int) *table.Table {
	t := &table.Table{Rows: rows}
	for i := range columns {
		t.Columns = append(t.Columns, &table.Column{Name: fmt.Sprint(mark, i), Type: table.Number, Num: make([]float64, rows)})
	}
	return t
}

// TestAFullDisk fills a disk to the last byte. Writes fail with the reason, the program starts,
// deletions work, and the reserve is rewritten when there is space.
func TestAFullDisk(t *testing.T) {
	disk := smallDisk(t, 96<<20)
	dir := filepath.Join(disk, "data")
	db := open(t, dir)
	if info, err := os.Stat(filepath.Join(dir, ballastName)); err != nil || info.Size() != ballastBytes || info.Mode().Perm() != 0o600 {
		t.Fatalf("the reserve: %v, %v", info, err)
	}
	raw, kept, big := upload(t, db, "raw", "Canary1"), upload(t, db, "kept", "y"), upload(t, db, "big", "z")
	noError(t, db.KeepColumns(ctx, kept, smallTable("Canary2")))
	noError(t, db.KeepColumns(ctx, big, bigTable("Canary3", 500_000, 6))) // larger than the reserve
	noError(t, db.truncateLog(ctx))
	run := newRun(t, db, raw.ID, "run")
	noError(t, db.StartRun(ctx, run.ID))
	spare, err := db.NewUpload(0)
	noError(t, err)
	filler := fill(t, disk)

	_, err = spare.Write(make([]byte, 1<<20))
	wantCode(t, err, usererr.Full, "disk of the data folder is full")
	wantCode(t, db.FinishRun(ctx, run.ID, result("", 500_000)), usererr.Full, "disk of the data folder is full")
	fill(t, disk)
	noError(t, db.EndRun(ctx, run.ID, Failed, "The disk is full."))
	fill(t, disk)
	wantCode(t, Backup(ctx, dir, filepath.Join(disk, "b.tar")), usererr.Full, "is full")
	_, err = Open(ctx, filepath.Join(disk, "other"), time.Now)
	wantCode(t, err, usererr.Full, "is full")
	noError(t, db.Close())

	db = open(t, dir)
	fill(t, disk)
	if r, err := db.Run(ctx, run.ID); err != nil || r.Status != Failed {
		t.Errorf("%v, %v", r.Status, err)
	}
	noError(t, db.DeleteDataset(ctx, raw.ID))
	noError(t, db.DeleteDataset(ctx, big.ID))
	noError(t, db.DeleteDataset(ctx, kept.ID))
	if list, n, err := db.Datasets(ctx, 0, 0); err != nil || n != 0 {
		t.Errorf("%v, %v", list, err)
	}

	noError(t, os.Remove(filler))
	db.reserve()
	if info, err := os.Stat(filepath.Join(dir, ballastName)); err != nil || info.Size() != ballastBytes {
		t.Errorf("the reserve: %v, %v", info, err)
	}
	noError(t, db.scrub(ctx))
	for _, canary := range []string{"Canary1", "Canary2", "Canary3"} {
		if left := holds(t, dir, canary); left != nil {
			t.Errorf("%s is left in %v", canary, left)
		}
	}
}

// TestStartOnAFullDisk opens a folder that a killed program left with a log, on a disk without
// a free byte.
func TestStartOnAFullDisk(t *testing.T) {
	disk := smallDisk(t, 64<<20)
	dir := filepath.Join(disk, "data")
	db := open(t, dir)
	d := upload(t, db, "a", "x")
	noError(t, db.Close())
	log, err := os.ReadFile(filepath.Join(dir, dbName))
	noError(t, err)
	fill(t, disk)
	db = open(t, dir)
	said := *told(db)
	if got, err := db.RawFile(ctx, d.ID); err != nil || string(got) != "x" {
		t.Errorf("%q, %v", got, err)
	}
	if len(said) == 0 || !strings.Contains(strings.Join(said, " "), "no space left for the reserve") {
		t.Errorf("told %q", said)
	}
	if now, err := os.Stat(filepath.Join(dir, dbName)); err != nil || now.Size() != int64(len(log)) {
		t.Errorf("%v, %v", now, err)
	}
}

// TestTheDatabaseMayNotGrow simulates a full disk by a limit in SQLite.
func TestTheDatabaseMayNotGrow(t *testing.T) {
	db := open(t, t.TempDir())
	raw, gone := upload(t, db, "raw", "x"), upload(t, db, "gone", "y")
	run, ended := newRun(t, db, raw.ID, "run"), newRun(t, db, raw.ID, "ended")
	var pages int
	_, err := db.w.ExecContext(ctx, `CREATE TABLE fill (a INTEGER)`) // in the page that a migration left free
	noError(t, err)
	noError(t, db.w.QueryRow(`PRAGMA page_count`).Scan(&pages))
	noError(t, db.w.QueryRow(fmt.Sprintf(`PRAGMA max_page_count = %d`, pages)).Scan(&pages))
	const words = "disk of the data folder is full"
	wantCode(t, db.FinishRun(ctx, run.ID, result("", 5000)), usererr.Full, words)
	wantCode(t, db.KeepColumns(ctx, raw, bigTable("a", 5000, 2)), usererr.Full, words)
	wantCode(t, db.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec(`CREATE TABLE more (a INTEGER)`)
		return err
	}), usererr.Full, words)
	noError(t, db.EndRun(ctx, ended.ID, Failed, words))
	noError(t, db.DeleteDataset(ctx, gone.ID))
	noError(t, db.DeleteRun(ctx, run.ID))
	if got, err := db.RawFile(ctx, raw.ID); err != nil || string(got) != "x" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestAWriterWithoutSpace writes to files that accept nothing.
func TestAWriterWithoutSpace(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("this system has no /dev/full: %v", err)
	}
	db := open(t, t.TempDir())
	u, err := db.NewUpload(0)
	noError(t, err)
	own := u.f
	u.f = full
	_, err = u.Write([]byte("a"))
	wantCode(t, err, usererr.Full, "disk of the data folder is full")
	full.Close()
	u.f = own
	noError(t, u.Abort())
}

func TestNoSpaceIsTold(t *testing.T) {
	for _, err := range []error{syscall.ENOSPC, syscall.EDQUOT, fmt.Errorf("a: %w", &fs.PathError{Op: "write", Path: "p", Err: syscall.EDQUOT})} {
		wantCode(t, noSpace("", err), usererr.Full, "quota is used up")
		wantCode(t, refused(err, "no"), usererr.Full, "quota is used up")
		wantCode(t, noSpaceFor("/b.tar", err), usererr.Full, "The disk of /b.tar is full")
	}
	for _, err := range []error{nil, syscall.EIO, usererr.New(usererr.NotFound, "x")} {
		if got := noSpace("", err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}
