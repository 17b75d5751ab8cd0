package multiclass

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
)

// smoothed are the smooth settings.
var smoothed = []struct{ id, query, features string }{
	{"softmax", "", ""}, {"softmax", "", Thresholds}, {"tempered-multiclass", "t1=0.6&t2=1.6", ""}, {"tempered-multiclass", "t1=1.2&t2=1.1", Thresholds},
	{"all-threshold", "base=logistic", ""}, {"immediate-threshold", "base=squared-hinge", ""}, {"reduction", "base=exponential", ""}, {"all-threshold", "base=probit", ""},
}

func smoothSpec(t testing.TB, id, query, features string, k int, l2 float64) Spec {
	t.Helper()
	s := specOf(t, id, features, k, l2)
	v, err := s.Family.Parse(parseQuery(t, query))
	if err != nil {
		t.Fatal(err)
	}
	s.Params = v
	return s
}

// TestSmoothGradient compares gradients with central differences, in θ and in the solver's
// coordinates.
func TestSmoothGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	x, y := fewRows(r, 20, 3, 3)
	for i := range x.Data {
		x.Data[i] = 3*x.Data[i] + 5 // so that centring changes the columns
	}
	weights := make([]float64, len(y))
	for i := range weights {
		weights[i] = r.Float64()
	}
	for _, c := range smoothed {
		for _, noConstant := range []bool{false, true} {
			spec := smoothSpec(t, c.id, c.query, c.features, 3, .1)
			spec.NoConstant = noConstant
			p, err := newProblem(x, y, weights, spec)
			if err != nil {
				t.Fatal(err)
			}
			s := newSmoother(context.Background(), p)
			point, grad := make([]float64, len(s.theta)), make([]float64, len(s.theta))
			for j := range point {
				point[j] = .3 * r.NormFloat64()
			}
			s.at(point)
			s.slope(grad)
			if back := make([]float64, len(point)); true {
				s.to(back, s.theta)
				for j := range back {
					if !(math.Abs(back[j]-point[j]) <= 1e-12) {
						t.Errorf("%s: to(from(p))[%d] = %g, want %g", c.id, j, back[j], point[j])
					}
				}
			}
			if m := p.linearModel(s.theta[:p.head.m*3], s.theta[p.head.m*3:]); !(math.Abs(objective(m, spec, x, y, weights)-s.value) <= 1e-12) {
				t.Errorf("%s %s: value %.15g, by definition %.15g", c.id, c.features, s.value, objective(m, spec, x, y, weights))
			}
			for j := range point {
				const h = 1e-5
				at := func(d float64) float64 {
					q := append([]float64{}, point...)
					q[j] += d
					s.at(q)
					return s.value
				}
				want := (at(-2*h) - 8*at(-h) + 8*at(h) - at(2*h)) / (12 * h)
				if !(math.Abs(grad[j]-want) <= 1e-6*(1+math.Abs(want))) {
					t.Errorf("%s %s: gradient[%d] = %.10g, want %.10g", c.id, c.features, j, grad[j], want)
				}
			}
		}
	}
}

// TestTwoClasses: two potentials f = ±z/2 share the penalty of one score z, so λ is halved; the
// reference is the two-class solver.
func TestTwoClasses(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	x, y := fewRows(r, 60, 3, 2)
	sign := make([]float64, len(y))
	for i, c := range y {
		sign[i] = float64(2*c - 1)
	}
	for _, c := range []struct {
		id, query string
		l         loss.Margin
	}{
		{"softmax", "", loss.Tempered{T1: 1, T2: 1}},
		{"tempered-multiclass", "t1=1.3&t2=1.1", loss.Tempered{T1: 1.3, T2: 1.1}},
		{"tempered-multiclass", "t1=0.8&t2=1.2", loss.Tempered{T1: .8, T2: 1.2}},
	} {
		fit := mustFit(t, x, y, nil, smoothSpec(t, c.id, c.query, "", 2, .02), Options{GradTol: 1e-10})
		want, _, err := linear.Margin(context.Background(), x, sign, nil, c.l, .01, linear.MarginOptions{GradTol: 1e-10})
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(fit.Objective-want.Objective) <= 1e-9) {
			t.Errorf("%s %s: objective %.12g, want %.12g", c.id, c.query, fit.Objective, want.Objective)
		}
		for j, w := range want.W {
			if got := fit.Model.Weights[1][j] - fit.Model.Weights[0][j]; !(math.Abs(got-w) <= 1e-5) {
				t.Errorf("%s %s: weight %d is %.8g, want %.8g", c.id, c.query, j, got, w)
			}
		}
		if got := fit.Model.Offsets[1] - fit.Model.Offsets[0]; !(math.Abs(got-want.B) <= 1e-5) {
			t.Errorf("%s %s: intercept %.8g, want %.8g", c.id, c.query, got, want.B)
		}
	}
	// One threshold is an intercept with opposite sign.
	fit := mustFit(t, x, y, nil, smoothSpec(t, "all-threshold", "base=logistic", "", 2, .02), Options{GradTol: 1e-10})
	want, err := linear.Logistic(context.Background(), x, sign, nil, .02, linear.LogisticOptions{GradTol: 1e-10})
	if err != nil {
		t.Fatal(err)
	}
	if !(math.Abs(fit.Objective-want.Objective) <= 1e-10) || !(math.Abs(fit.Model.Offsets[0]+want.B) <= 1e-6) {
		t.Errorf("threshold: objective %.12g, η %g; want %.12g, %g", fit.Objective, fit.Model.Offsets[0], want.Objective, -want.B)
	}
}

// TestStarts: a non-convex loss is fitted from several starts; the best fit is returned, all
// are reported, and it is a local minimum.
func TestStarts(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	x, y := fewRows(r, 80, 2, 3)
	for i := range 16 {
		y[i] = (y[i] + 1) % 3
	}
	spec := smoothSpec(t, "tempered-multiclass", "t1=0.3&t2=1.8", "", 3, 1e-3)
	fit := mustFit(t, x, y, nil, spec, Options{Random: 2})
	var names string
	kept := 0
	for _, s := range fit.Starts {
		names += s.Start + "; "
		if s.Objective < fit.Objective {
			t.Errorf("start %s reached %g, kept %g", s.Start, s.Objective, fit.Objective)
		}
		if s.Kept {
			kept++
		}
	}
	if names != "zero; softmax; graduated; random 1; random 2; " || kept != 1 {
		t.Errorf("starts %s%d kept", names, kept)
	}
	for range 20 {
		if p := objective(jitter(r, fit.Model, 1e-3), spec, x, y, nil); p < fit.Objective-1e-9 {
			t.Errorf("objective %.12g next to the fit's %.12g", p, fit.Objective)
		}
	}
	if convex := mustFit(t, x, y, nil, smoothSpec(t, "softmax", "", "", 3, 1e-3), Options{}); convex.Starts != nil || convex.Stopped != "gradient" {
		t.Errorf("softmax: starts %v, stopped by %s", convex.Starts, convex.Stopped)
	}
}

// TestFitBeginsWhereTold: a fit that starts at its optimum needs no iteration.
func TestFitBeginsWhereTold(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 2))
	x, y := fewRows(r, 80, 2, 3)
	for i := range x.Data {
		x.Data[i] = 3*x.Data[i] + 5 // so that the solver's coordinates differ from θ
	}
	p, err := newProblem(x, y, nil, smoothSpec(t, "softmax", "", "", 3, .05))
	if err != nil {
		t.Fatal(err)
	}
	s := newSmoother(context.Background(), p)
	zero := make([]float64, len(s.theta))
	first, theta, err := s.fit(zero, Options{GradTol: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	again, same, err := s.fit(theta, Options{GradTol: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	if first.Iterations < 3 || again.Iterations > 1 {
		t.Errorf("%d iterations from zero, %d from the optimum", first.Iterations, again.Iterations)
	}
	for j := range theta {
		if !(math.Abs(same[j]-theta[j]) <= 1e-6) {
			t.Errorf("θ[%d] moved from %g to %g", j, theta[j], same[j])
		}
	}
}

// A smooth loss is fitted with a kernel through features of the landmarks.
func TestSmoothKernel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	x := linear.Matrix{Rows: 200, Cols: 2, Data: make([]float64, 400)}
	y := make([]int, 200)
	for i := range y { // one class inside, one around it
		y[i] = i % 2
		a := 2 * math.Pi * r.Float64()
		rad := .7 + 1.3*float64(y[i])
		x.Data[2*i], x.Data[2*i+1] = rad*math.Cos(a)+.1*r.NormFloat64(), rad*math.Sin(a)+.1*r.NormFloat64()
	}
	spec := specOf(t, "softmax", "", 2, 1e-3)
	if got := accuracy(mustFit(t, x, y, nil, spec, Options{}).Model, x, y); got > .7 {
		t.Errorf("linear: accuracy %g on circles", got)
	}
	spec.Kernel = &Kernel{Name: KernelRBF, Gamma: 1}
	for _, landmarks := range []int{0, 40} {
		fit := mustFit(t, x, y, nil, spec, Options{Landmarks: landmarks})
		if got := accuracy(fit.Model, x, y); got < .99 {
			t.Errorf("%d landmarks: accuracy %g on circles", landmarks, got)
		}
		if fit.Landmarks > landmarks {
			t.Errorf("%d landmarks, asked for %d", fit.Landmarks, landmarks)
		}
	}
}

func accuracy(m *Model, x linear.Matrix, y []int) float64 {
	f, hits := make([]float64, m.Outputs()), 0
	for i, c := range y {
		m.Potentials(f, x.Row(i))
		if m.Decide(f) == c {
			hits++
		}
	}
	return float64(hits) / float64(len(y))
}

func ExampleFit() {
	x := linear.Matrix{Rows: 6, Cols: 1, Data: []float64{-3, -2, 0, .5, 2, 3}}
	y := []int{0, 0, 1, 1, 2, 2}
	f, _ := loss.FamilyByID("al-ordinal")
	fit, err := Fit(context.Background(), x, y, nil, Spec{Family: f, Classes: 3, Features: Thresholds, L2: .01}, Options{})
	if err != nil {
		panic(err)
	}
	potentials := make([]float64, 3)
	fit.Model.Potentials(potentials, []float64{-2.5})
	fmt.Println(fit.Stopped, fit.Model.Decide(potentials))
	// Output: gap 0
}
