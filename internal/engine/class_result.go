package engine

import (
	"taper/internal/engine/stat"
)

// ClassResult is what a multiclass run found, beside what Result says
// of any run.
type ClassResult struct {
	Task   string   `json:"task"`
	Levels []string `json:"levels"` // label i is Levels[i]
	Rule   string   `json:"rule"`   // how the answer follows from the scores
	// Costs is what each answer costs where a class is true: rows are answers,
	// the classes in order and then abstaining if that is one.
	Costs [][]float64 `json:"costs"`
	// what tuning minimises: "error rate", "mean absolute error", "abstention loss", "mean cost"
	Criterion string  `json:"criterion"`
	Cost      float64 `json:"cost"` // its mean over the test rows
	// the loss predicts by a mixture p* of answers, which estimates no probability
	Mixture bool `json:"mixture"`

	Metrics ClassMetrics  `json:"metrics"`
	Beside  []ClassBeside `json:"beside"`
	// accuracy against the share answered, by the largest probability or score lead; null without abstention
	Coverage []stat.CoveragePoint `json:"coverage"`
	Rows     []ClassRows          `json:"rows"` // of each class, on their way
	Table1   []ClassTable1        `json:"table1"`
	PCA      *ClassPCA            `json:"pca"`
	Pictures *ClassPictures       `json:"pictures,omitempty"` // of runs kept since they exist

	Features   string     `json:"features,omitempty"`   // ordered classes: "th" or "mc"
	Thresholds []float64  `json:"thresholds,omitempty"` // on the score in natural units, one score alone
	Kernel     *KernelFit `json:"kernel,omitempty"`
	Gamma      *float64   `json:"gamma,omitempty"`
	FoldGamma  []float64  `json:"fold_gamma,omitempty"`
}

// KernelFit is what a kernel model is made of.
type KernelFit struct {
	Words     string `json:"words"`
	Rows      int    `json:"rows"`      // training rows with a coefficient
	Landmarks int    `json:"landmarks"` // of Nyström's features; 0 = the exact kernel
}

// ClassMetrics are Metrics of several classes.
type ClassMetrics struct {
	Train     stat.Classes            `json:"train"`
	Test      stat.Classes            `json:"test"`
	Baselines map[string]stat.Classes `json:"baselines"` // "logistic" (softmax), "null"
}

// ClassBeside is one model of the comparison. Difference is its mean cost minus
// that of the model, with its standard error over the rows (paired).
type ClassBeside struct {
	ID      string       `json:"id"` // "model", "logistic", "null"
	Title   string       `json:"title"`
	Cost    float64      `json:"cost"`
	L2      *float64     `json:"l2"`
	Metrics stat.Classes `json:"metrics"`

	Difference   *float64 `json:"difference"`
	DifferenceSE *float64 `json:"difference_se"`
}

// CostDifference is its mean cost less that of the model, with the interval.
func (b ClassBeside) CostDifference() stat.Estimate {
	return stat.WithError(b.Difference, b.DifferenceSE)
}

// ClassRows counts the rows of one class.
type ClassRows struct {
	Level   string `json:"level"`
	Trained int    `json:"trained"`
	Scored  int    `json:"scored"`
}

// ClassTable1 describes one predictor by class: a number by median and
// quartiles, a level by count.
type ClassTable1 struct {
	Name    string       `json:"name"`
	Level   string       `json:"level,omitempty"`
	Classes [][3]float64 `json:"classes"` // Q1, median, Q3; or count, share, 0
	Missing int          `json:"missing"`
	// MissingIn counts the missing rows of each class; nil in results of an earlier version.
	MissingIn []int `json:"missing_in,omitempty"`
}

// ClassPCA is PCA with classes.
type ClassPCA struct {
	Share     [2]float64 `json:"share"`
	X         []float64  `json:"x"`
	Y         []float64  `json:"y"`
	Class     []int      `json:"class"`
	Predicted []int      `json:"predicted"` // −1 abstained
	Row       []int      `json:"row"`
}

// ClassPictures are what the test rows of a multiclass run draw: of
// repeats the first.
type ClassPictures struct {
	// what ranks the rows of a class: "probability" or "lead", by how much its score leads the others'
	By      string         `json:"by"`
	Classes []ClassPicture `json:"classes"` // each against all others, in the order of the levels
	GiveUp  *ClassGiveUp   `json:"give_up"` // null for a loss without such factors
}

// ClassPicture is one class against all others. Of many classes only those with
// the most rows have curves.
type ClassPicture struct {
	Level       string                    `json:"level"`
	Rows        int                       `json:"rows"`
	ROC         stat.ROCCurve             `json:"roc"`         // points null where not drawn
	Calibration *stat.SmoothedCalibration `json:"calibration"` // null without probabilities, or where not drawn
}

// ClassGiveUp is the histogram of the weight factors g = p_c^(t2−t1) of the
// rows, each by the class c it trains with (docs/clinical.md §4).
type ClassGiveUp struct {
	Bins []ClassGiveUpBin `json:"bins"`
	Half int              `json:"half"` // rows with less than half the weight of a row of factor 1
}

// ClassGiveUpBin counts the rows with a factor in (Lower, Upper], the first with
// its 0 and the last with all beyond 1.
type ClassGiveUpBin struct {
	Lower   float64 `json:"lower"`
	Upper   float64 `json:"upper"`
	Right   int     `json:"right"`   // answered with the class as it came
	Wrong   int     `json:"wrong"`   // with another, or with none
	Flipped int     `json:"flipped"` // of both, corrupted by injected noise
}
