// Attack starts Taper on a small disk and does to it what an attacker, a broken program or a broken machine could
// do. For each attack it prints what was sent, the expected and the actual answer, the largest resident size, and
// whether the program withstood it. Its exit status is 1 for any failure and for peaks above 4 GB.
//
//	go run ./bench/attack [-taper FILE] [-only TEXT] [-memory AMOUNT] [-short]
//
// It observes from outside only (answers, the log, the process and the data folder) and does not use the program's
// code. The test of this package is the short form, with smaller sizes.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// mostResident is the limit in MB for the resident size over any sequence of attacks.
const mostResident = 4096

func main() {
	taper := flag.String("taper", "", "attack this `file` rather than a program built from the tree")
	only := flag.String("only", "", "only attacks whose group or name holds this `text`")
	memory := flag.String("memory", "2GB", "memory budget of the program: an `amount`")
	short := flag.Bool("short", false, "the sizes that the test takes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM) // to unmount the disk
	defer stop()
	ok, err := run(ctx, *taper, *only, *memory, *short, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if !ok || err != nil {
		os.Exit(1)
	}
}

// run attacks a program and prints the table; it reports whether all attacks were withstood.
func run(ctx context.Context, taper, only, memory string, short bool, out io.Writer) (ok bool, err error) {
	dir, err := os.MkdirTemp("", "taper-attack-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	if taper == "" {
		taper = filepath.Join(dir, "taper")
		if err := build(ctx, taper); err != nil {
			return false, err
		}
	}
	s, err := newScene(ctx, taper, dir, memory, short)
	if err != nil {
		return false, err
	}
	defer s.end()
	from := time.Now()
	ok = true
	fmt.Fprintln(out, "| attack | sent | must come | came | peak, MB | s | held |\n|---|---|---|---|---|---|---|")
	for _, a := range attacks() {
		if !strings.Contains(a.group+": "+a.name, only) {
			continue
		}
		line, held := s.try(a)
		ok = ok && held
		fmt.Fprintln(out, line)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
	held := s.peak < mostResident
	fmt.Fprintf(out, "\nPeak resident size over the sequence: %d MB, allowed %d. %.0f s.\n", s.peak, mostResident,
		time.Since(from).Seconds())
	return ok && held, nil
}

// build compiles the program of this tree as it is shipped.
func build(ctx context.Context, file string) error {
	mod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return fmt.Errorf("build: %w", err)
	}
	cmd := exec.CommandContext(ctx, "scripts/build", "attack", "-o", file, "./cmd/web")
	cmd.Dir = filepath.Dir(string(mod))
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w: %s", err, said)
	}
	return nil
}

// attack is one action against the program. It is withstood if the answer is as expected, the program answers
// afterwards, and nothing is left in its folder.
type attack struct {
	group, name string
	sent, want  string
	// The reason for a known failure, which is printed and not counted. "" = no failure is accepted.
	open string
	// It notes the answer, and reports unexpected ones as misses.
	do func(*scene)
}

// attacks are all attacks in the order in which they run.
func attacks() (all []attack) {
	for _, g := range []struct {
		name string
		list []attack
	}{{"workbooks", workbooks()}, {"files", files()}, {"calls", calls()}, {"costs", costs()}, {"floods", floods()},
		{"stalls", stalls()}, {"databases", databases()}} {
		for _, a := range g.list {
			a.group = g.name
			all = append(all, a)
		}
	}
	return all
}
