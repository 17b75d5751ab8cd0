package vector

import "math"

// Ramps are two functions, one for each side of a row, that rise by ramps of the same steepness from one level to the
// next: the derivatives of piecewise linear functions whose kinks are smoothed.
type Ramps struct {
	rate  float64
	cells []float64 // of each ramp: where it starts, its first level and its last one, each of side 0 and of side 1
}

const rampCells = 6

// NewRamps returns functions of so many ramps each, at least one.
func NewRamps(count int) *Ramps { return &Ramps{cells: make([]float64, rampCells*count)} }

// Rise sets the steepness.
func (r *Ramps) Rise(rate float64) { r.rate = rate }

// Set places ramp k of a side. It must start where the one before it has ended, or later, at the level of its end.
func (r *Ramps) Set(k, side int, from, low, high float64) {
	c := r.cells[rampCells*k:]
	c[side], c[2+side], c[4+side] = from, low, high
}

// level returns the level at u, and 1 if that is on a ramp.
func (r *Ramps) level(side uint8, u float64) (level float64, on uint8) {
	level = r.cells[2+side]
	for c := r.cells[side:]; ; c = c[rampCells:] {
		if u >= c[0] {
			level = c[2] + float64(r.rate*(u-c[0]))
			on = 1
			if !(level < c[4]) {
				level, on = c[4], 0
			}
		}
		if len(c) <= rampCells {
			return level, on
		}
	}
}

// Levels writes the level at u + step·d for each row, and the same times v. On is 1 for the rows on a ramp and 0 for
// the others. It returns what Along does.
func (r *Ramps) Levels(t, vt []float64, on []uint8, u, d, v []float64, side []uint8, step float64) (slope,
	curve float64) {
	t, vt, on, d, v, side = t[:len(u)], vt[:len(u)], on[:len(u)], d[:len(u)], v[:len(u)], side[:len(u)]
	var slopes, squares [lanes]float64
	for i := r.fastLevels(t, vt, on, &slopes, &squares, u, d, v, side, step); i < len(u); i++ {
		t[i], on[i] = r.level(side[i], u[i]+float64(step*d[i]))
		vt[i] = v[i] * t[i]
		slopes[i%lanes] += float64(vt[i] * d[i])
		if on[i] == 1 {
			squares[i%lanes] += float64(v[i] * d[i] * d[i])
		}
	}
	return r.sums(&slopes, &squares)
}

// Along returns Σ v·d·level(u + step·d) and its derivative in step, both made of four sums by turns.
func (r *Ramps) Along(u, d, v []float64, side []uint8, step float64) (slope, curve float64) {
	d, v, side = d[:len(u)], v[:len(u)], side[:len(u)]
	var slopes, squares [lanes]float64
	for i := r.fastAlong(&slopes, &squares, u, d, v, side, step); i < len(u); i++ {
		level, on := r.level(side[i], u[i]+float64(step*d[i]))
		slopes[i%lanes] += float64(v[i] * level * d[i])
		if on == 1 {
			squares[i%lanes] += float64(v[i] * d[i] * d[i])
		}
	}
	return r.sums(&slopes, &squares)
}

func (r *Ramps) sums(slopes, squares *[lanes]float64) (slope, curve float64) {
	add := func(v *[lanes]float64) float64 { return (v[0] + v[1]) + (v[2] + v[3]) }
	return add(slopes), r.rate * add(squares)
}

// Hulls are two functions, one for each side of a row, each the largest of some lines: convex and piecewise linear.
type Hulls struct {
	cells []float64 // of each line: its slope and its value at 0, each of side 0 and of side 1
}

const lineCells = 4

// NewHulls returns functions of so many lines each, at least one.
func NewHulls(lines int) *Hulls { return &Hulls{cells: make([]float64, lineCells*lines)} }

// Set sets line k of a side.
func (h *Hulls) Set(k, side int, slope, atZero float64) {
	c := h.cells[lineCells*k:]
	c[side], c[2+side] = slope, atZero
}

// Values writes the value at x for each row; −∞ where no line has a number there.
func (h *Hulls) Values(dst, x []float64, side []uint8) {
	dst, side = dst[:len(x)], side[:len(x)]
	for i := h.fast(dst, x, side); i < len(x); i++ {
		most := math.Inf(-1)
		for c := h.cells[side[i]:]; ; c = c[lineCells:] {
			if v := float64(c[0]*x[i]) + c[2]; v > most {
				most = v
			}
			if len(c) <= lineCells {
				break
			}
		}
		dst[i] = most
	}
}
