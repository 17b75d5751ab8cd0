package control

import (
	"math"
	"slices"
	"strings"

	"taper/internal/viz"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/web/templates"
)

// NumericSlider is the slider of a numeric field, extended to a value outside of its range; shares are in per cent.
func NumericSlider(f form.Field) *templates.Slider {
	v := f.Number()
	symbol, sub := Subscript(f.Symbol)
	s := templates.Slider{ID: f.Key, Name: f.Key, Symbol: symbol, Sub: sub, Label: f.Label, Min: min(f.Low, v),
		Max: max(f.High, v), Step: f.Step, Value: v, Default: f.DefaultNumber()}
	if f.Unit == "%" {
		s = Percent(s)
	} else {
		s.Text = format.TwoDecimals(v)
	}
	return &s
}

// Choice offers the options of a field with their titles.
func Choice(f form.Field, titles map[string]string) *templates.Choice {
	c := templates.Choice{ID: f.Key, Name: f.Key, Label: f.Label}
	for _, id := range f.Options {
		c.Options = append(c.Options, templates.Option{Value: id, Label: titles[id], On: id == f.Text()})
	}
	return &c
}

// Subscript splits t₁ into t and 1.
func Subscript(symbol string) (string, string) {
	for sub, digit := range map[string]string{"₁": "1", "₂": "2"} {
		if head, ok := strings.CutSuffix(symbol, sub); ok {
			return head, digit
		}
	}
	return symbol, ""
}

// Slider extends the range of a slider to its value, which an address may set outside.
func Slider(s templates.Slider) *templates.Slider {
	s.Min, s.Max = min(s.Min, s.Value), max(s.Max, s.Value)
	if s.Text == "" {
		s.Text = format.TwoDecimals(s.Value)
	}
	return &s
}

// Stops gives a slider uneven steps: the stops, now and preset.
func Stops(s templates.Slider, now, preset float64, stops, ticks []float64) *templates.Slider {
	stops = slices.Clone(stops)
	for _, v := range []float64{now, preset} {
		if at, ok := slices.BinarySearch(stops, v); !ok {
			stops = slices.Insert(stops, at, v)
		}
	}
	at := func(v float64) float64 { i, _ := slices.BinarySearch(stops, v); return float64(i) }
	s.Value, s.Default, s.Free = at(now), at(preset), true
	for _, v := range stops {
		s.Stops = append(s.Stops, stopText(v))
	}
	for _, v := range ticks {
		s.Ticks = append(s.Ticks, templates.Tick{At: at(v) / float64(len(stops)-1), Label: shortTick(v)})
	}
	if s.Spoken == "" {
		s.Spoken = strings.TrimSpace(s.Symbol+s.Sub+" "+s.Label) + " " + viz.Short(now, 4)
	}
	return &s
}

// stopText writes a stop as the field of the slider shows it, with all its digits.
func stopText(v float64) string {
	if math.IsInf(v, 1) {
		return "∞"
	}
	return form.Text(v)
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

// AlphaStops returns the logarithmic scale of α, eight steps per octave, and ∞.
func AlphaStops() []float64 {
	return []float64{.25, .27, .3, .33, .36, .39, .42, .46, .5, .55, .6, .65, .7, .77, .84, .92,
		1, 1.1, 1.2, 1.3, 1.44, 1.55, 1.7, 1.85, 2, 2.2, 2.4, 2.6, 2.8, 3, 3.4, 3.7, 4, 4.4, 4.8, 5.2, 5.7, 6.2, 6.7, 7.3,
		8, 8.7, 9.5, 10, 11, 12, 13, 14.5, 16, 17.5, 19, 21, 23, 25, 27, 29, 32, math.Inf(1)}
}
