package multiclass

import (
	"slices"

	"taper/internal/engine/loss"
)

// polyhedral is a loss that is a sum of parts, each the maximum of finitely many affine functions of the
// potentials. The dual solver and PEGASOS ask for the one that is largest at a point; it is a minorant b
// + g·f of the part everywhere.
type polyhedral interface {
	parts() int
	// piece fills g, of the length of f, with the gradient of a part's largest function and returns the
	// part's value at f.
	piece(g []float64, part, y int, f []float64) float64
	// none returns the constant of the part's minorant with gradient 0.
	none(part, y int) float64
}

// whole is a loss with a single part: an adversarial loss, or Crammer and Singer's.
type whole struct{ loss.Potential }

func (whole) parts() int { return 1 }

func (l whole) piece(g []float64, _, y int, f []float64) float64 { return l.Grad(g, y, f) }

// none returns the loss where the true class has a large margin, so that q = e_y. It is 0 unless the cost
// matrix has a cost for the right answer.
func (l whole) none(_, y int) float64 {
	f, g := make([]float64, l.Outputs()), make([]float64, l.Outputs())
	v := 0.0
	for f[y] = 1e3; f[y] < 1e306; f[y] *= 1e3 {
		if v = l.Grad(g, y, f); !slices.ContainsFunc(g, func(u float64) bool { return u != 0 }) {
			break
		}
	}
	return v
}

// The sums of hinges, one part per hinge.
type (
	pairs  struct{ k int } // Weston and Watkins: [1 + f_j − f_y]_+, j ≠ y
	others struct{ k int } // Lee, Lin and Wahba: [1 + f_j]_+, j ≠ y
	each   struct{ k int } // one against all: as others, and [1 − f_y]_+
	steps  struct {        // hinges at thresholds, f_l = s − η_l
		k   int
		all bool // at every threshold; otherwise at those next to the class
	}
)

func (l pairs) parts() int  { return l.k }
func (l others) parts() int { return l.k }
func (l each) parts() int   { return l.k }
func (l steps) parts() int  { return l.k - 1 }

func (pairs) none(int, int) float64  { return 0 }
func (others) none(int, int) float64 { return 0 }
func (each) none(int, int) float64   { return 0 }
func (steps) none(int, int) float64  { return 0 }

func (pairs) piece(g []float64, j, y int, f []float64) float64 {
	clear(g)
	v := 1 + (f[j] - f[y])
	if j == y || v <= 0 {
		return 0
	}
	g[j], g[y] = 1, -1
	return v
}

func (others) piece(g []float64, j, y int, f []float64) float64 {
	if j == y {
		clear(g)
		return 0
	}
	return hinge(g, j, -1, f)
}

func (each) piece(g []float64, j, y int, f []float64) float64 {
	s := -1.0
	if j == y {
		s = 1
	}
	return hinge(g, j, s, f)
}

func (l steps) piece(g []float64, j, y int, f []float64) float64 {
	if !l.all && j != y-1 && j != y {
		clear(g)
		return 0
	}
	s := -1.0 // the score should lie below
	if j < y {
		s = 1
	}
	return hinge(g, j, s, f)
}

// hinge is [1 − s·f_j]_+.
func hinge(g []float64, j int, s float64, f []float64) float64 {
	clear(g)
	v := 1 - s*f[j]
	if v <= 0 {
		return 0
	}
	g[j] = -s
	return v
}

// binary is a piecewise linear loss of one score for two classes: the interval surrogate, or the hinge.
// Neither is negative.
type binary struct{ loss.Margin }

func (binary) parts() int            { return 1 }
func (binary) none(int, int) float64 { return 0 }

func (l binary) piece(g []float64, _, y int, f []float64) float64 {
	return loss.Binary{Margin: l.Margin}.Grad(g, y, f)
}

// margins is a threshold loss as a function of the potentials f_l = s − η_l, with a smooth margin loss at
// each.
type margins struct {
	base loss.Margin
	k    int
	all  bool
}

func (l margins) Outputs() int { return l.k - 1 }

func (l margins) Value(y int, f []float64) float64 {
	return l.Grad(make([]float64, len(f)), y, f)
}

func (l margins) Grad(dst []float64, y int, f []float64) float64 {
	clear(dst)
	sum := 0.0
	for c, u := range f {
		if !l.all && c != y-1 && c != y {
			continue
		}
		s := -1.0
		if c < y {
			s = 1
		}
		sum += l.base.Value(s, s*u)
		dst[c] = s * l.base.Slope(s, s*u)
	}
	return sum
}
