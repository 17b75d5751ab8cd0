package loss

import (
	"math"

	"taper/internal/engine/odds"
	"taper/internal/engine/tempered"
)

// Columns holds all functions of a margin loss at given margins. A column is nil when the loss does not
// have that function; Curve is NaN at a kink.
type Columns struct {
	Value, Slope     []float64
	Curve            []float64 // second derivative
	Probability      []float64 // the model's own, of the labelled class
	ClassProbability []float64 // link-corrected
	Importance       []float64 // weight factor
}

// Sample evaluates a margin loss for the positive class.
func Sample(l Margin, z []float64) Columns {
	if t, ok := twoTemperatures(l); ok {
		return t.sample(z)
	}
	c := Columns{Value: make([]float64, len(z)), Slope: make([]float64, len(z))}
	for i, u := range z {
		c.Value[i], c.Slope[i] = l.Value(1, u), l.Slope(1, u)
	}
	if l, ok := l.(Curver); ok {
		c.Curve = column(z, func(u float64) float64 { return orNaN(l.Curve(u)) })
	}
	if l, ok := l.(Modeler); ok {
		c.Probability = column(z, l.Probability)
	}
	if l, ok := l.(Prober); ok {
		c.ClassProbability = column(z, l.ClassProbability)
	}
	if l, ok := l.(Weigher); ok {
		c.Importance = column(z, l.Importance)
	}
	return c
}

func column(z []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(z))
	for i, u := range z {
		out[i] = f(u)
	}
	return out
}

func orNaN(v float64, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return v
}

func twoTemperatures(l Margin) (Tempered, bool) {
	switch l := l.(type) {
	case Tempered:
		return l, true
	case temperedLink:
		return l.Tempered, true
	}
	return Tempered{}, false
}

// sample solves for the probabilities only once per margin.
func (l Tempered) sample(z []float64) Columns {
	n := len(z)
	c := Columns{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), nil, make([]float64, n)}
	if l.T1 > 0 {
		c.ClassProbability = make([]float64, n)
	}
	for i, u := range z {
		own, other := l.logs(u)
		c.Value[i] = tempered.NegLog(l.T1, own)
		c.Slope[i] = -l.slope(own, other)
		c.Curve[i] = orNaN(l.curve(u, own, other))
		c.Probability[i] = math.Exp(own)
		c.Importance[i] = power(own, l.T2-l.T1)
		if l.T1 > 0 {
			c.ClassProbability[i] = odds.Sigmoid(l.T1 * (own - other))
		}
	}
	return c
}
