package playground

import (
	"math"
	"strconv"
)

// raster is a grid of levels. Node (i, j) is byte j·w+i; the outer nodes lie on the edges of the axes.
type raster struct {
	W      int         `json:"w"`
	H      int         `json:"h"`
	Kind   string      `json:"kind"`
	Count  int         `json:"count"`          // number of levels, for continuous kinds
	Levels []byte      `json:"levels"`         // base64 in JSON; 255 = abstention
	Legend []levelText `json:"legend"`         // of the levels that occur
	Same   bool        `json:"same,omitempty"` // the client has these levels
}

// levelText is the meaning of a level, as shown for the point under the pointer.
type levelText struct {
	Level int    `json:"level"`
	Text  string `json:"text"`
	Tint  string `json:"tint,omitempty"` // design token of a band or class
	Pale  bool   `json:"pale,omitempty"` // for the fifth to eighth class, which have paler tints of the first four
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
	Bin           []int        `json:"bin"` // bin of each point; −1 = not trained on
	MedianClean   number       `json:"median_clean"`
	MedianFlipped number       `json:"median_flipped"`
}

type roleCounts struct {
	Role   string `json:"role"`
	Counts []int  `json:"counts"`
}

// lossPlot is the loss with the training points drawn on it.
type lossPlot struct {
	Axis   string  `json:"axis"`
	Curves []curve `json:"curves"` // nil where the loss is not a function of one margin
	Points marks   `json:"points"`
	Bound  number  `json:"bound"` // null if unbounded
}

type curve struct {
	Name string  `json:"name"`
	Z    numbers `json:"z"`
	V    numbers `json:"v"`
}

type marks struct {
	Z  numbers `json:"z"`
	V  numbers `json:"v"`
	At []int   `json:"at"` // index of each point
}

// steps describes the iterations of a fit that can be shown.
type steps struct {
	Of        int      `json:"of"` // number of frames, counted from 0
	At        int      `json:"at"`
	Labels    []string `json:"labels"`
	Kinds     []string `json:"kinds"`
	Objective numbers  `json:"objective"`
}

// number and numbers are written to JSON with six digits; values that are not finite become null.
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
		v = 0 // write −0 as 0
	}
	return strconv.AppendFloat(b, v, 'g', 6, 64)
}
