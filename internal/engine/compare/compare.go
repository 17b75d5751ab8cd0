// Package compare holds finished runs against each other: what was asked
// differently, how the metrics differ from a baseline's and by how much of it
// chance can be, who moved to another band, and how the models differ.
//
// It never subtracts what cannot be subtracted. Numbers of runs on other data,
// or of another event, stand side by side without a difference; a loss that
// depends on the boundaries has a difference where these agree; and only rows
// that both runs evaluated are paired. Every omission is a Warning in words.
//
// Conventions: lists with an entry for each run are in the order of the runs;
// the baseline's own difference is nil. A difference is the run's value less
// the baseline's.
package compare

import (
	"context"

	"taper/internal/engine/parallel"
)

// Comparison is what New found.
type Comparison struct {
	IDs      []string `json:"ids"`
	Baseline string   `json:"baseline"`
	Names    []string `json:"names"`
	Methods  []string `json:"methods"`

	Differences      []Setting          `json:"differences"` // settings that are not the same in all
	Same             []Setting          `json:"same"`
	Metrics          []Metric           `json:"metrics"`
	Strata           []Strata           `json:"strata"`
	Reclassification []Reclassification `json:"reclassification"` // of each run but the baseline
	Terms            []Term             `json:"coefficients"`
	Weights          []Weights          `json:"weights"`
	Curves           []Curves           `json:"curves"`
	Warnings         []Warning          `json:"warnings"`

	Base int `json:"-"` // index of the baseline
}

// Memory is what New takes at most beside runs whose rows take so many bytes: those that test of each, the
// same again for each pair with the baseline, and draws of them on every core.
func Memory(rows int64) int64 { return 2 * rows }

// New compares runs with the one at base, until the context ends. It panics on
// an index out of range and on a run without a result.
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
	parallel.Each(len(runs), 0, func(_, i int) { // most of the work, and each run's own
		c.Weights[i], c.Curves[i] = weights(runs[i]), curves(runs[i], b.samples[i])
	})
	c.Warnings = b.warnings()
	return c, nil
}
