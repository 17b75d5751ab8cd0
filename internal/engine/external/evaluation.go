// Package external evaluates a model on rows with outcomes that were not used in its
// development: statistics with intervals, the shift of the predictors, and the effect of
// recalibration. Results contain counts and statistics, and no data of single rows.
package external

import (
	"context"
	"maps"
	"slices"
	"strings"

	"taper/internal/engine/model"
	"taper/internal/engine/prep"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Evaluation is an external validation: the performance of a model on rows with outcomes that
// were not used in its development. It contains no data of single rows, so that it may be
// stored where the rows may not.
type Evaluation struct {
	Read      int `json:"read"`       // rows of the file
	Rows      int `json:"n"`          // test rows: of known classes, and not outside the data
	Events    int `json:"events"`     // among them
	Skipped   int `json:"skipped"`    // rows without an outcome, or of an unknown level
	NoOutcome int `json:"no_outcome"` // those of Skipped without an outcome
	// those of Skipped by unknown level; "" sums up levels with few rows
	Unknown []table.LevelRows `json:"unknown,omitempty"`
	Warned  int               `json:"warned"` // test rows with a warning

	// rows of known classes outside the data; they get no prediction and are not evaluated
	Outside       int                `json:"outside"`
	OutsideEvents int                `json:"outside_events"`       // events among them; two classes
	OutsideBy     []model.IssueCount `json:"outside_by,omitempty"` // columns that put them there, most frequent first

	// test rows equal to a training row in all predictors and the outcome; null = not compared
	Same     *int            `json:"same"`
	Metrics  stat.Binary     `json:"metrics"`        // at the cut-off of the run
	Classes  *stat.Classes   `json:"-"`              // several classes: the metrics
	Cost     *float64        `json:"cost,omitempty"` // several classes: mean cost of the predictions
	Strata   []stat.Stratum  `json:"strata"`         // of all test rows
	Monotone bool            `json:"monotone"`       // observed rates increase from band to band
	Warnings []table.Warning `json:"warnings"`
	Seed     uint64          `json:"seed"` // of the bootstrap, for some intervals

	Performance *stat.Performance `json:"performance,omitempty"` // two classes: statistics with intervals
	Expected    *float64          `json:"expected,omitempty"`    // expected number of events, from the predicted risks
	// recalibration estimated on these rows; null without probabilities
	Recalibration *stat.Recalibration       `json:"recalibration,omitempty"`
	Recalibrated  []RecalibratedModel       `json:"moved,omitempty"` // the performance after it
	Boundaries    []stat.Boundary           `json:"boundaries,omitempty"`
	Bands         []stat.BandRatio          `json:"bands,omitempty"`
	Decisions     []stat.NetBenefit         `json:"decision_curve,omitempty"` // without probabilities, at the boundaries
	Calibration   *stat.SmoothedCalibration `json:"calibration,omitempty"`
	Intervals     *stat.ClassIntervals      `json:"intervals,omitempty"` // several classes: by the bootstrap
	Predictors    []Shift                   `json:"predictors"`          // distributions in the test rows, by class
	By            string                    `json:"by,omitempty"`        // column of the subgroups
	Subgroups     []stat.Subgroup           `json:"subgroups,omitempty"`
}

// EvaluateOptions are the optional inputs of an evaluation.
type EvaluateOptions struct {
	By    string // column that defines subgroups; "" = none
	Seed  uint64 // of the bootstrap
	Known *Known // training rows of the model; nil = no comparison
}

// EvaluateRows scores and evaluates JSON rows with outcomes.
func EvaluateRows(ctx context.Context, m *model.Model, rows []map[string]any,
	o EvaluateOptions) ([]model.Prediction, *Evaluation, error) {
	predictions, err := model.PredictRows(m, rows)
	if err != nil {
		return nil, nil, err
	}
	v := newEvaluator(m, o)
	there := o.By == ""
	for i, row := range rows {
		texts, err := model.Texts(i, row)
		if err != nil {
			return nil, nil, err
		}
		_, has := texts[o.By]
		there = there || has
		v.add(func(column string) string { return texts[column] }, ".", predictions[i])
	}
	if !there {
		return nil, nil, noSubgroup(o.By)
	}
	e, err := v.result(ctx)
	return predictions, e, err
}

func noSubgroup(by string) error {
	return usererr.BadField("by", "must be a column of the data that is not the outcome (got %.80q)", by)
}

// evaluator collects scored rows with their outcomes.
type evaluator struct {
	m     *model.Model
	o     EvaluateOptions
	e     Evaluation
	score []float64
	event []bool

	multiclass gathered
	shift      []*shifting
	group      levels         // of the subgroup column
	unknown    map[string]int // number of rows per unknown level
	seen       map[rowKey]int // number of test rows per key of a training row that occurs once
}

func newEvaluator(m *model.Model, o EvaluateOptions) *evaluator {
	v := &evaluator{m: m, o: o, unknown: map[string]int{}, seen: map[rowKey]int{}}
	v.e.By, v.e.Seed = o.By, o.Seed
	v.group.place = map[string]int32{}
	for i := range m.Columns {
		v.shift = append(v.shift, newShifting(&m.Columns[i], len(m.Levels)))
	}
	return v
}

// add adds a row, whose cells are texts with the given decimal mark. A row outside the data is
// counted and not evaluated: it gets no prediction, and one extreme value could dominate
// calibration slope, intercept and the recalibration.
func (v *evaluator) add(cell func(column string) string, decimal string, p model.Prediction) {
	v.e.Read++
	outcome := table.Trim(cell(v.m.Outcome))
	class, ok := v.m.Class(outcome)
	if !ok {
		v.skip(outcome)
		return
	}
	if len(p.OutsideData) > 0 {
		v.leave(class, p.OutsideData)
		return
	}
	if v.m.Multiclass() {
		v.multiclass.add(class, p.Classes)
	} else {
		v.score, v.event = append(v.score, p.Score), append(v.event, class == 1)
	}
	if len(p.Warnings) > 0 {
		v.e.Warned++
	}
	v.group.decimal = decimal
	var key keyed
	for _, s := range v.shift {
		value := s.column.Cell(cell(s.column.Name), decimal)
		s.add(value, class)
		key.value(s.column, value)
	}
	if k := key.sum(class); v.o.Known.unique(k) {
		v.seen[k]++
	}
	if v.o.By != "" {
		v.group.add(table.Trim(cell(v.o.By)))
	}
}

// leave counts a row outside the data.
func (v *evaluator) leave(class int, far []prep.Issue) {
	v.e.Outside++
	if !v.m.Multiclass() && class == 1 {
		v.e.OutsideEvents++
	}
	for _, d := range far {
		v.e.OutsideBy = model.CountIssue(v.e.OutsideBy, d)
	}
}

func (v *evaluator) skip(outcome string) {
	v.e.Skipped++
	if slices.ContainsFunc(table.DefaultMissing, func(code string) bool { return code == outcome }) || outcome == "" {
		v.e.NoOutcome++
		return
	}
	if len(v.unknown) < unknownLevels || v.unknown[outcome] > 0 {
		v.unknown[strings.Clone(outcome)]++
	}
}

// unknownLevels bounds the number of levels counted. LevelName is the number of rows from which
// a level is named: a text in fewer rows could identify a person.
const (
	unknownLevels = 10_000
	levelName     = 10
)

// strangers lists the outcome levels unknown to the model.
func (v *evaluator) strangers() (all []table.LevelRows) {
	rest := v.e.Skipped - v.e.NoOutcome
	for _, level := range slices.Sorted(maps.Keys(v.unknown)) {
		if n := v.unknown[level]; n >= levelName && len(all) < 12 {
			all, rest = append(all, table.LevelRows{Level: level, Rows: n}), rest-n
		}
	}
	if rest > 0 {
		all = append(all, table.LevelRows{Rows: rest})
	}
	return all
}

// result evaluates the rows; it stops when the context ends.
func (v *evaluator) result(ctx context.Context) (*Evaluation, error) {
	e := &v.e
	e.Unknown = v.strangers()
	model.SortIssues(e.OutsideBy)
	for _, s := range v.shift {
		e.Predictors = append(e.Predictors, s.result())
	}
	if v.o.Known != nil {
		same := once(v.seen)
		e.Same = &same
	}
	if e.Outside > 0 && len(v.score)+len(v.multiclass.label) == 0 {
		return nil, usererr.New(usererr.Invalid,
			"Every row with a class of ‘%s’ that the model knows lies outside the data it "+
				"was trained on (%s): the model has no answer for them, so there is nothing to evaluate. "+
				"Check the units and codes of these columns, or train a model without them.", v.m.Outcome, e.outsideWords())
	}
	if v.m.Multiclass() {
		return v.resultClasses(ctx)
	}
	e.Rows = len(v.score)
	for _, event := range v.event {
		if event {
			e.Events++
		}
	}
	if e.Rows == 0 {
		return nil, usererr.New(usererr.Invalid, "No row has %q or %q in ‘%s’: there is nothing to evaluate.%s",
			v.m.Positive.String(), v.m.Negative.String(), v.m.Outcome, e.strangeWords())
	}
	s, err := v.m.Scorer()
	if err != nil {
		return nil, err
	}
	seen := s.Bands().Evaluate(v.score, v.event, v.m.Cut)
	e.Metrics, e.Strata, e.Monotone = seen.Metrics, seen.Strata, stat.Monotone(seen.Strata)
	scores := s.Bands().Scores(seen, v.event)
	if err := e.external(ctx, v.m, scores); err != nil {
		return nil, err
	}
	if v.o.By != "" {
		if e.Subgroups, err = subgroupsOf(v.o.By, v.group, scores); err != nil {
			return nil, err
		}
	}
	e.Warnings = e.caveats(v.m)
	e.withhold(v.m)
	return e, nil
}

// external computes the statistics of the validation. It checks ctx between steps, each of
// which takes seconds with many rows.
func (e *Evaluation) external(ctx context.Context, m *model.Model, s stat.Scores) error {
	p, err := stat.PerformDrawn(ctx, s, stat.Draws{Replicates: stat.CurveDraws(len(s.Event)), Seed: e.Seed})
	if err != nil {
		return err
	}
	e.Performance = &p
	steps := []func(){func() {
		e.Boundaries, e.Bands = stat.Boundaries(s.Pi, s.Band, s.Event), stat.BandRatios(s.Pi, s.Band, s.Event)
		e.Decisions = stat.Draw(s, false).Decisions
	}}
	if s.Probability != nil {
		e.Expected = new(float64)
		for _, p := range s.Probability {
			*e.Expected += p
		}
		r := stat.Recalibrate(s.Probability, s.Event)
		e.Recalibration = &r
		steps = append(steps, func() { e.Calibration = stat.StoredCurve(s) })
		if one := 1.0; m.Recalibrates() {
			steps = append(steps, func() { e.addRecalibrated(s, RecalibrateIntercept, r.Intercept.Value, &one) },
				func() { e.addRecalibrated(s, RecalibrateSlope, r.JointIntercept, r.Slope.Value) })
		}
	}
	for _, step := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		step()
	}
	return ctx.Err()
}
