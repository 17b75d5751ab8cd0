package engine

import (
	"math"
	"slices"
	"strconv"

	"taper/internal/engine/check"
	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
)

// cohort is the rows a run uses: those of the classes, which train and judge,
// and those only scored. Positions 0, 1, … count the former.
type cohort struct {
	outcome    *table.Column
	recorded   *table.Column // the outcome before a review; outcome itself without one
	target     task.Target
	sides      [2]Levels // of an event: the levels of the other class and its own
	scoreOnly  []int32   // codes of the levels scored only
	predictors []string

	rows    []int     // table row of each position, ascending
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
	c.split()
	f.group(t, s, c)
	f.weights(t, s, c)
	return c
}

func (f *fieldErrors) outcome(t *table.Table, s *Spec, c *cohort) {
	c.outcome = t.Column(s.Outcome)
	switch {
	case s.Outcome == "":
		f.add("outcome", "%s", check.MustNameOutcome(t))
		return
	case c.outcome == nil:
		f.add("outcome", "must be a column of the data (got %q)", s.Outcome)
		return
	case s.Multiclass():
		f.classes(s, c)
		return
	case c.outcome.Code == nil || len(c.outcome.Levels) > table.MaxLevels:
		f.add("outcome", "must be a column with at most %d levels: %q has %s distinct values", table.MaxLevels, s.Outcome,
			phrase.Thousands(c.outcome.Distinct))
		return
	}
	if f.event(s, c); f.has("positive") || f.has("outcome") {
		return
	}
	f.scored(s, c)
	f.other(s, c)
	c.target.Levels = []string{c.sides[0].String(), c.sides[1].String()}
}

// event resolves the levels of the event.
func (f *fieldErrors) event(s *Spec, c *cohort) {
	occurring := c.levels()
	switch {
	case len(occurring) == 0:
		f.add("outcome", "%q is empty", s.Outcome)
		return
	case s.Positive == nil:
		f.add("positive", "%s", check.MustNameEvent(occurring))
		return
	}
	c.target = task.Target{Event: true, Codes: [][]int32{nil, f.resolve("positive", s.Positive, c)}}
	if c.sides[1] = s.Positive; len(occurring) == 1 && !f.has("positive") {
		f.add("outcome", "has one value only: only %q is present in %q", occurring[0], s.Outcome)
	}
}

// resolve returns the codes of the levels of a class.
func (f *fieldErrors) resolve(field string, class Levels, c *cohort) (codes []int32) {
	f.join(class.Check(field))
	for i, level := range class {
		k := c.code(level)
		if k < 0 {
			at := field
			if len(class) > 1 {
				at += "[" + strconv.Itoa(i) + "]"
			}
			f.add(at, "must be one of %s (got %q)", check.Quoted(c.levels()), level)
		}
		codes = append(codes, k)
	}
	return codes
}

// scored resolves the levels that are scored and never trained on.
func (f *fieldErrors) scored(s *Spec, c *cohort) {
	trained := s.Levels
	if !s.Multiclass() {
		trained = slices.Concat(s.Positive, s.Negative)
	}
	for i, level := range s.ScoreOnly {
		switch k := c.code(level); {
		case k < 0:
			f.add("score_only["+strconv.Itoa(i)+"]", "must be one of %s (got %q)", check.Quoted(c.levels()), level)
		case slices.Contains(trained, level):
			f.add("score_only["+strconv.Itoa(i)+"]", "cannot be a class that is trained on (got %q)", level)
		default:
			c.scoreOnly = append(c.scoreOnly, k)
		}
	}
}

// other resolves the levels of the other class: every other level if there is
// just one.
func (f *fieldErrors) other(s *Spec, c *cohort) {
	c.sides[0] = s.Negative
	if s.Negative != nil {
		c.target.Codes[0] = f.resolve("negative", s.Negative, c)
		for i, k := range c.target.Codes[0] {
			if k >= 0 && slices.Contains(c.target.Codes[1], k) {
				f.add("negative", "must differ from positive (%q is in both)", s.Negative[i])
			}
		}
		return
	}
	var rest Levels
	for _, level := range c.levels() {
		if k := c.code(level); !slices.Contains(c.target.Codes[1], k) && !slices.Contains(c.scoreOnly, k) {
			rest = append(rest, level)
		}
	}
	switch len(rest) {
	case 1:
		c.sides[0], c.target.Codes[0] = rest, []int32{c.code(rest[0])}
	case 0:
		f.add("negative", "must name the other class: only %s is left to train on", check.Quoted(s.Positive))
	default:
		f.add("negative", "must name the other class, one of %s, or a list of several; put levels that are only to be "+
			"scored in score_only", check.Quoted(rest))
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
	if c.target.Cuts != nil {
		if x := c.outcome.Num[row]; !math.IsNaN(x) {
			return strconv.FormatFloat(x, 'g', -1, 64)
		}
		return ""
	}
	if from := c.uploaded(); from.Code[row] >= 0 {
		return from.Levels[from.Code[row]]
	}
	return ""
}

// codes are those of the outcome's levels, −1 where it is missing. Bins have
// one level, the first: that it is there.
func (c *cohort) codes() []int32 {
	if c.target.Cuts == nil {
		return c.outcome.Code
	}
	codes := make([]int32, len(c.outcome.Num))
	for row, v := range c.outcome.Num {
		if math.IsNaN(v) {
			codes[row] = -1
		}
	}
	return codes
}

// classes is the number of classes.
func (c *cohort) classes() int { return len(c.target.Levels) }

// split selects the rows: those of a level that is neither a class nor to be
// scored are left out.
func (c *cohort) split() {
	for row, code := range c.codes() {
		value := math.NaN()
		if c.target.Cuts != nil {
			value = c.outcome.Num[row]
		}
		switch class := c.target.Class(code, value); {
		case class >= 0:
			c.rows, c.label = append(c.rows, row), append(c.label, class)
		case code < 0 || slices.Contains(c.scoreOnly, code):
			c.extra = append(c.extra, row)
		}
	}
}
