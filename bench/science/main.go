// Command science runs the studies whose numbers are known and prints ours
// beside the reference, by the acceptance rule of the reference study:
// |ours − reference| ≤ 3·√(se² + se²), or the stated tolerance where the
// reference has no interval. It exits with 1 on a miss.
//
//	science [-size quick|full|smoke] [-seed 1] [-json] [ID …]
//
// Without ids it runs every preset and check that has references; with ids,
// those. -json writes the cells of each study to stdout instead.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"taper/internal/engine/study"
)

func main() {
	size := flag.String("size", string(study.Quick), "smoke, quick or full")
	seed := flag.Uint64("seed", 1, "seed of every study")
	asJSON := flag.Bool("json", false, "write the cells instead of the verdicts")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	missed, err := run(ctx, study.Input{Size: study.Size(*size), Seed: *seed}, flag.Args(), *asJSON)
	if err != nil {
		fmt.Fprintln(os.Stderr, "science:", err)
		os.Exit(2)
	}
	if missed > 0 {
		fmt.Printf("\n%d numbers MISSED.\n", missed)
		os.Exit(1)
	}
}

func run(ctx context.Context, in study.Input, ids []string, asJSON bool) (missed int, err error) {
	if !slices.Contains(study.Sizes, in.Size) {
		return 0, fmt.Errorf("size must be smoke, quick or full (got %q)", in.Size)
	}
	chosen, err := choose(ids)
	if err != nil {
		return 0, err
	}
	for _, p := range chosen {
		m, err := one(ctx, p, in, asJSON)
		if err != nil {
			return missed, fmt.Errorf("%s: %w", p.ID, err)
		}
		missed += m
	}
	return missed, nil
}

// choose returns the studies of the ids, or all that have references.
func choose(ids []string) (chosen []study.Preset, err error) {
	all := slices.Concat(study.Checks, study.Presets)
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
func one(ctx context.Context, p study.Preset, in study.Input, asJSON bool) (missed int, err error) {
	plan, err := p.Build(in)
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	done, err := study.Run(ctx, plan, nil, nil, nil)
	if err != nil {
		return 0, err
	}
	cells := study.Summarise(plan, done)
	if asJSON {
		return 0, json.NewEncoder(os.Stdout).Encode(map[string]any{"preset": p.ID, "size": in.Size, "seed": in.Seed, "cells": cells})
	}
	fmt.Printf("\n%s  %s (%s), %s size, %d units in %.1f s\n", p.ID, p.Title, p.Figure, in.Size, len(plan.Units), time.Since(begin).Seconds())
	for _, v := range p.Verdicts(cells) {
		fmt.Println(line(v))
		if !v.Holds {
			missed++
		}
	}
	for _, n := range p.NotesOn(cells) {
		fmt.Println("  note:", n)
	}
	return missed, nil
}

// line writes a verdict.
func line(v study.Verdict) string {
	name := []string{v.Key.Data, v.Key.Model, v.Key.Metric, fmt.Sprintf("noise %g", v.Key.Noise)}
	if v.Key.At != 0 {
		name = append(name, fmt.Sprintf("at %g", v.Key.At))
	}
	if v.Median {
		name = append(name, "median")
	}
	text := fmt.Sprintf("  %-72s", strings.Join(slices.DeleteFunc(name, func(s string) bool { return s == "" }), ", "))
	if v.Ours == nil {
		return text + " has no value here  MISSED"
	}
	text += fmt.Sprintf(" %10.6g", *v.Ours)
	if v.SE != nil {
		text += fmt.Sprintf(" ± %-8.2g", 1.96**v.SE)
	} else {
		text += strings.Repeat(" ", 11)
	}
	text += fmt.Sprintf(" n %-3d  reference %.6g", v.N, v.Value)
	if v.Half > 0 {
		text += fmt.Sprintf(" ± %g", v.Half)
	}
	verdict := "holds"
	if !v.Holds {
		verdict = "MISSED"
	}
	return text + fmt.Sprintf("  allowed %.2g  %s", v.Allowed, verdict)
}
