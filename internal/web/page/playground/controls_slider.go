package playground

import (
	"math"
	"slices"
	"strings"

	"taper/internal/viz"
	"taper/internal/web/form"
	"taper/web/templates"
)

// stopSlider steps through values that are not even.
func stopSlider(s templates.Slider, now, preset float64, stops, ticks []float64) *templates.Slider {
	stops = slices.Clone(stops)
	for _, v := range []float64{now, preset} {
		if at, ok := slices.BinarySearch(stops, v); !ok {
			stops = slices.Insert(stops, at, v)
		}
	}
	at := func(v float64) float64 { i, _ := slices.BinarySearch(stops, v); return float64(i) }
	s.Value, s.Default = at(now), at(preset)
	for _, v := range stops {
		s.Stops = append(s.Stops, form.Text(v))
	}
	for _, v := range ticks {
		s.Ticks = append(s.Ticks, templates.Tick{At: at(v) / float64(len(stops)-1), Label: shortTick(v), On: v == now})
	}
	if s.Spoken == "" {
		s.Spoken = strings.TrimSpace(s.Symbol+s.Sub+" "+s.Label) + " " + viz.Short(now, 4)
	}
	return &s
}

// countSlider is how many points there are, of a file no more than it has; nil
// where there is nothing to choose.
func (a controls) countSlider() *templates.Slider {
	st, most := a.st, mostPoints
	if st.dataset() != "" {
		most = min(most, a.columns.Rows)
	}
	if st.Data == ownPoints || most <= leastPoints {
		return nil
	}
	below := func(all ...float64) []float64 {
		return slices.DeleteFunc(all, func(v float64) bool { return v > float64(most) })
	}
	stops := below(100, 150, 200, 300, 400, 500, 600, 800, 1000, 1500, 2000, 3000, 4000, 5000)
	if stops[len(stops)-1] < float64(most) {
		stops = append(stops, float64(most))
	}
	return stopSlider(templates.Slider{ID: "pg-n", Name: "n", Label: "Points n", Free: true}, float64(min(most, st.N)),
		float64(min(most, newState(st.Data).N)), stops, below(100, 300, 1000, 5000))
}

func shortTick(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "∞"
	case v == .5:
		return "½"
	case v >= 1000:
		return viz.Number(v/1000, 0) + " k"
	}
	return viz.Short(v, 2)
}
