package report

import (
	"slices"

	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/check"
	"taper/internal/engine/crossfit"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/prep"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/store"
)

// WithoutRows is the part of a run and its model that is kept when the data are deleted, and from which its report
// may be made: the record names no row and no level that the model does not contain, and no scale of a rare level.
func WithoutRows(run store.Run, m *model.Model) (store.Run, *model.Model) {
	r := *run.Result
	p := New(run, store.Dataset{}, Clinical{Model: m})
	hide := p.maskedTerms()
	tight := p.printed().tightTerms(hide)
	r.Coefficients = slices.Clone(r.Coefficients)
	for i := range r.Coefficients {
		if hide[r.Coefficients[i].Name] {
			r.Coefficients[i].Standardized = nil
		}
		if tight[r.Coefficients[i].Name] {
			r.Coefficients[i].OddsRatioCI = nil
		}
	}
	m = m.WithoutRows(p.c.rareTerms(m))
	r.PCA, r.Table1 = nil, knownLevels(r.Table1, m)
	if r.Classes != nil {
		several := *r.Classes
		several.PCA, several.Table1 = nil, nil
		r.Classes = &several
	}
	r.Splines = slices.Clone(r.Splines)
	for i := range r.Splines { // the end points are values of single rows
		r.Splines[i].Bins = nil
	}
	r.Flow.Dropped = slices.Clone(r.Flow.Dropped)
	for i := range r.Flow.Dropped {
		switch d := &r.Flow.Dropped[i]; d.Kind {
		case table.DropAbove, table.DropTail, table.DropCopy: // these name no row and no level
		case table.DropLevel:
			d.Reason = "Outcome: another level, not to be scored."
		case table.DropRagged:
			d.Reason = "Rows that could not be read."
		default:
			d.Reason = "Rows left out."
		}
	}
	var told []engine.Warning
	for _, w := range r.Warnings {
		if check.Harmful(w) {
			told = append(told, namesNothing(w, m))
			continue
		}
		if _, own := engine.Codes[w.Code]; own || slices.Contains(countsOnly, w.Code) {
			w.Row, w.Message = 0, masked(w.Message)
			told = append(told, w)
		}
	}
	r.Warnings = told
	run.Result = &r
	run.Spec.Review = run.Spec.Review.WithoutRows()
	return run, m
}

// namesNothing removes from a warning the cells it quotes and the columns that the model does not name. Repeated
// patients and predictors that leak the outcome are described by numbers only.
func namesNothing(w engine.Warning, m *model.Model) engine.Warning {
	known := slices.ContainsFunc(m.Columns, func(c prep.Column) bool { return c.Name == w.Column })
	out := engine.Warning{Code: w.Code, Level: w.Level, Message: phrase.UpperFirst(table.Codes[w.Code]) + "."}
	if w.Code == check.RepeatedPatients || w.Code == "leak" && known {
		out.Message = masked(w.Message)
	}
	if known {
		out.Column = w.Column
	}
	return out
}

// countsOnly are the warnings about data that quote no cell.
var countsOnly = []string{"few-events", "prevalence", "many-columns", "sorted"}

// knownLevels keeps the levels of Table 1 that the model names and pools the others in one line, as they share one
// term.
func knownLevels(rows []engine.Table1Row, m *model.Model) []engine.Table1Row {
	named := map[string][]string{}
	for _, c := range m.Columns {
		named[c.Name] = append(slices.Clone(c.Levels), c.Reference)
	}
	var out []engine.Table1Row
	for _, row := range rows {
		if row.Level != "" && !slices.Contains(named[row.Name], row.Level) {
			row.Level = "(other)"
		}
		same := func(o engine.Table1Row) bool { return o.Name == row.Name && o.Level == row.Level }
		j := slices.IndexFunc(out, same)
		if row.Level != "(other)" || j < 0 {
			out = append(out, row)
			continue
		}
		for k := range 2 { // count and share
			out[j].Negative[k] += row.Negative[k]
			out[j].Positive[k] += row.Positive[k]
		}
	}
	return out
}

// Numbers is the result that is kept without the rows: all of the model, and of the rows what a masked report may
// show. Masked counts are stored as 0.
func (p Printed) Numbers() *engine.Result {
	r := p.r
	p = p.printed()
	out := &engine.Result{
		Outcome: r.Outcome, Positive: r.Positive, Negative: r.Negative, Method: r.Method, Link: r.Link,
		Boundaries: r.Boundaries, Delta: r.Delta, Validation: r.Validation, Apparent: r.Apparent, Optimistic: r.Optimistic,
		Cut: r.Cut, NoPredictor: r.NoPredictor,
		L2: r.L2, L2OneSE: r.L2OneSE, FoldL2: r.FoldL2, Coefficients: r.Coefficients, Importance: r.Importance,
		Objective: r.Objective, Gap: r.Gap, GradientNorm: r.GradientNorm, Iterations: r.Iterations,
		Evaluations: r.Evaluations,
		Stopped:     r.Stopped, Seconds: r.Seconds, ElapsedS: r.ElapsedS, Monotone: r.Monotone, Strata: []stat.Stratum{},
		Beside: []engine.Beside{}, Table1: []engine.Table1Row{}, Density: []engine.Density{},
		Tuning:   []crossfit.TuningPoint{},
		Warnings: []engine.Warning{},
	}
	if r.Classes != nil {
		out.Classes = classNumbers(r.Classes, p.classTable().Hidden())
		for _, w := range r.Warnings {
			if p.answerMask().hidden {
				w.Message = p.warning(w)
			}
			out.Warnings = append(out.Warnings, w)
		}
		out.Flow = engine.Flow{Trained: many(r.Flow.Trained), Scored: many(r.Flow.Scored)}
		return out
	}
	for _, w := range r.Warnings {
		if w.Message = p.warning(w); w.Message != "" {
			out.Warnings = append(out.Warnings, w)
		}
	}
	total, trained := p.strata.Total, p.trained()
	out.Flow = engine.Flow{Trained: shownOr0(trained.N), TrainedEvents: shownOr0(trained.Events),
		Scored: shownOr0(total.N), ScoredEvents: shownOr0(total.Events), Relabelled: many(r.Flow.Relabelled),
		LeftOut: many(r.Flow.LeftOut)}
	for j, s := range r.Strata {
		if m := p.strata.Rows[j]; !m.N.Shown() || !m.Events.Shown() {
			s = stat.Stratum{Lower: s.Lower, Upper: s.Upper, Verdict: p.word(j), Masked: true}
		}
		out.Strata = append(out.Strata, s)
	}
	if !p.strata.Hidden() {
		out.Tuning, out.Trials, out.Reject = r.Tuning, r.Trials, r.Reject
	}
	out.Metrics = engine.Metrics{Test: p.told(r.Metrics.Test), Baselines: map[string]stat.Binary{}}
	for id, m := range r.Metrics.Baselines {
		m = p.told(m)
		if !total.Events.Shown() { // as in the table of models
			m.IntervalLoss = nil
			if id == "null" {
				m.CalibrationIntercept = nil
			}
		}
		out.Metrics.Baselines[id] = m
	}
	return out
}

// told keeps the metrics that a masked report shows, rounded as there where counts are masked. Metrics at a single
// threshold are dropped, since they would reveal counts that no table masks.
func (p Printed) told(m stat.Binary) stat.Binary {
	m.Change(func(s stat.Statistic, v float64) *float64 {
		digits := s.Digits
		if s.ID == intervalLoss {
			digits = p.decimals
		}
		switch {
		case s.Needs&stat.NeedCut != 0, p.strata.Hidden() && p.tells(s):
			return nil
		case p.strata.Hidden():
			v = rounded(v, digits)
		}
		return &v
	})
	return m
}

// classNumbers is the result of several classes; hidden says that class sizes are masked.
func classNumbers(c *engine.ClassResult, hidden bool) *engine.ClassResult {
	told := func(m stat.Classes) stat.Classes {
		if hidden {
			m.LogLoss, m.LogLossLow, m.LogLossHigh, m.Brier, m.BrierLow, m.BrierHigh = nil, nil, nil, nil, nil, nil
		}
		m.Confusion, m.Abstained, m.PerClass, m.N, m.Answered = nil, nil, nil, many(m.N), many(m.Answered)
		return m
	}
	out := &engine.ClassResult{Task: c.Task, Levels: c.Levels, Rule: c.Rule, Costs: c.Costs, Criterion: c.Criterion,
		Cost: c.Cost, Mixture: c.Mixture,
		Features: c.Features, Thresholds: c.Thresholds}
	out.Metrics = engine.ClassMetrics{Train: stat.Classes{Levels: c.Levels}, Test: told(c.Metrics.Test),
		Baselines: map[string]stat.Classes{}}
	for id, m := range c.Metrics.Baselines {
		out.Metrics.Baselines[id] = told(m)
	}
	return out
}

// many is a count, 0 where it is masked.
func many(n int) int { return shownOr0(hideSmall(n)) }

func shownOr0(s mask.Span) int {
	if s.Shown() {
		return s.Low
	}
	return 0
}
