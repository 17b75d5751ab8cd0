package model

import (
	"slices"
	"strings"
	"unicode"

	"taper/internal/engine/check"
	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/engine/prep"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
	"taper/internal/engine/usererr"
)

// Scorer scores rows whose cells are texts. It is safe for concurrent use.
type Scorer struct {
	pre     *prep.Preprocessor
	uses    map[string]bool // columns that the score depends on
	bands   []string
	fit     fit.Fitted
	reader  task.BandReader // with Delta of the model file
	classes *classScorer    // multiclass: in place of fit and reader
}

// Scorer validates the model, which may come from a file, and prepares it for scoring.
func (m *Model) Scorer() (*Scorer, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if m.Multiclass() {
		return m.classesScorer()
	}
	how, err := m.method()
	if err != nil {
		return nil, err
	}
	s := &Scorer{
		pre:    &prep.Preprocessor{Columns: m.Columns, Terms: m.Terms},
		uses:   m.UsedColumns(),
		bands:  stat.BandLabels(m.Boundaries),
		fit:    fit.Fitted{Linear: &linear.Linear{W: m.Weights, B: m.Intercept}},
		reader: task.BandReader{Link: how.Link, Interval: loss.Interval{Pi: m.Boundaries, Delta: m.Delta}},
	}
	switch m.Kind {
	case "boost":
		s.fit.Trees = m.boosted()
	case "kernel":
		if s.fit.Kernel, err = m.expansion(); err != nil {
			return nil, usererr.New(usererr.Invalid, "model.json: %v.", err)
		}
	}
	return s, nil
}

// Bands returns the reader of scores of a model with an event.
func (s *Scorer) Bands() task.BandReader { return s.reader }

// Columns returns the names of the columns that a row needs.
func (s *Scorer) Columns() []string {
	names := make([]string, len(s.pre.Columns))
	for i, c := range s.pre.Columns {
		names[i] = c.Name
	}
	return names
}

// Score scores one row from its texts, with a decimal point in numbers. A cell that does not
// exist counts as missing.
func (s *Scorer) Score(cell func(column string) (text string, ok bool)) Prediction {
	return s.ScoreTexts(cell, ".")
}

// extreme bounds standardised values so that products do not overflow; a polynomial kernel
// overflows earlier.
const (
	extreme       = 1e150
	extremeKernel = 1e12
)

func (s *Scorer) ScoreTexts(cell func(string) (string, bool), decimal string) Prediction {
	x := make([]float64, s.pre.Width())
	p := Prediction{Issues: s.pre.Issues(x, cell, decimal)}
	for _, d := range p.Issues {
		p.Warnings = append(p.Warnings, d.Text)
	}
	p.OutsideData = check.IssuesOutsideData(p.Issues, func(column string) bool { return s.uses[column] })
	most := extreme
	if s.fit.Kernel != nil || s.classes != nil && s.classes.model.Kernel != nil {
		most = extremeKernel
	}
	for k, v := range x {
		x[k] = min(max(v, -most), most)
	}
	if s.classes != nil {
		p.Classes = s.classes.score(x)
		return p
	}
	p.Score = s.fit.Score(x)
	band, prob := s.reader.Link.Band(s.reader.Interval, p.Score)
	if p.Stratum = band; s.reader.Link.Has() {
		p.Probability = &prob
	}
	if p.Band = s.bands[band]; len(p.OutsideData) > 0 {
		p.Band = check.OutsideData
	}
	return p
}

// require returns an error naming columns of the model that the data with these columns lack entirely, and those that
// are probably meant. Single missing cells are imputed.
func (s *Scorer) require(there []string) error {
	var lacking, like []string
	for _, name := range s.Columns() {
		if slices.Contains(there, name) {
			continue
		}
		lacking = append(lacking, "‘"+name+"’")
		if other := Like(name, there); other != "" {
			like = append(like, "‘"+other+"’ to ‘"+name+"’")
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	what := "column " + lacking[0] + ", which the model uses: add it, with empty cells where unknown."
	if len(lacking) > 1 {
		what = "columns " + phrase.List(lacking) + ", which the model uses: add them, with empty cells where unknown."
	}
	if len(like) > 0 {
		what += " If they are the same, rename " + phrase.List(like) + "."
	}
	return usererr.New(usererr.Invalid, "The data lack %s", what)
}

// Like returns the column whose name differs from the given one only by case, blanks and signs, "" without any or with
// several. Such columns are not used as they are: age and AGE can be in different units.
func Like(name string, columns []string) string {
	bare := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, s)
	}
	found := ""
	for _, c := range columns {
		if want := bare(name); want == "" || bare(c) != want {
			continue
		}
		if found != "" {
			return ""
		}
		found = c
	}
	return found
}

// classScorer scores rows of a design with a multiclass model.
type classScorer struct {
	model  *multiclass.Model
	levels []string
	rule   string
	cost   task.Cost
}

func (m *Model) classesScorer() (*Scorer, error) {
	if err := m.checkTerms(); err != nil {
		return nil, err
	}
	return &Scorer{
		pre:     &prep.Preprocessor{Columns: m.Columns, Terms: m.Terms},
		uses:    m.UsedColumns(),
		classes: &classScorer{m.Potentials, m.Levels, m.Rule, m.Costs},
	}, nil
}

func (c *classScorer) score(x []float64) *ClassPrediction {
	k := len(c.levels)
	p := &ClassPrediction{Levels: c.levels, Scores: make([]float64, k), Probabilities: make([]float64, k)}
	call, raw, probable := task.NewReader(c.model, c.rule, c.cost).Row(p.Scores, p.Probabilities, x)
	if p.Class = call; !probable {
		p.Probabilities = nil
	}
	if n := c.model.Options(); n > 0 {
		p.Mixture = make([]float64, n)
		c.model.Mixture(p.Mixture, raw)
	}
	return p
}
