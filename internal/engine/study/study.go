// Package study repeats experiments: a grid of data, methods and noise, drawn
// again and again, or a preset, which redoes a figure or a table of a paper
// (package paper has them).
//
// A Plan is a list of units. A unit is the smallest piece of work that is kept:
// its values are a pure function of the spec and of its place in it, so that a
// study ends with the same numbers, to the bit, whatever the order, the number
// of cores and the interruptions. Random numbers come from streams named by the
// study's seed, the data and the replicate, never from what ran before; models
// of one replicate share its sample, its split and its noise, so that they can
// be compared in pairs.
//
// Conventions: replicates and classes are numbered from 0, of two classes 1 is
// the event. A value that does not exist is NaN and stays out of every summary.
package study

import (
	"context"
	"math/rand/v2"
	"strconv"

	"taper/internal/engine/cost"
	"taper/internal/engine/synth"
)

// Key says what a number is: everything but the replicate. Numbers with one key
// are summarised together.
type Key struct {
	Data   string  `json:"data,omitempty"`
	Model  string  `json:"model"`
	Noise  float64 `json:"noise"` // rate of the study's noise
	Metric string  `json:"metric"`
	At     float64 `json:"at"` // place on the study's own axis: a round, α, a depth
}

// Unit is a piece of work that is committed as a whole: a replicate of one
// setting, or of several that share costly work.
type Unit struct {
	ID        string  // stable, and unlike any other of the plan
	Kind      string  // units of one kind take alike long
	Weight    float64 // work expected, in any measure; 0 = 1
	Replicate int
	Keys      []Key // of its values, in order
	Extra     int   // of the last keys: units that an older version kept may lack their values
	Run       func(ctx context.Context) ([]float64, error)
}

// Plan is a study before it runs.
type Plan struct {
	Units          []Unit
	Notes          []string // what a reader of the numbers must know of these settings
	OneAtATime     bool     // units are timed: they run one after the other
	MachineMetrics []string // metrics that are the machine's own: never stored
	Memory         int64    // that its units take at most, in bytes; the uploaded table left out

	Work cost.Work
}

// Values are the numbers of finished units by their id.
type Values map[string][]float64

// Has reports whether a unit's values are there, and as many as it has keys, with its extra
// ones or without: those of an older plan are not.
func (v Values) Has(u Unit) bool {
	got, ok := v[u.ID]
	return ok && (len(got) == len(u.Keys) || len(got) == len(u.Keys)-u.Extra)
}

// Random returns the random numbers of one purpose in one replicate.
func Random(seed uint64, purpose string, replicate int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, synth.Stream(purpose+"#"+strconv.Itoa(replicate))))
}

// Seed returns a seed of one purpose in one replicate, for what draws by seed.
func Seed(seed uint64, purpose string, replicate int) uint64 {
	return Random(seed, purpose, replicate).Uint64()
}
