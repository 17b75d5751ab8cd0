package study

import (
	"context"
	"encoding/json"
	"fmt"

	"taper/internal/engine/job"
	"taper/internal/engine/table"
)

// RecipeKind names the recipe of a study: its spec, and the rows of its dataset where it has one.
const RecipeKind = "study"

var _ job.Portable = (*Session)(nil)

// recipe is a spec with the name of its dataset.
type recipe struct {
	Spec Spec   `json:"spec"`
	Data string `json:"data,omitempty"`
}

// Open opens a study from its recipe, for its units.
func Open(presets Presets) job.Opener {
	return func(_ context.Context, text json.RawMessage, rows []byte) (job.Portable, error) {
		var r recipe
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("recipe of a study: %w", err)
		}
		spec := r.Spec
		if spec.Dataset.ID == "" {
			plan, err := NewPlan(presets, spec, nil)
			return &Session{Plan: plan, Spec: &spec}, err
		}
		t, err := table.Decode(rows)
		if err != nil {
			return nil, fmt.Errorf("rows of a study: %w", err)
		}
		plan, err := NewPlan(presets, spec, spec.DataOf(r.Data, t))
		if err != nil {
			t.Wipe()
			return nil, err
		}
		return received{&Session{Plan: plan, Spec: &spec}, t}, nil
	}
}

// DataOf is a dataset as a spec reads it.
func (s Spec) DataOf(name string, t *table.Table) *Data {
	return &Data{Name: name, Table: t, Outcome: s.Outcome, Positive: s.Positive, Negative: s.Negative}
}

// received is a study on rows that another machine sent, which are overwritten when it is closed.
type received struct {
	*Session
	rows *table.Table
}

func (r received) Close() error {
	r.rows.Wipe()
	return nil
}

// Recipe is the spec with the rows. Rows that nobody shared, and units whose times are measured here, stay on
// this machine.
func (s *Session) Recipe() (r job.Recipe, ok bool) {
	if s.Spec == nil || s.Spec.Dataset.ID != "" && s.Rows == nil || s.Plan.OneAtATime || len(s.Plan.MachineMetrics) > 0 {
		return r, false
	}
	text, err := json.Marshal(recipe{*s.Spec, s.Data})
	return job.Recipe{Kind: RecipeKind, Spec: text, Rows: s.Rows}, err == nil
}

// Encode writes the numbers of a unit to the bit.
func (s *Session) Encode(body job.Body) ([]byte, error) {
	return job.EncodeNumbers(body.([]float64)), nil
}

// Decode reads them.
func (s *Session) Decode(number int, text []byte) (job.Body, error) {
	keys := len(s.Plan.Units[number].Keys)
	if len(text) != 8*keys {
		return nil, fmt.Errorf("unit %s has %d bytes of numbers, want %d", s.Plan.Units[number].ID, len(text), 8*keys)
	}
	return job.DecodeNumbers(text)
}

// Numbers are all of them.
func (s *Session) Numbers(body job.Body) []float64 { return body.([]float64) }
