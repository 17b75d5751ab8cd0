package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"taper/internal/engine"
	"taper/internal/engine/audit"
	"taper/internal/engine/external"
	"taper/internal/engine/job"
	"taper/internal/engine/study"
	"taper/internal/engine/table"
	"taper/internal/golden"
)

// full is a folder with a row in every table, and their ids.
type full struct {
	dir                                                      string
	raw, kept, run, open, cut, child, evaluation, std, ended string
	labels                                                   Labels
}

func fullFolder(t *testing.T) *full {
	t.Helper()
	f := &full{}
	f.dir = t.TempDir()
	db, err := Open(ctx, f.dir, clock())
	noError(t, err)
	d, other := upload(t, db, "raw", "age,dx\n1,sick\n"), upload(t, db, "kept", "y")
	noError(t, db.KeepColumns(ctx, other, smallTable("x")))
	r := finishedRun(t, db, d.ID, "first", result("m", 30))
	child := Run{ID: db.NewID("r"), Dataset: d.ID, Name: "child", Spec: r.Spec}
	noError(t, db.AddDerived(ctx, child, Origin{Parent: r.ID, Slope: 1}, result("m", 30)))
	f.labels = LabelsOf(r)
	f.raw, f.kept, f.run, f.child = d.ID, other.ID, r.ID, child.ID
	noError(t, db.KeepAudit(ctx, r.ID, "v", &audit.LabelAudit{Ranking: []audit.Row{{Row: 1}}}, []audit.Key{{1}}))
	noError(t, db.KeepTrial(ctx, r.ID, &audit.Trial{}))
	noError(t, db.BeginJob(ctx, Job{ID: "trial", Kind: TrialJob, Run: r.ID, Spec: []byte(`{}`)}))
	noError(t, db.KeepUnits(ctx, "trial", []Unit{{ID: "u", Answer: []byte{1}}}, 0))
	noError(t, db.Decide(ctx, f.labels, r.ID, audit.Decision{Kind: audit.Flip, To: "well", Key: audit.Key{1}}))
	noError(t, db.BeginBootstrap(ctx, child.ID, 20))
	noError(t, db.FinishBootstrap(ctx, child.ID, &engine.Bootstrap{Replicates: 20}))
	f.evaluation, err = db.SaveEvaluation(ctx, Evaluation{Run: r.ID, Name: "later", File: "b.csv", Result: &external.Evaluation{}})
	noError(t, err)
	f.std = db.NewID("s")
	noError(t, db.CreateStudy(ctx, Study{ID: f.std, Dataset: d.ID, Name: "s", Reading: &table.Options{}, Spec: study.Spec{}}))
	noError(t, db.SetStudy(ctx, f.std, Running, ""))
	noError(t, db.KeepUnits(ctx, f.std, []Unit{{ID: "u", Answer: job.EncodeNumbers([]float64{1, 2})}}, time.Second))
	f.ended = db.NewID("s")
	noError(t, db.CreateStudy(ctx, Study{ID: f.ended, Name: "ended", Spec: study.Spec{}}))
	noError(t, db.SetStudy(ctx, f.ended, Running, ""))
	noError(t, db.FinishStudy(ctx, f.ended, []study.Cell{{}}))
	noError(t, db.Mark(ctx, "sample:a"))
	noError(t, db.Close())
	return f
}

// reopened opens a copy of the folder and begins a run and a bootstrap in it.
func (f *full) reopened(t *testing.T) *DB {
	t.Helper()
	dir := t.TempDir()
	noError(t, os.Chmod(dir, 0o700))
	copyFolder(t, f.dir, dir)
	db, err := Open(ctx, dir, clock())
	noError(t, err)
	t.Cleanup(func() { db.Close() })
	f.open = newRun(t, db, f.raw, "open").ID
	noError(t, db.StartRun(ctx, f.open))
	f.cut = newRun(t, db, f.raw, "cut").ID
	noError(t, db.EndRun(ctx, f.cut, Interrupted, "why"))
	noError(t, db.BeginBootstrap(ctx, f.run, 20))
	noError(t, db.SetStudy(ctx, f.std, Queued, ""))
	noError(t, db.SetStudy(ctx, f.std, Running, ""))
	return db
}

// writes are the methods that change the database.
func (f *full) writes(t *testing.T) map[string]func(ctx context.Context, db *DB) error {
	return map[string]func(ctx context.Context, db *DB) error{
		"KeepAudit": func(ctx context.Context, db *DB) error {
			return db.KeepAudit(ctx, f.child, "v", &audit.LabelAudit{Ranking: []audit.Row{{Row: 1}}}, []audit.Key{{1}})
		},
		"KeepTrial": func(ctx context.Context, db *DB) error { return db.KeepTrial(ctx, f.run, &audit.Trial{}) },
		"Decide": func(ctx context.Context, db *DB) error {
			return db.Decide(ctx, f.labels, f.run, audit.Decision{Kind: audit.Flip, To: "well", Key: audit.Key{2}})
		},
		"Undo":            func(ctx context.Context, db *DB) error { _, err := db.Undo(ctx, f.labels); return err },
		"BeginBootstrap":  func(ctx context.Context, db *DB) error { return db.BeginBootstrap(ctx, f.child, 20) },
		"FinishBootstrap": func(ctx context.Context, db *DB) error { return db.FinishBootstrap(ctx, f.run, &engine.Bootstrap{}) },
		"EndBootstrap":    func(ctx context.Context, db *DB) error { return db.EndBootstrap(ctx, f.run, Failed, "why") },
		"KeepColumns":     func(ctx context.Context, db *DB) error { return keepColumns(ctx, db, f.raw, "y") },
		"CreateDataset": func(ctx context.Context, db *DB) error {
			u, err := db.NewUpload(0)
			noError(t, err)
			defer u.Abort()
			return db.CreateDataset(ctx, Dataset{ID: db.NewID("d"), Name: "n", File: "n.csv", State: Raw}, u)
		},
		"UpdateDataset": func(ctx context.Context, db *DB) error {
			d, err := db.Dataset(ctx, f.raw)
			if err != nil {
				return err
			}
			return db.UpdateDataset(ctx, d)
		},
		"DeleteDataset": func(ctx context.Context, db *DB) error { return db.DeleteDataset(ctx, f.kept) },
		"SaveEvaluation": func(ctx context.Context, db *DB) error {
			_, err := db.SaveEvaluation(ctx, Evaluation{Run: f.run, Name: "n", File: "f", Result: &external.Evaluation{}})
			return err
		},
		"RenameEvaluation": func(ctx context.Context, db *DB) error { return db.RenameEvaluation(ctx, f.evaluation, "other") },
		"DeleteEvaluation": func(ctx context.Context, db *DB) error { return db.DeleteEvaluation(ctx, f.evaluation) },
		"KeepModels": func(ctx context.Context, db *DB) error {
			return db.KeepModels(ctx, f.raw, []KeptRun{bareRun(f.run, ""), bareRun(f.child, "")})
		},
		"AddKept": func(ctx context.Context, db *DB) error {
			return db.AddKept(ctx, Run{}, bareRun(db.NewID("r"), ""), Origin{Parent: f.run, Slope: 1})
		},
		"Mark":      func(ctx context.Context, db *DB) error { return db.Mark(ctx, "sample:b") },
		"Interrupt": func(ctx context.Context, db *DB) error { return db.Interrupt(ctx) },
		"AddDerived": func(ctx context.Context, db *DB) error {
			child := Run{ID: db.NewID("r"), Dataset: f.raw, Name: "derived"}
			return db.AddDerived(ctx, child, Origin{Parent: f.run, Slope: 1}, result("m", 3))
		},
		"CreateRun": func(ctx context.Context, db *DB) error {
			r, err := db.Run(ctx, f.run)
			if err != nil {
				return err
			}
			return db.CreateRun(ctx, Run{ID: db.NewID("r"), Dataset: f.raw, Name: "n", Spec: r.Spec})
		},
		"FinishRun": func(ctx context.Context, db *DB) error { return db.FinishRun(ctx, f.open, result("m", 3)) },
		"EndRun":    func(ctx context.Context, db *DB) error { return db.EndRun(ctx, f.open, Failed, "why") },
		"DescribeRun": func(ctx context.Context, db *DB) error {
			return db.DescribeRun(ctx, f.run, About{new("other"), new("notes")})
		},
		"DeleteRun":  func(ctx context.Context, db *DB) error { return db.DeleteRun(ctx, f.child) },
		"DeleteRuns": func(ctx context.Context, db *DB) error { return db.DeleteRuns(ctx, []string{f.child, f.run}) },
		"CreateStudy": func(ctx context.Context, db *DB) error {
			return db.CreateStudy(ctx, Study{ID: db.NewID("s"), Name: "s"})
		},
		"SetStudy": func(ctx context.Context, db *DB) error { return db.SetStudy(ctx, f.std, Failed, "why") },
		"KeepUnits": func(ctx context.Context, db *DB) error {
			return db.KeepUnits(ctx, f.std, []Unit{{ID: "v", Answer: job.EncodeNumbers([]float64{3})}}, time.Second)
		},
		"BeginJob": func(ctx context.Context, db *DB) error {
			return db.BeginJob(ctx, Job{ID: "audit", Kind: AuditJob, Run: f.run, Spec: []byte(`{}`)})
		},
		"OpenJob": func(ctx context.Context, db *DB) error { return db.OpenJob(ctx, "trial", "other", "") },
		"EndJob":  func(ctx context.Context, db *DB) error { return db.EndJob(ctx, f.run, TrialJob, Cancelled) },
		"RequeueJob": func(ctx context.Context, db *DB) error {
			return db.RequeueJob(ctx, Job{ID: f.cut, Kind: RunJob, Run: f.cut})
		},
		"DropUnits":   func(ctx context.Context, db *DB) error { return db.DropUnits(ctx, f.std, []string{"u"}) },
		"FinishStudy": func(ctx context.Context, db *DB) error { return db.FinishStudy(ctx, f.std, []study.Cell{{}}) },
		"ChangeCells": func(ctx context.Context, db *DB) error {
			return db.ChangeCells(ctx, f.ended, func(c []study.Cell) []study.Cell { return append(c, study.Cell{}) })
		},
		"DeleteStudy": func(ctx context.Context, db *DB) error { return db.DeleteStudy(ctx, f.std) },
	}
}

// reads are the methods that only read.
func (f *full) reads() map[string]func(ctx context.Context, db *DB) error {
	return map[string]func(ctx context.Context, db *DB) error{
		"Audit":     func(ctx context.Context, db *DB) error { _, err := db.Audit(ctx, f.run); return err },
		"AuditMade": func(ctx context.Context, db *DB) error { _, err := db.AuditMade(ctx, f.run); return err },
		"AuditMemory": func(ctx context.Context, db *DB) error {
			_, _, err := db.AuditMemory(ctx, f.run)
			return err
		},
		"Trials":     func(ctx context.Context, db *DB) error { _, err := db.Trials(ctx, f.run); return err },
		"Decisions":  func(ctx context.Context, db *DB) error { _, err := db.Decisions(ctx, f.labels); return err },
		"Children":   func(ctx context.Context, db *DB) error { _, err := db.Children(ctx, f.run); return err },
		"Bootstrap":  func(ctx context.Context, db *DB) error { _, err := db.RunBootstrap(ctx, f.child); return err },
		"Columns":    func(ctx context.Context, db *DB) error { _, err := db.Columns(ctx, f.kept); return err },
		"Dataset":    func(ctx context.Context, db *DB) error { _, err := db.Dataset(ctx, f.raw); return err },
		"Datasets":   func(ctx context.Context, db *DB) error { _, _, err := db.Datasets(ctx, 10, 0); return err },
		"RawFile":    func(ctx context.Context, db *DB) error { _, err := db.RawFile(ctx, f.raw); return err },
		"Evaluation": func(ctx context.Context, db *DB) error { _, err := db.Evaluation(ctx, f.evaluation); return err },
		"Evaluations": func(ctx context.Context, db *DB) error {
			_, err := db.Evaluations(ctx, f.run)
			return err
		},
		"Keepable":     func(ctx context.Context, db *DB) error { _, err := db.Keepable(ctx, f.raw); return err },
		"FinishedRuns": func(ctx context.Context, db *DB) error { _, err := db.FinishedRuns(ctx, f.raw); return err },
		"HasMark":      func(ctx context.Context, db *DB) error { _, err := db.HasMark(ctx, "sample:a"); return err },
		"Samples":      func(ctx context.Context, db *DB) error { _, err := db.Samples(ctx); return err },
		"RunOrigin":    func(ctx context.Context, db *DB) error { _, err := db.RunOrigin(ctx, f.child); return err },
		"RunFacets":    func(ctx context.Context, db *DB) error { _, err := db.RunFacets(ctx); return err },
		"Peers": func(ctx context.Context, db *DB) error {
			runs, _, err := db.Runs(ctx, RunFilter{})
			if err == nil {
				_, err = db.Peers(ctx, runs)
			}
			return err
		},
		"Runs":       func(ctx context.Context, db *DB) error { _, _, err := db.Runs(ctx, RunFilter{}); return err },
		"Run":        func(ctx context.Context, db *DB) error { _, err := db.Run(ctx, f.run); return err },
		"RunModel":   func(ctx context.Context, db *DB) error { _, err := db.RunModel(ctx, f.run); return err },
		"RunRows":    func(ctx context.Context, db *DB) error { _, err := db.RunRows(ctx, f.run); return err },
		"RunLine":    func(ctx context.Context, db *DB) error { _, err := db.RunLine(ctx, f.run); return err },
		"Study":      func(ctx context.Context, db *DB) error { _, err := db.Study(ctx, f.std); return err },
		"Studies":    func(ctx context.Context, db *DB) error { _, _, err := db.Studies(ctx, StudyFilter{}); return err },
		"StudyUnits": func(ctx context.Context, db *DB) error { _, err := db.StudyUnits(ctx, f.std); return err },
		"StudyCells": func(ctx context.Context, db *DB) error { _, err := db.StudyCells(ctx, f.ended); return err },
		"Job":        func(ctx context.Context, db *DB) error { _, err := db.Job(ctx, "trial"); return err },
		"OpenJobs":   func(ctx context.Context, db *DB) error { _, err := db.OpenJobs(ctx); return err },
	}
}

// tablesOf lists the tables of the schema, without SQLite's own.
func tablesOf(t *testing.T, db *DB) []string {
	t.Helper()
	return texts(t, db, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name`)
}

func texts(t *testing.T, db *DB, query string, args ...any) (all []string) {
	t.Helper()
	rows, err := db.w.QueryContext(ctx, query, args...)
	noError(t, err)
	defer rows.Close()
	for rows.Next() {
		var s string
		noError(t, rows.Scan(&s))
		all = append(all, s)
	}
	noError(t, rows.Err())
	return all
}

func execute(t *testing.T, db *DB, statement string) {
	t.Helper()
	_, err := db.w.ExecContext(ctx, statement)
	noError(t, err)
}

// TestEveryStatementThatFails makes each statement of a write fail: the error is returned, and
// the write succeeds afterwards.
func TestEveryStatementThatFails(t *testing.T) {
	f := fullFolder(t)
	writes := f.writes(t)
	for _, name := range slices.Sorted(maps.Keys(writes)) {
		write := writes[name]
		db := f.reopened(t)
		execute(t, db, `CREATE TABLE touched (what TEXT UNIQUE ON CONFLICT IGNORE)`)
		var pairs []string
		for _, table := range tablesOf(t, db) {
			for _, statement := range []string{"INSERT", "UPDATE", "DELETE"} {
				if table != "touched" {
					execute(t, db, fmt.Sprintf(`CREATE TRIGGER "%s %s" BEFORE %[1]s ON %[2]s BEGIN INSERT INTO touched VALUES ('%[1]s %[2]s'); END`,
						statement, table))
				}
			}
		}
		if err := write(ctx, db); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if pairs = texts(t, db, `SELECT what FROM touched ORDER BY what`); len(pairs) == 0 {
			t.Errorf("%s writes nothing", name)
		}
		db = f.reopened(t)
		for _, pair := range pairs {
			statement, table, _ := strings.Cut(pair, " ")
			if pair == "DELETE scrub_pending" || pair == "DELETE wipes" {
				continue // after the commit: the next start completes it
			}
			if name == "Interrupt" { // one transaction per kind of work
				db = f.reopened(t)
			}
			refusing(t, db, statement, table, func() {
				if err := write(ctx, db); err == nil || !strings.Contains(err.Error(), "refused here") {
					t.Errorf("%s: %s was refused: %v", name, pair, err)
				}
			})
		}
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if err := write(ended, db); !errors.Is(err, context.Canceled) {
			t.Errorf("%s in a context that ended: %v", name, err)
		}
		if err := write(ctx, db); err != nil {
			t.Errorf("%s after refusals: %v", name, err)
		}
		if err := write(ctx, closed(t, f)); err == nil {
			t.Errorf("%s of a closed database is no error", name)
		}
	}
}

func closed(t *testing.T, f *full) *DB {
	t.Helper()
	db := f.reopened(t)
	noError(t, db.Close())
	return db
}

// TestEveryColumnThatIsBroken puts invalid bytes into one column after the other. The reads
// that fail must be the expected ones.
func TestEveryColumnThatIsBroken(t *testing.T) {
	f := fullFolder(t)
	reads := f.reads()
	names := slices.Sorted(maps.Keys(reads))
	whole := f.reopened(t)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for _, name := range names {
		if err := reads[name](ctx, whole); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := reads[name](ended, whole); !errors.Is(err, context.Canceled) && name != "RawFile" {
			t.Errorf("%s in a context that ended: %v", name, err)
		}
	}
	found := map[string][]string{}
	db := f.reopened(t)
	execute(t, db, `PRAGMA foreign_keys = OFF`)
	for _, table := range tablesOf(t, db) {
		for _, column := range texts(t, db, `SELECT name FROM pragma_table_info(?)`, table) {
			keyed := texts(t, db, `SELECT name FROM pragma_table_info(?) WHERE pk > 0`, table)
			if slices.Contains(keyed, column) {
				continue
			}
			execute(t, db, `DROP TABLE IF EXISTS saved`)
			execute(t, db, fmt.Sprintf(`CREATE TABLE saved AS SELECT * FROM %s`, table))
			for _, broken := range []string{`CAST('{"' AS BLOB)`, `'[7]'`, `'{"a":{"name":7}}'`} {
				if _, err := db.w.ExecContext(ctx, fmt.Sprintf(`UPDATE %s SET %s = %s`, table, column, broken)); err != nil {
					continue // the schema prevents it
				}
				for _, name := range names {
					if err := reads[name](ctx, db); err != nil {
						key := table + "." + column + " = " + broken
						found[key] = append(found[key], name)
					}
				}
			}
			execute(t, db, fmt.Sprintf(`UPDATE %s SET %s = (SELECT %[2]s FROM saved WHERE %[3]s)`, table, column, same(table, keyed)))
		}
	}
	for _, name := range names {
		if err := reads[name](ctx, db); err != nil {
			t.Errorf("%s, all repaired: %v", name, err)
		}
	}
	golden.Equal(t, "broken-columns", found)
}

// same is the condition that identifies a saved row in the table.
func same(table string, key []string) string {
	if len(key) == 0 {
		return "saved.rowid = " + table + ".rowid"
	}
	var all []string
	for _, k := range key {
		all = append(all, fmt.Sprintf("saved.%s = %s.%[1]s", k, table))
	}
	return strings.Join(all, " AND ")
}
