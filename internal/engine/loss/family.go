package loss

import "fmt"

// Kind is the shape of a loss.
type Kind string

// The kinds, as the API names them.
const (
	KindMargin    Kind = "margin"    // a function of z = y·f(x)
	KindInterval  Kind = "interval"  // two functions of z, one for each class
	KindPotential Kind = "potential" // k potentials and a label
	KindThreshold Kind = "threshold" // a score, thresholds and a label
)

// Family is a loss with its parameters open: all that the explorer, the
// trainers, the API and the tests need to know of it. Exactly one of Margin,
// Potential and Threshold is set, by the kind.
type Family struct {
	ID      string
	Title   string
	Source  string   // paper by its number, and where in it
	Errata  []string // ids of docs/errata.md that changed the implementation
	Formula string   // TeX
	Use     string   // what it is good for
	Kind    Kind
	Params  []Param
	// Explored: the explorer has a page of this margin loss, with a slider for each
	// parameter. The losses of the papers have pages that say more.
	Explored bool
	Cases    []Case // settings worth seeing; the tests run all of them

	// What fitting it and reading its score have to know.
	Untrained   bool   // nothing to descend: its slope is 0 wherever it has one
	Polyhedral  bool   // of a margin: straight pieces, so that a kernel score is fitted by its dual
	Prior       bool   // λ is that of a prior of single columns, and belongs to a sum over the rows
	SumZero     bool   // its potentials sum to 0
	Ordered     bool   // made for classes with an order
	Abstains    bool   // what it decides by its own rule may be no class
	Relative    bool   // weight factors are shown as parts of the largest, as ξ of Ding and Vishwanathan (2010)
	PaperSolver string // a slower solver of the papers, to watch; "" = none

	Margin    func(Values) Margin             // margin and interval
	Potential func(v Values, k int) Potential // k ≥ 2 classes
	Threshold func(Values) Threshold
	// Link is how the score becomes a probability at a setting; nil for a family
	// that recovers none.
	Link func(Values) Link
	// Soften returns the way of a graduated start at a setting: the logistic loss at
	// share 0, the loss itself at 1. Nil, as a field or returned: there is none, as
	// for a convex loss.
	Soften func(Values) func(share float64) Margin
	// Classes is the number of classes that the values prescribe, nil when any
	// will do.
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

// ClassWeigher is the loss of k classes where rows may lose weight under it, else nil:
// the factor of softmax, which has no parameter, is 1.
func (f Family) ClassWeigher(v Values, k int) ClassWeigher {
	if f.Kind != KindPotential || len(f.Params) == 0 {
		return nil
	}
	w, _ := f.Potential(v, k).(ClassWeigher)
	return w
}

// Descended reports whether the family is of smooth losses of potentials, which
// every task of classes can be fitted with.
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

// CostParam names the parameter that is a cost matrix, answers × classes; "" of a loss
// that takes none.
func (f Family) CostParam() string {
	for _, p := range f.Params {
		if p.Type == Matrix {
			return p.Name
		}
	}
	return ""
}

// New returns the loss as one of k potentials. A margin loss becomes a loss of
// the single score f, whose label is 1 for the positive class. There is none
// for a threshold loss, whose thresholds are parameters of the model.
func (f Family) New(v Values, k int) Potential {
	switch f.Kind {
	case KindMargin, KindInterval:
		return Binary{f.Margin(v)}
	case KindPotential:
		return f.Potential(v, k)
	}
	panic(fmt.Sprintf("loss: %s is not a loss of potentials", f.ID))
}

// Binary is a margin loss as a loss of one potential: y = 1 is the positive
// class.
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
