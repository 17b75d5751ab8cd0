// Command reach measures the use of worker machines: the units per second at which a storing coordinator saturates,
// with workers that only sleep; the memory this takes; and the speed-up of a study by two single-core worker
// processes over one.
//
//	go run ./bench/reach [-sleepers 200] [-units 20000] [-replicates 280] [-turns 5]
//
// It fails by memory and by ratios to what the same run measures without Taper: a unit to a bare request to the same
// queue, the speed-up to that of two processes that only count. Other work on the machine changes both alike.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"taper/internal/app"
	"taper/internal/engine/job"
	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/machine"
	"taper/internal/reach"
	"taper/internal/store"
)

func main() {
	as := flag.String("as", "", "what this process is: sleepers, worker or burn; empty: who measures")
	queue := flag.String("queue", "", "of workers")
	sleepers := flag.Int("sleepers", 200, "workers that sleep")
	units := flag.Int("units", 20000, "units that they do")
	replicates := flag.Int("replicates", 280, "of the study, two units each")
	turns := flag.Int("turns", 5, "how often the study is computed with one worker and with two")
	flag.Parse()
	var err error
	switch *as {
	case "sleepers":
		err = work(*queue, *sleepers, map[string]job.Opener{"sleep": openSleep})
	case "worker":
		runtime.GOMAXPROCS(1)
		err = work(*queue, 1, app.Recipes())
	case "burn":
		runtime.GOMAXPROCS(1)
		burn(*units)
	default:
		err = measure(*sleepers, *units, *replicates, *turns)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const nap = 50 * time.Millisecond

// sleep is a job whose units take 50 ms without processor time.
type sleep struct {
	N    int
	keep func([]job.Kept) error
}

func (s *sleep) Stage(before []job.Bodies) (st job.Stage, err error) {
	if len(before) > 0 {
		return st, nil
	}
	for i := range s.N {
		st.Units = append(st.Units, job.Unit{ID: strconv.Itoa(i)})
	}
	st.Message = func(done, all int) string { return fmt.Sprintf("%d of %d units", done, all) }
	return st, nil
}

func (s *sleep) Unit(ctx context.Context, _ []job.Bodies, number int, _ func(job.Progress)) (job.Body, error) {
	select {
	case <-time.After(nap):
		return float64(number), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *sleep) Keep(_ int, units []job.Kept) error { return s.keep(units) }

func (s *sleep) Gather(context.Context, []job.Bodies) error { return nil }

func (s *sleep) Recipe() (job.Recipe, bool) {
	text, err := json.Marshal(s)
	return job.Recipe{Kind: "sleep", Spec: text}, err == nil
}

func (s *sleep) Encode(body job.Body) ([]byte, error) {
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(body.(float64))), nil
}

func (s *sleep) Decode(_ int, text []byte) (job.Body, error) {
	return math.Float64frombits(binary.LittleEndian.Uint64(text)), nil
}

func (s *sleep) Numbers(body job.Body) []float64 { return []float64{body.(float64)} }

func openSleep(_ context.Context, spec json.RawMessage, _ []byte) (job.Portable, error) {
	s := &sleep{}
	return s, json.Unmarshal(spec, s)
}

func maker(name string) job.Maker {
	return job.Maker{Machine: name, Class: machine.Class(), Engine: "bench"}
}

// work runs this many single-core workers until the process is killed.
func work(queue string, n int, kinds map[string]job.Opener) error {
	var all sync.WaitGroup
	for i := range n {
		w := reach.Worker{Kinds: kinds, Maker: maker(fmt.Sprintf("%s-%d", machine.Name(), i)), Cores: 1,
			Log: slog.New(slog.DiscardHandler)}
		all.Go(func() {
			if err := w.Run(context.Background(), reach.Config{Queue: queue}); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		})
	}
	all.Wait()
	return nil
}

// spawn starts this program as a child process.
func spawn(args ...string) (stop func(), err error) {
	c := exec.Command(os.Args[0], args...)
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		return nil, err
	}
	return func() { _ = c.Process.Kill(); _ = c.Wait() }, nil
}

// The targets. Those of time are ratios, each to a measurement without Taper in the same run.
const (
	mostMemory   = 200e6       // bytes that the coordinator takes for the sleepers
	mostRequests = 30          // processor time of a unit, in bare requests to the same queue
	leastGain    = 1.85 / 2    // of a second worker, in the gain of two processes that only count over one
	unitsWanted  = 2500        // units per second on a machine that does nothing else; reported only
	counted      = 600_000_000 // steps that the counting processes do together
)

func measure(sleepers, units, replicates, turns int) error {
	before := resident()
	c, err := reach.NewCoordinator(context.Background(), reach.Config{Listen: "127.0.0.1:0"}, maker("coordinator"),
		slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer c.Close()
	spent := processor()
	rate, err := saturate(c, sleepers, units)
	if err != nil {
		return err
	}
	each := (processor() - spent) / float64(units)
	memory := float64(peak() - before)
	bare, err := requests(c.Address(), 100_000)
	if err != nil {
		return err
	}
	ceiling := float64(sleepers) / nap.Seconds()
	fmt.Printf("coordinator with %d workers that sleep %v: %.0f units/s, %.0f %% of the ceiling of %.0f "+
		"(target %d on a machine that does nothing else); memory %.0f MB more at most (target %.0f)\n",
		sleepers, nap, rate, 100*rate/ceiling, ceiling, unitsWanted, memory/1e6, mostMemory/1e6)
	fmt.Printf("processor time of the coordinator, its queue and its store: %.0f µs a unit, as much as "+
		"%.1f bare requests to the queue of %.0f µs (target at most %d)\n", 1e6*each, each/bare, 1e6*bare, mostRequests)
	gain, most, err := gains(c, replicates, turns)
	if err != nil {
		return err
	}
	fmt.Printf("two workers are %.2f times as fast as one; two processes that only count are %.2f times as fast as one: "+
		"%.0f %% of it (target %.0f %%)\n", gain, most, 100*gain/most, 100*leastGain)
	switch {
	case memory > mostMemory:
		return fmt.Errorf("the coordinator takes %.0f MB", memory/1e6)
	case each > mostRequests*bare:
		return fmt.Errorf("a unit takes as much as %.1f bare requests", each/bare)
	case gain < leastGain*most:
		return fmt.Errorf("a second worker reaches %.0f %% of what the machine allows", 100*gain/most)
	}
	return nil
}

// gains is how many times as fast two workers are as one, and two processes that only count as one: medians of turns.
func gains(c *reach.Coordinator, replicates, turns int) (gain, most float64, err error) {
	var studies, counts [3][]float64
	for range turns {
		for n := 1; n <= 2; n++ {
			counting, err := counters(n)
			if err != nil {
				return 0, 0, err
			}
			took, err := shared(c, n, replicates)
			if err != nil {
				return 0, 0, err
			}
			fmt.Printf("study of %d units with %s of one processor: %v; counting alone: %v\n",
				2*replicates, phrase.Count(n, "worker"), took.Round(time.Millisecond), counting.Round(time.Millisecond))
			studies[n] = append(studies[n], took.Seconds())
			counts[n] = append(counts[n], counting.Seconds())
		}
	}
	return median(studies[1]) / median(studies[2]), median(counts[1]) / median(counts[2]), nil
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// counters is the time that this many processes take to count to the same number together.
func counters(n int) (time.Duration, error) {
	begun := time.Now()
	var all []*exec.Cmd
	for range n {
		p := exec.Command(os.Args[0], "-as", "burn", "-units", strconv.Itoa(counted/n))
		if err := p.Start(); err != nil {
			return 0, err
		}
		all = append(all, p)
	}
	var failed error
	for _, p := range all {
		failed = errors.Join(failed, p.Wait())
	}
	return time.Since(begun), failed
}

// burn counts, each step after the other.
func burn(steps int) {
	x := uint64(1)
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	if x == 0 { // never; so that the loop is not left out
		os.Exit(1)
	}
}

// requests is the processor time of a request to the queue with its answer, in seconds; both sides are this process.
func requests(queue string, n int) (each float64, err error) {
	serving, err := nats.Connect(queue)
	if err != nil {
		return 0, err
	}
	defer serving.Close()
	asking, err := nats.Connect(queue)
	if err != nil {
		return 0, err
	}
	defer asking.Close()
	if _, err := serving.Subscribe("bench.bare", func(m *nats.Msg) { _ = m.Respond(m.Data) }); err != nil {
		return 0, err
	}
	if err := serving.Flush(); err != nil {
		return 0, err
	}
	spent := processor()
	const atOnce = 16
	var all errgroup.Group
	for range atOnce {
		all.Go(func() error {
			for range n / atOnce {
				if _, err := asking.Request("bench.bare", make([]byte, 200), time.Minute); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err = all.Wait()
	return (processor() - spent) / float64(n/atOnce*atOnce), err
}

// present waits until exactly this many workers are connected.
func present(c *reach.Coordinator, n int) {
	for len(c.Machines()) != n {
		time.Sleep(10 * time.Millisecond)
	}
}

// run runs a job with the workers, which stop at its end.
func run(c *reach.Coordinator, kind job.Kind) error {
	m := job.NewManager(context.Background(), nil, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	m.Here = job.Here{Maker: maker("coordinator"), Crew: c}
	if err := m.Queue(job.Job{ID: "bench", Kind: kind}); err != nil {
		return err
	}
	states, err := m.Watch(context.Background(), "bench")
	if err != nil {
		return err
	}
	for e := range states {
		if e.State.Final() && e.State != job.Done {
			return fmt.Errorf("%s: %w", e.State, e.Err)
		}
	}
	return m.Close(context.Background())
}

// whole is a kind with a single session.
type whole struct{ s job.Session }

func (whole) ID() string { return "bench" }

func (k whole) Open(context.Context, json.RawMessage) (job.Session, error) { return k.s, nil }

func (whole) End(context.Context, json.RawMessage, job.State, string) error { return nil }

// saturate is the rate of stored units per second, from the first commit to the last.
func saturate(c *reach.Coordinator, sleepers, units int) (rate float64, err error) {
	dir, err := os.MkdirTemp("", "taper-bench-reach-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder for temporary files
	db, err := store.Open(context.Background(), filepath.Join(dir, "data"), time.Now)
	if err != nil {
		return 0, err
	}
	defer db.Close() //nolint:errcheck // of no use afterwards
	ctx := context.Background()
	st := store.Study{ID: "s1", Name: "bench", Units: units, Spec: study.Spec{Preset: "sypherd-fig5"}}
	if err := db.CreateStudy(ctx, st); err != nil {
		return 0, err
	}
	stop, err := spawn("-as", "sleepers", "-queue", c.Address(), "-sleepers", strconv.Itoa(sleepers))
	if err != nil {
		return 0, err
	}
	defer stop()
	present(c, sleepers)
	var first, last time.Time
	stored, early, commits := 0, 0, 0
	s := &sleep{N: units, keep: func(done []job.Kept) error {
		var all []store.Unit
		for _, k := range done {
			all = append(all, store.Unit{ID: strconv.Itoa(k.Number),
				Answer: job.EncodeNumbers([]float64{k.Body.(float64)}), Maker: k.Maker})
		}
		if err := db.KeepUnits(ctx, st.ID, all, 0); err != nil {
			return err
		}
		last = time.Now()
		if stored += len(done); first.IsZero() {
			first, early = last, stored
		}
		commits++
		return nil
	}}
	if err := run(c, whole{s}); err != nil {
		return 0, err
	}
	if got, err := db.StudyUnits(ctx, st.ID); err != nil || len(got) != units {
		return 0, fmt.Errorf("%d of %d units are stored: %w", len(got), units, err)
	}
	fmt.Printf("%d units in %d commits\n", units, commits)
	return float64(stored-early) / last.Sub(first).Seconds(), nil
}

// shared is the time of a study with this many workers, from the first unit stored to the last.
func shared(c *reach.Coordinator, n, replicates int) (time.Duration, error) {
	for range n {
		stop, err := spawn("-as", "worker", "-queue", c.Address())
		if err != nil {
			return 0, err
		}
		defer stop()
	}
	present(c, n)
	spec := study.Spec{Dataset: study.Source{Generator: "moons", Rows: 300}, Replicates: replicates, Seed: 3}
	models := `[{"loss":"logistic"},{"loss":"alpha","params":{"alpha":4},"l2":0.001}]`
	if err := json.Unmarshal([]byte(models), &spec.Models); err != nil {
		return 0, err
	}
	spec.Noise.Kind, spec.Noise.Rates = "symmetric", []float64{0, 0.2}
	plan, err := study.NewPlan(paper.Presets, spec, nil)
	if err != nil {
		return 0, err
	}
	var first, last time.Time
	err = run(c, whole{&study.Session{Spec: &spec, Plan: plan, Commit: func([]study.Committed) error {
		if last = time.Now(); first.IsZero() {
			first = last
		}
		return nil
	}, Finish: func(context.Context, study.Values) error { return nil }}})
	return last.Sub(first), err
}

// processor is the processor time of this process in seconds.
func processor() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return math.NaN()
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func resident() int64 { return status("VmRSS:") }

func peak() int64 { return status("VmHWM:") }

// status is a value from the kernel's status of this process, in bytes.
func status(name string) int64 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if fields := strings.Fields(s.Text()); len(fields) > 1 && fields[0] == name {
			kb, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				return 0
			}
			return kb << 10
		}
	}
	return 0
}
