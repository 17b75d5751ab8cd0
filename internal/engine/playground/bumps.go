package playground

import (
	"math"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/multiclass"
)

// bumps computes the scores of the nodes for an RBF kernel of two columns. exp(−γ‖x − r‖²) is a
// product of a horizontal and a vertical factor, so 200 exponentials per support row suffice
// for 10,000 nodes. It returns false for other models.
func (v View) bumps(out []float64, f *Fit, m *fit.Model) bool {
	if m.Potential == nil || f.Sample.X.Cols != 2 {
		return false
	}
	model := m.Potential.Model
	one := model.Form == multiclass.FormSingle
	if model.Kernel == nil || model.Kernel.Name != multiclass.KernelRBF || !one && model.Form != multiclass.FormClasses {
		return false
	}
	rows, k := model.Rows, m.Outputs()
	factor := [2][]float64{v.factors(f, rows, model.Kernel.Gamma, 0), v.factors(f, rows, model.Kernel.Gamma, 1)}
	across, up := factor[v.Column[0]], factor[v.Column[1]]
	spans(Side*Side, func(lo, hi int) {
		for n := lo; n < hi; n++ {
			a, u := across[n%Side*len(rows):][:len(rows)], up[n/Side*len(rows):][:len(rows)]
			z := out[n*k : (n+1)*k]
			copy(z, model.Offsets)
			for r, c := range model.Coefficients {
				bump := a[r] * u[r]
				for l, w := range c {
					z[l] += bump * w
				}
			}
		}
	})
	return true
}

// factors are exp(−γ(x − r)²) for the nodes along an axis, node by node.
func (v View) factors(f *Fit, rows [][]float64, gamma float64, column int) []float64 {
	out := make([]float64, Side*len(rows))
	place, axis := v.row(2), v.Column[0] == column
	seen := make([]float64, 2)
	for n := range Side {
		at := float64(n) / (Side - 1)
		if axis {
			v.place(place, at, 0)
		} else {
			v.place(place, 0, at)
		}
		f.Mapper.row(seen, place)
		for r, row := range rows {
			d := seen[column] - row[column]
			out[n*len(rows)+r] = math.Exp(-gamma * d * d)
		}
	}
	return out
}
