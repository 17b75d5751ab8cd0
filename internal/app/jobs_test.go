package app

import (
	"context"
	"encoding/csv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"taper/internal/app/datasets"
	"taper/internal/engine"
	"taper/internal/engine/audit"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/testtime"
)

// fitted is a finished run on an App whose other jobs never get further.
func fitted(t *testing.T) (*App, store.Run) {
	t.Helper()
	return fittedAt(t, time.Now)
}

// fittedAt is fitted whose store calls now whenever it writes a time.
func fittedAt(t *testing.T, now func() time.Time) (*App, store.Run) {
	t.Helper()
	a := testAppAt(t, now, func(ctx context.Context, id string) error {
		if strings.HasPrefix(id, "r") && !strings.Contains(id, ".") { // a fit has the id of its run
			return nil
		}
		return waits(ctx, id)
	})
	r, err := a.StartRun(t.Context(), clinicRun(t, a))
	if err != nil {
		t.Fatal(err)
	}
	testtime.Until(t, "the run", func() bool {
		r, err = a.db.Run(t.Context(), r.ID)
		return err != nil || HasEnded(r.Status)
	})
	if err != nil || r.Status != store.Done {
		t.Fatal(r.Status, r.Error, err)
	}
	return a, r
}

// clinicRun is the spec of a run on a dataset that it uploads.
func clinicRun(t *testing.T, a *App) runspec.Spec {
	t.Helper()
	var file strings.Builder
	if err := csv.NewWriter(&file).WriteAll(tabletest.Clinic(80, 3)); err != nil {
		t.Fatal(err)
	}
	up, err := a.Datasets.Upload(strings.NewReader(file.String()))
	if err != nil {
		t.Fatal(err)
	}
	d, err := a.Datasets.Create(t.Context(), up, datasets.File{Name: "clinic", File: "clinic.csv"})
	if err != nil {
		t.Fatal(err)
	}
	return runspec.Spec{Dataset: d.ID, Outcome: "outcome", Positive: table.Levels{"died"},
		Task: "binary", Seed: 1, Model: fit.Spec{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: 1}},
		Validation: runspec.Validation{Kind: "cv", Folds: 2}}
}

// TestRefusedDeletionStopsNothing: a deletion that is refused stops no job.
func TestRefusedDeletionStopsNothing(t *testing.T) {
	a := testApp(t, waits)
	r, err := a.StartRun(t.Context(), clinicRun(t, a))
	if err != nil {
		t.Fatal(err)
	}
	id := started(t, a)
	keep := func(id string) error {
		_, err := a.KeepModels(t.Context(), id)
		return err
	}
	for _, c := range []struct {
		what string
		err  error
		code usererr.Code
	}{
		{"runs, one of which does not exist", a.DeleteRuns(t.Context(), []string{r.ID, "none"}), usererr.NotFound},
		{"a run as a dataset", a.DeleteDataset(t.Context(), r.ID), usererr.NotFound},
		{"a study as a dataset", a.DeleteDataset(t.Context(), id), usererr.NotFound},
		{"a study as a run", a.DeleteRuns(t.Context(), []string{id}), usererr.NotFound},
		{"a dataset without a finished run but its models", keep(r.Dataset), usererr.Conflict},
	} {
		if !usererr.Is(c.err, c.code) {
			t.Errorf("deleting %s: %v", c.what, c.err)
		}
		if !a.Jobs.Working(r.ID) || !a.Jobs.Working(id) {
			t.Fatalf("deleting %s: the run works: %v, the study: %v", c.what, a.Jobs.Working(r.ID), a.Jobs.Working(id))
		}
	}
}

// TestJobStartedAtOnce: of requests that start the same job at the same time one starts it, and the others do not
// delete what is stored of it.
func TestJobStartedAtOnce(t *testing.T) {
	a, r := fitted(t)
	for _, c := range []struct {
		name, id string
		start    func() error
		refuses  bool // whether a start is refused while the job is under way
	}{
		{"bootstrap", BootstrapJob(r.ID), func() error {
			return a.StartBootstrap(t.Context(), r.ID, engine.BootstrapOptions{}, Terms{})
		}, true},
		{"audit", AuditJob(r.ID), func() error { return a.StartAudit(t.Context(), r, audit.Options{}, Terms{}) }, false},
	} {
		for range 5 {
			const asked = 8
			var began atomic.Int64
			atOnce(t, asked, func(int) error {
				err := c.start()
				if err == nil {
					began.Add(1)
				} else if c.refuses && usererr.Is(err, usererr.Conflict) {
					return nil
				}
				return err
			})
			if n := began.Load(); c.refuses && n != 1 || !c.refuses && n != asked {
				t.Errorf("%s: %d of %d starts succeed", c.name, n, asked)
			}
			if _, err := a.db.Job(t.Context(), c.id); err != nil || !a.Jobs.Working(c.id) {
				t.Fatalf("%s: it works: %v, and is stored: %v", c.name, a.Jobs.Working(c.id), err)
			}
			a.Jobs.Stop(t.Context(), c.id)
		}
	}
}

// TestAuditNotStarted: an audit that cannot be stored is an error, even after an earlier one of the same run.
func TestAuditNotStarted(t *testing.T) {
	a, r := fitted(t)
	if err := a.StartAudit(t.Context(), r, audit.Options{}, Terms{}); err != nil {
		t.Fatal(err)
	}
	a.Jobs.Stop(t.Context(), AuditJob(r.ID))
	if err := a.db.DeleteRun(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	if err := a.StartAudit(t.Context(), r, audit.Options{}, Terms{}); err == nil {
		t.Error("an audit of a run that was deleted meanwhile is said to have started")
	}
}

// leaving is a clock by which the user of a request leaves at a given look at it.
type leaving struct {
	left  atomic.Int64
	leave context.CancelFunc
}

func (l *leaving) now() time.Time {
	if l.left.Add(-1) == 0 {
		l.leave()
	}
	return time.Now()
}

// request is a context that ends at that look.
func (l *leaving) request(ctx context.Context, look int) context.Context {
	ctx, l.leave = context.WithCancel(ctx)
	l.left.Store(int64(look))
	return ctx
}

// TestBootstrapLeft: whenever its user leaves, the record of a bootstrap says whether its job is under way.
func TestBootstrapLeft(t *testing.T) {
	var clock leaving
	a, r := fittedAt(t, clock.now)
	for look := 1; look <= 3; look++ {
		err := a.StartBootstrap(clock.request(t.Context(), look), r.ID, engine.BootstrapOptions{}, Terms{})
		b, broken := a.db.RunBootstrap(t.Context(), r.ID)
		if broken != nil {
			t.Fatal(broken)
		}
		under := b != nil && !HasEnded(b.Status)
		if works := a.Jobs.Working(BootstrapJob(r.ID)); under != works || under != (err == nil) {
			t.Errorf("left at look %d: the answer is %v, a record under way: %v, a job: %v", look, err, under, works)
		}
		a.Jobs.Stop(t.Context(), BootstrapJob(r.ID))
		clock.leave()
	}
}

// TestBootstrapNotQueued: a bootstrap that cannot be queued has failed, and can be started again.
func TestBootstrapNotQueued(t *testing.T) {
	a, r := fitted(t)
	if err := a.Jobs.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		err := a.StartBootstrap(t.Context(), r.ID, engine.BootstrapOptions{}, Terms{})
		if err == nil || !strings.Contains(err.Error(), "Taper is stopping") {
			t.Errorf("the answer is %v", err)
		}
		if b, err := a.db.RunBootstrap(t.Context(), r.ID); err != nil || b.Status != store.Failed {
			t.Errorf("the bootstrap is %+v, %v", b, err)
		}
	}
}

// TestRecalibrationLeft: whenever its user leaves, a recalibrated run has its result or does not exist.
func TestRecalibrationLeft(t *testing.T) {
	var clock leaving
	a, r := fittedAt(t, clock.now)
	shift := 0.5
	for look := 1; look <= 3; look++ {
		_, err := a.Recalibrate(clock.request(t.Context(), look), r.ID, Recalibration{Intercept: &shift}, nil)
		runs, _, broken := a.db.Runs(t.Context(), store.RunFilter{Limit: 10})
		if broken != nil {
			t.Fatal(broken)
		}
		for _, child := range runs {
			if child.Status != store.Done {
				t.Errorf("left at look %d: a run is %s, and the answer %v", look, child.Status, err)
			}
		}
		clock.leave()
	}
}

// TestRecalibrationIsWhole: nobody sees a recalibrated run without its result.
func TestRecalibrationIsWhole(t *testing.T) {
	var look atomic.Pointer[func()]
	a, r := fittedAt(t, func() time.Time {
		if see := look.Load(); see != nil {
			(*see)()
		}
		return time.Now()
	})
	looks := 0
	look.Store(new(func() {
		looks++
		runs, _, err := a.db.Runs(t.Context(), store.RunFilter{Limit: 10})
		if err != nil || len(runs) != 1 {
			t.Errorf("at look %d there are %d runs: %v", looks, len(runs), err)
		}
	}))
	id, err := a.Recalibrate(t.Context(), r.ID, Recalibration{Intercept: new(0.5)}, nil)
	look.Store(nil)
	if err != nil || looks == 0 {
		t.Fatalf("%d looks, %v", looks, err)
	}
	child, err := a.db.Run(t.Context(), id)
	if err != nil || child.Status != store.Done || child.Result == nil {
		t.Fatalf("the run is %s: %v", child.Status, err)
	}
	if from, err := a.db.RunOrigin(t.Context(), id); err != nil || from.Parent != r.ID || from.Intercept != 0.5 {
		t.Errorf("made from %+v, %v", from, err)
	}
	if rows, err := a.db.RunRows(t.Context(), id); err != nil || len(rows) == 0 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// TestRecalibrationOfDeletedData: where the data are deleted while a run is recalibrated, no run is left, and the
// answer says why.
func TestRecalibrationOfDeletedData(t *testing.T) {
	var look atomic.Pointer[func()]
	a, r := fittedAt(t, func() time.Time {
		if see := look.Swap(nil); see != nil {
			(*see)()
		}
		return time.Now()
	})
	look.Store(new(func() { // the id of the new run is being made
		if err := a.DeleteDataset(t.Context(), r.Dataset); err != nil {
			t.Error(err)
		}
	}))
	_, err := a.Recalibrate(t.Context(), r.ID, Recalibration{Intercept: new(0.5)}, nil)
	if !usererr.Is(err, usererr.Conflict) || !strings.Contains(err.Error(), "was deleted while the run was being created") {
		t.Errorf("the answer is %v", err)
	}
	if runs, _, err := a.db.Runs(t.Context(), store.RunFilter{Limit: 10}); err != nil || len(runs) > 0 {
		t.Errorf("%d runs are left, %v", len(runs), err)
	}
}

// meanwhile is the context of a request during which something else is done, at a given look at it.
type meanwhile struct {
	context.Context
	do func()

	mu   sync.Mutex
	left int
}

func (m *meanwhile) Done() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left--; m.left == 0 {
		m.do()
	}
	return m.Context.Done()
}

// over ends that, and reports whether it was done. The database may still look at the context later.
func (m *meanwhile) over() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	done := m.left <= 0
	m.left = 0
	return done
}

// TestRecalibrationOfEndingRun: a run that ends while it is read is recalibrated or refused.
func TestRecalibrationOfEndingRun(t *testing.T) {
	a, r := fitted(t)
	found := *r.Result
	var err error
	if found.Model, err = a.db.RunModel(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	if found.Rows, err = a.db.RunRows(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	for look := 1; ; look++ {
		way := store.Run{ID: a.db.NewID("r"), Dataset: r.Dataset, Name: "on its way", Spec: r.Spec, Reading: r.Reading}
		if err := a.db.CreateRun(t.Context(), way); err != nil {
			t.Fatal(err)
		}
		ctx := &meanwhile{Context: t.Context(), left: look, do: func() {
			if err := a.db.FinishRun(t.Context(), way.ID, &found); err != nil {
				t.Error(err)
			}
		}}
		_, err := a.Recalibrate(ctx, way.ID, Recalibration{Intercept: new(0.5)}, nil)
		if err != nil && !usererr.Is(err, usererr.Conflict) {
			t.Errorf("ended at look %d: %v", look, err)
		}
		if !ctx.over() { // it was looked at less often
			return
		}
	}
}
