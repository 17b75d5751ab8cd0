package study

import (
	"encoding/json"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Spec is the whole input of a study besides an uploaded table: the JSON of
// POST /api/v1/studies. It is either a preset with its size and seed, or a
// grid. Zero fields mean the defaults of WithDefaults.
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
	Test       float64      `json:"test,omitempty"` // share of the rows that judges
	Metric     string       `json:"metric,omitempty"`
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

// Noise spoils training rows at each of several rates.
type Noise struct {
	Kind  string    `json:"kind,omitempty"` // synth.NoiseKinds; "" = symmetric when there are rates
	Rates []float64 `json:"rates,omitempty"`
	// Negative are the rates of class 0 for kind "class", beside Rates for the
	// event; nil = the same.
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

// Limits of a grid.
const (
	MaxReplicates = 1000
	MaxModels     = 50
	MaxRates      = 50
	MaxUnits      = 20_000
)

// WithDefaults fills in every zero field that has a default: size quick; 20
// replicates, half of the rows to judge, accuracy, no noise, and logistic
// regression. It shares no slice with s that it changes.
func (s Spec) WithDefaults() Spec {
	if s.Preset != "" {
		s.Size = or(s.Size, Quick)
		return s
	}
	s.Replicates, s.Test, s.Metric = or(s.Replicates, 20), or(s.Test, 0.5), or(s.Metric, "accuracy")
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

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// NewPlan builds the plan of a checked spec; data is the uploaded table it
// names, nil for a generator.
func NewPlan(s Spec, data *Data) (Plan, error) {
	s = s.WithDefaults()
	if err := s.Validate(); err != nil {
		return Plan{}, err
	}
	if s.Preset == "" {
		return gridPlan(s, data)
	}
	p, _ := PresetByID(s.Preset)
	return p.build(Input{Size: s.Size, Seed: s.Seed, Data: data})
}
