package main

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/cmd/web/query"
	"taper/cmd/web/wording"
	"taper/internal/engine/arena"
	"taper/internal/engine/errs"
	"taper/internal/engine/synth"
)

// playState is all that the playground shows: the page is a pure function of
// it.
type playState struct {
	Data     string        // id of a generator, "dataset:ID" or "own"
	Own      []arena.Point // placed by hand
	CX, CY   string        // columns across and up; "" = the first two
	All      bool          // a dataset: all predictors train, not the two alone
	Outcome  string        // of a dataset; "" = as chosen there
	Positive string        // its event
	N        int           // points a generator draws, or at most of a dataset
	Test     float64       // share held out
	Noise    string        // one of synth.NoiseKinds
	Rate     float64       // of noise; of kind class, for the last class (the event)
	Rate0    float64       // of kind class, for the other
	Seed     uint64
	Present  bool
	Models   [2]playModel // A and B
	Brush    playBrush
	Frame    *[4]float64 // frozen axes: x from, to, y from, to; nil = by the points
}

// playModel is one of the two models.
type playModel struct {
	Method   string            // id of a loss, or "boost"
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

// playBrush is a bin of a histogram: "a:3".
type playBrush struct {
	Model int // 0, 1; −1 = none
	Bin   int
}

// Prefixes of the models' keys.
var playSlots = [2]string{"a.", "b."}

// Limits of the page.
const (
	playOwn        = "own"
	playDataset    = "dataset:"
	leastPoints    = 100
	mostPoints     = arena.MaxRows
	mostOwn        = 400
	mostNoise      = .5
	mostPlayRounds = 400
	mostPlayDepth  = 4
	noKernel       = "none"
)

// playKind is what the classes of the points allow.
type playKind string

const (
	playBinary  playKind = "binary"
	playMulti   playKind = "multi"
	playOrdinal playKind = "ordinal"
)

// newPlay is the state of a URL without a query, for one source of points.
func newPlay(data string) playState {
	st := playState{Data: data, N: 300, Noise: synth.NoiseRandom, Rate: .2, Seed: 7, Brush: playBrush{Model: -1}}
	if strings.HasPrefix(data, playDataset) || data == "adni-like" {
		st.Test = .3
	}
	if strings.HasPrefix(data, playDataset) {
		st.N = 2000 // most files come whole
	}
	if data == playOwn {
		st.Noise, st.Rate = synth.NoiseNone, 0
		st.Own = firstPoints
	}
	methods := playFirst[kindOf(data)]
	if data == openingData {
		st.Noise, methods = openingNoise, openingMethods
	}
	for k := range st.Models {
		st.Models[k] = newPlayModel(methods[k])
	}
	return st
}

// kindOf guesses the kind before the points are at hand.
func kindOf(data string) playKind {
	switch data {
	case "blobs":
		return playMulti
	case "ordinal-stripes", "adni-like":
		return playOrdinal
	}
	return playBinary
}

// The methods that a kind opens with.
var playFirst = map[playKind][2]string{
	playBinary: {"logistic", "alpha"}, playMulti: {"softmax", "tempered-multiclass"}, playOrdinal: {"softmax", "al-ordinal"},
}

// The page's opening state: it must show the point at a glance and be named for
// what it is.
const (
	openingData  = "moons"
	openingNoise = synth.NoiseLargeMargin
)

var openingMethods = [2]string{"logistic", "alpha"}

// firstPoints are where placing by hand begins.
var firstPoints = []arena.Point{{X: -1.5, Y: -.5}, {X: -1, Y: .5}, {X: -.5, Y: -1}, {X: -.5, Y: 0, Class: 1}, {X: 1.5, Y: .5, Class: 1}, {X: 1, Y: -.5, Class: 1}, {X: .5, Y: 1, Class: 1}, {X: .5, Y: 0}}

func newPlayModel(id string) playModel {
	m := playModel{Method: id, L2: 1e-4, Features: arena.Linear, Kernel: noKernel, Solver: "auto", Step: -1}
	how, ok := playMethod(id)
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

// parsePlay reads a query. What cannot be used takes its default and is among
// the problems, so that the page still shows itself. Keys of others are left
// to them.
func parsePlay(q url.Values) (playState, []errs.Field) {
	p := playParser{query.Parser{Values: q}}
	data := q.Get("data")
	if data == "" {
		data = openingData
	}
	if data != playOwn && !strings.HasPrefix(data, playDataset) && !slices.ContainsFunc(synth.Generators, func(g synth.Generator) bool { return g.ID == data }) {
		p.Fail("data", "must be a generator, dataset: with its id, or own, not "+strconv.Quote(wording.Cut(data, 30)))
		data = openingData
	}
	st := newPlay(data)
	p.points(&st)
	p.noise(&st)
	st.Seed = uint64(p.Whole("seed", int(st.Seed), 0, 1e9))
	st.Present = q.Get("present") == "1"
	for k := range st.Models {
		st.Models[k] = p.model(playSlots[k], st.Models[k].Method)
	}
	st.Brush = p.brush()
	st.Frame = p.frame()
	return st, p.Bad
}

// playParser reads the keys of one query.
type playParser struct{ query.Parser }

func (p *playParser) points(st *playState) {
	st.N = p.Whole("n", st.N, leastPoints, mostPoints)
	st.Test = p.Number("test", st.Test, 0, .9)
	st.CX, st.CY = p.Values.Get("cx"), p.Values.Get("cy")
	st.All = p.Values.Get("use") == "all"
	st.Outcome, st.Positive = p.Values.Get("outcome"), p.Values.Get("positive")
	if st.Data == playOwn && p.Values.Has("pts") {
		own, err := parsePoints(p.Values.Get("pts"))
		if err != nil {
			p.Fail("pts", wording.Detail(err))
			return
		}
		st.Own = own
	}
}

// parsePoints reads points placed by hand: "x,y,class;x,y,class".
func parsePoints(text string) ([]arena.Point, error) {
	own := []arena.Point{}
	for i, item := range strings.Split(strings.Trim(text, "; "), ";") {
		parts := strings.Split(item, ",")
		if item == "" {
			continue
		}
		if len(parts) != 3 {
			return nil, errs.BadField("pts", "must be x,y,class for each point, with ; between them (point %d is %q)", i+1, wording.Cut(item, 20))
		}
		x, okX := query.ParseNumber(parts[0])
		y, okY := query.ParseNumber(parts[1])
		c, err := strconv.Atoi(strings.TrimSpace(parts[2]))
		if !okX || !okY || max(x, -x, y, -y) > 1e6 || err != nil || c < 0 || c > 4 {
			return nil, errs.BadField("pts", "must hold numbers up to a million and classes from 0 to 4 (point %d is %q)", i+1, wording.Cut(item, 20))
		}
		if own = append(own, arena.Point{X: x, Y: y, Class: c}); len(own) > mostOwn {
			return nil, errs.BadField("pts", "must hold at most %d points", mostOwn)
		}
	}
	return own, nil
}

func (p *playParser) noise(st *playState) {
	st.Noise = p.OneOf("noise", st.Noise, synth.NoiseKinds)
	st.Rate = p.Number("rate", st.Rate, 0, mostNoise)
	if st.Noise == synth.NoiseClass {
		st.Rate0 = p.Number("rate0", 0, 0, mostNoise)
	}
}

// model reads one of the two models; the numbers of other methods stay at
// their defaults.
func (p *playParser) model(slot, fallback string) playModel {
	id := p.OneOf(slot+"method", fallback, playMethodIDs())
	m, how := newPlayModel(id), mustPlayMethod(id)
	for _, name := range how.paramNames() {
		if text := strings.TrimSpace(p.Values.Get(slot + name)); text != "" {
			if typed, err := how.check(name, text); err != nil {
				p.Fail(slot+name, strings.TrimPrefix(wording.Detail(err), name+" "))
			} else {
				m.Params[name] = typed
			}
		}
	}
	if id == "interval" {
		b := query.Parser{Values: url.Values{"pi": p.Values[slot+"pi"]}}
		m.Pi = b.Boundaries("pi", m.Pi)
		for _, f := range b.Bad {
			p.Fail(slot+f.Field, f.Message)
		}
	}
	if id == "boost" {
		m.Rounds = p.Whole(slot+"rounds", m.Rounds, 1, mostPlayRounds)
		m.Depth = p.Whole(slot+"depth", m.Depth, 1, mostPlayDepth)
		m.Rule = p.OneOf(slot+"rule", m.Rule, []string{"half-log", "alpha-log", "line-search"})
	} else {
		m.L2 = p.Number(slot+"l2", m.L2, 1e-8, 1e4)
		m.Solver = p.OneOf(slot+"solver", m.Solver, how.Solvers)
	}
	m.Features = p.OneOf(slot+"features", m.Features, arena.FeatureKinds)
	if how.Kernel {
		m.Kernel = p.OneOf(slot+"kernel", m.Kernel, []string{noKernel, "rbf", "poly"})
	}
	m.Gamma = p.Number(slot+"gamma", 0, 0, 1000)
	if m.Kernel == "poly" {
		m.Degree = p.Whole(slot+"degree", 3, 1, 5)
	}
	if m.Kernel != noKernel {
		m.Features = arena.Linear // a kernel has features of its own
	}
	m.Step = p.Whole(slot+"step", -1, -1, 1_000_000)
	return m
}

// brush reads a bin: "a:3", or a number for B alone.
func (p *playParser) brush() playBrush {
	none, text := playBrush{Model: -1}, p.Values.Get("brush")
	if text == "" {
		return none
	}
	slot, bin, ok := strings.Cut(text, ":")
	if !ok {
		slot, bin = "b", text
	}
	k, err := strconv.Atoi(bin)
	if err != nil || k < 0 || k >= arena.Bins || slot != "a" && slot != "b" {
		p.Fail("brush", "must be a bin of a histogram such as b:3, not "+strconv.Quote(wording.Cut(text, 20)))
		return none
	}
	return playBrush{Model: int(slot[0] - 'a'), Bin: k}
}

// frame reads frozen axes: "xmin,xmax,ymin,ymax".
func (p *playParser) frame() *[4]float64 {
	text := p.Values.Get("ax")
	if text == "" {
		return nil
	}
	var f [4]float64
	parts := strings.Split(text, ",")
	for k := range parts {
		v, ok := query.ParseNumber(parts[k])
		if !ok || len(parts) != 4 {
			p.Fail("ax", "must be four numbers: x from, to, y from, to")
			return nil
		}
		f[k] = v
	}
	if !(f[0] < f[1] && f[2] < f[3]) || max(f[1], -f[0], f[3], -f[2]) > 1e9 {
		p.Fail("ax", "must rise from the first to the second number of each axis")
		return nil
	}
	return &f
}
