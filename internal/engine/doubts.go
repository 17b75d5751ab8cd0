package engine

import (
	"context"
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/check"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/phrase"
	"taper/internal/engine/prep"
	"taper/internal/engine/table"
)

// answered are the codes of data checks that a valid spec settles, that the result covers more precisely, or that
// belong to the choice of columns alone, as the note about few values.
var answered = []string{"which-outcome", "which-event", "outcome-levels", "prevalence", check.FewValues,
	check.WarnFewEvents}

// elsewhere are the codes of questions about storage, which do not concern a result.
var elsewhere = []string{"personal"}

// twins is the correlation above which two terms count as collinear.
const twins = 0.98

// doubts returns the data checks' warnings that depend on neither boundaries nor λ; x is the standardised
// sample of the PCA. A question that was answered at upload is listed as the note that its answer left.
func (p *Prepared) doubts(ctx context.Context, x linear.Matrix) []Warning {
	s, opt, event := &p.Spec, table.Options{Settled: p.Table.Settled}, p.Cohort.Target.Event
	var ofOutcome []Warning
	if event {
		choice := table.OutcomeChoice{Column: s.Outcome, Positive: s.Positive, Negative: p.Cohort.Sides[0],
			ScoreOnly: s.ScoreOnly}
		ofOutcome = check.Outcome(ctx, p.Table, choice, p.Cohort.Predictors, opt)
	}
	all := p.unanswered(table.Join(p.Table.Warnings, check.Columns(p.Table, opt)), ofOutcome)
	for _, w := range ofOutcome {
		if !slices.Contains(answered, w.Code) {
			w.Choices = nil
			all = append(all, w)
		}
	}
	used := slices.Concat(p.Cohort.Predictors, p.Cohort.Reads, s.Model.Columns, []string{s.Group, s.Weights})
	if w, found := check.NoHorizon(p.Table, s.Outcome, used); found {
		all = append(all, w)
	}
	if event && !s.Model.Given() {
		// Terms of splines and of missing values count as parameters too, as in Clinical.
		rows, events := p.counted(p.trained())
		if w, few := check.FewEvents([2]int{rows - events, events}, len(p.Final.Design.Pre.Terms)); few {
			all = append(all, w)
		}
		all = append(all, p.separating(ctx)...)
		all = append(all, p.oneSided(ctx)...)
	}
	if !s.Model.Given() {
		all = append(all, p.collinear(x)...)
	}
	for _, name := range p.Final.Design.Pre.Unused {
		all = append(all, check.Note(WarnUnused, name, "‘%s’ never varies in the training rows: left out.", name))
	}
	all = append(all, p.fewerKnots()...)
	switch w := s.Weights; {
	case w != "" && p.Cohort.Weights == nil:
		all = append(all, check.Note(WarnWeights, w,
			"‘%s’ is constant in the rows used: every row has the same weight, as without it.", w))
	case w != "":
		all = append(all, check.Note(WarnWeights, w,
			"‘%s’ weights the rows in training; every table counts rows without it.", w))
	}
	return all
}

// unanswered returns the questions about the data that nobody answered and that concern this run. Questions in
// said are left out, because the run asks them again itself.
func (p *Prepared) unanswered(asked, said []Warning) []Warning {
	var all []Warning
	for _, w := range asked {
		again := slices.ContainsFunc(said, func(o Warning) bool { return o.Key() == w.Key() })
		if w.Settled || w.Level == "note" || again || slices.Contains(elsewhere, w.Code) || !p.concerned(w) {
			continue
		}
		w.Choices = nil
		all = append(all, w)
	}
	return all
}

// concerned reports whether a question is about the rows as a whole or about a predictor of this run.
func (p *Prepared) concerned(w Warning) bool {
	switch {
	case w.Code == check.RepeatedPatients:
		return p.Spec.Group == ""
	case w.Column == "":
		return true
	}
	return slices.ContainsFunc(p.Cohort.Predictors, w.Concerns)
}

// sizeByPenalty ends the warning of a separating term where the model has a coefficient of it.
const sizeByPenalty = ": the penalty decides its size."

// separating warns of each term whose values alone separate the classes in the training rows.
func (p *Prepared) separating(ctx context.Context) []Warning {
	d := p.Final.Design
	var low, high [2][]float64 // of each term, by class
	for c := range low {
		low[c], high[c] = slices.Repeat([]float64{math.Inf(1)}, d.X.Cols), slices.Repeat([]float64{math.Inf(-1)}, d.X.Cols)
	}
	for i, class := range d.Label {
		if i%cancelEvery == 0 && ctx.Err() != nil {
			return nil
		}
		lo, hi := low[class], high[class]
		for k, v := range d.X.Row(i) {
			lo[k], hi[k] = min(lo[k], v), max(hi[k], v)
		}
	}
	var all []Warning
	for k, term := range d.Pre.Terms {
		if term.Kind == prep.Spline { // covered by its linear term
			continue
		}
		if high[0][k] < low[1][k] || high[1][k] < low[0][k] {
			all = append(all, check.Note(WarnSeparation, term.Column,
				"‘%s’ predicts perfectly"+sizeByPenalty, term.Name))
		}
	}
	return all
}

// oneSided warns of categories, of the values of numbers with two values, and of missing numbers, in which all training
// rows have the event or none has: the likelihood then has no finite maximum in their coefficient (Albert and Anderson
// 1984). A column has at most one warning.
func (p *Prepared) oneSided(ctx context.Context) []Warning {
	d := p.Final.Design
	var all []Warning
	for _, c := range d.Pre.Columns {
		if ctx.Err() != nil {
			return nil
		}
		from := slices.IndexFunc(d.Pre.Terms, func(t prep.Term) bool { return t.Column == c.Name })
		if from < 0 {
			continue
		}
		var names []string
		for _, t := range d.Pre.Terms[from:] {
			if t.Column == c.Name {
				names = append(names, t.Name)
			}
		}
		to := from + len(names)
		names = append(names, c.Name+" = "+c.Reference) // the reference level has no term
		if c.Kind == prep.Number {
			names = []string{c.Name + " = " + phrase.Number(c.Min), c.Name + " = " + phrase.Number(c.Max)}
		}
		absent := -1 // the term of missing numbers
		if c.Kind == prep.Number {
			absent = slices.IndexFunc(d.Pre.Terms[from:to], func(t prep.Term) bool { return t.Kind == prep.MissingLevel })
		}
		lacking := [2]int{}
		rows, two := make([][2]int, len(names)), true // counts by class
		for i, class := range d.Label {
			x, at := d.X.Row(i)[from:to], len(names)-1
			if absent >= 0 && x[absent]*d.Pre.Terms[from+absent].SD+d.Pre.Terms[from+absent].Mean > .5 {
				lacking[class]++
			}
			if raw := x[0]*d.Pre.Terms[from].SD + d.Pre.Terms[from].Mean; c.Kind == prep.Number {
				at = min(max(int(math.Round((raw-c.Min)/(c.Max-c.Min))), 0), 1)
				two = two && math.Abs(raw-c.Min-float64(at)*(c.Max-c.Min)) < 1e-9*(c.Max-c.Min)
			} else {
				for k, t := range d.Pre.Terms[from:to] {
					if x[k]*t.SD+t.Mean > .5 {
						at = k
					}
				}
			}
			rows[at][class]++
		}
		var each []string
		add := func(name string, n [2]int) {
			switch {
			case n[1] == 0 && n[0] > 0:
				each = append(each, fmt.Sprintf("‘%s’ (no event in %s)", name, phrase.Count(n[0], "row")))
			case n[0] == 0 && n[1] > 0:
				each = append(each, fmt.Sprintf("‘%s’ (only events in %s)", name, phrase.Count(n[1], "row")))
			}
		}
		for k, n := range rows {
			add(names[k], n)
		}
		if perfect := len(names) == 2 && len(each) == 2; perfect || !two { // the former has the warning of separation
			each = nil
		}
		if absent >= 0 {
			add(d.Pre.Terms[from+absent].Name, lacking)
		}
		if len(each) > 0 {
			all = append(all, check.Note(WarnOneSided, c.Name, "All rows on one side of the outcome: %s. No finite "+
				"coefficient fits best: only a penalty bounds it.", phrase.Join(each)))
		}
	}
	return all
}

// maxPairs is the largest number of terms for which collinear pairs are searched, since the cost is rows ×
// terms².
const maxPairs = 300

// collinear warns of the most correlated pair of terms if their correlation exceeds twins.
func (p *Prepared) collinear(x linear.Matrix) []Warning {
	best, pairs, a, b := 0.0, 0, 0, 0
	if x.Cols > maxPairs || x.Rows < 3 {
		return nil
	}
	columns, terms := transposed(x), p.Final.Design.Pre.Terms
	for i := range x.Cols {
		for k := range i {
			if terms[i].Kind == prep.Spline && terms[k].Column == terms[i].Column {
				continue // terms of a spline are correlated by construction
			}
			r := 0.0
			for m, v := range columns[i] {
				r += v * columns[k][m]
			}
			r = math.Abs(r) / float64(x.Rows)
			if r >= twins {
				pairs++
			}
			if r > best {
				best, a, b = r, k, i
			}
		}
	}
	if pairs == 0 {
		return nil
	}
	more := ""
	if pairs > 1 {
		more = fmt.Sprintf(" (and %s above %g)", phrase.Plural(pairs-1, "more pair", "more pairs"), twins)
	}
	return []Warning{check.Note(WarnCollinear, terms[a].Column,
		"‘%s’ and ‘%s’ correlate at %.3f%s: their coefficients share one effect.", terms[a].Name, terms[b].Name,
		min(best, 1), more)}
}

func transposed(x linear.Matrix) [][]float64 {
	columns := make([][]float64, x.Cols)
	for k := range columns {
		columns[k] = make([]float64, x.Rows)
		for i := range x.Rows {
			columns[k][i] = x.Data[i*x.Cols+k]
		}
	}
	return columns
}

// cancelEvery is the number of rows between two checks of the context.
const cancelEvery = 1024

// reviewed returns a note about the labels that a review changed and the rows that it left out.
func (p *Prepared) reviewed() []Warning {
	r, c := p.Spec.Review, p.Cohort
	if r == nil || len(r.Changes) == 0 {
		return nil
	}
	return []Warning{check.Note(WarnReviewed, "",
		"Trained and evaluated on reviewed labels: %s changed, %s left out of training. Rows are listed with the label as "+
			"uploaded. "+
			"Agreeing with a model raises its AUC by construction: compare on rows whose label was not touched.",
		phrase.Plural(c.Relabelled, "label", "labels"), phrase.Plural(c.Excluded, "row", "rows"))}
}
