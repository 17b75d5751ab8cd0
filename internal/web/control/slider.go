package control

import (
	"math"

	"taper/internal/web/format"
	"taper/web/templates"
)

// Slider keeps a slider's ends, moved out to a value that a link brought.
func Slider(s templates.Slider) *templates.Slider {
	s.Min, s.Max = min(s.Min, s.Value), max(s.Max, s.Value)
	if s.Text == "" {
		s.Text = format.TwoDecimals(s.Value)
	}
	return &s
}

// AlphaStops returns the log scale of α, eight steps to the octave, and ∞.
func AlphaStops() []float64 {
	return []float64{.25, .27, .3, .33, .36, .39, .42, .46, .5, .55, .6, .65, .7, .77, .84, .92,
		1, 1.1, 1.2, 1.3, 1.44, 1.55, 1.7, 1.85, 2, 2.2, 2.4, 2.6, 2.8, 3, 3.4, 3.7, 4, 4.4, 4.8, 5.2, 5.7, 6.2, 6.7, 7.3,
		8, 8.7, 9.5, 10, 11, 12, 13, 14.5, 16, 17.5, 19, 21, 23, 25, 27, 29, 32, math.Inf(1)}
}
