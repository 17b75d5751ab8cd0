package engine

import (
	"encoding/json"
	"fmt"
	"strconv"

	"taper/internal/engine/errs"
	"taper/internal/engine/metric"
	"taper/internal/engine/table"
)

// PredictRows scores rows that came as JSON objects: numbers, texts, truth
// values, and null for missing. A column that no row has is an error, one that
// some rows lack is missing there.
func PredictRows(m *Model, rows []map[string]any) ([]Prediction, error) {
	s, err := m.Scorer()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errs.BadField("rows", "must hold at least one row")
	}
	if err := s.require(func(column string) bool {
		for _, row := range rows {
			if _, ok := row[column]; ok {
				return true
			}
		}
		return false
	}); err != nil {
		return nil, err
	}
	out := make([]Prediction, len(rows))
	for i, row := range rows {
		texts, err := textsOf(i, row)
		if err != nil {
			return nil, err
		}
		out[i] = s.Score(func(column string) (string, bool) { t, ok := texts[column]; return t, ok })
	}
	return out, nil
}

// textsOf writes JSON values as the cells of a CSV would hold them.
func textsOf(i int, row map[string]any) (map[string]string, error) {
	texts := make(map[string]string, len(row))
	for _, name := range sortedKeys(row) {
		switch v := row[name].(type) {
		case nil:
			texts[name] = ""
		case string:
			texts[name] = v
		case bool:
			texts[name] = strconv.FormatBool(v)
		case float64:
			texts[name] = strconv.FormatFloat(v, 'g', -1, 64)
		case int:
			texts[name] = strconv.Itoa(v)
		case json.Number:
			if !finite(v) {
				return nil, errs.BadField(fmt.Sprintf("rows[%d].%s", i, name), "must be a finite number (got %.40s)", v)
			}
			texts[name] = v.String()
		default:
			return nil, errs.BadField(fmt.Sprintf("rows[%d].%s", i, name), "must be a number, a text, true, false or null (got %s)", jsonName(v))
		}
	}
	return texts, nil
}

// Evaluation is an external validation: the model on rows that carry their
// outcome and took no part in its making.
type Evaluation struct {
	Rows     int              `json:"n"`              // judged: of the two classes
	Events   int              `json:"events"`         // among them
	Skipped  int              `json:"skipped"`        // rows without outcome, or of another level
	Warned   int              `json:"warned"`         // judged rows with a warning
	Metrics  metric.Binary    `json:"metrics"`        // cut as in the run
	Classes  *metric.Classes  `json:"-"`              // several classes: the metrics
	Cost     *float64         `json:"cost,omitempty"` // several classes: the mean cost of the answers
	Strata   []metric.Stratum `json:"strata"`         // every judged row once
	Monotone bool             `json:"monotone"`       // observed rates rise from band to band
	Warnings []Warning        `json:"warnings"`

	Performance   *metric.Performance   `json:"performance,omitempty"`   // two classes: with intervals
	Recalibration *metric.Recalibration `json:"recalibration,omitempty"` // what would make the risks right here; null without probabilities
	Boundaries    []metric.Boundary     `json:"boundaries,omitempty"`
	Calibration   *metric.Smooth        `json:"calibration,omitempty"`
}

// EvaluateRows scores and judges JSON rows that carry their outcome.
func EvaluateRows(m *Model, rows []map[string]any) ([]Prediction, *Evaluation, error) {
	predictions, err := PredictRows(m, rows)
	if err != nil {
		return nil, nil, err
	}
	v := evaluator{m: m}
	for i, row := range rows {
		texts, err := textsOf(i, row)
		if err != nil {
			return nil, nil, err
		}
		v.add(texts[m.Outcome], predictions[i])
	}
	e, err := v.result()
	return predictions, e, err
}

// evaluator gathers scored rows with their outcome.
type evaluator struct {
	m     *Model
	e     Evaluation
	score []float64
	event []bool

	several gathered
}

// add takes a row with its outcome as uploaded.
func (v *evaluator) add(outcome string, p Prediction) {
	if v.m.Several() {
		v.addSeveral(outcome, p)
		return
	}
	class, ok := v.m.class(outcome)
	if !ok {
		v.e.Skipped++
		return
	}
	v.score, v.event = append(v.score, p.Score), append(v.event, class == v.m.Positive)
	if len(p.Warnings) > 0 {
		v.e.Warned++
	}
}

// class returns which of the two classes an outcome is, by the spellings that
// were joined in training; numbers by their value (1.0 is 1).
func (m *Model) class(outcome string) (string, bool) {
	outcome = table.Trim(outcome)
	if to, ok := m.OutcomeAliases[outcome]; ok {
		outcome = to
	}
	v, numeric := table.ParseNumber(outcome, or(m.Decimal, "."))
	for _, class := range [2]string{m.Positive, m.Negative} {
		w, ok := table.ParseNumber(class, or(m.Decimal, "."))
		if outcome == class || numeric && ok && v == w || m.OutcomeJoin && table.Fold(outcome) == table.Fold(class) {
			return class, true
		}
	}
	return "", false
}

// result judges the rows.
func (v *evaluator) result() (*Evaluation, error) {
	if v.m.Several() {
		return v.resultSeveral()
	}
	e := &v.e
	e.Rows = len(v.score)
	for _, event := range v.event {
		if event {
			e.Events++
		}
	}
	if e.Rows == 0 {
		return nil, errs.New(errs.Invalid, "No row has %q or %q in ‘%s’: there is nothing to judge.", v.m.Positive, v.m.Negative, v.m.Outcome)
	}
	s, err := v.m.Scorer()
	if err != nil {
		return nil, err
	}
	seen := s.reading.look(v.score, v.event, v.m.Cut)
	e.Metrics, e.Strata, e.Monotone = seen.metrics, seen.strata, metric.Monotone(seen.strata)
	e.external(s.reading.scores(seen, v.event))
	e.Warnings = e.doubts(v.m)
	return e, nil
}

// external fills in what a report of the validation holds.
func (e *Evaluation) external(s metric.Scores) {
	p := metric.Perform(s, metric.Draws{Replicates: draws(len(s.Event))})
	e.Performance, e.Boundaries = &p, metric.Boundaries(s.Pi, s.Band, s.Event)
	if s.Probability != nil {
		r := metric.Recalibrate(s.Probability, s.Event)
		c := metric.CalibrationCurve(s.Probability, s.Event, curvePoints, curveBins)
		e.Recalibration, e.Calibration = &r, &c
	}
}

func (e *Evaluation) doubts(m *Model) []Warning {
	all := []Warning{}
	if e.Skipped > 0 {
		all = append(all, note(WarnSkipped, m.Outcome, "%s without a class of ‘%s’ the model knows: scored, not judged.", count(e.Skipped, "row", "rows"), m.Outcome))
	}
	if e.Warned > 0 {
		all = append(all, note(WarnWarned, "", "%s with missing, unseen or out-of-range values.", count(e.Warned, "judged row", "judged rows")))
	}
	if !e.Monotone {
		all = append(all, note(WarnNotMonotone, "", "The observed rates do not rise from band to band."))
	}
	for k, s := range e.Strata {
		if s.Verdict == metric.TooFew {
			all = append(all, note(WarnFewInStratum, "", "%s", few(m.Boundaries, k, s)))
		}
	}
	return all
}
