// Package landscape computes the risk of two weights on the four points of Long and Servedio with label
// noise (Sypherd et al. 2023, section 4; docs/math.md, Datasets and noise), and finds its minima.
//
// The points (1, 0), twice (γ, −γ) and (γ, 5γ), all of the positive class, are separable. Under label
// noise the minimum of every convex loss nevertheless misclassifies the two points (γ, −γ), the
// penalizers. A loss whose gradient redescends can have a minimum that classifies all four correctly.
package landscape

import (
	"math"
	"slices"

	"taper/internal/engine/loss"
)

// Problem is a risk over (θ1, θ2): the α-loss on the points, with each label flipped with probability
// Noise.
type Problem struct {
	Alpha float64 // in (0, ∞]
	Noise float64 // in (0, ½)
	Gamma float64 // in (0, 1/6)
}

// Points returns the four points. All belong to the positive class.
func (p Problem) Points() [4][2]float64 {
	g := p.Gamma
	return [4][2]float64{{1, 0}, {g, -g}, {g, -g}, {g, 5 * g}}
}

// Risk returns the expected mean loss over the noise.
func (p Problem) Risk(t1, t2 float64) float64 {
	l := loss.NewAlpha(p.Alpha)
	sum := 0.0
	for _, x := range p.Points() {
		m := t1*x[0] + t2*x[1]
		sum += (1-p.Noise)*l.Value(1, m) + p.Noise*l.Value(1, -m)
	}
	return sum / 4
}

// jet holds the gradient and the Hessian of the risk.
type jet struct{ g1, g2, h11, h12, h22 float64 }

func (p Problem) jet(t1, t2 float64) jet {
	l := loss.NewAlpha(p.Alpha)
	var j jet
	for _, x := range p.Points() {
		m := t1*x[0] + t2*x[1]
		up, _ := l.Curve(m)
		down, _ := l.Curve(-m)
		d := ((1-p.Noise)*l.Slope(1, m) - p.Noise*l.Slope(1, -m)) / 4
		c := ((1-p.Noise)*up + p.Noise*down) / 4
		j.g1 += d * x[0]
		j.g2 += d * x[1]
		j.h11 += c * x[0] * x[0]
		j.h12 += c * x[0] * x[1]
		j.h22 += c * x[1] * x[1]
	}
	return j
}

// Tilt is the stationarity function B(x) = N·ℓ'(x) − ℓ'(−x) with N = 1/p − 1: the total slope at margin x
// of N unflipped copies of a point and one flipped copy (Sypherd et al. 2023, Fig. 11).
func (p Problem) Tilt(x float64) float64 {
	l := loss.NewAlpha(p.Alpha)
	return (1/p.Noise-1)*l.Slope(1, x) - l.Slope(1, -x)
}

// Minimum is a local minimum of the risk.
type Minimum struct {
	T1, T2 float64
	Risk   float64
	Right  int  // number of points classified correctly
	Global bool // the lowest minimum found
}

// Good reports whether all points are classified correctly.
func (m Minimum) Good() bool { return m.Right == 4 }

// far bounds the search. Beyond it a minimum cannot be distinguished from a risk that decreases for ever.
const far = 1e3

// Minima returns the local minima found from many starting points, lowest first. There may be none: with
// sigmoid loss the risk decreases for ever.
func (p Problem) Minima() []Minimum {
	var found []Minimum
	for _, start := range p.starts() {
		t1, t2, ok := p.descend(start[0], start[1])
		if !ok || slices.ContainsFunc(found, func(m Minimum) bool {
			return math.Hypot(m.T1-t1, m.T2-t2) < 1e-3*(1+math.Hypot(t1, t2))
		}) {
			continue
		}
		found = append(found, Minimum{T1: t1, T2: t2, Risk: p.Risk(t1, t2), Right: p.right(t1, t2)})
	}
	slices.SortStableFunc(found, func(a, b Minimum) int {
		if a.Risk < b.Risk {
			return -1
		}
		return 1
	})
	if len(found) > 0 {
		found[0].Global = true
	}
	return found
}

// FromZero returns the minimum that a descent from (0, 0) reaches; ok is false when it diverges.
func (p Problem) FromZero() (Minimum, bool) {
	t1, t2, ok := p.descend(0, 0)
	return Minimum{T1: t1, T2: t2, Risk: p.Risk(t1, t2), Right: p.right(t1, t2)}, ok
}

func (p Problem) right(t1, t2 float64) int {
	n := 0
	for _, x := range p.Points() {
		if t1*x[0]+t2*x[1] > 0 {
			n++
		}
	}
	return n
}

// starts returns points in several directions of the half-plane θ1 ≥ 0, which contains every minimum, at
// lengths that double.
func (p Problem) starts() [][2]float64 {
	out := [][2]float64{{0, 0}}
	for r := .5; r <= 128; r *= 2 {
		for _, angle := range []float64{-60, -20, 0, 20, 60, 85} {
			a := angle * math.Pi / 180
			out = append(out, [2]float64{r * math.Cos(a), r * math.Sin(a)})
		}
	}
	return out
}

// descend is a safeguarded Newton's method: a ridge is added until the step is a descent direction, and
// the step is halved until the risk decreases.
func (p Problem) descend(t1, t2 float64) (float64, float64, bool) {
	at := p.Risk(t1, t2)
	for range 400 {
		j := p.jet(t1, t2)
		if scale := math.Hypot(j.g1, j.g2); scale < 1e-14 {
			return t1, t2, j.convex() && math.Hypot(t1, t2) < far && !p.flat(j)
		}
		d1, d2 := j.step()
		if -(j.g1*d1 + j.g2*d2) < 1e-15*at { // the expected decrease is below the rounding of the risk
			t1, t2 = t1+d1, t2+d2
			return t1, t2, j.convex() && !p.flat(j) && math.Hypot(t1, t2) < far
		}
		moved := false
		for range 60 {
			if next := p.Risk(t1+d1, t2+d2); next < at {
				t1, t2, at, moved = t1+d1, t2+d2, next, true
				break
			}
			d1, d2 = d1/2, d2/2
		}
		if math.Hypot(t1, t2) > far {
			return t1, t2, false
		}
		if !moved { // no step decreases the rounded risk
			return t1, t2, j.convex() && !p.flat(j)
		}
	}
	j := p.jet(t1, t2)
	return t1, t2, j.convex() && !p.flat(j) && math.Hypot(j.g1, j.g2) < 1e-9
}

// flat reports a Hessian that is too small for a minimum: the gradient has vanished far from the data.
func (p Problem) flat(j jet) bool { return j.h11+j.h22 < 1e-13 }

func (j jet) convex() bool {
	return j.h11 >= 0 && j.h22 >= 0 && j.h11*j.h22-j.h12*j.h12 >= -1e-12*j.h11*j.h22
}

// step solves (H + ridge) d = −g with the smallest ridge, a power of ten, that makes the matrix positive
// definite and the step no longer than 32.
func (j jet) step() (d1, d2 float64) {
	size := math.Abs(j.h11) + math.Abs(j.h22) + 2*math.Abs(j.h12) + 1e-300
	for ridge := 0.0; ; ridge = max(ridge*10, size*1e-9) {
		a, c := j.h11+ridge, j.h22+ridge
		det := a*c - j.h12*j.h12
		if a > 0 && det > 1e-14*a*c {
			d1, d2 = -(c*j.g1-j.h12*j.g2)/det, -(a*j.g2-j.h12*j.g1)/det
			if math.Hypot(d1, d2) <= 32 {
				return d1, d2
			}
		}
		if ridge > 1e9*size {
			return -j.g1, -j.g2
		}
	}
}
