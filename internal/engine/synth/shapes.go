package synth

import (
	"math"
	"strconv"

	"taper/internal/engine/table"
)

func spread(value float64) Param {
	return Param{Name: "sd", Title: "standard deviation of the noise", Min: 0, Max: 10, Default: value}
}

// plane draws two-class data in two dimensions, point by point.
func plane(point func(d draw, event bool) (x, y float64)) func(draw) (*table.Table, Meta) {
	return func(d draw) (*table.Table, Meta) {
		cols, event := features(2, d.rows), make([]bool, d.rows)
		for i := range d.rows {
			event[i] = d.rng.IntN(2) == 1
			x, y := point(d, event[i])
			cols[0].Num[i] = x + d.params["sd"]*d.rng.NormFloat64()
			cols[1].Num[i] = y + d.params["sd"]*d.rng.NormFloat64()
		}
		return binary(cols, event)
	}
}

var moons = Generator{
	ID: "moons", Title: "Two moons", Source: "a textbook shape", Rows: 300, Params: []Param{spread(.2)},
	make: plane(func(d draw, event bool) (float64, float64) {
		sin, cos := math.Sincos(math.Pi * d.rng.Float64())
		if event {
			return 1 - cos, .5 - sin
		}
		return cos, sin
	}),
}

var circles = Generator{
	ID: "circles", Title: "Two circles", Source: "a textbook shape", Rows: 300, Params: []Param{spread(.1)},
	make: plane(func(d draw, event bool) (float64, float64) {
		sin, cos := math.Sincos(2 * math.Pi * d.rng.Float64())
		if event {
			return .5 * cos, .5 * sin
		}
		return cos, sin
	}),
}

var xor = Generator{
	ID: "xor", Title: "Four Gaussians, crossed", Source: "a textbook shape", Rows: 300, Params: []Param{spread(.45)},
	make: plane(func(d draw, event bool) (float64, float64) {
		x := float64(2*d.rng.IntN(2) - 1)
		if event {
			return x, -x
		}
		return x, x
	}),
}

// blobs places k classes on a circle of radius 2, or at N(0, 1) centres in more than two
// dimensions.
var blobs = Generator{
	ID: "blobs", Title: "Blobs of several classes", Source: "a textbook shape", Rows: 300,
	Params: []Param{
		{Name: "k", Title: "classes", Min: 2, Max: 20, Default: 3, Integer: true},
		{Name: "d", Title: "dimensions", Min: 2, Max: 1000, Default: 2, Integer: true},
		spread(.8),
	},
	make: func(d draw) (*table.Table, Meta) {
		k, dims := int(d.params["k"]), int(d.params["d"])
		centre := centres(k, dims, d)
		cols, code := features(dims, d.rows), make([]int32, d.rows)
		for i := range d.rows {
			c := d.rng.IntN(k)
			code[i] = int32(c)
			for j, col := range cols {
				col.Num[i] = centre[c][j] + d.params["sd"]*d.rng.NormFloat64()
			}
		}
		return classes(cols, code, k)
	},
}

func centres(k, dims int, d draw) [][]float64 {
	centre := make([][]float64, k)
	for c := range centre {
		centre[c] = make([]float64, dims)
		if dims == 2 {
			sin, cos := math.Sincos(2 * math.Pi * float64(c) / float64(k))
			centre[c][0], centre[c][1] = 2*cos, 2*sin
			continue
		}
		for j := range centre[c] {
			centre[c][j] = d.rng.NormFloat64()
		}
	}
	return centre
}

// classes labels the rows 1 … k.
func classes(cols []*table.Column, code []int32, k int) (*table.Table, Meta) {
	levels := make([]string, k)
	for c := range levels {
		levels[c] = strconv.Itoa(c + 1)
	}
	meta := Meta{Outcome: "y", Levels: levels}
	if k == 2 {
		meta.Positive, meta.Negative = "2", "1"
	}
	return labelled(cols, code, levels...), meta
}

// ordinalStripes cuts x₁ + ¼ sin 2πx₂ + noise at fifths of [0, 1].
var ordinalStripes = Generator{
	ID: "ordinal-stripes", Title: "Five ordered stripes", Source: "an example made for Taper", Rows: 300,
	Ordered: true,
	Params:  []Param{spread(.1)},
	make: func(d draw) (*table.Table, Meta) {
		cols, code := features(2, d.rows), make([]int32, d.rows)
		for i := range d.rows {
			x, y := d.rng.Float64(), d.rng.Float64()
			v := x + .25*math.Sin(2*math.Pi*y) + d.params["sd"]*d.rng.NormFloat64()
			cols[0].Num[i], cols[1].Num[i] = x, y
			code[i] = int32(min(4, max(0, math.Floor(5*v))))
		}
		return classes(cols, code, 5)
	},
}

// ordinalFan cuts the angle at (0, 0), from 0 to π, into fifths. The boundaries are rays, no
// two of them parallel, so no thresholds on one linear score separate these classes.
var ordinalFan = Generator{
	ID: "ordinal-fan", Title: "Five ordered sectors", Source: "an example made for Taper", Rows: 300, Ordered: true,
	Params: []Param{spread(.1)},
	make: func(d draw) (*table.Table, Meta) {
		cols, code := features(2, d.rows), make([]int32, d.rows)
		for i := range d.rows {
			x, y := 2*d.rng.Float64()-1, d.rng.Float64()
			angle := math.Atan2(y, x) + d.params["sd"]*d.rng.NormFloat64()
			cols[0].Num[i], cols[1].Num[i] = x, y
			code[i] = int32(min(4, max(0, math.Floor(5*angle/math.Pi))))
		}
		return classes(cols, code, 5)
	},
}
