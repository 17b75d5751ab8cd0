package reach

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// bareWorker has no queue: a test says what it hears.
func bareWorker() *Worker {
	return &Worker{Maker: one, Cores: 1, Log: slog.New(slog.DiscardHandler), jobs: map[string]*open{},
		slots: make(chan struct{}, 1)}
}

func heard(w *Worker, coordinator string, jobs map[string]current) {
	w.hear(&nats.Msg{Data: encode(jobsOf{coordinator, jobs})})
}

// TestDropWaits: a job is forgotten after the unit that is about to open it has ended. The unit gets its turn, so that
// neither waits for the other.
func TestDropWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := bareWorker()
		heard(w, "c", map[string]current{"j": {Start: "1"}})
		j := w.jobs["j"]
		j.busy.Add(1) // a unit in hand
		heard(w, "c", nil)
		synctest.Wait() // what forgets the job waits
		if !j.turn.TryLock() {
			t.Fatal("the turn is taken by what waits for the unit")
		}
		j.turn.Unlock()
		if _, err := w.open(j.ctx, "j", j, j.stage, offer{}); err == nil {
			t.Error("a job that has ended was opened")
		}
		j.busy.Done()
		w.wiping.Wait()
	})
}

// unit is a message of the queue that was given out some times.
type unit struct {
	jetstream.Msg
	given    uint64
	answered string
}

func (u *unit) Metadata() (*jetstream.MsgMetadata, error) {
	return &jetstream.MsgMetadata{NumDelivered: u.given}, nil
}
func (u *unit) Term() error                      { u.answered = "dropped"; return nil }
func (u *unit) NakWithDelay(time.Duration) error { u.answered = "later"; return nil }

// TestHandBack: a unit that no worker began is not taken for one that workers die of.
func TestHandBack(t *testing.T) {
	for given, want := range []string{1: "later", 2: "later", mostDeliveries - 1: "dropped", mostDeliveries: "dropped"} {
		if want == "" {
			continue
		}
		m := &unit{given: uint64(given)}
		if handBack(m); m.answered != want {
			t.Errorf("given out %d times: %s, want %s", given, m.answered, want)
		}
	}
}

// TestStartedAgain: a worker opens a job again when it was started again and what is held no longer fits: rows have
// another key, and a job from an earlier stage has other units. It goes on with everything else, above all when the
// program was killed and resumes a study.
func TestStartedAgain(t *testing.T) {
	for _, test := range []struct {
		name    string
		sealed  bool
		program string
		at      current
		goesOn  bool
	}{
		{"the next stage", true, "first", current{3, "1"}, true},
		{"an earlier stage that was said before", true, "first", current{1, "1"}, true},
		{"paused and resumed", false, "first", current{2, "2"}, true},
		{"from an earlier stage", false, "first", current{0, "2"}, false},
		{"with rows", true, "first", current{2, "2"}, false},
		{"by the program after a crash", false, "second", current{2, "2"}, true},
		{"by the program after a crash, from an earlier stage", false, "second", current{1, "2"}, false},
		{"by the program after a crash, with rows", true, "second", current{2, "2"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := bareWorker()
			heard(w, "first", map[string]current{"j": {2, "1"}})
			before := w.jobs["j"]
			before.sealed = test.sealed
			heard(w, test.program, map[string]current{"j": test.at})
			now := w.jobs["j"]
			if goesOn := now == before && before.ctx.Err() == nil; goesOn != test.goesOn {
				t.Errorf("goes on: %v, want %v", goesOn, test.goesOn)
			}
			if !test.goesOn && (now == before || before.ctx.Err() != context.Canceled) {
				t.Error("what was held is not dropped")
			}
			if now.start != test.at.Start || now.coordinator != test.program {
				t.Errorf("%q of %q is noted", now.start, now.coordinator)
			}
			w.wiping.Wait()
		})
	}
}
