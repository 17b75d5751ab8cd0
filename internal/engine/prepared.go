package engine

import (
	"context"
	"sync"

	"taper/internal/engine/crossfit"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Prepared is the part of a run that depends neither on the boundaries nor on the model's loss, solver and λ:
// rows, folds, preprocessing, design matrices and the description of the data. A page keeps it while a slider
// moves and calls Run for every position. Concurrent calls are safe.
type Prepared struct {
	*crossfit.Folds
	key   string
	about about

	near crossfit.Near // fits of the positions of a moving slider

	mu    sync.Mutex
	plain map[rule]*crossfit.Assessment // cached comparison regressions; they do not depend on the boundaries
	known map[baseline]*stat.Known      // metrics of the baselines
}

// baseline identifies the predictions of a cached regression, or of the model without predictors (nil), in one repeat.
type baseline struct {
	regression *crossfit.Assessment
	repeat     int
}

// about describes the rows of a run, independently of boundaries and model.
type about struct {
	flow     Flow
	table1   []ClassTable1
	sample   []int // rows of the PCA, as indices into the list of test positions
	few      []int // indices into sample of rows in a group of 1 to 9
	pca      [2][]float64
	share    [2]float64
	warnings []Warning
}

// Prepare computes from the table everything that does not change with boundaries or λ.
func Prepare(ctx context.Context, t *table.Table, spec runspec.Spec) (*Prepared, error) {
	folds, err := crossfit.New(ctx, t, spec)
	if err != nil {
		return nil, err
	}
	p := &Prepared{Folds: folds, key: folds.Spec.PrepareKey(), plain: map[rule]*crossfit.Assessment{},
		known: map[baseline]*stat.Known{}}
	if err := p.describe(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

// matches returns an error for a spec that this Prepared was not made for.
func (p *Prepared) matches(s runspec.Spec) error {
	if s.PrepareKey() != p.key {
		return usererr.New(usererr.Invalid, "The spec asks for other rows, columns, folds or seed than were prepared: "+
			"prepare it again.")
	}
	return nil
}

// check fills in the defaults of a spec and validates the settings that may differ from those given to Prepare.
func (p *Prepared) check(ctx context.Context, s *runspec.Spec) error {
	*s = s.WithDefaults()
	if err := s.CheckSettings(); err != nil {
		return err
	}
	if err := p.matches(*s); err != nil {
		return err
	}
	if !p.Spec.Model.Tuned() && s.Model.Tuned() {
		_, err := p.Cohort.Partition(ctx, s) // Prepare may not have been asked to tune, which needs rows in every inner fold
		return err
	}
	return nil
}

// rule identifies a comparison regression: the settings it depends on.
type rule struct {
	l2     fit.L2
	tuning string
	cost   string
}

// maxRemembered is the largest number of comparison regressions in the cache.
const maxRemembered = 32

func (p *Prepared) remembered(r rule) *crossfit.Assessment {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.plain[r]
}

func (p *Prepared) remember(r rule, a *crossfit.Assessment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.plain) >= maxRemembered {
		clear(p.plain)
		clear(p.known)
	}
	p.plain[r] = a
}

// metricsOf returns what is known of the metrics of a baseline.
func (p *Prepared) metricsOf(a *crossfit.Assessment, repeat int) *stat.Known {
	of := baseline{a, repeat}
	if a.Final == nil {
		of.regression = nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known[of] == nil {
		p.known[of] = new(stat.Known)
	}
	return p.known[of]
}

// Bytes estimates the memory of p: its table, its design matrices and the cached regressions.
func (p *Prepared) Bytes() int {
	outputs := p.Cohort.Classes()
	if p.Cohort.Target.Event {
		outputs = 1
	}
	remembered := maxRemembered + 1 // with the multipliers of Near
	return p.Folds.Bytes() + remembered*8*outputs*len(p.Cohort.Rows)*(1+len(p.Parts))
}

// sum returns the sum of v.
func sum(v []float64) (total float64) {
	for _, x := range v {
		total += x
	}
	return total
}

// sign maps class 0 to −1 and class 1 to +1.
func sign(class int) float64 { return float64(2*class - 1) }

// present replaces a nil list by an empty one, which JSON writes as [] and not as null.
func present[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
