package multiclass

import (
	"math"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/usererr"
)

// Kernel is a function κ of two rows. How it couples the potentials of two rows follows from the head:
// κ·S·Sᵀ + B·Bᵀ (docs/math.md, section 7.7). A kernel on features concatenated with the class would couple
// classes (docs/errata.md, Fathony 8).
type Kernel struct {
	Name   string  `json:"name"`             // "linear", "rbf", "poly"
	Gamma  float64 `json:"gamma,omitempty"`  // 0 = 1/columns
	Degree int     `json:"degree,omitempty"` // only for poly; 0 = 3
}

// Kernel names.
const (
	KernelLinear = "linear" // x·x'
	KernelRBF    = "rbf"    // exp(−γ‖x − x'‖²)
	KernelPoly   = "poly"   // (1 + γ x·x')^degree, which includes all lower degrees
)

const maxDegree = 20

// ready validates the settings and fills in the defaults.
func (k Kernel) ready(columns int) (Kernel, error) {
	if k.Gamma == 0 {
		k.Gamma = 1 / float64(columns)
	}
	if k.Degree == 0 {
		k.Degree = 3
	}
	switch {
	case k.Name != KernelLinear && k.Name != KernelRBF && k.Name != KernelPoly:
		return k, usererr.BadField("kernel.name", "must be %q, %q or %q (got %q)", KernelLinear, KernelRBF, KernelPoly,
			k.Name)
	case !(k.Gamma > 0) || math.IsInf(k.Gamma, 1):
		return k, usererr.BadField("kernel.gamma", "must be a positive number (got %v)", k.Gamma)
	case k.Degree < 1 || k.Degree > maxDegree:
		return k, usererr.BadField("kernel.degree", "must be from 1 to %d (got %d)", maxDegree, k.Degree)
	}
	return k, nil
}

// bounded returns an error if κ(x, x) overflows for a row. By Cauchy–Schwarz no pair of rows has a larger
// value.
func (k Kernel) bounded(x linear.Matrix) error {
	for i := range x.Rows {
		square := dot(x.Row(i), x.Row(i))
		if v := k.of(square, square, square); !(v <= math.MaxFloat64) {
			return usererr.New(usererr.Invalid, "The %s kernel of row %d of the design with itself overflowed: it is larger "+
				"than a "+
				"number can hold. "+
				"Standardise the columns (model.standardize), lower model.kernel.degree, or take the kernel %q.", k.Name, i+1,
				KernelRBF)
		}
	}
	return nil
}

// of returns κ from x·x', ‖x‖² and ‖x'‖².
func (k Kernel) of(product, a, b float64) float64 {
	switch k.Name {
	case KernelRBF:
		return math.Exp(-k.Gamma * max(0, a+b-2*product))
	case KernelPoly:
		u, p := 1+k.Gamma*product, 1.0
		for range k.Degree {
			p *= u
		}
		return p
	}
	return product
}
