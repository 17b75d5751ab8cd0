package viz

import (
	"math"
	"strconv"
)

// Scale is an axis with round ticks: the multiples of Step in [Min, Max]. Decimals is the
// number of decimals for its labels.
type Scale struct {
	Min, Max, Step float64
	Ticks          []float64
	Decimals       int
}

// dust is the rounding tolerance in steps.
const dust = 1e-8

// NewScale returns an axis from lo to hi with about n steps of 1, 2 or 5 times a power of ten
// (or 25, 250, …), extended to whole ticks at both ends. An empty or reversed range is widened
// around its middle; a non-finite one becomes [0, 1].
func NewScale(lo, hi float64, n int) Scale {
	lo, hi = span(lo, hi)
	step := roundStep((hi - lo) / float64(max(1, n)))
	first, last := math.Floor(lo/step+dust), math.Ceil(hi/step-dust)
	return scale(first*step, last*step, step)
}

// FrozenScale returns an axis exactly from lo to hi, with round ticks between.
func FrozenScale(lo, hi float64, n int) Scale {
	lo, hi = span(lo, hi)
	return scale(lo, hi, roundStep((hi-lo)/float64(max(1, n))))
}

// axis uses the fixed range if there is one, otherwise that of the data.
func axis(frozen [2]float64, lo, hi float64, n int) Scale {
	if frozen[0] < frozen[1] && Finite(frozen[0]) && Finite(frozen[1]) {
		return FrozenScale(frozen[0], frozen[1], n)
	}
	return NewScale(lo, hi, n)
}

// scale computes the ticks. Each is a multiple of step, rounded to the decimals of its label,
// so that 3·0.1 is 0.3.
func scale(lo, hi, step float64) Scale {
	s := Scale{Min: lo, Max: hi, Step: step, Decimals: decimalsOf(step)}
	for k := math.Ceil(lo/step - dust); k <= math.Floor(hi/step+dust); k++ {
		s.Ticks = append(s.Ticks, tidy(k*step, step))
	}
	s.Min, s.Max = tidyEnd(lo, step), tidyEnd(hi, step)
	return s
}

// Label formats a tick.
func (s Scale) Label(v float64) string { return Number(v, s.Decimals) }

// labelWidth is an upper bound for the width of a scale's labels, in px.
func labelWidth(s Scale, label func(float64) string) int {
	most := 0
	for _, t := range s.Ticks {
		most = max(most, len([]rune(label(t))))
	}
	return 7 * most
}

// At maps v to pixels between from and to.
func (s Scale) At(v, from, to float64) float64 {
	return from + (v-s.Min)/(s.Max-s.Min)*(to-from)
}

// roundStep returns the smallest round step not below raw. 2.5 and 0.25 are not round, because
// their labels would differ in decimals.
func roundStep(raw float64) float64 {
	mag := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m == 2.5 && mag < 10 {
			continue
		}
		if m*mag >= raw*(1-1e-9) {
			return m * mag
		}
	}
	return 10 * mag
}

// decimalsOf is the number of decimals that multiples of step need.
func decimalsOf(step float64) int {
	for d := 0; d < 12; d++ {
		if scaled := step * math.Pow10(d); math.Abs(scaled-math.Round(scaled)) < 1e-6*scaled {
			return d
		}
	}
	return 12
}

// tidy removes the rounding error of k·step.
func tidy(v, step float64) float64 {
	if v == 0 || math.Abs(v) < step*1e-9 {
		return 0
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// tidyEnd is tidy for an end that is a tick; other ends are not changed.
func tidyEnd(v, step float64) float64 {
	if k := v / step; math.Abs(k-math.Round(k)) < dust {
		return tidy(v, step)
	}
	return v
}

// span returns a usable finite range.
func span(lo, hi float64) (float64, float64) {
	if !Finite(lo) || !Finite(hi) {
		return 0, 1
	}
	if lo > hi {
		lo, hi = hi, lo
	}
	if room := 1e-9 * math.Max(1e-300, math.Max(math.Abs(lo), math.Abs(hi))); hi-lo <= room {
		pad := math.Max(math.Abs(lo)/2, 0.5)
		return lo - pad, hi + pad
	}
	return lo, hi
}

// extent returns the smallest and largest finite value; ok is false if there is none.
func extent(lists ...[]float64) (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, list := range lists {
		for _, v := range list {
			if Finite(v) {
				lo, hi, ok = math.Min(lo, v), math.Max(hi, v), true
			}
		}
	}
	if !ok {
		return 0, 1, false
	}
	return lo, hi, true
}

// coord rounds a coordinate to five significant digits, more than a screen resolves.
func coord(v float64) any {
	if !Finite(v) {
		return nil // JSON has no NaN; null is a gap
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64)
	if err != nil {
		return nil
	}
	return r
}
