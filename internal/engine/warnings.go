package engine

import (
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/check"
	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/engine/tune"
)

// warnings returns the warnings about the model and its numbers.
func (j *eventRun) warnings(r *Result) []Warning {
	var all []Warning
	add := func(code, format string, args ...any) { all = append(all, check.Note(code, "", format, args...)) }
	if oneBand(r) >= 0 {
		add(WarnOneBand, "%s", j.trap(r))
	}
	if text := Unused(r); text != "" {
		add(WarnNoPredictor, "%s", text)
	}
	if j.spec.Validation.Kind == "cv" && r.Given == nil {
		if text := r.unlikeFolds(j.finalBands(r)); text != "" {
			add(WarnNeverPredicted, "%s", text)
		}
	}
	var regime []string
	if known, ok := j.how.Loss.(loss.Regimer); ok && !j.spec.Model.Boosted() {
		regime = known.Regime().Warnings
	}
	all = append(all, j.warned(r, j.uncertified(), regime)...)
	if trees := j.model.Final.Fitted.Trees; trees != nil {
		for _, text := range trees.Warnings {
			add(WarnTrees, "%s", text)
		}
	}
	if text := r.Kernel.nystrom(); text != "" {
		add(WarnKernel, "%s", text)
	}
	if !r.Monotone && !r.NoPredictor { // without predictors, bands differ only by the intercepts of the folds
		add(check.WarnNotMonotone, "The observed rates do not rise from band to band.")
	}
	if oneBand(r) < 0 && !r.NoPredictor {
		for k, s := range r.Strata {
			if s.Verdict == stat.TooFew {
				text := check.TooFew(r.Boundaries, k, s)
				if s.N > 0 && s.N < stat.MinRows {
					text += " Consider merging it with a neighbouring band."
				}
				add(check.WarnFewInStratum, "%s", text)
			}
		}
	}
	if text := outdone(r); text != "" {
		add(WarnLogisticBetter, "%s", text)
	}
	if text := j.separated(); text != "" && !j.spec.Model.Given() {
		add(WarnSeparation, "%s", text)
	}
	return all
}

// warned returns the warnings that any task can have about training, evaluation and fit. regime are those of
// the loss; uncertified is "" where every fit reached its tolerance.
func (c *comparison) warned(r *Result, uncertified string, regime []string) (all []Warning) {
	add := func(code, text string) { all = append(all, check.Note(code, "", "%s", text)) }
	if c.p.Noise != nil {
		add(WarnNoise, c.p.Noise.Words(r.Flow.Trained, c.spec.Model.Tuned()))
	}
	if text := r.Given.origin(); text != "" {
		add(WarnGiven, text)
	}
	if r.Apparent {
		add(WarnApparent, "No hold-out: all figures are on training data and therefore optimistic.")
	}
	if r.Optimistic {
		add(WarnOptimistic, "λ was chosen on the evaluation folds: the results are optimistic.")
	}
	for _, e := range c.model.Edges {
		add(WarnGridEdge, edgeWords(e))
	}
	if uncertified != "" {
		add(WarnNotCertified, uncertified)
	}
	for _, text := range regime {
		add(WarnLoss, text)
	}
	if text := scattered(r.Starts); text != "" {
		add(WarnStarts, text)
	}
	return all
}

// sameMinimum is the relative difference of objectives below which two starts count as having found the same
// minimum.
const sameMinimum = 1e-6

// scattered says that the starts ended at different minima.
func scattered(starts []Start) string {
	var kept Start
	for _, s := range starts {
		if s.Kept {
			kept = s
		}
	}
	var worst *Start
	worse := 0
	for i, s := range starts {
		if s.Objective > kept.Objective+sameMinimum*math.Abs(kept.Objective)+1e-12 {
			if worse++; worst == nil || s.Objective > worst.Objective {
				worst = &starts[i]
			}
		}
	}
	if worst == nil {
		return ""
	}
	return fmt.Sprintf("%d of %d initialisations ended at a worse minimum (from %s: objective %s; kept, from %s: %s): "+
		"the objective has several minima, and a better one than the kept may exist.", worse, len(starts), worst.Start,
		phrase.Significant(worst.Objective, 6), kept.Start, phrase.Significant(kept.Objective, 6))
}

// trap explains why all rows are in one band and suggests boundaries about the prevalence, for example 2, 5 and
// 10 % with 5 % events.
func (j *eventRun) trap(r *Result) string {
	if tried(around(prevalence(r)), r.Boundaries) {
		return "All rows fall in one band: " + j.flat()
	}
	model := "interval model"
	if j.how.Family.Kind != loss.KindInterval {
		model = "model"
	}
	p := prevalence(r)
	return fmt.Sprintf("All rows fall in one band: at this prevalence the %s does not split the data. Try boundaries "+
		"near %s%s%%.", model, suggested(p), phrase.NBSP)
}

// flat explains why the scores hardly differ, where boundaries about the prevalence were tried already.
func (j *eventRun) flat() string {
	if l2 := j.spec.Model.L2; j.spec.Model.Penalised() && !l2.Tuned() {
		return fmt.Sprintf("a penalty of λ = %s shrinks the scores almost to a constant. Try a smaller λ, or let "+
			"cross-validation "+
			"choose it.", phrase.Number(l2.Value))
	}
	return "these predictors hold too little information about the outcome to separate the rows."
}

// tried reports whether every suggested boundary is close to one of those used.
func tried(suggested, used []float64) bool {
	for _, s := range suggested {
		if !slices.ContainsFunc(used, func(b float64) bool { return math.Abs(b-s) <= 0.051 }) {
			return false
		}
	}
	return true
}

func prevalence(r *Result) float64 { return float64(r.Flow.ScoredEvents) / float64(r.Flow.Scored) }

// SuggestBoundaries returns three boundaries about the prevalence, for a result with all rows in one band.
func SuggestBoundaries(r *Result) []float64 {
	return around(prevalence(r))
}

func around(p float64) []float64 {
	if p >= 0.1 && p <= 0.9 { // for these, check.SuggestBoundaries returns the quarters, which were tried
		return []float64{twentieth(p / 2), twentieth(p), twentieth(min(2*p, (1+p)/2))}
	}
	return check.SuggestBoundaries(p)
}

// suggested words three boundaries about a prevalence, in the form in which one types them.
func suggested(p float64) string {
	three := around(p)
	return phrase.Field(100*three[0], 10) + ", " + phrase.Field(100*three[1], 10) + ", " + phrase.Field(100*three[2], 10)
}

// twentieth rounds to a multiple of 5 %.
func twentieth(p float64) float64 { return math.Round(20*p) / 20 }

// uncertified says how far from the tolerance the fits stopped; "" if all reached it.
func (j *eventRun) uncertified() string {
	if j.model.Final.Certified() && j.model.Uncertified == 0 {
		return ""
	}
	if j.spec.Model.Solver == "pegasos" {
		return fmt.Sprintf("PEGASOS fits without an intercept and converges slowly: the final fit stopped at a relative "+
			"gap of %s. Choose solver auto for final results.", phrase.Significant(*j.model.Final.Fitted.Gap, 2))
	}
	if j.spec.Model.Solver == "subgradient" {
		return "The subgradient method gives no bound on its distance from the optimum: choose the Newton solver for " +
			"final results."
	}
	fit := j.model.Final.Fitted
	if j.model.Final.Certified() {
		return fmt.Sprintf("%s stopped before the tolerance was reached; the final fit reached it.",
			phrase.Plural(j.model.Uncertified, "fold’s fit", "folds’ fits"))
	}
	if fit.Gap != nil {
		return fmt.Sprintf("The final fit stopped at a relative duality gap of %s, above the tolerance of 10⁻⁶.",
			phrase.Significant(*fit.Gap, 2))
	}
	return "The final fit stopped before the tolerance was reached."
}

// edgeWords says at which end of its grid λ or γ was chosen, and what to do about it.
func edgeWords(e tune.Edge) string {
	name, end, further, factor := "λ", "lower", "smaller", 1./16
	if e.High {
		end, further, factor = "upper", "larger", 16
	}
	if e.Gamma {
		name = "γ"
	}
	return fmt.Sprintf("%s was chosen at the %s end of its grid, %s: a %s %s may do better. Widen the grid: give %s as a "+
		"number, for example %s, and compare the runs.", name, end, phrase.Significant(e.Value, 3), further, name, name,
		phrase.Field(e.Value*factor, 3)) // as one types it
}

// outdone says that the regression has a significantly lower mean loss than the model: ℓ_π, or the cost of its
// answers.
func outdone(r *Result) string {
	for _, b := range r.Beside {
		if b.ID == "logistic" && stat.LowerBetter.Verdict(r.LossDifference(b)) == stat.Better {
			return outdoneBy(r.besideWords(), stat.ByID("interval_loss").InSentence(), b.Metrics.IntervalLoss,
				r.Metrics.Test.IntervalLoss)
		}
	}
	if c := r.Classes; c != nil {
		for _, b := range c.Beside {
			if b.ID == "logistic" && stat.LowerBetter.Verdict(b.CostDifference()) == stat.Better {
				return outdoneBy("softmax regression", c.Criterion, &b.Cost, &c.Cost)
			}
		}
	}
	return ""
}

func outdoneBy(regression, measure string, lower, higher *float64) string {
	text := phrase.UpperFirst(regression) + " has a " + stat.LowerBetter.VerdictWords(stat.Better, measure)
	if low, high := loss3(lower), loss3(higher); low != high {
		return text + ": " + low + " against " + high + "."
	}
	return text + ": both round to " + loss3(lower) + "."
}

// separated says that the final fit separates all its training rows by class.
func (j *eventRun) separated() string {
	low, high := math.Inf(1), math.Inf(-1) // lowest score of an event, highest of a non-event
	for i, f := range j.model.Train {
		if j.p.Final.Design.Label[i] > 0 {
			low = min(low, f)
		} else {
			high = max(high, f)
		}
	}
	if high < low {
		text := "The predictors together predict the training rows perfectly"
		if kind := j.spec.Model.Kind; kind == "boost" || kind == "kernel" { // they have no coefficients
			return text + "."
		}
		return text + ": the penalty decides the size of the coefficients."
	}
	return ""
}

// warnings returns the warnings about the model and its numbers.
func (b *classRun) warnings(r *Result) []Warning {
	var all []Warning
	add := func(code, format string, args ...any) { all = append(all, check.Note(code, "", format, args...)) }
	uncertified := ""
	if n := b.model.Uncertified; n > 0 {
		uncertified = phrase.Plural(n, "fit", "fits") + " stopped before the tolerance was reached."
	}
	all = append(all, b.warned(r, uncertified, b.model.Final.Potential.Warnings)...)
	for _, row := range r.Classes.Metrics.Test.PerClass {
		if row.Predicted == 0 && row.Support > 0 {
			add(WarnNeverPredicted, "No row is answered with %s.", phrase.Quote(row.Level))
		}
	}
	if b.task.Ordered() && b.spec.Validation.Kind == "cv" {
		var folds []collapsible
		for _, q := range b.p.Parts[0] {
			f := collapsible{name: q.Name, answers: make([]int, len(r.Classes.Levels))}
			for _, at := range q.Test() {
				if class := b.answers.repeat[0].Class[at]; class != stat.Abstained {
					f.answers[class]++
				}
			}
			folds = append(folds, f)
		}
		for _, text := range collapsed(folds, r.Classes.Levels) {
			add(WarnNeverPredicted, "%s", text)
		}
	}
	for _, text := range b.unlikeFolds(r) {
		add(WarnNeverPredicted, "%s", text)
	}
	for _, c := range r.Classes.Rows {
		if c.Trained < fewRows {
			add(WarnFewInClass, "%s of class %s to train on: its results are exploratory only.",
				phrase.Plural(c.Trained, "row", "rows"), phrase.Quote(c.Level))
		}
	}
	if text := outdone(r); text != "" {
		add(WarnLogisticBetter, "%s", text)
	}
	return all
}

// collapsible is a fold with its answers by class.
type collapsible struct {
	name    string
	answers []int
}

// leastMissed is the number of answers that a class would have in a fold, by its share in the other folds, from which
// none at all is no chance: a Poisson number of mean 7 is 0 in one of a thousand cases, and ten folds of five classes
// are fifty cases.
const leastMissed = 7

// collapsed names the folds whose fit never answers a class that the other folds do answer, as where two thresholds of
// an ordered model meet. The metrics pool such a fold with the others.
func collapsed(folds []collapsible, levels []string) (words []string) {
	total, all := make([]int, len(levels)), 0
	for _, f := range folds {
		for k, n := range f.answers {
			total[k], all = total[k]+n, all+n
		}
	}
	for k, level := range levels {
		var names []string
		for _, f := range folds {
			rows := 0
			for _, n := range f.answers {
				rows += n
			}
			if f.answers[k] == 0 && rows < all && float64(rows)*float64(total[k])/float64(all-rows) >= leastMissed {
				names = append(names, f.name)
			}
		}
		switch len(names) {
		case 0:
		case 1:
			words = append(words, fmt.Sprintf("In fold %s no row is answered with %s, although in other folds some are: "+
				"its fit or its rows differ. The metrics are over all folds.", names[0], phrase.Quote(level)))
		default:
			words = append(words, fmt.Sprintf("In folds %s no row is answered with %s, although in other folds some are: "+
				"their fits or rows differ. The metrics are over all folds.", phrase.Join(names), phrase.Quote(level)))
		}
	}
	return words
}

// finalBands counts the training rows by the band of the final model.
func (j *eventRun) finalBands(r *Result) []int {
	n := make([]int, len(r.Strata))
	for _, k := range j.apparent(j.p.Events(j.p.Final.Train())).Band {
		n[k]++
	}
	return n
}

// unlikeFolds says in which bands the final model puts no training row although the models of the folds put rows there,
// by the rows of each band; "" where a warning about predictors says more.
func (r *Result) unlikeFolds(final []int) string {
	if Unused(r) != "" {
		return ""
	}
	folds := make([]int, len(r.Strata))
	for k, s := range r.Strata {
		folds[k] = s.N
	}
	missed, only := neverFinal(final, folds)
	switch {
	case only >= 0:
		return "The final model puts every training row into the band " + phrase.Band(r.Boundaries, only) + finalAlone
	case len(missed) > 0:
		return "The final model puts no training row into the " + plural(missed, "band ", "bands ") + r.named(missed) +
			finalAlone
	}
	return ""
}

// unlikeFolds says which answers the final model never gives although the models of the folds do. Abstention is one
// more answer; that the model never abstains is said only where it gives every other answer.
func (c *comparison) unlikeFolds(r *Result) []string {
	if c.spec.Validation.Kind != "cv" || r.Given != nil {
		return nil
	}
	counts := func(m stat.Classes) (n []int) {
		for _, row := range m.PerClass {
			n = append(n, row.Predicted)
		}
		return append(n, m.N-m.Answered)
	}
	m, abstained := r.Classes.Metrics, len(r.Classes.Levels)
	missed, only := neverFinal(counts(m.Train), counts(m.Test))
	var quoted []string
	for _, k := range missed {
		if k != abstained {
			quoted = append(quoted, phrase.Quote(r.Classes.Levels[k]))
		}
	}
	const its = "On its training rows the final model "
	var text string
	switch {
	case only == abstained:
		text = "The final model abstains on every training row"
	case only >= 0:
		text = "The final model answers every training row with " + phrase.Quote(r.Classes.Levels[only])
	case len(quoted) == 1:
		text = its + "never gives the answer " + quoted[0]
	case len(quoted) > 1:
		text = its + "gives none of the answers " + phrase.Join(quoted)
	case len(missed) > 0:
		text = its + "never abstains"
	default:
		return nil
	}
	return []string{text + finalAlone}
}

// finalAlone ends a warning that the final model, which is kept, differs from those that were evaluated.
const finalAlone = ", unlike the models of the folds: the results are theirs, not its own."

// neverFinal compares how often the final model gives each answer in its training rows with how often the models of the
// folds do. It returns the answers that the final model never gives, where by the share in the folds that is no chance,
// and the only one that it gives if at least one other is among these, otherwise −1.
func neverFinal(final, folds []int) (missed []int, only int) {
	trained, tested := 0, 0
	for k := range final {
		trained, tested = trained+final[k], tested+folds[k]
	}
	only = -1
	for k, n := range folds {
		switch {
		case final[k] == trained:
			only = k
		case final[k] == 0 && tested > 0 && float64(n)*float64(trained)/float64(tested) >= leastMissed:
			missed = append(missed, k)
		}
	}
	if len(missed) == 0 {
		only = -1
	}
	return missed, only
}

// fewRows is the number of rows below which the figures of a class are too imprecise to report without a
// warning.
const fewRows = 10
