package loss

import "fmt"

// Kind says which arguments a loss is a function of.
type Kind string

// The kinds, as the API names them.
const (
	KindMargin    Kind = "margin"    // a function of z = y·f(x)
	KindInterval  Kind = "interval"  // two functions of z, one per class
	KindPotential Kind = "potential" // k potentials and a label
	KindThreshold Kind = "threshold" // a score, thresholds and a label
)

// Family is a loss with its parameters left open: everything that the explorer, the trainers, the API and
// the tests need to know about it. Exactly one of Margin, Potential and Threshold is set, according to
// Kind.
type Family struct {
	ID      string
	Title   string
	Source  string   // authors, year and place of the formula
	Errata  []string // entries of docs/errata.md that changed the implementation
	Formula string   // TeX
	Use     string   // when to use it
	Kind    Kind
	Params  []Param
	// Explored losses have a page in the explorer made from their parameters, with a slider for each. The
	// losses of the papers have pages of their own, with more.
	Explored bool
	Cases    []Case // settings that every test runs and the documentation lists

	// What trainers and the code that reads scores need to know.
	Untrained   bool   // cannot be minimised by descent: its slope is 0 wherever it exists
	Polyhedral  bool   // margin loss that is piecewise linear, so kernel models are fitted by its dual
	Prior       bool   // λ belongs to a prior with a factor per column, added to a sum over rows
	SumZero     bool   // its potentials sum to 0
	Ordered     bool   // intended for ordered classes
	Abstains    bool   // its own decision rule may abstain
	Relative    bool   // weight factors are shown relative to the largest, as ξ in Ding and Vishwanathan (2010)
	PaperSolver string // id of a slower solver from the papers, for demonstration; "" = none

	Margin    func(Values) Margin             // for margin and interval
	Potential func(v Values, k int) Potential // for k ≥ 2 classes
	Threshold func(Values) Threshold
	// Link is the link from score to probability for given parameters; nil for a family without
	// probabilities.
	Link func(Values) Link
	// Soften returns the path of a graduated start for given parameters: the logistic loss at share 0,
	// the loss itself at 1. The field or the returned function is nil where none is needed, for example
	// for a convex loss.
	Soften func(Values) func(share float64) Margin
	// Classes is the number of classes that the parameters require; nil when any number is possible.
	Classes func(Values) int
}

// Case is a named setting, as a query: "t1=0.6&t2=1.6".
type Case struct{ Name, Query string }

// FamilyByID returns the family with the given id.
func FamilyByID(id string) (Family, bool) {
	for _, f := range Families {
		if f.ID == id {
			return f, true
		}
	}
	return Family{}, false
}

// ClassWeigher returns the multiclass loss if it can down-weight rows, otherwise nil: the factor of
// softmax, which has no parameter, is always 1.
func (f Family) ClassWeigher(v Values, k int) ClassWeigher {
	if f.Kind != KindPotential || len(f.Params) == 0 {
		return nil
	}
	w, _ := f.Potential(v, k).(ClassWeigher)
	return w
}

// Descended reports whether the family consists of smooth losses of potentials, which can be fitted for
// every multiclass task.
func (f Family) Descended() bool {
	if f.Kind != KindPotential {
		return false
	}
	v, k := f.Defaults(), 2
	if f.Classes != nil {
		k = f.Classes(v)
	}
	_, smooth := f.Potential(v, k).(Smooth)
	return smooth
}

// CostParam names the parameter that is a cost matrix, answers × classes; "" for a loss without one.
func (f Family) CostParam() string {
	for _, p := range f.Params {
		if p.Type == Matrix {
			return p.Name
		}
	}
	return ""
}

// New returns the loss as a function of k potentials. A margin loss becomes a loss of the single score f,
// with label 1 for the positive class. It is nil for a threshold loss, whose thresholds are parameters of
// the model.
func (f Family) New(v Values, k int) Potential {
	switch f.Kind {
	case KindMargin, KindInterval:
		return Binary{f.Margin(v)}
	case KindPotential:
		return f.Potential(v, k)
	}
	panic(fmt.Sprintf("loss: %s is not a loss of potentials", f.ID))
}

// Binary is a margin loss as a loss of one potential; y = 1 is the positive class.
type Binary struct{ Margin Margin }

func (Binary) Outputs() int { return 1 }

func (b Binary) Value(y int, f []float64) float64 {
	s := float64(2*y - 1)
	return b.Margin.Value(s, s*f[0])
}

func (b Binary) Grad(dst []float64, y int, f []float64) float64 {
	s := float64(2*y - 1)
	dst[0] = s * b.Margin.Slope(s, s*f[0])
	return b.Margin.Value(s, s*f[0])
}
