package viz

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"

	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
)

// Surrogate draws the piecewise-linear surrogates of both classes against the score, with their
// kinks and the cut-offs (docs/math.md, Interval classification). A curve needs only its kinks
// and its ends as points.
func Surrogate(iv loss.Interval) Figure {
	x := surrogateScale(iv)
	plus, minusX := kinks(iv, +1, x), kinks(iv, -1, x)
	f := Figure{
		ID: "surrogate", Title: "Surrogate loss of the two classes",
		Sentence: surrogateSentence(iv),
		Head:     []string{"Score f", "Loss of an event", "Loss of a non-event", "Where"},
		Legend: []LegendItem{
			{Series: "event", Text: "event, φ⁺(f)", Mark: "dens1", SVG: lineSample(1)},
			{Series: "non-event", Text: "non-event, φ⁻(−f)", Mark: "dens0", SVG: lineSample(0)},
		},
	}
	f.Label = f.Title + ". " + f.Sentence
	for j, h := range iv.Hinge {
		f.Rows = append(f.Rows, surrogateRow(iv, h, fmt.Sprintf("hinge %d", j)))
		if j < len(iv.Delta) {
			f.Rows = append(f.Rows, surrogateRow(iv, iv.Delta[j], "cut-off "+pct(iv.Pi[j])+phrase.NBSP+"%"))
		}
	}
	f.Option = surrogateOption(iv, x, plus, minusX)
	return f
}

func surrogateRow(iv loss.Interval, f float64, where string) []string {
	return []string{Number(f, 3), Number(iv.Value(1, f), 3), Number(iv.Value(-1, -f), 3), where}
}

func surrogateSentence(iv loss.Interval) string {
	k := len(iv.Pi)
	if k == 1 {
		return "One boundary gives each class one hinge: " +
			fmt.Sprintf("the loss of an event is 0 from f\u00a0=\u00a0%s, of a non-event up to f\u00a0=\u00a0%s.",
				Number(iv.Hinge[1], 2), Number(iv.Hinge[0], 2))
	}
	return fmt.Sprintf("The loss of each class has %d straight pieces that meet at the hinges, one between any two "+
		"cut-offs; it is zero for events above f\u00a0=\u00a0%s and for non-events below f\u00a0=\u00a0%s.",
		k+1, Number(iv.Hinge[k], 2), Number(iv.Hinge[0], 2))
}

// surrogateScale covers every hinge with a margin.
func surrogateScale(iv loss.Interval) Scale {
	lo, hi := iv.Hinge[0], iv.Hinge[len(iv.Hinge)-1]
	pad := math.Max(1, 0.25*(hi-lo))
	return NewScale(lo-pad, hi+pad, 6)
}

// kinks returns the points at which the surrogate of class s changes slope, and the ends of the
// axis.
func kinks(iv loss.Interval, s float64, x Scale) [2][]float64 {
	hinges := iv.Hinge[1:]
	if s < 0 {
		hinges = iv.Hinge[:len(iv.Hinge)-1]
	}
	xs := append(append([]float64{x.Min}, hinges...), x.Max)
	ys := make([]float64, len(xs))
	for i, f := range xs {
		ys[i] = iv.Value(s, s*f)
	}
	return [2][]float64{xs, ys}
}

func surrogateOption(iv loss.Interval, x Scale, plus, minusX [2][]float64) Option {
	c := newLine()
	c.AddSeries("event", points(plus[0], plus[1]))
	c.AddSeries("non-event", points(minusX[0], minusX[1]))
	sc := charts.NewScatter()
	inner := func(v []float64) []float64 { return v[1 : len(v)-1] }
	sc.AddSeries("hinges of events", scatterPoints(inner(plus[0]), inner(plus[1])))
	sc.AddSeries("hinges of non-events", scatterPoints(inner(minusX[0]), inner(minusX[1])))
	c.Overlap(sc)
	_, top, _ := extent(plus[1], minusX[1])
	patch := base(true)
	patch["tooltip"] = hovered(patch)
	patch["grid"] = grid(34, 12, 28, 38)
	if len(iv.Pi) > oneRow {
		patch["grid"] = grid(34, 12, 42, 38)
	}
	patch["xAxis"] = []object{xAxis(x, "score f(x)")}
	patch["yAxis"] = []object{yAxis(NewScale(0, top, 4), "")}
	patch["series"] = []object{
		with(classLine(1), "markLine", cutLabels(iv, x)),
		classLine(0),
		hingeDots("triangle", "@c1"), hingeDots("circle", "@c0"),
	}
	return option(c, patch)
}

func classLine(class int) object {
	ink := fmt.Sprintf("@c%d", class)
	return object{
		"showSymbol": false, "itemStyle": object{"color": ink},
		"lineStyle": object{"color": ink, "width": 2, "type": classDash[class]},
	}
}

func hingeDots(symbol, ink string) object {
	return object{"symbol": symbol, "symbolSize": 7, "z": 4, "itemStyle": object{"color": ink, "borderColor": "@paper",
		"borderWidth": 1}}
}

// oneRow is the number of cut-offs whose names fit into one row; more take two.
const oneRow = 3

// cutLabels labels δ_k with its boundary, in the first row with room for it. Names without room
// are only in the table.
func cutLabels(iv loss.Interval, x Scale) object {
	room := 0.115 * (x.Max - x.Min) // for "25 %" in the narrowest plot
	most := 1
	if len(iv.Pi) > oneRow {
		most = 2
	}
	rows := NameRows(iv.Delta, room, most)
	data := []any{}
	for k, d := range iv.Delta {
		row := rows[k]
		data = append(data, object{
			"xAxis": coord(d), "name": pct(iv.Pi[k]) + phrase.NBSP + "%",
			"label": object{"show": row >= 0, "formatter": "{b}", "position": "end", "color": "@ink-2", "fontSize": 12,
				"distance": 5 + 14*max(row, 0)},
		})
	}
	return object{"silent": true, "symbol": "none", "precision": -1, "data": data,
		"lineStyle": object{"color": "@ink", "width": 1, "type": "solid"}}
}

// NameRows assigns names at ascending positions to rows, so that two in one row are at least
// room apart: the first row with room, or −1 if there is none.
func NameRows(at []float64, room float64, most int) []int {
	last := slices.Repeat([]float64{math.Inf(-1)}, most)
	rows := make([]int, len(at))
	for k, x := range at {
		rows[k] = slices.IndexFunc(last, func(l float64) bool { return x-l >= room })
		if rows[k] >= 0 {
			last[rows[k]] = x
		}
	}
	return rows
}
