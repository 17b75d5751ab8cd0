package task

import (
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
)

// OrdinalAbstaining has ordered classes, where an error costs its distance, and abstention at
// the price of the spec. At a price above half the distance between the outer classes
// abstaining is never optimal.
type OrdinalAbstaining struct {
	Ordinal
	price float64
}

var _ PricedAbstention = OrdinalAbstaining{}

func (OrdinalAbstaining) ID() string     { return "ordinal-abstain" }
func (OrdinalAbstaining) Abstains() bool { return true }

func (OrdinalAbstaining) Words() Words {
	return Words{"Ordered, with abstention", "ordered classes or no answer",
		"Lowest first. An error costs its distance in classes; abstaining has its own cost.",
		"For stages and grades where uncertain patients can be referred at a known cost, in classes. At 0.5 a row " +
			"gets an answer if its expected error is below half a class."}
}

// Losses lists those that can use any cost matrix, directly or through probabilities.
func (OrdinalAbstaining) Losses() []string {
	return withSmooth("al-cost", "softmax", "tempered-multiclass")
}

func (t OrdinalAbstaining) Cost(how fit.Method, k int, iv loss.Interval) Cost {
	return append(t.Ordinal.Cost(how, k, iv), slices.Repeat([]float64{t.price}, k))
}

func (OrdinalAbstaining) WithPrice(price float64) Task { return OrdinalAbstaining{price: price} }

func (OrdinalAbstaining) Price() loss.Param {
	return loss.Param{Name: "price", Symbol: "c", Type: loss.Number, Min: 0, Max: 1000, SliderMin: 0, SliderMax: 2,
		Step: .05, Default: loss.Value{Number: abstention}, Description: "cost of abstaining, in classes"}
}
