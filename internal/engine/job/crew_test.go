package job

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// squares is a portable job with one stage.
type squares struct {
	n      int
	mu     sync.Mutex
	here   map[int]bool // units computed in this process
	makers map[int]Maker
	gate   chan struct{} // units computed here wait for it to close
	result Bodies
}

func (s *squares) Stage(before []Bodies) (st Stage, err error) {
	if len(before) == 0 {
		for i := range s.n {
			st.Units = append(st.Units, Unit{ID: strconv.Itoa(i)})
		}
	}
	return st, nil
}

func (s *squares) Unit(ctx context.Context, _ []Bodies, number int, _ func(Progress)) (Body, error) {
	s.mu.Lock()
	s.here[number] = true
	s.mu.Unlock()
	if s.gate != nil {
		select {
		case <-s.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return square(number), nil
}

func square(number int) float64 { return float64(number * number) }

func (s *squares) Keep(_ int, units []Kept) error {
	for _, u := range units {
		if _, twice := s.makers[u.Number]; twice {
			return errors.New("kept twice")
		}
		s.makers[u.Number] = u.Maker
	}
	return nil
}

func (s *squares) Gather(_ context.Context, stages []Bodies) error {
	s.result = stages[0]
	return nil
}

func (s *squares) Recipe() (Recipe, bool) {
	return Recipe{Kind: "squares", Spec: json.RawMessage("1")}, true
}

func (s *squares) Encode(body Body) ([]byte, error) {
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(body.(float64))), nil
}

func (s *squares) Decode(_ int, text []byte) (Body, error) {
	return math.Float64frombits(binary.LittleEndian.Uint64(text)), nil
}

func (s *squares) Numbers(body Body) []float64 { return []float64{body.(float64)} }

// crewFunc is a crew scripted by a test.
type crewFunc func(ctx context.Context, job string, s Shared) error

func (f crewFunc) Hold(string) func() { return func() {} }

func (f crewFunc) Work(ctx context.Context, job string, s Shared) error { return f(ctx, job, s) }

func (s *squares) run(t *testing.T, crew crewFunc) error {
	t.Helper()
	s.here, s.makers = map[int]bool{}, map[int]Maker{}
	return do(t.Context(), "j1", s, Here{Maker: Maker{"here", "fused", "v1"}, Crew: crew}, nil)
}

func (s *squares) right(t *testing.T) {
	t.Helper()
	want := make(Bodies, s.n)
	for i := range want {
		want[i] = square(i)
	}
	if !reflect.DeepEqual(s.result, want) {
		t.Errorf("%v, want %v", s.result, want)
	}
}

// TestCrew: while machines are present they compute every unit; the job ends when the last is
// kept.
func TestCrew(t *testing.T) {
	s := &squares{n: 20}
	away := Maker{"away", "fused", "v1"}
	err := s.run(t, func(ctx context.Context, job string, w Shared) error {
		w.Staff(2, "on two machines")
		for i, ok := w.Take(); ok; i, ok = w.Take() {
			if err := w.Keep(ctx, []Kept{{Number: i, Body: square(i), Maker: away, Seconds: .5}}); err != nil {
				return err
			}
		}
		if job != "j1" {
			t.Errorf("the job %q", job)
		}
		<-ctx.Done()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.right(t)
	for i := range s.n {
		if s.makers[i] != away || s.here[i] {
			t.Errorf("unit %d by %v", i, s.makers[i])
		}
	}
}

// TestCrewLeaves: once the machines have gone, this process computes the units that they did
// not answer and all others; the same if a crew returns without an error.
func TestCrewLeaves(t *testing.T) {
	for _, stays := range []bool{true, false} {
		s := &squares{n: 9, gate: make(chan struct{})}
		err := s.run(t, func(ctx context.Context, _ string, w Shared) error {
			w.Staff(4, "on machines")
			w.Take()
			w.Take()
			close(s.gate)
			w.Staff(0, "on machines")
			if stays {
				<-ctx.Done()
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		s.right(t)
	}
}

// TestSecondAnswer: a second answer must equal the first to the bit from the same class of
// processors, and to 1e-9 from another; the error names both machines.
func TestSecondAnswer(t *testing.T) {
	one, fused, plain := Maker{"one", "fused", "v1"}, Maker{"two", "fused", "v1"}, Maker{"three", "plain", "v1"}
	last := math.Nextafter(4, 5)
	for _, test := range []struct {
		name   string
		second Kept
		ok     bool
	}{
		{"same bits", Kept{Number: 2, Body: 4., Maker: fused}, true},
		{"last bit, same class", Kept{Number: 2, Body: last, Maker: fused}, false},
		{"last bit, another class", Kept{Number: 2, Body: last, Maker: plain}, true},
		{"1e-8, another class", Kept{Number: 2, Body: 4 + 4e-8, Maker: plain}, false},
		{"NaN, another class", Kept{Number: 2, Body: math.NaN(), Maker: plain}, false},
	} {
		for _, together := range []bool{true, false} {
			s := &squares{n: 3, gate: make(chan struct{})} // gate: this process keeps nothing before the crew does
			err := s.run(t, func(ctx context.Context, _ string, w Shared) error {
				defer close(s.gate)
				w.Staff(1, "on machines")
				units := []Kept{{Number: 2, Body: 4., Maker: one}}
				if !together {
					if err := w.Keep(ctx, units); err != nil {
						return err
					}
					units = nil
				}
				if err := w.Keep(ctx, append(units, test.second)); err != nil {
					return err
				}
				w.Staff(0, "on machines")
				return nil
			})
			var differ *DisagreementError
			if test.ok != (err == nil) || !test.ok && (!errors.As(err, &differ) ||
				!strings.Contains(err.Error(), "one (fused)") || !strings.Contains(err.Error(), test.second.Maker.Machine)) {
				t.Errorf("%s, together %v: %v", test.name, together, err)
			}
			if test.ok {
				s.right(t)
			}
		}
	}
}

// TestCrewFails: an error of the crew fails the job; a cancel stops the crew.
func TestCrewFails(t *testing.T) {
	s := &squares{n: 4, gate: make(chan struct{})}
	if err := s.run(t, func(context.Context, string, Shared) error { return errors.New("given up") }); err == nil ||
		!strings.Contains(err.Error(), "given up") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.here, s.makers = map[int]bool{}, map[int]Maker{}
	err := do(ctx, "j1", s, Here{Crew: crewFunc(func(ctx context.Context, _ string, w Shared) error {
		w.Staff(1, "on machines")
		cancel()
		<-ctx.Done()
		return nil
	})}, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v after a cancel", err)
	}
}

// TestCrewGivesUp: where the crew ends the job, nothing is computed in this process any more, whose error could come
// before the crew's.
func TestCrewGivesUp(t *testing.T) {
	for range 200 {
		s := &squares{n: 3}
		err := s.run(t, func(_ context.Context, _ string, w Shared) error {
			w.Staff(2, "on machines")
			for _, ok := w.Take(); ok; _, ok = w.Take() {
			}
			return errors.New("left out")
		})
		if err == nil || err.Error() != "left out" {
			t.Errorf("the end is %v", err)
		}
		if len(s.here) > 0 {
			t.Fatalf("units %v were computed here", s.here)
		}
	}
}

// TestManagerCrew: a manager shares jobs that can be shared with its crew, under their id.
func TestManagerCrew(t *testing.T) {
	var asked string
	m := NewManager(t.Context(), nil, nil)
	m.Here.Crew = crewFunc(func(ctx context.Context, job string, _ Shared) error { asked = job; return nil })
	s := &squares{n: 3, here: map[int]bool{}, makers: map[int]Maker{}}
	if err := m.Queue(Job{ID: "j7", Kind: opens{s}}); err != nil {
		t.Fatal(err)
	}
	states, err := m.Watch(t.Context(), "j7")
	if err != nil {
		t.Fatal(err)
	}
	for e := range states {
		if e.State.Final() && e.State != Done {
			t.Fatalf("%+v", e)
		}
	}
	s.right(t)
	if asked != "j7" {
		t.Errorf("the crew worked for %q", asked)
	}
}

// TestClassWithoutCrew: a job that other machines cannot compute is computed here if it may be, and refused with a
// sentence if it is held to another class; the class of the workers does not matter.
func TestClassWithoutCrew(t *testing.T) {
	for _, test := range []struct {
		class, workers string
		ok             bool
	}{{"", "", true}, {"fused", "", true}, {"", "plain", true}, {"fused", "plain", true}, {"plain", "", false}} {
		m := NewManager(t.Context(), nil, quiet)
		m.Here = Here{Maker: Maker{"here", "fused", "v1"}, Class: test.workers}
		s := &squares{n: 3, here: map[int]bool{}, makers: map[int]Maker{}}
		if err := m.Queue(Job{ID: "j", Kind: opens{s}, Class: test.class}); err != nil {
			t.Fatal(err)
		}
		states, err := m.Watch(t.Context(), "j")
		if err != nil {
			t.Fatal(err)
		}
		var last Event
		for e := range states {
			last = e
		}
		if test.ok {
			s.right(t)
		} else if last.State != Failed || !strings.Contains(last.Err.Error(), "class plain") {
			t.Errorf("%+v: %+v", test, last)
		}
	}
}

// opens is a kind with a ready-made session.
type opens struct{ s Session }

func (opens) ID() string { return "opens" }

func (k opens) Open(context.Context, json.RawMessage) (Session, error) { return k.s, nil }

func (opens) End(context.Context, json.RawMessage, State, string) error { return nil }
