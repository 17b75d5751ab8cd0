package runspec

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"taper/internal/engine/check"
	"taper/internal/engine/fit"
	"taper/internal/engine/formula"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/strict"
)

// given checks the fields of a model that was fitted elsewhere.
func (f *fieldErrors) given(s *Spec) {
	m := &s.Model
	for _, field := range []struct {
		name string
		set  bool
	}{{"loss", m.Loss != ""}, {"params", len(m.Params) > 0}, {"solver", m.Solver != ""}, {"kernel", m.Kernel != nil},
		{"features", m.Features != ""}, {"rounds", m.Rounds != 0}, {"depth", m.Depth != 0},
		{"theta_rule", m.ThetaRule != ""}} {
		if field.set {
			f.add("model."+field.name, "must be left out for kind given: nothing is fitted")
		}
	}
	switch {
	case m.Formula != "" && len(m.Columns) > 0:
		f.add("model.formula", "must be left out where model.columns names the predictions")
	case m.File != nil && (m.Formula != "" || len(m.Columns) > 0):
		f.add("model.file", "must be left out where model.columns or model.formula says what is evaluated")
	case m.File != nil:
		f.file(s)
	case m.Formula != "":
		f.formula(s)
	case len(m.Columns) == 0:
		f.add("model.columns", "must name the column of the prediction")
	case !s.Multiclass() && len(m.Columns) > 1:
		f.add("model.columns", "must name one column for task %s: each column of predictions is a run of its own (got %d)",
			s.Task, len(m.Columns))
	}
	switch {
	case !slices.Contains(fit.Scales, m.Scale):
		f.add("model.scale", "must be probability, logit or score (got %q)", m.Scale)
	case s.Multiclass() && m.Scale != fit.ScaleProbability:
		f.add("model.scale", "must be probability for task %s (got %q)", s.Task, m.Scale)
	}
	if known := []string{"", fit.Higher, fit.Lower}; !slices.Contains(known, m.Direction) {
		f.add("model.direction", "must be higher or lower (got %q)", m.Direction)
	} else if m.Direction != "" && m.Scale != fit.ScaleScore {
		f.add("model.direction", "is for scale score: a probability rises with the risk")
	}
	if s.Validation.Kind == "none" {
		f.add("validation.kind", "must be cv or split for kind given: the regression beside the predictions, and the "+
			"cut-offs of a score, need rows that they were not fitted on")
	}
	if s.Noise.Kind != "none" {
		f.add("noise.kind", "must be none for kind given: nothing is trained on the labels (got %q)", s.Noise.Kind)
	}
	if l := m.L2; l.Mode != "" && l.Mode != "cv" && l.Mode != "cv-1se" || l.Mode == "" && !fit.InL2(l.Value) {
		f.add("model.l2", fit.L2Rule, fmt.Sprint(l.Value))
	}
}

// DefaultPredictors lists the columns used when a spec names no predictors: every usable one
// except the evaluated predictions.
func (s *Spec) DefaultPredictors(t *table.Table) []string {
	names := check.UsablePredictors(t, s.Outcome, s.Group, s.Weights)
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(s.Model.Columns, name) })
}

// mostOff is the largest accepted difference between 1 and the sum of a row's class
// probabilities. Three probabilities rounded to two digits stay within it.
const mostOff = 0.02

// least replaces a probability of 0 before taking its logarithm.
const least = 1e-300

// predictions reads the predictions of a given model.
func (f *fieldErrors) predictions(t *table.Table, s *Spec, c *Cohort) {
	m := &s.Model
	if !m.Given() || f.has("model") || f.has("task") {
		return
	}
	switch {
	case m.Formula != "":
		f.evaluated(t, s, c)
		return
	case m.File != nil:
		f.applied(t, s, c)
		return
	}
	if s.Multiclass() && len(m.Columns) != c.Classes() {
		f.add("model.columns", "must name one column per class, in the order of the levels %s (got %d)",
			check.QuoteNames(c.Target.Levels), len(m.Columns))
		return
	}
	k := len(m.Columns)
	c.Given = make([]float64, t.Rows*k)
	for j, name := range m.Columns {
		at, col := fmt.Sprintf("model.columns[%d]", j), t.Column(name)
		switch {
		case col == nil:
			f.add(at, "must be a column of the data (got %q)", name)
		case name == s.Outcome || name == s.Group || name == s.Weights:
			f.add(at, "cannot be the outcome, the group or the weights (got %q)", name)
		case slices.Contains(m.Columns[:j], name):
			f.add(at, "is in the list twice (%q)", name)
		case col.Num == nil || col.Type == table.Date:
			f.add(at, "must be a column of numbers (got %q)", name)
		default:
			f.numbers(at, col, m.Scale, c.Given[j:], k)
		}
	}
	if k > 1 && !f.has("model") {
		f.normalise(c.Given, k)
	}
}

// numbers copies a column into every k-th entry of dst, and refuses values outside the scale.
func (f *fieldErrors) numbers(at string, col *table.Column, scale string, dst []float64, k int) {
	for row, v := range col.Num {
		if scale == fit.ScaleProbability && (v < 0 || v > 1) {
			f.add(at, "must hold probabilities from 0 to 1: row %s of ‘%s’ does not; percentages must be divided by "+
				"100, and any other number is a score (model.scale \"score\", or \"logit\" for log odds)", phrase.Int(row+1),
				col.Name)
			return
		}
		if math.IsInf(v, 0) {
			v = math.NaN()
		}
		dst[row*k] = v
	}
}

// normalise replaces the class probabilities of each row by their logarithms, after scaling
// their sum to 1.
func (f *fieldErrors) normalise(p []float64, k int) {
	for at := 0; at < len(p); at += k {
		sum := 0.0
		for _, v := range p[at : at+k] {
			sum += v
		}
		if math.Abs(sum-1) > mostOff {
			f.add("model.columns", "must add up to 1 in every row: row %s adds up to %s", phrase.Int(at/k+1),
				phrase.Significant(sum, 3))
			return
		}
		for j, v := range p[at : at+k] {
			p[at+j] = math.Log(max(v/sum, least))
			if math.IsNaN(sum) {
				p[at+j] = sum
			}
		}
	}
}

// unpredicted reports whether a table row has no prediction.
func (c *Cohort) unpredicted(row int) bool {
	k := c.Outputs()
	return slices.ContainsFunc(c.Given[row*k:(row+1)*k], math.IsNaN)
}

// Outputs is the number of predictions per row of a given model.
func (c *Cohort) Outputs() int {
	if c.Target.Event {
		return 1
	}
	return c.Classes()
}

// orient negates a score that decreases with the risk: as the spec says, or where that gives
// the higher AUC.
func (c *Cohort) orient(s *Spec) {
	if c.Given == nil || s.Model.Scale != fit.ScaleScore {
		return
	}
	switch s.Model.Direction {
	case fit.Lower:
		c.Falls = true
	case "":
		score, event := make([]float64, len(c.Rows)), make([]bool, len(c.Rows))
		for i, row := range c.Rows {
			score[i], event[i] = c.Given[row], c.Label[i] > 0
		}
		auc, _, _ := stat.AUC(score, event)
		c.Falls = auc < 0.5
	}
	if c.Falls {
		for i := range c.Given {
			c.Given[i] = -c.Given[i] + 0 // avoids −0
		}
	}
}

// GivenWords is a sentence on rows without a prediction.
func (s *Spec) GivenWords() string {
	switch {
	case s.Model.Formula != "":
		return "A value that the formula needs is missing."
	case s.Model.File != nil:
		return "The given model has no prediction for these rows."
	}
	return "No prediction in ‘" + strings.Join(s.Model.Columns, "’, ‘") + "’."
}

// formula parses the formula of a model, without the data.
func (f *fieldErrors) formula(s *Spec) {
	if s.Multiclass() {
		f.add("model.formula", "is for tasks binary and interval: classes need a column of probabilities each")
		return
	}
	if _, err := formula.Parse(s.Model.Formula); err != nil {
		f.add("model.formula", "%s", sentence(err))
	}
}

// evaluated computes the formula for every row.
func (f *fieldErrors) evaluated(t *table.Table, s *Spec, c *Cohort) {
	read, err := formula.Parse(s.Model.Formula)
	var bound *formula.Bound
	if err == nil {
		bound, err = read.Bind(t)
	}
	if err != nil {
		f.add("model.formula", "%s", sentence(err))
		return
	}
	for _, name := range bound.Columns {
		if name == s.Outcome {
			f.add("model.formula", "names the outcome ‘%s’", name)
			return
		}
	}
	c.Given, c.Reads = make([]float64, t.Rows), bound.Columns
	f.numbers("model.formula", &table.Column{Name: "the formula", Num: bound.Values()}, s.Model.Scale, c.Given, 1)
}

// mostApplied bounds the multiplications for applying a given model, like formula.MaxWork for a formula.
const mostApplied = 200e6

// givenModel reads the model.json of a spec.
func givenModel(s *Spec) (*model.Model, *model.Scorer, error) {
	m := &model.Model{}
	if err := json.Unmarshal(s.Model.File, m); err != nil {
		e, _ := usererr.As(strict.Explain("it", s.Model.File, err))
		return nil, nil, usererr.New(usererr.Invalid, "model.json: %s", e.Detail)
	}
	scorer, err := m.Scorer()
	return m, scorer, err
}

// file checks a model.json without the data.
func (f *fieldErrors) file(s *Spec) {
	m, _, err := givenModel(s)
	switch {
	case err != nil:
		f.add("model.file", "cannot be applied: %s", sentence(err))
	case m.HoldsRows():
		f.add("model.file", "must be a linear model or trees: the kernel of this one contains rows it was trained on")
	case m.Multiclass() != s.Multiclass():
		f.add("model.file", "is a model for the task %s (the run has %s)", cmp.Or(m.Task, "interval or binary"), s.Task)
	case s.Model.Scale == fit.ScaleLogit:
		f.add("model.scale", "must be probability or score for a model.json: its link is in the file")
	case !s.Multiclass() && s.Model.Scale == fit.ScaleProbability && m.Link == fit.LinkNone:
		f.add("model.scale", "must be score: the loss of this model.json, %s, gives no probabilities", m.Loss)
	}
}

// applied scores every row by a model.json.
func (f *fieldErrors) applied(t *table.Table, s *Spec, c *Cohort) {
	m, scorer, err := givenModel(s)
	if err != nil {
		f.add("model.file", "cannot be applied: %s", sentence(err))
		return
	}
	if slices.Contains(scorer.Columns(), s.Outcome) {
		f.add("model.file", "has the outcome ‘%s’ among its predictors", s.Outcome)
		return
	}
	if m.Work(t.Rows).Total > mostApplied {
		f.add("model.file", "is too large for %s rows: score the file with taper score, and evaluate that column",
			phrase.Int(t.Rows))
		return
	}
	at := []int{0} // place of each class of the model
	if s.Multiclass() {
		if !sameLevels(m.Levels, c.Target.Levels) {
			f.add("model.file", "must have the classes of the data, %s (got %s)", check.QuoteNames(c.Target.Levels),
				check.QuoteNames(m.Levels))
			return
		}
		at = at[:0]
		for _, level := range m.Levels {
			at = append(at, slices.Index(c.Target.Levels, level))
		}
	}
	k, improbable := len(at), false
	c.Given, c.Reads = make([]float64, t.Rows*k), slices.Sorted(maps.Keys(m.UsedColumns()))
	err = scorer.ScoreTable(t, func(row int, p model.Prediction) {
		if len(p.OutsideData) > 0 {
			c.Outside++
		}
		dst := c.Given[row*k : (row+1)*k]
		switch {
		case p.Classes != nil && p.Classes.Probabilities == nil:
			improbable = true
		case p.Classes != nil:
			for j, v := range p.Classes.Probabilities {
				dst[at[j]] = v
			}
		case s.Model.Scale == fit.ScaleProbability:
			dst[0] = *p.Probability
		default:
			dst[0] = p.Score
		}
	})
	switch {
	case err != nil:
		f.add("model.file", "cannot be applied: %s", sentence(err))
	case improbable:
		f.add("model.file", "must give probabilities of the classes: its loss, %s, has none", m.Loss)
	case s.Multiclass():
		f.normalise(c.Given, k)
	}
}

// sameLevels reports the same classes in any order.
func sameLevels(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// sentence is the text of an error without its code.
func sentence(err error) string {
	if e, ok := usererr.As(err); ok {
		return strings.TrimSuffix(e.Detail, ".") // the field’s sentence ends with one
	}
	return err.Error()
}
