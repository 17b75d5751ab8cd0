package job

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"taper/internal/engine/cost"
	"taper/internal/engine/usererr"
)

// count is a kind with one unit, which ends as its spec says; it counts calls of End.
type count struct {
	mu   sync.Mutex
	ends map[string]string
}

func newCount() *count { return &count{ends: map[string]string{}} }

func (*count) ID() string { return "count" }

func (*count) Open(_ context.Context, spec json.RawMessage) (Session, error) {
	var how string
	if err := json.Unmarshal(spec, &how); err != nil {
		return nil, err
	}
	if how == "unread" {
		return nil, usererr.New(usererr.Conflict, "The file is gone.")
	}
	return Whole[string]{
		Work: func(ctx context.Context, _ func(Progress)) (string, error) {
			switch how {
			case "fails":
				return "", errors.New("row 7 of the secret table")
			case "panics":
				panic("index 7")
			case "waits":
				<-ctx.Done()
				return "", ctx.Err()
			}
			return how, nil
		},
		Store: func(_ context.Context, result string) error { return nil },
	}, nil
}

func (k *count) End(_ context.Context, spec json.RawMessage, state State, sentence string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ends[string(spec)] = string(state) + ": " + sentence
	return usererr.New(usererr.NotFound, "It was deleted meanwhile.")
}

// TestManagerRecordsEnds: every unsuccessful end is recorded once, with a sentence, and only
// unexpected errors are logged.
func TestManagerRecordsEnds(t *testing.T) {
	for _, c := range []struct{ how, end, log string }{
		{"well", "", ""},
		{"unread", "failed: The file is gone.", ""},
		{"fails", "failed: Internal error.", "row 7"},
		{"panics", "failed: Internal error.", "manager_test.go"},
		{"waits", "cancelled: Cancelled.", ""},
	} {
		t.Run(c.how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				m := NewManager(bg, nil, slog.New(slog.NewTextHandler(&log, nil)))
				k := newCount()
				if err := m.Queue(Job{ID: "a", Lane: "run", Kind: k, Spec: c.how}); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if c.how == "waits" {
					if err := m.Halt(bg, "a"); err != nil {
						t.Fatal(err)
					}
				}
				synctest.Wait()
				if got := k.ends[`"`+c.how+`"`]; got != c.end {
					t.Errorf("ended as %q, want %q", got, c.end)
				}
				if got := log.String(); !strings.Contains(got, c.log) || (got == "") != (c.log == "") {
					t.Errorf("log %q, want %q", got, c.log)
				}
				m.Close(bg)
			})
		})
	}
}

// TestLanes: jobs of two lanes run at the same time, and Stop ends all jobs that belong to the
// same id.
func TestLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewManager(bg, nil, slog.New(slog.DiscardHandler))
		k := newCount()
		for _, j := range []Job{
			{ID: "r1", Lane: "run", Of: []string{"d1"}}, {ID: "r2", Lane: "run", Of: []string{"d2"}},
			{ID: "s1", Lane: "study", Of: []string{"d1"}}, {ID: "s2", Lane: "study"},
		} {
			j.Kind, j.Spec = k, "waits"
			if err := m.Queue(j); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		for id, want := range map[string]State{"r1": Running, "r2": Queued, "s1": Running, "s2": Queued} {
			if e := wantState(t, m.Runner, id, want); e.Lane != map[byte]string{'r': "run", 's': "study"}[id[0]] ||
				want == Queued && e.Ahead != 1 {
				t.Errorf("%s: %+v", id, e)
			}
		}
		m.Stop(bg, "d1")
		for id, want := range map[string]State{"r1": Cancelled, "s1": Cancelled} {
			wantState(t, m.Runner, id, want)
		}
		synctest.Wait()
		for id, want := range map[string]State{"r2": Running, "s2": Running} {
			wantState(t, m.Runner, id, want)
		}
		begin := time.Now()
		m.Stop(bg, "s2")
		wantState(t, m.Runner, "s2", Cancelled)
		if took := time.Since(begin); took != 0 {
			t.Errorf("stopped after %v", took)
		}
		m.Close(bg)
		wantState(t, m.Runner, "r2", Interrupted)
	})
}

// TestHaltUnknown: halting an unknown job is an error.
func TestHaltUnknown(t *testing.T) {
	m := NewManager(bg, nil, slog.New(slog.DiscardHandler))
	defer m.Close(bg)
	if err := m.Halt(bg, "none"); !usererr.Is(err, usererr.NotFound) {
		t.Errorf("halting nothing: %v", err)
	}
}

// TestMemory: two jobs of two lanes whose memory does not fit together run one after the other;
// a job cancelled while it waits for memory reserves none; all memory is released in the end.
func TestMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := cost.NewMemory(200).Jobs
		m := NewManager(bg, memory, slog.New(slog.DiscardHandler))
		k := newCount()
		for _, j := range []Job{{ID: "r1", Lane: "run", Bytes: 60}, {ID: "s1", Lane: "study", Bytes: 60},
			{ID: "a1", Lane: "audit", Bytes: 60}} {
			j.Kind, j.Spec = k, "waits"
			if err := m.Queue(j); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		wantState(t, m.Runner, "r1", Running)
		for _, id := range []string{"s1", "a1"} {
			if e := wantState(t, m.Runner, id, Queued); !e.Memory || e.Ahead != 0 {
				t.Errorf("%s does not wait for memory: %+v", id, e)
			}
		}
		m.Stop(bg, "s1")
		wantState(t, m.Runner, "s1", Cancelled)
		m.Stop(bg, "r1")
		synctest.Wait()
		if e := wantState(t, m.Runner, "a1", Running); e.Memory || memory.Held() != 60 {
			t.Errorf("the next did not get the memory: %+v, %d held", e, memory.Held())
		}
		m.Close(bg)
		if memory.Held() != 0 {
			t.Errorf("%d bytes held in the end", memory.Held())
		}
	})
}

// rests is a kind of three units in sequence, a tenth of a second each.
type rests struct{ *count }

func (rests) Open(context.Context, json.RawMessage) (Session, error) { return &resting{}, nil }

type resting struct{}

func (*resting) Stage(before []Bodies) (Stage, error) {
	if len(before) > 0 {
		return Stage{}, nil
	}
	return Stage{Units: make([]Unit, 3), Workers: 1}, nil
}

func (*resting) Unit(context.Context, []Bodies, int, func(Progress)) (Body, error) {
	time.Sleep(100 * time.Millisecond)
	return true, nil
}

func (*resting) Gather(context.Context, []Bodies) error { return nil }

// TestJobsGiveWay: a job pauses between its units while a foreground request runs, and still
// ends. Jobs started without the manager do not pause, because someone waits for them.
func TestJobsGiveWay(t *testing.T) {
	for _, c := range []struct {
		name          string
		busy, managed bool
		want          time.Duration
	}{
		{"alone", false, true, 300 * time.Millisecond},
		{"behind", true, true, 3 * (100 + 300) * time.Millisecond},
		{"waited for", true, false, 300 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := NewManager(bg, nil, slog.New(slog.DiscardHandler))
				if c.busy {
					defer m.Foreground.Begin()()
				}
				started := time.Now()
				start := func() error { return m.Queue(Job{ID: "a", Kind: rests{newCount()}}) }
				if !c.managed {
					start = func() error {
						return m.Start("a", 0, func(ctx context.Context, _ func(Progress)) error {
							return Do(ctx, &resting{}, nil)
						}, func(error) {})
					}
				}
				if err := start(); err != nil {
					t.Fatal(err)
				}
				m.idle.Wait()
				if took := time.Since(started); took != c.want {
					t.Errorf("%v, want %v", took, c.want)
				}
				m.Close(bg)
			})
		})
	}
}

// TestWhole: a Whole has one unit, its result is stored, and an error of storing is returned.
func TestWhole(t *testing.T) {
	full, stored := errors.New("no space left"), ""
	w := Whole[string]{
		Work:  func(context.Context, func(Progress)) (string, error) { return "made", nil },
		Store: func(_ context.Context, made string) error { stored = made; return full },
	}
	if first, err := w.Stage(nil); err != nil || len(first.Units) != 1 {
		t.Errorf("first stage %+v, %v", first, err)
	}
	if next, err := w.Stage([]Bodies{{"made"}}); err != nil || len(next.Units) != 0 {
		t.Errorf("next stage %+v, %v", next, err)
	}
	if err := w.Gather(t.Context(), []Bodies{{"made"}}); err != full || stored != "made" {
		t.Errorf("%q was stored, %v", stored, err)
	}
}

// TestEndNotStored: an end that could not be stored is logged, unless the record was deleted.
func TestEndNotStored(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want bool
	}{{"no space", errors.New("no space left"), true}, {"deleted", usererr.New(usererr.NotFound, "gone"), false}, {"stored", nil, false}} {
		var log bytes.Buffer
		m := &Manager{log: slog.New(slog.NewTextHandler(&log, nil))}
		m.end(Job{ID: "r1", Kind: endless{c.err}}, nil, usererr.New(usererr.Conflict, "The file is gone."))
		if got := strings.Contains(log.String(), "end of job not stored"); got != c.want {
			t.Errorf("%s: %q", c.name, log.String())
		}
	}
}

// endless is a kind whose End fails.
type endless struct{ err error }

func (endless) ID() string                                             { return "endless" }
func (endless) Open(context.Context, json.RawMessage) (Session, error) { return nil, nil }
func (e endless) End(context.Context, json.RawMessage, State, string) error {
	return e.err
}
