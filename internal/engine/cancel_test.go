package engine

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/testtime"
)

// promptly is the processor time that a cancelled run may take at most: 500 ms, here
// with room for caches shared with neighbours and for the race detector.
const promptly = 2 * time.Second

// fuse is a context that ends at the n-th look at it.
type fuse struct {
	context.Context
	left atomic.Int64
}

func burning(n int64) *fuse {
	f := &fuse{Context: context.Background()}
	f.left.Store(n)
	return f
}

func (f *fuse) Err() error {
	if f.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelAtAnyLook cancels the preparation at every moment at which it looks
// at its context: nothing half made comes out.
func TestCancelAtAnyLook(t *testing.T) {
	tab, s := tabletest.FromRecords(tabletest.Clinic(120, 3)), clinicSpec()
	all := burning(1 << 40)
	if _, err := Prepare(all, tab, s); err != nil {
		t.Fatal(err)
	}
	looks := 1<<40 - all.left.Load()
	if looks < 30 {
		t.Fatalf("only %d looks at the context", looks)
	}
	for n := range looks - 4 { // goroutines share the last looks
		if p, err := Prepare(burning(n), tab, s); !errors.Is(err, context.Canceled) || p != nil {
			t.Fatalf("cancelled at look %d of %d: %v", n, looks, err)
		}
	}
}

// TestCancelPreparing cancels while a large file is prepared: 1,000,000 rows.
func TestCancelPreparing(t *testing.T) {
	testtime.TwoCores(t)
	if testing.Short() {
		t.Skip("takes 50 MB")
	}
	const n = 1_000_000
	tab := &table.Table{Rows: n}
	for k, name := range []string{"a", "b", "c", "d", "e"} {
		c := &table.Column{Name: name, Type: table.Number, Num: make([]float64, n), Distinct: n}
		for i := range c.Num {
			c.Num[i] = float64((i*(2*k+7919) + k) % 1_000_003)
		}
		tab.Columns = append(tab.Columns, c)
	}
	y := &table.Column{Name: "y", Type: table.Boolean, Code: make([]int32, n), Levels: []string{"0", "1"}, Count: []int{n - n/3 - 1, n/3 + 1}, Distinct: 2}
	for i := 0; i < n; i += 3 {
		y.Code[i] = 1
	}
	tab.Columns = append(tab.Columns, y)
	s := runspec.Spec{Outcome: "y", Positive: table.Levels{"1"}, Model: fit.Spec{L2: fit.L2{Value: 0.01}}}
	for _, after := range []time.Duration{20, 150, 400, 800} {
		ctx, cancel := context.WithCancel(context.Background())
		var at time.Duration
		time.AfterFunc(after*time.Millisecond, func() { at = testtime.Spent(); cancel() })
		_, err := Prepare(ctx, tab, s)
		if err == nil {
			cancel()
			return // prepared before that
		}
		if late := testtime.Spent() - at; !errors.Is(err, context.Canceled) || late > promptly {
			t.Errorf("cancelled after %d ms: %v, %v later", after, err, late)
		}
	}
}

// TestSettledLeakStaysSettled: what was answered when the data came in is not
// asked again by the run.
func TestSettledLeakStaysSettled(t *testing.T) {
	records := tabletest.Clinic(200, 5)
	records[0] = append(records[0], "discharge_code")
	for i, r := range records[1:] {
		code := []string{"1", "2", "3"}[i%3]
		if r[5] == "died" {
			code = "8"
		}
		records[i+1] = append(r, code)
	}
	s := clinicSpec()
	s.Predictors = append(s.Predictors, "discharge_code")
	tab := tabletest.FromRecords(records)
	for level, options := range map[string]table.Options{"ask": {}, "note": {Settled: []string{"leak:discharge_code"}}} {
		p, err := Prepare(context.Background(), tab.WithOptions(options), s)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(p.about.warnings, func(w Warning) bool { return w.Code == "leak" })
		if i < 0 || p.about.warnings[i].Level != level || p.about.warnings[i].Settled != (level == "note") {
			t.Errorf("with %v settled: %+v", options.Settled, p.about.warnings)
		}
	}
}
