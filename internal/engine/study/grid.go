package study

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"taper/internal/engine/fit"
	"taper/internal/engine/resample"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/tune"
	"taper/internal/engine/usererr"
)

// NewPlan builds the plan of a spec, a grid or a preset. data is the uploaded table that the spec names,
// nil for a generator.
func NewPlan(presets Presets, s Spec, data *Data) (Plan, error) {
	s = s.WithDefaults()
	if err := s.Validate(presets); err != nil {
		return Plan{}, err
	}
	if s.Preset == "" {
		return gridPlan(s, data)
	}
	p, _ := presets.ByID(s.Preset)
	if data != nil && !p.Uploads {
		return Plan{}, usererr.BadField("dataset", "cannot take the place of the data of %s", p.ID)
	}
	plan, err := p.Build(Input{Size: s.Size, Seed: s.Seed, Data: data})
	plan.Memory, plan.Work = uploadMemory(data), presetWork(plan, data)
	return plan, err
}

// grid is a study of models × rates of noise × replicates.
type grid struct {
	spec    Spec
	data    string
	task    *Task // of an uploaded table; nil = generated for each replicate
	methods []fit.Method
	labels  []string
}

// gridPlan has one unit per rate and replicate: its models share the sample, the split, the preprocessing
// and the noise.
func gridPlan(s Spec, data *Data) (Plan, error) {
	g, err := newGrid(s, data)
	if err != nil {
		return Plan{}, err
	}
	t, err := g.replicate(0)
	if err != nil {
		return Plan{}, err
	}
	if err := g.suits(len(t.Levels)); err != nil {
		return Plan{}, err
	}
	p := g.plan()
	p.Memory, p.Work = g.gridMemory(t), g.gridWork(t)
	return p, nil
}

// newGrid reads the data and the models of a validated spec.
func newGrid(s Spec, data *Data) (grid, error) {
	g := grid{spec: s, data: s.Dataset.Generator}
	if s.Dataset.ID != "" {
		if data == nil {
			return g, usererr.New(usererr.NotFound, "The dataset of the study is not there.")
		}
		t, err := NewTask(*data)
		if err != nil {
			return g, err
		}
		g.task, g.data = &t, data.Name
	}
	for i, m := range s.Models {
		how, err := fit.Parse(m)
		if err != nil {
			return g, fmt.Errorf("model %d: %w", i+1, err)
		}
		g.methods, g.labels = append(g.methods, how), append(g.labels, Label(m))
	}
	return g, nil
}

// suits returns an error for models that cannot be fitted to this number of classes, before a unit fails.
func (g grid) suits(classes int) error {
	var c checks
	c.bad(classes == 2 || !NeedsBoundaries(g.spec.Metric), "metric",
		"can be %s only with an outcome of two classes (got %d)", g.spec.Metric, classes)
	for i, how := range g.methods {
		if e, ok := usererr.As(how.Suits(classes)); ok {
			for _, f := range e.Fields {
				c.bad(false, "models["+strconv.Itoa(i)+"]"+strings.TrimPrefix(f.Field, "model"), "%s", f.Message)
			}
		}
	}
	return usererr.BadFields(c.fields)
}

func (g grid) plan() (p Plan) {
	for r := range g.spec.Replicates {
		for i, rate := range g.spec.Noise.Rates {
			u := Unit{ID: fmt.Sprintf("noise %d #%d", i, r), Kind: "grid", Replicate: r,
				Run: func(ctx context.Context) ([]float64, error) { return g.run(ctx, i, r) }}
			for _, name := range g.labels {
				u.Keys = append(u.Keys, Key{Data: g.data, Model: name, Noise: rate, Metric: g.spec.Metric, At: g.at(i)})
			}
			values := len(u.Keys)
			for k, how := range g.methods {
				for _, end := range gridEnds(how) {
					key := u.Keys[k]
					key.Metric = end.metric
					u.Keys = append(u.Keys, key)
				}
			}
			u.Extra = len(u.Keys) - values
			p.Units = append(p.Units, u)
		}
	}
	return p
}

// at distinguishes settings of class-conditional noise that have the same rate for events.
func (g grid) at(i int) float64 {
	if len(g.spec.Noise.Negative) > 0 {
		return g.spec.Noise.Negative[i]
	}
	return 0
}

// replicate returns the table of a replicate.
func (g grid) replicate(r int) (Task, error) {
	if g.task != nil {
		return *g.task, nil
	}
	d := g.spec.Dataset
	t, meta, err := synth.Generate(d.Generator, d.Rows, Seed(g.spec.Seed, "sample "+d.Generator, r), d.Params)
	if err != nil {
		return Task{}, err
	}
	data := Data{Name: d.Generator, Table: t, Outcome: cmp.Or(g.spec.Outcome, meta.Outcome),
		Positive: g.spec.Positive, Negative: g.spec.Negative, Levels: meta.Levels}
	if len(data.Positive) == 0 {
		data.Positive = table.OneLevel(meta.Positive)
	}
	if len(data.Negative) == 0 {
		data.Negative = table.OneLevel(meta.Negative)
	}
	return NewTask(data)
}

// run fits and evaluates every model at one rate in one replicate.
func (g grid) run(ctx context.Context, rate, r int) ([]float64, error) {
	t, err := g.replicate(r)
	if err != nil {
		return nil, err
	}
	trains, judges := Split(g.spec.Seed, r, t.Y, g.spec.Test)
	var values, ends []float64
	var designs [2]*prepared // without and with standardisation
	for k, how := range g.methods {
		plain := 0
		if s := how.Spec.Standardize; s != nil && !*s {
			plain = 1
		}
		if designs[plain] == nil {
			if designs[plain], err = g.prepare(ctx, t, trains, judges, rate, r, plain == 0); err != nil {
				return nil, err
			}
		}
		m, edges, err := g.fit(ctx, how, designs[plain], len(t.Levels), r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.labels[k], err)
		}
		values = append(values, Evaluate(m, designs[plain].Test, g.spec.Metric))
		for _, end := range gridEnds(how) {
			ends = append(ends, end.of(edges))
		}
	}
	return append(values, ends...), nil
}

// prepared holds the rows of a replicate at one rate of noise.
type prepared struct {
	Division
	clean Rows // training rows before the noise
	inner func(ctx context.Context, train, heldOut []int) (a, b Rows, err error)
}

// prepare fits the preprocessing to the clean training rows, then adds the noise. Inner folds fit their
// own: otherwise means and scales would depend on held-out rows, by which λ is chosen.
func (g grid) prepare(ctx context.Context, t Task, trains, judges []int, rate, r int,
	standard bool) (p *prepared, err error) {
	p = &prepared{}
	if p.clean, p.Test, err = t.Design(ctx, trains, judges, standard); err != nil {
		return nil, err
	}
	noise, err := corrupt(ctx, g.spec.Noise.at(rate), p.clean, g.spec.Seed, r)
	if err != nil {
		return nil, err
	}
	p.Train = noise.of(p.clean)
	features := trains // per training row: the position whose features it has
	if noise.features != nil {
		features = resample.Pick(trains, noise.features)
	}
	p.inner = func(ctx context.Context, train, heldOut []int) (a, b Rows, err error) {
		learnt, err := t.learn(ctx, resample.Pick(trains, train), standard)
		if err != nil {
			return a, b, err
		}
		if a, err = t.transform(ctx, learnt, resample.Pick(features, train)); err != nil {
			return a, b, err
		}
		b, err = t.transform(ctx, learnt, resample.Pick(features, heldOut))
		a.Y, b.Y = resample.Pick(p.Train.Y, train), resample.Pick(p.Train.Y, heldOut)
		return a, b, err
	}
	return p, nil
}

// fit fits a model as the grid does in a replicate.
func (g grid) fit(ctx context.Context, how fit.Method, p *prepared, classes, r int) (*fit.Model, []tune.Edge, error) {
	f := Fitter{Method: how, Task: g.taskOf(how, classes), Seed: Seed(g.spec.Seed, "fit", r), Inner: p.inner}
	return f.Fit(ctx, p.Train)
}

// taskOf returns the task for which a model of a grid is fitted. Boundaries are those of the grid,
// otherwise ½, unless an interval loss has its own.
func (g grid) taskOf(how fit.Method, classes int) fit.Task {
	t := fit.Task{Classes: classes, Boundaries: g.spec.Boundaries}
	if how.Spec.Params["pi"] != nil {
		t.Boundaries = how.Values.List("pi")
	}
	return t
}
