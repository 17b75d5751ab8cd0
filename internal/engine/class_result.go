package engine

import (
	"taper/internal/engine/stat"
)

// ClassResult is the part of a Result that only multiclass tasks have.
type ClassResult struct {
	Task   string   `json:"task"`
	Levels []string `json:"levels"` // label i is Levels[i]
	Rule   string   `json:"rule"`   // how scores become an answer
	// Costs[a][c] is the cost of answer a where class c is true. Answers are the classes in order, then
	// abstaining where the task allows it.
	Costs [][]float64 `json:"costs"`
	// the criterion that tuning minimises: "error rate", "mean absolute error", "abstention loss", "mean cost"
	Criterion string  `json:"criterion"`
	Cost      float64 `json:"cost"` // mean over the test rows
	// whether the loss predicts by a mixture p* of answers, which does not estimate class probabilities
	Mixture bool `json:"mixture"`

	Metrics ClassMetrics  `json:"metrics"`
	Beside  []ClassBeside `json:"beside"`
	// accuracy against coverage, ordered by the largest probability or score margin; null without abstention
	Coverage []stat.CoveragePoint `json:"coverage"`
	Rows     []ClassRows          `json:"rows"` // number of rows of each class at every step
	Table1   []ClassTable1        `json:"table1"`
	PCA      *ClassPCA            `json:"pca"`
	Pictures *ClassPictures       `json:"pictures,omitempty"` // null in runs of older versions

	Features string `json:"features,omitempty"` // ordered classes: "th" or "mc"
	// on the score in natural units; only of models with a single score
	Thresholds []float64  `json:"thresholds,omitempty"`
	Kernel     *KernelFit `json:"kernel,omitempty"`
	Gamma      *float64   `json:"gamma,omitempty"`
	FoldGamma  []float64  `json:"fold_gamma,omitempty"`
}

// MeanCost is the mean cost of a multiclass result with its interval. A mean over repeats has none.
func (r *Result) MeanCost() stat.Estimate {
	c := r.Classes
	return c.Metrics.Test.MeanCost(c.Costs, c.Cost)
}

// MarkMeans says of the metrics of a stored multiclass result that they are means, where the cross-validation was
// repeated: also where they happen to equal those of the first repeat, whose counts are stored.
func (r *Result) MarkMeans() {
	if r.Classes == nil || r.Repeats() == 1 {
		return
	}
	m := &r.Classes.Metrics
	m.Test.Averaged = true
	for id, b := range m.Baselines {
		b.Averaged = true
		m.Baselines[id] = b
	}
	for i := range r.Classes.Beside {
		r.Classes.Beside[i].Metrics.Averaged = true
	}
}

// KernelFit describes the final fit of a kernel model.
type KernelFit struct {
	Words     string `json:"words"`
	Rows      int    `json:"rows"`      // training rows with a non-zero coefficient
	Landmarks int    `json:"landmarks"` // number of Nyström landmarks; 0 means the exact kernel
}

// ClassMetrics are the Metrics of multiclass tasks.
type ClassMetrics struct {
	Train     stat.Classes            `json:"train"`
	Test      stat.Classes            `json:"test"`
	Baselines map[string]stat.Classes `json:"baselines"` // "logistic" (softmax), "null"
}

// ClassBeside is one row of the comparison table. Difference is the mean cost of this model minus that of the
// run's model, with the standard error of the paired difference over rows.
type ClassBeside struct {
	ID      string       `json:"id"` // "model", "logistic", "null"
	Title   string       `json:"title"`
	Cost    float64      `json:"cost"`
	L2      *float64     `json:"l2"`
	Metrics stat.Classes `json:"metrics"`

	Difference   *float64 `json:"difference"`
	DifferenceSE *float64 `json:"difference_se"`
}

// CostDifference returns Difference with its normal 95 % interval.
func (b ClassBeside) CostDifference() stat.Estimate {
	return stat.WithError(b.Difference, b.DifferenceSE)
}

// ClassRows counts the rows of one class.
type ClassRows struct {
	Level   string `json:"level"`
	Trained int    `json:"trained"`
	Scored  int    `json:"scored"`
}

// ClassTable1 describes one predictor by class: a numeric one by median and quartiles, a level by its count.
type ClassTable1 struct {
	Name    string       `json:"name"`
	Level   string       `json:"level,omitempty"`
	Classes [][3]float64 `json:"classes"` // Q1, median, Q3; or count, share, 0
	Missing int          `json:"missing"`
	// MissingIn is the number of missing values in each class; nil in results of an older version.
	MissingIn []int `json:"missing_in,omitempty"`
}

// ClassPCA is PCA for multiclass tasks.
type ClassPCA struct {
	Share     [2]float64 `json:"share"`
	X         []float64  `json:"x"`
	Y         []float64  `json:"y"`
	Class     []int      `json:"class"`
	Predicted []int      `json:"predicted"` // −1 means abstained
	Row       []int      `json:"row"`
}

// ClassPictures is the data of the curves over the test rows; with repeated cross-validation, those of the
// first repeat.
type ClassPictures struct {
	// what ranks the rows of a class: "probability", or "lead", the margin of its score over the largest other
	// score
	By      string         `json:"by"`
	Classes []ClassPicture `json:"classes"` // each against all others, in the order of the levels
	GiveUp  *ClassGiveUp   `json:"give_up"` // null for a loss that does not down-weight rows
}

// ClassPicture is one class against all others. With many classes only the largest ones have curves.
type ClassPicture struct {
	Level       string                    `json:"level"`
	Rows        int                       `json:"rows"`
	ROC         stat.ROCCurve             `json:"roc"`         // points null where not drawn
	Calibration *stat.SmoothedCalibration `json:"calibration"` // null without probabilities, or where not drawn
}

// ClassGiveUp is the histogram of the weight factors g = p_c^(t2−t1), where c is the class the row was trained
// with (docs/clinical.md, Label audit).
type ClassGiveUp struct {
	Bins []ClassGiveUpBin `json:"bins"`
	Half int              `json:"half"` // rows with a factor below ½
}

// ClassGiveUpBin counts the rows with a factor in (Lower, Upper]. The first bin includes 0; the last includes
// all larger factors.
type ClassGiveUpBin struct {
	Lower   float64 `json:"lower"`
	Upper   float64 `json:"upper"`
	Right   int     `json:"right"`   // predicted class equals the label as uploaded
	Wrong   int     `json:"wrong"`   // another class is predicted, or none
	Flipped int     `json:"flipped"` // of both, rows whose label was flipped by injected noise
}
