package playground

import (
	"strings"

	"taper/internal/engine/playground"
)

// state is all that the playground shows: the page is a pure function of
// it.
type state struct {
	Data     string             // id of a generator, "dataset:ID" or "own"
	Own      []playground.Point // placed by hand
	CX, CY   string             // columns across and up; "" = the first two
	All      bool               // a dataset: all predictors train, not the two alone
	Outcome  string             // of a dataset; "" = as chosen there
	Positive string             // its event
	N        int                // points a generator draws, or at most of a dataset
	Test     float64            // share held out
	Noise    string             // one of synth.NoiseKinds
	Rate     float64            // of noise; of kind class, for the last class (the event)
	Rate0    float64            // of kind class, for the other
	Seed     uint64
	Present  bool
	Models   [2]model // A and B
	Brush    brush
	Frame    *[4]float64 // frozen axes: x from, to, y from, to; nil = by the points
}

// model is one of the two models.
type model struct {
	Method   string            // id of a loss, or "boost"
	Named    bool              `json:"-"` // the method is asked for, where the points decide what opens
	Params   map[string]string // of the loss, all of them, as typed
	Pi       []float64         // of the interval surrogate
	L2       float64
	Features string  // linear, quadratic, rbf
	Kernel   string  // none, rbf, poly
	Gamma    float64 // of the kernel or of RBF features; 0 = by the data
	Degree   int     // of the polynomial kernel
	Solver   string  // auto, or one the method has besides
	Rounds   int     // of trees
	Depth    int
	Rule     string // of their θ
	Step     int    // position of the scrubber; −1 = the last
}

// brush is a bin of a histogram: "a:3".
type brush struct {
	Model int // 0, 1; −1 = none
	Bin   int
}

// Prefixes of the models' keys.
var slots = [2]string{"a.", "b."}

// Limits of the page.
const (
	ownPoints     = "own"
	datasetPrefix = "dataset:"
	leastPoints   = 100
	mostPoints    = playground.MaxRows
	mostOwn       = 400
	mostNoise     = .5
	mostRounds    = 400
	mostDepth     = 4
	noKernel      = "none"
)

// kind is what the classes of the points allow.
type kind string

const (
	binary  kind = "binary"
	multi   kind = "multi"
	ordinal kind = "ordinal"
)

// dataset is the id of the dataset that the points come from, "" for others.
func (st state) dataset() string {
	id, ok := strings.CutPrefix(st.Data, datasetPrefix)
	if !ok {
		return ""
	}
	return id
}

// open reports whether the classes are known by the points alone.
func (st state) open() bool { return st.Data == ownPoints || st.dataset() != "" }

// kindOf guesses the kind before the points are at hand.
func kindOf(data string) kind {
	switch data {
	case "blobs":
		return multi
	case "ordinal-stripes", "adni-like":
		return ordinal
	}
	return binary
}
