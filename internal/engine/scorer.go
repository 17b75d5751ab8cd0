package engine

import (
	"encoding/json"
	"math"
	"strings"

	"taper/internal/engine/check"
	"taper/internal/engine/fit"
	"taper/internal/engine/fit/boost"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/internal/engine/prep"
	"taper/internal/engine/stat"
	"taper/internal/engine/usererr"
)

// Format names the model file this version writes and reads.
const Format = "taper-model/1"

// Prediction is one scored row. Probability is nil for interval models, which
// promise bands and no percentages.
type Prediction struct {
	Score       float64
	Probability *float64
	Stratum     int          // 0…K: the model's own, for a row outside the data too
	Band        string       // its label, "25 – 50 %", or check.OutsideData
	Outside     []prep.Doubt // those of Doubts that put the row outside the data; none: it has a band
	Warnings    []string     // clauses: what was missing, unseen or out of range
	Doubts      []prep.Doubt // the same by kind and column

	Classes *ClassPrediction // several classes, in place of score and stratum
}

// Warning joins the warnings into the one text of a CSV cell.
func (p Prediction) Warning() string { return strings.Join(p.Warnings, "; ") }

// MarshalJSON writes the fields of the API. A row outside the data has its score
// and neither stratum nor probability, so that nobody acts on them by mistake.
func (p Prediction) MarshalJSON() ([]byte, error) {
	if p.Classes != nil {
		return p.Classes.json(p.Warning(), len(p.Outside) > 0)
	}
	out := struct {
		Score       float64  `json:"score"`
		Probability *float64 `json:"probability"`
		Stratum     *int     `json:"stratum"`
		Band        string   `json:"band"`
		Warning     string   `json:"warning"`
	}{p.Score, p.Probability, &p.Stratum, p.Band, p.Warning()}
	if len(p.Outside) > 0 {
		out.Probability, out.Stratum = nil, nil
	}
	return json.Marshal(out)
}

// Scorer scores rows whose cells come as texts. It is safe for concurrent use.
type Scorer struct {
	pre     *prep.Preprocessor
	uses    map[string]bool // columns that the score depends on
	bands   []string
	fit     fit.Fitted
	reading reading      // Delta as in the model file
	classes *classScorer // several classes, in place of fit and reading
}

// Scorer checks the model, which may come from a file, and makes it ready.
func (m *Model) Scorer() (*Scorer, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if m.Several() {
		return m.classesScorer()
	}
	how, err := m.method()
	if err != nil {
		return nil, err
	}
	s := &Scorer{
		pre:     &prep.Preprocessor{Columns: m.Columns, Terms: m.Terms},
		uses:    m.uses(),
		bands:   stat.BandLabels(m.Boundaries),
		fit:     fit.Fitted{Linear: &linear.Linear{W: m.Weights, B: m.Intercept}},
		reading: reading{how.Link, loss.Interval{Pi: m.Boundaries, Delta: m.Delta}},
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

// method reads the loss of the model and holds its link against the one that
// the file names.
func (m *Model) method() (fit.Method, error) {
	how, err := fit.Parse(ModelSpec{Kind: or(m.Kind, "linear"), Loss: m.Loss, Params: m.Params})
	if err != nil {
		return how, usererr.New(usererr.Invalid, "model.json: %v", err)
	}
	if how.Link.ID != m.Link {
		return how, usererr.New(usererr.Invalid, "model.json: the link %q is not that of %s, %s.", m.Link, m.Loss,
			how.Link.ID)
	}
	return how, nil
}

// boosted returns the trees of the model.
func (m *Model) boosted() *boost.Model {
	return &boost.Model{Alpha: 1, Columns: len(m.Terms), Trees: m.Trees}
}

// check reports what a model file lacks.
func (m *Model) check() error {
	broken := func(format string, args ...any) error {
		return usererr.New(usererr.Invalid, "model.json: "+format, args...)
	}
	switch {
	case m.Format != Format:
		return broken("the format is %q, this version reads %q.", m.Format, Format)
	case m.Several():
		return m.checkClasses()
	case m.Kind != "" && m.Kind != "linear" && m.Kind != "boost" && m.Kind != "kernel":
		return broken("the kind %q is unknown: linear, kernel or boost.", m.Kind)
	case len(m.Terms) == 0 || m.Kind != "boost" && m.Kind != "kernel" && len(m.Weights) != len(m.Terms):
		return broken("%d weights for %d terms.", len(m.Weights), len(m.Terms))
	case len(m.Delta) != len(m.Boundaries):
		return broken("%d cut-offs for %d boundaries.", len(m.Delta), len(m.Boundaries))
	case !(m.Cut > 0 && m.Cut < 1):
		return broken("the cut %v is not a probability.", m.Cut)
	case math.IsNaN(m.Intercept) || math.IsInf(m.Intercept, 0):
		return broken("the intercept is not a finite number.")
	}
	if err := loss.CheckBoundaries("boundaries", m.Boundaries); err != nil {
		return err
	}
	if m.Kind == "boost" {
		if err := m.boosted().Check(); err != nil {
			return broken("%v", err)
		}
	}
	return m.checkTerms()
}

// checkTerms reports a term without a scale or a knot, or out of order.
func (m *Model) checkTerms() error {
	broken := func(format string, args ...any) error {
		return usererr.New(usererr.Invalid, "model.json: "+format, args...)
	}
	at := 0 // terms of one column stand together, in the order of the columns
	for _, c := range m.Columns {
		from := at
		for at < len(m.Terms) && m.Terms[at].Column == c.Name {
			if t := m.Terms[at]; !(t.SD > 0) {
				return broken("term %q has no positive sd.", t.Name)
			}
			at++
		}
		if err := c.CheckKnots(m.Terms[from:at]); err != nil {
			return broken("%v", err)
		}
	}
	if at < len(m.Terms) {
		return broken("term %q is not in the order of the columns.", m.Terms[at].Name)
	}
	return nil
}

// Columns returns the names of the columns a row needs.
func (s *Scorer) Columns() []string {
	names := make([]string, len(s.pre.Columns))
	for i, c := range s.pre.Columns {
		names[i] = c.Name
	}
	return names
}

// Score scores one row from the texts of its cells, numbers with a decimal
// point. A cell that is not there counts as missing.
func (s *Scorer) Score(cell func(column string) (text string, ok bool)) Prediction {
	return s.score(cell, ".")
}

// extreme bounds a standardised value: beyond it products overflow, those of a
// polynomial kernel sooner.
const (
	extreme       = 1e150
	extremeKernel = 1e12
)

func (s *Scorer) score(cell func(string) (string, bool), decimal string) Prediction {
	x := make([]float64, s.pre.Width())
	p := Prediction{Doubts: s.pre.Doubts(x, cell, decimal)}
	for _, d := range p.Doubts {
		p.Warnings = append(p.Warnings, d.Text)
	}
	p.Outside = check.Outside(p.Doubts, func(column string) bool { return s.uses[column] })
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
	band, prob := s.reading.link.Band(s.reading.iv, p.Score)
	if p.Stratum = band; s.reading.link.Has() {
		p.Probability = &prob
	}
	if p.Band = s.bands[band]; len(p.Outside) > 0 {
		p.Band = check.OutsideData
	}
	return p
}

// require names the model's columns that the data lack altogether. Single
// missing cells are fine: training says what stands in.
func (s *Scorer) require(has func(column string) bool) error {
	var lacking []string
	for _, name := range s.Columns() {
		if !has(name) {
			lacking = append(lacking, "‘"+name+"’")
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	what := "column " + lacking[0] + ", which the model uses: add it, with empty cells where unknown."
	if len(lacking) > 1 {
		what = "columns " + list(lacking) + ", which the model uses: add them, with empty cells where unknown."
	}
	return usererr.New(usererr.Invalid, "The data lack %s", what)
}
