package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/cmd/web/wording"
	"taper/internal/engine/audit"
	"taper/internal/engine/errs"
	"taper/internal/engine/metric"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/web/templates"
)

// auditView makes the page of an audit.
type auditView struct {
	s            *Server
	run          store.Run
	room         *auditRoom // nil: no ranking yet
	q            auditQuery
	decided      map[audit.Key]audit.Decision
	strong, rest string
}

func (v *auditView) page(ctx context.Context) (templates.Audit, error) {
	p := templates.Audit{Run: v.run.Name}
	p.Progress, p.Failed = v.job(auditJob(v.run.ID), "audit")
	var err error
	if p.Try, err = v.try(ctx); err != nil {
		return p, err
	}
	if v.room == nil {
		v.strong, v.rest = "The labels of this run were not ranked yet.", "The ranking says which rows to look at first."
		if p.Progress == nil {
			p.Start = v.start()
			p.Start.Button = "Audit the labels"
		}
		return p, nil
	}
	decisions, err := v.s.db.Decisions(ctx, v.room.labels)
	if err != nil {
		return p, err
	}
	v.decided = byKey(decisions)
	v.headline(audit.Count(decisions).Reviewed)
	p.Lead, p.Notes = v.lead()
	if p.Progress == nil {
		p.Again = v.start()
		p.Again.Button = "Rank the labels anew"
		p.Again.Text = "A new ranking takes the place of this one. Decisions stay with their rows."
	}
	if p.Review, err = v.review(ctx, decisions); err != nil {
		return p, err
	}
	if p.Refit, err = v.refit(ctx, decisions); err != nil {
		return p, err
	}
	to := "/audit/" + v.run.ID
	p.Files = &templates.AuditFiles{Out: to + "/review.csv", In: to + "/review"}
	return p, nil
}

// job shows work of the audit that is under way, or how it failed.
func (v *auditView) job(id, name string) (*templates.Progress, *templates.Banner) {
	e, ok := v.s.jobs.Progress(id)
	to := "/audit/" + v.run.ID
	switch {
	case !ok:
		return nil, nil
	case !e.State.Final():
		p := &templates.Progress{ID: name, Step: or(e.Progress.Message, "Waiting for the run before it"), Percent: 100 * e.Progress.Fraction, Time: timeWords(e.Progress),
			Events: to + "/events?job=" + name,
			Cancel: &templates.Button{Label: "Cancel", Icon: "stop", Method: "POST", URL: to + "/cancel", Fields: []templates.Field{{Name: "job", Value: name}}}}
		return p, nil
	case e.Err == nil || cancelled(e.Err):
		return nil, nil
	}
	text := "Internal error. The log has the cause."
	if user, ok := errs.As(e.Err); ok {
		text = user.Detail
	}
	return nil, &templates.Banner{Fact: "The work ended early.", Text: text, Bad: true}
}

func (v *auditView) start() *templates.AuditStart {
	s := &templates.AuditStart{URL: "/audit/" + v.run.ID,
		Text: "Every row is judged by a model that did not see it, in five folds, and ranked by how little that model believes the row’s own label. " +
			"You then look at the rows at the top and decide. Nothing is changed by itself, and the label as uploaded never changes."}
	if v.run.Spec.Model.Penalised() {
		s.Retune = "λ is then found over the five folds of the audit, all rows together, by the criterion of runs."
	}
	if s.Retune != "" && v.run.Spec.GivesUpAnew() {
		s.Retune = "A λ tuned for calibrated probabilities still listens to wrong labels; this one is tuned to give up on them."
	}
	return s
}

// headline says how many labels may be wrong, and how far the review is.
func (v *auditView) headline(reviewed int) {
	a := &v.room.audit.Summary
	if e := a.Estimate; e != nil && v.blunt() {
		v.strong = fmt.Sprintf("This model can hardly tell the classes apart (AUC %s).", viz.NumberOf(v.run.Result.Metrics.Test.AUC, 2))
		v.rest = fmt.Sprintf("Its estimate of %s wrong labels says more about the model than about the labels. ", viz.Count(int(math.Round(e.Wrong))))
	} else if e != nil && math.Round(e.Wrong) == 0 {
		v.strong = fmt.Sprintf("No label of %s looks wrong (95%s%% interval %s).", viz.Count(e.Rows), wording.NBSP, viz.Range(viz.Count(int(math.Round(e.Low))), viz.Count(int(math.Round(e.High)))))
	} else if e != nil {
		v.strong = fmt.Sprintf("About %s of %s labels look wrong (95%s%% interval %s).", viz.Count(int(math.Round(e.Wrong))), viz.Count(e.Rows), wording.NBSP,
			viz.Range(viz.Count(int(math.Round(e.Low))), viz.Count(int(math.Round(e.High)))))
	} else {
		v.strong = fmt.Sprintf("%s labels are ranked by the margin of their own label.", viz.Count(a.Rows))
	}
	if reviewed == 0 {
		v.rest += "None was reviewed yet."
		return
	}
	v.rest += fmt.Sprintf("%s reviewed.", wording.Count(reviewed, "row"))
}

// bluntAUC is the AUC below which a ranking of labels, and the estimate of how
// many are wrong, say little.
const bluntAUC = 0.65

// blunt reports a model of two classes that hardly ranks.
func (v *auditView) blunt() bool {
	auc := v.run.Result.Metrics.Test.AUC
	return v.run.Result.Classes == nil && auc != nil && *auc < bluntAUC
}

// lead says how the ranking came about.
func (v *auditView) lead() (facts []templates.Fact, notes []string) {
	a := &v.room.audit.Summary
	by := "s = 1 − out-of-fold probability of the own label (link: " + strings.ToLower(linkName(a.Link)) + ")"
	if a.Basis == audit.ByMargin {
		by = "margin of the own label, since this loss recovers no probability"
	}
	facts = []templates.Fact{{Label: "Method", Value: a.Method}, {Label: "Ranked by", Value: by}}
	if len(a.L2) > 0 {
		var each []string
		for _, l2 := range slices.Compact(slices.Clone(a.L2)) {
			each = append(each, viz.Short(l2, 3))
		}
		facts = append(facts, templates.Fact{Label: "Penalty λ of the folds", Value: strings.Join(each, ", ")})
	}
	if e := a.Estimate; e != nil {
		facts = append(facts, templates.Fact{Label: "Wrong labels", Value: fmt.Sprintf("confident joint (Northcutt et al. 2021), %s of rows; interval by %d bootstrap draws", viz.Percent(e.Share, 1)+wording.Pc, e.Draws)})
	}
	facts = append(facts, templates.Fact{Label: "Made", Value: v.room.audit.Created.UTC().Format("2 January 2006, 15:04") + " UTC, Taper " + v.room.audit.Version + ", seed " + strconv.FormatUint(a.Seed, 10)})
	notes = append(notes, a.Notes...)
	notes = append(notes, "The weights with which boosting draws rows are no rank and are not used: they do not fall with the margin.",
		"One row in six of the order of review is a control, drawn at random from all rows and not marked as such. What is wrong among the controls estimates the share of wrong labels without the model’s help; hide the evidence while you decide, since a small s gives them away.")
	return facts, notes
}

// review is the queue with its card.
func (v *auditView) review(ctx context.Context, decisions []audit.Decision) (*templates.AuditReview, error) {
	list := v.room.list(v.q, v.decided)
	at := v.room.current(v.q, list, v.decided)
	r := &templates.AuditReview{URL: "/audit/" + v.run.ID, Tally: v.tally(decisions), Running: running(decisions), Nothing: "No row is in this list."}
	v.choices(r)
	page := max(1, v.q.Page)
	if v.q.Page == 0 && at >= 0 {
		page = at/auditShown + 1
	}
	pages := max(1, (len(list)+auditShown-1)/auditShown)
	page = min(page, pages)
	from, to := (page-1)*auditShown, min(page*auditShown, len(list))
	r.Table = v.table(list[from:to], from, at)
	r.Range = viz.Range(viz.Count(min(from+1, to)), viz.Count(to)) + " of " + viz.Count(len(list))
	link := func(page int) string {
		q := v.q
		q.Page, q.Row = page, 0
		if page == 1 {
			q.Row = v.dataRow(list, 0)
		}
		return q.url(v.run.ID)
	}
	if page > 1 {
		r.Newer = link(page - 1)
	}
	if page < pages {
		r.Older = link(page + 1)
	}
	if at < 0 {
		return r, nil
	}
	card, err := v.card(ctx, list, at)
	r.Card = card
	return r, err
}

// dataRow is the data row, from 1, at a place of the list; 0 beyond it.
func (v *auditView) dataRow(list []int, at int) int {
	if at < 0 || at >= len(list) {
		return 0
	}
	return v.room.audit.Rows[list[at]].Row + 1
}

// tally counts the review, with Wilson's interval.
func (v *auditView) tally(decisions []audit.Decision) []templates.AuditCount {
	n := audit.Count(decisions)
	counts := []templates.AuditCount{{Label: "Reviewed", Value: viz.Count(n.Reviewed), Note: "of " + viz.Count(v.room.audit.Summary.Rows)},
		rate("Errors found / reviewed", n.Errors, n.Reviewed, "the rows most suspected come first: not a rate of all labels"),
		rate("Among the random controls", n.ControlErrors, n.Controls, controlsNote(n))}
	return append(counts, templates.AuditCount{Label: "Excluded", Value: viz.Count(n.Excluded)}, templates.AuditCount{Label: "Unsure", Value: viz.Count(n.Unsure)})
}

// controlsNote says what the controls estimate, and how many were decided
// without being given away by their s.
func controlsNote(n audit.Tally) string {
	note := "estimates the rate of all labels"
	if n.Controls > 0 {
		note += "; " + viz.Count(n.ControlsBlind) + " of " + viz.Count(n.Controls) + " decided with the evidence hidden"
	}
	return note
}

// fewestRunning is the number of decisions from which their rate is drawn.
const fewestRunning = 5

// running draws the error rate as the review went on; nil for a few rows.
func running(decisions []audit.Decision) []templates.ReportFigure {
	wrong := audit.Verdicts(decisions)
	if len(wrong) < fewestRunning {
		return nil
	}
	return []templates.ReportFigure{{Title: "Errors found as the review went on", Say: "Errors / rows reviewed after each decision, with the Wilson 95" + wording.Pc + " band. The rate falls once the rows that follow are no longer suspect.",
		SVG: viz.RunningSVG(metric.RunningRate(wrong))}}
}

func rate(label string, wrong, of int, note string) templates.AuditCount {
	c := templates.AuditCount{Label: label, Value: viz.Count(wrong) + " of " + viz.Count(of), Note: note}
	if p := metric.Proportion(wrong, of); of > 0 && p.Low != nil && p.High != nil {
		c.CI = viz.Percent(*p.Value, 0) + wording.Pc + ", 95" + wording.Pc + " CI " + viz.Range(viz.Percent(*p.Low, 0), viz.Percent(*p.High, 0)) + wording.Pc
	}
	return c
}

func (v *auditView) choices(r *templates.AuditReview) {
	option := func(value, label, on string) templates.Option {
		return templates.Option{Value: value, Label: label, On: value == on}
	}
	first := "Suspicion"
	if v.room.audit.Summary.Basis == audit.ByMargin {
		first = "Suspicion (margin)"
	}
	sort := v.q.Sort
	if sort == "review" {
		sort = ""
	}
	r.Sort = templates.Choice{ID: "a-sort", Name: "sort", Label: "Order", Options: []templates.Option{
		option("", "Review, controls mixed in", sort), option("suspicion", first, sort), option("margin", "Margin", sort), option("row", "Row", sort)}}
	if v.room.audit.Summary.Median != nil || sort == "weight" {
		r.Sort.Options = append(r.Sort.Options, option("weight", "Weight g", sort))
	}
	r.State = templates.Choice{ID: "a-state", Name: "state", Label: "Decision", Options: []templates.Option{
		option("", "All", v.q.State), option("open", "Open", v.q.State), option("decided", "Decided", v.q.State), option("keep", "Keep", v.q.State),
		option("flip", "Flip", v.q.State), option("exclude", "Exclude", v.q.State), option("unsure", "Unsure", v.q.State)}}
	r.Label = templates.Choice{ID: "a-label", Name: "label", Label: "Label", Options: []templates.Option{option("", "All", v.q.Label)}}
	for _, class := range v.room.audit.Summary.Classes {
		r.Label.Options = append(r.Label.Options, option(class, class, v.q.Label))
	}
	blind := ""
	if v.q.Blind {
		blind = "1"
	}
	r.Evidence = templates.Choice{ID: "a-blind", Name: "blind", Label: "Evidence", Options: []templates.Option{option("", "Shown", blind), option("1", "Hidden until decided", blind)}}
}

// hidden reports whether what the model says of a row is not to be seen yet.
func (v *auditView) hidden(at int) bool {
	d, is := v.decided[v.room.audit.Keys[at]]
	return v.q.Blind && (!is || d.Kind == "")
}

// table lists rows: places in the ranking from one of the list on; on is the
// place in the list of the card's row.
func (v *auditView) table(list []int, from, on int) templates.Table {
	a := &v.room.audit.Summary
	t := templates.Table{Label: "Rows to review", Class: "tbl-tight audit-list", Columns: []templates.Column{
		{Label: "Row", Num: true}, {Label: v.run.Spec.Outcome}, {Label: "Margin", Num: true}, {Label: "Decision"}}}
	if a.Basis == audit.ByProbability {
		t.Columns[2] = templates.Column{Label: "s", Num: true}
	}
	for i, at := range list {
		row := &v.room.audit.Rows[at]
		q := v.q
		q.Row, q.Page = row.Row+1, 0
		value := viz.None
		switch {
		case v.hidden(at):
		case a.Basis == audit.ByProbability:
			value = viz.Number(row.Suspicion(), 3)
		default:
			value = numberOrNone(row.Margin, 3)
		}
		line := templates.Row{Cells: []templates.Cell{{Text: viz.Count(row.Row + 1), URL: q.url(v.run.ID) + "#card"}, {Text: v.room.label(row.Row), Class: "wrap"}, {Text: value}, {Text: kindWords(v.decided[v.room.audit.Keys[at]])}}}
		if from+i == on {
			line.Class = "is-sel"
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// numberOrNone is a number as text, or the mark of none.
func numberOrNone(v float64, decimals int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return viz.None
	}
	return viz.Number(v, decimals)
}

func kindWords(d audit.Decision) string {
	switch {
	case d.Kind == audit.Flip:
		return "flip to " + d.To
	case d.Kind == "" && d.Note != "":
		return "note"
	case d.Kind == "":
		return "open"
	}
	return string(d.Kind)
}
