package engine

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"taper/internal/engine/check"
	"taper/internal/engine/phrase"
	"taper/internal/engine/spline"
	"taper/internal/engine/table"
)

// unusable says why a column of this type cannot be a predictor.
var unusable = map[table.Type]string{
	table.Text:       "is free text",
	table.Identifier: "is an identifier",
	table.Constant:   "never varies",
}

func (f *fieldErrors) predictors(t *table.Table, s *Spec, c *cohort) {
	if s.Predictors == nil {
		c.predictors = check.UsablePredictors(t, s.Outcome, s.Group, s.Weights)
		if len(c.predictors) == 0 {
			f.add("predictors", "must name a column: no column of the data is usable as it stands")
		}
		return
	}
	if len(s.Predictors) == 0 {
		f.add("predictors", "must name at least one column")
	}
	for i, name := range s.Predictors {
		if msg := unfit(t, s, name, slices.Contains(s.Predictors[:i], name)); msg != "" {
			f.add("predictors["+strconv.Itoa(i)+"]", "%s (got %q)", msg, name)
		}
	}
	c.predictors = s.Predictors
}

// unfit says why a column cannot be a predictor, "" when it can.
func unfit(t *table.Table, s *Spec, name string, twice bool) string {
	col := t.Column(name)
	switch {
	case col == nil:
		return "must be a column of the data"
	case name == s.Outcome:
		return "cannot be the outcome"
	case name == s.Group:
		return "cannot be the group"
	case name == s.Weights:
		return "cannot be the weights"
	case twice:
		return "stands in the list twice"
	case col.Type == table.Date && col.Spec.DateAs != "days":
		return "is a date: turn it into days first"
	case unusable[col.Type] != "":
		return unusable[col.Type] + ": leave it out or change its type"
	}
	return ""
}

// splines checks which predictors are bent, and that the model can bend them.
func (f *fieldErrors) splines(t *table.Table, s *Spec, c *cohort) {
	if len(s.Splines) > 0 && s.Model.Kind != "linear" {
		f.add("splines", "are for linear models: trees and kernels bend by themselves (model.kind is %q)", s.Model.Kind)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(s.Splines)) {
		if msg := unbendable(t.Column(name), slices.Contains(c.predictors, name), s.Splines[name]); msg != "" {
			f.add("splines."+name, "%s", msg)
		}
	}
}

// unbendable says why a column cannot be a spline of so many knots, "" when it
// can.
func unbendable(col *table.Column, predicts bool, knots int) string {
	switch {
	case col == nil:
		return "must be a column of the data"
	case !predicts:
		return "must be one of the predictors"
	case !col.Numeric():
		return "must be a numeric column: only a number can be a spline"
	case knots < spline.MinKnots || knots > spline.MaxKnots:
		return fmt.Sprintf("must be %d to %d knots, or 0 for a straight line (got %d)", spline.MinKnots, spline.MaxKnots,
			knots)
	}
	return ""
}

// bent leaves out the columns that stay straight; nil when none is bent.
func bent(splines map[string]int) map[string]int {
	var all map[string]int
	for name, knots := range splines {
		if knots != 0 {
			if all == nil {
				all = map[string]int{}
			}
			all[name] = knots
		}
	}
	return all
}

// group numbers the groups in order of first appearance; a row without a group
// is one of its own.
func (f *fieldErrors) group(t *table.Table, s *Spec, c *cohort) {
	if s.Group == "" {
		return
	}
	col := t.Column(s.Group)
	switch {
	case col == nil:
		f.add("group", "must be a column of the data (got %q)", s.Group)
		return
	case s.Group == s.Outcome:
		f.add("group", "cannot be the outcome (%q)", s.Group)
		return
	case s.Group == s.Weights:
		f.add("group", "cannot be the weights (%q)", s.Group)
		return
	}
	number := map[uint64]int{}
	c.group = make([]int, len(c.rows))
	for i, row := range c.rows {
		key, ok := identity(col, row)
		g, seen := number[key]
		if !ok || !seen {
			g = c.groups
			c.groups++
		}
		if ok {
			number[key] = g
		}
		c.group[i] = g
	}
	if c.groups < 2 {
		f.add("group", "must hold at least two groups (%q holds one)", s.Group)
	}
}

// identity returns what makes two cells of a column equal.
func identity(col *table.Column, row int) (key uint64, ok bool) {
	if col.Code != nil {
		return uint64(col.Code[row]), col.Code[row] >= 0
	}
	if col.Num == nil {
		return 0, false
	}
	v := col.Num[row] + 0 // −0 is 0
	return math.Float64bits(v), !math.IsNaN(v)
}

func (f *fieldErrors) weights(t *table.Table, s *Spec, c *cohort) {
	if s.Weights == "" {
		return
	}
	col := t.Column(s.Weights)
	if col == nil || col.Num == nil || s.Weights == s.Outcome {
		f.add("weights", "must be a numeric column of the data other than the outcome (got %q)", s.Weights)
		return
	}
	c.weights = make([]float64, len(c.rows))
	for i, row := range c.rows {
		if c.weights[i] = col.Num[row]; !(c.weights[i] > 0 && !math.IsInf(c.weights[i], 1)) {
			f.add("weights", "must be positive in every row trained on: row %s of %q is not", phrase.Thousands(row+1), s.Weights)
			return
		}
	}
}
