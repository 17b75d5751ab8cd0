package fit

import (
	"testing"

	"taper/internal/engine/fit/multiclass"
)

func TestKernelTitle(t *testing.T) {
	for _, c := range []struct {
		k    *Kernel
		want string
	}{
		{nil, "RBF kernel"},
		{&Kernel{Name: multiclass.KernelRBF, Degree: 2}, "RBF kernel"},
		{&Kernel{Name: multiclass.KernelPoly}, "polynomial kernel of degree 3"},
		{&Kernel{Name: multiclass.KernelPoly, Degree: 5}, "polynomial kernel of degree 5"},
		{&Kernel{Name: multiclass.KernelLinear}, "linear kernel"},
	} {
		if got := c.k.Title(); got != c.want {
			t.Errorf("%+v is a %q, want %q", c.k, got, c.want)
		}
	}
}
