// Package study repeats experiments: a grid of data, methods and noise with many replicates, or a preset,
// which replicates a figure or a table of a paper (package paper).
//
// A Plan is a list of units. A unit is the smallest piece of work that is stored: its values are a pure
// function of the spec and of its place in the plan, so a study gives the same numbers, bit for bit, for
// any order, number of cores and interruptions. Random numbers come from streams named by the study's
// seed, the data and the replicate. Models of one replicate share its sample, split and noise, so that
// they can be compared in pairs.
//
// Conventions: replicates and classes are numbered from 0; of two classes 1 is the event. A value that
// does not exist is NaN and not part of any summary.
package study

import (
	"context"
	"math/rand/v2"
	"strconv"

	"taper/internal/engine/cost"
	"taper/internal/engine/synth"
)

// Key identifies a number up to the replicate. Numbers with equal keys are summarised together.
type Key struct {
	Data   string  `json:"data,omitempty"`
	Model  string  `json:"model"`
	Noise  float64 `json:"noise"` // rate of the study's noise
	Metric string  `json:"metric"`
	At     float64 `json:"at"` // value on the study's own axis: a round, α, a depth
}

// Unit is a piece of work whose values are stored together: a replicate of one setting, or of several
// that share costly work.
type Unit struct {
	ID        string  // stable, and unique within the plan
	Kind      string  // units of one kind take about the same time
	Weight    float64 // expected work in any unit; 0 = 1
	Replicate int
	Keys      []Key // one per value, in order
	Extra     int   // number of keys at the end that units stored by an older version may lack
	Run       func(ctx context.Context) ([]float64, error)
}

// Plan is a study before it runs.
type Plan struct {
	Units          []Unit
	Notes          []string // what a reader of the numbers must know about these settings
	OneAtATime     bool     // times are measured, so units run one after the other
	MachineMetrics []string // metrics that depend on the machine; never stored
	Memory         int64    // bound of its units' memory in bytes, without the uploaded table

	Work cost.Work
}

// Values are the numbers of finished units by their id.
type Values map[string][]float64

// Has reports whether a unit has values, as many as it has keys, with or without the extra ones.
// Otherwise they belong to an older plan.
func (v Values) Has(u Unit) bool {
	got, ok := v[u.ID]
	return ok && (len(got) == len(u.Keys) || len(got) == len(u.Keys)-u.Extra)
}

// Random returns the random numbers for one purpose in one replicate.
func Random(seed uint64, purpose string, replicate int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, synth.Stream(purpose+"#"+strconv.Itoa(replicate))))
}

// Seed returns a seed for one purpose in one replicate.
func Seed(seed uint64, purpose string, replicate int) uint64 {
	return Random(seed, purpose, replicate).Uint64()
}
