package engine

import (
	"math"
	"slices"
	"strconv"

	"taper/internal/engine/fit"
	"taper/internal/engine/table"
)

// Tasks lists the tasks of a run.
var Tasks = []string{"binary", "interval", "multiclass", "ordinal", "abstain"}

// Several reports a task without an event: many classes, ordered classes, or
// a model that may abstain. Two classes are possible too.
func (s *Spec) Several() bool {
	return s.Task == "multiclass" || s.Task == "ordinal" || s.Task == "abstain"
}

// several is the classes of a cohort.
type several struct {
	levels []string
	code   []int32   // of each class, in the outcome column; nil with cuts
	cuts   []float64 // bins: class = number of cuts below the value
}

// classes is the number of classes.
func (c *cohort) classes() int {
	if c.several != nil {
		return len(c.several.levels)
	}
	return 2
}

// trainsOn reports whether rows of a code train and judge.
func (c *cohort) trainsOn(k int32) bool {
	if c.several == nil {
		return slices.Contains(c.pos, k) || slices.Contains(c.neg, k)
	}
	return c.several.cuts != nil || slices.Contains(c.several.code, k)
}

func (c *cohort) neitherClass() string {
	if c.several != nil {
		return "none of the classes"
	}
	return "neither class"
}

// codes are those of the outcome's levels, −1 where it is missing. Bins have
// one level, the first: that it is there.
func (c *cohort) codes() []int32 {
	if c.several == nil || c.several.cuts == nil {
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

// several resolves the classes.
func (f *fieldErrors) several(s *Spec, c *cohort) {
	switch {
	case s.Bins != nil:
		f.bins(s, c)
	case c.outcome.Code == nil || len(c.outcome.Levels) > table.MaxLevels:
		remedy := ""
		if c.outcome.Num != nil && s.Task == "ordinal" {
			remedy = "; cut it into classes with bins"
		}
		f.add("outcome", "must be a column with at most %d levels: %q has %s distinct values%s", table.MaxLevels, s.Outcome,
			thousands(c.outcome.Distinct), remedy)
	default:
		f.scoredBeside(s, c)
		f.levels(s, c)
	}
	if c.several != nil && !f.has("model.params") && s.Model.Loss == "al-cost" {
		f.costs(s, len(c.several.levels))
	}
}

// costs holds an own matrix against the classes.
func (f *fieldErrors) costs(s *Spec, k int) {
	if how, err := fit.Parse(s.Model); err == nil {
		f.join(checkCosts(how.Values.Matrix("matrix"), s.Task, k))
	}
}

// scoredBeside resolves the levels that are scored and never trained on.
func (f *fieldErrors) scoredBeside(s *Spec, c *cohort) {
	for i, level := range s.ScoreOnly {
		switch k := c.code(level); {
		case k < 0:
			f.add("score_only["+strconv.Itoa(i)+"]", "must be one of %s (got %q)", quoted(c.levels()), level)
		case slices.Contains(s.Levels, level):
			f.add("score_only["+strconv.Itoa(i)+"]", "cannot be a class that is trained on (got %q)", level)
		default:
			c.scoreOnly = append(c.scoreOnly, k)
		}
	}
}

// text is the value of a row as it reads in tables.
func (v *several) text(c *table.Column, row int) string {
	if x := c.Num[row]; !math.IsNaN(x) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return ""
}

// splitSeveral selects the rows: those of a level that is neither a class nor
// to be scored are left out.
func (c *cohort) splitSeveral() {
	of := map[int32]int{}
	for k, code := range c.several.code {
		of[code] = k
	}
	for row, code := range c.codes() {
		class, known := of[code]
		switch {
		case code >= 0 && c.several.cuts != nil:
			c.rows, c.label = append(c.rows, row), append(c.label, bin(c.several.cuts, c.outcome.Num[row]))
		case code >= 0 && known:
			c.rows, c.label = append(c.rows, row), append(c.label, class)
		case code < 0 || slices.Contains(c.scoreOnly, code):
			c.extra = append(c.extra, row)
		}
	}
}

// most is that of cohort: any number of folds leaves two rows of a class in
// all but one of the training parts.
func (v *several) most(c *cohort, n []int) (int, string) {
	least := 0
	for k := range n {
		if n[k] < n[least] {
			least = k
		}
	}
	if n[least] >= 2 {
		return maxFolds, ""
	}
	return n[least], c.named(n[least], "row", "rows") + " of class " + strconv.Quote(v.levels[least])
}
