package playground

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"taper/internal/engine/check"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/format"
)

// classing is how the levels of a column become classes.
type classing struct {
	column *table.Column
	levels []string
	class  []int // class of each level of the column; −1 = excluded
	rows   []int // rows with a class
}

// classesOf finds the classes: where an event is chosen, the event against the other level, else every level.
func classesOf(d store.Dataset, t *table.Table, st state) (classing, error) {
	name, positive, negative := cmp.Or(st.Outcome, d.Choice.Outcome), table.OneLevel(st.Positive), table.Levels(nil)
	if name == "" {
		return classing{}, usererr.BadField("outcome", "is not chosen for %s: choose the column to predict", d.Name)
	}
	if len(positive) == 0 && name == d.Choice.Outcome {
		positive, negative = d.Choice.Positive, d.Choice.Negative
	}
	c := t.Column(name)
	if c == nil || c.Code == nil {
		return classing{}, usererr.BadField("outcome", "must be a column with a few levels, not %q", format.Cut(name, 30))
	}
	y := classing{column: c, class: make([]int, len(c.Levels))}
	if len(positive) > 0 {
		y.event(d, positive, negative)
	} else {
		y.every(c)
	}
	if n := len(y.levels); n < 2 || n > mostLevels {
		return classing{}, usererr.BadField("outcome", "must have 2 to %d levels to be drawn; %q has %d here", mostLevels,
			format.Cut(name, 30), n)
	}
	for i, k := range c.Code {
		if k >= 0 && y.class[k] >= 0 {
			y.rows = append(y.rows, i)
		}
	}
	return y, nil
}

// event makes two classes: the event, and another level or all others that are not only scored.
func (y *classing) event(d store.Dataset, positive, negative table.Levels) {
	other := negative.String()
	for k, l := range y.column.Levels {
		switch {
		case positive.Has(l):
			y.class[k] = 1
		case len(negative) > 0:
			if !negative.Has(l) {
				y.class[k] = -1
			}
		case slices.Contains(d.Choice.ScoreOnly, l):
			y.class[k] = -1
		case other == "":
			other = l
		case other != l:
			other = "not " + positive.String()
		}
	}
	if other != "" && slices.Contains(y.class, 1) {
		y.levels = []string{other, positive.String()}
	}
}

// every makes each level a class; numeric levels are ordered.
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

// rows lists the rows of the state's dataset that have a class.
func (p *Playground) rows(ctx context.Context, st state) (int, error) {
	d, err := p.dataset(ctx, st.dataset())
	if err != nil {
		return 0, err
	}
	t, err := p.Datasets.Table(ctx, d)
	if err != nil {
		return 0, err
	}
	y, err := classesOf(d, t, st)
	return len(y.rows), err
}

// columns are what a page offers of a dataset.
type columns struct {
	Outcome  string       // in use
	Positive table.Levels // in use, none where every level is a class
	Outcomes []string     // columns with a few levels
	Levels   []string     // of the outcome
	Numeric  []string     // predictors to show
	Rows     int          // rows with a class
}

// columnsOf lists the columns that the page offers of the state's dataset.
func (p *Playground) columnsOf(ctx context.Context, st state) (columns, error) {
	d, err := p.dataset(ctx, st.dataset())
	if err != nil {
		return columns{}, err
	}
	t, err := p.Datasets.Table(ctx, d)
	if err != nil {
		return columns{}, err
	}
	c := columns{Outcome: cmp.Or(st.Outcome, d.Choice.Outcome), Positive: table.OneLevel(st.Positive)}
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
	c.Rows, _ = p.rows(ctx, st) // the page reports why there are none
	names := p.Datasets.Predictors(d, t)
	if c.Outcome != d.Choice.Outcome {
		names = check.UsablePredictors(t, c.Outcome, d.Choice.Group, d.Choice.Weights)
	}
	for _, name := range names {
		if col := t.Column(name); col != nil && col.Num != nil {
			c.Numeric = append(c.Numeric, name)
		}
	}
	return c, nil
}

// mostLevels is the largest number of classes from a dataset.
const mostLevels = 8

func (p *Playground) dataset(ctx context.Context, id string) (store.Dataset, error) {
	if p.Datasets == nil {
		return store.Dataset{}, usererr.New(usererr.NotFound, "There is no dataset %q.", id)
	}
	return p.Datasets.Dataset(ctx, id)
}
