package store

import (
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"taper/internal/engine/job"
	"taper/internal/engine/study"
	"taper/internal/engine/usererr"
)

func newStudy(t testing.TB, db *DB, dataset string) Study {
	t.Helper()
	s := Study{ID: db.NewID("s"), Dataset: dataset, Name: "Noise", Version: "v1", Units: 2, Spec: study.Spec{Preset: "sypherd-fig5", Size: study.Quick, Seed: 1<<63 + 1, Dataset: study.Source{ID: dataset}}}
	noError(t, db.CreateStudy(ctx, s))
	return s
}

// TestStudyGoesOnAfterReopening: units, spec and state are stored, numbers to the bit, and a
// running study is ready to be resumed.
func TestStudyGoesOnAfterReopening(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	made := newStudy(t, db, "")
	wantCode(t, db.KeepUnits(ctx, "none", []Unit{{ID: "a", Answer: nil}}, 0), usererr.NotFound, "‘none’")
	noError(t, db.SetStudy(ctx, made.ID, Running, ""))
	values := []float64{1. / 3, math.NaN(), math.Inf(1), math.Copysign(0, -1)}
	noError(t, db.KeepUnits(ctx, made.ID, []Unit{{ID: "a #0", Answer: job.EncodeNumbers(values)}}, 1500*time.Millisecond))
	if db.KeepUnits(ctx, made.ID, []Unit{{ID: "b #0", Answer: job.EncodeNumbers(values)}, {ID: "a #0", Answer: job.EncodeNumbers(values)}}, 0) == nil {
		t.Error("one unit was kept twice")
	}
	noError(t, db.Close())

	db = open(t, dir)
	got, err := db.Study(ctx, made.ID)
	noError(t, err)
	if got.Status != Interrupted || got.Version != "v1" || got.Name != "Noise" || got.Done != 1 || got.Units != 2 || got.Elapsed != 1500*time.Millisecond || got.Created.IsZero() || !got.Finished.IsZero() {
		t.Fatalf("%+v", got)
	}
	if diff := cmp.Diff(made.Spec, got.Spec); diff != "" {
		t.Fatal(diff)
	}
	units, err := db.StudyUnits(ctx, made.ID)
	noError(t, err)
	if len(units) != 1 || len(units["a #0"]) != 4 { // nothing of a failed transaction is stored
		t.Fatal(units)
	}
	for i, v := range values {
		if math.Float64bits(units["a #0"][i]) != math.Float64bits(v) {
			t.Errorf("value %d is %v, was %v", i, units["a #0"][i], v)
		}
	}
	noError(t, db.DropUnits(ctx, made.ID, []string{"a #0"}))
	if got, err = db.Study(ctx, made.ID); err != nil || got.Done != 0 {
		t.Error(got, err)
	}
}

func TestStudyStates(t *testing.T) {
	db := open(t, t.TempDir())
	s := newStudy(t, db, "")
	wantCode(t, db.FinishStudy(ctx, s.ID, nil), usererr.Conflict, "queued")
	noError(t, db.SetStudy(ctx, s.ID, Paused, ""))
	wantCode(t, db.SetStudy(ctx, s.ID, Running, ""), usererr.Conflict, "paused")
	noError(t, db.SetStudy(ctx, s.ID, Queued, ""))
	noError(t, db.SetStudy(ctx, s.ID, Running, ""))
	_, err := db.StudyCells(ctx, s.ID)
	wantCode(t, err, usererr.Conflict, "not ended")
	mean := 0.75
	cells := []study.Cell{{Key: study.Key{Model: "LR", Noise: .1, Metric: "accuracy", At: 3}, N: 2, Mean: &mean, Values: []*float64{&mean, nil}, Replicates: []int{0, 1}}}
	noError(t, db.FinishStudy(ctx, s.ID, cells))
	got, err := db.StudyCells(ctx, s.ID)
	noError(t, err)
	if diff := cmp.Diff(cells, got); diff != "" {
		t.Fatal(diff)
	}
	wantCode(t, db.SetStudy(ctx, s.ID, Cancelled, ""), usererr.Conflict, "done")
	list, total, err := db.Studies(ctx, StudyFilter{Preset: "sypherd-fig5", Status: Done, Limit: 10})
	noError(t, err)
	if total != 1 || len(list) != 1 || list[0].Finished.IsZero() {
		t.Fatal(list, total)
	}
	noError(t, db.DeleteStudy(ctx, s.ID))
	wantCode(t, db.DeleteStudy(ctx, s.ID), usererr.NotFound, s.ID)
}

// TestDatasetTakesItsStudies: deleting a dataset deletes its studies.
func TestDatasetTakesItsStudies(t *testing.T) {
	db := open(t, t.TempDir())
	d := upload(t, db, "data", "x\n1\n")
	s := newStudy(t, db, d.ID)
	noError(t, db.KeepUnits(ctx, s.ID, []Unit{{ID: "a", Answer: job.EncodeNumbers([]float64{1})}}, 0))
	noError(t, db.DeleteDataset(ctx, d.ID))
	_, err := db.Study(ctx, s.ID)
	wantCode(t, err, usererr.NotFound, s.ID)
	units, err := db.StudyUnits(ctx, s.ID)
	noError(t, err)
	if diff := cmp.Diff(study.Values{}, units, cmpopts.EquateEmpty()); diff != "" {
		t.Fatal(diff)
	}
}

// TestTenThousandCells: the summary of a large study is read back completely.
func TestTenThousandCells(t *testing.T) {
	db := open(t, t.TempDir())
	s := newStudy(t, db, "")
	noError(t, db.SetStudy(ctx, s.ID, Running, ""))
	cells := make([]study.Cell, 10_000)
	for i := range cells {
		v := float64(i)
		cells[i] = study.Cell{Key: study.Key{Model: "m", Metric: "accuracy", At: v}, N: 1, Mean: &v, Values: []*float64{&v}, Replicates: []int{0}}
	}
	noError(t, db.FinishStudy(ctx, s.ID, cells))
	got, err := db.StudyCells(ctx, s.ID)
	noError(t, err)
	if len(got) != len(cells) || *got[9999].Mean != 9999 {
		t.Fatal(len(got))
	}
}

// TestChangeCells: concurrent changes are all kept, and a study that is not done has nothing to
// change.
func TestChangeCells(t *testing.T) {
	db := open(t, t.TempDir())
	s := newStudy(t, db, "")
	add := func(own []study.Cell) []study.Cell { return append(own, study.Cell{N: len(own)}) }
	wantCode(t, db.ChangeCells(ctx, s.ID, add), usererr.Conflict, "not ended")
	noError(t, db.SetStudy(ctx, s.ID, Running, ""))
	noError(t, db.FinishStudy(ctx, s.ID, nil))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { noError(t, db.ChangeCells(ctx, s.ID, add)) })
	}
	all.Wait()
	cells, err := db.StudyCells(ctx, s.ID)
	noError(t, err)
	if len(cells) != 8 || cells[7].N != 7 {
		t.Errorf("%d cells are left of 8 changes", len(cells))
	}
}

// TestUnitsOfOthers: units are selected by the engine and by the processor class that computed them.
func TestUnitsOfOthers(t *testing.T) {
	db := open(t, t.TempDir())
	made, values := newStudy(t, db, ""), []float64{1}
	noError(t, db.KeepUnits(ctx, made.ID, []Unit{{ID: "a", Answer: job.EncodeNumbers(values), Maker: job.Maker{Engine: "v1"}},
		{ID: "b", Answer: job.EncodeNumbers(values), Maker: job.Maker{Engine: "v2", Machine: "m", Class: "c"}},
		{ID: "c", Answer: job.EncodeNumbers(values)}, {ID: "d", Answer: job.EncodeNumbers(values), Maker: job.Maker{Engine: "v1", Class: "c"}}}, 0))
	for class, want := range map[string][]string{"": {"b"}, "c": {"b"}, "e": {"b", "d"}} {
		others, err := db.UnitsOfOthers(ctx, made.ID, "v1", class)
		noError(t, err)
		if !slices.Equal(others, want) {
			t.Errorf("held to %q: %q, want %q", class, others, want)
		}
	}
	if got, err := db.Study(ctx, made.ID); err != nil || got.Done != 4 {
		t.Errorf("%d units done, %v", got.Done, err)
	}
}

// TestFormerLabels: a stored summary names the methods as this version does.
func TestFormerLabels(t *testing.T) {
	db := open(t, t.TempDir())
	s := newStudy(t, db, "")
	noError(t, db.SetStudy(ctx, s.ID, Running, ""))
	noError(t, db.FinishStudy(ctx, s.ID, []study.Cell{{Key: study.Key{Model: "Probit"}}, {Key: study.Key{Model: "Linear SVM"}}}))
	cells, err := db.StudyCells(ctx, s.ID)
	noError(t, err)
	if cells[0].Model != "1 − erf (‘probit’)" || cells[1].Model != "Linear SVM" {
		t.Errorf("labels %q, %q", cells[0].Model, cells[1].Model)
	}
}
