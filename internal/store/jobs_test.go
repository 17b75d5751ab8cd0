package store

import (
	"database/sql"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"taper/internal/engine"
	"taper/internal/engine/audit"
	"taper/internal/engine/job"
	"taper/internal/engine/usererr"
	"taper/migrations"
)

// keptUnit begins a job and keeps a unit of it.
func keptUnit(t *testing.T, db *DB, j Job, answer string) {
	t.Helper()
	j.Spec = []byte(`{"mark":"` + answer + `"}`)
	noError(t, db.BeginJob(ctx, j))
	noError(t, db.OpenJob(ctx, j.ID, "question", ""))
	noError(t, db.KeepUnits(ctx, j.ID, []Unit{{ID: "1 of 5", Answer: []byte(answer), Maker: job.Maker{Class: "c"}}}, 0))
}

// unitsOf are the names and answers of the kept units of a stage.
func unitsOf(t *testing.T, db *DB, id string, stage int) map[string]string {
	t.Helper()
	all := map[string]string{}
	noError(t, db.Units(ctx, id, stage, func(unit string, answer []byte) error {
		all[unit] = string(answer)
		return nil
	}))
	return all
}

func openJobs(t *testing.T, db *DB) (ids []string) {
	t.Helper()
	all, err := db.OpenJobs(ctx)
	noError(t, err)
	for _, j := range all {
		ids = append(ids, j.ID)
	}
	return ids
}

// TestJobIsTakenUp: after a crash a job of each kind is there as it was asked for, with its units, and can be queued
// again; it goes with its units when it ends.
func TestJobIsTakenUp(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	d := upload(t, db, "a.csv", "a,b\n1,2\n")
	r, run := finishedRun(t, db, d.ID, "one", result("x", 3)), newRun(t, db, d.ID, "two")
	noError(t, db.BeginBootstrap(ctx, r.ID, 200))
	jobs := []Job{
		{ID: run.ID, Kind: RunJob, Run: run.ID, Bytes: 1 << 40, Class: "c"},
		{ID: "b", Kind: BootstrapJob, Run: r.ID}, {ID: "a", Kind: AuditJob, Run: r.ID}, {ID: "t", Kind: TrialJob, Run: r.ID},
	}
	for i, j := range jobs {
		keptUnit(t, db, j, j.Kind)
		noError(t, db.KeepUnits(ctx, j.ID, []Unit{{Stage: 1, ID: "1 of 2"}, {Stage: 1, ID: "2 of 2", Answer: []byte("\x00")}}, 0))
		jobs[i].Spec = []byte(`{"mark":"` + j.Kind + `"}`)
	}
	noError(t, db.StartRun(ctx, run.ID))
	noError(t, db.Close())

	db = open(t, dir)
	all, err := db.OpenJobs(ctx)
	noError(t, err)
	if diff := cmp.Diff(jobs, all); diff != "" {
		t.Error(diff)
	}
	b, err := db.RunBootstrap(ctx, r.ID)
	noError(t, err)
	if two, err := db.Run(ctx, run.ID); err != nil || two.Status != Interrupted || !strings.Contains(two.Error, "goes on") ||
		b.Status != Interrupted || !strings.Contains(b.Error, "goes on") {
		t.Errorf("%+v, %+v, %v", two, b, err)
	}
	for _, j := range all {
		noError(t, db.RequeueJob(ctx, j))
		noError(t, db.OpenJob(ctx, j.ID, "question", j.Class))
		if got := unitsOf(t, db, j.ID, 0); !cmp.Equal(got, map[string]string{"1 of 5": j.Kind}) {
			t.Errorf("%s has %v", j.Kind, got)
		}
		want := map[string]string{"1 of 2": "", "2 of 2": "\x00"}
		if j.Class != "" { // these were computed by a class that is not known
			want = map[string]string{}
		}
		if got := unitsOf(t, db, j.ID, 1); !cmp.Equal(got, want) {
			t.Errorf("%s has %v in the second stage", j.Kind, got)
		}
	}
	wantCode(t, db.RequeueJob(ctx, jobs[0]), usererr.Conflict, "not interrupted")
	noError(t, db.StartRun(ctx, run.ID))
	noError(t, db.FinishRun(ctx, run.ID, result("y", 3)))
	noError(t, db.FinishBootstrap(ctx, r.ID, &engine.Bootstrap{}))
	noError(t, db.KeepAudit(ctx, r.ID, "v", &audit.LabelAudit{}, nil))
	if got := openJobs(t, db); !slices.Equal(got, []string{"t"}) {
		t.Errorf("%v are open", got)
	}
	noError(t, db.KeepTrial(ctx, r.ID, &audit.Trial{}))
	for _, j := range jobs {
		if got := unitsOf(t, db, j.ID, 0); len(got) > 0 {
			t.Errorf("%s left %v", j.Kind, got)
		}
	}
	_, err = db.Job(ctx, "t")
	wantCode(t, err, usererr.NotFound, "‘t’")
}

// TestUnitsOfAnotherQuestion: units are not taken up by a job with another spec, data or engine, nor by one that is held
// to another class of processors.
func TestUnitsOfAnotherQuestion(t *testing.T) {
	for _, c := range []struct {
		digest, class string
		units         int
	}{{"question", "", 1}, {"question", "c", 1}, {"question", "d", 0}, {"other", "", 0}, {"other", "c", 0}} {
		db := open(t, t.TempDir())
		r := newRun(t, db, upload(t, db, "a.csv", "a,b\n1,2\n").ID, "one")
		keptUnit(t, db, Job{ID: r.ID, Kind: RunJob, Run: r.ID}, "x")
		noError(t, db.BeginJob(ctx, Job{ID: r.ID, Kind: RunJob, Run: r.ID, Spec: []byte(`{}`)}))
		noError(t, db.OpenJob(ctx, r.ID, c.digest, c.class))
		if got := unitsOf(t, db, r.ID, 0); len(got) != c.units {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestJobEnds: which ends of a job let it go on with its units.
func TestJobEnds(t *testing.T) {
	left := func(id string) job.Sharing { return job.Sharing{Job: id, Failed: []job.FailedUnit{{Unit: "u"}}} }
	for _, c := range []struct {
		kind, status string
		leftOut      bool
		open, units  int
	}{
		{AuditJob, Cancelled, false, 0, 0}, {AuditJob, Failed, false, 0, 0}, {AuditJob, Interrupted, false, 1, 1},
		{AuditJob, Failed, true, 0, 1}, {BootstrapJob, Failed, true, 0, 1}, {RunJob, Failed, true, 0, 0},
	} {
		db := open(t, t.TempDir())
		r := newRun(t, db, upload(t, db, "a.csv", "a,b\n1,2\n").ID, "one")
		keptUnit(t, db, Job{ID: "j", Kind: c.kind, Run: r.ID}, "x")
		if c.leftOut {
			noError(t, db.KeepLeftOut(ctx, "", r.ID, left("j")))
		}
		noError(t, db.EndJob(ctx, r.ID, c.kind, c.status))
		if ids, units := openJobs(t, db), unitsOf(t, db, "j", 0); len(ids) != c.open || len(units) != c.units {
			t.Errorf("%+v: open %v, units %v", c, ids, units)
		}
		if c.units > 0 && c.open == 0 { // it is started again
			noError(t, db.BeginJob(ctx, Job{ID: "j", Kind: c.kind, Run: r.ID, Spec: []byte(`{}`)}))
			noError(t, db.OpenJob(ctx, "j", "question", ""))
			if ids, units := openJobs(t, db), unitsOf(t, db, "j", 0); len(ids) != 1 || len(units) != 1 {
				t.Errorf("%+v, again: open %v, units %v", c, ids, units)
			}
		}
	}
}

// TestAttempts counts how often a job began without getting further.
func TestAttempts(t *testing.T) {
	db := open(t, t.TempDir())
	r := newRun(t, db, upload(t, db, "a.csv", "a,b\n1,2\n").ID, "one")
	noError(t, db.BeginJob(ctx, Job{ID: "j", Kind: AuditJob, Run: r.ID, Spec: []byte(`{}`)}))
	for i, step := range []struct {
		do   func() error
		want int
	}{
		{func() error { return db.OpenJob(ctx, "j", "q", "") }, 1},
		{func() error { return db.OpenJob(ctx, "j", "q", "") }, 2},
		{func() error { return db.KeepUnits(ctx, "j", []Unit{{ID: "a"}}, 0) }, 0},
		{func() error { return db.OpenJob(ctx, "j", "q", "") }, 1},
		{func() error { return db.EndJob(ctx, r.ID, AuditJob, Interrupted) }, 0},
	} {
		noError(t, step.do())
		if j, err := db.Job(ctx, "j"); err != nil || j.Attempts != step.want {
			t.Errorf("step %d: %d attempts, want %d; %v", i, j.Attempts, step.want, err)
		}
	}
}

// TestUnitsGoWithTheirRows: units are derived from rows; when the run or its dataset is deleted, no file has them.
func TestUnitsGoWithTheirRows(t *testing.T) {
	const canary = "Canary14"
	for name, remove := range map[string]func(db *DB, run Run) error{
		"the run":     func(db *DB, r Run) error { return db.DeleteRun(ctx, r.ID) },
		"runs":        func(db *DB, r Run) error { return db.DeleteRuns(ctx, []string{r.ID}) },
		"the dataset": func(db *DB, r Run) error { return db.DeleteDataset(ctx, r.Dataset) },
	} {
		dir := t.TempDir()
		db := open(t, dir)
		r := finishedRun(t, db, upload(t, db, "a.csv", "a,b\n1,2\n").ID, "one", result("x", 3))
		for _, kind := range []string{RunJob, BootstrapJob, AuditJob, TrialJob} {
			keptUnit(t, db, Job{ID: kind, Kind: kind, Run: r.ID}, canary)
		}
		noError(t, db.EndJob(ctx, r.ID, TrialJob, Cancelled)) // what is deleted earlier goes then, too
		if holds(t, dir, canary) == nil {
			t.Fatal("the canary was never there")
		}
		noError(t, remove(db, r))
		if found := holds(t, dir, canary); found != nil {
			t.Errorf("after the end of %s: the canary is in %v", name, found)
		}
		noError(t, db.Close())
		if found := holds(t, dir, canary); found != nil {
			t.Errorf("after the end of %s and a close: the canary is in %v", name, found)
		}
	}
}

// TestStudyUnitsMigrate: the units of studies of an older database are there after the migration, with what computed
// them, and a study goes on with them.
func TestStudyUnitsMigrate(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir) // makes the folder
	noError(t, db.Close())
	file := filepath.Join(dir, dbName)
	for _, ending := range []string{"", "-wal", "-shm"} {
		noError(t, os.RemoveAll(file+ending))
	}
	old, err := sql.Open("sqlite", writerDSN(file))
	noError(t, err)
	steps, err := migrations.List()
	noError(t, err)
	for _, m := range steps[:13] {
		noError(t, apply(ctx, old, m))
	}
	values := []float64{1. / 3, math.NaN(), math.Inf(-1)}
	for _, q := range []string{
		`INSERT INTO studies (id, name, preset, size, status, error, version, created, elapsed, units, done, spec, class)
			VALUES ('s1', 'n', '', '', 'running', '', 'v', 5, 7, 3, 2, '{}', 'c'), ('s2', 'n', '', '', 'paused', '', 'v', 6, 7, 3, 0,
			'{}', '')`,
		`INSERT INTO study_units (study, unit, number) VALUES ('s1', 'a #0', ?1)`,
		`INSERT INTO study_units (study, unit, number, machine, class, engine) VALUES ('s1', 'b #0', ?1, 'm', 'c', 'v1')`,
	} {
		args := []any{floatBlob(values)}
		if !strings.Contains(q, "?1") {
			args = nil
		}
		_, err := old.Exec(q, args...)
		noError(t, err)
	}
	noError(t, old.Close())

	db = open(t, dir)
	units, err := db.StudyUnits(ctx, "s1")
	noError(t, err)
	if len(units) != 2 {
		t.Fatalf("%v", units)
	}
	for name, got := range units {
		if !slices.EqualFunc(got, values, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
			t.Errorf("%s has %v, want %v", name, got, values)
		}
	}
	if others, err := db.UnitsOfOthers(ctx, "s1", "v2", ""); err != nil || !slices.Equal(others, []string{"b #0"}) {
		t.Errorf("%q, %v", others, err)
	}
	noError(t, db.KeepUnits(ctx, "s1", []Unit{{ID: "c #0"}}, time.Second))
	noError(t, db.KeepUnits(ctx, "s2", []Unit{{ID: "c #0"}}, time.Second))
	for id, want := range map[string]int{"s1": 3, "s2": 1} {
		if s, err := db.Study(ctx, id); err != nil || s.Done != want || s.Elapsed != 1007*time.Millisecond {
			t.Errorf("%+v, %v", s, err)
		}
	}
	noError(t, db.DeleteStudy(ctx, "s1"))
	if units, err := db.StudyUnits(ctx, "s1"); err != nil || len(units) > 0 {
		t.Errorf("%v, %v", units, err)
	}
	if got := openJobs(t, db); got != nil { // a study says itself whether it goes on
		t.Errorf("%v", got)
	}
}
