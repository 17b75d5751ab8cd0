package review

import (
	"fmt"

	"taper/internal/engine/audit"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/format"
	"taper/web/templates"
)

// circular is the warning on every run with reviewed labels.
const circular = "When labels are changed because a model disagreed with them, AUC and accuracy of the next model " +
	"rise by construction. Compare the two on the rows whose label was not changed, and look at the " +
	"random controls."

// refit offers to fit a run on the reviewed labels.
func (v *Page) refit() *templates.AuditRefit {
	n := audit.Count(v.Decisions)
	f := &templates.AuditRefit{URL: "/audit/" + v.Run.ID + "/refit", Warning: circular, Ready: n.Errors+n.Excluded > 0,
		Counts: v.counts(),
		Text: fmt.Sprintf("A child run takes the same settings, folds and seed, with %s and %s. The changes are part of "+
			"its settings, so that it can be made again; this run stays as it is.",
			phrase.Count(n.Errors, "flipped label"), phrase.Count(n.Excluded, "excluded row"))}
	if !f.Ready {
		f.Text = "Once a label is flipped or a row is excluded, the model can be trained again on the reviewed labels, " +
			"as a child run."
	}
	for _, c := range v.Children {
		child := templates.AuditChild{Name: c.Name, URL: "/runs/" + c.ID, Status: templates.Status(c.Status),
			Text: phrase.Count(c.Changes, "change") + ", " +
				c.Created.UTC().Format("2 January 2006, 15:04") +
				" UTC"}
		if c.Status == store.Done {
			child.Comparison, child.Compare = "/audit/"+v.Run.ID+"/beside/"+c.ID, "/compare?ids="+v.Run.ID+","+c.ID
		}
		f.Children = append(f.Children, child)
	}
	return f
}

// counts are the labels before and after the review.
func (v *Page) counts() templates.Table {
	before, after := v.Queue.Counts(v.Decisions)
	t := templates.Table{Caption: "Labels before and after the review", Class: "tbl-tight audit-counts",
		Columns: []templates.Column{
			{Label: v.Run.Spec.Outcome}, {Label: "As uploaded", Num: true}, {Label: "Reviewed", Num: true},
			{Label: "Change", Num: true}}}
	for _, class := range v.Queue.Audit.Summary.Classes {
		t.Rows = append(t.Rows, control.Row([]string{class, phrase.Int(before[class]), phrase.Int(after[class]),
			viz.Signed(float64(after[class]-before[class]), 0)}))
	}
	return t
}

// try is the form that flips labels deliberately, with the results.
func (v *Page) try() templates.AuditTry {
	if v.Run.Spec.Model.Given() {
		return templates.AuditTry{Not: audit.NoTrial}
	}
	t := templates.AuditTry{URL: "/audit/" + v.Run.ID + "/try", Workers: v.Workers,
		Kind: templates.Choice{ID: "t-kind", Name: "kind", Label: "Which labels",
			Options: []templates.Option{{Value: audit.TrialSymmetric, Label: "Any label", On: true}}},
		Rate: templates.Input{ID: "t-rate", Name: "rate", Label: "Chance of a flip, %", Value: "10", Numeric: true,
			Percent: true}, Seed: templates.Input{ID: "t-seed", Name: "seed", Label: "Seed", Value: "1", Numeric: true}}
	if !v.Run.Spec.Multiclass() {
		t.Kind.Options = append(t.Kind.Options, templates.Option{Value: audit.TrialOneSided, Label: "Events only: " +
			v.Run.Spec.Positive.String() + " recorded as the other class"})
	}
	t.Progress, t.Failed = v.work(v.Trial, "trial")
	for _, r := range v.Trials {
		t.Results = append(t.Results, trialTable(r, v.Run.Spec.Multiclass()))
	}
	return t
}

// trialTable shows a trial and its comparison with logistic regression, or softmax regression for several classes.
func trialTable(r audit.Trial, several bool) templates.AuditTrial {
	which := "any label"
	if r.Kind == audit.TrialOneSided {
		which = "events alone"
	}
	say := fmt.Sprintf("%s flipped (%s, %s, seed %d).", phrase.Count(r.Flipped, "label"), viz.Percent(r.Rate, 1)+
		format.Pc, which, r.Seed)
	if r.L2 != nil {
		say += fmt.Sprintf(" λ = %s, tuned on the corrupted labels.", viz.Short(*r.L2, 3))
	}
	if e := r.Estimate; e != nil {
		say += fmt.Sprintf(" %s (95%s%% interval %s)", phrase.UpperFirst(disagree(e)), phrase.NBSP,
			rowRange(e.Low, e.High))
		if x := e.Expected; x != nil {
			say += fmt.Sprintf("; %s would be expected from overlapping classes alone", phrase.Int(wholeRows(x.Mean)))
		}
		say += ". The count includes labels that were wrong before."
	}
	t := templates.Table{Label: "Detection of the flipped labels", Class: "tbl-tight",
		Columns: []templates.Column{{Label: "Measure"}, {Label: r.Method, Num: true}},
		Note:    "Wilson 95" + format.Pc + " intervals. The base rate is the precision of a random ranking."}
	plain := r.Plain
	if plain != nil {
		beside := "Logistic regression"
		if several {
			beside = "Softmax regression"
		}
		t.Columns = append(t.Columns, templates.Column{Label: beside, Num: true})
	}
	add := func(name string, of func(stat.FlipRanking) stat.Estimate) {
		cells := []templates.Cell{{Text: name}, estimateCell(of(r.Model))}
		if plain != nil {
			cells = append(cells, estimateCell(of(*plain)))
		}
		t.Rows = append(t.Rows, templates.Row{Cells: cells})
	}
	add("Average precision", func(f stat.FlipRanking) stat.Estimate {
		return stat.Estimate{Value: f.AveragePrecision}
	})
	for i, at := range r.Model.At {
		name := fmt.Sprintf("Precision at %d", at.K)
		if at.K == r.Flipped {
			name += ", the number of flips"
		}
		add(name, func(f stat.FlipRanking) stat.Estimate { return f.At[i].Precision })
	}
	add("Recall in the first 5"+format.Pc, func(f stat.FlipRanking) stat.Estimate { return f.Recall })
	add("Base rate", func(f stat.FlipRanking) stat.Estimate { return f.BaseRate })
	return templates.AuditTrial{Say: say, Table: t}
}

func estimateCell(e stat.Estimate) templates.Cell {
	c := templates.Cell{Text: viz.NumberOf(e.Value, 3)}
	if e.Low != nil && e.High != nil {
		c.CI = viz.Range(viz.Number(*e.Low, 2), viz.Number(*e.High, 2))
	}
	return c
}
