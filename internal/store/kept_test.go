package store

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"taper/internal/engine"
	"taper/internal/engine/audit"
	"taper/internal/engine/fit"
	"taper/internal/engine/model"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/study"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// bareRun is what may be kept of a run.
func bareRun(id, mark string) KeptRun {
	r := result(mark, 0)
	return KeptRun{Run: id, Spec: runspec.Spec{Outcome: "dx", Positive: table.Levels{mark + "sick"}, Model: fit.Spec{L2: fit.L2{Mode: "cv"}}}, Result: r, Model: r.Model, Report: `{"title":"` + mark + `"}`}
}

// TestKeepModelsWipesRows puts a canary into everything derived from rows; once only the models
// are kept, no file contains it.
func TestKeepModelsWipesRows(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	const canary = "Canary8"
	for _, state := range []string{Raw, Kept} {
		d := upload(t, db, canary, "age,name\n1,"+canary+"\n")
		d.Warnings = []table.Warning{{Code: "level", Message: canary}}
		d.Profiles = []table.Profile{{Name: canary, Levels: []table.LevelCount{{Level: canary, Rows: 1}}}, {Name: canary + "-dropped"}}
		d.Options.Columns = []table.ColumnSpec{{Name: canary, MissingCodes: []string{canary}}}
		d.Choice.Positive, d.Source = table.Levels{canary}, canary
		noError(t, db.UpdateDataset(ctx, d))
		if state == Kept {
			kept := smallTable(canary)
			kept.Columns[0].Name = canary
			noError(t, db.KeepColumns(ctx, d, kept))
		}
		stays := readRun(t, db, d, canary)
		gone := finishedRun(t, db, d.ID, canary, result(canary, 300))
		open := newRun(t, db, d.ID, canary)
		l := LabelsOf(stays)
		noError(t, db.Decide(ctx, l, stays.ID, audit.Decision{Kind: audit.Flip, To: canary, Note: canary}))
		noError(t, db.BeginBootstrap(ctx, stays.ID, 20))
		noError(t, db.EndBootstrap(ctx, stays.ID, Failed, canary))
		keptUnit(t, db, Job{ID: "audit-" + stays.ID, Kind: AuditJob, Run: stays.ID}, canary)
		keptUnit(t, db, Job{ID: open.ID, Kind: RunJob, Run: open.ID}, canary)
		noError(t, db.CreateStudy(ctx, Study{ID: db.NewID("s"), Dataset: d.ID, Name: canary, Spec: study.Spec{}}))
		if holds(t, dir, canary) == nil {
			t.Fatal("the canary was never there")
		}

		noError(t, db.KeepModels(ctx, d.ID, []KeptRun{bareRun(stays.ID, "Resident")}))
		if found := holds(t, dir, canary); found != nil {
			t.Fatalf("%s: the canary is still in %v", state, found)
		}
		for _, id := range []string{gone.ID, open.ID} {
			_, err := db.RunLine(ctx, id)
			wantCode(t, err, usererr.NotFound, "no run")
		}
		checkBare(t, db, d.ID, stays.ID)
	}
	noError(t, db.Close())
	if found := holds(t, dir, canary); found != nil {
		t.Errorf("after closing the canary is still in %v", found)
	}
}

// readRun is a finished run with stored parsing options, whose name and dataset name do not
// contain the canary.
func readRun(t *testing.T, db *DB, d Dataset, mark string) Run {
	t.Helper()
	d, err := db.Dataset(ctx, d.ID)
	noError(t, err)
	name := d.Name
	d.Name = "trial"
	noError(t, db.UpdateDataset(ctx, d))
	r := Run{ID: db.NewID("r"), Dataset: d.ID, Name: "kept", Spec: runspec.Spec{Outcome: "dx", Positive: table.Levels{"sick"}, ScoreOnly: []string{mark}}, Reading: &table.Options{Settled: []string{mark}}}
	noError(t, db.CreateRun(ctx, r))
	noError(t, db.StartRun(ctx, r.ID))
	noError(t, db.FinishRun(ctx, r.ID, result(mark, 300)))
	d.Name = name
	noError(t, db.UpdateDataset(ctx, d))
	r, err = db.Run(ctx, r.ID)
	noError(t, err)
	if r.Reading == nil || len(r.Reading.Settled) != 1 || r.Reading.Settled[0] != mark {
		t.Fatalf("reading %+v", r.Reading)
	}
	return r
}

// checkBare checks a run whose data were deleted.
func checkBare(t *testing.T, db *DB, dataset, id string) {
	t.Helper()
	_, err := db.Dataset(ctx, dataset)
	wantCode(t, err, usererr.NotFound, "no dataset")
	wantCode(t, db.DeleteDataset(ctx, dataset), usererr.NotFound, "no dataset")
	wantCode(t, db.KeepModels(ctx, dataset, []KeptRun{bareRun(id, "x")}), usererr.NotFound, "no dataset")
	wantCode(t, db.CreateRun(ctx, Run{ID: db.NewID("r"), Dataset: dataset}), usererr.NotFound, "no dataset")
	if list, n, err := db.Datasets(ctx, 100, 0); err != nil || n != len(list) {
		t.Fatalf("%d of %d datasets, %v", len(list), n, err)
	} else {
		for _, d := range list {
			if d.ID == dataset {
				t.Error("the dataset is still listed")
			}
		}
	}
	r, err := db.Run(ctx, id)
	noError(t, err)
	if r.Status != Done || r.Wiped.IsZero() || time.Since(r.Wiped) > time.Hour || r.Reading != nil || r.DatasetName != "trial" || r.Name != "kept" {
		t.Errorf("%+v", r)
	}
	want := bareRun(id, "Resident")
	model, err := db.RunModel(ctx, id)
	noError(t, err)
	report, err := db.KeptReport(ctx, id)
	noError(t, err)
	if d := cmp.Diff(want.Model, model) + cmp.Diff(want.Spec, r.Spec) + cmp.Diff(want.Report, report); d != "" {
		t.Error(d)
	}
	_, err = db.RunRows(ctx, id)
	wantCode(t, err, usererr.Conflict, "its rows went with them")
	if list, _, err := db.Runs(ctx, RunFilter{Dataset: dataset}); err != nil || len(list) != 1 || list[0].Wiped.IsZero() {
		t.Errorf("listed: %+v, %v", list, err)
	}
}

// TestLateWorkBringsNoRowBack stores results of an audit, a trial, a review and a bootstrap
// that began before the data were deleted and ended after.
func TestLateWorkBringsNoRowBack(t *testing.T) {
	db := open(t, t.TempDir())
	d := upload(t, db, "x", "a\n1\n")
	r := finishedRun(t, db, d.ID, "r", result("", 3))
	noError(t, db.BeginBootstrap(ctx, r.ID, 20))
	noError(t, db.KeepModels(ctx, d.ID, []KeptRun{bareRun(r.ID, "")}))
	late := &audit.LabelAudit{Ranking: []audit.Row{{Row: 1}}}
	noError(t, db.KeepAudit(ctx, r.ID, "v", late, []audit.Key{{1}}))
	noError(t, db.KeepTrial(ctx, r.ID, &audit.Trial{}))
	noError(t, db.FinishBootstrap(ctx, r.ID, &engine.Bootstrap{}))
	noError(t, db.BeginBootstrap(ctx, r.ID, 20))
	noError(t, db.Decide(ctx, LabelsOf(r), r.ID, audit.Decision{Kind: audit.Flip, Key: audit.Key{1}}))
	noError(t, db.BeginJob(ctx, Job{ID: "audit", Kind: AuditJob, Run: r.ID, Spec: []byte(`{}`)}))
	wantCode(t, db.KeepUnits(ctx, "audit", []Unit{{ID: "1 of 5"}}, 0), usererr.NotFound, "‘audit’")
	for _, table := range []string{"jobs", "units", "audits", "audit_trials", "run_bootstraps", "audit_decisions"} {
		var n int
		noError(t, db.r.QueryRow(`SELECT count(*) FROM `+table).Scan(&n))
		if n != 0 {
			t.Errorf("%s holds %d rows", table, n)
		}
	}
}

// TestKeptRunsGoOneByOne: the remaining row of the dataset is deleted with its last run.
func TestKeptRunsGoOneByOne(t *testing.T) {
	db := open(t, t.TempDir())
	d := upload(t, db, "x", "a\n1\n")
	one, two := finishedRun(t, db, d.ID, "one", result("", 3)), finishedRun(t, db, d.ID, "two", result("", 3))
	noError(t, db.KeepModels(ctx, d.ID, []KeptRun{bareRun(one.ID, ""), bareRun(two.ID, "")}))
	child := db.NewID("r")
	noError(t, db.AddKept(ctx, Run{Name: "child"}, bareRun(child, "c"), Origin{Parent: one.ID, Intercept: 0.5, Slope: 1}))
	rows := func() (n int) {
		noError(t, db.r.QueryRow(`SELECT count(*) FROM datasets`).Scan(&n))
		return n
	}
	noError(t, db.DeleteRun(ctx, one.ID))
	r, err := db.Run(ctx, child)
	noError(t, err)
	o, err := db.RunOrigin(ctx, child)
	noError(t, err)
	if r.Status != Done || r.Wiped.IsZero() || r.DatasetName != "x" || r.Dataset != d.ID || o == nil || o.Parent != one.ID || rows() != 1 {
		t.Fatalf("%+v from %+v, %d datasets", r, o, rows())
	}
	noError(t, db.DeleteRuns(ctx, []string{two.ID, child}))
	if rows() != 0 {
		t.Error("the row of the dataset outlived its runs")
	}
	stay := upload(t, db, "y", "a\n1\n")
	noError(t, db.DeleteRun(ctx, finishedRun(t, db, stay.ID, "r", result("", 3)).ID))
	if rows() != 1 {
		t.Error("a dataset with its data went with its last run")
	}
}

// TestKeepModelsAllOrNothing: if a run no longer exists or is not done, nothing changes.
func TestKeepModelsAllOrNothing(t *testing.T) {
	db := open(t, t.TempDir())
	d, other := upload(t, db, "x", "a\n1\n"), upload(t, db, "y", "a\n1\n")
	r, open := finishedRun(t, db, d.ID, "r", result("m", 30)), newRun(t, db, d.ID, "open")
	foreign := finishedRun(t, db, other.ID, "f", result("", 3))
	for _, bad := range []string{"r-gone", open.ID, foreign.ID} {
		wantCode(t, db.KeepModels(ctx, d.ID, []KeptRun{bareRun(r.ID, ""), bareRun(bad, "")}), usererr.Conflict, "changed in the meantime")
	}
	wantCode(t, db.KeepModels(ctx, d.ID, nil), usererr.Conflict, "No run")
	if err := db.KeepModels(ctx, d.ID, []KeptRun{{Run: r.ID, Result: result("", 3), Model: &model.Model{}}}); err == nil {
		t.Error("a result with rows was taken")
	}
	rows, err := db.RunRows(ctx, r.ID)
	if raw, rawErr := db.RawFile(ctx, d.ID); err != nil || rawErr != nil || len(rows) != 30 || string(raw) != "a\n1\n" {
		t.Errorf("%d rows, %v, %v", len(rows), err, rawErr)
	}
	keep, err := db.Keepable(ctx, d.ID, other.ID, "d-none")
	noError(t, err)
	if want := map[string]Keepable{d.ID: {Models: 1}, other.ID: {Models: 1}}; cmp.Diff(want, keep) != "" {
		t.Errorf("%+v", keep)
	}
}

// TestBackupOfKeptModels restores a folder whose data were deleted.
func TestBackupOfKeptModels(t *testing.T) {
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "a"))
	d := upload(t, db, "trial", "age\nCanary9\n")
	r := finishedRun(t, db, d.ID, "kept", result("Canary9", 50))
	noError(t, db.KeepModels(ctx, d.ID, []KeptRun{bareRun(r.ID, "Resident")}))
	file := filepath.Join(dir, "b.tar")
	noError(t, Backup(ctx, db.Dir(), file))
	noError(t, Restore(ctx, filepath.Join(dir, "c"), file))
	if found := holds(t, dir, "Canary9"); found != nil {
		t.Errorf("the canary is in %v", found)
	}
	back := open(t, filepath.Join(dir, "c"))
	checkBare(t, back, d.ID, r.ID)
	if report, _ := back.KeptReport(ctx, r.ID); !strings.Contains(report, "Resident") {
		t.Errorf("report %q", report)
	}
}

// TestKeptBandsCounted: the list counts the verdicts of a run that was kept without its data as its report has them: one
// that was masked is not counted, as the number would give it away.
func TestKeptBandsCounted(t *testing.T) {
	db := open(t, t.TempDir())
	d := upload(t, db, "data", "x\n1\n")
	res := result("", 20)
	res.Strata = []stat.Stratum{{N: 40, Verdict: stat.Inside}, {N: 40, Verdict: stat.Compatible}}
	r := finishedRun(t, db, d.ID, "run", res)
	k := bareRun(r.ID, "")
	k.Result.Strata = []stat.Stratum{{N: 40, Verdict: stat.Inside}, {N: 40, Verdict: stat.Masked}}
	noError(t, db.KeepModels(ctx, d.ID, []KeptRun{k}))
	line, err := db.RunLine(ctx, r.ID)
	noError(t, err)
	if s := line.Summary; s.BandsOK != 1 || s.BandsEvaluated != 1 {
		t.Errorf("%d of %d bands", s.BandsOK, s.BandsEvaluated)
	}
}
