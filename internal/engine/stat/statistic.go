package stat

import (
	"fmt"
	"slices"
	"strings"

	"taper/internal/engine/phrase"
)

// Statistic describes one reported number of a model: its names, how it is shown, what it needs and reveals,
// and how it is computed. The tables, the API, the comparison of runs, the optimism correction, studies and the
// help all read All; none of them has a list of its own.
type Statistic struct {
	ID      string // in the API and in stored results
	Label   string
	Short   string    // for narrow columns; "" means Label
	Unit    string    // "%" for a share, shown times 100; otherwise the words after the number
	Better  Direction // which of two values is better
	Digits  int       // decimals shown, or Figures for a ratio
	Text    string    // what it is, as a sentence
	Source  string    // author and year
	How     string    // how its 95 % interval is computed; "" if it has none
	Needs   Need
	Reveals Part
	Pinned  bool // a fit fixes its value on the training rows, so its optimism-corrected value has no interval
	Skewed  bool // its optimism is the median over refits, because a few of any size would decide the mean

	Averaged bool     // part of a run's metrics, as the mean over repeats; compared and studied as such
	Unlisted bool     // not in the table of performance: shown elsewhere, or only in the API
	Contrast Contrast // how it is compared between two independent sets of rows

	// The functions that compute it: from scored rows of two classes; from multiclass answers; from the 2×2
	// table at a boundary; from a band as the result of a test; from one class against all others. A statistic
	// with several of them has the same meaning in each. Intervals are analytic or, where resampled, from a
	// bootstrap.
	of               func(*scored) Estimate
	resampled        bool
	ofClasses        func(Answers, *Classes) Estimate
	resampledClasses bool
	at               func(Boundary) Estimate
	inBand           func(bandCounts) Estimate
	ofClass          func(classCounts) Estimate

	// For an interval by the delta method: the derivative of the metric by the shares of the confusion matrix, and
	// its least value.
	slope func(*Classes) func(i, j int) float64
	least float64

	// Its value per row, if it is a mean over rows: paired differences are computed from it. A statistic that
	// rescales another one, given by its id, has that one's difference divided by −ȳ(1−ȳ).
	perRow    func(Scores) []float64
	rescales  string
	perAnswer func(a Answers, row int) float64
}

// InSentence returns the label for use within a sentence: AUC and λ stay as they are.
func (s Statistic) InSentence() string { return InSentence(s.Label) }

// InSentence converts a label for use within a sentence.
func InSentence(label string) string {
	proper := strings.HasPrefix(label, "Brier") || strings.HasPrefix(label, "Cox")
	if len(label) > 1 && !proper && label[0] >= 'A' && label[0] <= 'Z' && label[1] >= 'a' && label[1] <= 'z' {
		return phrase.LowerFirst(label)
	}
	return label
}

// Resampled describes the intervals of statistics without an analytic one.
const Resampled = "percentile bootstrap"

// byDelta describes intervals from the variance that the delta method gives.
const byDelta = "delta method"

// byWidenedDelta describes that of macro F1 (Classes.widen).
const byWidenedDelta = "delta method, with the Wilson limits of classes whose F1 is 0 or 1"

// Direction says which of two values is better.
type Direction string

// The directions of a statistic.
const (
	HigherBetter Direction = "higher"
	LowerBetter  Direction = "lower"
	BestAtOne    Direction = "one"  // closer to 1 is better
	BestAtZero   Direction = "zero" // closer to 0 is better
	NoDirection  Direction = "none" // neither is better
)

// Figures, as a number of decimals, stands for as many as the size of a ratio requires.
const Figures = -1

// Need is what rows must have for a statistic to exist, and what two models must have in common for its
// difference to be meaningful.
type Need uint

// Needs are combined as bits.
const (
	NeedProbability Need = 1 << iota
	NeedBoundaries
	NeedCut         // a score or probability above which an event is predicted
	NeedPredictor   // scores that differ: without predictors there is no ranking
	NeedEveryAnswer // computed over answered rows, so that abstaining can improve it
	NeedCosts       // a cost for each answer
	NeedOrder       // ordered classes
	NeedAbstention  // the model may abstain
)

// Part is what a printed value would reveal about counts that the printed report masks.
type Part int

// The parts. The zero value is the strictest, so a new statistic reveals nothing by accident.
const (
	Everything Part = iota // counts of single bands: withheld where any count is masked
	Total                  // the number of events: withheld where that is masked
	Nothing
)

// Contrast is how a statistic is compared between two independent sets of rows.
type Contrast int

// The ways to compare.
const (
	ByDifference Contrast = iota
	ByRatio
	NoContrast // a distance, whose value is biased upwards in small samples
)

// All lists the statistics in the order in which they are shown.
var All = slices.Concat(losses, discrimination, overall, calibration, answered, bounded, abstained, banded, classed)

// ByID returns the statistic with this id. It panics on an unknown id.
func ByID(id string) Statistic {
	i := slices.IndexFunc(All, func(s Statistic) bool { return s.ID == id })
	if i < 0 {
		panic(fmt.Sprintf("stat: no statistic %q", id))
	}
	return All[i]
}

// Which returns the statistics for which a condition is true, in order.
func Which(holds func(Statistic) bool) (list []Statistic) {
	for _, s := range All {
		if holds(s) {
			list = append(list, s)
		}
	}
	return list
}

// Loss reports whether it is a mean of losses, which is never negative.
func (s Statistic) Loss() bool { return s.Better == LowerBetter && s.How == MeanInterval }

// InPerformance reports whether Performance has it. Statistics at a single threshold are left out: their counts
// would reveal counts that the tables mask.
func (s Statistic) InPerformance() bool { return s.of != nil && s.Needs&NeedCut == 0 }

// InPerformanceTable reports whether the table of performance has a row for it.
func (s Statistic) InPerformanceTable() bool { return s.InPerformance() && !s.Unlisted }

// PerformanceTable returns the statistics of the table of performance. AUC and calibration, the core measures
// (Van Calster et al. 2025), come first.
func PerformanceTable() []Statistic {
	return slices.DeleteFunc(slices.Concat(discrimination, calibration, overall, losses),
		func(s Statistic) bool { return !s.InPerformanceTable() })
}

// AtBoundaries reports whether it is computed from the 2×2 table at a boundary.
func (s Statistic) AtBoundaries() bool { return s.at != nil }

// InBands reports whether it exists for each band.
func (s Statistic) InBands() bool { return s.inBand != nil }

// OfEachClass reports whether it exists for each class of a multiclass model.
func (s Statistic) OfEachClass() bool { return s.ofClass != nil }

// OfClasses reports whether it exists for multiclass answers.
func (s Statistic) OfClasses() bool { return s.ofClasses != nil }

// InBinary reports whether Binary has it.
func (s Statistic) InBinary() bool { return s.Averaged && s.of != nil }
