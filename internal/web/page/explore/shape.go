package explore

import (
	"math"
	"net/url"
	"strings"

	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
	"taper/internal/web/format"
)

// Shape is a loss of the margin as the explorer shows it. Functions that a loss does not have are nil.
type Shape struct {
	spec        Spec
	family      loss.Family
	Name        string // with its parameters: "t-logistic 1.6"
	Value, pull func(z float64) float64
	probability func(z float64) float64 // the model's own estimate
	class       func(z float64) float64 // link-corrected
	importance  func(z float64) float64
	Kinks       []float64
	regime      loss.Regime
}

// NewShape builds a loss from its name and parameters.
func NewShape(spec Spec) (Shape, error) {
	f, ok := loss.FamilyByID(spec.ID)
	if !ok || f.Margin == nil || f.Kind != loss.KindMargin {
		return Shape{}, usererr.BadField("loss", "must be a loss of the margin, not %q", format.Cut(spec.ID, 30))
	}
	if len(spec.Args) > len(f.Params) {
		return Shape{}, usererr.BadField("loss", "takes %s", phrase.Count(len(f.Params), "parameter"))
	}
	q := url.Values{}
	for i, a := range spec.Args {
		q.Set(f.Params[i].Name, a)
	}
	values, err := f.Parse(q)
	if err != nil {
		return Shape{}, err
	}
	m := f.Margin(values)
	s := Shape{spec: spec, family: f, Name: shapeName(f, spec),
		Value: func(z float64) float64 { return m.Value(1, z) },
		pull:  func(z float64) float64 { return math.Abs(m.Slope(1, z)) },
	}
	if r, ok := m.(loss.Regimer); ok {
		s.regime = r.Regime()
		s.Kinks = s.regime.Kinks
	}
	if p, ok := m.(loss.Modeler); ok {
		s.probability = p.Probability
	}
	if p, ok := m.(loss.Prober); ok {
		s.class = p.ClassProbability
	}
	if w, ok := m.(loss.Weigher); ok {
		s.importance = w.Importance
	}
	return s, nil
}

// mustShape is NewShape for parameters that were checked.
func mustShape(spec Spec) Shape {
	s, err := NewShape(spec)
	if err != nil {
		panic("web: " + spec.String() + ": " + err.Error())
	}
	return s
}

// shapeName is a loss with its parameters in words.
func shapeName(f loss.Family, spec Spec) string {
	name := map[string]string{"zero-one": "0–1 step", "t-logistic": "t-logistic", "dwd": "DWD", "alpha": "α-loss",
		"tempered": "two-temperature"}[spec.ID]
	if name == "" {
		name = phrase.LowerFirst(f.Title)
	}
	var args []string
	for _, a := range spec.Args {
		args = append(args, format.Parameter(a))
	}
	if len(args) == 0 {
		return name
	}
	return name + " " + strings.Join(args, ", ")
}

// Spec names a loss with its parameters: "alpha:3", "tempered:0.6:1.6".
type Spec struct {
	ID   string
	Args []string
}

// MarshalText writes a loss as in an address.
func (l Spec) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

func (l Spec) String() string { return strings.Join(append([]string{l.ID}, l.Args...), ":") }
