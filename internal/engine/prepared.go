package engine

import (
	"context"
	"sync"

	"taper/internal/engine/crossfit"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Prepared is the part of a run that depends neither on the boundaries nor on
// the model's loss, solver and λ: rows, folds, preprocessing, design matrices
// and the description of the data. Run refits on it as often as a slider
// moves; calls may overlap.
type Prepared struct {
	*crossfit.Folds
	key   string
	about about

	mu    sync.Mutex
	plain map[rule]*crossfit.Assessment // the regression beside a model: it does not depend on the boundaries
}

// about describes the rows of a run: what depends on neither boundaries nor
// model.
type about struct {
	flow     Flow
	table1   []ClassTable1
	sample   []int // rows of the PCA: places in the list of evaluated positions
	few      []int // places among sample of rows in a group of 1 to 9
	pca      [2][]float64
	share    [2]float64
	warnings []Warning
}

// Prepare reads everything from the table that does not change when boundaries
// or λ do.
func Prepare(ctx context.Context, t *table.Table, spec runspec.Spec) (*Prepared, error) {
	folds, err := crossfit.New(ctx, t, spec)
	if err != nil {
		return nil, err
	}
	p := &Prepared{Folds: folds, key: folds.Spec.PrepareKey(), plain: map[rule]*crossfit.Assessment{}}
	if err := p.describe(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

// matches reports a spec that this Prepared was not made for.
func (p *Prepared) matches(s runspec.Spec) error {
	if s.PrepareKey() != p.key {
		return usererr.New(usererr.Invalid, "The spec asks for other rows, columns, folds or seed than were prepared: "+
			"prepare it again.")
	}
	return nil
}

// check fills in the defaults and validates what may differ from Prepare.
func (p *Prepared) check(ctx context.Context, s *runspec.Spec) error {
	*s = s.WithDefaults()
	if err := s.CheckSettings(); err != nil {
		return err
	}
	if err := p.matches(*s); err != nil {
		return err
	}
	if !p.Spec.Model.Tuned() && s.Model.Tuned() {
		_, err := p.Cohort.Partition(ctx, s) // Prepare did not ask for tuning
		return err
	}
	return nil
}

// rule is what the regression beside a model depends on.
type rule struct {
	l2     fit.L2
	tuning string
	cost   string
}

// maxRemembered bounds the rules whose regression is kept.
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
	}
	p.plain[r] = a
}

// Bytes estimates the memory that p holds: its table, the designs that stay,
// and the regressions it remembers.
func (p *Prepared) Bytes() int {
	outputs := p.Cohort.Classes()
	if p.Cohort.Target.Event {
		outputs = 1
	}
	return p.Folds.Bytes() + maxRemembered*8*outputs*len(p.Cohort.Rows)*(1+len(p.Parts))
}

// sum adds up.
func sum(v []float64) (total float64) {
	for _, x := range v {
		total += x
	}
	return total
}

// sign is a class of two as ±1.
func sign(class int) float64 { return float64(2*class - 1) }

// present is an empty list in the place of none.
func present[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
