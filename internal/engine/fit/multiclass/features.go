package multiclass

import (
	"context"
	"math/rand/v2"
	"slices"

	"taper/internal/engine/fit/linear"
)

// Features maps rows to columns whose inner products are those of a kernel, so that a solver of linear
// scores can fit kernel scores: exactly where the landmarks are all rows, otherwise by Nyström's
// approximation (Williams and Seeger 2001).
type Features struct {
	nystrom *nystrom
	exact   bool
}

// ExactFeatures returns features spanned by all rows of x, nil where that takes more than limit columns.
func ExactFeatures(k Kernel, x linear.Matrix, limit int) (*Features, error) {
	k, err := k.ready(x.Cols)
	if err != nil {
		return nil, err
	}
	if err := k.bounded(x); err != nil {
		return nil, err
	}
	if n := newNystromWithin(k, x, limit); n != nil {
		return &Features{nystrom: n, exact: true}, nil
	}
	return nil, nil
}

// NewFeatures returns features spanned by most of the rows of x, drawn with the seed; 0 means all rows.
func NewFeatures(k Kernel, x linear.Matrix, most int, seed uint64) (*Features, error) {
	k, err := k.ready(x.Cols)
	if err != nil {
		return nil, err
	}
	if err := k.bounded(x); err != nil {
		return nil, err
	}
	f := &Features{exact: most <= 0 || most >= x.Rows}
	if !f.exact {
		rows := rand.New(rand.NewPCG(seed, 1)).Perm(x.Rows)[:most]
		slices.Sort(rows)
		part := linear.Matrix{Rows: most, Cols: x.Cols}
		for _, i := range rows {
			part.Data = append(part.Data, x.Row(i)...)
		}
		x = part
	}
	f.nystrom = newNystrom(k, x)
	return f, nil
}

// Of maps rows to features. When the context is cancelled it stops early and leaves zeros.
func (f *Features) Of(ctx context.Context, x linear.Matrix) linear.Matrix {
	return f.nystrom.features(ctx, x)
}

// Exact reports whether inner products of training rows equal the kernel.
func (f *Features) Exact() bool { return f.exact }

// Kernel returns the kernel with its defaults filled in.
func (f *Features) Kernel() Kernel { return f.nystrom.kernel }

// Landmarks returns the linearly independent rows that span the features.
func (f *Features) Landmarks() linear.Matrix { return f.nystrom.rows }

// Expand converts weights of the features to coefficients of the landmarks, so that the score is Σ a_j
// κ(x_j, x).
func (f *Features) Expand(w []float64) []float64 { return f.nystrom.expand(w) }

// Fill stores κ(x, r) in dst for the rows r of a matrix; squares are their ‖r‖².
func (k Kernel) Fill(dst []float64, rows linear.Matrix, squares, x []float64) {
	k.fill(dst, rows, squares, x, dot(x, x))
}

// Squares returns ‖r‖² of the rows.
func Squares(rows linear.Matrix) []float64 {
	all := make([]float64, rows.Rows)
	for i := range all {
		all[i] = dot(rows.Row(i), rows.Row(i))
	}
	return all
}

// Check returns a user error for invalid kernel settings.
func (k Kernel) Check() error {
	_, err := k.ready(1)
	return err
}
