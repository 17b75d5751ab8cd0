package store

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/model"
	"taper/internal/engine/prep"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/testtime"
)

var ctx = context.Background()

// clock returns a time that advances by one second per call.
func clock() func() time.Time {
	t := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	return func() time.Time { t = t.Add(time.Second); return t }
}

// open opens a folder whose deletions return when nothing of them is left in its files.
func open(t testing.TB, dir string) *DB {
	t.Helper()
	db, err := Open(ctx, dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	db.scrubs.patience = testtime.Hang
	t.Cleanup(func() { db.Close() })
	return db
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantCode fails unless err is a user error with the code and the words.
func wantCode(t testing.TB, err error, code usererr.Code, words string) {
	t.Helper()
	if !usererr.Is(err, code) || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "%!") {
		t.Fatalf("error %v, want code %s and %q", err, code, words)
	}
}

// upload stores text as a new dataset in state raw.
func upload(t testing.TB, db *DB, name, text string) Dataset {
	t.Helper()
	u, err := db.NewUpload(0)
	noError(t, err)
	defer u.Abort()
	_, err = u.Write([]byte(text))
	noError(t, err)
	d := Dataset{ID: db.NewID("d"), Name: name, File: name + ".csv", State: Raw, Rows: 3}
	noError(t, db.CreateDataset(ctx, d, u))
	d, err = db.Dataset(ctx, d.ID)
	noError(t, err)
	return d
}

// smallTable has a number with a missing value and a category.
func smallTable(mark string) *table.Table {
	return &table.Table{Rows: 3, Columns: []*table.Column{
		{Name: "age", Type: table.Number, Role: table.Predictor, Num: []float64{1.5, math.NaN(), math.Copysign(0, -1)}, Missing: 1, Distinct: 2,
			Layout: "2006-01-02", Decimal: ","},
		{Name: "sex", Type: table.Category, Code: []int32{0, -1, 1}, Levels: []string{mark + "F", mark + "M"}, Count: []int{1, 1}, Missing: 1, Distinct: 2,
			Aliases: map[string]string{mark + "f.": mark + "F"}},
	}}
}

// keepColumns confirms a dataset as it is stored, with a small table.
func keepColumns(ctx context.Context, db *DB, id, mark string) error {
	d, err := db.Dataset(ctx, id)
	if err != nil {
		return err
	}
	return db.KeepColumns(ctx, d, smallTable(mark))
}

func ptr[T any](v T) *T { return &v }

// result has every part that is stored separately.
func result(mark string, rows int) *engine.Result {
	r := &engine.Result{
		Outcome: "dx", Positive: table.Levels{mark + "sick"}, Negative: table.Levels{"well"}, Boundaries: []float64{0.25, 0.5},
		Metrics: engine.Metrics{Test: stat.Binary{AUC: ptr(0.875), IntervalLoss: ptr(0.25)}},
		Strata: []stat.Stratum{
			{Upper: 0.25, N: 50, Events: 6, Observed: ptr(0.12), Verdict: "inside"},
			{Lower: 0.25, Upper: 0.5, N: 40, Events: 21, Observed: ptr(0.525), Verdict: "unclear"},
			{Lower: 0.5, Upper: 1, N: 3, Events: 2, Verdict: "too few"},
		},
		Flow: engine.Flow{Scored: 93, ScoredEvents: 29}, Seconds: 0.5, ElapsedS: 4,
		Model: &model.Model{Format: "taper-model/1", Weights: []float64{0.1, -2}, Levels: []string{"well", mark + "sick"},
			Columns: []prep.Column{{Name: "age", Kind: "number", Median: 50}}},
	}
	for i := range rows {
		s := engine.RowScore{Row: i, Outcome: mark + []string{"sick", "well"}[i%2], Split: fmt.Sprint(i%5 + 1), Score: float64(i) / 3, Stratum: i % 3}
		if i%2 == 1 {
			s.Probability, s.Flipped = ptr(1/(1+float64(i))), true
		}
		r.Rows = append(r.Rows, s)
	}
	return r
}

func newRun(t testing.TB, db *DB, dataset, name string) Run {
	t.Helper()
	r := Run{ID: db.NewID("r"), Dataset: dataset, Name: name, Version: "v1", Spec: runspec.Spec{
		Dataset: dataset, Outcome: "dx", Positive: table.Levels{"sick"}, Task: "interval", Boundaries: []float64{0.25, 0.5},
		Model: fit.Spec{Kind: "linear", Loss: "interval", L2: fit.L2{Mode: "cv"}, Params: map[string]any{"alpha": "inf"}}, Seed: 1<<63 + 7}}
	noError(t, db.CreateRun(ctx, r))
	return r
}

func finishedRun(t testing.TB, db *DB, dataset, name string, res *engine.Result) Run {
	t.Helper()
	r := newRun(t, db, dataset, name)
	noError(t, db.StartRun(ctx, r.ID))
	noError(t, db.FinishRun(ctx, r.ID, res))
	return r
}

// holds lists the files below dir that contain the text.
func holds(t testing.TB, dir, text string) (files []string) {
	t.Helper()
	noError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), text) || strings.Contains(path, text) {
			files = append(files, path)
		}
		return err
	}))
	return files
}
