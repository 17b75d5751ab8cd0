package viz

import (
	"encoding/json"
	"strconv"
)

// BandScatter is a scatter plot of points by band, with the boundaries as lines x + y = Cuts.
type BandScatter struct {
	ID, Title, Sentence, Label string

	Pi   []float64
	X, Y []float64
	Band []int
	Cuts []float64
}

// Bands draws the plot. The mark of a band does not depend on the other bands.
func Bands(s BandScatter) Plot {
	v := view{[2]float64{-5, 5}, [2]float64{-5, 5}}
	f := Field{X: v.x, Y: v.y, XName: "x₁", YName: "x₂"}
	var traces []trace
	var legend []LegendItem
	n := len(s.Pi) + 1
	for j := range n {
		lo, hi := edges(s.Pi, j)
		m := bandMark(j, n, lo, hi)
		data := []any{}
		for i, b := range s.Band {
			if b == j {
				data = append(data, []any{coord(s.X[i]), coord(s.Y[i])})
			}
		}
		if len(data) == 0 && n > 8 {
			continue
		}
		name := BandName(lo, hi)
		traces = append(traces, trace{"band" + strconv.Itoa(j), object{"name": name, "type": "scatter", "symbol": m.Symbol,
			"symbolSize": m.Size + 2,
			"itemStyle":  object{"color": m.Fill, "borderColor": m.Edge, "borderWidth": 1}}, json.RawMessage(encoded(data))})
		if n <= 8 {
			legend = append(legend, LegendItem{Series: name, Text: name, SVG: markSample(m)})
		}
	}
	for k, c := range s.Cuts {
		style := curveTrace(Curve{ID: "cut" + strconv.Itoa(k), Mark: "step"},
			pairs([]float64{-5, 5}, []float64{c + 5, c - 5}, v))
		style.style["silent"] = true
		traces = append(traces, style)
	}
	p := seal(Figure{ID: s.ID, Title: s.Title, Sentence: s.Sentence, Label: s.Label}, f.frame(), traces)
	p.Legend = legend
	return p
}
