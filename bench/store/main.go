// Command store runs studies and writes the results that ship with the
// program. The same flags write the same bytes on one kind of machine.
//
//	store -preset all|ID,… [-size quick|full|smoke] [-seed 1] -date 2006-01-02 -as VERSION [-dir DIR] [-missing]
//
// Times are left out: they are the machine's own.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/study/stored"
)

func main() {
	var m maker
	preset := flag.String("preset", "all", "ids with commas between, or all")
	size := flag.String("size", string(study.Quick), "smoke, quick or full")
	flag.Uint64Var(&m.seed, "seed", 1, "seed of every study")
	flag.StringVar(&m.date, "date", "", "day that stands in the files, 2006-01-02")
	flag.StringVar(&m.version, "as", "", "version that stands in the files")
	flag.StringVar(&m.dir, "dir", "internal/engine/study/stored/results", "where to write")
	flag.BoolVar(&m.missing, "missing", false, "leave what is there")
	flag.Parse()
	m.size = study.Size(*size)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := m.run(ctx, *preset); err != nil {
		fmt.Fprintln(os.Stderr, "store:", err)
		os.Exit(1)
	}
}

type maker struct {
	size          study.Size
	seed          uint64
	date, version string
	dir           string
	missing       bool
}

func (m maker) run(ctx context.Context, preset string) error {
	if !slices.Contains(study.Sizes, m.size) {
		return fmt.Errorf("size must be smoke, quick or full (got %q)", m.size)
	}
	if _, err := time.Parse(time.DateOnly, m.date); err != nil || m.version == "" {
		return fmt.Errorf("-date must be a day like 2006-01-02, and -as a version")
	}
	for _, id := range ids(preset) {
		if err := m.one(ctx, id); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
	}
	return nil
}

// ids lists what was asked for.
func ids(preset string) []string {
	if preset != "all" {
		return strings.Split(preset, ",")
	}
	all := []string{stored.Robustness}
	for _, p := range paper.Presets {
		all = append(all, p.ID)
	}
	return all
}

// one runs a study and writes its file.
func (m maker) one(ctx context.Context, id string) error {
	file := filepath.Join(m.dir, id+".json.gz")
	if _, err := os.Stat(file); err == nil && m.missing {
		return nil
	}
	spec := study.Spec{Preset: id, Size: m.size, Seed: m.seed}
	if id == stored.Robustness {
		spec = stored.RobustnessSpec(m.size, m.seed)
	}
	plan, err := study.NewPlan(paper.Presets, spec, nil)
	if err != nil {
		return err
	}
	begin := time.Now()
	values, err := study.Run(ctx, plan)
	if err != nil {
		return err
	}
	r := stored.Result{ID: id, Spec: spec, Version: m.version, Date: m.date, Units: len(plan.Units),
		Cells: repeatable(plan, values), Notes: plan.Notes}
	if id == stored.Robustness {
		if r.Weights, err = weights(ctx, spec); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		return err
	}
	fmt.Printf("%s: %d units, %d cells, %d kB in %.1f s\n", id, r.Units, len(r.Cells), b.Len()>>10,
		time.Since(begin).Seconds())
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// repeatable are the cells whose numbers are not the machine's own.
func repeatable(p study.Plan, v study.Values) []study.Cell {
	return slices.DeleteFunc(study.Summarise(p, v), func(c study.Cell) bool {
		return slices.Contains(p.MachineMetrics, c.Metric)
	})
}

// weights looks at the rows of the first replicate, model by model.
func weights(ctx context.Context, spec study.Spec) (all []study.Weights, err error) {
	for m := range spec.Models {
		for r := range spec.Noise.Rates {
			w, err := study.Weigh(ctx, spec, nil, m, r, 0)
			if err != nil {
				return nil, err
			}
			all = append(all, w)
		}
	}
	return all, nil
}
