package store

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"taper/internal/engine"
	"taper/internal/engine/usererr"
)

// backedUp returns a folder and its backup, made while the folder was open. It has a dataset of
// each state, a run, and a deleted dataset.
func backedUp(t *testing.T) (db *DB, file string) {
	t.Helper()
	db = open(t, t.TempDir())
	raw, kept := upload(t, db, "raw", "Raw file"), upload(t, db, "kept", "y")
	noError(t, db.KeepColumns(ctx, kept, smallTable("Level")))
	finishedRun(t, db, raw.ID, "run", result("", 10))
	gone := upload(t, db, "gone", "Canary")
	noError(t, db.DeleteDataset(ctx, gone.ID))
	file = filepath.Join(t.TempDir(), "b.tar")
	noError(t, Backup(ctx, db.Dir(), file))
	return db, file
}

func TestRestoreBringsEverythingBack(t *testing.T) {
	db, file := backedUp(t)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if found := holds(t, filepath.Dir(file), "Canary"); found != nil {
		t.Error("deleted data are in the backup")
	}
	if left, _ := os.ReadDir(filepath.Join(db.Dir(), uploadDir)); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
	into := filepath.Join(t.TempDir(), "new", "data")
	noError(t, Restore(ctx, into, file))
	noError(t, filepath.WalkDir(into, func(path string, e fs.DirEntry, err error) error {
		noError(t, err)
		info, err := e.Info()
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[e.IsDir()]; info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	}))
	again := open(t, into)
	a, _, err := db.Datasets(ctx, 0, 0)
	noError(t, err)
	b, _, err := again.Datasets(ctx, 0, 0)
	noError(t, err)
	if diff := cmp.Diff(a, b); diff != "" || len(b) != 2 {
		t.Fatal(len(b), diff)
	}
	for _, d := range b {
		if d.State == Kept {
			c, err := again.Columns(ctx, d.ID)
			noError(t, err)
			if diff := cmp.Diff(smallTable("Level").Columns, c.Columns, cmpopts.EquateNaNs()); diff != "" {
				t.Error(diff)
			}
		} else if raw, err := again.RawFile(ctx, d.ID); err != nil || string(raw) != "Raw file" {
			t.Errorf("%q, %v", raw, err)
		}
	}
	runs, _, err := again.Runs(ctx, RunFilter{})
	noError(t, err)
	r, err := again.Run(ctx, runs[0].ID)
	noError(t, err)
	if diff := cmp.Diff(result("", 10), r.Result, cmpopts.IgnoreFields(engine.Result{}, "Model", "Rows"), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

// A folder may be given relative to the working directory.
func TestRelativeFolders(t *testing.T) {
	db, _ := backedUp(t)
	t.Chdir(filepath.Dir(db.Dir()))
	noError(t, Backup(ctx, filepath.Base(db.Dir()), "again.tar"))
	noError(t, Restore(ctx, "restored", "again.tar"))
	if runs, _, err := open(t, "restored").Runs(ctx, RunFilter{}); err != nil || len(runs) != 1 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}

func TestBackupRefuses(t *testing.T) {
	db, file := backedUp(t)
	wantCode(t, Backup(ctx, db.Dir(), file), usererr.Conflict, "exists already")
	wantCode(t, Backup(ctx, t.TempDir(), file+"2"), usererr.Conflict, "There is no taper.db")
	wantCode(t, Backup(ctx, db.Dir(), filepath.Join(file, "x")), usererr.Conflict, "cannot be written")
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := Backup(ended, db.Dir(), file+"3"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
		t.Errorf("left over: %v", left)
	}
}

func TestBackupDuringChanges(t *testing.T) {
	db := open(t, t.TempDir())
	stop, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		var err error
		for i := 0; stop.Err() == nil && err == nil; i++ {
			err = churn(db, 0, i)
		}
		ended <- err
	}()
	for range 5 {
		file := filepath.Join(t.TempDir(), "b")
		noError(t, Backup(ctx, db.Dir(), file))
		noError(t, Restore(ctx, filepath.Join(t.TempDir(), "d"), file))
	}
	cancel()
	noError(t, <-ended)
}

func TestRestoreRefuses(t *testing.T) {
	db, file := backedUp(t)
	wantCode(t, Restore(ctx, db.Dir(), file), usererr.Conflict, "is not empty")
	wantCode(t, Restore(ctx, t.TempDir(), file+"x"), usererr.Conflict, "cannot be read")
	good, err := os.ReadFile(file)
	noError(t, err)
	for _, c := range []struct {
		name, words string
		data        []byte
	}{
		{"empty", "not a complete backup", nil},
		{"no tar", "not a complete backup", []byte("age,sex\n1,F\n")},
		{"cut short", "not a complete backup", good[:len(good)/2]},
		{"one bit", "not a complete backup", flip(good, bytes.Index(good, []byte("Raw file")))},
		{"page of the database", "not a complete backup", flip(good, bytes.Index(good, []byte("SQLite format 3"))+100)},
		{"newer schema", "newer Taper (schema 99; ", retar(t, good, func(m *manifest) { m.Schema = 99 })},
		{"other format", `the format ‘taper-backup/9’`, retar(t, good, func(m *manifest) { m.Format = "taper-backup/9" })},
		{"path outside", "not a complete backup", retar(t, good, func(m *manifest) { m.Files[1].Name = "raw/../../x.raw" })},
		{"missing file", "not a complete backup", retar(t, good, func(m *manifest) { m.Files = m.Files[:1] })},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad, into := filepath.Join(t.TempDir(), "bad"), filepath.Join(t.TempDir(), "data")
			noError(t, os.WriteFile(bad, c.data, 0o600))
			wantCode(t, Restore(ctx, into, bad), usererr.Conflict, c.words)
			noError(t, Restore(ctx, into, file)) // the folder still counts as empty
		})
	}
}

// TestRestoreGoesOnAfterAKill restores into a folder as left by a kill before the last step.
func TestRestoreGoesOnAfterAKill(t *testing.T) {
	db, file := backedUp(t)
	list, _, err := db.Datasets(ctx, 0, 0)
	noError(t, err)
	into := t.TempDir()
	noError(t, os.MkdirAll(filepath.Join(into, stageDir, rawDir), 0o700))
	noError(t, os.MkdirAll(filepath.Join(into, rawDir), 0o700))
	noError(t, os.WriteFile(filepath.Join(into, rawDir, list[0].ID+rawExt), []byte("half"), 0o600))
	noError(t, Restore(ctx, into, file))
	if left, err := os.Stat(filepath.Join(into, stageDir)); err == nil {
		t.Errorf("%s is left", left.Name())
	}
	restored, err := Open(ctx, into, time.Now)
	noError(t, err)
	noError(t, restored.Close())
}

func flip(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 1
	return b
}

// retar rewrites a backup with an edited manifest and the file names in it.
func retar(t *testing.T, b []byte, edit func(*manifest)) []byte {
	t.Helper()
	var out bytes.Buffer
	tr, tw := tar.NewReader(bytes.NewReader(b)), tar.NewWriter(&out)
	m, err := readManifest(tr)
	noError(t, err)
	edit(&m)
	text, err := json.Marshal(m)
	noError(t, err)
	noError(t, tw.WriteHeader(tarHeader(manifestName, int64(len(text)))))
	_, err = tw.Write(text)
	noError(t, err)
	for _, f := range m.Files {
		h, err := tr.Next()
		noError(t, err)
		h.Name = f.Name
		noError(t, tw.WriteHeader(h))
		_, err = io.Copy(tw, tr)
		noError(t, err)
	}
	noError(t, tw.Close())
	return out.Bytes()
}

// TestKilledBackup: a backup has no name until it is complete, its snapshot is locked, and a
// snapshot without a lock is wiped by the next backup, the next start, or a running server.
func TestKilledBackup(t *testing.T) {
	dir := t.TempDir()
	f, err := nameless(dir)
	noError(t, err)
	_, err = f.WriteString("half")
	noError(t, err)
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("an unfinished backup is there as %v, %v", left, err)
	}
	name := filepath.Join(dir, "a.tar")
	noError(t, giveName(f, name))
	if at, err := os.Stat(name); err != nil || at.Mode() != 0o600 || at.Size() != 4 {
		t.Errorf("the whole one is %v, %v", at, err)
	}
	noError(t, f.Close())
	second, err := nameless(dir)
	noError(t, err)
	wantCode(t, giveName(second, name), usererr.Conflict, "exists already")
	dropNameless(second)

	data := filepath.Join(dir, "data")
	db := open(t, data)
	atWork, err := snapshotFile(data)
	noError(t, err)
	killed, err := snapshotFile(data)
	noError(t, err)
	noError(t, killed.Close()) // as the kernel does after a kill
	_, err = sweepSnapshots(data)
	noError(t, err)
	if exists(killed.Name()) || !exists(atWork.Name()) {
		t.Errorf("of the killed one %v is left, of the other %v", exists(killed.Name()), exists(atWork.Name()))
	}
	noError(t, db.Close())
	noError(t, os.WriteFile(killed.Name(), []byte("canary"), 0o600))
	db = open(t, data)
	if said := strings.Join(*told(db), " "); exists(killed.Name()) || !exists(atWork.Name()) ||
		!strings.Contains(said, "1 unfinished file of a killed upload or backup") {
		t.Errorf("after a start: %v, %v, told %q", exists(killed.Name()), exists(atWork.Name()), said)
	}
	noError(t, os.WriteFile(killed.Name(), []byte("canary"), 0o600))
	noError(t, Backup(ctx, data, filepath.Join(dir, "b.tar")))
	if exists(killed.Name()) || !exists(atWork.Name()) {
		t.Error("the next backup left the killed one, or took the other")
	}
	noError(t, atWork.Close())
}
