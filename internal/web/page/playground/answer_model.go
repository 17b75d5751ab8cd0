package playground

import (
	"math"
	"strconv"
)

// raster is a raster of levels. Node (i, j) is byte j·w+i; the outer nodes
// lie on the frame of the axes.
type raster struct {
	W      int         `json:"w"`
	H      int         `json:"h"`
	Kind   string      `json:"kind"`
	Count  int         `json:"count"`          // of levels from end to end, of the kinds that run
	Levels []byte      `json:"levels"`         // base64 in JSON; 255 = no answer
	Legend []levelText `json:"legend"`         // of each level that occurs
	Same   bool        `json:"same,omitempty"` // the page has the levels
}

// levelText says what a level means, as the pointer reads it.
type levelText struct {
	Level int    `json:"level"`
	Text  string `json:"text"`
	Tint  string `json:"tint,omitempty"` // design token of a band or class
	Pale  bool   `json:"pale,omitempty"` // the fifth to eighth class: tokens of the first four, paler
}

type contour struct {
	Kind  string         `json:"kind"`
	Label string         `json:"label"`
	Lines [][][2]float64 `json:"lines"`
}

type histogram struct {
	Weight        string       `json:"weight"` // xi, g, margin
	Symbol        string       `json:"symbol"`
	Title         string       `json:"title"`
	Edges         numbers      `json:"edges"`
	Clean         []int        `json:"clean"`
	Flipped       []int        `json:"flipped"`
	Roles         []roleCounts `json:"roles"`
	Bin           []int        `json:"bin"` // of each point; −1 = does not train
	MedianClean   number       `json:"median_clean"`
	MedianFlipped number       `json:"median_flipped"`
}

type roleCounts struct {
	Role   string `json:"role"`
	Counts []int  `json:"counts"`
}

// lossPlot is the loss with the training points on it.
type lossPlot struct {
	Axis   string  `json:"axis"`
	Curves []curve `json:"curves"` // none where the loss has no curve in one margin
	Points marks   `json:"points"`
	Bound  number  `json:"bound"` // null without
}

type curve struct {
	Name string  `json:"name"`
	Z    numbers `json:"z"`
	V    numbers `json:"v"`
}

type marks struct {
	Z  numbers `json:"z"`
	V  numbers `json:"v"`
	At []int   `json:"at"` // place among the points
}

// steps are the frames of a fit.
type steps struct {
	Of        int      `json:"of"` // how many; they count from 0
	At        int      `json:"at"`
	Labels    []string `json:"labels"`
	Kinds     []string `json:"kinds"`
	Objective numbers  `json:"objective"`
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
