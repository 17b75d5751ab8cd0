package stat

import "math"

// Abstained is the prediction of a row that a model would not answer.
const Abstained = -1

// Answers are rows with two or more classes and what a model says of each.
type Answers struct {
	Levels      []string  // names of the classes, in order
	Label       []int     // the true class, from 0
	Predicted   []int     // a class, or Abstained
	Probability []float64 // rows×classes, row by row; nil when the model has none
	Ordinal     bool      // classes have an order and equal distances
	Abstain     bool      // the model may abstain
	Cost        float64   // of abstaining, in wrong answers
}

// Classes are the metrics of several classes. All but the rate and the loss of
// abstention and what comes from probabilities are over answered rows; nil is
// what these rows do not define.
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
	MacroF1          *float64 `json:"macro_f1"`          // mean F1 of the classes that have rows or predictions
	MAE              *float64 `json:"mae"`               // mean |class − predicted|; ordinal alone
	MAELow           *float64 `json:"mae_low"`           // normal 95 % of a mean
	MAEHigh          *float64 `json:"mae_high"`
	Kappa            *float64 `json:"kappa"`           // quadratic weights; ordinal alone
	LogLoss          *float64 `json:"log_loss"`        // mean −log P(true class)
	Brier            *float64 `json:"brier"`           // mean Σ_k (p_k − y_k)², 0 to 2
	AbstentionLoss   *float64 `json:"abstention_loss"` // (wrong + cost·abstained) / rows
	AbstentionRate   *float64 `json:"abstention_rate"`
}

// ClassRow is one class against all others, over answered rows.
type ClassRow struct {
	Level     string   `json:"level"`
	Support   int      `json:"support"`   // answered rows of the class
	Predicted int      `json:"predicted"` // rows that were answered with it
	Precision Estimate `json:"precision"` // Wilson 95 %
	Recall    Estimate `json:"recall"`    // Wilson 95 %
	F1        *float64 `json:"f1"`        // 2TP / (support + predicted)
}

// Multiclass returns the metrics of several classes, ordered ones and models
// that may abstain included. It panics on labels out of range.
func Multiclass(a Answers) Classes {
	c := Classes{Levels: a.Levels, N: len(a.Label)}
	c.count(a)
	c.perClass()
	if a.Ordinal {
		c.ordered()
	}
	if a.Probability != nil {
		c.probabilities(a)
	}
	if a.Abstain {
		c.abstention(a.Cost)
	}
	return c
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

// perClass fills in precision, recall and F1, and their means over classes. A
// class with rows but no right answer has F1 = 0; one with neither rows nor
// predictions does not count (as scikit-learn's f1_score does it).
func (c *Classes) perClass() {
	right := 0
	var recall, f1 mean
	for k, level := range c.Levels {
		tp, row := c.Confusion[k][k], ClassRow{Level: level}
		for j := range c.Levels {
			row.Support += c.Confusion[k][j]
			row.Predicted += c.Confusion[j][k]
		}
		row.Precision, row.Recall = Proportion(tp, row.Predicted), Proportion(tp, row.Support)
		row.F1 = finite(2 * float64(tp) / float64(row.Support+row.Predicted))
		recall.add(row.Recall.Value)
		f1.add(row.F1)
		right += tp
		c.PerClass = append(c.PerClass, row)
	}
	accuracy := Proportion(right, c.Answered)
	c.Accuracy, c.AccuracyLow, c.AccuracyHigh = accuracy.Value, accuracy.Low, accuracy.High
	c.BalancedAccuracy, c.MacroF1 = recall.value(), f1.value()
}

// probabilities fills in log loss and Brier's score in its form of 1950, over
// all rows, abstained ones too.
func (c *Classes) probabilities(a Answers) {
	k := len(a.Levels)
	sameLength(len(a.Probability), k*len(a.Label))
	var logLoss, brier float64
	for i, y := range a.Label {
		log, square := ClassLosses(a.Probability[i*k:(i+1)*k], y)
		logLoss, brier = logLoss+log, brier+square
	}
	n := float64(len(a.Label))
	c.LogLoss, c.Brier = finite(logLoss/n), finite(brier/n)
}

// ClassLosses returns −log P(true class) and Brier's score of one row, whose
// classes have the probabilities p.
func ClassLosses(p []float64, label int) (logLoss, brier float64) {
	for j, q := range p {
		if j == label {
			q = 1 - q
		}
		brier += q * q
	}
	return -math.Log(within(p[label])), brier
}
