package linear

import (
	"context"
	"math"
	"reflect"
	"runtime"
	"testing"
)

// TestChunks: if the active rows exceed one chunk, the Hessian still equals its definition, λI
// + Σ(v/ε)(x−m)(x−m)ᵀ, and the fit is certified and bit-identical on one core and two.
func TestChunks(t *testing.T) {
	const n, d, l2, eps = 60_000, 20, .01, 8.
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
	if m := len(s.hess.active); len(s.hess.chunk) >= m {
		t.Fatalf("%d active rows in a chunk of %d", m, len(s.hess.chunk))
	}
	mean, mass := make([]float64, d), 0.0
	for _, i := range s.hess.active {
		mass += set.v[i]
		for j, c := range x.Row(int(i)) {
			mean[j] += set.v[i] * c
		}
	}
	for j := range mean {
		mean[j] /= mass
	}
	for _, at := range [][2]int{{0, 0}, {0, 19}, {3, 7}, {19, 19}} {
		want := 0.0
		if at[0] == at[1] {
			want = l2
		}
		for _, i := range s.hess.active {
			row := x.Row(int(i))
			want += set.v[i] / eps * (row[at[0]] - mean[at[0]]) * (row[at[1]] - mean[at[1]])
		}
		if got := s.hess.a[at[0]*d+at[1]]; !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
			t.Errorf("entry %v is %v, want %v", at, got, want)
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
