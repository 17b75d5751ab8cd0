package datasets

import (
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"taper/internal/engine/check"
	"taper/internal/engine/table"
	"taper/internal/store"
)

// MaxName bounds the name of a dataset, a run, a study or a validation, in bytes.
const MaxName = 200

// settleChoice removes columns and levels that no longer exist from the choice. It never fills
// in the outcome, and the event only if the levels are unambiguous; what stays empty becomes a
// question (check.Outcome).
func settleChoice(d *store.Dataset, t *table.Table) {
	c := &d.Choice
	if c.Outcome == "" || t.Column(c.Outcome) == nil {
		c.Outcome, c.Positive, c.Negative, c.ScoreOnly = "", nil, nil, nil
	}
	if t.Column(c.Group) == nil || c.Group == c.Outcome {
		c.Group = ""
	}
	if w := t.Column(c.Weights); w == nil || w.Num == nil || w.Type == table.Date || c.Weights == c.Outcome ||
		c.Weights == c.Group {
		c.Weights = ""
	}
	c.Predictors = slices.DeleteFunc(c.Predictors, func(name string) bool { return t.Column(name) == nil })
	col := t.Column(c.Outcome)
	if col == nil {
		return
	}
	gone := func(level string) bool { return !slices.Contains(col.Levels, level) }
	if fresh := c.Positive == nil && c.Negative == nil && c.ScoreOnly == nil; fresh ||
		slices.ContainsFunc(c.Positive, gone) {
		s := check.SpokenEvent(col)
		c.Positive, c.Negative, c.ScoreOnly = s.Positive, s.Negative, s.ScoreOnly
	}
	if slices.ContainsFunc(c.Negative, gone) || slices.ContainsFunc(c.Negative, c.Positive.Has) {
		c.Negative = nil
	}
	c.ScoreOnly = slices.DeleteFunc(c.ScoreOnly, func(level string) bool {
		return gone(level) || c.Positive.Has(level) || c.Negative.Has(level)
	})
}

// OpenQuestion names the outcome or the event if only a person can choose it and nobody has; ""
// if nothing is missing. With more than two levels no event is needed, because all of them can
// be classes.
func OpenQuestion(d store.Dataset) string {
	switch c := d.Choice; {
	case c.Outcome == "":
		return "Which column is the outcome? Choose it before training."
	case len(c.Positive) == 0 && len(OutcomeLevels(d)) == 2:
		return "Which value of " + c.Outcome + " is the event? Choose it before training."
	}
	return ""
}

func outcomeChoice(c store.Choice) table.OutcomeChoice {
	return table.OutcomeChoice{Column: c.Outcome, Positive: c.Positive, Negative: c.Negative, ScoreOnly: c.ScoreOnly}
}

// roleOf is the displayed role of a column.
func roleOf(d *store.Dataset, name string, predictors []string) table.Role {
	c := d.Choice
	switch {
	case name == c.Outcome:
		return table.Outcome
	case name == c.Group:
		return table.Group
	case name == c.Weights:
		return table.Weights
	case slices.Contains(predictors, name):
		return table.Predictor
	case d.Options.Column(name).Role == table.Prediction:
		return table.Prediction
	}
	return table.Exclude
}

// withChoice adds the roles of the choice to the options of columns, for the data checks.
func withChoice(o table.Options, c store.Choice) table.Options {
	specs := slices.Clone(o.Columns)
	for name, role := range map[string]table.Role{c.Outcome: table.Outcome, c.Group: table.Group,
		c.Weights: table.Weights} {
		if name == "" {
			continue
		}
		specs = slices.DeleteFunc(specs, func(s table.ColumnSpec) bool { return s.Name == name })
		specs = append(specs, table.ColumnSpec{Name: name, Role: role})
	}
	o.Columns = specs
	return o
}

// Predictors lists the columns that a model of d uses by default.
func Predictors(d store.Dataset, t *table.Table) []string {
	if len(d.Choice.Predictors) > 0 {
		return d.Choice.Predictors
	}
	return check.UsablePredictors(t, d.Choice.Outcome, d.Choice.Group, d.Choice.Weights)
}

// Predictions lists the columns with the role prediction.
func Predictions(d store.Dataset) (names []string) {
	for _, s := range d.Options.Columns {
		if s.Role == table.Prediction && s.Name != d.Choice.Outcome {
			names = append(names, s.Name)
		}
	}
	return names
}

// InUse is the table without unused columns.
func InUse(d store.Dataset, t *table.Table) *table.Table {
	c := d.Choice
	need := append([]string{c.Outcome, c.Group, c.Weights}, Predictors(d, t)...)
	need = append(need, Predictions(d)...)
	kept := *t
	kept.Columns = nil
	for _, col := range t.Columns {
		if slices.Contains(need, col.Name) {
			kept.Columns = append(kept.Columns, col)
		}
	}
	return &kept
}

// leaksOf names the columns that are dropped and determine the outcome.
func leaksOf(ctx context.Context, d store.Dataset, t, kept *table.Table) []string {
	var gone, leaks []string
	for _, c := range t.Columns {
		if kept.Column(c.Name) == nil {
			gone = append(gone, c.Name)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	doubts := check.Outcome(ctx, t, outcomeChoice(d.Choice), gone, table.Options{})
	for _, name := range gone {
		if slices.ContainsFunc(doubts, func(w table.Warning) bool { return w.Code == "leak" && w.Concerns(name) }) {
			leaks = append(leaks, name)
		}
	}
	return leaks
}

// previewDialect is the dialect used for parsing, so that the preview shows the same cells.
func previewDialect(d store.Dataset) table.Dialect {
	if d.State == store.Draft {
		return d.Options.Dialect
	}
	return d.Dialect
}

// previewOf shows stored columns as text.
func previewOf(t *table.Table, rows int) table.Preview {
	rows = min(rows, t.Rows)
	p := table.Preview{Rows: make([][]string, rows), Line: make([]int, rows)}
	for _, c := range t.Columns {
		p.Header = append(p.Header, c.Name)
	}
	for i := range rows {
		p.Line[i] = i + 1
		for _, c := range t.Columns {
			p.Rows[i] = append(p.Rows[i], CellText(c, i))
		}
	}
	return p
}

// CellText is a cell as it would be written to a file.
func CellText(c *table.Column, i int) string {
	switch {
	case c.Code != nil && c.Code[i] >= 0:
		return c.Levels[c.Code[i]]
	case c.Code != nil || math.IsNaN(c.Num[i]):
		return ""
	case c.Type == table.Date:
		return time.Unix(int64(c.Num[i]*24*3600), 0).UTC().Format(time.DateOnly)
	}
	return strconv.FormatFloat(c.Num[i], 'g', -1, 64)
}
