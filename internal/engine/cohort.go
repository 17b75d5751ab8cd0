package engine

import (
	"slices"
	"strconv"

	"taper/internal/engine/table"
)

// cohort is the rows a run uses: those of the classes, which train and judge,
// and those only scored. Positions 0, 1, … count the former.
type cohort struct {
	outcome    *table.Column
	recorded   *table.Column // the outcome before a review; outcome itself without one
	pos, neg   int32         // codes of the two classes
	several    *several      // tasks with an order or more than two classes; nil of two
	scoreOnly  []int32       // codes of the levels scored only
	predictors []string

	rows    []int     // table row of each position, ascending
	y       []float64 // ±1 of each position; nil with several
	label   []int     // class of each position, from 0; of two 1 is the event
	weights []float64 // of each position; nil = 1
	group   []int     // group of each position, from 0; nil without grouping
	groups  int       // distinct groups
	extra   []int     // table rows scored only, ascending

	relabelled, excluded int // by a review
}

// columns checks the fields that name columns and levels, and returns the rows
// they select; nil when the outcome is wrong.
func (f *fieldErrors) columns(t *table.Table, s *Spec) *cohort {
	c := &cohort{}
	f.outcome(t, s, c)
	f.predictors(t, s, c)
	f.splines(t, s, c)
	if slices.ContainsFunc([]string{"outcome", "positive", "negative", "score_only", "levels", "bins"}, f.has) {
		return nil
	}
	if f.review(s, c); f.has("review") {
		return nil
	}
	if c.several != nil {
		c.splitSeveral()
	} else {
		c.split()
	}
	f.group(t, s, c)
	f.weights(t, s, c)
	return c
}

func (f *fieldErrors) outcome(t *table.Table, s *Spec, c *cohort) {
	c.outcome = t.Column(s.Outcome)
	switch {
	case s.Outcome == "":
		f.add("outcome", "%s", table.MustNameOutcome(t))
		return
	case c.outcome == nil:
		f.add("outcome", "must be a column of the data (got %q)", s.Outcome)
		return
	case s.Several():
		f.several(s, c)
		return
	case c.outcome.Code == nil || len(c.outcome.Levels) > table.MaxLevels:
		f.add("outcome", "must be a column with at most %d levels: %q has %s distinct values", table.MaxLevels, s.Outcome, thousands(c.outcome.Distinct))
		return
	}
	if f.event(s, c); f.has("positive") || f.has("outcome") {
		return
	}
	f.scored(s, c)
	f.other(s, c)
}

// event resolves the positive level.
func (f *fieldErrors) event(s *Spec, c *cohort) {
	occurring := c.levels()
	switch c.pos = c.code(s.Positive); {
	case len(occurring) == 0:
		f.add("outcome", "%q is empty", s.Outcome)
	case s.Positive == "":
		f.add("positive", "%s", table.MustNameEvent(occurring))
	case c.pos < 0:
		f.add("positive", "must be one of %s (got %q)", quoted(occurring), s.Positive)
	case len(occurring) == 1:
		f.add("outcome", "has one value only: only %q is present in %q", occurring[0], s.Outcome)
	}
}

// scored resolves the levels that are scored and never trained on.
func (f *fieldErrors) scored(s *Spec, c *cohort) {
	for i, level := range s.ScoreOnly {
		switch k := c.code(level); {
		case k < 0:
			f.add("score_only["+strconv.Itoa(i)+"]", "must be one of %s (got %q)", quoted(c.levels()), level)
		case k == c.pos || level == s.Negative:
			f.add("score_only["+strconv.Itoa(i)+"]", "cannot be a class that is trained on (got %q)", level)
		default:
			c.scoreOnly = append(c.scoreOnly, k)
		}
	}
}

// other resolves the negative level: every other level if there is just one.
func (f *fieldErrors) other(s *Spec, c *cohort) {
	var rest []string
	for _, level := range c.levels() {
		if k := c.code(level); k != c.pos && !slices.Contains(c.scoreOnly, k) {
			rest = append(rest, level)
		}
	}
	switch c.neg = c.code(s.Negative); {
	case s.Negative == "" && len(rest) == 1:
		c.neg = c.code(rest[0])
	case s.Negative == "" && len(rest) == 0:
		f.add("negative", "must name the other class: only %q is left to train on", s.Positive)
	case s.Negative == "":
		f.add("negative", "must name the other class, one of %s; put levels that are only to be scored in score_only", quoted(rest))
	case c.neg < 0:
		f.add("negative", "must be one of %s (got %q)", quoted(c.levels()), s.Negative)
	case c.neg == c.pos:
		f.add("negative", "must differ from positive (%q)", s.Positive)
	}
}

// code returns the code of a level that occurs, −1 without one.
func (c *cohort) code(level string) int32 {
	for k, l := range c.outcome.Levels {
		if l == level && c.occurs(k) {
			return int32(k)
		}
	}
	return -1
}

// levels returns the levels that occur.
func (c *cohort) levels() []string {
	var levels []string
	for k, l := range c.outcome.Levels {
		if c.occurs(k) {
			levels = append(levels, l)
		}
	}
	return levels
}

func (c *cohort) occurs(k int) bool { return k >= len(c.outcome.Count) || c.outcome.Count[k] > 0 }

// level returns the outcome of a table row as uploaded, "" when missing.
func (c *cohort) level(row int) string {
	if c.several != nil && c.several.cuts != nil {
		return c.several.text(c.outcome, row)
	}
	if from := c.uploaded(); from.Code[row] >= 0 {
		return from.Levels[from.Code[row]]
	}
	return ""
}

// split selects the rows: those of a third level that is not to be scored are
// left out.
func (c *cohort) split() {
	for row, k := range c.outcome.Code {
		switch {
		case k == c.pos:
			c.rows, c.y, c.label = append(c.rows, row), append(c.y, 1), append(c.label, 1)
		case k == c.neg:
			c.rows, c.y, c.label = append(c.rows, row), append(c.y, -1), append(c.label, 0)
		case k < 0 || slices.Contains(c.scoreOnly, k):
			c.extra = append(c.extra, row)
		}
	}
}
