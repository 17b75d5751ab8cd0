package playground

import (
	"slices"

	"taper/internal/web/control"
	"taper/web/templates"
)

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
	return control.Stops(templates.Slider{ID: "pg-n", Name: "n", Label: "Points n"}, float64(min(most, st.N)),
		float64(min(most, newState(st.Data).N)), stops, below(100, 300, 1000, 5000))
}
