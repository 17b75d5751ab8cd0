package fit

import (
	"math"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/usererr"
)

// Expansion is a kernel score, f(x) = Σ a_j κ(x_j, x) + B. The x_j are rows of the design:
// support vectors of an exact fit, or Nyström landmarks.
type Expansion struct {
	Kernel       multiclass.Kernel
	Rows         linear.Matrix
	Coefficients []float64
	B            float64
	Landmarks    int // number of Nyström landmarks; 0 = exact fit

	squares []float64 // ‖x_j‖²
}

// NewExpansion validates a score that may come from a file and returns it.
func NewExpansion(k multiclass.Kernel, rows [][]float64, coefficients []float64, b float64,
	columns int) (*Expansion, error) {
	if err := k.Check(); err != nil {
		return nil, err
	}
	if k.Name != multiclass.KernelLinear && !(k.Gamma > 0) {
		return nil, usererr.New(usererr.Invalid, "the kernel has no γ")
	}
	if len(rows) == 0 || len(rows) != len(coefficients) {
		return nil, usererr.New(usererr.Invalid, "%d support rows for %d coefficients", len(rows), len(coefficients))
	}
	e := &Expansion{Kernel: k, Coefficients: coefficients, B: b, Rows: linear.Matrix{Rows: len(rows), Cols: columns}}
	for i, r := range rows {
		if len(r) != columns {
			return nil, usererr.New(usererr.Invalid, "support row %d has %d values for %d terms", i+1, len(r), columns)
		}
		if !finite(coefficients[i]) {
			return nil, usererr.New(usererr.Invalid, "coefficient %d is not a finite number", i+1)
		}
		e.Rows.Data = append(e.Rows.Data, r...)
	}
	e.squares = multiclass.Squares(e.Rows)
	return e, nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Score returns the score of a row of the design.
func (e *Expansion) Score(x []float64) float64 {
	k := make([]float64, e.Rows.Rows)
	e.Kernel.Fill(k, e.Rows, e.squares, x)
	return e.sum(k)
}

// sum is the score, given the kernel's values at the rows.
func (e *Expansion) sum(k []float64) float64 {
	f := e.B
	for j, a := range e.Coefficients {
		f += a * k[j]
	}
	return f
}

// Scores returns the scores of the rows of x (rows × outputs) under each fit. Fits with the
// same kernel and the same support rows share the kernel's values, which cost most.
func Scores(fits []*Model, x linear.Matrix) [][]float64 {
	if fits[0].Fitted == nil {
		all := make([][]float64, len(fits))
		for m, fit := range fits {
			k := fit.Outputs()
			all[m] = make([]float64, x.Rows*k)
			for i := range x.Rows {
				fit.Scores(all[m][i*k:(i+1)*k], x.Row(i))
			}
		}
		return all
	}
	all := make([][]float64, len(fits))
	for m := range fits {
		all[m] = make([]float64, x.Rows)
	}
	var k []float64
	for i := range x.Rows {
		var at *Expansion // the expansion that k was computed for
		for m, model := range fits {
			fit := model.Fitted
			e := fit.Kernel
			if e == nil {
				all[m][i] = fit.Score(x.Row(i))
				continue
			}
			if at == nil || &at.Rows.Data[0] != &e.Rows.Data[0] {
				k = append(k[:0], make([]float64, e.Rows.Rows)...)
				e.Kernel.Fill(k, e.Rows, e.squares, x.Row(i))
				at = e
			}
			all[m][i] = e.sum(k)
		}
	}
	return all
}
