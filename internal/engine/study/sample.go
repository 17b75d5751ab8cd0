package study

import (
	"context"
	"fmt"
	"slices"

	"taper/internal/engine/check"
	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/prep"
	"taper/internal/engine/resample"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Rows are rows of a design matrix with their classes.
type Rows struct {
	X linear.Matrix
	Y []int // class of each row, from 0; with two classes 1 is the event
}

// Data returns the rows in the form that a fit takes.
func (r Rows) Data() fit.Data { return fit.Data{X: r.X, Label: r.Y} }

// Signs returns the labels of two classes as ±1.
func (r Rows) Signs() []float64 {
	s := make([]float64, len(r.Y))
	for i, y := range r.Y {
		s[i] = float64(2*y - 1)
	}
	return s
}

// Events reports which rows of two classes are events.
func (r Rows) Events() []bool {
	event := make([]bool, len(r.Y))
	for i, y := range r.Y {
		event[i] = y == 1
	}
	return event
}

// Pick returns copies of the rows at the given positions.
func (r Rows) Pick(at []int) Rows {
	p := Rows{X: linear.Matrix{Rows: len(at), Cols: r.X.Cols, Data: make([]float64, 0, len(at)*r.X.Cols)},
		Y: make([]int, len(at))}
	for i, k := range at {
		p.X.Data = append(p.X.Data, r.X.Row(k)...)
		p.Y[i] = r.Y[k]
	}
	return p
}

// Span returns rows from … to−1, sharing memory.
func (r Rows) Span(from, to int) Rows {
	x := r.X
	x.Rows, x.Data = to-from, x.Data[from*x.Cols:to*x.Cols]
	return Rows{X: x, Y: r.Y[from:to]}
}

// Draw generates numeric rows without preprocessing, for presets. It panics on an unknown generator or
// parameter.
func Draw(generator string, rows int, seed uint64, params map[string]float64) Rows {
	t, meta, err := synth.Generate(generator, rows, seed, params)
	if err != nil {
		panic("study: " + err.Error())
	}
	return Numeric(t, meta.Outcome, meta.Levels, meta.Negative, meta.Positive)
}

// Numeric reads a table whose features are all numbers.
func Numeric(t *table.Table, outcome string, levels []string, negative, positive string) Rows {
	if len(levels) == 0 {
		levels = []string{negative, positive}
	}
	d := len(t.Columns) - 1
	r := Rows{X: linear.Matrix{Rows: t.Rows, Cols: d, Data: make([]float64, t.Rows*d)}, Y: make([]int, t.Rows)}
	j := 0
	for _, c := range t.Columns {
		if c.Name == outcome {
			for i, k := range c.Code {
				r.Y[i] = slices.Index(levels, c.Levels[k])
			}
			continue
		}
		for i := range t.Rows {
			r.X.Data[i*d+j] = CellNumber(c, i)
		}
		j++
	}
	return r
}

// CellNumber returns a cell of a column of numbers. A column with few values may only have their texts.
func CellNumber(c *table.Column, i int) float64 {
	if c.Num != nil {
		return c.Num[i]
	}
	v, ok := table.ParseNumber(c.Levels[c.Code[i]], "")
	if !ok {
		panic("study: column " + c.Name + " holds no numbers")
	}
	return v
}

// Task is a table and its outcome, from which replicates are split.
type Task struct {
	Name       string
	Table      *table.Table
	Predictors []string
	Rows       []int    // rows of the table that are used
	Y          []int    // their classes
	Levels     []string // names of the classes
}

// NewTask reads the outcome of a table. Two levels are event and non-event; more are classes in their
// order.
func NewTask(d Data) (Task, error) {
	c := d.Table.Column(d.Outcome)
	if c == nil || c.Code == nil || len(c.Levels) > table.MaxLevels {
		return Task{}, usererr.BadField("outcome", "must be a column with at most %d levels (got %q)", table.MaxLevels,
			d.Outcome)
	}
	classes, err := d.classes(c)
	if err != nil {
		return Task{}, err
	}
	t := Task{Name: d.Name, Table: d.Table, Predictors: d.Predictors}
	for _, class := range classes {
		t.Levels = append(t.Levels, class.String())
	}
	if t.Predictors == nil {
		t.Predictors = check.UsablePredictors(d.Table, d.Outcome, "", "")
	}
	if len(t.Predictors) == 0 {
		return Task{}, usererr.BadField("dataset", "has no column to predict from")
	}
	for i, k := range c.Code {
		if k < 0 {
			continue
		}
		if y := slices.IndexFunc(classes, func(class table.Levels) bool { return class.Has(c.Levels[k]) }); y >= 0 {
			t.Rows, t.Y = append(t.Rows, i), append(t.Y, y)
		}
	}
	return t, nil
}

// TwoClasses returns an error for a task without exactly two classes.
func (t Task) TwoClasses() error {
	if len(t.Levels) != 2 {
		return usererr.BadField("outcome", "must have two classes for this study (it has %d): name the event and the other "+
			"class", len(t.Levels))
	}
	return nil
}

// RequireOutcome returns an error if the outcome is missing, or the event of an outcome with two levels:
// the program does not guess them. Studies stored by older versions may lack them; NewTask still reads
// these.
func (d Data) RequireOutcome() error {
	if d.Outcome == "" {
		return usererr.BadField("outcome", "%s", check.MustNameOutcome(d.Table))
	}
	c := d.Table.Column(d.Outcome)
	if c == nil || len(d.Positive) > 0 {
		return nil
	}
	if levels := occurring(c); len(levels) == 2 {
		return usererr.BadField("positive", "%s", check.MustNameEvent(levels))
	}
	return nil
}

// occurring lists the levels that occur.
func occurring(c *table.Column) (levels []string) {
	for k, l := range c.Levels {
		if k >= len(c.Count) || c.Count[k] > 0 {
			levels = append(levels, l)
		}
	}
	return levels
}

// classes returns the classes in order: non-event and event, or as named, or in order of appearance.
func (d Data) classes(c *table.Column) ([]table.Levels, error) {
	occurring, positive := occurring(c), d.Positive
	switch {
	case len(d.Levels) > 0 && len(positive) == 0:
		return each(d.Levels), nil
	case len(occurring) < 2:
		return nil, usererr.BadField("outcome", "has one level only: two are needed (%q)", d.Outcome)
	case len(positive) == 0 && len(occurring) > 2:
		return each(occurring), nil
	case len(positive) == 0:
		if positive = check.SuggestOutcome(d.Table).Positive; len(positive) == 0 || !slices.Contains(occurring, positive[0]) {
			positive = table.OneLevel(occurring[len(occurring)-1])
		}
	}
	for _, l := range positive {
		if !slices.Contains(occurring, l) {
			return nil, usererr.BadField("positive", "is no level of %q (got %q)", d.Outcome, l)
		}
		if d.Negative.Has(l) {
			return nil, usererr.BadField("negative", "must differ from positive (%q is in both)", l)
		}
	}
	rest := table.Levels(slices.DeleteFunc(slices.Clone(occurring), positive.Has))
	switch missing := slices.DeleteFunc(slices.Clone(d.Negative), rest.Has); {
	case len(d.Negative) > 0 && len(missing) == 0:
		return []table.Levels{d.Negative, positive}, nil
	case len(d.Negative) == 0 && len(rest) == 1:
		return []table.Levels{rest, positive}, nil
	}
	return nil, usererr.BadField("negative", "must name the other class, one or several levels of %q", d.Outcome)
}

// each makes every level a class.
func each(levels []string) (classes []table.Levels) {
	for _, l := range levels {
		classes = append(classes, table.Levels{l})
	}
	return classes
}

// Division is the rows of one replicate after preprocessing. Test rows are clean.
type Division struct{ Train, Test Rows }

// Split divides positions 0 … len(y)−1 at random within classes: the share test of each class is for
// testing, rounded so that the total is met.
func Split(seed uint64, replicate int, y []int, test float64) (trains, judges []int) {
	rng := Random(seed, "split", replicate)
	var of [][]int
	for i, c := range y {
		for len(of) <= c {
			of = append(of, nil)
		}
		of[c] = append(of[c], i)
	}
	for _, rows := range of {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		n := int(float64(len(rows))*test + 0.5)
		judges, trains = append(judges, rows[:n]...), append(trains, rows[n:]...)
	}
	slices.Sort(trains)
	slices.Sort(judges)
	return trains, judges
}

// Design prepares positions of a task; preprocessing is fitted to the training positions.
func (t Task) Design(ctx context.Context, trains, judges []int, standardize bool) (a, b Rows, err error) {
	p, err := t.learn(ctx, trains, standardize)
	if err != nil {
		return a, b, err
	}
	if a, err = t.transform(ctx, p, trains); err != nil {
		return a, b, err
	}
	b, err = t.transform(ctx, p, judges)
	return a, b, err
}

// learn fits the preprocessing to positions.
func (t Task) learn(ctx context.Context, trains []int, standardize bool) (*prep.Preprocessor, error) {
	p, err := prep.Fit(ctx, t.Table, t.Predictors, resample.Pick(t.Rows, trains), standardize)
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", t.Name, err)
	}
	if p.Width() == 0 {
		return nil, usererr.BadField("dataset", "has no column that varies in the training rows")
	}
	return p, nil
}

func (t Task) transform(ctx context.Context, p *prep.Preprocessor, positions []int) (Rows, error) {
	n, d := len(positions), p.Width()
	r := Rows{X: linear.Matrix{Rows: n, Cols: d, Data: make([]float64, n*d)}, Y: resample.Pick(t.Y, positions)}
	return r, p.Transform(ctx, r.X.Data, t.Table, resample.Pick(t.Rows, positions))
}
