// Command store runs studies and writes the results that are part of the program. The same flags give the same
// bytes on one kind of machine.
//
//	store -preset all|sets|ID,… [-size quick|full|smoke] [-seed 1] -date 2006-01-02 -as VERSION [-dir DIR] [-missing]
//		[-data FOLDER] [-keep FOLDER]
//
// An id is that of a preset, or of a preset on a dataset that is not part of the program, such as
// fathony-table2.glass, whose file is in the folder of -data (make paper-data); sets means all of these. With -keep
// finished units are stored in a folder, and an interrupted study continues. Times are left out, since they depend
// on the machine.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"taper/internal/engine/job"
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/study/stored"
)

func main() {
	var m maker
	preset := flag.String("preset", "all", "ids with commas between, all, or sets")
	size := flag.String("size", string(study.Quick), "smoke, quick or full")
	flag.Uint64Var(&m.seed, "seed", 1, "seed of every study")
	flag.StringVar(&m.date, "date", "", "day that stands in the files, 2006-01-02")
	flag.StringVar(&m.version, "as", "", "version that stands in the files")
	flag.StringVar(&m.dir, "dir", "internal/engine/study/stored/results", "where to write")
	flag.StringVar(&m.data, "data", "bench/paperdata/out", "where make paper-data wrote")
	flag.StringVar(&m.keep, "keep", "", "where finished units are kept; empty keeps none")
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
	data, keep    string // folders
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

// ids lists the requested results.
func ids(preset string) (all []string) {
	switch preset {
	case "all":
		all = []string{stored.Robustness}
		for _, p := range paper.Presets {
			all = append(all, p.ID)
		}
	case "sets":
		for _, p := range paper.Presets {
			for _, s := range p.Data.Sets {
				all = append(all, p.ResultID(s))
			}
		}
	default:
		all = strings.Split(preset, ",")
	}
	return all
}

// one runs a study and writes its file.
func (m maker) one(ctx context.Context, id string) error {
	file := filepath.Join(m.dir, id+".json.gz")
	if _, err := os.Stat(file); err == nil && m.missing {
		return nil
	}
	r := stored.Result{ID: id, Spec: study.Spec{Preset: id, Size: m.size, Seed: m.seed}, Version: m.version, Date: m.date}
	plan, err := m.plan(ctx, &r)
	if err != nil {
		return err
	}
	begin := time.Now()
	values, err := m.compute(ctx, id, plan)
	if err != nil {
		return err
	}
	r.Units, r.Cells, r.Notes = len(plan.Units), repeatable(plan, values), plan.Notes
	if id == stored.Robustness {
		if r.Weights, err = weights(ctx, r.Spec); err != nil {
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

// plan is the plan of a result; it completes the spec and the file.
func (m maker) plan(ctx context.Context, r *stored.Result) (study.Plan, error) {
	if r.ID == stored.Robustness {
		r.Spec = stored.RobustnessSpec(m.size, m.seed)
	}
	id, _, onSet := strings.Cut(r.ID, ".")
	if !onSet {
		return study.NewPlan(paper.Presets, r.Spec, nil)
	}
	p, _ := paper.Presets.ByID(id)
	set, known := p.SetByResult(r.ID)
	if !known {
		return study.Plan{}, errors.New("no preset is run on such a set")
	}
	raw, err := os.ReadFile(filepath.Join(m.data, set.File()))
	if err != nil {
		return study.Plan{}, fmt.Errorf("%w: run make paper-data", err)
	}
	r.Spec.Preset, r.Spec.Outcome, r.SHA256 = id, set.Outcome, fmt.Sprintf("%x", sha256.Sum256(raw))
	return p.BuildOn(ctx, set, raw, m.size, m.seed)
}

// compute runs the units of a plan that are not stored.
func (m maker) compute(ctx context.Context, id string, plan study.Plan) (values study.Values, err error) {
	file, kept := filepath.Join(m.keep, id+".json"), study.Values{}
	s := study.Session{Plan: plan, Finish: func(_ context.Context, all study.Values) error {
		values = all
		return nil
	}}
	if m.keep != "" {
		if err := os.MkdirAll(m.keep, 0o755); err != nil { // before the first unit, which may take a quarter of an hour
			return nil, err
		}
		if b, err := os.ReadFile(file); err == nil {
			if err := json.Unmarshal(b, &kept); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
		s.Done = maps.Clone(kept)
		s.Commit = func(units []study.Committed) error {
			for _, u := range units {
				if !slices.ContainsFunc(u.Values, notFinite) { // JSON has no such numbers, so the unit is computed again
					kept[u.Unit.ID] = u.Values
				}
			}
			b, err := json.Marshal(kept)
			if err != nil {
				return err
			}
			return os.WriteFile(file, b, 0o644)
		}
	}
	err = job.Do(ctx, &s, nil)
	return values, err
}

func notFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// repeatable are the cells whose numbers do not depend on the machine.
func repeatable(p study.Plan, v study.Values) []study.Cell {
	return slices.DeleteFunc(study.Summarise(p, v), func(c study.Cell) bool {
		return slices.Contains(p.MachineMetrics, c.Metric)
	})
}

// weights computes the row weights in the first replicate, model by model.
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
