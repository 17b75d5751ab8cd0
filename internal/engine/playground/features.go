package playground

import (
	"fmt"
	"math"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/usererr"
)

// Kinds of features.
const (
	Linear    = "linear"    // the standardised columns
	Quadratic = "quadratic" // and their squares and products
	RBF       = "rbf"       // exp(−γ‖x − c‖²), with centres c on a grid over the training points
)

// FeatureKinds lists the kinds of features.
var FeatureKinds = []string{Linear, Quadratic, RBF}

// Features says which features a model uses.
type Features struct {
	Kind  string  // "" = Linear
	Gamma float64 // of RBF, for standardised columns; 0 = from the spacing of the grid
}

// side is the number of centres along one axis: 64 in all.
const side = 8

// mapper computes features from rows, with parameters learned from the training points.
type mapper struct {
	Features
	mean, sd []float64
	centre   [2][side]float64
}

// newMapper learns means and SDs from the clean training points, so that noise does not move
// the frame of the surface.
func newMapper(f Features, s *Sample, at []int) *mapper {
	d := s.X.Cols
	m := &mapper{Features: f, mean: make([]float64, d), sd: make([]float64, d)}
	low, high := make([]float64, d), make([]float64, d)
	for j := range d {
		low[j], high[j] = math.Inf(1), math.Inf(-1)
		for _, i := range at {
			v := s.X.Row(i)[j]
			m.mean[j] += v / float64(len(at))
			low[j], high[j] = min(low[j], v), max(high[j], v)
		}
		for _, i := range at {
			e := s.X.Row(i)[j] - m.mean[j]
			m.sd[j] += e * e / float64(len(at))
		}
		if m.sd[j] = math.Sqrt(m.sd[j]); !(m.sd[j] > 0) {
			m.sd[j] = 1
		}
	}
	if f.Kind == RBF {
		m.spread(low, high)
	}
	return m
}

// spread places the centres on a grid over the range of the training points. Without a γ, each
// basis function has decreased to e⁻¹ at the next centre.
func (m *mapper) spread(low, high []float64) {
	gap := 0.0
	for j := range m.centre {
		a, b := (low[j]-m.mean[j])/m.sd[j], (high[j]-m.mean[j])/m.sd[j]
		for k := range m.centre[j] {
			m.centre[j][k] = a + (b-a)*float64(k)/(side-1)
		}
		gap = max(gap, (b-a)/(side-1))
	}
	if m.Gamma == 0 && gap > 0 {
		m.Gamma = 1 / (gap * gap)
	} else if m.Gamma == 0 {
		m.Gamma = 1
	}
}

// check refuses features of more columns than a page can show.
func (f Features) check(columns int) error {
	if f.Kind != Linear && f.Kind != "" && columns != 2 {
		return usererr.BadField("features", "%s are for two columns and these points have %d: take linear features, or two "+
			"columns", f.Kind, columns)
	}
	return nil
}

// width is the number of features.
func (m *mapper) width() int {
	switch m.Kind {
	case Quadratic:
		return 5
	case RBF:
		return side * side
	}
	return len(m.mean)
}

// row stores the features of x.
func (m *mapper) row(dst, x []float64) {
	if m.Kind == RBF {
		across, up := m.along(0, x[0]), m.along(1, x[1])
		cross(dst, &across, &up)
		return
	}
	for j, v := range x {
		dst[j] = (v - m.mean[j]) / m.sd[j]
	}
	if m.Kind == Quadratic {
		dst[2], dst[3], dst[4] = dst[0]*dst[0], dst[0]*dst[1], dst[1]*dst[1]
	}
}

// along are the one-dimensional Gaussians of a column, one per centre, at x. An RBF feature is a product of two.
func (m *mapper) along(column int, x float64) (g [side]float64) {
	x = (x - m.mean[column]) / m.sd[column]
	for k, c := range m.centre[column] {
		g[k] = math.Exp(-m.Gamma * (x - c) * (x - c))
	}
	return g
}

// cross stores the RBF features of a point from the Gaussians of its two columns.
func cross(dst []float64, across, up *[side]float64) {
	for k, u := range up {
		for l, a := range across {
			dst[k*side+l] = a * u
		}
	}
}

// rows computes the features of the rows of x at the given indices; nil = all.
func (m *mapper) rows(x linear.Matrix, at []int) linear.Matrix {
	n := x.Rows
	if at != nil {
		n = len(at)
	}
	out := linear.Matrix{Rows: n, Cols: m.width(), Data: make([]float64, n*m.width())}
	spans(n, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			i := k
			if at != nil {
				i = at[k]
			}
			m.row(out.Row(k), x.Row(i))
		}
	})
	return out
}

// names are the names of the features.
func (m *mapper) names(columns []string) []string {
	switch m.Kind {
	case Quadratic:
		a, b := columns[0], columns[1]
		return []string{a, b, a + " squared", a + " times " + b, b + " squared"}
	case RBF:
		var all []string
		for k := range side {
			for l := range side {
				all = append(all, fmt.Sprintf("RBF %d-%d", l+1, k+1))
			}
		}
		return all
	}
	return columns
}

// Features returns the names and the features of the clean points, so that a run can use the
// same features.
func (s *Sample) Features(f Features) ([]string, linear.Matrix, error) {
	if err := f.check(s.X.Cols); err != nil {
		return nil, linear.Matrix{}, err
	}
	m := newMapper(f, s, s.TrainingRows())
	return m.names(s.Columns), m.rows(s.X, nil), nil
}
