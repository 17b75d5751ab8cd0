package store

import (
	"context"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/usererr"
)

// TestBootstraps: a bootstrap is read back as stored, a second one replaces it, a crash
// interrupts it, and it is deleted with its run.
func TestBootstraps(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	db := open(t, dir)
	d := upload(t, db, "a.csv", "a,b\n1,2\n")
	r := finishedRun(t, db, d.ID, "one", result("x", 3))
	if b, err := db.RunBootstrap(ctx, r.ID); b != nil || err != nil {
		t.Fatalf("before: %v, %v", b, err)
	}
	waiting := newRun(t, db, d.ID, "waiting")
	wantCode(t, db.BeginBootstrap(ctx, waiting.ID, 200), usererr.Conflict, "no result")
	wantCode(t, db.BeginBootstrap(ctx, "none", 200), usererr.NotFound, "")
	noError(t, db.BeginBootstrap(ctx, r.ID, 200))
	noError(t, db.FinishBootstrap(ctx, r.ID, &engine.Bootstrap{Replicates: 199, Failed: 1, L2: []float64{0.5}}))
	b, err := db.RunBootstrap(ctx, r.ID)
	noError(t, err)
	if b.Status != Done || b.Result == nil || b.Result.Replicates != 199 || b.Result.L2[0] != 0.5 || b.Finished.IsZero() {
		t.Fatalf("came back as %+v", b)
	}
	noError(t, db.EndBootstrap(ctx, r.ID, Failed, "late")) // already ended: nothing changes
	noError(t, db.BeginBootstrap(ctx, r.ID, 50))
	noError(t, db.Close())
	db = open(t, dir)
	if b, err = db.RunBootstrap(ctx, r.ID); err != nil || b.Status != Interrupted || b.Result != nil || b.Replicates != 50 {
		t.Fatalf("after a restart: %+v, %v", b, err)
	}
	noError(t, db.DeleteRun(ctx, r.ID))
	if b, err = db.RunBootstrap(ctx, r.ID); b != nil || err != nil {
		t.Fatalf("after the run: %v, %v", b, err)
	}
}
