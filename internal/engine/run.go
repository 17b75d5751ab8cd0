package engine

import (
	"context"
	"fmt"
	"time"

	"taper/internal/engine/crossfit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
)

// Fit computes a whole run: Prepare, then Run.
func Fit(ctx context.Context, t *table.Table, spec runspec.Spec, report func(Progress)) (*Result, error) {
	started := time.Now()
	beat := crossfit.NewTracker(report)
	p, err := Prepare(ctx, t, spec)
	beat.Close()
	if err != nil {
		return nil, err
	}
	p.Traced = true
	r, err := p.Run(ctx, spec, report)
	if err != nil {
		return nil, err
	}
	r.ElapsedS = time.Since(started).Seconds()
	return r, nil
}

// Run fits the spec's model for its boundaries and λ, and its baselines on the same folds. report, when not
// nil, is never called concurrently. Results of equal specs have the same bits whatever was run before, except
// for the seconds they took.
func (p *Prepared) Run(ctx context.Context, spec runspec.Spec, report func(Progress)) (*Result, error) {
	return p.run(ctx, spec, true, false, report)
}

// Outline is Run without the list of rows, which of millions of rows takes as long as the fit, and more memory.
func (p *Prepared) Outline(ctx context.Context, spec runspec.Spec, report func(Progress)) (*Result, error) {
	return p.run(ctx, spec, false, false, report)
}

// Follows reports whether Follow answers a spec sooner than Run.
func Follows(spec runspec.Spec) bool {
	m := spec.WithDefaults().Model
	return m.Banded() && m.Kind == "linear"
}

// Follow is Run, or Outline, for a moving slider: fits of the interval surrogate start from those of the position
// before. The numbers have the certified gap of Run, but their last digits depend on where the slider was.
func (p *Prepared) Follow(ctx context.Context, spec runspec.Spec, listed bool, report func(Progress)) (*Result, error) {
	return p.run(ctx, spec, listed, Follows(spec), report)
}

func (p *Prepared) run(ctx context.Context, spec runspec.Spec, listed, near bool,
	report func(Progress)) (*Result, error) {
	started := time.Now()
	if err := p.check(ctx, &spec); err != nil {
		return nil, err
	}
	c, err := p.comparison(spec)
	if err != nil {
		return nil, err
	}
	if c.unlisted = !listed; near {
		c.near = &p.near
	}
	if err := c.fit(ctx, report); err != nil {
		return nil, fmt.Errorf("fit: %w", err)
	}
	if err := c.representable(); err != nil {
		return nil, err
	}
	c.baselines = []func() *crossfit.Assessment{func() *crossfit.Assessment { return c.plain }, p.Constant}
	var r *Result
	if p.Cohort.Target.Event {
		r, err = c.ofEvent(ctx)
	} else {
		r = c.ofClasses()
	}
	if err != nil {
		return nil, fmt.Errorf("evaluate: %w", err)
	}
	r.DropRanks()
	r.Seconds, r.ElapsedS = c.model.Seconds, time.Since(started).Seconds()
	return r, nil
}
