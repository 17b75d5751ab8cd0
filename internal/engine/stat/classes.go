package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"taper/internal/engine/odds"
)

// Abstained is the predicted class of a row for which the model gives no answer.
const Abstained = -1

// Answers are rows of two or more classes with the predictions of a model.
type Answers struct {
	Levels      []string  // names of the classes, in order
	Label       []int     // the true class, from 0
	Predicted   []int     // a class, or Abstained
	Probability []float64 // rows×classes, row-major; nil for a model without probabilities
	Ordinal     bool      // the classes are ordered, with equal distances
	Abstain     bool      // the model may abstain
	Cost        float64   // cost of abstaining; a wrong answer costs 1

	Costs [][]float64 // Costs[answer][true class], abstaining last; nil where the mean cost is not asked for
}

// squareAndAdd names the intervals of balancedInterval.
const squareAndAdd = "square-and-add of Wilson limits (Zou and Donner 2008)"

// answered are the statistics of predicted classes, of multiclass models and of two-class models at one
// threshold. For multiclass models all but the Brier score, the log loss and the abstention loss count answered
// rows only.
var answered = []Statistic{
	{ID: "accuracy", Label: "Accuracy", Unit: "%", Better: HigherBetter, Digits: 1, Averaged: true,
		Needs: NeedCut | NeedEveryAnswer, Text: "Share of rows with the correct answer.", How: "Wilson",
		of:        func(r *scored) Estimate { return Estimate{Value: Finite(r.decided().accuracy())} },
		ofClasses: func(_ Answers, c *Classes) Estimate { return Proportion(c.right(), c.Answered) },
		perAnswer: func(a Answers, row int) float64 {
			if a.Predicted[row] == a.Label[row] {
				return 1
			}
			return 0
		}},
	{ID: "balanced_accuracy", Label: "Balanced accuracy", Unit: "%", Better: HigherBetter, Digits: 1, Averaged: true,
		Needs: NeedCut | NeedEveryAnswer, Text: "The mean recall of the classes that have rows.", How: squareAndAdd,
		of: func(r *scored) Estimate {
			d := r.decided()
			return Estimate{Value: Finite((d.share(1) + d.share(0)) / 2)}
		},
		ofClasses: meanOverClasses(func(c ClassRow) *float64 { return c.Recall.Value }), resampledClasses: true},
	{ID: "macro_f1", Label: "Macro F1", Better: HigherBetter, Digits: 3, Averaged: true, Needs: NeedEveryAnswer,
		Text: "The mean F1 of the classes that have rows.", Source: "Takahashi et al. 2022", How: byWidenedDelta,
		ofClasses: meanOverClasses(ClassRow.f1OfRows), resampledClasses: true,
		slope: macroF1Slope},
	{ID: "mae", Label: "Mean absolute error", Short: "MAE", Unit: "classes", Better: LowerBetter, Digits: 3,
		Averaged: true, Needs: NeedOrder | NeedEveryAnswer, How: MeanInterval,
		Text:      "Mean distance between answer and true class, in classes.",
		ofClasses: meanError,
		perAnswer: func(a Answers, row int) float64 { return math.Abs(float64(a.Predicted[row] - a.Label[row])) }},
	{ID: "kappa", Label: "Quadratic weighted kappa", Better: HigherBetter, Digits: 3, Averaged: true,
		Needs:  NeedOrder | NeedEveryAnswer,
		Text:   "Cohen’s kappa with weights (i−j)²: 1 is perfect, 0 agreement by chance.",
		Source: "Cohen 1968", How: byDelta, ofClasses: kappa, resampledClasses: true, slope: kappaSlope, least: -1},
}

var abstained = []Statistic{
	{ID: "abstention_loss", Label: "Abstention loss", Better: LowerBetter, Digits: 4, Averaged: true,
		Needs: NeedCosts | NeedAbstention,
		Text:  "Average cost: 1 for a wrong answer (with ordered classes its distance), the cost of abstaining for none.",
		How:   MeanInterval, resampledClasses: true,
		ofClasses: func(a Answers, c *Classes) Estimate {
			wrong, none := float64(c.Answered-c.right()), float64(c.N-c.Answered)
			if a.Ordinal {
				wrong = c.steps()
			}
			return Estimate{Value: Finite((wrong + a.Cost*none) / float64(c.N))}
		}},
	{ID: "abstention_rate", Label: "Abstention rate", Unit: "%", Better: NoDirection, Digits: 1, Averaged: true,
		Needs: NeedAbstention, Text: "Share of rows without an answer; 1 − coverage.", How: "Wilson",
		resampledClasses: true,
		ofClasses: func(_ Answers, c *Classes) Estimate {
			return Estimate{Value: Finite(float64(c.N-c.Answered) / float64(c.N))}
		}},
}

// classed are the statistics of each class, over answered rows. A class with rows and no correct prediction has
// F1 = 0. A class with neither rows nor predictions has no F1 (scikit-learn's f1_score does the same). A class with
// predictions and no rows has F1 = 0 whatever the model, so that it says nothing of it: macro F1 leaves it out, as
// f1_score(labels=unique_labels(y_true)) does and its default does not.
var classed = []Statistic{
	{ID: "precision", Label: "Precision", Unit: "%", Better: HigherBetter, Digits: 1,
		Text: "Of the rows predicted as the class, those that are (positive predictive value).", How: "Wilson",
		ofClass: func(c classCounts) Estimate { return Proportion(c.right, c.predicted) }},
	{ID: "recall", Label: "Recall", Unit: "%", Better: HigherBetter, Digits: 1,
		Text: "Of the rows of the class, those predicted as it (sensitivity).", How: "Wilson",
		ofClass: func(c classCounts) Estimate { return Proportion(c.right, c.rows) }},
	{ID: "f1", Label: "F1", Better: HigherBetter, Digits: 3,
		Text:   "Harmonic mean of precision and recall.",
		Source: "Lam, Gopal and Qian 2023, arXiv:2309.14621", How: "Wilson, of TP / (TP + FP + FN)",
		ofClass: func(c classCounts) Estimate {
			return Estimate{Value: Finite(2 * float64(c.right) / float64(c.rows+c.predicted))}
		}},
}

// classCounts are the answered rows of a class, the rows predicted as that class, and the rows counted in both.
type classCounts struct{ rows, predicted, right int }

// Classes are the metrics of a multiclass model. All but those of abstention and those computed from
// probabilities count answered rows only. A metric that these rows do not define is nil.
type Classes struct {
	Levels    []string   `json:"levels"`
	Confusion [][]int    `json:"confusion"` // [true class][predicted class], answered rows
	Abstained []int      `json:"abstained"` // by true class
	PerClass  []ClassRow `json:"per_class"`
	N         int        `json:"n"`
	Answered  int        `json:"answered"`

	Accuracy         *float64 `json:"accuracy"`
	AccuracyLow      *float64 `json:"accuracy_low"` // Wilson 95 %
	AccuracyHigh     *float64 `json:"accuracy_high"`
	BalancedAccuracy *float64 `json:"balanced_accuracy"` // mean recall of the classes that have rows
	MacroF1          *float64 `json:"macro_f1"`          // mean F1 of the classes that have rows
	MAE              *float64 `json:"mae"`               // mean |class − predicted|; ordered classes only
	MAELow           *float64 `json:"mae_low"`           // normal 95 % interval of a mean
	MAEHigh          *float64 `json:"mae_high"`
	Kappa            *float64 `json:"kappa"`        // quadratic weights; ordered classes only
	LogLoss          *float64 `json:"log_loss"`     // mean −log P(true class)
	LogLossLow       *float64 `json:"log_loss_low"` // normal 95 % interval of a mean; null in results of versions before
	LogLossHigh      *float64 `json:"log_loss_high"`
	Brier            *float64 `json:"brier"`     // mean Σ_k (p_k − y_k)², 0 to 2
	BrierLow         *float64 `json:"brier_low"` // like that of the log loss
	BrierHigh        *float64 `json:"brier_high"`
	AbstentionLoss   *float64 `json:"abstention_loss"` // (wrong + cost·abstained) / rows
	AbstentionRate   *float64 `json:"abstention_rate"`

	Listed map[string]*float64 `json:"-"` // statistics added after the first version

	// Averaged says that the metrics are means over the repeats of a cross-validation; the counts are of the first
	// repeat, so they give these metrics no interval. Results do not store it: they know their validation.
	Averaged bool `json:"-"`
}

// ClassRow is one class against all others, over answered rows.
type ClassRow struct {
	Level     string   `json:"level"`
	Support   int      `json:"support"`   // answered rows of the class
	Predicted int      `json:"predicted"` // rows predicted as this class
	Precision Estimate `json:"precision"` // Wilson 95 %
	Recall    Estimate `json:"recall"`    // Wilson 95 %
	F1        *float64 `json:"f1"`        // 2TP / (support + predicted)
}

// Multiclass returns the metrics of a multiclass model, with ordered classes or abstention too. It panics on
// labels out of range.
func Multiclass(a Answers) Classes {
	c := Classes{Levels: a.Levels, N: len(a.Label)}
	c.count(a)
	c.perClass()
	for _, s := range Which(Statistic.OfClasses) {
		if a.has(s.Needs) {
			c.Listed = setMetric(&c, c.Listed, s.ID, s.ofClasses(a, &c))
		}
	}
	return c
}

// has reports whether the answers have what a statistic needs.
func (a Answers) has(n Need) bool {
	return (n&NeedProbability == 0 || a.Probability != nil) && (n&NeedOrder == 0 || a.Ordinal) &&
		(n&NeedAbstention == 0 || a.Abstain)
}

// Of returns a metric, with its interval where it was stored or where the counts give it. A stored interval of a mean
// over repeats has the means of the limits of each.
func (c Classes) Of(id string) Estimate {
	e := metricOf(&c, c.Listed, id)
	switch s := ByID(id); {
	case e.Value == nil || c.Averaged:
	case s.slope != nil:
		e.Low, e.High = c.deltaInterval(s, *e.Value)
	case id == "balanced_accuracy":
		e.Low, e.High = c.balancedInterval(*e.Value)
	case id == "abstention_loss":
		e.Low, e.High = c.abstentionInterval(*e.Value)
	case id == "abstention_rate" && c.N > 0:
		low, high := Wilson(c.N-c.Answered, c.N)
		e.Low, e.High = &low, &high
	}
	return e
}

// Losses returns, by the id of the statistic, the values per row whose mean it is.
func (a Answers) Losses() map[string][]float64 {
	all := map[string][]float64{}
	for _, s := range All {
		left := s.Needs&NeedEveryAnswer != 0 && slices.Contains(a.Predicted, Abstained)
		if s.perAnswer == nil || left || !a.has(s.Needs) || s.Needs&NeedCosts != 0 && a.Costs == nil {
			continue
		}
		each := make([]float64, len(a.Label))
		for i := range each {
			each[i] = s.perAnswer(a, i)
		}
		all[s.ID] = each
	}
	return all
}

// steps sums the distances between predicted and true class.
func (c *Classes) steps() (sum float64) {
	for y, row := range c.Confusion {
		for answer, n := range row {
			sum += math.Abs(float64(answer-y)) * float64(n)
		}
	}
	return sum
}

// abstentionInterval is the normal interval of the mean of the rows' losses, cut at 0. They follow from the counts: no
// loss for a right answer, 1 or the distance for a wrong one, and for no answer what is left of the mean.
func (c *Classes) abstentionInterval(mean float64) (low, high *float64) {
	n, none := float64(c.N), float64(c.N-c.Answered)
	if c.N == 0 {
		return nil, nil
	}
	sum, squares := float64(c.Answered-c.right()), float64(c.Answered-c.right())
	if c.MAE != nil {
		sum, squares = c.distances()
	}
	left := mean*n - sum
	if none > 0 {
		squares += left * left / none
	}
	variance := squares/n - mean*mean
	if variance <= certain {
		return nil, nil
	}
	e := normal(mean, math.Sqrt(variance/(n-1))).AtLeast(0)
	return e.Low, e.High
}

// certain is a variance of rounding alone: an interval without width would promise certainty.
const certain = 1e-16

// MeanCost is a mean cost of answers, by costs[answer][true class] with no answer last, with the normal interval of a
// mean over rows, cut at the lowest and the highest cost. The rows' costs follow from the counts; a mean over repeats,
// which is not that of these counts, has no interval, and neither have costs that are all equal.
func (c Classes) MeanCost(costs [][]float64, mean float64) Estimate {
	k := len(c.Confusion)
	if k == 0 || len(costs) < k || c.N < 2 || c.Averaged {
		return Estimate{Value: &mean}
	}
	sum, squares, least, most := 0.0, 0.0, math.Inf(1), math.Inf(-1)
	for label, row := range c.Confusion {
		for answer, cost := range costs {
			n := 0
			if answer < k {
				n = row[answer]
			} else {
				n = c.Abstained[label]
			}
			v := cost[label]
			sum, squares = sum+float64(n)*v, squares+float64(n)*v*v
			least, most = min(least, v), max(most, v)
		}
	}
	n := float64(c.N)
	if !(math.Abs(sum/n-mean) <= 1e-9*max(1, math.Abs(mean))) {
		return Estimate{Value: &mean}
	}
	variance := squares/n - mean*mean
	if variance <= certain*max(1, mean*mean) {
		return Estimate{Value: &mean}
	}
	return normal(mean, math.Sqrt(variance/(n-1))).within(least, most)
}

// right counts the correct answers.
func (c *Classes) right() (n int) {
	for k := range c.Confusion {
		n += c.Confusion[k][k]
	}
	return n
}

// MarshalJSON writes the fields, then the statistics added later.
func (c Classes) MarshalJSON() ([]byte, error) {
	type plain Classes
	return appendMore(plain(c), c.Listed)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Classes) UnmarshalJSON(text []byte) (err error) {
	type plain Classes
	c.Listed, err = readMore[*float64](text, (*plain)(c), Which(Statistic.OfClasses))
	return err
}

// count fills the confusion matrix.
func (c *Classes) count(a Answers) {
	sameLength(len(a.Label), len(a.Predicted))
	k := len(a.Levels)
	c.Abstained, c.Confusion = make([]int, k), make([][]int, k)
	for j := range c.Confusion {
		c.Confusion[j] = make([]int, k)
	}
	for i, y := range a.Label {
		if p := a.Predicted[i]; p != Abstained {
			c.Confusion[y][p]++
			c.Answered++
		} else {
			c.Abstained[y]++
		}
	}
}

// perClass computes the statistics of each class.
func (c *Classes) perClass() {
	list := Which(Statistic.OfEachClass)
	for k, level := range c.Levels {
		row := ClassRow{Level: level}
		for j := range c.Levels {
			row.Support += c.Confusion[k][j]
			row.Predicted += c.Confusion[j][k]
		}
		for _, s := range list {
			put(&row, s.ID, s.ofClass(classCounts{row.Support, row.Predicted, c.Confusion[k][k]}))
		}
		c.PerClass = append(c.PerClass, row)
	}
}

// Of returns a statistic of the class.
func (c ClassRow) Of(id string) Estimate {
	e, _ := get(&c, id)
	if id == "f1" {
		e.Low, e.High = c.f1Interval()
	}
	return e
}

// f1OfRows is the F1 of a class that has rows.
func (c ClassRow) f1OfRows() *float64 {
	if c.Support == 0 {
		return nil
	}
	return c.F1
}

// f1Interval is the Wilson interval of TP / (TP + FP + FN), a proportion q of the rows that are in the class or
// predicted as it, carried over to F1 = 2q/(1 + q) (Lam, Gopal and Qian 2023, the indirect method). A mean over
// repeats has none.
func (c ClassRow) f1Interval() (low, high *float64) {
	if c.F1 == nil {
		return nil, nil
	}
	right := *c.F1 * float64(c.Support+c.Predicted) / 2
	tp := int(math.Round(right))
	if math.Abs(right-float64(tp)) > 1e-6 {
		return nil, nil
	}
	a, b := Wilson(tp, c.Support+c.Predicted-tp)
	return new(2 * a / (1 + a)), new(2 * b / (1 + b))
}

// meanOverClasses averages a statistic over the classes that have it.
func meanOverClasses(of func(ClassRow) *float64) func(Answers, *Classes) Estimate {
	return func(_ Answers, c *Classes) Estimate {
		var m mean
		for _, row := range c.PerClass {
			m.add(of(row))
		}
		return Estimate{Value: m.value()}
	}
}

// WithoutRows are the levels of the classes without an answered row, over which no statistic of classes is averaged.
func (c Classes) WithoutRows() (levels []string) {
	for _, row := range c.PerClass {
		if row.Support == 0 {
			levels = append(levels, row.Level)
		}
	}
	return levels
}

// F1OverRows reports whether macro F1 is the mean over the classes that have rows. In evaluations of earlier versions
// it is that over the classes with rows or predictions.
func (c Classes) F1OverRows() bool {
	e := meanOverClasses(ClassRow.f1OfRows)(Answers{}, &c)
	return c.MacroF1 != nil && e.Value != nil && math.Abs(*c.MacroF1-*e.Value) <= 1e-9
}

// NeverAnswered are the levels that are no row's answer.
func (c Classes) NeverAnswered() (levels []string) {
	for _, row := range c.PerClass {
		if row.Predicted == 0 {
			levels = append(levels, row.Level)
		}
	}
	return levels
}

// meanOfAnswers averages a value over all rows, including abstentions, with the interval of a mean over rows.
func meanOfAnswers(of func(Answers, int) float64) func(Answers, *Classes) Estimate {
	return func(a Answers, _ *Classes) Estimate {
		sameLength(len(a.Probability), len(a.Levels)*len(a.Label))
		each, sum := make([]float64, len(a.Label)), 0.0
		for i := range a.Label {
			each[i] = of(a, i)
			sum += each[i]
		}
		n := float64(len(each))
		return normal(sum/n, stat.StdDev(each, nil)/math.Sqrt(n)).AtLeast(0)
	}
}

// probabilities returns those of one row, by class.
func (a Answers) probabilities(row int) []float64 {
	k := len(a.Levels)
	return a.Probability[row*k : (row+1)*k]
}

// logLossOf returns −log P(true class) of a row.
func logLossOf(a Answers, row int) float64 {
	return -math.Log(odds.Within(a.probabilities(row)[a.Label[row]]))
}

// brierOf returns the Brier score of a row in Brier's own form (1950), Σ_k (p_k − y_k)².
func brierOf(a Answers, row int) (sum float64) {
	for j, q := range a.probabilities(row) {
		if j == a.Label[row] {
			q = 1 - q
		}
		sum += q * q
	}
	return sum
}

// distances sums over answered rows the distances between predicted and true class, and their squares.
func (c *Classes) distances() (sum, squares float64) {
	for i, row := range c.Confusion {
		for j, count := range row {
			d := math.Abs(float64(i - j))
			sum += d * float64(count)
			squares += d * d * float64(count)
		}
	}
	return sum, squares
}

// meanError returns the mean absolute error in classes with the normal interval of a mean, cut at 0.
func meanError(_ Answers, c *Classes) Estimate {
	sum, squares := c.distances()
	n := float64(c.Answered)
	mae := sum / n
	return normal(mae, math.Sqrt(max(0, squares/n-mae*mae)/(n-1))).AtLeast(0)
}

// kappa is Cohen's kappa with weights (i−j)² (Cohen 1968). It is undefined where no disagreement is expected by
// chance.
func kappa(_ Answers, c *Classes) Estimate {
	_, squares := c.distances()
	expected := 0.0
	for i := range c.PerClass {
		for j := range c.PerClass {
			d := float64(i - j)
			expected += d * d * float64(c.PerClass[i].Support) / float64(c.Answered) * float64(c.PerClass[j].Predicted)
		}
	}
	return Estimate{Value: Finite(1 - squares/expected)}
}
