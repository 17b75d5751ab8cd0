package multiclass

import (
	"encoding/json"
	"fmt"
	"math"

	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// wire is the JSON form of a model.
type wire struct {
	Loss         string                     `json:"loss"`
	Params       map[string]json.RawMessage `json:"params"`
	Classes      int                        `json:"classes"`
	Form         Form                       `json:"form"`
	Offsets      []float64                  `json:"offsets"`
	Weights      [][]float64                `json:"weights,omitempty"`
	Kernel       *Kernel                    `json:"kernel,omitempty"`
	Rows         [][]float64                `json:"rows,omitempty"`
	Coefficients [][]float64                `json:"coefficients,omitempty"`
}

// MarshalJSON writes a model. All numbers read back with the same bits.
func (m *Model) MarshalJSON() ([]byte, error) {
	w := wire{Loss: m.Family.ID, Params: map[string]json.RawMessage{}, Classes: m.Classes, Form: m.Form,
		Offsets: m.Offsets,
		Weights: m.Weights, Kernel: m.Kernel, Rows: m.Rows, Coefficients: m.Coefficients}
	for _, p := range m.Family.Params {
		raw, err := json.Marshal(plain(p.Type, m.Params[p.Name]))
		if err != nil {
			return nil, fmt.Errorf("write parameter %s: %w", p.Name, err)
		}
		w.Params[p.Name] = raw
	}
	return json.Marshal(w)
}

// plain returns a value in the API's form.
func plain(t loss.Type, v loss.Value) any {
	switch {
	case t == loss.List:
		return v.List
	case t == loss.Matrix:
		return v.Matrix
	case t == loss.ID:
		return v.ID
	case math.IsInf(v.Number, 1):
		return "inf"
	}
	return v.Number
}

// UnmarshalJSON reads a model and checks that it is complete enough to predict.
func (m *Model) UnmarshalJSON(raw []byte) error {
	var w wire
	if err := json.Unmarshal(raw, &w); err != nil {
		return fmt.Errorf("read model: %w", err)
	}
	f, ok := loss.FamilyByID(w.Loss)
	if !ok {
		return usererr.New(usererr.Invalid, "The model’s loss %q is unknown.", w.Loss)
	}
	params, err := f.ParseJSON("params", w.Params)
	if err != nil {
		return err
	}
	*m = Model{Family: f, Params: params, Classes: w.Classes, Form: w.Form, Offsets: w.Offsets,
		Weights: w.Weights, Kernel: w.Kernel, Rows: w.Rows, Coefficients: w.Coefficients}
	return m.ready()
}
