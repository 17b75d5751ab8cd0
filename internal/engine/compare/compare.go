// Package compare compares finished runs: which settings differ, the differences of metrics
// from a baseline with confidence intervals, reclassification, and differences between the
// models.
//
// Differences are given only where they are meaningful. Runs on different data, or with
// different events, are listed without differences; a loss that depends on the boundaries has a
// difference only if these are equal; and only rows tested in both runs are paired. Every
// omission is a Warning in words.
//
// Conventions: lists with one entry per run are in the order of the runs; the baseline's own
// difference is nil. A difference is run − baseline.
package compare

import (
	"context"

	"taper/internal/engine/parallel"
)

// Comparison is the result of New.
type Comparison struct {
	IDs      []string `json:"ids"`
	Baseline string   `json:"baseline"`
	Names    []string `json:"names"`
	Methods  []string `json:"methods"`

	Differences      []Setting          `json:"differences"` // settings that differ between runs
	Same             []Setting          `json:"same"`
	Metrics          []Metric           `json:"metrics"`
	Strata           []Strata           `json:"strata"`
	Reclassification []Reclassification `json:"reclassification"` // of each run except the baseline
	Terms            []Term             `json:"coefficients"`
	Weights          []Weights          `json:"weights"`
	Curves           []Curves           `json:"curves"`
	Warnings         []Warning          `json:"warnings"`

	Base int `json:"-"` // index of the baseline
}

// Memory is an upper bound on the memory of New in addition to the runs, whose rows take this
// many bytes: the test rows of each run, the same again for each pair, and bootstrap draws on
// every core.
func Memory(rows int64) int64 { return 2 * rows }

// New compares runs with the one at index base; it stops when ctx ends. It panics on an index
// out of range and on a run without a result.
func New(ctx context.Context, runs []Run, base int) (*Comparison, error) {
	c := &Comparison{Baseline: runs[base].ID, Base: base}
	b := newJoined(runs, base)
	if err := b.measure(ctx); err != nil {
		return nil, err
	}
	for _, r := range runs {
		c.IDs, c.Names, c.Methods = append(c.IDs, r.ID), append(c.Names, r.Name), append(c.Methods, r.Result.Method)
		c.Strata = append(c.Strata, strataOf(r))
	}
	c.Differences, c.Same = settings(runs)
	c.Metrics = b.metrics()
	c.Reclassification = b.reclassify()
	c.Terms = terms(runs, base)
	c.Weights, c.Curves = make([]Weights, len(runs)), make([]Curves, len(runs))
	parallel.Each(len(runs), 0, func(_, i int) { // most of the work, independent for each run
		c.Weights[i], c.Curves[i] = weights(runs[i]), curves(runs[i], b.samples[i])
	})
	c.Warnings = b.warnings()
	return c, nil
}
