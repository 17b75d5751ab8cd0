package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"taper/internal/engine/errs"
	"taper/internal/engine/loss"
	"taper/internal/engine/table"
)

// maxFolds and maxRepeats bound what one run may cost.
const (
	maxFolds   = 50
	maxRepeats = 100
)

// Validate reports everything that is wrong with the spec for this table, in
// one error that names each field. Defaults count as given.
func (s *Spec) Validate(t *table.Table) error {
	_, err := s.validate(context.Background(), t)
	return err
}

// valid is what a spec selects of a table.
type valid struct {
	spec    Spec // with defaults
	cohort  *cohort
	repeats [][]fold // that judge
}

func (s *Spec) validate(ctx context.Context, t *table.Table) (*valid, error) {
	d := s.WithDefaults()
	var bad fieldErrors
	bad.task(&d)
	bad.model(&d)
	bad.boundaries(&d)
	bad.validation(d.Validation)
	bad.noise(d.Noise)
	c := bad.columns(t, &d)
	if err := bad.err(); err != nil {
		return nil, err
	}
	repeats, err := c.partition(ctx, &d)
	return &valid{d, c, repeats}, err
}

// tasks lists, for every task that runs in this version, its losses.
var tasks = map[string][]string{
	"interval": {"interval", "logistic"},
	"binary":   {"logistic"},
}

// solvers lists the solvers of each loss.
var solvers = map[string][]string{
	"interval": {"auto", "newton", "subgradient"},
	"logistic": {"auto", "lbfgs"},
}

func (f *fieldErrors) task(s *Spec) {
	losses, ok := tasks[s.Task]
	if !ok {
		f.add("task", "must be interval or binary in this version (got %q)", s.Task)
		return
	}
	if !slices.Contains(losses, s.Model.Loss) {
		f.add("model.loss", "must be %s for task %s in this version (got %q)", strings.Join(losses, " or "), s.Task, s.Model.Loss)
	}
	if boundaries, ok := map[string]int{"hard": 1, "weighted": 1, "reject": 2, "interval": 0}[s.Mode]; !ok {
		f.add("mode", "must be hard, weighted, reject or interval (got %q)", s.Mode)
	} else if boundaries > 0 && len(s.Boundaries) != boundaries {
		f.add("boundaries", "must hold %s in mode %s (got %d)", count(boundaries, "probability", "probabilities"), s.Mode, len(s.Boundaries))
	}
}

func (f *fieldErrors) model(s *Spec) {
	m := &s.Model
	if m.Kind != "linear" {
		f.add("model.kind", "must be linear in this version (got %q)", m.Kind)
	}
	if known, ok := solvers[m.Loss]; ok && !slices.Contains(known, m.Solver) {
		f.add("model.solver", "must be %s for the %s loss (got %q)", strings.Join(known, ", "), m.Loss, m.Solver)
	}
	if l := m.L2; l.Mode != "" && l.Mode != "cv" && l.Mode != "cv-1se" || l.Mode == "" && !inL2(l.Value) {
		f.add("model.l2", l2Rule, fmt.Sprint(l.Value))
	}
	if m.Tuning != "" && m.Tuning != "nested" && m.Tuning != "same-folds" {
		f.add("model.tuning", `must be "nested" or "same-folds" (got %q)`, m.Tuning)
	}
	if m.Tuning == "same-folds" && s.Validation.Kind != "cv" {
		f.add("model.tuning", `can be "same-folds" only with validation.kind cv`)
	}
	if _, ok := solvers[m.Loss]; ok {
		f.params(s)
	}
}

// params refuses what is not a parameter of the loss: interval has pi, which
// must be the boundaries; logistic has none.
func (f *fieldErrors) params(s *Spec) {
	for _, name := range sortedKeys(s.Model.Params) {
		field := "model.params." + name
		if s.Model.Loss != "interval" || name != "pi" {
			f.add(field, "is not a parameter of the %s loss", s.Model.Loss)
			continue
		}
		pi, ok := numbers(s.Model.Params[name])
		if !ok {
			f.add(field, "must be a list of probabilities")
		} else if !slices.Equal(pi, s.Boundaries) {
			f.add(field, "must be the boundaries %v (got %v)", s.Boundaries, pi)
		}
	}
}

func (f *fieldErrors) boundaries(s *Spec) {
	f.join(loss.CheckBoundaries("boundaries", s.Boundaries))
}

func (f *fieldErrors) validation(v Validation) {
	switch v.Kind {
	case "cv":
		if v.Folds < 2 || v.Folds > maxFolds {
			f.add("validation.folds", "must lie between 2 and %d (got %d)", maxFolds, v.Folds)
		}
		if v.Repeats < 1 || v.Repeats > maxRepeats {
			f.add("validation.repeats", "must lie between 1 and %d (got %d)", maxRepeats, v.Repeats)
		}
	case "split":
		if !(v.Test > 0 && v.Test < 1) {
			f.add("validation.test", "must lie strictly between 0 and 1 (got %v)", v.Test)
		}
	case "none":
	default:
		f.add("validation.kind", "must be cv, split or none (got %q)", v.Kind)
	}
}

func (f *fieldErrors) noise(n Noise) {
	if n.Kind != "none" {
		f.add("noise.kind", "must be none in this version (got %q)", n.Kind)
	} else if n.Rate != 0 || n.RatePositive != 0 || n.RateNegative != 0 {
		f.add("noise.rate", "must be 0 without noise")
	}
}

// partition returns the folds that judge; it refuses folds that would leave a
// part without one of the classes, or a training part in which λ cannot be
// tuned.
func (c *cohort) partition(ctx context.Context, s *Spec) ([][]fold, error) {
	repeats, err := c.outer(ctx, s)
	if err != nil || !s.Model.L2.Tuned() {
		return repeats, err
	}
	parts := [][]int{positions(len(c.rows))}
	for _, folds := range repeats {
		for _, p := range folds {
			parts = append(parts, p.train)
		}
	}
	for _, at := range parts {
		if most, lacking := c.most(at); most < 2 {
			return nil, errs.BadField("model.l2", "cannot be tuned with only %s in a training part: give a number", lacking)
		}
	}
	return repeats, nil
}

// count writes a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}
