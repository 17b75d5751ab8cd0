package review

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"taper/internal/app"
	"taper/internal/engine/audit"
	"taper/internal/engine/job"
	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/progress"
	"taper/web/templates"
)

// Page is a review with the data of its page.
type Page struct {
	Run       store.Run
	Queue     *app.ReviewQueue // nil before there is a ranking
	Decisions []audit.Decision
	Children  []store.Child // runs on reviewed labels
	Trials    []audit.Trial // on labels flipped deliberately
	Ranking   *job.Event    // jobs of the ranking and of a trial; nil for none
	Trial     *job.Event
	Workers   string // queue of workers that may receive the rows; "" = none

	State        State
	Strong, Rest string // the summary, set by View

	decided map[audit.Key]audit.Decision
}

// View makes the page: the summary, the queue with the card of one row, the decisions.
func (v *Page) View(ctx context.Context) (templates.Audit, error) {
	p := templates.Audit{Said: v.State.Said(), Try: v.try()}
	p.Progress, p.Failed = v.work(v.Ranking, "audit")
	if v.Queue == nil {
		v.Strong, v.Rest = "The labels of this run have not been ranked yet.", "The ranking says which rows to look at first."
		if p.Progress == nil {
			p.Start = v.start()
			p.Start.Button = "Audit the labels"
		}
		return p, nil
	}
	v.decided = app.ByKey(v.Decisions)
	v.headline(audit.Count(v.Decisions).Reviewed)
	p.Lead, p.Notes = v.lead()
	if p.Progress == nil {
		p.Again = v.start()
		p.Again.Button = "Re-rank labels"
		p.Again.Text = "A new ranking replaces this one. Decisions stay with their rows."
	}
	var err error
	if p.Review, err = v.review(ctx); err != nil {
		return p, err
	}
	p.Refit = v.refit()
	to := "/audit/" + v.Run.ID
	p.Files = &templates.AuditFiles{Out: to + "/review.csv", In: to + "/review"}
	return p, nil
}

// work shows a running job of the audit, or its error.
func (v *Page) work(e *job.Event, name string) (*templates.Progress, *templates.Banner) {
	to := "/audit/" + v.Run.ID
	switch {
	case e == nil:
		return nil, nil
	case !e.State.Final():
		p := &templates.Progress{Job: e.ID, Step: "Preparing the folds",
			Cancel: &templates.Button{Label: "Cancel", Icon: "stop", Method: "POST", URL: to + "/cancel",
				Fields: []templates.Field{{Name: "job", Value: name}}}}
		progress.Show(p, *e)
		return p, nil
	case e.State != job.Failed:
		return nil, nil
	}
	text := "Internal error. The log has the cause."
	if user, ok := usererr.As(e.Err); ok {
		text = user.Detail
	}
	return nil, &templates.Banner{Fact: "The work ended early.", Text: text, Bad: true}
}

func (v *Page) start() *templates.AuditStart {
	by := "probability of"
	if audit.BasisOf(v.Run.Spec) == audit.ByMargin {
		by = "margin for"
	}
	s := &templates.AuditStart{URL: "/audit/" + v.Run.ID, Workers: v.Workers,
		Text: "Every row is scored by a model that was not trained on it, in five folds, and ranked by that " +
			"model’s " + by + " the recorded label, the lowest first. You then review the rows at the top and decide. " +
			"No label changes without your decision, and the uploaded label never changes."}
	if v.Run.Spec.Model.Penalised() {
		s.Retune = "λ is then tuned by the same criterion as in runs, over the five folds of the audit."
	}
	if s.Retune != "" && audit.RetunedByLoss(v.Run.Spec) {
		s.Retune = "A λ tuned for calibrated probabilities still follows wrong labels; this one is tuned to down-weight " +
			"them."
	}
	return s
}

// headline gives the number of labels that disagree with the model, and the progress of the review.
func (v *Page) headline(reviewed int) {
	a := &v.Queue.Audit.Summary
	switch e := a.Estimate; {
	case e == nil:
		v.Strong = fmt.Sprintf("%s labels are ranked by the margin for the recorded label.", phrase.Int(a.Rows))
	case v.blunt():
		v.Strong = fmt.Sprintf("This model hardly discriminates between the classes (AUC %s).",
			viz.NumberOf(v.Run.Result.Metrics.Test.AUC, 2))
		v.Rest = fmt.Sprintf("That %s with it says more about the model than about the labels. ", disagree(e))
	default:
		v.Strong, v.Rest = disagreement(e)
	}
	if reviewed == 0 {
		v.Rest += "None has been reviewed yet."
		return
	}
	v.Rest += fmt.Sprintf("%s reviewed.", phrase.Count(reviewed, "row"))
}

// bluntAUC is the AUC below which the ranking of labels, and the estimate of wrong labels, are not informative.
const bluntAUC = 0.65

// blunt reports whether a binary model hardly discriminates.
func (v *Page) blunt() bool {
	auc := v.Run.Result.Metrics.Test.AUC
	return v.Run.Result.Classes == nil && auc != nil && *auc < bluntAUC
}

// lead says how the ranking was computed.
func (v *Page) lead() (facts []templates.Fact, notes []string) {
	a := &v.Queue.Audit.Summary
	by := "s = 1 − out-of-fold P(recorded label) (link: " + strings.ToLower(linkName(a.Link)) + ")"
	if a.Basis == audit.ByMargin {
		by = "margin for the recorded label, since this loss recovers no probability"
	}
	facts = []templates.Fact{{Label: "Method", Value: a.Method}, {Label: "Ranked by", Value: by}}
	if len(a.L2) > 0 {
		var each []string
		for _, l2 := range a.L2 {
			each = append(each, viz.Short(l2, 3))
		}
		if all := slices.Compact(slices.Clone(each)); len(all) == 1 {
			each = all
		}
		facts = append(facts, templates.Fact{Label: "Penalty λ of the folds", Value: strings.Join(each, ", ")})
	}
	if e := a.Estimate; e != nil {
		facts = append(facts, jointFacts(e, a.Classes)...)
	}
	facts = append(facts, templates.Fact{Label: "Made",
		Value: v.Queue.Audit.Created.UTC().Format("2 January 2006, 15:04") + " UTC, Taper " + v.Queue.Audit.Version +
			", seed " + strconv.FormatUint(a.Seed, 10)})
	notes = append(notes, a.Notes...)
	if a.Estimate != nil && a.Estimate.Expected != nil {
		notes = append(notes, alike)
	}
	notes = append(notes, "The row weights of boosting are not used for the ranking, because they are not monotone "+
		"in the margin.",
		"One row in six of the review queue is a control, drawn at random from all rows and not marked as such. The "+
			"error rate among the controls estimates the overall error rate without the model. The evidence is hidden "+
			"until you decide: it shows which rows are not suspicious, so probably controls.")
	return facts, notes
}
