package playground

import (
	"strings"

	"taper/internal/engine/playground"
	"taper/internal/engine/synth"
)

// newState is the state of a URL without a query, for one source of points.
func newState(data string) state {
	st := state{Data: data, N: 300, Noise: synth.NoiseRandom, Rate: .2, Seed: 7, Brush: brush{Model: -1}}
	if strings.HasPrefix(data, datasetPrefix) || data == "adni-like" {
		st.Test = .3
	}
	if strings.HasPrefix(data, datasetPrefix) {
		st.N = 2000 // most files come whole
	}
	if data == ownPoints {
		st.Noise, st.Rate = synth.NoiseNone, 0
		st.Own = firstPoints
	}
	methods := firstMethods[kindOf(data)]
	if data == openingData {
		st.Noise, methods = openingNoise, openingMethods
	}
	for k := range st.Models {
		st.Models[k] = newModel(methods[k])
	}
	return st
}

// The methods that a kind opens with.
var firstMethods = map[kind][2]string{
	binary: {"logistic", "alpha"}, multi: {"softmax", "tempered-multiclass"}, ordinal: {"softmax", "al-ordinal"},
}

// The page's opening state: it must show the point at a glance and be named for
// what it is.
const (
	openingData  = "moons"
	openingNoise = synth.NoiseLargeMargin
)

var openingMethods = [2]string{"logistic", "alpha"}

// firstPoints are where placing by hand begins.
var firstPoints = []playground.Point{{X: -1.5, Y: -.5}, {X: -1, Y: .5}, {X: -.5, Y: -1}, {X: -.5, Y: 0, Class: 1},
	{X: 1.5, Y: .5, Class: 1}, {X: 1, Y: -.5, Class: 1}, {X: .5, Y: 1, Class: 1}, {X: .5, Y: 0}}

func newModel(id string) model {
	m := model{Method: id, L2: 1e-4, Features: playground.Linear, Kernel: noKernel, Solver: "auto", Step: -1}
	how, ok := findMethod(id)
	if !ok {
		return m
	}
	m.Params = how.defaults()
	switch {
	case id == "boost":
		m.Rounds, m.Depth, m.Rule = 100, 1, "half-log"
	case id == "interval":
		m.Pi = []float64{.25, .5, .75}
	case id == "t-logistic":
		m.L2 = .5
	case how.Group != groupTwo && how.Group != groupBands:
		m.L2 = 1e-3
	}
	return m
}
