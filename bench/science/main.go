// Command science runs the studies with published numbers and prints ours beside them. The acceptance rule is that
// of study.Reference: |ours − reference| ≤ 3·√(se² + se²) plus half a unit of the last printed digit.
// Differences without a documented reason give exit status 1.
//
//	science [-size quick|full|smoke] [-seed 1] [-cores] [ID …]
//
// Without ids it runs every preset and check with published numbers; with ids, those. -cores runs each study on one
// core and on all, and prints the parallel efficiency. bench/store writes results in the format of the program.
// cores were used. bench/store writes results as the program ships them.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"

	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
)

type options struct {
	in    study.Input
	cores bool
}

func main() {
	o := options{}
	size := flag.String("size", string(study.Quick), "smoke, quick or full")
	flag.Uint64Var(&o.in.Seed, "seed", 1, "seed of every study")
	flag.BoolVar(&o.cores, "cores", false, "measure how well all cores are used")
	flag.Parse()
	o.in.Size = study.Size(*size)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	missed, err := o.run(ctx, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "science:", err)
		os.Exit(2)
	}
	if missed > 0 {
		fmt.Printf("\n%d numbers MISSED.\n", missed)
		os.Exit(1)
	}
}

func (o options) run(ctx context.Context, ids []string) (missed int, err error) {
	if !slices.Contains(study.Sizes, o.in.Size) {
		return 0, fmt.Errorf("size must be smoke, quick or full (got %q)", o.in.Size)
	}
	chosen, err := choose(ids)
	if err != nil {
		return 0, err
	}
	for _, p := range chosen {
		do := o.one
		if o.cores {
			do = o.scale
		}
		m, err := do(ctx, p)
		if err != nil {
			return missed, fmt.Errorf("%s: %w", p.ID, err)
		}
		missed += m
	}
	return missed, nil
}

// choose returns the studies with the ids, or all with published numbers.
func choose(ids []string) (chosen []study.Preset, err error) {
	all := slices.Concat(paper.Checks, paper.Presets)
	for _, id := range ids {
		i := slices.IndexFunc(all, func(p study.Preset) bool { return p.ID == id })
		if i < 0 {
			return nil, fmt.Errorf("no study %q", id)
		}
		chosen = append(chosen, all[i])
	}
	if len(ids) == 0 {
		chosen = slices.DeleteFunc(all, func(p study.Preset) bool { return len(p.References) == 0 })
	}
	return chosen, nil
}

// one runs a study and prints its verdicts and notes.
func (o options) one(ctx context.Context, p study.Preset) (missed int, err error) {
	plan, err := p.Build(o.in)
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	done, err := study.Run(ctx, plan)
	if err != nil {
		return 0, err
	}
	fmt.Printf("\n%s  %s (%s), %s size, %d units in %.1f s\n", p.ID, p.Title, p.Figure, o.in.Size, len(plan.Units),
		time.Since(begin).Seconds())
	cells := study.Summarise(plan, done)
	for _, v := range p.Verdicts(cells) {
		fmt.Println(line(v))
		if !v.Holds && (v.Differs == "" || v.Allowed == nil) {
			missed++
		}
	}
	for _, n := range p.NotesOn(cells) {
		fmt.Println("  note:", n)
	}
	return missed, nil
}

// efficient is the smallest accepted parallel efficiency.
const efficient = 0.85

// scale runs a study on one core and on all.
func (o options) scale(ctx context.Context, p study.Preset) (missed int, err error) {
	cores := runtime.GOMAXPROCS(0)
	took := map[int]float64{}
	for _, n := range []int{cores, 1} {
		plan, err := p.Build(o.in)
		if err != nil {
			return 0, err
		}
		runtime.GOMAXPROCS(n)
		begin := time.Now()
		_, err = study.Run(ctx, plan)
		runtime.GOMAXPROCS(cores)
		if err != nil {
			return 0, err
		}
		took[n] = time.Since(begin).Seconds()
	}
	used, verdict := took[1]/took[cores]/float64(cores), "reached"
	if used < efficient {
		missed, verdict = 1, "MISSED"
	}
	fmt.Printf("%s, %s size: one core %.1f s, %d cores %.1f s, %.0f %% of them used; at least %.0f %%: %s\n", p.ID,
		o.in.Size, took[1], cores, took[cores], 100*used, 100*efficient, verdict)
	return missed, nil
}

// line writes a verdict.
func line(v study.Verdict) string {
	text := fmt.Sprintf("  %-72s", v.Name())
	if v.Ours == nil {
		return text + " has no value here  MISSED"
	}
	text += fmt.Sprintf(" %10.6g", *v.Ours)
	if v.SE != nil {
		text += fmt.Sprintf(" ± %-8.2g", 1.96**v.SE)
	} else {
		text += strings.Repeat(" ", 11)
	}
	switch {
	case v.Sign > 0:
		text += fmt.Sprintf(" n %-3d  above 0", v.N)
	case v.Sign < 0:
		text += fmt.Sprintf(" n %-3d  below 0", v.N)
	case v.AtLeast:
		text += fmt.Sprintf(" n %-3d  at least %.6g", v.N, v.Value)
	default:
		text += fmt.Sprintf(" n %-3d  reference %.6g", v.N, v.Value)
	}
	if v.HalfWidth > 0 {
		text += fmt.Sprintf(" ± %g", v.HalfWidth)
	}
	if v.Allowed == nil {
		return text + "  too few replicates for a verdict  MISSED"
	}
	verdict := "holds"
	switch {
	case !v.Holds && v.Differs != "":
		verdict = "differs, as known: " + v.Differs
	case !v.Holds:
		verdict = "MISSED"
	case v.Differs != "":
		verdict = "holds, though listed as different"
	}
	return text + fmt.Sprintf("  allowed %.2g, notices %.2g  %s", *v.Allowed, *v.Notices, verdict)
}
