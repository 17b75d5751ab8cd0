// Package resultview makes the parts of pages that show the result of one run: bands, figures, tables and
// sentences, binary or multiclass.
//
// The page of a run, the live page of an unsaved state, and the printed report share these parts. Their context
// (addresses, rows to list, figures wanted) is passed in; nothing here reads a request or the store. The parts are
// sections of a document: numbers stay numbers until they are rendered.
//
// Files: runview, rows, caveats, model and pictures have Bands, a binary result; curves its splines; classes… a
// multiclass result. What both share is in model and pictures.
package resultview

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/loss"
	"taper/internal/engine/parallel"
	"taper/internal/engine/phrase"
	"taper/internal/engine/prep"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// Bands is a binary result with the context of its page. /stratify and /runs/{id} are made of the same parts.
type Bands struct {
	Result *engine.Result
	Spec   runspec.Spec
	Axes   Axes
	Want   func(id string) bool // whether to make a figure or the list of rows; nil: all

	Rows       func() ([]engine.RowScore, error)      // for the list of a band
	Band, Page int                                    // of the list: band −1 for none, page from 1
	List       func(band, page int) string            // address that lists rows
	Cut        func(pi []float64, mode string) string // address with other boundaries; nil: not changeable
	// Leave is the address without a predictor, "" for a column that is none; nil: not changeable.
	Leave  func(column string) string
	Refits int // bootstrap samples that the page requests, 0 for none
	// Unrefitted: the page refits models, but not this one.
	Unrefitted bool
	ByHand     bool // λ was set on the page
	// Columns of a saved run's model, whose categories name their reference beside each term; nil: not named.
	Columns []prep.Column
	Curves  doc.Curves              // the splines; nil if all columns are linear
	WhatIf  string                  // address of the form for one patient, "" without
	Sent    url.Values              // the patient's values
	Answer  *templates.WhatIfAnswer // the prediction; nil before

	// Refit is the page that fits the spec of a saved run with other boundaries; nil without one.
	Refit    func(pi []float64) string
	Restarts Restarts // of a saved run

	// The parts made from the rows of a saved run: net benefit, the table of performance, and the statistics at
	// each boundary as a threshold.
	Benefit                   doc.Figures
	Performance, AtBoundaries []doc.Node
	Intervals                 []doc.Node // of the odds ratios by bootstrap, or how to compute them

	// Beyond are the limits of a saved run that are no warnings: those of its statistics and of its evaluation.
	Beyond []string
}

// Axes are the fixed axes of the two charts.
type Axes struct{ Density, PCA viz.Axes }

// View is a result on one page.
type View struct {
	Headline
	Sections []doc.Section
	Details  []doc.Section // shown one at a time
	Below    []doc.Section // actions on the result
}

// DetailIDs are the possible details; every result has the first.
var DetailIDs = []string{"penalty", "surrogate", "coefficients", "predictors", "flow"}

// Headline is the summary, after the serious questions that nobody answered.
type Headline struct {
	Strong, Rest string
	Open         []templates.Notice
}

// Core says which core measures a page shows beside the AUC.
type Core struct{ Calibration, Benefit, Distribution bool }

// CoreMeasures names the measures that come first; soft says whether there are probabilities.
func CoreMeasures(soft bool, shown Core) string {
	const after = "Measures at a threshold, such as sensitivity or accuracy, are under Classification."
	if !soft {
		text := "This model gives no probabilities. So there is no calibration plot"
		if shown.Benefit {
			text += ", net benefit is known only at the boundaries"
		}
		if shown.Distribution {
			text += ", and the distribution shown is that of the score"
		}
		return text + ". " + after
	}
	measures := []string{stat.ByID("auc").Label}
	for _, m := range []struct {
		shown bool
		name  string
	}{{shown.Calibration, "calibration plot"}, {shown.Benefit, "net benefit"}, {shown.Distribution,
		"the distribution of the score in each class, with the bands of risk marked"}} {
		if m.shown {
			measures = append(measures, m.name)
		}
	}
	return "The core measures (Van Calster et al. 2025) come first: " + phrase.Join(measures) + ". " + after
}

// Headline is the verdict on the bands.
func (s Bands) Headline() Headline {
	strong, rest := engine.Headline(s.Result)
	return Headline{Strong: strong, Rest: strings.TrimPrefix(rest, " "), Open: Unanswered(s.Result, s.answers)}
}

// View is the view of an unsaved state, on one page, in parts that change.
func (s Bands) View() (v View, err error) {
	v.Headline = s.Headline()
	lead := s.lead()
	notes, said := s.notes()
	lead.Body = append(lead.Body, said)
	plots := s.figures([]namedFigure{s.density(), s.plane()})
	for i := range plots {
		plots[i].Fit = true
	}
	var rows doc.Section
	if s.Want == nil || s.Want("r-rows") {
		if rows, err = s.RowList(); err != nil {
			return v, err
		}
	}
	v.Sections = []doc.Section{lead, {Body: []doc.Node{plots}}, s.people(), s.comparison()}
	v.Details = s.details()
	v.Below = []doc.Section{rows}
	if s.WhatIf != "" && s.Result.Model != nil {
		form := templates.WhatIfView(whatIfForm(s.Result.Model, s.WhatIf, s.Sent, s.Answer))
		v.Below = append(v.Below, doc.Section{Body: []doc.Node{
			doc.Group{ID: "r-whatif", Screen: true, Body: []doc.Node{doc.Form{View: form}}}}})
	}
	v.Below = append(v.Below, doc.Section{Body: []doc.Node{notes}})
	return v, nil
}

// notes are all warnings about a state, and the link to them below the bands. They are computed when a slider is
// released and take more or less room then, so they end the page: above any other part they would move it.
func (s Bands) notes() (all, link doc.Group) {
	all, link = doc.Group{ID: "r-doubts", Screen: true}, doc.Group{ID: "r-doubts-said", Screen: true}
	if parts, n := s.caveats(anySubject); n > 0 {
		all.Body = []doc.Node{doc.Section{ID: "notes", Title: "Notes on this result", Body: parts}}
		text := phrase.UpperFirst(phrase.Numeral(n)) + " notes on this result"
		if n == 1 {
			text = "One note on this result"
		}
		link.Body = []doc.Node{doc.Part{View: templates.LinkTo(templates.Link{Label: text, URL: "#notes"})}}
	}
	return all, link
}

// details describe the penalty, the loss, the terms and the rows, shown one at a time.
func (s Bands) details() []doc.Section {
	penalty, surrogate := s.penalty(), s.surrogate()
	return []doc.Section{
		{ID: "penalty", Title: penalty.tab, Body: []doc.Node{
			doc.Pair{{s.figures([]namedFigure{penalty})}, {finalFit(s.fit())}}}},
		{ID: "surrogate", Title: surrogate.tab, Body: []doc.Node{s.figures([]namedFigure{surrogate})}},
		{ID: "coefficients", Title: s.termsTitle(), Body: []doc.Node{
			doc.Group{ID: "r-coef", Body: []doc.Node{s.coefficients()}}, s.curves()}},
		{ID: "flow", Title: "Row flow", Body: []doc.Node{rowFlow(s.Result, s.Spec)}},
	}
}

// AnswerPage is a saved run’s first page: the bands, the densities they are cut from, and the limits of the
// verdict.
func (s Bands) AnswerPage() []doc.Section {
	var beside doc.Nodes
	if !s.Result.IsRecalibrated() { // the people would be those of the parent's population
		beside = doc.Nodes{s.people()}
	}
	if findings := engine.Findings(s.Result)[1:]; len(findings) > 0 { // the headline is the first finding
		beside = append(beside, doc.Section{ID: "findings", Title: "Findings", Lower: true, Class: "sec",
			Body: []doc.Node{doc.List(findings)}})
	}
	pictures := doc.Pair{beside}
	if !s.Result.NoPredictor { // otherwise all scores are equal and have no density
		pictures = doc.Pair{{s.figures([]namedFigure{s.density()})[0]}, beside}
	}
	all := []doc.Section{s.lead()}
	if t := Cutoffs(s.Result, 0); t != nil {
		all = append(all, doc.Section{ID: "cutoffs", Title: "Cut-offs in these data", Body: []doc.Node{*t}})
	}
	all = append(all, doc.Section{Body: []doc.Node{pictures}})
	caveats, _ := s.caveats(ofVerdict)
	return append(all, limitsOf(caveats, s.Beyond)...)
}

// limitsOf is the section of the limits, the warnings before the others; none without any.
func limitsOf(caveats []doc.Node, beyond []string) []doc.Section {
	if len(beyond) > 0 {
		caveats = append(caveats, doc.List(beyond))
	}
	if len(caveats) == 0 {
		return nil
	}
	return []doc.Section{{ID: "limits", Title: "Limits", Body: caveats}}
}

// PerformancePage is the performance of a saved run on test rows: the core measures, the statistics at thresholds,
// and the models on the same folds.
func (s Bands) PerformancePage() []doc.Section {
	var distribution doc.Figures
	if !s.Result.NoPredictor {
		distribution = s.figures([]namedFigure{s.density()})
	}
	all := append(s.core(distribution), before(s.Spec, s.Result)...)
	if caveats, n := s.caveats(ofPerformance); n > 0 {
		all = append([]doc.Section{{Body: caveats}}, all...)
	}
	if all = append(all, s.classification()...); s.Result.IsRecalibrated() { // losses and verdicts of the parent's rows
		return all
	}
	return append(all, s.comparison())
}

// ModelPage is the model of a saved run: its terms beside the settings, and the fit with its rows.
func (s Bands) ModelPage(settings doc.Section) (terms, fitted []doc.Section) {
	if caveats, n := s.caveats(ofModel); n > 0 {
		terms = []doc.Section{{Body: caveats}}
	}
	if s.Result.Given != nil {
		terms = append(terms, doc.Section{Body: []doc.Node{doc.Pair{{evaluated(s.Result.Given)}, {settings}}}})
		return terms, []doc.Section{{Body: []doc.Node{s.fitting()}}, rowFlow(s.Result, s.Spec)}
	}
	terms = append(terms, doc.Section{Body: []doc.Node{doc.Pair{{s.terms()}, {settings}}}})
	if len(s.Intervals) > 0 {
		terms = append(terms, doc.Section{Label: "Intervals of the coefficients", Body: s.Intervals})
	}
	terms = append(terms, doc.Section{Body: []doc.Node{s.curves()}})
	fitted = []doc.Section{{Body: []doc.Node{s.figures([]namedFigure{s.plane()})}}, {Body: []doc.Node{s.fitting()}},
		ended(s.Result, s.Spec, s.fit())}
	return terms, append(fitted, s.way()...)
}

// lead is the table of the bands, with the result of a rule with abstention.
func (s Bands) lead() doc.Section {
	return doc.Section{Label: "Strata", Body: []doc.Node{
		doc.Group{ID: "r-strata", Body: []doc.Node{s.strata()}},
		doc.Group{ID: "r-reject", Body: s.reject()},
	}}
}

func (s Bands) density() namedFigure {
	return namedFigure{place: "fig-density", id: "density",
		draw: func() viz.Figure { return viz.Density(s.Result, s.Axes.Density) }}
}

func (s Bands) plane() namedFigure {
	return namedFigure{place: "fig-scatter", id: "pca",
		draw: func() viz.Figure { return viz.PCAScatter(s.Result, s.Axes.PCA) }}
}

func (s Bands) people() doc.Section {
	return doc.Section{ID: "r-icons", Title: "Of 100 people in each band", Lower: true, Class: "sec",
		Body: []doc.Node{doc.Group{ID: "r-icons", Body: []doc.Node{s.icons()}}}}
}

func (s Bands) comparison() doc.Section {
	return doc.Section{ID: "beside", Title: "Comparison " + SameRows(s.Spec),
		Body: []doc.Node{doc.Group{ID: "r-beside", Class: "stack-s", Body: s.beside()}}}
}

// terms are the terms of the score.
func (s Bands) terms() doc.Section {
	return doc.Section{Body: []doc.Node{doc.Group{ID: "r-coef",
		Body: []doc.Node{doc.Section{ID: "coef", Title: s.termsTitle(), Body: []doc.Node{s.coefficients()}}}}}}
}

func (s Bands) termsTitle() string {
	switch {
	case s.Result.Importance != nil:
		return "Variable importance"
	case s.Result.Kernel != nil:
		return "Kernel"
	}
	return "Coefficients"
}

// curves are the splines, as a part of their own.
func (s Bands) curves() doc.Group {
	part := doc.Group{ID: "r-curves"}
	if s.Curves != nil {
		part.Body = doc.Nodes{s.Curves}
	}
	return part
}

// ended shows the flow of the rows beside the convergence of the fit.
func ended(r *engine.Result, spec runspec.Spec, fit doc.Facts) doc.Section {
	return doc.Section{Body: []doc.Node{doc.Pair{{rowFlow(r, spec)}, {finalFit(fit)}}}}
}

func rowFlow(r *engine.Result, spec runspec.Spec) doc.Section {
	return doc.Section{ID: "flow", Title: "Row flow",
		Body: []doc.Node{doc.Group{ID: "r-row-flow", Body: []doc.Node{flow(r, spec)}}}}
}

func finalFit(fit doc.Facts) doc.Section {
	return doc.Section{ID: "fit", Title: "Final fit",
		Body: []doc.Node{doc.Group{ID: "r-fit", Class: "sec", Body: []doc.Node{fit}}}}
}

// namedFigure is a figure that is drawn only where it is wanted.
type namedFigure struct {
	place, id string
	draw      func() viz.Figure
	tab       string // label of its detail
}

// figures draws those that are wanted, each on a core of its own: they are half of the answer to a move of a slider.
func (s Bands) figures(all []namedFigure) doc.Figures {
	var wanted []namedFigure
	for _, f := range all {
		if s.Want == nil || s.Want(f.id) {
			wanted = append(wanted, f)
		}
	}
	out := make(doc.Figures, len(wanted))
	_ = parallel.ForEach(context.Background(), len(out), 0, func(i int) error {
		chart := wanted[i].draw()
		out[i] = doc.Figure{Place: wanted[i].place, Chart: &chart, Reveals: mask.OfRows}
		return nil
	})
	return out
}

// event names the event.
func (s Bands) event() string { return format.Event(s.Result.Outcome, s.Result.Positive) }

// interval reports whether the model predicts bands without probabilities.
func (s Bands) interval() bool { return s.Spec.Model.Banded() }

// soft reports whether the score has a probability.
func (s Bands) soft() bool { return s.Spec.Model.Link() != loss.LinkNone }

func (s Bands) strata() doc.Table {
	note := s.HowEvaluated() + " " + StrataIntervals + " "
	if s.Result.IsRecalibrated() {
		note += NoVerdicts
	} else {
		note += stat.BandVerdicts
	}
	if link := s.Result.Link; s.soft() && link.Formula != "" && s.Result.Given == nil {
		note += " Bands are cut at the probability that the loss recovers from the score f: " + link.Text() + "."
	}
	t := Strata(s.Result.Strata, s.event(), note)
	if s.Result.IsRecalibrated() {
		for k := range t.Rows {
			t.Rows[k].Cells[len(t.Rows[k].Cells)-1] = doc.Cell{Value: viz.None}
		}
	}
	if s.Refits > 0 || s.Unrefitted {
		changing(&t, s.Refits)
	}
	return t
}

// fewInVerdict is the number of rows below which a verdict names them: an interval of so few rows can lie inside a wide
// band.
const fewInVerdict = 10

// OnFewRows is the number of rows of a band whose interval settles its verdict although they are few; "" for others.
func OnFewRows(b stat.Stratum) string {
	if b.N == 0 || b.N >= fewInVerdict || b.Verdict != stat.Inside && b.Verdict != stat.Outside {
		return ""
	}
	return "on " + phrase.Count(b.N, "row")
}

// StrataIntervals names the intervals of Strata.
const StrataIntervals = "95" + format.Pc + " CI: Wilson; of likelihood ratios log-normal or score (Koopman 1984)."

// NoVerdicts says why the bands of a recalibrated result have none.
const NoVerdicts = "No verdicts: " + engine.NotTested

// changing adds a column to the strata, filled by the page: how often bootstrap fits assign the patients of a band
// to another one. Without refits it is there and empty, so that the table keeps its columns from model to model.
func changing(t *doc.Table, refits int) {
	add := func(cells []doc.Cell, place string) []doc.Cell {
		if refits == 0 {
			return slices.Insert(cells, len(cells)-1, doc.Cell{Value: viz.None})
		}
		return slices.Insert(cells, len(cells)-1, doc.Cell{Value: "", View: templates.Later("changes-" + place)})
	}
	t.Columns = slices.Insert(t.Columns, len(t.Columns)-1, doc.Column{Label: "Changes band", Unit: "% of refits",
		Number: true, Class: "only-w"})
	for k := range t.Rows {
		t.Rows[k].Cells = add(t.Rows[k].Cells, strconv.Itoa(k))
	}
	t.Foot = add(t.Foot, "all")
	if refits == 0 {
		t.Note += " Changes band: this model is not refitted before it is saved. The bootstrap on Performance of a saved " +
			"run refits it."
		return
	}
	t.Note += " Changes band: the mean share of " + strconv.Itoa(refits) + " refits on bootstrap samples that put a " +
		"patient of the band into another band. These refits keep the penalty λ of the model. With λ chosen again in " +
		"each sample the share would usually be larger: the bootstrap on Performance of a saved run does so."
}

// Strata has a line per band: its rows, its events, and whether its event rate is within the limits.
func Strata(bands []stat.Stratum, event, note string) doc.Table {
	n, events := 0, 0
	for _, b := range bands {
		n, events = n+b.N, events+b.Events
	}
	rates := doc.Format{Style: doc.Percent, Digits: 1, Bare: true}
	t := doc.Table{Label: "Strata table", Class: "strata", Note: note, Columns: []doc.Column{
		{Label: "Band", Unit: "risk of " + event}, {Label: "Rows", Number: true},
		{Label: "Share", Unit: "%", Number: true, Class: "only-w"}, {Label: "Events", Number: true},
		{Label: format.ShortLabel("rate"), Unit: "% (95 % CI)", Number: true, Class: "nowrap"},
		{Label: "Rate and limits", Unit: "%", Class: "fcell c only-w", SVG: viz.ForestAxisSVG()},
		{Label: stat.ByID("likelihood_ratio").Label, Unit: "(95 % CI)", Number: true, Class: "nowrap only-x only-w"},
		{Label: "Verdict"},
	}}
	for k, b := range bands {
		few := b.Verdict == stat.TooFew
		r := doc.Row{Cells: []doc.Cell{
			{Value: viz.BandName(b.Lower, b.Upper), Swatch: viz.SwatchSVG(b.Lower, b.Upper), Band: k + 1}, {Value: b.N},
			{Value: shareOf(b.N, n), Format: doc.Shares(1)}, {Value: b.Events},
			{Value: b.Observed, Low: b.Low, High: b.High, Format: rates},
			{Value: "", Swatch: viz.ForestSVG(b)},
			ratio(stat.Ratio(b.Events, events, b.N-b.Events, n-events), stat.InfiniteRatio(b.N, b.Events, n-events)),
			{Value: b.Verdict, Chip: b.Verdict, Note: OnFewRows(b)},
		}}
		if few {
			r.Class = "is-few"
		}
		t.Rows = append(t.Rows, r)
	}
	all := doc.Cell{Value: "", Format: rates}
	if n > 0 {
		low, high := stat.Wilson(events, n)
		all.Value, all.Low, all.High = float64(events)/float64(n), &low, &high
	}
	t.Foot = []doc.Cell{{Value: "All"}, {Value: n}, {Value: 1., Format: doc.Shares(1)}, {Value: events}, all, {Value: ""},
		{Value: ""}, {Value: ""}}
	return t
}

// ratio is a likelihood ratio with its interval; an infinite one has a lower limit.
func ratio(e stat.Estimate, infinite bool) doc.Cell {
	if infinite {
		return InfiniteRatio(e)
	}
	if e.Low == nil || e.High == nil {
		return doc.Cell{Value: e.Value, Format: doc.Format{Style: doc.Ratio}}
	}
	return doc.Cell{Value: e.Value, Low: e.Low, High: e.High, Format: doc.Format{Style: doc.Joint, Null: 1, Bare: true}}
}

// InfiniteRatio is an infinite likelihood ratio with its lower limit.
func InfiniteRatio(e stat.Estimate) doc.Cell {
	text := viz.Infinite
	if e.Low != nil {
		text += " (" + viz.Range(doc.Format{Style: doc.Ratio}.Write(*e.Low), viz.Infinite) + ")"
	}
	return doc.Cell{Value: text}
}

// shareOf is n/all, nil where all is 0.
func shareOf(n, all int) *float64 {
	if all == 0 {
		return nil
	}
	v := float64(n) / float64(all)
	return &v
}

// HowEvaluated names the rows of the statistics, and how λ was chosen.
func (s Bands) HowEvaluated() string {
	text := judged(s.Result, s.Spec, "scored") + s.ofRepeat() + Independent(s.Result)
	if s.nested() && !s.Result.Apparent && !s.Result.Optimistic {
		text += " λ was chosen within each fold’s training rows; the stratify page chooses it once, so its numbers " +
			"are optimistic."
	}
	if s.ByHand && !s.Result.Optimistic { // as long as what stands here for a λ that was chosen: the page stands still
		text += " λ was set on this page. If that was to suit these folds, the numbers are optimistic, as are those of " +
			"a saved run: it keeps this λ."
	}
	return text
}

// Independent says of grouped rows that intervals ignore the groups.
func Independent(r *engine.Result) string {
	if r.Flow.Groups == 0 {
		return ""
	}
	return " Intervals treat all rows as independent, also those of one group."
}

// judged says by which models the rows were scored or answered, and whether λ was chosen on the same rows.
func judged(r *engine.Result, spec runspec.Spec, done string) string {
	text := madeBy(r, spec, done)
	if r.Optimistic && r.Given == nil && !r.Apparent {
		text += " λ was chosen on these same folds, so the numbers are optimistic: compare methods by saved runs, " +
			"which choose it inside each fold."
	}
	return text
}

// ScoredBy is the first sentence of HowEvaluated, for an audience.
func (s Bands) ScoredBy() string { return madeBy(s.Result, s.Spec, "scored") }

func madeBy(r *engine.Result, spec runspec.Spec, done string) string {
	if text := r.Given.HowEvaluated(spec.Validation.Kind == "split"); text != "" {
		return text
	}
	switch {
	case r.Apparent:
		return "Apparent: every row was " + done + " by the model that was trained on it."
	case spec.Validation.Kind == "split":
		return HeldOut(r)
	}
	return "Out of fold: every row was " + done + " by a model that was not trained on it."
}

// FirstRepeat says, with repeats of the cross-validation, that counts or a figure are of the first; "" without.
func FirstRepeat(spec runspec.Spec) string {
	if spec.Validation.Repeats > 1 {
		return " Of the first repeat."
	}
	return ""
}

// Pooled says, after cross-validation, that an AUC pools the scores of all folds, and with repeats that it is of the
// first; figure names the AUC. "" where one model scored all rows.
func Pooled(r *engine.Result, spec runspec.Spec, figure string) string {
	if spec.Validation.Kind != "cv" || r.Given != nil {
		return ""
	}
	text := " " + figure + " pools the out-of-fold scores of all folds; it is not a mean over folds."
	unscaled := spec.Model.Link() == loss.LinkNone
	if c := r.Classes; c != nil {
		unscaled = c.Pictures != nil && c.Pictures.By == engine.ByLead
	}
	if unscaled {
		text += " These scores are no probabilities: where their scale differs between folds, the pooled AUC is too low."
	}
	return text + FirstRepeat(spec)
}

// MeansOfRepeats says, with repeats, that numbers are means over them; rest names what is of the first. "" without.
func MeansOfRepeats(r *engine.Result, spec runspec.Spec, rest string) string {
	n := spec.Validation.Repeats
	switch {
	case n > 1 && r.IsRecalibrated():
		return fmt.Sprintf(" Numbers of the run’s model are of the first repeat, those of the others means of %d repeats.",
			n)
	case n > 1:
		return fmt.Sprintf(" Numbers are means of %d repeats; %s of the first repeat.", n, rest)
	}
	return ""
}

// HeldOut says on which rows a split evaluates.
func HeldOut(r *engine.Result) string {
	return "Evaluated on a hold-out of " + phrase.Count(r.Flow.Scored, "row") + ", which the model was not trained on."
}

// SameRows names what the models of a comparison share.
func SameRows(spec runspec.Spec) string {
	switch spec.Validation.Kind {
	case "split":
		return "on the same held-out rows"
	case "none":
		return "on the same rows"
	}
	return "on the same folds"
}

// nested reports whether λ was chosen in the training part of each fold.
func (s Bands) nested() bool {
	return s.Spec.Model.L2.Tuned() && len(s.Result.FoldL2) > 1
}

// reject sums up a rule with abstention.
func (s Bands) reject() []doc.Node {
	x := s.Result.Reject
	if x == nil {
		return nil
	}
	n := s.Result.Flow.Scored
	return []doc.Node{doc.Highlights{
		{Label: "Reportable", Value: fmt.Sprintf("%s of %s rows, %s%s", phrase.Int(x.Accepted), phrase.Int(n),
			viz.Percent(x.Rate, 1), format.Pc)},
		{Label: "Errors among them", Value: phrase.Int(x.Errors) + perCent(x.ErrorRate)},
		{Label: "Events among “don’t know”", Value: fmt.Sprintf("%s of %s rows", phrase.Int(x.RejectedEvents),
			phrase.Int(n-x.Accepted))},
		{Label: "Mean loss at cost " + viz.Short(x.Cost, 3), Value: viz.Number(x.Loss, 4)},
	}}
}

func perCent(p *float64) string {
	if p == nil {
		return ""
	}
	return ", " + viz.Percent(*p, 1) + format.Pc
}

// icons show a hundred people per band.
func (s Bands) icons() (all doc.Icons) {
	event := s.event()
	for k, b := range s.Result.Strata {
		i := doc.Icon{Name: viz.BandName(b.Lower, b.Upper), Text: "No rows.", Band: k + 1}
		few, of100 := b.Verdict == stat.TooFew, 0
		if b.Observed != nil {
			of100 = int(100**b.Observed + .5)
			i.Text = strconv.Itoa(of100) + " of 100 " + event
			if strings.Contains(event, " = ") {
				i.Text = strconv.Itoa(of100) + " of 100 with " + event
			}
			if few {
				i.Text += ", too few to rely on"
			}
		}
		i.SVG = viz.IconsSVG(of100, few, i.Name+": "+i.Text)
		all = append(all, i)
	}
	return all
}

// beside compares the models; its sentence is the verdict on the losses.
func (s Bands) beside() []doc.Node {
	sentences := engine.Verdict(s.Result)
	t := doc.Table{Label: "Models " + SameRows(s.Spec), Columns: []doc.Column{{Label: "Model"}}}
	for _, s := range viz.ShortList {
		t.Columns = append(t.Columns, doc.Column{Label: s.Label + phrase.NBSP + format.Arrow(s.Better), Number: true})
	}
	t.Columns[len(viz.ShortList)].Class = "only-w"
	for k, b := range s.Result.Strata {
		t.Columns = append(t.Columns, doc.Column{Label: viz.BandName(b.Lower, b.Upper), Unit: "events / rows", Number: true,
			Class: "only-w", Band: k + 1})
	}
	t.Columns = append(t.Columns, doc.Column{Label: "Bands inside", Unit: "or compatible", Number: true})
	for _, m := range s.Result.Beside {
		t.Rows = append(t.Rows, besideRow(s.Result, m))
	}
	t.Note = s.besideNote()
	return []doc.Node{doc.Say(sentences[len(sentences)-1]), doc.Block{t}}
}

// besideNote explains the comparison of the models.
func (s Bands) besideNote() string {
	note := "↓ lower is better, ↑ higher is better"
	if slices.ContainsFunc(s.Result.Beside, func(b engine.Beside) bool { return s.Result.LossDifference(b).Low != nil }) {
		note += "; small print: the run’s model, the first row, minus this one, with the paired 95" + format.Pc +
			" CI over the rows (" + s.lossInterval() + ")"
	}
	note += ". A band has too few rows if it " +
		"is neither inside nor outside and has under 30 rows, or under 5 events or non-events."
	note += MeansOfRepeats(s.Result, s.Spec, "differences and bands are")
	if !s.Result.RanksModels() {
		note += " " + engine.CloserFit
	}
	switch {
	case s.interval():
		note += " The interval model has no Brier score: it gives risk bands, not individual probabilities."
	case !s.soft():
		note += " A score of this loss has no probability, so the model has no Brier score."
	}
	return note
}

// lossInterval names how the intervals of the differences in interval loss are computed.
func (s Bands) lossInterval() string {
	if slices.ContainsFunc(s.Result.Beside, s.Result.LossResampled) {
		return "against logistic regression by " + stat.Resampled + ", otherwise " + stat.MeanInterval
	}
	return stat.MeanInterval
}

// differenceNote is the run's model minus another, with the 95 % interval on which the sentence above it is based; ""
// without one. The direction is that of all differences on the page; results store the opposite one.
func differenceNote(stored stat.Estimate, decimals int) string {
	if stored.Low == nil || stored.High == nil {
		return ""
	}
	d := stored.Negated()
	interval := viz.Range(viz.Signed(*d.Low, decimals), viz.Signed(*d.High, decimals))
	return viz.Signed(*d.Value, decimals) + " (" + interval + ")"
}

func besideRow(r *engine.Result, m engine.Beside) doc.Row {
	row := doc.Row{Cells: []doc.Cell{{Value: m.Title}}}
	for _, s := range viz.ShortList {
		row.Cells = append(row.Cells, doc.Cell{Value: m.Metrics.Of(s.ID).Value, Format: doc.Of(s)})
	}
	row.Cells[1].Note = differenceNote(r.LossDifference(m), 4)
	if m.ID == "model" {
		row.Class = "is-steer"
	}
	good, judged := 0, 0
	for _, k := range m.Strata {
		text := viz.None
		if k.N > 0 {
			text = phrase.Int(k.Events) + " / " + phrase.Int(k.N)
		}
		row.Cells = append(row.Cells, doc.Cell{Value: text})
		switch k.Verdict {
		case stat.Inside, stat.Compatible:
			good, judged = good+1, judged+1
		case stat.Unclear, stat.Outside:
			judged++
		}
	}
	row.Cells = append(row.Cells, doc.Cell{Value: strconv.Itoa(good) + " of " + strconv.Itoa(judged)})
	return row
}
