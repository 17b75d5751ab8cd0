package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"

	"taper/cmd/web/wording"
	"taper/internal/engine/arena"
	"taper/internal/engine/errs"
	"taper/internal/engine/prep"
	"taper/internal/engine/table"
	"taper/internal/engine/train"
	"taper/internal/store"
)

// mostLevels is how many classes of a dataset the playground parts.
const mostLevels = 8

func (p *playground) dataset(ctx context.Context, id string) (store.Dataset, error) {
	if p.in == nil {
		return store.Dataset{}, errs.New(errs.NotFound, "There is no dataset %q.", id)
	}
	return p.in.db.Dataset(ctx, id)
}

// datasetSample takes rows of a dataset: two of its columns, or all predictors.
func (p *playground) datasetSample(ctx context.Context, st playState) (*arena.Sample, error) {
	d, err := p.dataset(ctx, st.dataset())
	if err != nil {
		return nil, err
	}
	t, err := p.in.Table(ctx, d)
	if err != nil {
		return nil, err
	}
	y, err := classesOf(d, t, st)
	if err != nil {
		return nil, err
	}
	rows := drawRows(y.rows, st.N, st.Seed)
	names := predictorsOf(d, t)
	if y.column.Name != d.Choice.Outcome {
		names = table.UsablePredictors(t, y.column.Name, d.Choice.Group, d.Choice.Weights)
	}
	if !st.All {
		if names, err = twoColumns(t, names, st); err != nil {
			return nil, err
		}
	}
	columns, x, err := designOf(ctx, t, names, rows, st.All)
	if err != nil {
		return nil, err
	}
	class := make([]int, len(rows))
	for k, i := range rows {
		class[k] = y.class[y.column.Code[i]]
	}
	return arena.Of(columns, x, class, y.levels, st.Test, st.Seed)
}

// classing is how the levels of a column become classes.
type classing struct {
	column *table.Column
	levels []string
	class  []int // of each level of the column; −1 = left out
	rows   []int // that have a class
}

// classesOf finds the classes: the event against the other level where an event
// is chosen, else every level.
func classesOf(d store.Dataset, t *table.Table, st playState) (classing, error) {
	name, positive, negative := or(st.Outcome, d.Choice.Outcome), st.Positive, ""
	if name == "" {
		return classing{}, errs.BadField("outcome", "is not chosen for %s: choose the column to predict", d.Name)
	}
	if positive == "" && name == d.Choice.Outcome {
		positive, negative = d.Choice.Positive, d.Choice.Negative
	}
	c := t.Column(name)
	if c == nil || c.Code == nil {
		return classing{}, errs.BadField("outcome", "must be a column with a few levels, not %q", wording.Cut(name, 30))
	}
	y := classing{column: c, class: make([]int, len(c.Levels))}
	if positive != "" {
		y.event(d, positive, negative)
	} else {
		y.every(c)
	}
	if n := len(y.levels); n < 2 || n > mostLevels {
		return classing{}, errs.BadField("outcome", "must have 2 to %d levels to be drawn; %q has %d here", mostLevels, wording.Cut(name, 30), n)
	}
	for i, k := range c.Code {
		if k >= 0 && y.class[k] >= 0 {
			y.rows = append(y.rows, i)
		}
	}
	return y, nil
}

// event parts the event from another level, or from all others that are not
// scored only.
func (y *classing) event(d store.Dataset, positive, negative string) {
	other := negative
	for k, l := range y.column.Levels {
		switch {
		case l == positive:
			y.class[k] = 1
		case negative != "" && l != negative || negative == "" && slices.Contains(d.Choice.ScoreOnly, l):
			y.class[k] = -1
		case other == "":
			other = l
		case other != l:
			other = "not " + positive
		}
	}
	if other != "" && slices.Contains(y.column.Levels, positive) {
		y.levels = []string{other, positive}
	}
}

// every takes each level as a class, numbers in their order.
func (y *classing) every(c *table.Column) {
	order := make([]int, len(c.Levels))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		x, errA := strconv.ParseFloat(c.Levels[a], 64)
		z, errB := strconv.ParseFloat(c.Levels[b], 64)
		switch {
		case errA == nil && errB == nil && x < z, (errA != nil || errB != nil) && c.Levels[a] < c.Levels[b]:
			return -1
		}
		return 1
	})
	for at, k := range order {
		y.class[k] = at
		y.levels = append(y.levels, c.Levels[k])
	}
}

// drawRows takes n of the rows, the same for a seed, in their order.
func drawRows(rows []int, n int, seed uint64) []int {
	if len(rows) <= n {
		return rows
	}
	rng := rand.New(rand.NewPCG(seed, 0x706c6179))
	drawn := make([]int, n)
	for k, i := range rng.Perm(len(rows))[:n] {
		drawn[k] = rows[i]
	}
	slices.Sort(drawn)
	return drawn
}

// twoColumns are the columns shown: those asked for, else the first two numeric
// predictors.
func twoColumns(t *table.Table, predictors []string, st playState) ([]string, error) {
	var numeric []string
	for _, name := range predictors {
		if c := t.Column(name); c != nil && c.Num != nil {
			numeric = append(numeric, name)
		}
	}
	for k, name := range [2]string{st.CX, st.CY} {
		if name != "" && !slices.Contains(numeric, name) {
			return nil, errs.BadField([2]string{"cx", "cy"}[k], "must be a numeric predictor, not %q", wording.Cut(name, 30))
		}
	}
	pick := func(name, not string) string {
		if name != "" {
			return name
		}
		for _, n := range numeric {
			if n != not {
				return n
			}
		}
		return ""
	}
	x := pick(st.CX, st.CY)
	y := pick(st.CY, x)
	if x == "" || y == "" || x == y {
		return nil, errs.BadField("cx", "and cy must be two different numeric predictors; %d of them are numbers", len(numeric))
	}
	return []string{x, y}, nil
}

// designOf is the design matrix in natural units, as a run's preprocessing
// makes it. Two columns are their values alone.
func designOf(ctx context.Context, t *table.Table, names []string, rows []int, all bool) ([]string, train.Matrix, error) {
	p, err := prep.Fit(ctx, t, names, rows, false)
	if err != nil {
		return nil, train.Matrix{}, err
	}
	full := train.Matrix{Rows: len(rows), Cols: p.Width(), Data: make([]float64, len(rows)*p.Width())}
	if err := p.Transform(ctx, full.Data, t, rows); err != nil {
		return nil, train.Matrix{}, err
	}
	var columns []string
	var at []int
	for j, term := range p.Terms {
		if all || term.Kind == prep.Value {
			columns, at = append(columns, term.Name), append(at, j)
		}
	}
	x := train.Matrix{Rows: full.Rows, Cols: len(at), Data: make([]float64, 0, full.Rows*len(at))}
	for i := range full.Rows {
		for _, j := range at {
			x.Data = append(x.Data, full.Row(i)[j])
		}
	}
	return columns, x, nil
}

// playColumns are what a page offers of a dataset.
type playColumns struct {
	Name     string
	Outcome  string   // in use
	Positive string   // in use, "" where every level is a class
	Outcomes []string // columns with a few levels
	Levels   []string // of the outcome
	Numeric  []string // predictors to show
}

// columnsOf lists what a page offers of the dataset of a state.
func (p *playground) columnsOf(ctx context.Context, st playState) (playColumns, error) {
	d, err := p.dataset(ctx, st.dataset())
	if err != nil {
		return playColumns{}, err
	}
	t, err := p.in.Table(ctx, d)
	if err != nil {
		return playColumns{}, err
	}
	c := playColumns{Name: d.Name, Outcome: or(st.Outcome, d.Choice.Outcome), Positive: st.Positive}
	if st.Positive == "" && c.Outcome == d.Choice.Outcome {
		c.Positive = d.Choice.Positive
	}
	for _, col := range t.Columns {
		if col.Code != nil && len(col.Levels) >= 2 && len(col.Levels) <= mostLevels {
			c.Outcomes = append(c.Outcomes, col.Name)
		}
		if col.Name == c.Outcome {
			c.Levels = col.Levels
		}
	}
	names := predictorsOf(d, t)
	if c.Outcome != d.Choice.Outcome {
		names = table.UsablePredictors(t, c.Outcome, d.Choice.Group, d.Choice.Weights)
	}
	for _, name := range names {
		if col := t.Column(name); col != nil && col.Num != nil {
			c.Numeric = append(c.Numeric, name)
		}
	}
	return c, nil
}
