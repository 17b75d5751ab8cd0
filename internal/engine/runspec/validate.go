package runspec

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/engine/resample"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/engine/usererr"
)

// Validate checks the spec, after defaults, against a table. Its error lists every invalid
// field.
func (s *Spec) Validate(t *table.Table) error {
	_, err := s.Select(context.Background(), t)
	return err
}

// Selection is the part of a table that a spec selects.
type Selection struct {
	Spec    Spec // with defaults
	Cohort  *Cohort
	Repeats [][]Fold // folds of the evaluation, by repeat
}

// Select checks the spec and returns the rows and folds that it selects from the table. Its
// error lists every invalid field.
func (s *Spec) Select(ctx context.Context, t *table.Table) (*Selection, error) {
	d := s.WithDefaults()
	var bad fieldErrors
	bad.task(&d)
	bad.model(&d)
	bad.boundaries(&d)
	bad.validation(d.Validation)
	bad.noise(&d)
	c := bad.columns(t, &d)
	if err := bad.err(); err != nil {
		return nil, err
	}
	if err := d.Validation.cost(len(c.Rows)); err != nil {
		return nil, err
	}
	repeats, err := c.Partition(ctx, &d)
	return &Selection{d, c, repeats}, err
}

func (f *fieldErrors) task(s *Spec) {
	f.price(s)
	if s.Multiclass() {
		f.classTask(s)
		return
	}
	if _, known := task.ByID(s.Task); !known {
		f.add("task", "must be one of %s (got %q)", strings.Join(task.IDs(task.All), ", "), s.Task)
	}
	if boundaries, ok := map[string]int{"hard": 1, "weighted": 1, "reject": 2, "interval": 0}[s.Mode]; !ok {
		f.add("mode", "must be hard, weighted, reject or interval (got %q)", s.Mode)
	} else if boundaries > 0 && len(s.Boundaries) != boundaries {
		f.add("boundaries", "must hold %s in mode %s (got %d)",
			phrase.Plural(boundaries, "probability", "probabilities"), s.Mode,
			len(s.Boundaries))
	}
}

// CheckModel reports what no run takes of a model, by the fields of a run
// ("model.loss"). The task is that of the boundaries, without which it is the one that the
// loss is for: a study names none, and refuses by this what a run of the same model would.
func CheckModel(m fit.Spec, boundaries []float64) error {
	if _, known := loss.FamilyByID(m.Loss); m.Loss != "" && !known {
		_, err := fit.Parse(m) // names the losses of all tasks
		return err
	}
	about := task.For(m, false)
	if len(boundaries) > 0 {
		about = task.Interval{}
	}
	s := Spec{Task: about.ID(), Model: m, Boundaries: boundaries}.WithDefaults()
	var bad fieldErrors
	if m.Given() {
		bad.add("model.kind", "%s is for runs only: a study fits each of its models many times", m.Kind)
		return bad.err()
	}
	bad.model(&s)
	if s.Model.Banded() && len(boundaries) == 0 {
		if e, ok := usererr.As(loss.CheckBoundaries("params.pi", s.Boundaries)); ok {
			for _, wrong := range e.Fields {
				bad.add("model."+wrong.Field, "%s", wrong.Message)
			}
		}
	}
	return bad.err()
}

func (f *fieldErrors) model(s *Spec) {
	m := &s.Model
	switch {
	case m.Given():
		f.given(s)
		return
	case s.Multiclass():
		f.classModel(s)
	case m.Kind == "linear":
		f.loss(s)
	case m.Boosted():
		f.boost(s)
	case m.Kernelled():
		f.curved(s)
	default:
		f.add("model.kind", "must be linear, kernel, boost or given (got %q)", m.Kind)
	}
	if l := m.L2; l.Mode != "" && l.Mode != "cv" && l.Mode != "cv-1se" || l.Mode == "" && !fit.InL2(l.Value) {
		f.add("model.l2", fit.L2Rule, fmt.Sprint(l.Value))
	}
	if !slices.Contains([]string{"", TuningNested, TuningSame, TuningSet, TuningSample}, m.Tuning) {
		f.add("model.tuning", `must be ‘nested’, ‘same-folds’, ‘validation-set’ or ‘sample’ (got %q)`,
			m.Tuning)
	}
	if m.Tuning == TuningSet && m.L2.Mode == "cv-1se" {
		f.add("model.tuning", `‘validation-set’ gives no standard error: use model.l2 ‘cv’`)
	}
	if m.Tuning == TuningSame && s.Validation.Kind != "cv" {
		f.add("model.tuning", `can be ‘same-folds’ only with validation.kind cv`)
	}
}

// loss checks the loss of a linear model, its parameters and solver, and that
// its score can be cut at the boundaries.
func (f *fieldErrors) loss(s *Spec) {
	m := &s.Model
	about, known := task.ByID(s.Task)
	switch {
	case m.Family().Untrained:
		f.add("model.loss", "%s cannot be trained: its slope is 0; train another loss, every run counts its errors", m.Loss)
		return
	case !slices.Contains(fit.MarginLosses(), m.Loss):
		f.add("model.loss", "must be one of %s for two classes (got %q)", strings.Join(fit.MarginLosses(), ", "), m.Loss)
		return
	case known && !slices.Contains(about.Losses(), m.Loss):
		f.add("model.loss", "interval is for task interval: for two classes take logistic, or task interval with "+
			"boundaries [0.5]")
	}
	if known := m.Solvers(); !slices.Contains(known, m.Solver) {
		f.add("model.solver", "must be %s for the %s loss (got %q)", strings.Join(known, ", "), m.Loss, m.Solver)
	}
	f.params(s)
}

// boost checks AdaBoost.α.
func (f *fieldErrors) boost(s *Spec) {
	m := &s.Model
	if m.Loss != fit.BoostLoss {
		f.add("model.loss", "must be %s for kind boost (got %q)", fit.BoostLoss, m.Loss)
		return
	}
	if m.Solver != "auto" {
		f.add("model.solver", "must be auto for kind boost (got %q)", m.Solver)
	}
	f.params(s)
	how, err := fit.Parse(*m)
	if err != nil {
		return // params has said so
	}
	if e, ok := usererr.As(how.Boosting().Check()); ok {
		for _, wrong := range e.Fields {
			f.add("model."+wrong.Field, "%s", wrong.Message)
		}
	}
}

// params reads the parameters of the loss. Interval has pi, which must be the
// boundaries and is checked with them.
func (f *fieldErrors) params(s *Spec) {
	if s.Model.Banded() {
		f.pi(s)
		return
	}
	how, err := fit.Parse(s.Model)
	if err != nil {
		f.join(err)
		return
	}
	if loss.CheckBoundaries("boundaries", s.Boundaries) == nil {
		f.join(how.Check(s.Boundaries))
	}
}

func (f *fieldErrors) pi(s *Spec) {
	for _, name := range slices.Sorted(maps.Keys(s.Model.Params)) {
		field := "model.params." + name
		if name != "pi" {
			f.add(field, "is not a parameter of the interval surrogate")
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
	if !s.Multiclass() {
		f.join(loss.CheckBoundaries("boundaries", s.Boundaries))
	}
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
	if v.Rows != "" && (v.Kind != "split" || v.Rows != RowsOfTest) {
		f.add("validation.rows", "must be left out, or ‘test’ with validation.kind split (got %q)", v.Rows)
	}
}

// cost refuses more fits of more rows than a run may take, before anything is
// held for them.
func (v Validation) cost(rows int) error {
	if v.Kind != "cv" || rows*v.Folds*v.Repeats <= MaxFitted {
		return nil
	}
	if most := MaxFitted / (rows * v.Folds); most > 0 {
		return usererr.BadField("validation.repeats",
			"must be at most %d with %d folds of %s: rows × folds × repeats may be %s (got %d)",
			most, v.Folds, phrase.Plural(rows, "row", "rows"), phrase.Int(MaxFitted), v.Repeats)
	}
	return usererr.BadField("validation.folds", "must be at most %d with %s: rows × folds × repeats may be %s (got %d)",
		MaxFitted/rows, phrase.Plural(rows, "row", "rows"), phrase.Int(MaxFitted), v.Folds)
}

func (f *fieldErrors) noise(s *Spec) {
	n, kinds := s.Noise, synth.NoiseKinds
	if s.Multiclass() {
		kinds = classNoise
	}
	if !slices.Contains(kinds, n.Kind) {
		f.add("noise.kind", "must be one of %s (got %q)", strings.Join(kinds, ", "), n.Kind)
		return
	}
	for _, r := range []struct {
		name string
		v    float64
		used bool
	}{
		{"rate", n.Rate, n.Kind != synth.NoiseNone && n.Kind != synth.NoiseClass},
		{"rate_positive", n.RatePositive, n.Kind == synth.NoiseClass},
		{"rate_negative", n.RateNegative, n.Kind == synth.NoiseClass},
	} {
		switch {
		case !r.used && r.v != 0:
			f.add("noise."+r.name, "must be 0 for noise %s (got %v)", n.Kind, r.v)
		case !(r.v >= 0 && r.v <= 1):
			f.add("noise."+r.name, "must lie between 0 and 1 (got %v)", r.v)
		}
	}
	switch {
	case n.Kind == synth.NoiseNone && n.Draw != 0:
		f.add("noise.draw", "must be 0 for noise %s (got %d)", n.Kind, n.Draw)
	case (synth.Noise{Kind: n.Kind}).ByMargin() && n.Draw != 0:
		f.add("noise.draw", "must be 0 for noise %s, which is not random (got %d)", n.Kind, n.Draw)
	case n.Draw < 0 || n.Draw > MaxDraw:
		f.add("noise.draw", "must lie between 0 and %d (got %d)", MaxDraw, n.Draw)
	}
}

// Partition returns the evaluation folds; it refuses folds that would leave a
// part without one of the classes, or a training part in which λ cannot be
// tuned.
func (c *Cohort) Partition(ctx context.Context, s *Spec) ([][]Fold, error) {
	repeats, err := c.outer(ctx, s)
	if err != nil || !s.Model.Tuned() {
		return repeats, err
	}
	for _, f := range append([]Fold{{Trained: resample.Positions(len(c.Rows))}}, slices.Concat(repeats...)...) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if most, lacking := c.MostFolds(f.Train()); most < 2 {
			return nil, usererr.BadField("model.l2", "cannot be tuned with only %s in a training part: give a number", lacking)
		}
	}
	return repeats, nil
}

// curved checks a kernel score of two classes: the loss as for a linear one,
// then the kernel.
func (f *fieldErrors) curved(s *Spec) {
	m := &s.Model
	if slices.Contains(fit.MarginLosses(), m.Loss) && !slices.Contains(fit.KernelLosses(), m.Loss) {
		f.add("model.loss", "%s has no kernel score: its prior belongs to single columns; take one of %s", m.Loss,
			strings.Join(fit.KernelLosses(), ", "))
		return
	}
	f.loss(s)
	k := multiclass.Kernel{Name: m.Kernel.Name, Degree: m.Kernel.Degree}
	switch g := m.Kernel.Gamma.(type) {
	case nil:
	case float64:
		if k.Gamma = g; !(g > 0) || math.IsInf(g, 1) {
			f.add("model.kernel.gamma", `must be a positive number or ‘cv’ (got %v)`, g)
			return
		}
	default:
		if g != fit.GammaCV {
			f.add("model.kernel.gamma", `must be a positive number or ‘cv’ (got %v)`, g)
		}
	}
	if e, ok := usererr.As(k.Check()); ok {
		for _, wrong := range e.Fields {
			f.add("model."+wrong.Field, "%s", wrong.Message)
		}
	}
}

// CheckSettings reports what is wrong with the task, the model and the boundaries of a
// spec with defaults: what may change while the rows stay.
func (s *Spec) CheckSettings() error {
	var bad fieldErrors
	bad.task(s)
	bad.model(s)
	bad.boundaries(s)
	return bad.err()
}

// NewCohort selects the rows of a spec with defaults and reports what is wrong with the
// columns and levels that it names; nothing else is looked at.
func NewCohort(t *table.Table, s *Spec) (*Cohort, error) {
	var bad fieldErrors
	c := bad.columns(t, s)
	return c, bad.err()
}
