// Attack starts Taper on a small disk and does to it what a stranger, a broken program or a
// broken machine could do; for each attack it prints what was sent, what must come, what
// came, the largest resident size, and whether it held. Peaks above 4 GB and whatever does
// not hold end it with 1.
//
//	go run ./bench/attack [-taper FILE] [-only TEXT] [-memory AMOUNT] [-short]
//
// It looks from the outside: at answers, at the log, at the process and at the data folder,
// and knows nothing of the code. The test of this package is the short form, with smaller sizes.
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

// mostResident is what no sequence of attacks may bring a process above, in MB.
const mostResident = 4096

func main() {
	taper := flag.String("taper", "", "attack this `file` rather than a program built from the tree")
	only := flag.String("only", "", "only attacks whose group or name holds this `text`")
	memory := flag.String("memory", "2GB", "memory budget of the program: an `amount`")
	short := flag.Bool("short", false, "the sizes that the test takes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM) // the small disk is unmounted
	defer stop()
	ok, err := run(ctx, *taper, *only, *memory, *short, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if !ok || err != nil {
		os.Exit(1)
	}
}

// run attacks a program and prints the table; it reports whether everything held.
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

// build makes the program of this tree.
func build(ctx context.Context, file string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", file, "taper/cmd/web")
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w: %s", err, said)
	}
	return nil
}

// attack is one thing that is done to the program. It must hold: the answer is the one
// wanted, the program answers afterwards, and nothing is left in its folder.
type attack struct {
	group, name string
	sent, want  string
	// Why it is known not to hold; such a line is printed and does not count. "" = it must hold.
	open string
	// It notes what came, and as a miss what should not have come.
	do func(*scene)
}

// attacks is the whole list, in the order in which it is tried.
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
