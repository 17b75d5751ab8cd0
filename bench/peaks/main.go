// Peaks compares the estimates of memory with the memory used: for each kind of cost it prints the estimate, the
// largest live heap, and their ratio.
//
//	go run ./bench/peaks [-only TEXT] [-short]
//
// Each kind runs in its own process, whose garbage collector runs often (GOGC=10) and reports the live heap after
// every mark (GODEBUG=gctrace=1); the live heap before the work is subtracted. An estimate must not be below the
// peak, and at most a given multiple of it. The upper limit does not apply to kinds whose memory depends on content
// that is unknown before reading. Otherwise the exit status is 1. The live heap does not depend on time, so other
// load has no effect. The test of this package is the short form, which only checks that no estimate is too low.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// most is the largest allowed ratio of an estimate to its peak.
const most = 8

func main() {
	if name := os.Getenv(childOf); name != "" {
		child(name)
		return
	}
	only := flag.String("only", "", "only kinds whose name holds this `text`")
	short := flag.Bool("short", false, "the sizes that the test takes")
	flag.Parse()
	found, err := measure(context.Background(), *only, *short)
	print(os.Stdout, found)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, p := range found {
		if p.low() || p.high() {
			os.Exit(1)
		}
	}
}

// peak is the measurement of one kind, in MB.
type peak struct {
	kind
	estimated float64
	live      float64 // the largest, minus the live heap before
}

// low reports an estimate below the peak. The collector reports whole MB, and two of its values are used.
func (p peak) low() bool { return p.estimated < p.live-2 }

// high reports an estimate that is too large. A few MB are blocks of rows, independent of the size.
func (p peak) high() bool { return !p.worst && p.estimated > most*p.live+16 }

func (p peak) times() float64 { return p.estimated / max(p.live, 1) }

func print(out io.Writer, found []peak) {
	fmt.Fprintln(out, "| cost | of | estimate, MB | live heap, MB | times |\n|---|---|---|---|---|")
	for _, p := range found {
		fmt.Fprintf(out, "| %s | %s | %.0f | %.0f | %.1f |\n", p.name, p.of, p.estimated, p.live, p.times())
	}
}

// Environment of a child: the kind that it runs, and whether in the sizes of the test.
const (
	childOf = "TAPER_PEAKS_KIND"
	shortly = "TAPER_PEAKS_SHORT"
)

// begun is written between the marks of the collector when the work starts.
const begun = "peaks: begun"

// measure runs the kinds one after the other, each in a process of this program.
func measure(ctx context.Context, only string, short bool) (found []peak, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	for _, k := range kinds {
		if !strings.Contains(k.name, only) {
			continue
		}
		cmd := exec.CommandContext(ctx, program)
		cmd.Env = append(os.Environ(), childOf+"="+k.name, "GODEBUG=gctrace=1", "GOGC=10", "GOMEMLIMIT=off", "GOMAXPROCS=2")
		if short {
			cmd.Env = append(cmd.Env, shortly+"=1")
		}
		var said, log bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &log
		if err := cmd.Run(); err != nil {
			return found, fmt.Errorf("%s: %w: %s%s", k.name, err, &said, tail(log.String()))
		}
		p := peak{kind: k}
		bytes, err := strconv.ParseInt(strings.TrimSpace(said.String()), 10, 64)
		if err != nil {
			return found, fmt.Errorf("%s: %w", k.name, err)
		}
		p.estimated = float64(bytes) / (1 << 20)
		if p.live, err = largest(log.String()); err != nil {
			return found, fmt.Errorf("%s: %w", k.name, err)
		}
		found = append(found, p)
	}
	return found, nil
}

func tail(s string) string { return s[max(len(s)-2000, 0):] }

// marked matches the collector's report: the heap at the start and the end of a mark, and the live heap.
var marked = regexp.MustCompile(` (\d+)->(\d+)->(\d+) MB, `)

// largest is the largest live heap after the work started, minus that before, in MB. The collector writes a line in
// pieces, so the message about the start may be inside a line.
func largest(log string) (float64, error) {
	before, after, _ := strings.Cut(log, begun)
	was, _ := marks(before)
	_, most := marks(after)
	if most == 0 {
		return 0, errors.New("the collector said nothing")
	}
	return float64(max(most-was, 0)), nil
}

// marks are the last and the largest live heap in a log.
func marks(log string) (last, most int) {
	for _, m := range marked.FindAllStringSubmatch(log, -1) {
		last, _ = strconv.Atoi(m[3]) // digits
		most = max(most, last)
	}
	return last, most
}
