package playground

import (
	"net/url"
	"strings"

	"taper/internal/engine/playground"
	"taper/internal/engine/synth"
)

// state is the complete state of the playground; the page is a pure function of it.
type state struct {
	Data       string             `form:"data" default:"moons"` // id of a generator, "dataset:ID" or "own"
	UserPoints []playground.Point `form:"pts"`                  // placed by hand
	CX         string             `form:"cx"`                   // horizontal column; "" = the first
	CY         string             `form:"cy"`
	All        bool               `form:"use" options:"all"` // for a dataset: train on all predictors

	Outcome  string `form:"outcome"`  // of a dataset; "" = as chosen for it
	Positive string `form:"positive"` // the event

	N     int     `form:"n" default:"300"` // number of points, or the maximum for a dataset
	Test  float64 `form:"test" range:"0 0.9" step:"0.05" unit:"%" label:"Held out"`
	Noise string  `form:"noise" default:"random"` // one of synth.NoiseKinds
	// For class noise the first rate is that of the last class, the event.
	Rate  float64 `form:"rate" default:"0.2" range:"0 0.5" step:"0.01" unit:"%" label:"Rate"`
	Rate0 float64 `form:"rate0" range:"0 0.5" step:"0.01" unit:"%" label:"Rate, other class"`
	Seed  uint64  `form:"seed" default:"7" range:"0 1e9"`

	Settings string   `form:"settings" default:"shared" options:"shared,own"` // one set for both models, or one each
	Shared   settings `prefix:""`
	Models   [2]model `prefix:"a. b."` // A and B

	Step    int         `form:"step" default:"-1" range:"-1 1e6"` // iteration shown, of both solvers; −1 = the last
	Brush   brush       `form:"brush"`
	Frame   *[4]float64 `form:"ax"` // fixed axes: x from, to, y from, to; or nil
	Present bool        `form:"present" options:"1"`
}

// settings are shared by both models unless each has its own. A model uses those that its method has.
type settings struct {
	L2       float64 `form:"l2" range:"1e-8 1e4" label:"Penalty λ"`
	Kernel   string  `form:"kernel" default:"none" options:"none,rbf,poly" label:"Kernel"`
	Features string  `form:"features" default:"linear" label:"Features"` // not used with a kernel
	Gamma    float64 `form:"gamma" range:"0 1000" label:"Width γ"`       // 0 = from the data
	Degree   int     `form:"degree" range:"1 5" step:"1" label:"Degree"` // of the polynomial kernel
}

// model is one of the two models. Fields that its method does not have are zero.
type model struct {
	Method   string            `form:"method"` // id of a loss, or "boost"
	Named    bool              `json:"-"`      // the method was requested and is not a default
	Params   map[string]string `form:"*"`      // all parameters of the loss, as text
	Pi       []float64         `form:"pi"`     // of the interval surrogate
	L2       float64           `form:"l2" range:"1e-8 1e4" label:"Penalty λ"`
	Kernel   string            `form:"kernel" default:"none" options:"none,rbf,poly" label:"Kernel"`
	Features string            `form:"features" default:"linear" label:"Features"` // not used with a kernel
	Gamma    float64           `form:"gamma" range:"0 1000" label:"Width γ"`       // 0 = from the data
	Degree   int               `form:"degree" range:"1 5" step:"1" label:"Degree"` // of the polynomial kernel
	Solver   string            `form:"solver" default:"auto" label:"Solver"`       // auto, or a solver of the method
	Rounds   int               `form:"rounds" range:"1 400" step:"1" label:"Trees"`
	Depth    int               `form:"depth" range:"1 4" step:"1" label:"Depth of a tree"`
	Rule     string            `form:"rule" options:"half-log,alpha-log,line-search" label:"Weight of a tree"`
}

// brush is a selected bin of a histogram: "a:3".
type brush struct {
	Model int // 0, 1; −1 = none
	Bin   int
}

// Prefixes of the models' keys.
var slots = [2]string{"a.", "b."}

// Limits of the page.
const (
	userPoints    = "own"
	ownSettings   = "own"
	datasetPrefix = "dataset:"
	leastPoints   = 100
	mostPoints    = playground.MaxRows
	maxUserPoints = 400
	noKernel      = "none"
)

// kind is the kind of methods that the classes of the points allow.
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

// ShowsRows reports whether a query shows rows of a dataset as single points.
func ShowsRows(q url.Values) bool { return state{Data: q.Get("data")}.dataset() != "" }

// open reports whether the number of classes is known only from the points.
func (st state) open() bool { return st.Data == userPoints || st.dataset() != "" }

// kindOf guesses the kind before the points are known.
func kindOf(data string) kind {
	switch {
	case data == "blobs":
		return multi
	case synth.Ordered(data):
		return ordinal
	}
	return binary
}
