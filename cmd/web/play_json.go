package main

import (
	"math"
	"strconv"

	"taper/internal/engine/arena"
	"taper/internal/engine/errs"
	"taper/internal/engine/method"
	"taper/internal/viz"
)

// playAnswer is a state as JSON: GET /playground/live. Everything but the times
// is the same to the byte for the same state.
type playAnswer struct {
	URL      string                       `json:"url"`
	MS       float64                      `json:"ms"`
	Sentence string                       `json:"sentence"`
	Hash     string                       `json:"hash"`   // of the points
	Points   *playPoints                  `json:"points"` // nil where the asker has them
	Axes     playAxes                     `json:"axes"`
	Models   playPair                     `json:"models"`
	Table    playTable                    `json:"table"`
	Times    playTable                    `json:"times"`           // rows of the table that tell the time
	Notes    []string                     `json:"notes,omitempty"` // where a paper's claim does not hold as stated
	Problems []errs.Field                 `json:"problems,omitempty"`
	Parts    map[string]string            `json:"parts,omitempty"`
	Sliders  map[string]map[string]string `json:"sliders,omitempty"`
	Form     string                       `json:"form,omitempty"`   // which controls the state has
	Stamps   map[string]string            `json:"stamps,omitempty"` // of the parts and rasters that are sent

	bench *playBench // what it was made from
	st    playState  // that was shown, its methods suited to the points
}

// playPoints are the points of the sample in its order.
type playPoints struct {
	Hash    string   `json:"hash"`
	X       numbers  `json:"x"` // in the two columns shown
	Y       numbers  `json:"y"`
	Class   []int    `json:"class"`   // true
	Given   []int    `json:"given"`   // after noise
	Flipped []bool   `json:"flipped"` // spoilt by noise
	Test    []bool   `json:"test"`    // held out
	Role    []int    `json:"role"`
	Classes []string `json:"classes"`
	Roles   []string `json:"roles"`
	Spread  bool     `json:"spread"` // points of one place were moved apart to be seen
}

type playAxes struct {
	X    playAxis `json:"x"`
	Y    playAxis `json:"y"`
	Note string   `json:"note"`
}

type playAxis struct {
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
	Name string  `json:"name"`
}

// playPair are the models by their letters.
type playPair struct {
	A *playShown `json:"a"`
	B *playShown `json:"b"`
}

func (p playPair) both() [2]*playShown { return [2]*playShown{p.A, p.B} }

// playShown is one model at its frame. A model that could not be fitted has an
// Error and nothing else but its title.
type playShown struct {
	Title     string        `json:"title"`
	Error     string        `json:"error,omitempty"`
	Surface   playSurface   `json:"surface"`
	Contours  []playContour `json:"contours"`
	Histogram playHistogram `json:"histogram"`
	Loss      playLoss      `json:"loss"`
	Steps     playSteps     `json:"steps"`
	MS        float64       `json:"ms"` // of the fit
	Warnings  []string      `json:"warnings"`

	fit     *arena.Fit
	model   *method.Model // at the frame
	surface *arena.Surface
	look    arena.Look
	verdict arena.Verdict
}

// ok reports whether there is a model to show.
func (m *playShown) ok() bool { return m != nil && m.fit != nil }

// playSurface is a raster of levels. Node (i, j) is byte j·w+i; the outer nodes
// lie on the frame of the axes.
type playSurface struct {
	W      int         `json:"w"`
	H      int         `json:"h"`
	Kind   string      `json:"kind"`
	Count  int         `json:"count"`          // of levels from end to end, of the kinds that run
	Levels []byte      `json:"levels"`         // base64 in JSON; 255 = no answer
	Legend []playLevel `json:"legend"`         // of each level that occurs
	Same   bool        `json:"same,omitempty"` // the page has the levels
}

// playLevel says what a level means, as the pointer reads it.
type playLevel struct {
	Level int    `json:"level"`
	Text  string `json:"text"`
	Tint  string `json:"tint,omitempty"` // design token of a band or class
	Pale  bool   `json:"pale,omitempty"` // the fifth to eighth class: tokens of the first four, paler
}

type playContour struct {
	Kind  string         `json:"kind"`
	Label string         `json:"label"`
	Lines [][][2]float64 `json:"lines"`
}

type playHistogram struct {
	Weight        string     `json:"weight"` // xi, g, margin
	Symbol        string     `json:"symbol"`
	Title         string     `json:"title"`
	Edges         numbers    `json:"edges"`
	Clean         []int      `json:"clean"`
	Flipped       []int      `json:"flipped"`
	Roles         []playRole `json:"roles"`
	Bin           []int      `json:"bin"` // of each point; −1 = does not train
	MedianClean   number     `json:"median_clean"`
	MedianFlipped number     `json:"median_flipped"`
}

type playRole struct {
	Role   string `json:"role"`
	Counts []int  `json:"counts"`
}

// playLoss is the loss with the training points on it.
type playLoss struct {
	Axis   string      `json:"axis"`
	Curves []playCurve `json:"curves"` // none where the loss has no curve in one margin
	Points playMarks   `json:"points"`
	Bound  number      `json:"bound"` // null without
}

type playCurve struct {
	Name string  `json:"name"`
	Z    numbers `json:"z"`
	V    numbers `json:"v"`
}

type playMarks struct {
	Z  numbers `json:"z"`
	V  numbers `json:"v"`
	At []int   `json:"at"` // place among the points
}

// playSteps are the frames of a fit.
type playSteps struct {
	Of        int      `json:"of"` // how many; they count from 0
	At        int      `json:"at"`
	Labels    []string `json:"labels"`
	Kinds     []string `json:"kinds"`
	Objective numbers  `json:"objective"`
}

// playTable is a table of texts.
type playTable struct {
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
	Note    string     `json:"note,omitempty"`
	Verdict string     `json:"verdict,omitempty"` // on the first row's difference: better, worse, not clear
}

// number and numbers are written with six digits; what is not finite is null.
type number float64

func (v number) MarshalJSON() ([]byte, error) { return appendShort(nil, float64(v)), nil }

type numbers []float64

func (v numbers) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 2+9*len(v)), '[')
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendShort(b, x)
	}
	return append(b, ']'), nil
}

func appendShort(b []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(b, "null"...)
	}
	if v == 0 {
		v = 0 // no negative zero
	}
	return strconv.AppendFloat(b, v, 'g', 6, 64)
}

// fill writes what a model shows as JSON has it.
func (m *playShown) fill(v arena.View, classes, roles []string) {
	m.Surface = playSurface{W: arena.Side, H: arena.Side, Kind: m.surface.Kind, Count: m.surface.Levels, Levels: m.surface.Level, Legend: legendOf(m.surface, classes, m.fit.Setting.Boundaries)}
	m.Contours = contoursOf(m.surface, v)
	h := m.look.Histogram
	m.Histogram = playHistogram{Weight: h.Weight, Symbol: h.Symbol, Title: h.Title, Edges: h.Edges, Clean: h.Clean, Flipped: h.Flipped, Bin: h.Bin,
		MedianClean: number(h.MedianClean), MedianFlipped: number(h.MedianFlipped)}
	for r, counts := range h.Roles {
		m.Histogram.Roles = append(m.Histogram.Roles, playRole{roles[r], counts})
	}
	l := m.look.Loss
	m.Loss = playLoss{Axis: l.Axis, Points: playMarks{l.Points.Z, l.Points.V, l.Points.At}, Bound: number(l.Bound)}
	for _, c := range l.Curves {
		m.Loss.Curves = append(m.Loss.Curves, playCurve{c.Name, c.Z, c.V})
	}
	m.Warnings = m.fit.Warnings()
	m.Steps.Of = len(m.fit.Frames)
	for _, f := range m.fit.Frames {
		m.Steps.Labels, m.Steps.Kinds = append(m.Steps.Labels, f.Label), append(m.Steps.Kinds, f.Kind)
		at := math.NaN()
		if f.Objective != nil {
			at = *f.Objective
		}
		m.Steps.Objective = append(m.Steps.Objective, at)
	}
}

func contoursOf(s *arena.Surface, v arena.View) []playContour {
	var all []playContour
	for _, c := range s.Lines {
		if lines := viz.Isolines(c.Field, arena.Side, v.X, v.Y, c.Level); len(lines) > 0 {
			all = append(all, playContour{Kind: c.Kind, Label: c.Name, Lines: lines})
		}
	}
	return all
}

// legendOf says what each level that occurs means.
func legendOf(s *arena.Surface, classes []string, pi []float64) []playLevel {
	var occurs [256]bool
	for _, l := range s.Level {
		occurs[l] = true
	}
	names := viz.BandNames(pi)
	var all []playLevel
	for l, is := range occurs {
		if !is {
			continue
		}
		text, tint, pale := "", "", false
		switch {
		case s.Kind == arena.KindProbability:
			text = "P(" + classes[len(classes)-1] + ") = " + viz.Number(float64(l)/float64(s.Levels-1), 2)
		case s.Kind == arena.KindScore:
			text = "score " + viz.Short((2*float64(l)/float64(s.Levels-1)-1)*s.Top, 3)
		case l == arena.Abstained:
			text = "no answer"
		case s.Kind == arena.KindBands:
			text, tint = names[l], bandTint(pi, l)
		default:
			text, tint, pale = "class "+classes[l], "c"+strconv.Itoa(l%4), l%8 >= 4
		}
		all = append(all, playLevel{l, text, tint, pale})
	}
	return all
}

// bandTint is the colour of a band: that of its middle.
func bandTint(pi []float64, j int) string {
	ends := append(append([]float64{0}, pi...), 1)
	return "p" + strconv.Itoa(viz.BandTint(ends[j], ends[j+1]))
}
