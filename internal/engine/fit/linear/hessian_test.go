package linear

import (
	"context"
	"math"
	"reflect"
	"runtime"
	"testing"
)

// TestHessian: the Hessian equals its definition, λI + Σ(v/ε)(x−m)(x−m)ᵀ, for more active rows than the slices of
// all shares hold, for so many columns that there is one share, and for fewer active rows than columns. The fit is certified and
// has the same bits on one core and two.
func TestHessian(t *testing.T) {
	t.Run("shares", func(t *testing.T) { testHessian(t, 60_000, 20, 8, false) })
	t.Run("one share", func(t *testing.T) { testHessian(t, 3000, 300, 8, false) })
	t.Run("Woodbury", func(t *testing.T) { testHessian(t, 600, 300, .2, true) })
}

func testHessian(t *testing.T, n, d int, eps float64, narrow bool) {
	const l2 = .01
	x, y := simulate(71, n, d)
	set, err := newSample(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	team := newTeam(len(x.Data))
	defer team.close()
	s := newNewton(context.Background(), set, newKinks(quartiles), team)
	s.l2 = l2
	s.theta[0], s.theta[5], s.theta[d] = .7, -.5, .2
	s.rows.apply(s.f, s.theta)
	s.bend(eps)
	s.hess.assemble()
	if m := len(s.hess.active); s.hess.narrow != narrow || !narrow && d < shareWide && m < mostShares*slice || m == 0 {
		t.Fatalf("%d active rows, Woodbury %v", m, s.hess.narrow)
	}
	// What solves H·step = −grad is compared, in which both forms of the Hessian agree.
	step, grad := make([]float64, d+1), make([]float64, d+1)
	for j := range grad {
		grad[j] = math.Sin(float64(j))
	}
	if !s.hess.solve(step, grad) {
		t.Fatal("not positive definite")
	}
	product := make([]float64, d+1)
	for j, w := range step[:d] {
		product[j] = l2 * w
	}
	for _, i := range s.hess.active {
		row := x.Row(int(i))
		along := set.v[i] / eps * (dot(row, step[:d]) + step[d])
		for j, c := range row {
			product[j] += along * c
		}
		product[d] += along
	}
	for j, p := range product {
		if !(math.Abs(p+grad[j]) <= 1e-9) {
			t.Errorf("entry %d of H·step is %v, want %v", j, p, -grad[j])
		}
	}
	var fits []*Linear
	for _, cores := range []int{1, 2} {
		old := runtime.GOMAXPROCS(cores)
		fit, err := Interval(context.Background(), x, y, nil, quartiles, l2, IntervalOptions{})
		runtime.GOMAXPROCS(old)
		if err != nil || *fit.Gap > 1e-6 {
			t.Fatal(err, *fit.Gap)
		}
		fits = append(fits, fit)
	}
	if !reflect.DeepEqual(fits[0], fits[1]) {
		t.Errorf("one core and two differ: %+v %+v", fits[0], fits[1])
	}
}
