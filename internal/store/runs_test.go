package store

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"taper/internal/engine"
	"taper/internal/engine/check"
	"taper/internal/engine/stat"
	"taper/internal/engine/usererr"
)

func TestRunComesBackAsStored(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	db.now = clock()
	d := upload(t, db, "data", "x\n1\n")
	made := newRun(t, db, d.ID, "First")
	queued, err := db.Run(ctx, made.ID)
	noError(t, err)
	if queued.Status != Queued || !queued.Started.IsZero() || queued.Result != nil || queued.DatasetSHA != d.SHA256 || queued.Rows != 3 {
		t.Fatalf("%+v", queued)
	}
	if diff := cmp.Diff(made.Spec, queued.Spec); diff != "" {
		t.Fatal(diff)
	}
	noError(t, db.StartRun(ctx, made.ID))
	want := result("", 20)
	noError(t, db.FinishRun(ctx, made.ID, want))
	noError(t, db.Close())

	db = open(t, dir)
	got, err := db.Run(ctx, made.ID)
	noError(t, err)
	if got.Status != Done || !got.Started.After(got.Created) || !got.Finished.After(got.Started) || got.Version != "v1" {
		t.Fatalf("%+v", got)
	}
	if diff := cmp.Diff(want, got.Result, cmpopts.IgnoreFields(engine.Result{}, "Model", "Rows"), cmpopts.EquateEmpty()); diff != "" {
		t.Fatal(diff)
	}
	model, err := db.RunModel(ctx, made.ID)
	noError(t, err)
	if diff := cmp.Diff(want.Model, model); diff != "" {
		t.Fatal(diff)
	}
	rows, err := db.RunRows(ctx, made.ID)
	noError(t, err)
	if diff := cmp.Diff(want.Rows, rows); diff != "" {
		t.Fatal(diff)
	}
	line, err := db.RunLine(ctx, made.ID)
	noError(t, err)
	if diff := cmp.Diff(got, line, cmpopts.IgnoreFields(Run{}, "Spec", "Result")); diff != "" || line.Result != nil {
		t.Fatal(diff)
	}
	_, err = db.RunLine(ctx, "none")
	wantCode(t, err, usererr.NotFound, "‘none’")
	if s := got.Summary; s.BandsOK != 1 || s.BandsEvaluated != 2 || s.N != 93 || s.Events != 29 || *s.Statistics["auc"] != 0.875 || s.Statistics["brier"] != nil || s.Loss != "interval" {
		t.Fatalf("%+v", s)
	}
}

// TestRunOfLateDataset deletes a dataset after a run has found it and before the run is stored:
// no run remains, whether the row of the dataset is deleted or, with models kept, stays.
func TestRunOfLateDataset(t *testing.T) {
	for _, q := range []string{`DELETE FROM datasets WHERE id = ?`, `UPDATE datasets SET wiped = 1 WHERE id = ?`} {
		db := open(t, t.TempDir())
		d := upload(t, db, "data", "x")
		late := Run{ID: db.NewID("r"), Dataset: d.ID, Name: "late"}
		now := db.now
		db.now = func() time.Time { // called after the dataset was found
			if _, err := db.w.ExecContext(ctx, q, d.ID); err != nil {
				t.Error(err)
			}
			return now()
		}
		wantCode(t, db.CreateRun(ctx, late), usererr.NotFound, "It may have been deleted.")
		if _, total, err := db.Runs(ctx, RunFilter{}); err != nil || total != 0 {
			t.Errorf("%s: %d runs, %v", q, total, err)
		}
	}
}

// TestRunOfLateParent deletes a run after another was computed from it and before that one is stored: it is refused,
// whether the data exist or only models were kept.
func TestRunOfLateParent(t *testing.T) {
	for name, add := range map[string]func(db *DB, dataset, id string, o Origin) error{
		"recalibrated": func(db *DB, dataset, id string, o Origin) error {
			return db.AddDerived(ctx, Run{ID: id, Dataset: dataset}, o, result("", 3))
		},
		"recalibrated without rows": func(db *DB, _, id string, o Origin) error {
			return db.AddKept(ctx, Run{}, bareRun(id, ""), o)
		},
	} {
		db := open(t, t.TempDir())
		parent := finishedRun(t, db, upload(t, db, "data", "x").ID, "parent", result("", 3))
		if name == "recalibrated without rows" {
			noError(t, db.KeepModels(ctx, parent.Dataset, []KeptRun{bareRun(parent.ID, "")}))
		}
		id, now := db.NewID("r"), db.now
		db.now = func() time.Time { // called after the parent was read
			db.now = now
			noError(t, db.DeleteRun(ctx, parent.ID))
			return now()
		}
		wantCode(t, add(db, parent.Dataset, id, Origin{Parent: parent.ID, Slope: 1}), usererr.NotFound, "no run ‘"+parent.ID)
		if _, n, err := db.Runs(ctx, RunFilter{}); err != nil || n != 0 {
			t.Errorf("%s: %d runs, %v", name, n, err)
		}
	}
}

func TestRunsAreImmutable(t *testing.T) {
	db := open(t, t.TempDir())
	d := upload(t, db, "data", "x")
	r := finishedRun(t, db, d.ID, "a", result("", 2))
	wantCode(t, db.FinishRun(ctx, r.ID, result("other", 2)), usererr.Conflict, "is done already")
	wantCode(t, db.StartRun(ctx, r.ID), usererr.Conflict, "is done already")
	wantCode(t, db.EndRun(ctx, r.ID, Cancelled, "x"), usererr.Conflict, "is done already")
	noError(t, db.DescribeRun(ctx, r.ID, About{Name: new("Neu Ö")}))
	noError(t, db.DescribeRun(ctx, r.ID, About{}))
	noError(t, db.DescribeRun(ctx, r.ID, About{Notes: new("note")})) // the name stays
	got, err := db.Run(ctx, r.ID)
	noError(t, err)
	if got.Name != "Neu Ö" || got.Notes != "note" || got.Status != Done || got.Result.Positive.String() != "sick" {
		t.Fatalf("%+v", got)
	}
	if err := db.EndRun(ctx, r.ID, Done, ""); err == nil {
		t.Fatal("EndRun took the status done")
	}
	for _, err := range []error{
		db.StartRun(ctx, "none"), db.DescribeRun(ctx, "none", About{new(""), new("")}), db.DeleteRun(ctx, "none"), db.DeleteDataset(ctx, "none"),
		db.FinishRun(ctx, "none", result("", 1)), db.CreateRun(ctx, Run{ID: "r1", Dataset: "none"}),
	} {
		wantCode(t, err, usererr.NotFound, "‘none’")
	}
	_, err = db.Run(ctx, "none")
	wantCode(t, err, usererr.NotFound, "‘none’")
	_, err = db.RunRows(ctx, "none")
	wantCode(t, err, usererr.NotFound, "‘none’")
	open := newRun(t, db, d.ID, "b")
	_, err = db.RunModel(ctx, open.ID)
	wantCode(t, err, usererr.Conflict, "it is queued")
	noError(t, db.EndRun(ctx, open.ID, Failed, "All rows are of one class."))
	if got, _ := db.Run(ctx, open.ID); got.Status != Failed || got.Error != "All rows are of one class." || got.Finished.IsZero() {
		t.Fatalf("%+v", got)
	}
}

func TestAResultWithNaNIsRefused(t *testing.T) {
	db := open(t, t.TempDir())
	r := newRun(t, db, upload(t, db, "data", "x").ID, "a")
	bad := result("", 1)
	bad.L2 = math.NaN()
	if err := db.FinishRun(ctx, r.ID, bad); err == nil {
		t.Fatal("NaN went into JSON")
	}
	if got, _ := db.Run(ctx, r.ID); got.Status != Queued || got.Result != nil {
		t.Fatalf("half stored: %+v", got)
	}
}

// TestRunList compares the SQL with the same selection in Go.
func TestRunList(t *testing.T) {
	db := open(t, t.TempDir())
	db.now = clock()
	a, b := upload(t, db, "Ärzte", "x"), upload(t, db, "pima", "y")
	aucs := []*float64{ptr(0.9), nil, ptr(0.7), ptr(0.8)}
	for i, auc := range aucs {
		res := result("", 1)
		res.Metrics.Test.AUC = auc
		finishedRun(t, db, []Dataset{a, b}[i%2].ID, fmt.Sprint("run ", i), res)
	}
	newRun(t, db, a.ID, "run 4 ÜBUNG")
	for _, c := range []struct {
		f     RunFilter
		total int
		want  []string
	}{
		{RunFilter{}, 5, []string{"run 4 ÜBUNG", "run 3", "run 2", "run 1", "run 0"}},
		{RunFilter{Limit: 2, Offset: 1}, 5, []string{"run 3", "run 2"}},
		{RunFilter{Sort: "auc"}, 5, []string{"run 2", "run 3", "run 0", "run 1", "run 4 ÜBUNG"}},
		{RunFilter{Sort: "auc", Desc: true}, 5, []string{"run 0", "run 3", "run 2", "run 4 ÜBUNG", "run 1"}},
		{RunFilter{Dataset: b.ID}, 2, []string{"run 3", "run 1"}},
		{RunFilter{Status: Queued}, 1, []string{"run 4 ÜBUNG"}},
		{RunFilter{Query: "übung"}, 1, []string{"run 4 ÜBUNG"}},
		{RunFilter{Query: "ÄRZTE run 0"}, 1, []string{"run 0"}},
		{RunFilter{Query: "Interval PIMA"}, 2, []string{"run 3", "run 1"}},
		{RunFilter{Query: "100%"}, 0, nil},
		{RunFilter{Query: "_"}, 0, nil},
		{RunFilter{Sort: "name", Limit: 1}, 5, []string{"run 0"}},
	} {
		list, total, err := db.Runs(ctx, c.f)
		noError(t, err)
		var names []string
		for _, r := range list {
			names = append(names, r.Name)
		}
		if diff := cmp.Diff(c.want, names); diff != "" || total != c.total {
			t.Errorf("%+v: total %d, want %d\n%s", c.f, total, c.total, diff)
		}
	}
	_, _, err := db.Runs(ctx, RunFilter{Sort: "id; DROP TABLE runs"})
	wantCode(t, err, usererr.Invalid, "must be one of abstention_loss, accuracy, auc, ")
	for _, s := range RunSorts() {
		if _, _, err := db.Runs(ctx, RunFilter{Sort: s, Desc: true}); err != nil {
			t.Errorf("sort %s: %v", s, err)
		}
	}
}

func TestIDsSortByTime(t *testing.T) {
	db := open(t, t.TempDir())
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	db.now = func() time.Time { now = now.Add(time.Millisecond); return now }
	last, seen := "", map[string]bool{}
	for range 1000 {
		id := db.NewID("r")
		if id <= last || !validID(id) || len(id) != 19 || seen[id[10:]] {
			t.Fatalf("%s after %s", id, last)
		}
		last, seen[id[10:]] = id, true
	}
}

// TestStatisticColumns: the columns by which runs are sorted are statistics of stat.All.
func TestStatisticColumns(t *testing.T) {
	for _, id := range statisticColumns {
		if stat.ByID(id).ID != id || !slices.Contains(RunSorts(), id) {
			t.Errorf("%s", id)
		}
	}
}

// TestDataWiped: the sentence contains the run, the day and what is impossible.
func TestDataWiped(t *testing.T) {
	r := Run{Name: "Sepsis", Wiped: time.Date(2026, 11, 3, 23, 0, 0, 0, time.UTC)}
	wantCode(t, r.DataWiped("there is nothing to audit"), usererr.Conflict,
		"The data of ‘Sepsis’ were deleted on 3 November 2026 and its model was kept: there is nothing to audit.")
}

// TestParentVerdictsDropped: earlier versions stored with a recalibrated run the warnings about bands and losses of its
// parent, and verdicts on its own bands. They are dropped when it is read, for the API as for pages, and those of another run stay.
func TestParentVerdictsDropped(t *testing.T) {
	db := open(t, t.TempDir())
	d := upload(t, db, "data", "x\n1\n")
	stale := []engine.Warning{{Code: check.WarnNotMonotone}, {Code: engine.WarnOneBand}, {Code: check.WarnFewInStratum},
		{Code: engine.WarnNeverPredicted}, {Code: engine.WarnLogisticBetter}, {Code: check.WarnFewEvents}}
	for _, recalibrated := range []bool{false, true} {
		res := result("", 20)
		res.Warnings, res.Rows = stale, nil
		res.Strata = []stat.Stratum{{N: 40, Events: 30, Verdict: stat.Outside}}
		res.Beside = []engine.Beside{{ID: "model", Strata: res.Strata}}
		want := len(stale)
		if recalibrated {
			res.Warnings, want = append([]engine.Warning{{Code: engine.WarnRecalibrated}}, stale...), 2
		}
		got, err := db.Run(ctx, finishedRun(t, db, d.ID, fmt.Sprint(recalibrated), res).ID)
		noError(t, err)
		if len(got.Result.Warnings) != want {
			t.Errorf("recalibrated %v: %+v", recalibrated, got.Result.Warnings)
		}
		for _, strata := range [][]stat.Stratum{got.Result.Strata, got.Result.Beside[0].Strata} {
			if (strata[0].Verdict == stat.NoVerdict) != recalibrated {
				t.Errorf("recalibrated %v: %+v", recalibrated, strata)
			}
		}
	}
}

// TestRanksDropped: earlier versions stored with a run without validation the intervals of differences to other models
// on its training rows, and a warning drawn from them. They are dropped when it is read; those of another run stay.
func TestRanksDropped(t *testing.T) {
	db := open(t, t.TempDir())
	d := upload(t, db, "data", "x\n1\n")
	for _, apparent := range []bool{false, true} {
		res, difference, se := result("", 20), .04, .004
		res.Rows, res.Apparent = nil, apparent
		res.Beside = []engine.Beside{{ID: "logistic", Difference: &difference, DifferenceSE: &se}}
		res.Warnings = []engine.Warning{{Code: engine.WarnLogisticBetter}, {Code: check.WarnFewEvents}}
		read, err := db.Run(ctx, finishedRun(t, db, d.ID, fmt.Sprint(apparent), res).ID)
		noError(t, err)
		got := read.Result
		if beside := got.Beside[0]; beside.Difference == nil || (beside.DifferenceSE == nil) != apparent {
			t.Errorf("apparent %t: %+v", apparent, beside)
		}
		if warned := got.Warnings[0].Code == engine.WarnLogisticBetter; warned == apparent || got.Warnings[len(got.Warnings)-1].Code != check.WarnFewEvents {
			t.Errorf("apparent %t: %+v", apparent, got.Warnings)
		}
	}
}
