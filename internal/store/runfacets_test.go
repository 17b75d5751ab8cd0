package store

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

func TestRunFacets(t *testing.T) {
	db := open(t, t.TempDir())
	a, b := upload(t, db, "wdbc", "x"), upload(t, db, "heart", "y")
	finishedRun(t, db, a.ID, "1", result("", 1))
	finishedRun(t, db, a.ID, "2", result("", 1))
	newRun(t, db, b.ID, "3")
	got, err := db.RunFacets(ctx)
	noError(t, err)
	want := RunFacets{
		Total:    3,
		Datasets: []Facet{{b.ID, "heart", b.SHA256, 1}, {a.ID, "wdbc", a.SHA256, 2}},
		Losses:   []Facet{{"interval", "", "", 3}},
		Statuses: []Facet{{Done, "", "", 2}, {Queued, "", "", 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestPeers compares the query with groups written by hand: peers differ in nothing but the
// model.
func TestPeers(t *testing.T) {
	db := open(t, t.TempDir())
	a, b := upload(t, db, "a", "x"), upload(t, db, "b", "y")
	add := func(data Dataset, name string, loss *float64, change func(*runspec.Spec)) Run {
		t.Helper()
		r := Run{ID: db.NewID("r"), Dataset: data.ID, Name: name, Spec: runspec.Spec{Dataset: data.ID, Outcome: "dx", Positive: table.Levels{"sick"},
			Task: "interval", Boundaries: []float64{0.25, 0.5}, Validation: runspec.Validation{Kind: "cv", Folds: 5}, Seed: 7,
			Model: fit.Spec{Loss: "interval"}}}
		if change != nil {
			change(&r.Spec)
		}
		noError(t, db.CreateRun(ctx, r))
		res := result("", 1)
		res.Metrics.Test.IntervalLoss = loss
		noError(t, db.FinishRun(ctx, r.ID, res))
		return r
	}
	add(a, "first", ptr(0.3), nil)
	best := add(a, "best", ptr(0.2), func(s *runspec.Spec) { s.Model.Loss = "logistic" })
	tie := add(a, "tie", ptr(0.2), func(s *runspec.Spec) { s.Predictors = []string{"age"} })
	add(a, "undefined", nil, nil)
	other := add(b, "other data", ptr(0.1), nil)
	alone := map[string]func(*runspec.Spec){
		"outcome":    func(s *runspec.Spec) { s.Outcome = "death" },
		"event":      func(s *runspec.Spec) { s.Positive = table.Levels{"well"} },
		"negative":   func(s *runspec.Spec) { s.Negative = table.Levels{"well"} },
		"boundaries": func(s *runspec.Spec) { s.Boundaries = []float64{0.3, 0.5} },
		"training":   func(s *runspec.Spec) { s.Validation.Kind = "none" },
		"training 2": func(s *runspec.Spec) { s.Validation.Kind = "none" },
		"validation": func(s *runspec.Spec) { s.Validation.Kind = "split" },
		"labels":     func(s *runspec.Spec) { s.Review = &runspec.Review{Changes: []runspec.Relabel{{Row: 1}}} },
		"folds":      func(s *runspec.Spec) { s.Validation.Folds = 10 },
		"seed":       func(s *runspec.Spec) { s.Seed = 8 },
		"group":      func(s *runspec.Spec) { s.Group = "patient" },
	}
	for name, change := range alone {
		add(a, name, ptr(0.15), change)
	}
	newRun(t, db, a.ID, "open")
	moved := result("", 1)
	moved.Metrics.Test.IntervalLoss, moved.Metrics.Test.AUC = ptr(.1), ptr(.8)
	moved.Warnings = []engine.Warning{{Code: engine.WarnRecalibrated}}
	derived := best
	derived.ID, derived.Name = db.NewID("r"), "recalibrated"
	noError(t, db.AddDerived(ctx, derived, Origin{Parent: best.ID, Intercept: 1, Slope: 1}, moved))
	list, _, err := db.Runs(ctx, RunFilter{})
	noError(t, err)
	got, err := db.Peers(ctx, list)
	noError(t, err)
	for _, r := range list {
		p, ok := got[r.ID]
		caveat := map[string]string{"training": TrainingRows, "training 2": TrainingRows, "labels": ReviewedLabels, "recalibrated": Recalibrated}[r.Name]
		if r.Summary.Caveat != caveat || caveat == Recalibrated && (r.Summary.Statistics["interval_loss"] != nil || r.Summary.Statistics["auc"] == nil) {
			t.Errorf("%s: caveat %q, %v", r.Name, r.Summary.Caveat, r.Summary.Statistics)
		}
		switch want := (Peers{3, 0.2, best.ID, "best", 0.2, tie.ID, "tie"}); {
		case r.Summary.Statistics["interval_loss"] == nil:
			if ok {
				t.Errorf("%s has peers %+v", r.Name, p)
			}
		case r.ID == other.ID && p != (Peers{1, 0.1, other.ID, "other data", 0, "", ""}):
			t.Errorf("%s: %+v", r.Name, p)
		case caveat == TrainingRows:
			if ok {
				t.Errorf("%s: %+v", r.Name, p)
			}
		case alone[r.Name] != nil && p.N != 1:
			t.Errorf("another %s makes no difference: %+v", r.Name, p)
		case r.Dataset == a.ID && alone[r.Name] == nil && p != want:
			t.Errorf("%s: %+v, want %+v", r.Name, p, want)
		}
	}
	if p, err := db.Peers(ctx, nil); err != nil || len(p) != 0 {
		t.Errorf("no runs: %v, %v", p, err)
	}
}

// TestSortedAsShown: earlier versions stored with a recalibrated run the losses and verdicts of its rows, which are of
// another population. A list does not show them, so it does not sort by them either.
func TestSortedAsShown(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	d := upload(t, db, "data", "x")
	add := func(name string, loss float64) Run {
		res := result("", 1)
		res.Metrics.Test.AUC, res.Metrics.Test.IntervalLoss, res.Metrics.Test.Brier = &loss, &loss, &loss
		return finishedRun(t, db, d.ID, name, res)
	}
	add("low", .1)
	parent := add("high", .3)
	moved := parent
	moved.ID, moved.Name = db.NewID("r"), "moved"
	noError(t, db.AddDerived(ctx, moved, Origin{Parent: parent.ID, Intercept: 1, Slope: 1}, result("", 1)))
	_, err := db.w.ExecContext(ctx, `UPDATE runs SET auc = .2, interval_loss = .2, brier = .2, bands_ok = 1,
		bands_judged = 2 WHERE id = ?`, moved.ID)
	noError(t, err)
	_, err = db.w.ExecContext(ctx, `PRAGMA user_version = 14`) // of the last version that stored them
	noError(t, err)
	noError(t, db.Close())
	db = open(t, dir)
	for by, want := range map[string][2]string{"auc": {"low moved high", "high moved low"},
		"interval_loss": {"low high moved", "high low moved"}, "brier": {"low high moved", "high low moved"}} {
		for k, desc := range []bool{false, true} {
			list, _, err := db.Runs(ctx, RunFilter{Sort: by, Desc: desc})
			noError(t, err)
			var names []string
			for _, r := range list {
				names = append(names, r.Name)
				if r.Name == "moved" && r.Summary.BandsEvaluated+r.Summary.BandsOK > 0 {
					t.Errorf("bands of %s: %+v", r.Name, r.Summary)
				}
				if shown := r.Summary.Statistics[by] != nil; shown != (r.Name != "moved" || by == "auc") {
					t.Errorf("%s of %s: shown %t", by, r.Name, shown)
				}
			}
			if got := strings.Join(names, " "); got != want[k] {
				t.Errorf("by %s, descending %t: %s, want %s", by, desc, got, want[k])
			}
		}
	}
}

func TestDeleteRuns(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	d := upload(t, db, "data", "x")
	var ids []string
	for i := range 3 {
		ids = append(ids, finishedRun(t, db, d.ID, fmt.Sprint("run ", i), result("canary", 5)).ID)
	}
	wantCode(t, db.DeleteRuns(ctx, []string{ids[0], "none"}), usererr.NotFound, "‘none’")
	if _, n, _ := db.Runs(ctx, RunFilter{}); n != 3 {
		t.Fatalf("%d runs after a refused deletion, want all 3", n)
	}
	noError(t, db.DeleteRuns(ctx, ids))
	if _, n, _ := db.Runs(ctx, RunFilter{}); n != 0 {
		t.Errorf("%d runs left", n)
	}
	if files := holds(t, dir, "canary"); len(files) > 0 {
		t.Errorf("their rows are still in %v", files)
	}
}

// BenchmarkRunPage measures the additional queries of a page of the list, with 10,000 runs on
// five datasets.
func BenchmarkRunPage(b *testing.B) {
	db := open(b, b.TempDir())
	rng := rand.New(rand.NewPCG(1, 1))
	spec, err := toJSON(runspec.Spec{Outcome: "dx", Positive: table.Levels{"sick"}, Predictors: make([]string, 30), Seed: 7,
		Boundaries: []float64{0.25, 0.5, 0.75}, Validation: runspec.Validation{Kind: "cv", Folds: 5}})
	noError(b, err)
	for k := range 5 {
		d := upload(b, db, fmt.Sprint("data ", k), "x")
		noError(b, db.tx(ctx, func(tx *sql.Tx) error {
			for i := range 2000 {
				r := Run{ID: db.NewID("r"), Dataset: d.ID, DatasetName: d.Name, Name: fmt.Sprint("run ", i), Created: db.now(),
					Spec: runspec.Spec{Outcome: "dx", Task: "interval", Boundaries: []float64{0.25, 0.5, 0.75}, Model: fit.Spec{Loss: "interval"}}}
				if err := insertRun(ctx, tx, r); err != nil {
					return err
				}
				if _, err := tx.Exec(`UPDATE runs SET status = 'done', auc = ?, interval_loss = ? WHERE id = ?`, rng.Float64(), rng.Float64(), r.ID); err != nil {
					return err
				}
				if _, err := tx.Exec(`INSERT INTO run_specs (run, spec) VALUES (?, ?)`, r.ID, spec); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	list, _, err := db.Runs(ctx, RunFilter{Sort: "auc"})
	noError(b, err)
	b.Run("facets", func(b *testing.B) {
		for b.Loop() {
			_, err := db.RunFacets(ctx)
			noError(b, err)
		}
	})
	b.Run("peers", func(b *testing.B) {
		for b.Loop() {
			p, err := db.Peers(ctx, list)
			noError(b, err)
			if len(p) != 50 {
				b.Fatal(len(p))
			}
		}
	})
}
