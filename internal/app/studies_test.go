package app

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"taper/internal/app/datasets"
	"taper/internal/engine/cost"
	"taper/internal/engine/fit"
	"taper/internal/engine/job"
	"taper/internal/engine/study"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/testtime"
)

// testApp is an App on a temporary folder. Its jobs begin with begun.
func testApp(t *testing.T, begun func(ctx context.Context, id string) error) *App {
	t.Helper()
	return testAppAt(t, time.Now, begun)
}

// testAppAt is testApp whose store calls now whenever it writes a time.
func testAppAt(t *testing.T, now func() time.Time, begun func(ctx context.Context, id string) error) *App {
	t.Helper()
	db, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "data"), now)
	if err != nil {
		t.Fatal(err)
	}
	data := datasets.New(db, table.DefaultLimits, cost.Memory{}, time.Now)
	a := New(db, data, cost.Memory{}, 0, "test", slog.New(slog.NewTextHandler(io.Discard, nil)), time.Now)
	a.Jobs.Ledger = beginning{a.Jobs.Ledger, begun}
	t.Cleanup(func() {
		if err := a.Jobs.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// beginning is a ledger that calls begun before a job opens its session.
type beginning struct {
	job.Ledger
	begun func(ctx context.Context, id string) error
}

func (b beginning) Begun(ctx context.Context, id string) error { return b.begun(ctx, id) }

// waits begins a job that never gets further.
func waits(ctx context.Context, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

// started is a study that is queued or running.
func started(t *testing.T, a *App) (id string) {
	t.Helper()
	st, err := a.StartStudy(t.Context(), study.Spec{Dataset: study.Source{Generator: "gmm", Rows: 100}, Replicates: 1,
		Seed: 1, Models: []fit.Spec{{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: 0.01}}}})
	if err != nil {
		t.Fatal(err)
	}
	return st.ID
}

// TestStudyResumedAtOnce: requests that resume a paused study at the same time start it once, and all succeed.
func TestStudyResumedAtOnce(t *testing.T) {
	a := testApp(t, waits)
	id := started(t, a)
	for range 10 {
		if err := a.HaltStudy(t.Context(), id, store.Paused); err != nil {
			t.Fatal(err)
		}
		atOnce(t, 8, func(int) error { return a.ResumeStudy(t.Context(), id) })
		if st, err := a.db.Study(t.Context(), id); err != nil || st.Status != store.Queued || !a.Jobs.Working(id) {
			t.Fatalf("the study is %s, its job works: %v, %v", st.Status, a.Jobs.Working(id), err)
		}
	}
}

// atOnce calls ask n times at the same time, and reports errors.
func atOnce(t *testing.T, n int, ask func(i int) error) {
	t.Helper()
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-begin
			if err := ask(i); err != nil {
				t.Error(err)
			}
		})
	}
	close(begin)
	all.Wait()
}

// TestStudyPausedAndResumedAtOnce: whichever request comes last, the record of a study says whether it is computed.
func TestStudyPausedAndResumedAtOnce(t *testing.T) {
	a := testApp(t, waits)
	id := started(t, a)
	for range 10 {
		atOnce(t, 8, func(i int) error {
			if i%2 == 0 {
				return a.HaltStudy(t.Context(), id, store.Paused)
			}
			return a.ResumeStudy(t.Context(), id)
		})
		testtime.Until(t, "a record that agrees with the job", func() bool { // a paused job may still be ending
			st, err := a.db.Study(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			return a.Jobs.Working(id) == !HasEnded(st.Status)
		})
	}
}

// TestHaltedStudyLeft: a study is paused even if its user leaves while its job ends.
func TestHaltedStudyLeft(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	a := testApp(t, func(ctx context.Context, id string) error {
		defer leave()
		return waits(ctx, id)
	})
	id := started(t, a)
	if err := a.HaltStudy(ctx, id, store.Paused); err != nil {
		t.Error(err)
	}
	if st, err := a.db.Study(t.Context(), id); err != nil || st.Status != store.Paused {
		t.Errorf("the study is %s, %v", st.Status, err)
	}
}
