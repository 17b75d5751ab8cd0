package multiclass

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
)

// trained are the settings used in these tests.
var trained = []struct{ id, query, features string }{
	{"al-zero-one", "", ""}, {"al-zero-one", "", Thresholds}, {"al-ordinal", "", ""}, {"al-ordinal", "", Thresholds},
	{"al-squared", "", ""}, {"al-squared", "", Thresholds}, {"al-abstain", "", ""}, {"al-cost", "", ""}, {"al-cost", "", Thresholds},
	{"ww", "", ""}, {"cs", "", ""}, {"llw", "", ""}, {"ova", "", ""}, {"ww", "", Thresholds},
	{"all-threshold", "", ""}, {"immediate-threshold", "", ""}, {"reduction", "", ""},
}

func specOf(t testing.TB, id, features string, k int, l2 float64) Spec {
	return Spec{Family: family(t, id), Classes: k, Features: features, L2: l2}
}

// fewRows draws rows of all k classes, each around its own centre.
func fewRows(r *rand.Rand, n, d, k int) (linear.Matrix, []int) {
	x := linear.Matrix{Rows: n, Cols: d, Data: make([]float64, n*d)}
	y := make([]int, n)
	for i := range n {
		y[i] = i % k
		for j := range d {
			x.Data[i*d+j] = r.NormFloat64() + .7*float64(y[i]*(1-j%3))
		}
	}
	return x, y
}

// objective is the objective, from its definition: the losses of package loss at the model's
// potentials.
func objective(m *Model, s Spec, x linear.Matrix, y []int, weights []float64) float64 {
	params := s.Params
	if params == nil {
		params = s.Family.Defaults()
	}
	f := make([]float64, m.Outputs())
	sum, total := 0.0, 0.0
	for i, c := range y {
		v := 1.0
		if weights != nil {
			v = weights[i]
		}
		m.Potentials(f, x.Row(i))
		total += v
		if s.Family.Kind == loss.KindThreshold {
			z := make([]float64, 1)
			m.Score(z, x.Row(i))
			sum += v * s.Family.Threshold(params).Value(c, z[0], m.Offsets)
		} else {
			sum += v * s.Family.New(params, s.Classes).Value(c, f)
		}
	}
	penalty := 0.0
	for _, w := range m.Weights {
		penalty += dot(w, w)
	}
	smooth := s.Family.ID == "softmax" || s.Family.ID == "tempered-multiclass"
	if s.Family.Kind == loss.KindPotential && (!smooth || s.Features == Thresholds) || s.Family.ID == "reduction" {
		penalty += dot(m.Offsets, m.Offsets)
	}
	return sum/total + s.L2/2*penalty
}

func mustFit(t testing.TB, x linear.Matrix, y []int, weights []float64, s Spec, o Options) *Fitted {
	t.Helper()
	fit, err := Fit(context.Background(), x, y, weights, s, o)
	if err != nil {
		t.Fatal(err)
	}
	return fit
}

// TestWeakDuality: no parameters have an objective below the certified bound, neither those of
// a longer fit nor others near them, and the objective is that of the definition.
func TestWeakDuality(t *testing.T) {
	for _, c := range trained {
		t.Run(c.id+c.features, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
				x, y := fewRows(r, rapid.IntRange(6, 40).Draw(t, "rows"), rapid.IntRange(1, 4).Draw(t, "columns"), 3)
				f, _ := loss.FamilyByID(c.id)
				s := Spec{Family: f, Classes: 3, Features: c.features, L2: math.Ldexp(1, rapid.IntRange(-12, 4).Draw(t, "log λ"))}
				fit, err := Fit(context.Background(), x, y, nil, s, Options{
					MaxIter: rapid.IntRange(1, 80).Draw(t, "sweeps"), Gap: math.Pow(10, -rapid.Float64Range(.3, 6).Draw(t, "−log gap"))})
				if err != nil {
					t.Fatal(err)
				}
				if got := objective(fit.Model, s, x, y, nil); !(math.Abs(got-fit.Objective) <= 1e-10*(1+got)) {
					t.Fatalf("objective %.15g, by definition %.15g", fit.Objective, got)
				}
				better, err := Fit(context.Background(), x, y, nil, s, Options{Gap: 1e-10})
				if err != nil {
					t.Fatal(err)
				}
				bound := fit.Objective - *fit.Gap*math.Max(fit.Objective, 1e-12)
				for _, spread := range []float64{0, 1e-4, 1e-2, .3, 3} {
					m := jitter(r, better.Model, spread)
					if p := objective(m, s, x, y, nil); p < bound-1e-10*(1+p) {
						t.Fatalf("objective %.15g at other parameters, below the bound %.15g", p, bound)
					}
				}
			})
		})
	}
}

// jitter perturbs all parameters; the potentials of llw keep their sum of 0.
func jitter(r *rand.Rand, m *Model, spread float64) *Model {
	out := *m
	out.Offsets, out.Weights = slices.Clone(m.Offsets), nil
	for _, w := range m.Weights {
		out.Weights = append(out.Weights, slices.Clone(w))
	}
	columns := append([][]float64{out.Offsets}, out.Weights...)
	for _, w := range columns {
		for j := range w {
			w[j] += spread * r.NormFloat64()
		}
	}
	if m.Family.ID == "llw" {
		centre(out.Offsets)
		for j := range out.Weights[0] {
			c := make([]float64, len(out.Weights))
			for l := range c {
				c[l] = out.Weights[l][j]
			}
			centre(c)
			for l := range c {
				out.Weights[l][j] = c[l]
			}
		}
	}
	return &out
}

func centre(v []float64) {
	mean := 0.0
	for _, u := range v {
		mean += u / float64(len(v))
	}
	for j := range v {
		v[j] -= mean
	}
}

// sameScores compares the potentials of two models on the same rows.
func sameScores(t testing.TB, a, b *Model, x linear.Matrix, tol float64) {
	t.Helper()
	f, g := make([]float64, a.Outputs()), make([]float64, b.Outputs())
	for i := range x.Rows {
		a.Potentials(f, x.Row(i))
		b.Potentials(g, x.Row(i))
		for j := range f {
			if !(math.Abs(f[j]-g[j]) <= tol*(1+math.Abs(f[j]))) {
				t.Fatalf("row %d: potential %d is %.10g and %.10g", i, j, f[j], g[j])
			}
		}
	}
}

// Integer weights are equivalent to repeated rows, in any order.
func TestWeightsAreCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for _, c := range trained {
		for _, kernel := range []*Kernel{nil, {Name: KernelRBF, Gamma: .3}} {
			x, y := fewRows(r, 18, 2, 3)
			weights := make([]float64, len(y))
			many, labels := linear.Matrix{Cols: 2}, []int{}
			for i := range y {
				weights[i] = float64(i % 4)
				for range i % 4 {
					many.Data = append(many.Data, x.Row(i)...)
					labels = append(labels, y[i])
				}
			}
			many.Rows = len(labels)
			r.Shuffle(len(labels), func(i, j int) {
				labels[i], labels[j] = labels[j], labels[i]
				for k := range 2 {
					a, b := &many.Row(i)[k], &many.Row(j)[k]
					*a, *b = *b, *a
				}
			})
			s := specOf(t, c.id, c.features, 3, .05)
			s.Kernel = kernel
			a := mustFit(t, x, y, weights, s, Options{Gap: 1e-11})
			b := mustFit(t, many, labels, nil, s, Options{Gap: 1e-11, Seed: 9})
			if !(math.Abs(a.Objective-b.Objective) <= 1e-10*(1+a.Objective)) {
				t.Errorf("%s %s: objective %.14g with weights, %.14g with copies", c.id, c.features, a.Objective, b.Objective)
			}
		}
	}
}

// The linear kernel gives the linear fit; Nyström features with all rows as landmarks give the
// exact kernel fit.
func TestKernelsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	x, y := fewRows(r, 30, 3, 3)
	for _, c := range trained {
		s := specOf(t, c.id, c.features, 3, .03)
		s.NoConstant = true
		o := Options{Gap: 1e-12}
		plain := mustFit(t, x, y, nil, s, o)
		s.Kernel = &Kernel{Name: KernelLinear}
		linear := mustFit(t, x, y, nil, s, o)
		if !(math.Abs(plain.Objective-linear.Objective) <= 1e-9) {
			t.Errorf("%s %s: %.12g linear, %.12g with the linear kernel", c.id, c.features, plain.Objective, linear.Objective)
		}
		free := c.id == "all-threshold" || c.id == "immediate-threshold" // offsets may not be unique
		if !free {
			sameScores(t, plain.Model, linear.Model, x, 1e-4)
		}
		for _, k := range []Kernel{{Name: KernelRBF, Gamma: .2}, {Name: KernelPoly, Degree: 2}} {
			s.Kernel = &k
			exact := mustFit(t, x, y, nil, s, o)
			o.Landmarks = x.Rows
			full := mustFit(t, x, y, nil, s, o)
			o.Landmarks = 0
			if !(math.Abs(exact.Objective-full.Objective) <= 1e-7) || full.Landmarks != 0 {
				t.Errorf("%s %s %s: %.12g exact, %.12g by Nyström at full rank", c.id, c.features, k.Name, exact.Objective, full.Objective)
			}
			if !free {
				sameScores(t, exact.Model, full.Model, x, 1e-3)
			}
		}
	}
}

// Two classes with a free intercept, fitted by working sets and by Newton steps on the features
// of all rows.
func TestIntervalKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	x, y := fewRows(r, 150, 2, 2)
	for _, id := range []string{"interval", "hinge"} {
		for _, k := range []Kernel{{Name: KernelRBF, Gamma: .4}, {Name: KernelPoly, Degree: 2}} {
			s := specOf(t, id, "", 2, .01)
			s.Kernel = &k
			newton := mustFit(t, x, y, nil, s, Options{Gap: 1e-9, Landmarks: x.Rows})
			for _, rounds := range []int{1, 3, patience - 1} {
				sets := mustFit(t, x, y, nil, s, Options{Gap: 1e-6, MaxIter: rounds})
				bound := sets.Objective * (1 - *sets.Gap)
				if newton.Objective < bound-1e-7 || sets.Objective < newton.Objective*(1-1e-9)-1e-7 || *newton.Gap > 1e-9 {
					t.Errorf("%s %s: working sets prove %.9g … %.9g, Newton reaches %.9g", id, k.Name, bound, sets.Objective, newton.Objective)
				}
				if rounds > 3 && *sets.Gap > .01 {
					t.Errorf("%s %s: gap %g after %d rounds", id, k.Name, *sets.Gap, rounds)
				}
			}
		}
	}
}

// With too many rows for Newton steps, the method of multipliers alone finds the free
// thresholds.
func TestFreeOffsetsAtScale(t *testing.T) {
	x, y := ordinalRows(2, 1300, 4, 4)
	for i := range y {
		y[i] = min(3, y[i]+y[i]/2) // 0, 1, 3: few rows of class 2
	}
	y[0] = 2
	s := specOf(t, "all-threshold", "", 4, 1e-2)
	s.Kernel = &Kernel{Name: KernelRBF}
	fit := mustFit(t, x, y, nil, s, Options{Gap: 1e-5, MaxIter: 300})
	if *fit.Gap > 1e-5 {
		t.Errorf("gap %g after %d rounds", *fit.Gap, fit.Iterations)
	}
	nystrom := mustFit(t, x, y, nil, s, Options{Gap: 1e-6, Landmarks: 300})
	if nystrom.Objective < fit.Objective*(1-2e-5) || nystrom.Objective > 1.01*fit.Objective {
		t.Errorf("objective %g, with 300 landmarks %g", fit.Objective, nystrom.Objective)
	}
}

// TestNystromApproaches: with more landmarks the objective approaches the exact one.
func TestNystromApproaches(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	x, y := fewRows(r, 120, 3, 3)
	s := specOf(t, "al-zero-one", "", 3, .01)
	s.Kernel = &Kernel{Name: KernelRBF, Gamma: .5}
	exact := mustFit(t, x, y, nil, s, Options{})
	last := math.Inf(1)
	for _, m := range []int{3, 12, 60, 110} {
		fit := mustFit(t, x, y, nil, s, Options{Landmarks: m, Seed: 3})
		if fit.Landmarks != m {
			t.Errorf("%d landmarks, want %d", fit.Landmarks, m)
		}
		if fit.Objective < exact.Objective-1e-6 || fit.Objective > last {
			t.Errorf("%d landmarks: objective %g after %g; exact %g", m, fit.Objective, last, exact.Objective)
		}
		last = fit.Objective
	}
	if last > 1.02*exact.Objective {
		t.Errorf("110 landmarks: %g, exact %g", last, exact.Objective)
	}
}

// Fits are bit-identical on any number of cores.
func TestSameBits(t *testing.T) {
	x, y := clouds(3, 1500, 12, 4, 2)
	for _, c := range []struct {
		id     string
		kernel *Kernel
		o      Options
	}{
		{"al-zero-one", nil, Options{MaxIter: 12}},
		{"al-zero-one", &Kernel{Name: KernelRBF}, Options{MaxIter: 4}},
		{"al-zero-one", &Kernel{Name: KernelRBF}, Options{MaxIter: 6, Landmarks: 60}},
		{"al-zero-one", nil, Options{Solver: SolverPegasos, MaxIter: 3000}},
		{"all-threshold", nil, Options{MaxIter: 12}},
		{"softmax", nil, Options{}},
		{"tempered-multiclass", nil, Options{MaxIter: 20}},
	} {
		s := specOf(t, c.id, "", 4, 1e-3)
		s.Kernel = c.kernel
		var want string
		for _, cores := range []int{1, 2, 5} {
			old := runtime.GOMAXPROCS(cores)
			fit := mustFit(t, x, y, nil, s, c.o)
			runtime.GOMAXPROCS(old)
			got := fmt.Sprintf("%x %x %x %x %d", fit.Objective, fit.Model.Weights, fit.Model.Coefficients, fit.Model.Offsets, fit.Iterations)
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s: other bits on %d cores", c.id, cores)
			}
		}
	}
}
