package engine

import (
	"encoding/json"
	"slices"

	"taper/internal/engine/check"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
	"taper/internal/engine/prep"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/engine/usererr"
)

// Several reports a model without an event: its answer is a class or none.
func (m *Model) Several() bool { return m.Task != "" }

// portable is model.json.
func (b *classRun) portable(r *Result) *Model {
	m := b.comparison.portable(r)
	m.Task, m.Rule, m.Costs, m.Bins = b.spec.Task, b.rule, b.cost, b.p.cohort.target.Cuts
	m.Potentials = b.model.final.Potential.Model
	return m
}

// checkClasses reports what the file of a model of several classes lacks.
func (m *Model) checkClasses() error {
	broken := func(format string, args ...any) error {
		return usererr.New(usererr.Invalid, "model.json: "+format, args...)
	}
	k := len(m.Levels)
	about, known := task.ByID(m.Task)
	switch {
	case !known || about.Rule(loss.Family{}) == "":
		return broken("the task %q is unknown.", m.Task)
	case m.Potentials == nil:
		return broken("the potentials are missing.")
	case m.Potentials.Classes != k:
		return broken("%d levels for %d classes.", k, m.Potentials.Classes)
	case m.Potentials.Columns() != len(m.Terms):
		return broken("potentials of %d terms for %d.", m.Potentials.Columns(), len(m.Terms))
	case m.Potentials.Family.ID != m.Loss:
		return broken("potentials of the %s loss for %s.", m.Potentials.Family.ID, m.Loss)
	case m.Rule != about.Rule(m.Potentials.Family):
		return broken("the rule %q is not that of %s.", m.Rule, m.Loss)
	case len(m.Costs) < k || len(m.Costs) > k+1:
		return broken("%d rows of costs for %d classes.", len(m.Costs), k)
	case m.Bins != nil && len(m.Bins) != k-1:
		return broken("%d edges for %d classes.", len(m.Bins), k)
	}
	for _, row := range m.Costs {
		if len(row) != k {
			return broken("a row of %d costs for %d classes.", len(row), k)
		}
	}
	return nil
}

// ClassPrediction is what a model of several classes says of a row.
type ClassPrediction struct {
	Levels        []string
	Scores        []float64
	Probabilities []float64 // nil without
	// Mixture is p*, the mixture of answers that an adversarial loss predicts
	// by, abstaining last where that is one; not an estimate of probabilities.
	// Nil for other losses.
	Mixture []float64
	Class   int // metric.Abstained for none
}

// AbstainText stands for no answer in files.
const AbstainText = "(abstain)"

// Answer names the class, or says that there is none.
func (p *ClassPrediction) Answer() string {
	if p.Class == stat.Abstained {
		return AbstainText
	}
	return p.Levels[p.Class]
}

// appended are the columns that PredictCSV adds.
func (m *Model) appended() []string {
	if !m.Several() {
		return m.appendedBands()
	}
	return append(classColumns(m.Levels, m.Link != LinkNone), "warning")
}

// ClassColumns names what files say of a row of several classes.
func ClassColumns(levels []string) []string { return classColumns(levels, true) }

// classColumns leaves the probabilities out where the link has none.
func classColumns(levels []string, probable bool) (names []string) {
	for _, l := range levels {
		names = append(names, "score_"+l)
	}
	for _, l := range levels {
		if probable {
			names = append(names, "probability_"+l)
		}
	}
	return append(names, "prediction")
}

// cells are the texts for classColumns; a row outside the data has its scores
// alone.
func (p *ClassPrediction) cells(outside bool, number func(float64) string) []string {
	probabilities, answer := p.Probabilities, p.Answer()
	if outside {
		probabilities, answer = nil, check.OutsideData
	}
	all := ClassCells(p.Scores, probabilities, answer, number)
	if k := len(p.Scores); p.Probabilities == nil {
		all = slices.Delete(all, k, 2*k)
	}
	return all
}

// ClassCells are the texts for ClassColumns; probabilities may be nil.
func ClassCells(scores, probabilities []float64, answer string, number func(float64) string) []string {
	var texts []string
	for _, v := range scores {
		texts = append(texts, number(v))
	}
	for i := range scores {
		text := ""
		if probabilities != nil {
			text = number(probabilities[i])
		}
		texts = append(texts, text)
	}
	return append(texts, answer)
}

// json is the prediction in the API's form. A row outside the data has its
// scores alone.
func (p *ClassPrediction) json(warning string, outside bool) ([]byte, error) {
	out := struct {
		Prediction    *string            `json:"prediction"` // null: abstained, or outside
		Abstained     bool               `json:"abstained"`
		Outside       bool               `json:"outside"`
		Scores        map[string]float64 `json:"scores"`
		Probabilities map[string]float64 `json:"probabilities"`
		Mixture       map[string]float64 `json:"mixture"`
		Warning       string             `json:"warning"`
	}{Abstained: p.Class == stat.Abstained, Scores: p.named(p.Scores), Warning: warning}
	if outside {
		out.Outside, out.Abstained = true, false
		return json.Marshal(out)
	}
	if !out.Abstained {
		out.Prediction = &p.Levels[p.Class]
	}
	if p.Probabilities != nil {
		out.Probabilities = p.named(p.Probabilities)
	}
	if p.Mixture != nil {
		out.Mixture = p.named(p.Mixture)
	}
	return json.Marshal(out)
}

// named pairs values with their classes.
func (p *ClassPrediction) named(v []float64) map[string]float64 {
	m := map[string]float64{}
	for i, x := range v {
		if i < len(p.Levels) {
			m[p.Levels[i]] = x
		} else {
			m[AbstainText] = x
		}
	}
	return m
}

// classScorer scores rows of a design.
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
		uses:    m.uses(),
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

// classOf returns which class an outcome is, by the spellings that were joined
// in training; numbers by their value (1.0 is 1), bins by their edges.
func (m *Model) classOf(outcome string) (class int, ok bool) {
	outcome = table.Trim(outcome)
	v, numeric := table.ParseNumber(outcome, or(m.Decimal, "."))
	if m.Bins != nil {
		return task.Bin(m.Bins, v), numeric
	}
	if to, ok := m.OutcomeAliases[outcome]; ok {
		outcome = to
	}
	for k, level := range m.Levels {
		w, ok := table.ParseNumber(level, or(m.Decimal, "."))
		if outcome == level || numeric && ok && v == w || m.OutcomeJoin && table.Fold(outcome) == table.Fold(level) {
			return k, true
		}
	}
	return 0, false
}

// gathered are rows of several classes with what the model says of them.
type gathered struct {
	label []int
	a     task.Answers
}

func (g *gathered) add(class int, p *ClassPrediction) {
	g.label = append(g.label, class)
	g.a.Class = append(g.a.Class, p.Class)
	g.a.Prob = append(g.a.Prob, p.Probabilities...)
}

// resultClasses judges the rows.
func (v *evaluator) resultClasses() (*Evaluation, error) {
	e, g := &v.e, &v.several
	if e.Rows = len(g.label); e.Rows == 0 {
		return nil, usererr.New(usererr.Invalid, "No row has a class of ‘%s’ that the model knows, %s: there is nothing to "+
			"judge.%s", v.m.Outcome, quoted(v.m.Levels), e.strangeWords())
	}
	if v.o.By != "" {
		return nil, usererr.BadField("by", "is for two classes: this model has several")
	}
	m := measure(task.Of(v.m.Task), v.m.Costs, v.m.Levels, g.label, g.a)
	cost := task.Cost(v.m.Costs).Mean(g.a.Class, g.label)
	e.Classes, e.Cost, e.Strata, e.Monotone = &m, &cost, []stat.Stratum{}, true
	intervals := stat.MulticlassIntervals(asAnswers(task.Of(v.m.Task), v.m.Costs, v.m.Levels, g.label, g.a),
		stat.Draws{Replicates: draws(e.Rows), Seed: e.Seed})
	e.Intervals = &intervals
	e.Warnings = e.doubts(v.m)
	return e, nil
}
