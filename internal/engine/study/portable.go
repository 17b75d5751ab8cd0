package study

import (
	"context"
	"encoding/json"
	"fmt"

	"taper/internal/engine/job"
)

// RecipeKind names the recipe of a study: its spec.
const RecipeKind = "study"

var _ job.Portable = (*Session)(nil)

// Open opens a study whose data are generated from its recipe, for its units.
func Open(presets Presets) job.Opener {
	return func(_ context.Context, text json.RawMessage, _ []byte) (job.Portable, error) {
		var spec Spec
		if err := json.Unmarshal(text, &spec); err != nil {
			return nil, fmt.Errorf("recipe of a study: %w", err)
		}
		plan, err := NewPlan(presets, spec, nil)
		return &Session{Plan: plan, Spec: &spec}, err
	}
}

// Recipe is the spec. Rows of an upload, and units whose times are measured here, stay on this machine.
func (s *Session) Recipe() (r job.Recipe, ok bool) {
	if s.Spec == nil || s.Spec.Dataset.ID != "" || s.Plan.OneAtATime || len(s.Plan.MachineMetrics) > 0 {
		return r, false
	}
	text, err := json.Marshal(s.Spec)
	return job.Recipe{Kind: RecipeKind, Spec: text}, err == nil
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
