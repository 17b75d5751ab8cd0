package report

import (
	"taper/internal/doc"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// elsewhere says what judged the model: its own file, and those of external
// validations.
func (p Printed) elsewhere() []string {
	own := "One file judged the model: " + p.r.Validation + "."
	switch {
	case len(p.c.Validations) > 0:
		own = "The file of development judged the model: " + p.r.Validation + ". Other files did too."
	case p.Kept:
		own += " It was not tried on data from elsewhere while its data were there."
	case p.c.Origin == nil:
		own += " It was not tried on data from elsewhere."
	default:
		own += " As recalibrated it was not tried on data from elsewhere."
	}
	items := []string{own}
	for _, v := range p.c.Validations {
		items = append(items, "External validation “"+v.Name+"”: "+judgedBy(v)+".")
	}
	if v := p.c.Asked; v != nil && p.c.Origin.How != "" {
		items = append(items, "External validation “"+v.Name+"” of the run it was recalibrated from: "+judgedBy(*v)+
			" before. Its rows gave the recalibration and cannot judge it.")
	} else if v != nil {
		items = append(items, "External validation “"+v.Name+"” of the run it was recalibrated from: "+judgedBy(*v)+
			" before.")
	}
	return items
}

// judgedBy sums up a validation under the masks of its own report.
func judgedBy(v store.Evaluation) string {
	switch {
	case v.Result != nil && v.Result.Classes != nil && v.Accuracy != nil:
		return viz.Count(v.Result.Rows) + " rows, accuracy " + viz.Percent(*v.Accuracy, 1) + format.Pc
	case v.Result == nil || v.Result.Performance == nil:
		return "its numbers are in its own report"
	}
	total := maskedTotal(v)
	text := total.N.CountText() + " rows"
	if auc := v.Result.Performance.AUC; auc.Value != nil {
		text += ", AUC " + worded(auc, doc.To(3))
	}
	if oe := v.Result.Performance.ObservedExpected; oe.Value != nil && total.Events.Shown() {
		text += ", O/E " + worded(oe, inRatios)
	}
	if same := v.Result.Same; same != nil && *same > 0 {
		text += "; " + hideSmall(*same).CountText() + " of them equal to rows trained on"
	}
	return text
}

// outdone says in which scores logistic regression is clearly better over the
// rows that both judged, with the differences where they tell no masked count.
func (p Printed) outdone() string {
	c := p.c.Statistics.Paired
	if c == nil {
		return ""
	}
	var each []string
	for _, id := range []string{"brier", "log_loss"} {
		s, d := stat.ByID(id), c.Of(id).Difference
		if d.Value == nil || d.Low == nil || !(*d.Low > 0) {
			continue
		}
		text := format.InSentence(s.Label)
		if p.strata.Total.Events.Shown() {
			text += " by " + worded(d, doc.Of(s))
		}
		each = append(each, text)
	}
	if len(each) == 0 {
		return ""
	}
	return "Clearly worse than logistic regression on the same rows: " + format.List(each) + "."
}
