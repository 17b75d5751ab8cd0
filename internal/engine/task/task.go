// Package task defines what is predicted: the losses that learn it, the cost of its answers,
// how scores become an answer, and the criterion of tuning. All is the only list of tasks;
// runs, pages, the API and its description read it.
package task

import (
	"cmp"
	"math"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
)

// Task is what a run predicts. Cost, Rule and Criterion depend on the loss, because its
// parameters may include the cost of abstaining or a cost matrix.
type Task interface {
	ID() string
	Words() Words
	Event() bool    // class 1 is an event, and answers are bands of its risk
	Ordered() bool  // classes are ordered, at equal distances
	Abstains() bool // abstention is an answer
	// Losses are the ids of the losses that learn the task, the default first.
	Losses() []string
	// Baselines are the comparison models, fitted on the same folds: a regression, and the
	// model without predictors.
	Baselines() []Baseline
	// Cost is the cost matrix of k classes, or of the bands between the boundaries.
	Cost(how fit.Method, k int, iv loss.Interval) Cost
	// Rule says how scores of a loss give the predicted class; "" for a task with an event,
	// which uses a cut-off.
	Rule(loss.Family) string
	// Criterion is what tuning minimises. c is the cost matrix of the run's model, for its
	// baseline too.
	Criterion(how fit.Method, c Cost, iv loss.Interval) Criterion
}

// Baseline is a comparison model.
type Baseline struct {
	ID    string
	Title string // in tables
	Name  string // in sentences
	Loss  string // "" = class proportions only
}

// Method parses the model of a spec for a task with k classes, or with the boundaries of an
// event, and returns its cost matrix. A loss that takes a cost matrix is trained with it.
func Method(t Task, m fit.Spec, k int, iv loss.Interval) (fit.Method, Cost, error) {
	how, err := fit.Parse(m)
	if err != nil {
		return how, nil, err
	}
	c := t.Cost(how, k, iv)
	return how.WithCosts(c), c, nil
}

var noPredictors = Baseline{ID: "null", Title: "No predictors", Name: "No predictors"}

// PricedAbstention is a task whose spec sets the cost of abstaining, in the unit of its other
// costs. The task makes the cost matrix; losses that take one cannot be given another.
type PricedAbstention interface {
	Task
	Price() loss.Param // "price"
	WithPrice(price float64) Task
}

// Words describe a task without an event to readers. Pages on bands name their boundaries
// instead.
type Words struct {
	Label string // where tasks are chosen
	Kind  string // what is predicted, within a sentence
	Note  string // the costs of answers, below the choice
	Help  string // when to take it
}

// All lists the tasks in the order in which pages offer them.
var All = []Task{Binary{}, Interval{}, Multiclass{}, Ordinal{}, Abstaining{}, OrdinalAbstaining{price: abstention}}

// ByID returns a task; false if there is none with this id.
func ByID(id string) (Task, bool) {
	for _, t := range All {
		if t.ID() == id {
			return t, true
		}
	}
	return nil, false
}

// Of is ByID, with Binary for an unknown id.
func Of(id string) Task {
	if t, known := ByID(id); known {
		return t
	}
	return Binary{}
}

// Which lists the tasks that satisfy a condition, such as Task.Ordered.
func Which(is func(Task) bool) []Task {
	return slices.DeleteFunc(slices.Clone(All), func(t Task) bool { return !is(t) })
}

// ClassTasks lists the tasks without an event.
func ClassTasks() []Task { return Which(func(t Task) bool { return !t.Event() }) }

// HasPrice reports whether specs of a task set the cost of abstaining.
func HasPrice(t Task) bool { _, priced := t.(PricedAbstention); return priced }

// IDs lists the ids of tasks.
func IDs(of []Task) (ids []string) {
	for _, t := range of {
		ids = append(ids, t.ID())
	}
	return ids
}

// For is the task of a model that names none: the first that its loss can learn, an ordered one
// if the classes are ordered or the model has thresholds.
func For(m fit.Spec, ordered bool) Task {
	if m.Boosted() {
		return Binary{}
	}
	for _, ordered := range []bool{ordered || m.Features == multiclass.Thresholds, false} {
		for _, t := range All {
			if slices.Contains(t.Losses(), m.Loss) && (t.Ordered() || !ordered) {
				return t
			}
		}
	}
	return Binary{}
}

// Defaults fills in the zero fields of a model for a task. Losses for ordered classes get one
// score with thresholds: the default loss of an ordered task, and the squared loss.
func Defaults(t Task, m fit.Spec) fit.Spec {
	m = m.WithDefaults(t.Losses()[0])
	f := m.Family()
	if t.Ordered() && (m.Loss == t.Losses()[0] || f.Ordered && f.Kind == loss.KindPotential) {
		m.Features = cmp.Or(m.Features, multiclass.Thresholds)
	}
	return m
}

// The tasks. Binary has an event, whose risk is cut into bands; Interval is Binary with a loss
// made for its boundaries. Multiclass has unordered classes, Ordinal has ordered ones where an
// error costs its distance, and Abstaining adds abstention to unordered ones.
type (
	Binary     struct{}
	Interval   struct{ Binary }
	Multiclass struct{}
	Ordinal    struct{ Multiclass }
	Abstaining struct{ Multiclass }
)

func (Binary) ID() string     { return "binary" }
func (Interval) ID() string   { return "interval" }
func (Multiclass) ID() string { return "multiclass" }
func (Ordinal) ID() string    { return "ordinal" }
func (Abstaining) ID() string { return "abstain" }

func (Binary) Words() Words { return Words{} }
func (Multiclass) Words() Words {
	return Words{"Multiclass", "unordered classes", "Every wrong answer costs the same.",
		"For classes without an order, such as diagnoses. The mean cost is the error rate."}
}
func (Ordinal) Words() Words {
	return Words{"Ordered classes", "ordered classes",
		"Lowest first. An error costs its distance in classes.",
		"For stages, grades and counts. An answer that is two classes off costs twice as much as one that is " +
			"one class off, so the best answer is the median. A number can be cut into such classes."}
}
func (Abstaining) Words() Words {
	return Words{"With abstention", "classes or no answer", "A wrong answer costs 1, no answer less.",
		"For cases where uncertain patients can be referred at a known cost."}
}

func (Binary) Event() bool     { return true }
func (Multiclass) Event() bool { return false }

func (Binary) Ordered() bool     { return false }
func (Multiclass) Ordered() bool { return false }
func (Ordinal) Ordered() bool    { return true }

func (Binary) Abstains() bool     { return false }
func (Multiclass) Abstains() bool { return false }
func (Abstaining) Abstains() bool { return true }

func (Binary) Losses() []string {
	rest := slices.DeleteFunc(fit.MarginLosses(), func(id string) bool { return id == "logistic" || id == "interval" })
	return append([]string{"logistic"}, rest...)
}
func (Interval) Losses() []string { return append([]string{"interval"}, Binary{}.Losses()...) }

func (Multiclass) Losses() []string {
	return withSmooth("al-zero-one", "softmax", "ww", "cs", "llw", "ova", "tempered-multiclass", "al-cost")
}

func (Ordinal) Losses() []string {
	return withSmooth("al-ordinal", "al-squared", "all-threshold", "immediate-threshold", "reduction", "softmax",
		"al-zero-one", "ww", "cs", "llw", "ova", "tempered-multiclass", "al-cost")
}

func (Abstaining) Losses() []string {
	return withSmooth("al-abstain", "softmax", "ova", "cs", "tempered-multiclass", "al-cost")
}

// withSmooth appends the smooth losses of potentials that are not in ids, because each of them
// can learn any classes.
func withSmooth(ids ...string) []string {
	for _, f := range loss.Families {
		if f.Descended() && !slices.Contains(ids, f.ID) {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

func (Binary) Baselines() []Baseline {
	return []Baseline{{"logistic", "Logistic, thresholded", "Logistic regression", "logistic"}, noPredictors}
}

func (Multiclass) Baselines() []Baseline {
	return []Baseline{{"logistic", "Softmax regression", "Softmax regression", "softmax"}, noPredictors}
}

func (Binary) Cost(_ fit.Method, _ int, iv loss.Interval) Cost { return Bands(iv) }

func (Multiclass) Cost(how fit.Method, k int, _ loss.Interval) Cost {
	return classCost(how, k, func(call, class int) float64 {
		if call == class {
			return 0
		}
		return 1
	})
}

func (Ordinal) Cost(how fit.Method, k int, _ loss.Interval) Cost {
	return classCost(how, k, func(call, class int) float64 { return math.Abs(float64(call - class)) })
}

// abstention is the cost of abstaining, where the loss does not set it.
const abstention = 0.5

func (a Abstaining) Cost(how fit.Method, k int, iv loss.Interval) Cost {
	c := a.Multiclass.Cost(how, k, iv)
	if how.Costs() != nil {
		return c
	}
	price, none := abstention, make([]float64, k)
	if how.Family.ID == "al-abstain" {
		price = how.Values.Number("alpha")
	}
	for class := range none {
		none[class] = price
	}
	return append(c, none)
}

func (Binary) Rule(loss.Family) string { return "" }

func (Multiclass) Rule(f loss.Family) string {
	switch {
	case f.Link != nil: // it has probabilities
		return RuleExpected
	case f.Kind == loss.KindThreshold:
		return RuleThresholds
	case f.CostParam() != "":
		return RuleMixture
	}
	return RuleLargest
}

func (a Abstaining) Rule(f loss.Family) string {
	switch rule := a.Multiclass.Rule(f); {
	case rule != RuleLargest:
		return rule
	case f.ID == "ova":
		return RulePositive
	}
	return RuleLead
}

func (Binary) Criterion(how fit.Method, _ Cost, iv loss.Interval) Criterion { return ofEvent(how, iv) }

func (m Multiclass) Criterion(how fit.Method, c Cost, _ loss.Interval) Criterion {
	return ofCall(m.Rule(how.Family), c)
}

func (a Abstaining) Criterion(how fit.Method, c Cost, _ loss.Interval) Criterion {
	return ofCall(a.Rule(how.Family), c)
}
