package engine

import (
	"context"
	"fmt"
	"slices"

	"taper/internal/engine/stat"
)

// result puts together what the fits found.
func (j *judge) result(ctx context.Context) (*Result, error) {
	p, s := j.p, &j.spec
	c := p.cohort
	r := &Result{
		Outcome: s.Outcome, Positive: c.sides[1], Negative: c.sides[0],
		Method: s.titleOf(j.how), Boundaries: j.iv.Pi, Delta: j.own.iv.Delta, Cut: j.cut,
		Validation: validationOf(s, c.group != nil), Apparent: s.Validation.Kind == "none",
		Optimistic: s.Model.Tuned() && s.Model.Tuning == TuningSame,
		Flow:       p.about.flow, Table1: p.about.table1,
		Tuning: j.model.tuning, Trials: j.model.trials,
	}
	if s.Model.Penalised() {
		r.L2 = j.model.setting.L2
		for _, at := range j.model.chosen {
			r.FoldL2 = append(r.FoldL2, at.L2)
			if s.Model.GammaTuned() {
				r.FoldGamma = append(r.FoldGamma, at.Gamma)
			}
		}
		if j.model.oneSE != nil && s.Model.L2.Tuned() {
			r.L2OneSE = &j.model.oneSE.L2
		}
	}
	own := j.beside(r)
	j.train(r)
	j.final(r, j.model.final.Fitted)
	r.Rows = j.rows()
	r.Density = present(j.density(own))
	r.PCA = j.pca(own)
	if p.traced {
		r.Pictures = j.pictures(own)
		var err error
		if r.Clinical, err = j.clinical(ctx, own); err != nil {
			return nil, err
		}
	}
	r.Model = j.portable(r)
	r.Warnings = j.warnings(r)
	r.lists()
	return r, nil
}

// lists makes empty lists of absent ones, so that JSON has no null for them.
func (r *Result) lists() {
	r.Flow.Dropped, r.Flow.ScoreOnly = present(r.Flow.Dropped), present(r.Flow.ScoreOnly)
	r.Table1, r.Tuning, r.FoldL2, r.Warnings = present(r.Table1), present(r.Tuning), present(r.FoldL2), present(r.Warnings)
}

func present[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// beside judges the three models on the same folds and returns the model's own
// view.
func (j *judge) beside(r *Result) view {
	own := j.average(j.model, j.own)
	plain, null := own, j.average(j.null, j.logits)
	if !j.spec.Plain() {
		plain = j.average(j.plain, j.logits)
	}
	r.Metrics.Test, r.Strata, r.NoPredictor = own.metrics, own.strata, own.flat
	r.Metrics.Baselines = map[string]stat.Binary{"logistic": plain.metrics, "null": null.metrics}
	r.Monotone = stat.Monotone(own.strata)
	if j.spec.Mode == "reject" {
		r.Reject = j.reject(own)
	}
	r.Beside = []Beside{{ID: "model", Title: r.Method, Metrics: own.metrics, Strata: own.strata}}
	if j.spec.Model.Penalised() {
		r.Beside[0].L2 = &j.model.setting.L2
	}
	if !j.spec.Plain() {
		r.Beside = append(r.Beside, j.compared(own, plain, Beside{ID: "logistic", Title: "Logistic, thresholded",
			L2: &j.plain.setting.L2}))
	}
	r.Beside = append(r.Beside, j.compared(own, null, Beside{ID: "null", Title: "No predictors"}))
	return own
}

// withoutRanking replaces what a constant cannot have: its AUC is ½, and small
// differences between the folds' intercepts are no ranking.
func withoutRanking(m stat.Binary) stat.Binary {
	m.Change(func(s stat.Statistic, v float64) *float64 {
		if s.Needs&stat.NeedPredictor != 0 {
			return nil
		}
		return &v
	})
	half := 0.5
	m.AUC, m.AUCLow, m.AUCHigh = &half, nil, nil
	return m
}

// compared fills in a row of the comparison: its ℓ_π minus the model's, and
// the standard error of that mean over the rows of the first repeat.
func (j *judge) compared(own, other view, b Beside) Beside {
	b.Metrics, b.Strata = other.metrics, other.strata
	d := stat.IntervalDifference(j.iv.Pi, other.band, own.band, j.p.events(j.p.judged()))
	b.Difference, b.DifferenceSE = d.Difference.Value, d.SE
	return b
}

// reject summarises mode reject. With boundaries c and 1 − c the cost is c and
// the loss ℓ_π; with others, rejecting an event and a non-event cost
// differently and Cost is their mean.
func (j *judge) reject(own view) *stat.Reject {
	pi := j.iv.Pi
	event := j.p.events(j.p.judged())
	sum := stat.RejectSummary((pi[0]+1-pi[1])/2, own.band, event)
	sum.Loss = stat.IntervalLoss(pi, own.band, event)
	return &sum
}

// train judges the final fit on its own training rows.
func (j *judge) train(r *Result) {
	event := j.p.events(j.p.final.train())
	r.Metrics.Train = j.own.look(j.model.train, event, j.cut).metrics
}

// rows lists every row used, in the order of the table.
func (j *judge) rows() []RowScore {
	c := j.p.cohort
	rows := make([]RowScore, 0, len(c.rows)+len(c.extra))
	if len(j.p.parts) == 0 || j.spec.Validation.Kind == "split" {
		for i, at := range j.p.final.train() {
			rows = append(rows, j.row(at, "train", j.model.train[i]))
		}
	}
	if len(j.p.parts) > 0 {
		for _, q := range j.p.parts[0] {
			for _, at := range q.test() {
				rows = append(rows, j.row(at, q.name, j.model.raw[0][at]))
			}
		}
	}
	for i, row := range c.extra {
		rows = append(rows, j.scored(row, "scored", j.model.extra[i]))
	}
	slices.SortFunc(rows, func(a, b RowScore) int { return a.Row - b.Row })
	return rows
}

// row describes a row of either class that trains or is judged. Its weight goes
// by the label it trains with.
func (j *judge) row(at int, split string, f float64) RowScore {
	r := j.scored(j.p.cohort.rows[at], split, f)
	r.Weight, r.Flipped = j.how.Weight(sign(j.p.labelOf(at)), f), j.p.noisy(at)
	return r
}

func (j *judge) scored(row int, split string, f float64) RowScore {
	band, prob := j.own.link.Band(j.own.iv, f)
	r := RowScore{Row: row, Outcome: j.p.cohort.level(row), Split: split, Score: f, Stratum: band}
	if j.own.link.Has() {
		r.Probability = &prob
	}
	return r
}

// portable is model.json.
func (j *judge) portable(r *Result) *Model {
	pre, fit := j.p.final.design.pre, j.model.final.Fitted
	m := &Model{
		Format: Format, Columns: pre.Columns, Terms: pre.Terms,
		Kind: j.spec.Model.Kind, Weights: present(fit.W), Intercept: fit.B,
		Loss: j.spec.Model.Loss, Params: j.how.Params(j.iv), Link: j.how.Link.ID,
		Boundaries: r.Boundaries, Delta: r.Delta, Cut: r.Cut,
		Outcome: r.Outcome, Positive: r.Positive, Negative: r.Negative,
		Levels:  []string{r.Negative.String(), r.Positive.String()},
		Decimal: or(j.p.t.Dialect.Decimal, "."),
	}
	m.OutcomeJoin = j.p.cohort.outcome.Spec.JoinLevels
	for _, text := range sortedKeys(j.p.cohort.outcome.Aliases) {
		if class := j.p.cohort.outcome.Aliases[text]; m.Positive.Has(class) || m.Negative.Has(class) {
			if m.OutcomeAliases == nil {
				m.OutcomeAliases = map[string]string{}
			}
			m.OutcomeAliases[text] = class
		}
	}
	if m.Link == LinkScaled {
		m.LinkScale = j.how.Link.Scale
	}
	if t := fit.Trees; t != nil {
		m.Trees = present(t.Trees)
	}
	if k := fit.Kernel; k != nil {
		m.expand(k)
	}
	return m
}

// validationOf says in words which rows judge.
func validationOf(s *Spec, grouped bool) string {
	v, words := s.Validation, ""
	switch v.Kind {
	case "none":
		return "none: judged on the rows trained on"
	case "split":
		words = fmt.Sprintf("%s%s%% held out, stratified", percent(v.Test), nbsp)
	default:
		words = fmt.Sprintf("%d folds, stratified", v.Folds)
		if v.Repeats > 1 {
			words += fmt.Sprintf(", %d repeats", v.Repeats)
		}
	}
	if grouped {
		words += ", groups kept together"
	}
	switch {
	case !s.Model.Penalised():
	case !s.Model.Tuned():
		words += ", fixed λ"
		if s.Model.Kernelled() {
			words += " and γ"
		}
	case s.Model.Tuning == TuningSame:
		words += fmt.Sprintf(", %s chosen on the same folds (optimistic)", tunedWords(s.Model))
	case s.Model.Tuning == TuningSet:
		words += fmt.Sprintf(", %s chosen on a validation set inside the training part", tunedWords(s.Model))
	case v.Kind == "split":
		words += fmt.Sprintf(", %s chosen inside the training part", tunedWords(s.Model))
	default:
		words += ", nested tuning"
	}
	return words
}
