package loss

import (
	"cmp"
	"math"
)

// Type is the type of a parameter.
type Type string

// The types, as the API names them.
const (
	Number Type = "number"
	List   Type = "list"   // numbers, strictly increasing within (Min, Max)
	Matrix Type = "matrix" // rows of equal length
	ID     Type = "id"     // one of Options
)

// Param describes one parameter of a family. Min and Max bound the accepted values, SliderMin and
// SliderMax those offered on a page.
type Param struct {
	Name         string
	Symbol       string
	Label        string // what the parameter does, in a few words beside its symbol; may be empty
	Type         Type
	Min, Max     float64 // may be infinite, which means no bound
	ExclusiveMin bool
	ExclusiveMax bool
	SliderMin    float64
	SliderMax    float64
	Log          bool // whether the slider is logarithmic
	Step         float64
	AllowsInf    bool
	Default      Value
	Options      []string
	Ticks        []Tick
	Description  string
}

// Heading is what stands beside the symbol on a page: the label, or the description where there is none.
func (p Param) Heading() string { return cmp.Or(p.Label, p.Description) }

// Tick marks a special value on a slider.
type Tick struct {
	At    float64
	Label string
}

// Value is the value of one parameter; the field used depends on its type.
type Value struct {
	Number float64
	List   []float64
	Matrix [][]float64
	ID     string
}

// Values are the values of all parameters of a family, by name.
type Values map[string]Value

// Number returns a number. A name that the family does not have panics.
func (v Values) Number(name string) float64 { return v.get(name).Number }

// List returns a list.
func (v Values) List(name string) []float64 { return v.get(name).List }

// Matrix returns a matrix.
func (v Values) Matrix(name string) [][]float64 { return v.get(name).Matrix }

// ID returns an id.
func (v Values) ID(name string) string { return v.get(name).ID }

func (v Values) get(name string) Value {
	x, ok := v[name]
	if !ok {
		panic("loss: no parameter " + name)
	}
	return x
}

// within reports whether a number is accepted.
func (p Param) within(x float64) bool {
	if math.IsInf(x, 0) {
		return p.AllowsInf && x == p.Max
	}
	above := x > p.Min || x == p.Min && !p.ExclusiveMin
	return above && (x < p.Max || x == p.Max && !p.ExclusiveMax)
}
