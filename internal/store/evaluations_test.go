package store

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"taper/internal/engine"
	"taper/internal/engine/external"
	"taper/internal/engine/stat"
	"taper/internal/engine/usererr"
)

// TestEvaluations: a validation is read back as stored, also after a restart; evaluating the
// same file again replaces it; it is deleted with its run.
func TestEvaluations(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	db := open(t, dir)
	d := upload(t, db, "a.csv", "a,b\n1,2\n")
	r := finishedRun(t, db, d.ID, "one", result("x", 3))
	auc, oe, accuracy := 0.75, 1.5, 0.5
	two := external.Evaluation{Read: 130, Rows: 120, Events: 40, Skipped: 10, Seed: 7, By: "site", Warnings: []engine.Warning{{Code: external.WarnSkipped, Message: "ten"}},
		Metrics: stat.Binary{AUC: &auc}, Performance: &stat.Performance{ObservedExpected: stat.Estimate{Value: &oe}},
		Predictors: []external.Shift{{Name: "age", Kind: "number", N: []int{80, 40}, Quartiles: []*[3]float64{{1, 2, 3}, nil}, Outside: 2}}}
	several := external.Evaluation{Rows: 9, Classes: &stat.Classes{Levels: []string{"a", "b"}, Confusion: [][]int{{4, 1}, {2, 2}}, Accuracy: &accuracy}}

	waiting := newRun(t, db, d.ID, "waiting")
	_, err := db.SaveEvaluation(ctx, Evaluation{Run: waiting.ID, Result: &two})
	wantCode(t, err, usererr.Conflict, "no result")
	_, err = db.SaveEvaluation(ctx, Evaluation{Run: "none", Result: &two})
	wantCode(t, err, usererr.NotFound, "")

	when := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	id, err := db.SaveEvaluation(ctx, Evaluation{Run: r.ID, Name: "ward", File: "ward.csv", SHA256: "ab", Version: "1", Created: when, Result: &two})
	noError(t, err)
	other, err := db.SaveEvaluation(ctx, Evaluation{Run: r.ID, Name: "classes", File: "c.csv", SHA256: "cd", Created: when.Add(time.Hour), Result: &several})
	noError(t, err)
	noError(t, db.RenameEvaluation(ctx, id, "north ward"))
	wantCode(t, db.RenameEvaluation(ctx, "none", "x"), usererr.NotFound, "")
	noError(t, db.Close())
	db = open(t, dir)
	got, err := db.Evaluation(ctx, id)
	noError(t, err)
	want := Evaluation{ID: id, Run: r.ID, Name: "north ward", File: "ward.csv", SHA256: "ab", Version: "1", Created: when, N: 120, Events: 40, AUC: &auc, ObservedExpected: &oe, Result: &two}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, err = db.Evaluation(ctx, other); err != nil || cmp.Diff(several.Classes, got.Result.Classes) != "" || *got.Accuracy != 0.5 || got.Events != 0 {
		t.Errorf("several classes: %+v, %v", got, err)
	}

	two.Rows = 121
	again, err := db.SaveEvaluation(ctx, Evaluation{Run: r.ID, Name: "another name", File: "renamed.csv", SHA256: "ab", Created: when.Add(2 * time.Hour), Result: &two})
	noError(t, err)
	list, err := db.Evaluations(ctx, r.ID)
	noError(t, err)
	if again != id || len(list) != 2 || list[0].ID != id || list[0].Name != "north ward" || list[0].File != "renamed.csv" || list[0].N != 121 || list[1].ID != other || list[0].Result != nil {
		t.Errorf("judged again as %s, of %s: %+v", again, id, list)
	}

	noError(t, db.DeleteEvaluation(ctx, other))
	wantCode(t, db.DeleteEvaluation(ctx, other), usererr.NotFound, "deleted")
	noError(t, db.DeleteRun(ctx, r.ID))
	_, err = db.Evaluation(ctx, id)
	wantCode(t, err, usererr.NotFound, "")
}

// TestEvaluationIsWiped: a name in a deleted validation is in no file of the folder.
func TestEvaluationIsWiped(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	db := open(t, dir)
	r := finishedRun(t, db, upload(t, db, "a.csv", "a,b\n1,2\n").ID, "one", result("x", 3))
	const canary = "kanarienvogel-17"
	id, err := db.SaveEvaluation(ctx, Evaluation{Run: r.ID, Name: canary, File: canary, SHA256: "ab", Result: &external.Evaluation{By: canary}})
	noError(t, err)
	if !inFolder(t, dir, canary) {
		t.Fatal("the canary was never there")
	}
	noError(t, db.DeleteEvaluation(ctx, id))
	if inFolder(t, dir, canary) {
		t.Error("the canary outlives its validation")
	}
}

func inFolder(t *testing.T, dir, text string) (found bool) {
	t.Helper()
	noError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		found = found || bytes.Contains(b, []byte(text))
		return err
	}))
	return found
}
