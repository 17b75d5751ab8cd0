// Load measures how Taper serves many users: a server with the samples and some saved runs, and users who pause for
// a second between two requests. Half of the requests are pages, 30 % are slider moves, 10 % saved runs, 10 %
// exports.
//
//	go run ./bench/load [-users 100,300] [-seconds 30] [-profile FILE]
//
// The server is a separate process, so that its processor time and memory can be measured; the processor time of
// the users on the same cores is printed too. First every kind of request is made alone, for its processor time;
// then the users start. A user is a browser: it keeps connections, accepts gzip, and sends the ETag of what it has
// seen. The program compares and prints; it fails only on errors.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

func main() {
	users := flag.String("users", "100,300", "numbers of users, one run for each")
	seconds := flag.Float64("seconds", 30, "of each run")
	think := flag.Duration("think", time.Second, "of a user between an answer and the next request")
	alone := flag.Int("alone", 20, "requests of each kind asked alone; 0 leaves them out")
	seed := flag.Uint64("seed", 1, "of what users do")
	profile := flag.String("profile", "", "file for a CPU profile of the server")
	serve := flag.String("serve", "", "internal: be the server, with this data folder")
	flag.Parse()
	if *serve != "" {
		exit(be(*serve, *profile))
		return
	}
	exit(measure(*users, *seconds, *think, *alone, *seed, *profile))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func measure(users string, seconds float64, think time.Duration, alone int, seed uint64, profile string) error {
	s, err := startServer(profile)
	if err != nil {
		return err
	}
	defer s.stop()
	world, err := prepare(s.base)
	if err != nil {
		return err
	}
	if alone > 0 {
		if err := world.measureAlone(os.Stdout, s, alone, seed); err != nil {
			return err
		}
	}
	var failed error
	for text := range strings.SplitSeq(users, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("-users: %w", err)
		}
		// Runs of the previous phase would be measured with this one.
		if err := world.idle(); err != nil {
			return err
		}
		before, own := s.usage(), ownTime()
		started := time.Now()
		found := world.crowd(n, time.Duration(seconds*float64(time.Second)), think, seed)
		u := load{users: n, took: time.Since(started), before: before, after: s.usage(), own: ownTime() - own,
			waiting: world.unfinished()}
		if u.print(os.Stdout, found) > 0 {
			failed = fmt.Errorf("%d users met errors", n)
		}
	}
	return failed
}

// answer is one request as seen by a user.
type answer struct {
	kind    string
	took    time.Duration
	known   bool   // 304: the user's copy is still valid
	problem string // "" for none
}

// crowd simulates this many users for some time.
func (w *world) crowd(n int, lasts, think time.Duration, seed uint64) []answer {
	ctx, stop := context.WithTimeout(context.Background(), lasts)
	defer stop()
	found := make([][]answer, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			u := w.user(seed, uint64(i))
			defer u.client.CloseIdleConnections()
			pause := time.Duration(u.rng.Float64() * float64(think)) // they start at different times
			for {
				select {
				case <-ctx.Done():
					return
				case <-time.After(pause):
				}
				found[i] = append(found[i], u.act())
				pause = think
			}
		})
	}
	all.Wait()
	return slices.Concat(found...)
}

// load is the result of one phase with users.
type load struct {
	users         int
	took          time.Duration
	before, after usage
	own           time.Duration // processor time of the users
	waiting       int           // runs that were saved and had not ended
}

// print writes the table of a phase, and returns the number of failed requests.
func (l load) print(w io.Writer, found []answer) (errors int) {
	times := map[string][]time.Duration{}
	known, problems := map[string]int{}, map[string]int{}
	for _, a := range found {
		for _, kind := range []string{a.kind, all} {
			times[kind] = append(times[kind], a.took)
			if a.known {
				known[kind]++
			}
		}
		if a.problem != "" {
			problems[a.kind+": "+a.problem]++
			errors++
		}
	}
	cpu := l.after.cpu - l.before.cpu
	per := func(d time.Duration) float64 { return milliseconds(d) / float64(max(len(found), 1)) }
	fmt.Fprintf(w, "\n%d users, %.0f s: %d answers, %.0f a second, %d errors, %d saved runs not done at the end\n",
		l.users, l.took.Seconds(), len(found), float64(len(found))/l.took.Seconds(), errors, l.waiting)
	fmt.Fprintf(w, "processor time: server %.1f s (%.2f cores, %.2f ms an answer), users %.1f s (%.2f ms an answer)\n",
		cpu.Seconds(), cpu.Seconds()/l.took.Seconds(), per(cpu), l.own.Seconds(), per(l.own))
	fmt.Fprintf(w, "memory of the server: %d MB before, %d MB after\n", l.before.memory>>20, l.after.memory>>20)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "kind\tanswers\tp50 ms\tp99 ms\tmost ms\t304\t")
	for _, kind := range slices.SortedFunc(maps.Keys(times), byKind) {
		of := times[kind]
		slices.Sort(of)
		fmt.Fprintf(t, "%s\t%d\t%.0f\t%.0f\t%.0f\t%.0f %%\t\n", kind, len(of), milliseconds(quantile(of, .5)),
			milliseconds(quantile(of, .99)), milliseconds(of[len(of)-1]), 100*float64(known[kind])/float64(len(of)))
	}
	t.Flush()
	for _, what := range slices.Sorted(maps.Keys(problems)) {
		fmt.Fprintf(w, "%d × %s\n", problems[what], what)
	}
	return errors
}

const all = "all"

// byKind sorts kinds by group, with the total last.
func byKind(a, b string) int {
	return cmp.Or(cmp.Compare(group(a), group(b)), strings.Compare(a, b))
}

func group(kind string) int {
	first, _, _ := strings.Cut(kind, " ")
	return slices.Index([]string{"page", "drag", "save", "export", all}, first)
}

// quantile is the q-quantile of at least one sorted time.
func quantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// measureAlone makes each kind of request in turn, one at a time, first without and then with a cached copy.
func (w *world) measureAlone(out io.Writer, s *server, times int, seed uint64) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "alone, %d times each\tCPU ms\tms\tasked again, CPU ms\tms\tkB\t\n", times)
	for _, k := range kinds {
		u := w.user(seed, 0)
		fmt.Fprintf(t, "%s\t", k.name)
		size := 0
		for _, again := range []bool{false, true} {
			if again && !k.steady {
				fmt.Fprint(t, "\t\t")
				break
			}
			u.again = again
			if !again {
				u.do(k) // fills the caches of the server
				if err := w.idle(); err != nil {
					return err
				}
			}
			before, started := s.usage(), time.Now()
			for range times {
				if a := u.do(k); a.problem != "" {
					return fmt.Errorf("%s: %s", k.name, a.problem)
				}
				if u.size > 0 {
					size = u.size
				}
			}
			took := time.Since(started)
			if err := w.idle(); err != nil { // a saved run includes its computation
				return err
			}
			n := float64(times)
			fmt.Fprintf(t, "%.2f\t%.1f\t", milliseconds(s.usage().cpu-before.cpu)/n, milliseconds(took)/n)
		}
		fmt.Fprintf(t, "%.1f\t\n", float64(size)/1024)
	}
	return t.Flush()
}
