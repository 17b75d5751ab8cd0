package report

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/check"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// limit is a limitation of the run, with its severity.
type limit struct {
	harm harm
	text string
}

// harm orders the limits on the first page, most serious first.
type harm int

const (
	ofMadeUp    harm = iota // the data are simulated
	tooGood                 // the numbers are optimistic
	tooFew                  // the rows are too few for the model
	wrongNumber             // the statistics are poor, or a simpler model is better
	onlyHere                // there is no external validation
	otherHarm
	saidAbove // the verdict states it, so the first page does not repeat it
)

// warningHarm gives the severity of warnings by their codes.
var warningHarm = map[string]harm{
	engine.WarnGiven: tooGood, engine.WarnApparent: tooGood, engine.WarnOptimistic: tooGood, engine.WarnReviewed: tooGood,
	engine.WarnFewInClass: tooFew, engine.WarnSeparation: tooFew, engine.WarnOneSided: tooFew,
	engine.WarnNotCertified: wrongNumber, engine.WarnRecalibrated: wrongNumber, engine.WarnGridEdge: wrongNumber,
	engine.WarnNeverPredicted: wrongNumber, check.WarnNoHorizon: wrongNumber,
	check.WarnFewEvents: saidAbove, check.WarnFewInStratum: saidAbove, check.WarnNotMonotone: saidAbove,
	engine.WarnOneBand: saidAbove, engine.WarnNoPredictor: saidAbove, engine.WarnLogisticBetter: saidAbove,
}

// harmOf is the severity of a warning.
func (p Printed) harmOf(w engine.Warning) harm {
	switch h, known := warningHarm[w.Code]; {
	case check.Harmful(w), p.several() && slices.Contains(gravest, w.Code):
		return saidAbove
	case known:
		return h
	}
	return otherHarm
}

// Limits are the limits that the report of a run of these data lists beside its warnings, in the same words.
func (c Clinical) Limits(data store.Dataset) (texts []string) {
	p := New(c.Run, data, c)
	p.Small = ShowSmall
	p = p.printed()
	warned := slices.ContainsFunc(p.r.Warnings, func(w engine.Warning) bool { return w.Code == check.WarnFewEvents })
	for _, l := range append(p.simulated(), p.beyond(!warned)...) {
		texts = append(texts, l.text)
	}
	return texts
}

// limitParts lists the limits.
func (p Printed) limitParts() []doc.Node {
	var items doc.List
	for _, l := range p.limits() {
		items = append(items, l.text)
	}
	return []doc.Node{items}
}

// limits are the warnings of the run, and what follows from its statistics and its kind of evaluation.
func (p Printed) limits() (items []limit) {
	items = p.simulated()
	for _, w := range p.r.Warnings {
		if w.Code == check.WarnFewEvents && p.perParameter() != nil {
			continue // the fit's own count is added below
		}
		if text := p.warning(w); text != "" {
			items = append(items, limit{p.harmOf(w), text})
		}
	}
	return append(items, p.beyond(true)...)
}

func (p Printed) simulated() []limit {
	if !p.data.Simulated {
		return nil
	}
	return []limit{{ofMadeUp, "The data are simulated: nothing here describes patients."}}
}

// beyond are the limits that are no warnings; perParameter says whether to count the events per parameter of the fit,
// of which there may be a warning too.
func (p Printed) beyond(perParameter bool) []limit {
	items := p.measured(perParameter)
	for i, text := range p.elsewhere() {
		items = append(items, limit{[]harm{onlyHere, otherHarm}[min(i, 1)], text})
	}
	if p.interval() {
		items = append(items, limit{otherHarm, "The model gives risk bands, not individual probabilities."})
	}
	return items
}

// measured are the limits that follow from the statistics.
func (p Printed) measured(perParameter bool) (items []limit) {
	if p.several() {
		return p.classLimits()
	}
	if !p.c.Known {
		return nil
	}
	add := func(h harm, text string) {
		if text != "" {
			items = append(items, limit{h, text})
		}
	}
	st := p.c.Statistics
	if epp := p.perParameter(); epp != nil {
		if *epp < 10 && perParameter {
			noun, _ := st.SampleSize.Fewer()
			said := tooFew
			if len(engine.Exploratory(p.r, p.warning)) > 0 {
				said = saidAbove
			}
			add(said, viz.Number(*epp, 1)+" "+noun+"s per parameter, under 10: coefficients and bands are exploratory.")
		}
		if n := st.SampleSize.AtLeast(); n != nil && *n > st.SampleSize.N && !p.r.IsRecalibrated() {
			ask := "Riley’s criteria ask for "
			if st.SampleSize.Required == nil {
				ask = "Those of Riley’s criteria that need no R² ask for "
			}
			add(tooFew, ask+phrase.Int(*n)+" rows, more than there are.")
		}
	}
	calibration := p.calibration(st.Judged)
	if p.r.IsRecalibrated() { // for another population: that these rows have other rates is no fault of the model
		calibration = stat.Performance{}
	}
	if s := calibration.CalibrationSlope; s.Low != nil && (*s.Low > 1 || *s.High < 1) {
		word := "too extreme"
		if *s.Low > 1 {
			word = "not extreme enough"
		}
		add(wrongNumber, "The calibration slope’s interval excludes 1: predicted risks are "+word+".")
	}
	add(wrongNumber, atLarge(calibration))
	add(wrongNumber, p.outdone())
	var shared []string
	for _, v := range st.Inflation {
		if v.VIF == nil || *v.VIF > 10 {
			shared = append(shared, v.Name)
		}
	}
	if len(shared) > 0 {
		add(otherHarm, "Collinear terms (VIF above 10): "+format.Names(shared, 8)+".")
	}
	if b := p.c.checked(); p.r.Given != nil {
		add(otherHarm, engine.NoRefits)
	} else if b == nil && !p.Alone {
		add(otherHarm, "Optimism and stability were not estimated by bootstrap.")
	} else if b != nil && b.Stability.Mean != nil && *b.Stability.Mean > 0.1 {
		m := b.Stability.Mean
		add(otherHarm, "Bootstrap refits put "+viz.Percent(*m, 1)+format.Pc+" of the rows into another band, on average.")
	}
	if p.r.Clinical == nil && p.c.Origin == nil {
		add(otherHarm, "The run was made by an older version: numbers on the training rows have no intervals.")
	}
	return items
}

// perParameter is the events per parameter of the fit; nil where unknown, and where it would reveal a masked count.
func (p Printed) perParameter() *float64 {
	if !p.c.Known || !p.trained().Events.Shown() {
		return nil
	}
	return p.c.Statistics.SampleSize.EPP
}

// calibration leaves out the statistics whose intervals would disclose the number of events, so that no sentence says
// what they exclude.
func (p Printed) calibration(m stat.Performance) stat.Performance {
	for id, e := range map[string]*stat.Estimate{"calibration_slope": &m.CalibrationSlope,
		"calibration_intercept": &m.CalibrationIntercept, "observed_expected": &m.ObservedExpected} {
		if p.tells(stat.ByID(id)) {
			*e = stat.Estimate{}
		}
	}
	return m
}

// atLarge says that the mean predicted risk is off, by the ratio of observed to expected events or, where the
// interval of the ratio barely contains 1, by the calibration intercept.
func atLarge(m stat.Performance) string {
	if o := m.ObservedExpected; o.Low != nil && (*o.Low > 1 || *o.High < 1) {
		return "Observed and expected events differ: the interval of their ratio excludes 1."
	}
	if a := m.CalibrationIntercept; a.Low != nil && (*a.Low > 0 || *a.High < 0) {
		word := "high"
		if *a.Low > 0 {
			word = "low"
		}
		return "The calibration intercept’s interval excludes 0: predicted risks are too " + word + " on the whole."
	}
	return ""
}

// elsewhere lists the external validations of the model.
func (p Printed) elsewhere() []string {
	own := "Evaluated only on the development data: " + p.r.Validation + "."
	if p.r.Apparent {
		own = "Evaluated only on the rows that it was trained on."
	}
	switch {
	case p.r.Given != nil:
		return []string{"Evaluated on one file: " + p.r.Validation + "."}
	case len(p.c.Validations) > 0:
		own = "Evaluated on the development data: " + p.r.Validation + "; and externally on " +
			phrase.Count(len(p.c.Validations), "file") + "."
	case p.Alone:
		own += " External validations are not in this report."
	case p.Kept:
		own += " There was no external validation while its data were there."
	case p.c.Origin == nil:
		own += " There was no external validation."
	default:
		own += " As recalibrated it has no external validation."
	}
	items := []string{own}
	for _, v := range p.c.Validations {
		items = append(items, "External validation “"+v.Name+"”: "+p.judgedBy(v)+".")
	}
	if v := p.c.Asked; v != nil && p.c.Origin.How != "" {
		items = append(items, "External validation “"+v.Name+"” of the run it was recalibrated from: "+p.judgedBy(*v)+
			" before. Its rows gave the recalibration and cannot evaluate it.")
	} else if v != nil {
		items = append(items, "External validation “"+v.Name+"” of the run it was recalibrated from: "+p.judgedBy(*v)+
			" before.")
	}
	return items
}

// judgedBy sums up a validation, with small counts as in its own report.
func (p Printed) judgedBy(v store.Evaluation) string {
	switch {
	case v.Result != nil && v.Result.Classes != nil && v.Accuracy != nil:
		of := ""
		if rate := v.Result.Classes.AbstentionRate; rate != nil && *rate > 0 {
			of = " of the answers"
		}
		return phrase.Int(v.Result.Rows) + " rows, accuracy" + of + " " + viz.Percent(*v.Accuracy, 1) + format.Pc
	case v.Result == nil || v.Result.Performance == nil:
		return "its numbers are in its own report"
	}
	total := p.Small.totalOf(v)
	text := total.N.CountText() + " rows"
	if auc := v.Result.Performance.AUC; auc.Value != nil {
		text += ", AUC " + worded(auc, doc.To(3))
	}
	if oe := v.Result.Performance.ObservedExpected; oe.Value != nil && total.Events.Shown() {
		text += ", O/E " + worded(oe, inRatios)
	}
	if same := v.Result.Same; same != nil && *same > 0 {
		text += "; " + p.Small.span(*same).CountText() + " of them equal to training rows"
	}
	return text
}

// outdone lists the scores in which the model is worse than logistic regression on the rows that both evaluated,
// with the differences where they reveal no masked count.
func (p Printed) outdone() string {
	c := p.c.Statistics.Paired
	if c == nil || !p.r.RanksModels() {
		return ""
	}
	var each []string
	for _, id := range []string{"auc", "brier", "log_loss"} {
		s, d := stat.ByID(id), c.Difference(id)
		if s.Better.Verdict(d) != stat.Worse {
			continue
		}
		text := s.InSentence()
		if s.Reveals == stat.Nothing || p.strata.Total.Events.Shown() {
			as := doc.Of(s)
			as.Signed = true
			text += " " + worded(d, as)
		}
		each = append(each, text)
	}
	if len(each) == 0 {
		return ""
	}
	return "Worse than logistic regression on the same rows, by the difference model − logistic regression: " +
		phrase.Join(each) + "."
}

// fewPerParameter is the number of rows of the rarest class per parameter below which a multiclass model is
// exploratory (de Jong et al. 2019, Statistics in Medicine 38:1601).
const fewPerParameter = 10

// perClassParameter is the number of training rows of the rarest class per coefficient, and the number of
// coefficients. Intercepts do not count; of K classes K − 1 have free coefficients, and an ordinal model has
// those of its single score. It is nil for models without terms and where the class is masked.
func (p Printed) perClassParameter() (perParameter *float64, parameters int) {
	terms, scores := map[string]bool{}, map[string]bool{}
	for _, c := range p.r.Coefficients {
		scores[c.Class] = true
		if c.Name != model.InterceptName {
			terms[c.Name] = true
		}
	}
	parameters = len(terms) * max(len(scores)-1, 1)
	least := math.Inf(1)
	for _, c := range p.r.Classes.Rows {
		least = min(least, float64(c.Trained))
	}
	if parameters == 0 || least < leastRows || math.IsInf(least, 1) {
		return nil, parameters
	}
	least /= float64(parameters)
	return &least, parameters
}

// classLimits are the limits that follow from multiclass statistics.
func (p Printed) classLimits() (items []limit) {
	if v, _ := p.perClassParameter(); v != nil && *v < fewPerParameter && !p.classTable().Hidden() {
		items = append(items, limit{tooFew, viz.Number(*v, 1) +
			" rows of the rarest class per parameter, under 10: coefficients and answers are exploratory."})
	}
	items = append(items, limit{otherHarm,
		"Optimism and stability were not checked by bootstrap: multiclass runs have no bootstrap."})
	if len(p.r.Classes.Metrics.Test.Levels) > 0 && p.r.Classes.Metrics.Test.LogLoss == nil {
		items = append(items, limit{otherHarm, "The model answers with a class. It gives no probability for a single row."})
	}
	return items
}

// redoParts is the command that repeats the run.
func (p Printed) redoParts() []doc.Node {
	parts := []doc.Node{
		doc.Note(p.originNote() + "The same file, request and version give bit-identical results. " +
			"SHA-256 of the file: " + p.run.DatasetSHA),
	}
	if o := p.run.ColumnsReading(); o != nil && (len(o.Columns) > 0 || !reflect.ValueOf(o.Dialect).IsZero()) {
		parts = append(parts, doc.Note("The file was read in this way:"),
			doc.Code("PATCH /api/v1/datasets/{id}\nContent-Type: application/json\n\n"+lines(o)))
	}
	spec := p.run.Spec
	if v := spec.Review; v != nil && len(v.Changes) > 0 { // they name rows, and their number may be masked
		spec.Review = &runspec.Review{ID: v.ID, Parent: v.Parent}
		parts = append(parts, doc.Note("The reviewed labels name single rows, so the request leaves them out: "+
			"GET /api/v1/runs/"+p.run.ID+" has them under spec.review.changes."))
	}
	return append(parts, doc.Code("POST /api/v1/runs\nContent-Type: application/json\n\n"+lines(spec)))
}

// originNote says how a recalibrated run was made from its parent.
func (p Printed) originNote() string {
	o := p.c.Origin
	if o == nil {
		return ""
	}
	return fmt.Sprintf("Recalibrated from run %s: first the call below, then POST /api/v1/runs/{id}/recalibrate with "+
		"{\"intercept\": %v, \"slope\": %v}%s. ", o.Parent, o.Intercept, o.Slope, p.c.askedSay())
}
