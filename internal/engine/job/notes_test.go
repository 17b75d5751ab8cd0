package job

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// memory is a ledger that counts commits.
type memory struct {
	mu      sync.Mutex
	units   map[string]map[int]map[string][]byte // by job and stage
	commits int
	fails   error
}

func (m *memory) Kept(_ context.Context, job string, stage int, found func(string, []byte) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for unit, text := range m.units[job][stage] {
		if err := found(unit, text); err != nil {
			return err
		}
	}
	return found("of another plan", nil)
}

func (m *memory) Keep(_ context.Context, job string, units []Answer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.commits++; m.fails != nil {
		return m.fails
	}
	for _, u := range units {
		if m.units == nil {
			m.units = map[string]map[int]map[string][]byte{}
		}
		if m.units[job] == nil {
			m.units[job] = map[int]map[string][]byte{}
		}
		if m.units[job][u.Stage] == nil {
			m.units[job][u.Stage] = map[string][]byte{}
		}
		if m.units[job][u.Stage][u.Unit] != nil {
			return errors.New("kept twice: " + u.Unit)
		}
		m.units[job][u.Stage][u.Unit] = u.Text
	}
	return nil
}

func (m *memory) kept(job string) (n int) {
	for _, units := range m.units[job] {
		n += len(units)
	}
	return n
}

func (*memory) LeftOut(context.Context, Sharing) error { return nil }

func (*memory) Begun(context.Context, string) error { return nil }

var quiet = slog.New(slog.DiscardHandler)

// chained runs a chain as a job with notes, until a stop after so many pieces (0 = never).
func chained(t *testing.T, ledger Ledger, crew Crew, after int, log *slog.Logger) (c *chain, err error) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	c = &chain{}
	c.each = func() {
		time.Sleep(keepEvery)
		c.mu.Lock()
		defer c.mu.Unlock()
		if after > 0 && c.here+c.home >= after {
			stop()
		}
	}
	by := Maker{"here", "fused", "v1"}
	err = do(ctx, "j", c.session(), Here{Maker: by, Crew: crew, notes: newNotes(ledger, "j", by, log)}, nil)
	return c, err
}

// TestStepsAreTakenUp: a job that was stopped after any number of pieces goes on with those that were kept, to the same
// bits, with a crew and without one, and whichever of both there is afterwards.
func TestStepsAreTakenUp(t *testing.T) {
	want := &chain{}
	if err := want.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	nobody := crewFunc(func(ctx context.Context, _ string, w Shared) error {
		w.Staff(0, "")
		<-ctx.Done()
		return nil
	})
	for _, crews := range [][2]Crew{{nil, nil}, {nobody, nobody}, {nil, nobody}, {nobody, nil}} {
		for after := 1; after <= 13; after++ {
			synctest.Test(t, func(t *testing.T) {
				ledger := &memory{}
				if c, err := chained(t, ledger, crews[0], after, quiet); !errors.Is(err, context.Canceled) {
					t.Fatalf("stopped after %d pieces: %v, %d here", after, err, c.here)
				}
				kept := ledger.kept("j")
				got, err := chained(t, ledger, crews[1], 0, quiet)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual([][]float64{got.first, got.shares, got.last}, [][]float64{want.first, want.shares, want.last}) {
					t.Errorf("after %d pieces: %v %v %v, want %v %v %v", after, got.first, got.shares, got.last, want.first,
						want.shares, want.last)
				}
				if got.here+kept != 12 || after > 5 && kept == 0 {
					t.Errorf("after %d pieces %d were kept and %d computed, of 12", after, kept, got.here)
				}
			})
		}
	}
}

// TestUnitsAreTakenUp is the same of a job whose stage is made of units.
func TestUnitsAreTakenUp(t *testing.T) {
	ledger := &memory{}
	here := Here{Maker: Maker{"here", "fused", "v1"}}
	away := Maker{"away", "fused", "v1"}
	s := &squares{n: 9, here: map[int]bool{}, makers: map[int]Maker{}, gate: make(chan struct{})}
	here.notes = newNotes(ledger, "j", here.Maker, quiet)
	here.Crew = crewFunc(func(ctx context.Context, _ string, w Shared) error {
		w.Staff(1, "on a machine")
		for _, number := range []int{2, 7} { // each is stored before the machine hears that it is kept
			if err := w.Keep(ctx, []Kept{{Number: number, Body: square(number), Maker: away}}); err != nil {
				return err
			}
			if ledger.kept("j") != ledger.commits {
				t.Errorf("%d units in %d commits", ledger.kept("j"), ledger.commits)
			}
		}
		return errors.New("killed")
	})
	if err := do(t.Context(), "j", s, here, nil); err == nil || ledger.kept("j") != 2 {
		t.Fatalf("%v, %d units are kept", err, ledger.kept("j"))
	}
	again := &squares{n: 9, here: map[int]bool{}, makers: map[int]Maker{}}
	here.Crew, here.notes = nil, newNotes(ledger, "j", here.Maker, quiet)
	if err := do(t.Context(), "j", again, here, nil); err != nil {
		t.Fatal(err)
	}
	again.right(t)
	if len(again.here) != 7 || again.here[2] || again.here[7] {
		t.Errorf("computed again: %v", again.here)
	}
}

// TestShortJobWritesNothing: what ends within the time between two commits costs none.
func TestShortJobWritesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ledger := &memory{}
		c := &chain{}
		if err := do(t.Context(), "j", c.session(), Here{notes: newNotes(ledger, "j", Maker{}, nil)}, nil); err != nil {
			t.Fatal(err)
		}
		if ledger.commits > 0 || c.here != 12 {
			t.Errorf("%d commits of %d pieces", ledger.commits, c.here)
		}
	})
}

// TestLedgerFails: a job whose units cannot be kept ends well, and the log says once that they are not kept.
func TestLedgerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		ledger := &memory{fails: errors.New("the disk is full")}
		c, err := chained(t, ledger, nil, 0, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil || c.here != 12 || ledger.commits != 1 || strings.Count(log.String(), "the disk is full") != 1 {
			t.Errorf("%v, %d pieces, %d commits: %s", err, c.here, ledger.commits, &log)
		}
	})
}
