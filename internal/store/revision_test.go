package store

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"taper/internal/engine/audit"
	"taper/internal/engine/job"
	"taper/internal/engine/runspec"
	"taper/internal/engine/study"
	"taper/internal/testtime"
)

// TestRevisions: every change changes Revision. It changes RecordsRevision too, unless it is
// the progress of a single run or study, or a new dataset.
func TestRevisions(t *testing.T) {
	db := open(t, t.TempDir())
	d := upload(t, db, "data", "x\n1\n")
	made := finishedRun(t, db, d.ID, "First", result("", 20))
	way := newRun(t, db, d.ID, "on its way")
	derived := Run{ID: db.NewID("r"), Dataset: d.ID, Name: "recalibrated"}
	reviewed := Run{ID: db.NewID("r"), Dataset: d.ID, Name: "reviewed",
		Spec: runspec.Spec{Dataset: d.ID, Review: &runspec.Review{Parent: made.ID}}}
	st := Study{ID: db.NewID("s"), Name: "study", Units: 2, Spec: study.Spec{Preset: "p"}}
	create := Run{ID: db.NewID("r"), Dataset: d.ID, Name: "made"}
	for _, c := range []struct {
		what   string
		change func() error
		alone  bool
	}{
		{"make a run", func() error { return db.CreateRun(ctx, create) }, true},
		{"begin it", func() error { return db.StartRun(ctx, way.ID) }, true},
		{"finish it", func() error { return db.FinishRun(ctx, way.ID, result("", 20)) }, true},
		{"fail one", func() error { return db.EndRun(ctx, create.ID, Failed, "no") }, false},
		{"recalibrate a run", func() error {
			return db.AddDerived(ctx, derived, Origin{Parent: made.ID}, result("", 20))
		}, false},
		{"make a run on reviewed labels", func() error { return db.CreateRun(ctx, reviewed) }, false},
		{"begin it", func() error { return db.StartRun(ctx, reviewed.ID) }, false},
		{"finish it", func() error { return db.FinishRun(ctx, reviewed.ID, result("", 20)) }, false},
		{"rename a run", func() error { return db.DescribeRun(ctx, made.ID, About{new("Second"), new("")}) }, false},
		{"begin a bootstrap", func() error { return db.BeginBootstrap(ctx, made.ID, 10) }, false},
		{"end it", func() error { return db.EndBootstrap(ctx, made.ID, Failed, "no") }, false},
		{"decide about a label", func() error {
			return db.Decide(ctx, LabelsOf(made), made.ID, audit.Decision{Row: 1, Kind: audit.Keep, Label: "no"})
		}, false},
		{"make a study", func() error { return db.CreateStudy(ctx, st) }, false},
		{"begin it", func() error { return db.SetStudy(ctx, st.ID, Running, "") }, false},
		{"keep a unit", func() error {
			return db.KeepUnits(ctx, st.ID, []Unit{{ID: "u", Answer: job.EncodeNumbers([]float64{1})}}, 0)
		}, true},
		{"finish it", func() error { return db.FinishStudy(ctx, st.ID, nil) }, false},
		{"delete a study", func() error { return db.DeleteStudy(ctx, st.ID) }, false},
		{"delete a run", func() error { return db.DeleteRun(ctx, way.ID) }, false},
		{"upload", func() error { upload(t, db, "more", "x\n1\n"); return nil }, true},
		{"delete a dataset", func() error { return db.DeleteDataset(ctx, d.ID) }, false},
	} {
		all, records, datasets := db.Revision(), db.RecordsRevision(), db.DatasetsRevision()
		noError(t, c.change())
		if db.Revision() == all {
			t.Errorf("%s: the revision stays", c.what)
		}
		if alone := db.RecordsRevision() == records; alone != c.alone {
			t.Errorf("%s: the revision of the records stays: %v, want %v", c.what, alone, c.alone)
		}
		if stays := db.DatasetsRevision() == datasets; stays != (c.alone && c.what != "upload") {
			t.Errorf("%s: the revision of the datasets stays: %v", c.what, stays)
		}
	}
}

// TestCancelledTransaction: when its context ends, a transaction is rolled back, and the error
// is the context's, not that the transaction is already done.
func TestCancelledTransaction(t *testing.T) {
	db := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	err := db.tx(ctx, func(tx *sql.Tx) (err error) {
		cancel()
		testtime.Until(t, "the transaction is rolled back", func() bool {
			_, err = tx.ExecContext(context.Background(), "SELECT 1")
			return err != nil
		})
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("told %v", err)
	}
}
