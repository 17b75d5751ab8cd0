package engine

import (
	"taper/internal/engine/crossfit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/model"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
)

// Progress is what a run reports while it works.
type Progress = linear.Progress

// Warning is a doubt that travels with a result.
type Warning = table.Warning

// Result is everything a run found, ready to store and show. Every number
// about performance comes from models that did not see the row; Apparent says
// when that could not be so.
type Result struct {
	Outcome    string       `json:"outcome"`
	Positive   table.Levels `json:"positive"` // none with several classes
	Negative   table.Levels `json:"negative"`
	Method     string       `json:"method"` // "α-loss, α = 4"
	Link       LinkWords    `json:"link"`   // from score to probability
	Boundaries []float64    `json:"boundaries"`
	Delta      []float64    `json:"delta"`      // cut-offs in score space
	Validation string       `json:"validation"` // in words: "5 folds, stratified, nested tuning"
	Apparent   bool         `json:"apparent"`   // scored by a model that saw the rows
	Optimistic bool         `json:"optimistic"` // λ chosen on the same folds
	Cut        float64      `json:"cut"`        // probability at which accuracy, sensitivity and specificity are cut

	// No fit that scored rows uses a predictor: rows differ by their fold's
	// intercept at most, so that AUC is ½ and nothing is drawn of their order.
	NoPredictor bool `json:"no_predictor,omitempty"`

	Metrics  Metrics        `json:"metrics"`
	Strata   []stat.Stratum `json:"strata"`
	Monotone bool           `json:"monotone"` // observed rates rise from band to band
	Reject   *stat.Reject   `json:"reject"`   // two boundaries in reject mode
	Beside   []Beside       `json:"beside"`   // this model, logistic, null: on the same folds
	Flow     Flow           `json:"flow"`
	Table1   []Table1Row    `json:"table1"`
	Density  []Density      `json:"density"` // score density by outcome level, scored-only levels too
	PCA      *PCA           `json:"pca"`
	Pictures *Pictures      `json:"pictures,omitempty"` // of runs kept since they exist
	Clinical *Clinical      `json:"clinical,omitempty"` // so too
	// curve of the final fit; of a kernel at the γ chosen
	Tuning []crossfit.TuningPoint `json:"tuning"`
	// all γ and λ tried for the final fit, where γ was tuned
	Trials       []crossfit.TuningPoint `json:"trials,omitempty"`
	L2           float64                `json:"l2"`                   // λ of the final fit
	L2OneSE      *float64               `json:"l2_1se"`               // the 1-SE choice
	FoldL2       []float64              `json:"fold_l2"`              // λ of each evaluation fold, by repeat, then by fold
	FoldGamma    []float64              `json:"fold_gamma,omitempty"` // γ of each evaluation fold, where it was tuned
	Coefficients []Coefficient          `json:"coefficients"`
	// how the intervals of the odds ratios were made, or why there are none; of runs kept since
	OddsRatioNote string             `json:"odds_ratio_note,omitempty"`
	Splines       []SplineCurve      `json:"splines,omitempty"` // of a linear model's columns that are splines
	Importance    []model.Importance `json:"importance"`        // of the terms in trees; null for a linear model
	Kernel        *KernelSummary     `json:"kernel,omitempty"`

	Objective    float64  `json:"objective"`
	Gap          *float64 `json:"gap"`
	GradientNorm *float64 `json:"gradient_norm"`
	Iterations   int      `json:"iterations"`
	Evaluations  int      `json:"evaluations"`
	Stopped      string   `json:"stopped"`
	Starts       []Start  `json:"starts"` // of the final fit; null for a solver with one
	// of the final fit, thinned; of several starts the one kept
	Trace    []crossfit.TracePoint `json:"trace,omitempty"`
	Seconds  float64               `json:"seconds"`   // the final fit alone
	ElapsedS float64               `json:"elapsed_s"` // the whole run
	Warnings []Warning             `json:"warnings"`

	Before *Shown `json:"before,omitempty"` // of a run saved from a page: what that had shown

	// tasks multiclass, ordinal and abstain; the two-class fields are empty then
	Classes *ClassResult `json:"classes,omitempty"`

	Model *model.Model `json:"-"` // model.json
	Rows  []RowScore   `json:"-"` // rows.csv
}

// Start says where one start of a fit led.
type Start = linear.StartReport

// LinkWords is how a score becomes the probability of the event. Where the log
// odds are no straight line in the score, the odds ratio of a coefficient
// changes with it: the slopes say how steep the line is at score 0 and on
// average over the training rows (docs/clinical.md §2).
type LinkWords struct {
	ID           string   `json:"id"`
	Formula      string   `json:"formula"` // in words and plain symbols
	SlopeAtZero  *float64 `json:"slope_at_zero"`
	SlopeAverage *float64 `json:"slope_average"`
	Note         string   `json:"note,omitempty"` // about odds ratios
}

// KernelSummary is the kernel of the final fit and the rows its score is a sum
// over.
type KernelSummary struct {
	Name      string   `json:"name"`
	Gamma     *float64 `json:"gamma"`  // null for the linear kernel
	Degree    int      `json:"degree"` // 0 but for poly
	Rows      int      `json:"rows"`   // trained on
	Support   int      `json:"support"`
	Landmarks int      `json:"landmarks"`   // of Nyström's method; 0 = exact
	ExactUpTo int      `json:"exact_up_to"` // rows
}

// Metrics are the numbers on the training rows, on the rows held out, and of
// the baselines on the same held-out rows.
type Metrics struct {
	Train     stat.Binary            `json:"train"`
	Test      stat.Binary            `json:"test"`
	Baselines map[string]stat.Binary `json:"baselines"` // "logistic", "null"
}

// Beside is one model of the comparison table. Difference is its interval loss
// minus that of the model, with its standard error over the rows (paired).
type Beside struct {
	ID      string         `json:"id"` // "model", "logistic", "null"
	Title   string         `json:"title"`
	Metrics stat.Binary    `json:"metrics"`
	Strata  []stat.Stratum `json:"strata"`
	L2      *float64       `json:"l2"`

	Difference   *float64 `json:"difference"`
	DifferenceSE *float64 `json:"difference_se"`
}

// LossDifference is the interval loss of a model of the comparison table less that of the run,
// with the interval that every verdict on it follows. Against logistic regression a run that is
// kept has the paired bootstrap of its table of differences, which leaves groups whole; a
// normal interval beside that one could say otherwise. What has no draws has the normal one.
func (r *Result) LossDifference(b Beside) stat.Estimate {
	d := stat.WithError(b.Difference, b.DifferenceSE)
	if b.ID == "logistic" && d.Value != nil && r.Clinical != nil && r.Clinical.Paired != nil {
		if drawn := r.Clinical.Paired.IntervalLoss.Difference; drawn.Low != nil { // the run less the regression
			low, high := -*drawn.High, -*drawn.Low
			d.Low, d.High = &low, &high
		}
	}
	return d
}

// Flow follows the rows: read → dropped (why) → trained → scored.
type Flow struct {
	Read          int               `json:"read"`
	Dropped       []table.Drop      `json:"dropped"`
	NoOutcome     int               `json:"no_outcome"` // scored, not trained on
	ScoreOnly     []table.LevelRows `json:"score_only"` // scored, not trained on
	Trained       int               `json:"trained"`    // rows that any model trained on
	TrainedEvents int               `json:"trained_events"`
	Scored        int               `json:"scored"` // rows in the strata table
	ScoredEvents  int               `json:"scored_events"`
	Groups        int               `json:"groups"`  // distinct groups kept together; 0 without grouping
	Flipped       int               `json:"flipped"` // training rows whose labels or features noise corrupted

	Relabelled int `json:"relabelled,omitempty"` // by a review
	LeftOut    int `json:"left_out,omitempty"`   // by a review; scored, not trained on
}

// Table1Row describes one predictor by outcome: a number by median and
// quartiles, a level by count.
type Table1Row struct {
	Name     string     `json:"name"`
	Level    string     `json:"level,omitempty"`
	Negative [3]float64 `json:"negative"` // Q1, median, Q3; or count, share, 0
	Positive [3]float64 `json:"positive"`
	Missing  int        `json:"missing"`
	// MissingIn counts the missing rows without and with the event; nil in results of an earlier version.
	MissingIn []int `json:"missing_in,omitempty"`
}

// ByClass is Table 1 of any task by class; of an event's rows those without it come first.
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
	Trained bool      `json:"trained"` // false: scored only
	Median  float64   `json:"median"`
	X       []float64 `json:"x"`
	Y       []float64 `json:"y"`
}

// PCA holds the first two principal components of the standardised rows that
// are evaluated (all that train, under cross-validation), at most 2,000 of them.
type PCA struct {
	Share [2]float64 `json:"share"` // of the variance
	X     []float64  `json:"x"`
	Y     []float64  `json:"y"`
	Band  []int      `json:"band"`
	Event []bool     `json:"event"`
	Row   []int      `json:"row"`
	// places above of rows in a group of 1 to 9: a level, a missing value, one of two numbers,
	// others than a number that all the rest have
	Few []int `json:"few,omitempty"`
}

// Coefficient is one term of the model.
type Coefficient struct {
	Name  string  `json:"name"`
	Class string  `json:"class,omitempty"` // several classes: whose score it is part of
	Value float64 `json:"value"`           // per natural unit
	// per population SD; null in a run kept without its data where it would tell how few
	// rows have a level
	Standardized *float64 `json:"standardized"`
	OddsRatio    *float64 `json:"odds_ratio"` // where the link is logistic

	OddsRatioLocal   *float64 `json:"odds_ratio_local"`   // where it varies: at score 0
	OddsRatioAverage *float64 `json:"odds_ratio_average"` // and its geometric mean over the training rows

	// Wald's 95 % interval of OddsRatio, low and high, of a kept logistic regression without
	// penalty
	OddsRatioCI *[2]float64 `json:"odds_ratio_ci,omitempty"`
}

// RowScore is one row of rows.csv.
type RowScore struct {
	Row         int     // 0-based data row
	Outcome     string  // as uploaded
	Split       string  // "train", "test" or the fold from "1"; "scored" for rows never trained on
	Score       float64 // f of the model that did not see the row
	Probability *float64
	Stratum     int // 0…K
	Weight      *float64
	Flipped     bool

	Scores        []float64 // several classes: of each class; Score and Stratum are 0
	Probabilities []float64 // of each class; nil without
	Predicted     int       // class, or metric.Abstained
}

// Clinical is what a report says of a run and its rows alone do not hold
// (docs/clinical.md §2): numbers on the training rows, beside logistic regression
// on the same folds, and of the terms. Of repeats it is the first, as in the
// rows.
type Clinical struct {
	Apparent stat.Performance `json:"apparent"` // the final fit on its own training rows
	Judged   stat.Performance `json:"judged"`   // test rows, with intervals
	// the model minus logistic regression; null for logistic regression itself
	AUC          *stat.AUCDifference    `json:"auc"`
	Paired       *stat.Comparison       `json:"paired"`       // so too, by a paired bootstrap; of runs kept since it is
	Reclassified *stat.Reclassification `json:"reclassified"` // from logistic regression's bands to the model's; so too
	Parameters   int                    `json:"parameters"`   // terms of the design
	Inflation    []Inflation            `json:"inflation"`    // null for trees and very many terms
}

// Inflation is a term's variance inflation factor, null where others determine
// it or it does not vary. The terms of a spline have one together (metric.GVIF).
type Inflation struct {
	Name string   `json:"name"`
	VIF  *float64 `json:"vif"`
}

// Pictures are what the test rows of a run draw: of repeats the first, as in
// the strata.
type Pictures struct {
	ROC         stat.ROCCurve             `json:"roc"`
	Calibration *stat.SmoothedCalibration `json:"calibration"` // null without probabilities
	Confusion   stat.Classes              `json:"confusion"`   // at the cut; the other class first
	GiveUp      *GiveUp                   `json:"give_up"`     // null for a loss without such factors
}

// GiveUp is the histogram of the weight factors g = p^(t2−t1) of the rows,
// each by the label it trains with (docs/clinical.md §4).
type GiveUp struct {
	Bins []GiveUpBin `json:"bins"`
	Half int         `json:"half"` // rows with less than half the weight of a row of factor 1
}

// ByAnswer is the histogram in the form of several classes: events are the first kind.
func (g *GiveUp) ByAnswer() *ClassGiveUp {
	all := &ClassGiveUp{Half: g.Half}
	for _, b := range g.Bins {
		all.Bins = append(all.Bins, ClassGiveUpBin{b.Lower, b.Upper, b.Events, b.Others, b.Flipped})
	}
	return all
}

// GiveUpBin counts the rows with a factor in (Lower, Upper], the first with its
// 0 and the last with all beyond 1.
type GiveUpBin struct {
	Lower   float64 `json:"lower"`
	Upper   float64 `json:"upper"`
	Events  int     `json:"events"` // by the label as it came
	Others  int     `json:"others"`
	Flipped int     `json:"flipped"` // of these, corrupted by injected noise
}

// SplineCurve is what a column that is a natural cubic spline adds to the score
// of a linear model, beyond what its median does: its partial effect, over the
// range of the training rows. Values are in the unit of model.json: a date
// counts from its origin.
type SplineCurve struct {
	Column    string     `json:"column"`
	Knots     []float64  `json:"knots"`     // none where the values hold no spline
	Reference float64    `json:"reference"` // the median
	Origin    *float64   `json:"origin,omitempty"`
	Quartiles [2]float64 `json:"quartiles"`
	X         []float64  `json:"x"`
	Effect    []float64  `json:"effect"`          // of the score
	Scale     float64    `json:"scale,omitempty"` // log odds per unit of score; none where the link is not logistic
	Contrasts []Contrast `json:"contrasts"`
	Bins      []int      `json:"bins"` // values of the training rows, in equal bins from the first of X to the last
}

// Contrast is what a value adds to the score beyond another one, and the odds
// ratio of that where the link is logistic (Harrell, Regression Modeling
// Strategies, 5.1: an effect over the quartiles says more than a coefficient).
type Contrast struct {
	From      float64  `json:"from"`
	To        float64  `json:"to"`
	Effect    float64  `json:"effect"`
	OddsRatio *float64 `json:"odds_ratio"`
}
