package potential

import (
	"encoding/json"
	"testing"
)

// TestOraclePegasos follows the goldens step by step: potentials before the
// step, the adversary's answer, and all multipliers at the end.
func TestOraclePegasos(t *testing.T) {
	for _, c := range oracle(t, "testdata/oracle/pegasos-kernel.json") {
		t.Run(c.Name, func(t *testing.T) {
			spec, y := c.spec(t)
			var want struct {
				Steps []struct {
					I    int
					F, Q []decimal
				}
				Alpha [][]decimal
			}
			if err := json.Unmarshal(c.Expected, &want); err != nil {
				t.Fatal(err)
			}
			kernel := *spec.Kernel
			if kernel.Name == KernelLinear {
				followPegasos(t, c, spec, y, want.Steps, want.Alpha, nil)
			}
			followPegasos(t, c, spec, y, want.Steps, want.Alpha, &kernel)
		})
	}
}

func followPegasos(t *testing.T, c oracleCase, spec Spec, y []int, steps []struct {
	I    int
	F, Q []decimal
}, alpha [][]decimal, kernel *Kernel) {
	t.Helper()
	spec.Kernel = kernel
	p, err := newProblem(design(c.Inputs.X), y, nil, spec)
	if err != nil {
		t.Fatal(err)
	}
	s := newPegasos(p)
	for n, w := range steps {
		s.step(n+1, w.I)
		for j, f := range w.F {
			if !c.tolerance("f").holds(s.f[j], float64(f)) {
				t.Fatalf("step %d: f[%d] = %.12g, want %.12g", n+1, j, s.f[j], f)
			}
		}
		for j, q := range w.Q {
			got := s.u[j]
			if j == y[w.I] {
				got++
			}
			if !c.tolerance("q").holds(got, float64(q)) {
				t.Errorf("step %d: q[%d] = %.12g, want %.12g", n+1, j, got, q)
			}
		}
	}
	for i, row := range alpha {
		for j, a := range row {
			if got := s.alpha[i*p.head.k+j]; !c.tolerance("alpha").holds(got, float64(a)) {
				t.Errorf("α[%d][%d] = %.12g, want %.12g", i, j, got, a)
			}
		}
	}
}
