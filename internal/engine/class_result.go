package engine

import (
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
)

// ClassResult is what a run of several classes found, beside what Result says
// of any run.
type ClassResult struct {
	Task   string   `json:"task"`
	Levels []string `json:"levels"` // label i is Levels[i]
	Rule   string   `json:"rule"`   // how the answer follows from the scores
	// Costs is what each answer costs where a class is true: rows are answers,
	// the classes in order and then abstaining if that is one.
	Costs     [][]float64 `json:"costs"`
	Criterion string      `json:"criterion"` // what tuning minimises: "error rate", "mean absolute error", "abstention loss", "mean cost"
	Cost      float64     `json:"cost"`      // its mean over the rows that judge
	Mixture   bool        `json:"mixture"`   // the loss predicts by a mixture p* of answers, which estimates no probability

	Metrics  ClassMetrics   `json:"metrics"`
	Beside   []ClassBeside  `json:"beside"`
	Coverage []stat.Covered `json:"coverage"` // accuracy against the share answered, by the largest probability or score lead; null without abstention
	Rows     []ClassRows    `json:"rows"`     // of each class, on their way
	Table1   []ClassTable1  `json:"table1"`
	PCA      *ClassPCA      `json:"pca"`
	Pictures *ClassPictures `json:"pictures,omitempty"` // of runs kept since they exist

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

// Headline is the metric that names a run of a task in lists, with its short
// name.
func (c *ClassResult) Headline() (name string, value *float64) {
	switch about := task.Of(c.Task); {
	case about.Abstains():
		return "abstention_loss", c.Metrics.Test.AbstentionLoss
	case about.Ordered():
		return "mae", c.Metrics.Test.MAE
	}
	return "accuracy", c.Metrics.Test.Accuracy
}
