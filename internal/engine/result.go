package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/crossfit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/internal/engine/model"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
)

// Progress is what a run reports while it works.
type Progress = linear.Progress

// Warning is a doubt about data or model that is stored with a result.
type Warning = table.Warning

// Result is everything that a run reports, ready to store and show. All performance figures come from models
// that were not trained on the row; Apparent says where that was impossible.
type Result struct {
	Outcome    string       `json:"outcome"`
	Positive   table.Levels `json:"positive"` // none for multiclass tasks
	Negative   table.Levels `json:"negative"`
	Method     string       `json:"method"` // "α-loss, α = 4"
	Link       LinkWords    `json:"link"`   // how a score becomes a probability
	Boundaries []float64    `json:"boundaries"`
	Delta      []float64    `json:"delta"`      // cut-offs in score space
	Validation string       `json:"validation"` // in words: "5 folds, stratified, nested tuning"
	Apparent   bool         `json:"apparent"`   // evaluated on training rows
	Optimistic bool         `json:"optimistic"` // λ was chosen on the evaluation folds
	Cut        float64      `json:"cut"`        // probability threshold of accuracy, sensitivity and specificity

	// No fit that scored rows uses a predictor. Scores then differ only by the intercepts of the folds, so AUC
	// is ½ and no curve that depends on the order of rows is drawn.
	NoPredictor bool `json:"no_predictor,omitempty"`

	Metrics  Metrics        `json:"metrics"`
	Strata   []stat.Stratum `json:"strata"`
	Monotone bool           `json:"monotone"` // observed rates increase from band to band
	Reject   *stat.Reject   `json:"reject"`   // only with two boundaries in mode reject
	Beside   []Beside       `json:"beside"`   // this model and its baselines, on the same folds
	Flow     Flow           `json:"flow"`
	Table1   []Table1Row    `json:"table1"`
	// density of the score by outcome level, including levels that are only scored
	Density  []Density `json:"density"`
	PCA      *PCA      `json:"pca"`
	Pictures *Pictures `json:"pictures,omitempty"` // nil in runs of older versions
	Clinical *Clinical `json:"clinical,omitempty"` // nil in runs of older versions
	// the tuning curve of the final fit; of a kernel at the γ chosen
	Tuning []crossfit.TuningPoint `json:"tuning"`
	// all pairs of γ and λ tried for the final fit, where γ was tuned
	Trials  []crossfit.TuningPoint `json:"trials,omitempty"`
	L2      float64                `json:"l2"`     // λ of the final fit
	L2OneSE *float64               `json:"l2_1se"` // λ by the one-standard-error rule
	// λ of each evaluation fold, by repeat, then by fold
	FoldL2       []float64     `json:"fold_l2"`
	FoldGamma    []float64     `json:"fold_gamma,omitempty"` // γ of each evaluation fold, where it was tuned
	Coefficients []Coefficient `json:"coefficients"`
	// how the intervals of the odds ratios were computed, or why there are none; "" in runs of older versions
	OddsRatioNote string `json:"odds_ratio_note,omitempty"`
	// partial effects of the columns with a spline; only of linear models
	Splines []SplineCurve `json:"splines,omitempty"`
	// importance of the terms in trees; null for a linear model
	Importance []model.Importance `json:"importance"`
	Kernel     *KernelSummary     `json:"kernel,omitempty"`
	Given      *Given             `json:"given,omitempty"` // of predictions that came with the data

	Objective    float64  `json:"objective"`
	Gap          *float64 `json:"gap"`
	GradientNorm *float64 `json:"gradient_norm"`
	Iterations   int      `json:"iterations"`
	Evaluations  int      `json:"evaluations"`
	Stopped      string   `json:"stopped"`
	Starts       []Start  `json:"starts"` // of the final fit; null for a convex loss with a single start
	// objective over the iterations of the final fit, thinned; with several starts, of the one kept
	Trace    []crossfit.TracePoint `json:"trace,omitempty"`
	Seconds  float64               `json:"seconds"`   // duration of the final fit alone
	ElapsedS float64               `json:"elapsed_s"` // duration of the whole run
	Warnings []Warning             `json:"warnings"`

	Before *Shown `json:"before,omitempty"` // of a run saved from a page: the figures that the page had shown
	Maker  *Maker `json:"maker,omitempty"`  // the build and processor that computed it; nil in results of earlier versions

	// only of multiclass tasks; the fields for two classes are empty then
	Classes *ClassResult `json:"classes,omitempty"`

	Model *model.Model `json:"-"` // model.json
	Rows  []RowScore   `json:"-"` // rows.csv
}

// Maker is what decides the last bits of a result besides its spec and its data.
type Maker struct {
	Engine string `json:"engine"` // the build of the program
	Class  string `json:"class"`  // of the processor
}

// Start is where one starting point of a fit led.
type Start = linear.StartReport

// LinkWords describes how a score becomes the probability of the event. Where the log odds are not linear in
// the score, the odds ratio of a coefficient depends on the score; the slopes say how steep the log odds are at
// score 0 and on average over the training rows.
type LinkWords struct {
	ID           string   `json:"id"`
	Formula      string   `json:"formula"` // in words and plain symbols
	SlopeAtZero  *float64 `json:"slope_at_zero"`
	SlopeAverage *float64 `json:"slope_average"`
	Note         string   `json:"note,omitempty"` // about odds ratios
}

// ClosedForm reports whether the probability is a formula of the score.
func (l LinkWords) ClosedForm() bool { return loss.ClosedForm(l.ID) }

// Text is the formula as pages print it. Results of versions before exp(…) hold its powers with a caret, and the
// API still answers what they hold.
func (l LinkWords) Text() string {
	classes := strings.HasPrefix(l.Formula, "P_c")
	switch {
	case classes && l.ID == loss.LinkSoftmax:
		return "Pₖ = exp(fₖ) / Σⱼ exp(fⱼ)"
	case classes && l.ID == loss.LinkEscort:
		return "Pₖ ∝ exp(t₁ · log pₖ), p the model’s own probabilities"
	case l.ID == loss.LinkEscort && strings.Contains(l.Formula, "^"):
		return "logit P = t₁ · logit p, p the model’s own probability"
	}
	return powerBefore.ReplaceAllString(l.Formula, "exp(−$1$2)")
}

var powerBefore = regexp.MustCompile(`\be\^(?:\(−([^()]+)\)|−(f)\b)`)

// KernelSummary describes the kernel expansion of the final fit.
type KernelSummary struct {
	Name      string   `json:"name"`
	Gamma     *float64 `json:"gamma"`  // null for the linear kernel
	Degree    int      `json:"degree"` // 0 except for poly
	Rows      int      `json:"rows"`   // training rows
	Support   int      `json:"support"`
	Landmarks int      `json:"landmarks"`   // number of Nyström landmarks; 0 means the exact kernel
	ExactUpTo int      `json:"exact_up_to"` // number of rows up to which the kernel is exact
}

// Metrics are those of the model on its training rows and on the test rows, and those of the baselines on the
// same test rows.
type Metrics struct {
	Train     stat.Binary            `json:"train"`
	Test      stat.Binary            `json:"test"`
	Baselines map[string]stat.Binary `json:"baselines"` // "logistic", "null"
}

// Beside is one row of the comparison table. Difference is the interval loss of this model minus that of the
// run's model, with the standard error of the paired difference over rows.
type Beside struct {
	ID      string         `json:"id"` // "model", "logistic", "null"
	Title   string         `json:"title"`
	Metrics stat.Binary    `json:"metrics"`
	Strata  []stat.Stratum `json:"strata"`
	L2      *float64       `json:"l2"`

	Difference   *float64 `json:"difference"`
	DifferenceSE *float64 `json:"difference_se"`
}

// RanksModels reports whether differences to other models on the same rows have intervals and verdicts. On the rows
// that the models were trained on they have none: a closer fit looks better there, whatever it does on new rows.
func (r *Result) RanksModels() bool { return !r.Apparent }

// DropRanks removes what ranks models from a result where RanksModels is false: intervals, standard errors and tests of
// differences, and the warning drawn from them. Earlier versions stored them, so the store drops them from each result
// it reads.
func (r *Result) DropRanks() {
	if r.RanksModels() {
		return
	}
	for i := range r.Beside {
		r.Beside[i].DifferenceSE = nil
	}
	if c := r.Classes; c != nil {
		for i := range c.Beside {
			c.Beside[i].DifferenceSE = nil
		}
	}
	if c := r.Clinical; c != nil {
		if c.AUC != nil {
			alone := c.AUC.Untested()
			c.AUC = &alone
		}
		if c.Paired != nil {
			alone := c.Paired.Untested()
			c.Paired = &alone
		}
		if c.Reclassified != nil {
			alone := c.Reclassified.Untested()
			c.Reclassified = &alone
		}
	}
	r.Warnings = slices.DeleteFunc(r.Warnings, func(w Warning) bool { return w.Code == WarnLogisticBetter })
}

// CloserFit stands below a comparison of models where RanksModels is false.
const CloserFit = "On the training rows a closer fit looks better, whatever it does on new rows: no difference has " +
	"an interval or a verdict."

// LossDifference returns the interval loss of a comparison model minus that of the run's model, with the
// interval on which every verdict is based. Against logistic regression it is the paired bootstrap interval of
// the run's table of differences, which respects groups: a normal interval beside it could lead to another
// verdict. Other comparisons have the normal interval.
func (r *Result) LossDifference(b Beside) stat.Estimate {
	d := stat.WithError(b.Difference, b.DifferenceSE)
	if r.LossResampled(b) {
		drawn := r.Clinical.Paired.IntervalLoss.Difference // stored as the run minus the regression
		low, high := -*drawn.High, -*drawn.Low
		d.Low, d.High = &low, &high
	}
	return d
}

// LossResampled reports whether LossDifference has the bootstrap's interval.
func (r *Result) LossResampled(b Beside) bool {
	return b.ID == "logistic" && b.Difference != nil && r.Clinical != nil && r.Clinical.Paired != nil &&
		r.Clinical.Paired.IntervalLoss.Difference.Low != nil
}

// Repeats is the number of repeats of the cross-validation. It is read from the description of the validation, the one
// place where results of every version have it.
func (r *Result) Repeats() int {
	for part := range strings.SplitSeq(r.Validation, ", ") {
		if text, found := strings.CutSuffix(part, " repeats"); found {
			if n, err := strconv.Atoi(text); err == nil && n > 1 {
				return n
			}
		}
	}
	return 1
}

// IsRecalibrated reports whether the risks of a fitted model were moved for another population, without training. Its
// metrics are then those of the rows it kept, the first repeat, and not compared with those of the models beside it.
func (r *Result) IsRecalibrated() bool {
	return slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Code == WarnRecalibrated })
}

// MeanOfRepeats says after a metric that it is a mean over the repeats, whose difference is that of the first; ""
// without repeats.
func (r *Result) MeanOfRepeats() string {
	n := r.Repeats()
	switch {
	case n == 1:
		return ""
	case r.IsRecalibrated():
		return fmt.Sprintf("of the first repeat; losses of the models beside it are means of %d repeats", n)
	}
	return fmt.Sprintf("losses are means of %d repeats, a difference and its interval are of the first repeat", n)
}

// Flow counts the rows at every step: read, dropped (with reasons), trained on, scored.
type Flow struct {
	Read          int               `json:"read"`
	Dropped       []table.Drop      `json:"dropped"`
	NoOutcome     int               `json:"no_outcome"` // scored, not used for training
	ScoreOnly     []table.LevelRows `json:"score_only"` // scored, not used for training
	Trained       int               `json:"trained"`    // rows used to train any of the models
	TrainedEvents int               `json:"trained_events"`
	Scored        int               `json:"scored"` // rows in the strata table
	ScoredEvents  int               `json:"scored_events"`
	Groups        int               `json:"groups"` // number of groups whose rows stay in one fold; 0 without grouping
	// training rows whose label or features were corrupted by injected noise
	Flipped int `json:"flipped"`

	Relabelled int `json:"relabelled,omitempty"` // labels changed by a review
	LeftOut    int `json:"left_out,omitempty"`   // scored only, because a review left them out
}

// Table1Row describes one predictor by outcome: a numeric one by median and quartiles, a level by its count.
type Table1Row struct {
	Name     string     `json:"name"`
	Level    string     `json:"level,omitempty"`
	Negative [3]float64 `json:"negative"` // Q1, median, Q3; or count, share, 0
	Positive [3]float64 `json:"positive"`
	Missing  int        `json:"missing"`
	// MissingIn is the number of missing values without and with the event; nil in results of an older version.
	MissingIn []int `json:"missing_in,omitempty"`
}

// ByClass returns Table 1 by class for any task; with an event, non-events are the first class.
func (r *Result) ByClass() []ClassTable1 {
	if r.Classes != nil {
		return r.Classes.Table1
	}
	var all []ClassTable1
	for _, t := range r.Table1 {
		all = append(all, ClassTable1{t.Name, t.Level, [][3]float64{t.Negative, t.Positive}, t.Missing,
			t.MissingIn})
	}
	return all
}

// Density is a Gaussian kernel density of the score (Silverman's bandwidth).
type Density struct {
	Level   string    `json:"level"`
	N       int       `json:"n"`
	Trained bool      `json:"trained"` // false: a level that is only scored
	Median  float64   `json:"median"`
	X       []float64 `json:"x"`
	Y       []float64 `json:"y"`
}

// PCA holds the first two principal components of the standardised test rows (all rows, under
// cross-validation), at most 2,000 of them.
type PCA struct {
	Share [2]float64 `json:"share"` // shares of the variance
	X     []float64  `json:"x"`
	Y     []float64  `json:"y"`
	Band  []int      `json:"band"`
	Event []bool     `json:"event"`
	Row   []int      `json:"row"`
	// places of rows that form a group of 1 to 9 and could be counted in the plot: by a level, a missing value,
	// one of two numbers, or by differing from a number that all others share
	Few []int `json:"few,omitempty"`
}

// Coefficient is one term of the model.
type Coefficient struct {
	Name  string  `json:"name"`
	Class string  `json:"class,omitempty"` // only of multiclass models: the class whose score it belongs to
	Value float64 `json:"value"`           // per natural unit
	// per population SD; null in a run kept without its data where it would reveal how few rows have a level
	Standardized *float64 `json:"standardized"`
	OddsRatio    *float64 `json:"odds_ratio"` // where the link is logistic

	OddsRatioLocal   *float64 `json:"odds_ratio_local"`   // where it depends on the score: at score 0
	OddsRatioAverage *float64 `json:"odds_ratio_average"` // its geometric mean over the training rows

	// Wald's 95 % interval of OddsRatio; only of saved logistic regressions without penalty
	OddsRatioCI *[2]float64 `json:"odds_ratio_ci,omitempty"`
}

// RowScore is one row of rows.csv.
type RowScore struct {
	Row     int    // 0-based data row
	Outcome string // as uploaded
	// "train", "test" or the number of the fold from "1"; "scored" for rows that are never used for training
	Split       string
	Score       float64 // score of a model that was not trained on the row
	Probability *float64
	Stratum     int // 0…K
	Weight      *float64
	Flipped     bool

	Scores        []float64 // only of multiclass tasks, one per class; Score and Stratum are 0 then
	Probabilities []float64 // one per class; nil for a loss without probabilities
	Predicted     int       // index of the class, or stat.Abstained
}

// Clinical are the statistics of a report that cannot be derived from the rows: performance on the training
// rows, differences to logistic regression on the same folds, and variance inflation. With repeated
// cross-validation they are those of the first repeat, like the rows.
type Clinical struct {
	Apparent stat.Performance `json:"apparent"` // the final fit on its own training rows
	Judged   stat.Performance `json:"judged"`   // test rows, with intervals
	// AUC of the model minus that of logistic regression; null for logistic regression itself
	AUC *stat.AUCDifference `json:"auc"`
	// differences to it by a paired bootstrap; null also in runs of older versions
	Paired *stat.Comparison `json:"paired"`
	// from the bands of logistic regression to those of the model; null also in runs of older versions
	Reclassified *stat.Reclassification `json:"reclassified"`
	Parameters   int                    `json:"parameters"` // terms of the design matrix
	Inflation    []Inflation            `json:"inflation"`  // null for trees and for very many terms
}

// Inflation is the variance inflation factor of a term, null where other terms determine it or it is constant.
// The terms of a spline share a generalised factor (stat.GVIF).
type Inflation struct {
	Name string   `json:"name"`
	VIF  *float64 `json:"vif"`
}

// Pictures are the curves over the test rows; with repeated cross-validation, those of the first repeat, like
// the strata.
type Pictures struct {
	ROC         stat.ROCCurve             `json:"roc"`
	Calibration *stat.SmoothedCalibration `json:"calibration"` // null without probabilities
	Confusion   stat.Classes              `json:"confusion"`   // at the threshold Cut, non-events first
	GiveUp      *GiveUp                   `json:"give_up"`     // null for a loss that does not down-weight rows
}

// GiveUp is the histogram of the weight factors g = p^(t2−t1) of the rows, where p belongs to the label the row
// was trained with (docs/clinical.md, Label audit).
type GiveUp struct {
	Bins []GiveUpBin `json:"bins"`
	Half int         `json:"half"` // rows with a factor below ½
}

// ByAnswer returns the histogram in the form that multiclass tasks use: events count as Right.
func (g *GiveUp) ByAnswer() *ClassGiveUp {
	all := &ClassGiveUp{Half: g.Half}
	for _, b := range g.Bins {
		all.Bins = append(all.Bins, ClassGiveUpBin{b.Lower, b.Upper, b.Events, b.Others, b.Flipped})
	}
	return all
}

// GiveUpBin counts the rows with a factor in (Lower, Upper]. The first bin includes 0; the last includes all
// larger factors.
type GiveUpBin struct {
	Lower   float64 `json:"lower"`
	Upper   float64 `json:"upper"`
	Events  int     `json:"events"` // by the label as uploaded
	Others  int     `json:"others"`
	Flipped int     `json:"flipped"` // of both, rows whose label was flipped by injected noise
}

// SplineCurve is the partial effect of a column with a natural cubic spline in a linear model: its contribution
// to the score, minus that of its median, over the range of the training rows. Values are in the unit of
// model.json, so a date counts from its origin.
type SplineCurve struct {
	Column    string     `json:"column"`
	Knots     []float64  `json:"knots"`     // none where the column has too few distinct values for a spline
	Reference float64    `json:"reference"` // the median
	Origin    *float64   `json:"origin,omitempty"`
	Quartiles [2]float64 `json:"quartiles"`
	X         []float64  `json:"x"`
	Effect    []float64  `json:"effect"`          // contribution to the score at each X
	Scale     float64    `json:"scale,omitempty"` // log odds per unit of score; absent where the link is not logistic
	Contrasts []Contrast `json:"contrasts"`
	Bins      []int      `json:"bins"` // histogram of the training values in bins of equal width over the range of X
}

// Contrast is the difference in score between two values and, where the link is logistic, the corresponding
// odds ratio (Harrell, Regression Modeling Strategies, section 5.1: contrasts of quartiles are easier to
// interpret than spline coefficients).
type Contrast struct {
	From      float64  `json:"from"`
	To        float64  `json:"to"`
	Effect    float64  `json:"effect"`
	OddsRatio *float64 `json:"odds_ratio"`
}
