package playground

import (
	"net/url"
	"strings"
	"testing"
)

// Every kernel that is offered can be fitted with every solver offered for it; a kernel or solver that does not
// suit is reported.
func TestKernels(t *testing.T) {
	p := New(Config{})
	for _, h := range methods {
		query := "n=120&data=gmm&a.kernel=rbf&a.method=" + h.ID
		if page := pageAt(t, p, strings.Replace(query, "rbf", "none", 1)); strings.Contains(page, `id="a-kernel"`) != h.Kernel || strings.Contains(page, `name="a.kernel"`) != h.Kernel {
			t.Errorf("%s: a kernel fits: %v, and the page offers the other", h.ID, h.Kernel)
		}
		q, _ := url.ParseQuery(query)
		st, bad := parse(q)
		if !h.Kernel {
			if len(bad) != 1 || bad[0].Field != "a.kernel" || st.Models[0].Kernel != noKernel {
				t.Errorf("%s with a kernel: %+v", h.ID, bad)
			}
			continue
		}
		for _, solver := range h.solvers("rbf") {
			if a := at(t, p, query+"&a.solver="+solver); len(a.Problems) > 0 || !a.Models.A.ok() {
				t.Errorf("%s, %s: %+v %s", h.ID, solver, a.Problems, a.Models.A.Error)
			}
		}
	}
	const refused = "data=gmm&b.method=interval&b.kernel=rbf&b.solver=subgradient"
	if a := at(t, p, refused); len(a.Problems) != 1 || a.Problems[0].Field != "b.solver" || !a.Models.B.ok() {
		t.Errorf("a solver without kernels: %+v %s", a.Problems, a.Models.B.Error)
	}
	if page := pageAt(t, p, "data=gmm&b.method=interval&b.kernel=rbf"); strings.Contains(page, `value="subgradient"`) {
		t.Error("a solver without kernels is offered with one")
	}
}
