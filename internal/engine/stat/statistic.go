package stat

import (
	"fmt"
	"slices"
	"strings"

	"taper/internal/engine/phrase"
)

// Statistic is everything about one number that is reported of a model: its
// names, how it is shown, what it needs and tells, and how it is computed. The
// tables, the API, the comparison of runs, the correction for optimism, studies and
// the help read All; none keeps a list of its own.
type Statistic struct {
	ID      string // in the API and in stored results
	Label   string
	Short   string    // in narrow columns; "": Label
	Unit    string    // "%": a share, shown times 100; else the words behind the number
	Better  Direction // which of two values is the better one
	Digits  int       // decimals that are shown; Figures: as many as the size of a ratio asks for
	Text    string    // what it is, in a sentence
	Source  string    // author and year
	How     string    // how its 95 % interval is made; "": it has none
	Needs   Need
	Reveals Part
	Pinned  bool // a fit sets it on its own rows: corrected for optimism it has no interval

	Averaged bool     // in the metrics of a run, as the mean over its repeats; so it is compared and studied
	Unlisted bool     // in the API alone, or shown elsewhere than in the table of performance
	Contrast Contrast // how it is compared between two sets of rows

	// What computes it: of scored rows of two classes; of answers of several; of
	// calling the rows above a boundary events; of a band as the result of a test; of
	// one class against all others. One with several of them is one number under one
	// name. Their intervals are analytic, or, where resampled, a bootstrap's.
	of               func(*scored) Estimate
	resampled        bool
	ofClasses        func(Answers, *Classes) Estimate
	resampledClasses bool
	at               func(Boundary) Estimate
	inBand           func(bandCounts) Estimate
	ofClass          func(classCounts) Estimate

	// Its value on each row, of which it is the mean: paired differences come from it. One
	// that rescales another, by its id, has the difference of that divided by −ȳ(1−ȳ).
	perRow    func(Scores) []float64
	rescales  string
	perAnswer func(a Answers, row int) float64
}

// InSentence is the label within a sentence: AUC and λ stay as they are.
func (s Statistic) InSentence() string { return InSentence(s.Label) }

// InSentence writes a label within a sentence.
func InSentence(label string) string {
	proper := strings.HasPrefix(label, "Brier") || strings.HasPrefix(label, "Cox")
	if len(label) > 1 && !proper && label[0] >= 'A' && label[0] <= 'Z' && label[1] >= 'a' && label[1] <= 'z' {
		return phrase.LowerFirst(label)
	}
	return label
}

// Resampled is how intervals are made that have no formula.
const Resampled = "percentile bootstrap"

// Direction says which of two values is the better one.
type Direction string

// The directions.
const (
	HigherBetter Direction = "higher"
	LowerBetter  Direction = "lower"
	BestAtOne    Direction = "one"  // the nearer to 1
	BestAtZero   Direction = "zero" // the nearer to 0
	NoDirection  Direction = "none" // neither
)

// Figures in place of a number of decimals: those that the size of a ratio asks for.
const Figures = -1

// Need is what rows must have for a statistic to exist, and what two models must
// share for its difference to mean something.
type Need uint

// The needs.
const (
	NeedProbability Need = 1 << iota
	NeedBoundaries
	NeedCut         // a score or probability above which a row is called an event
	NeedPredictor   // answers that differ: a model without predictors ranks nothing
	NeedEveryAnswer // it is taken over answered rows, so that leaving rows out improves it
	NeedCosts       // a price for each answer
	NeedOrder       // of the classes
	NeedAbstention  // the model may give no answer
)

// Part is what a printed value tells of counts that print masks.
type Part int

// The parts; the zero value is the strictest.
const (
	Everything Part = iota // counts of single bands: withheld where any count is masked
	Total                  // the number of events: withheld where that is masked
	Nothing
)

// Contrast is how a number of two independent sets of rows is compared.
type Contrast int

// The contrasts.
const (
	ByDifference Contrast = iota
	ByRatio
	NoContrast // a distance, which few rows bias upwards
)

// All are the statistics, in the order in which they are shown.
var All = slices.Concat(losses, discrimination, overall, calibration, answered, bounded, abstained, banded, classed)

// ByID finds a statistic; it panics on an id that none has.
func ByID(id string) Statistic {
	i := slices.IndexFunc(All, func(s Statistic) bool { return s.ID == id })
	if i < 0 {
		panic(fmt.Sprintf("stat: no statistic %q", id))
	}
	return All[i]
}

// Which are the statistics that a condition holds for, in their order.
func Which(holds func(Statistic) bool) (list []Statistic) {
	for _, s := range All {
		if holds(s) {
			list = append(list, s)
		}
	}
	return list
}

// InPerformance reports whether Performance holds it. What is cut at one point is left
// out: its counts would tell those that no table masks.
func (s Statistic) InPerformance() bool { return s.of != nil && s.Needs&NeedCut == 0 }

// InPerformanceTable reports whether the table of performance has a line for it.
func (s Statistic) InPerformanceTable() bool { return s.InPerformance() && !s.Unlisted }

// PerformanceTable are the statistics of a table of performance: the AUC and calibration,
// which are core measures (Van Calster et al. 2025), before all others.
func PerformanceTable() []Statistic {
	return slices.DeleteFunc(slices.Concat(discrimination, calibration, overall, losses),
		func(s Statistic) bool { return !s.InPerformanceTable() })
}

// AtBoundaries reports whether it follows from the 2×2 table at a boundary.
func (s Statistic) AtBoundaries() bool { return s.at != nil }

// InBands reports whether each band has it.
func (s Statistic) InBands() bool { return s.inBand != nil }

// OfEachClass reports whether each of several classes has it.
func (s Statistic) OfEachClass() bool { return s.ofClass != nil }

// OfClasses reports whether multiclass answers have it.
func (s Statistic) OfClasses() bool { return s.ofClasses != nil }

// InBinary reports whether Binary holds it.
func (s Statistic) InBinary() bool { return s.Averaged && s.of != nil }
