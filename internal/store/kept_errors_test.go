package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"taper/internal/engine/audit"
	"taper/internal/engine/study"
	"taper/internal/engine/usererr"
)

// refusing makes one kind of statement on one table fail while do runs, as with a damaged page.
func refusing(t *testing.T, db *DB, statement, table string, do func()) {
	t.Helper()
	_, err := db.w.ExecContext(ctx, `CREATE TRIGGER refuse BEFORE `+statement+` ON `+table+
		` BEGIN SELECT RAISE(ABORT, 'refused here'); END`)
	noError(t, err)
	do()
	_, err = db.w.ExecContext(ctx, `DROP TRIGGER refuse`)
	noError(t, err)
}

// TestKeepModelsErrors: whichever statement fails, its error is returned and every row still
// exists.
func TestKeepModelsErrors(t *testing.T) {
	db := open(t, t.TempDir())
	d := upload(t, db, "x", "a\n1\n")
	noError(t, db.KeepColumns(ctx, d, smallTable("x")))
	r := finishedRun(t, db, d.ID, "r", result("m", 30))
	finishedRun(t, db, d.ID, "goes", result("m", 30))
	noError(t, db.KeepAudit(ctx, r.ID, "v", &audit.LabelAudit{Ranking: []audit.Row{{Row: 1}}}, []audit.Key{{1}}))
	noError(t, db.KeepTrial(ctx, r.ID, &audit.Trial{}))
	noError(t, db.Decide(ctx, LabelsOf(r), r.ID, audit.Decision{Kind: audit.Flip, To: "well", Key: audit.Key{1}}))
	noError(t, db.BeginBootstrap(ctx, r.ID, 20))
	noError(t, db.CreateStudy(ctx, Study{ID: db.NewID("s"), Dataset: d.ID, Name: "s", Spec: study.Spec{}}))
	keep := func() error { return db.KeepModels(ctx, d.ID, []KeptRun{bareRun(r.ID, "")}) }
	for _, c := range []struct{ statement, table string }{
		{"UPDATE", "datasets"}, {"UPDATE", "runs"}, {"UPDATE", "run_specs"}, {"UPDATE", "run_results"}, {"INSERT", "run_kept"},
		{"DELETE", "run_bootstraps"}, {"DELETE", "audits"}, {"DELETE", "audit_trials"}, {"DELETE", "runs"},
		{"DELETE", "studies"}, {"DELETE", "dataset_columns"}, {"DELETE", "audit_decisions"}, {"INSERT", "wipes"},
		{"INSERT", "scrub_pending"},
	} {
		refusing(t, db, c.statement, c.table, func() {
			if err := keep(); err == nil || !strings.Contains(err.Error(), "refused here") {
				t.Errorf("%s of %s was refused: %v", c.statement, c.table, err)
			}
		})
		rows, err := db.RunRows(ctx, r.ID)
		if left, lost := db.Dataset(ctx, d.ID); err != nil || lost != nil || len(rows) != 30 || left.Name != "x" {
			t.Fatalf("after %s of %s: %d rows of %q, %v, %v", c.statement, c.table, len(rows), left.Name, err, lost)
		}
	}
	noError(t, keep())

	origin := Origin{Parent: r.ID, Slope: 1}
	for _, c := range []struct{ statement, table string }{
		{"INSERT", "runs"}, {"UPDATE", "runs"}, {"INSERT", "run_specs"}, {"INSERT", "run_results"}, {"INSERT", "run_kept"},
		{"INSERT", "run_parents"},
	} {
		child := db.NewID("r")
		refusing(t, db, c.statement, c.table, func() {
			if err := db.AddKept(ctx, Run{}, bareRun(child, ""), origin); err == nil || !strings.Contains(err.Error(), "refused here") {
				t.Errorf("child: %s of %s was refused: %v", c.statement, c.table, err)
			}
		})
		_, err := db.RunLine(ctx, child)
		wantCode(t, err, usererr.NotFound, "no run")
	}
	wantCode(t, db.AddKept(ctx, Run{}, bareRun(db.NewID("r"), ""), Origin{Parent: "r-none"}), usererr.NotFound, "no run")
	full := bareRun(db.NewID("r"), "")
	full.Result = result("", 3)
	if err := db.AddKept(ctx, Run{}, full, origin); err == nil || !strings.Contains(err.Error(), "without rows") {
		t.Errorf("a child with rows: %v", err)
	}
	_, err := db.KeptReport(ctx, "r-none")
	wantCode(t, err, usererr.NotFound, "no run")
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for name, read := range map[string]func() error{
		"counting models":   func() error { _, err := db.Keepable(ended, d.ID); return err },
		"reading a report":  func() error { _, err := db.KeptReport(ended, r.ID); return err },
		"listing runs":      func() error { _, err := db.FinishedRuns(ended, d.ID); return err },
		"keeping models":    func() error { return db.KeepModels(ended, d.ID, []KeptRun{bareRun(r.ID, "")}) },
		"adding what moved": func() error { return db.AddKept(ended, Run{}, bareRun(db.NewID("r"), ""), origin) },
	} {
		if err := read(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", name, err)
		}
	}
}

// TestRestoreErrors: a restore that cannot finish returns an error, and the folder still counts
// as empty.
func TestRestoreErrors(t *testing.T) {
	db, file := backedUp(t)
	good, err := os.ReadFile(file)
	noError(t, err)
	list, _, err := db.Datasets(ctx, 0, 0)
	noError(t, err)
	raw := list[len(list)-1].ID
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := Restore(ended, filepath.Join(t.TempDir(), "data"), file); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	wantCode(t, Restore(ctx, file, file), usererr.Conflict, "cannot be read")
	for _, c := range []struct {
		name, words string
		data        []byte
	}{
		{"schema 0", "not a complete backup", retar(t, good, func(m *manifest) { m.Schema = 0 })},
		{"another schema than the database's", "not a complete backup", retar(t, good, func(m *manifest) { m.Schema-- })},
		{"no extension", "not a complete backup", retar(t, good, func(m *manifest) { m.Files[1].Name = "raw/" + raw })},
		{"another folder", "not a complete backup", retar(t, good, func(m *manifest) { m.Files[1].Name = raw + rawExt })},
		{"the database under another name", "not a complete backup", retar(t, good, func(m *manifest) { m.Files[0].Name = "raw/x.raw" })},
		{"another size", "not a complete backup", retar(t, good, func(m *manifest) { m.Files[1].Bytes++ })},
		{"another checksum", "not a complete backup", retar(t, good, func(m *manifest) { m.Files[1].SHA256 = m.Files[0].SHA256 })},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad, into := filepath.Join(t.TempDir(), "bad"), filepath.Join(t.TempDir(), "data")
			noError(t, os.WriteFile(bad, c.data, 0o600))
			wantCode(t, Restore(ctx, into, bad), usererr.Conflict, c.words)
			noError(t, Restore(ctx, into, file))
		})
	}
	t.Run("the folder is in use", func(t *testing.T) {
		into := t.TempDir()
		lock, err := lockFolder(into)
		noError(t, err)
		if err := Restore(ctx, into, file); err == nil {
			t.Error("restored under a program's feet")
		}
		noError(t, lock.Close())
		noError(t, Restore(ctx, into, file))
	})
	t.Run("a folder stands where the file goes", func(t *testing.T) {
		into := t.TempDir()
		where := filepath.Join(into, rawDir, raw+rawExt)
		noError(t, os.MkdirAll(filepath.Join(where, "x"), 0o700))
		if err := Restore(ctx, into, file); err == nil {
			t.Error("the upload has no place and the restore says nothing")
		}
		noError(t, os.RemoveAll(where))
		noError(t, Restore(ctx, into, file))
	})
}
