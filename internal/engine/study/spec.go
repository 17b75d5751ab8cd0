package study

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"taper/internal/engine/fit"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Spec is the complete input of a study except an uploaded table: the JSON of POST /api/v1/studies. It is
// either a preset with its size and seed, or a grid. Zero fields mean the defaults of WithDefaults.
type Spec struct {
	Name   string `json:"name,omitempty"`
	Preset string `json:"preset,omitempty"`
	Size   Size   `json:"size,omitempty"`
	Seed   uint64 `json:"seed"`

	Dataset    Source       `json:"dataset,omitzero"`
	Outcome    string       `json:"outcome,omitempty"` // "" = the generator's
	Positive   table.Levels `json:"positive,omitempty"`
	Negative   table.Levels `json:"negative,omitempty"`
	Models     []fit.Spec   `json:"models,omitempty"`
	Noise      Noise        `json:"noise,omitzero"`
	Replicates int          `json:"replicates,omitempty"`
	Test       float64      `json:"test,omitempty"` // test fraction
	Metric     string       `json:"metric,omitempty"`
	Boundaries []float64    `json:"boundaries,omitempty"` // for metric interval_loss
}

// Source is where the rows come from: the id of an uploaded dataset, or a
// generator. JSON has a string or an object.
type Source struct {
	ID        string             `json:"-"`
	Generator string             `json:"generator,omitempty"`
	Rows      int                `json:"rows,omitempty"`
	Params    map[string]float64 `json:"params,omitempty"`
}

// generated is Source without its methods.
type generated Source

// MarshalJSON writes the id or the generator.
func (s Source) MarshalJSON() ([]byte, error) {
	if s.ID != "" {
		return json.Marshal(s.ID)
	}
	return json.Marshal(generated(s))
}

// UnmarshalJSON reads an id or a generator.
func (s *Source) UnmarshalJSON(b []byte) error {
	*s = Source{}
	if json.Unmarshal(b, &s.ID) == nil {
		return nil
	}
	if err := json.Unmarshal(b, (*generated)(s)); err != nil {
		return usererr.BadField("dataset", `must be the id of a dataset or {"generator": …, "rows": …, "params": {…}}`)
	}
	return nil
}

// IsZero reports whether nothing was named.
func (s Source) IsZero() bool {
	return s.ID == "" && s.Generator == "" && s.Rows == 0 && len(s.Params) == 0
}

// Noise corrupts training rows at each of several rates.
type Noise struct {
	Kind  string    `json:"kind,omitempty"` // synth.NoiseKinds; "" = symmetric when there are rates
	Rates []float64 `json:"rates,omitempty"`
	// Negative are the rates for class 0 with kind "class"; Rates are those for the event. nil means
	// equal rates.
	Negative []float64 `json:"rates_negative,omitempty"`
}

// IsZero reports whether nothing was asked for.
func (n Noise) IsZero() bool { return n.Kind == "" && len(n.Rates) == 0 && len(n.Negative) == 0 }

// at returns the noise of rate i.
func (n Noise) at(i int) synth.Noise {
	s := synth.Noise{Kind: n.Kind, Rate: n.Rates[i], RatePositive: n.Rates[i], RateNegative: n.Rates[i]}
	if len(n.Negative) > 0 {
		s.RateNegative = n.Negative[i]
	}
	return s
}

// Size is how much of a preset runs.
type Size string

// Smoke only shows that a preset runs, quick ends within a minute on two cores, full is the protocol of
// the paper.
const (
	Smoke Size = "smoke"
	Quick Size = "quick"
	Full  Size = "full"
)

// Sizes lists them from small to large.
var Sizes = []Size{Smoke, Quick, Full}

// Pick returns the value of a size.
func (s Size) Pick(smoke, quick, full int) int {
	switch s {
	case Smoke:
		return smoke
	case Full:
		return full
	}
	return quick
}

// Limits of a grid.
const (
	MaxReplicates = 1000
	MaxModels     = 50
	MaxRates      = 50
	MaxUnits      = 20_000
)

// WithDefaults fills in every zero field that has a default: size quick; 20 replicates, half of the rows
// for testing, accuracy, no noise, and logistic regression. It does not modify slices of s.
func (s Spec) WithDefaults() Spec {
	if s.Preset != "" {
		s.Size = cmp.Or(s.Size, Quick)
		return s
	}
	s.Replicates, s.Test, s.Metric = cmp.Or(s.Replicates, 20), cmp.Or(s.Test, 0.5), cmp.Or(s.Metric, "accuracy")
	if len(s.Noise.Rates) == 0 {
		s.Noise.Rates = []float64{0}
	}
	if s.Noise.Kind == "" {
		s.Noise.Kind = synth.NoiseSymmetric
	}
	if len(s.Models) == 0 {
		s.Models = []fit.Spec{{}}
	}
	s.Models = slices.Clone(s.Models)
	for i, m := range s.Models {
		s.Models[i] = m.WithDefaults("")
	}
	return s
}

// Label names a model of a grid as in its cells. Different settings have different names.
func Label(m fit.Spec) string {
	text := m.Title()
	if m.Boosted() {
		if m.Depth > 1 {
			text += ", depth " + strconv.Itoa(m.Depth)
		}
		if m.ThetaRule != "" && m.ThetaRule != "half-log" {
			text += ", " + m.ThetaRule
		}
		return text
	}
	if m.Plain() {
		text = "Logistic"
	}
	if pi := m.Params["pi"]; pi != nil {
		text += fmt.Sprintf(", π = %v", pi)
	}
	if k := m.Kernel; m.Kind == "kernel" && k != nil {
		text += ", " + k.Name
		if k.Gamma != nil {
			text += fmt.Sprintf(" γ = %v", k.Gamma)
		}
		if k.Degree > 0 {
			text += " degree " + strconv.Itoa(k.Degree)
		}
	}
	if m.Features != "" {
		text += ", " + m.Features
	}
	if !m.L2.Tuned() {
		text += ", λ = " + strconv.FormatFloat(m.L2.Value, 'g', -1, 64)
	} else if m.L2.Mode == "cv-1se" {
		text += ", λ by one SE"
	}
	if m.Standardize != nil && !*m.Standardize {
		text += ", not standardised"
	}
	return text
}
