package multiclass

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
	"taper/internal/testtime"
)

func parseQuery(t testing.TB, q string) url.Values {
	t.Helper()
	v, err := url.ParseQuery(q)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A model gives bit-identical scores after a round trip through JSON.
func TestModelJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := fewRows(r, 24, 2, 3)
	for _, c := range slices.Concat(trained, smoothed) {
		for _, kernel := range []*Kernel{nil, {Name: KernelRBF}} {
			s := smoothSpec(t, c.id, c.query, c.features, 3, .1)
			s.Kernel = kernel
			fit := mustFit(t, x, y, nil, s, Options{Gap: 1e-3})
			raw, err := json.Marshal(fit.Model)
			if err != nil {
				t.Fatal(err)
			}
			var back Model
			if err := json.Unmarshal(raw, &back); err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
			f, g := make([]float64, fit.Model.Outputs()), make([]float64, back.Outputs())
			for i := range x.Rows {
				fit.Model.Potentials(f, x.Row(i))
				back.Potentials(g, x.Row(i))
				if !slices.Equal(f, g) || fit.Model.Decide(f) != back.Decide(g) {
					t.Fatalf("%s: potentials %v became %v", c.id, f, g)
				}
			}
		}
	}
}

func TestModelJSONErrors(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{`{"loss":"nope"}`, "unknown"},
		{`{"loss":"cs","classes":3,"form":"spiral"}`, "form"},
		{`{"loss":"cs","classes":3,"form":"classes","offsets":[0,0],"weights":[[1],[1],[1]]}`, "2 offsets"},
		{`{"loss":"cs","classes":2,"form":"classes","offsets":[0,0],"weights":[[1],[1,2]]}`, "differ"},
		{`{"loss":"cs","classes":2,"form":"classes","offsets":[0,0],"kernel":{"name":"rbf"},"rows":[[1]],"coefficients":[[1]]}`, "coefficients"},
		{`{"loss":"cs","classes":2,"form":"classes","offsets":[0,0],"kernel":{"name":"rbf"},"rows":[[]],"coefficients":[[1,2]]}`, "empty"},
		{`{"loss":"cs","classes":2,"form":"classes","offsets":[0,0],"kernel":{"name":"tanh"},"rows":[[1]],"coefficients":[[1,2]]}`, "kernel.name"},
		{`{"loss":"al-cost","params":{"matrix":[[0,1],[1,0]]},"classes":3,"form":"classes"}`, "columns"},
		{`{"loss":"cs","classes":1000000000,"form":"ordinal"}`, "classes"},
		{`{"loss":"all-threshold","classes":3,"form":"ordinal","offsets":[0,0],"weights":[[1]]}`, "form"},
		{`{"loss":"hinge","classes":2,"form":"classes","offsets":[0,0],"weights":[[1],[1]]}`, "form"},
		{`[]`, "read model"},
	} {
		var m Model
		if err := json.Unmarshal([]byte(c.raw), &m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.raw, err, c.want)
		}
	}
}

// FuzzModel: every model that can be decoded can predict.
func FuzzModel(f *testing.F) {
	f.Add([]byte(`{"loss":"al-zero-one","params":{"weight":1},"classes":2,"form":"classes","offsets":[0,1],"weights":[[1,2],[3,4]]}`))
	f.Add([]byte(`{"loss":"all-threshold","params":{"base":"hinge"},"classes":3,"form":"thresholds","offsets":[0,1],"weights":[[1]]}`))
	f.Add([]byte(`{"loss":"al-cost","classes":3,"form":"ordinal","offsets":[0,1],"kernel":{"name":"poly","degree":2},"rows":[[1]],"coefficients":[[1]]}`))
	f.Add([]byte(`{"loss":"interval","classes":2,"form":"single","offsets":[1e308],"kernel":{"name":"rbf"},"rows":[[1]],"coefficients":[[1]]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var m Model
		if json.Unmarshal(raw, &m) != nil {
			return
		}
		p := make([]float64, m.Outputs())
		m.Potentials(p, make([]float64, m.Columns()))
		d := m.Decide(p)
		if d != loss.Abstain && d < 0 {
			t.Errorf("decision %d", d)
		}
		m.Mixture(make([]float64, m.Options()), p)
		m.Probabilities(make([]float64, m.Classes), p)
	})
}

// TestDecisions: potentials with known predictions.
func TestDecisions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := fewRows(r, 24, 2, 3)
	for _, c := range []struct {
		id, features string
		f            []float64
		want         int
		mixture      []float64 // nil = none
	}{
		{"al-zero-one", "", []float64{1, .5, -3}, 0, []float64{.75, .25, 0}},
		{"al-ordinal", Thresholds, []float64{0, 3, 1}, 1, []float64{0, 1, 0}},
		{"al-abstain", "", []float64{1, .75, 0}, loss.Abstain, []float64{.25, 0, 0, .75}},
		{"al-abstain", "", []float64{1, .25, 0}, 0, []float64{.75, 0, 0, .25}},
		{"cs", "", []float64{0, .1, 0}, 1, nil},
		{"ova", "", []float64{-1, -.1, -2}, loss.Abstain, nil},
		{"ova", "", []float64{-1, .1, -2}, 1, nil},
		{"all-threshold", "", []float64{.5, -.5}, 1, nil},
		{"all-threshold", "", []float64{-.5, -2}, 0, nil},
	} {
		m := mustFit(t, x, y, nil, specOf(t, c.id, c.features, 3, 1), Options{Gap: .1}).Model
		if got := m.Decide(c.f); got != c.want {
			t.Errorf("%s: decided %d on %v, want %d", c.id, got, c.f, c.want)
		}
		p := make([]float64, m.Options())
		if m.Mixture(p, c.f) != (c.mixture != nil) || len(p) != len(c.mixture) {
			t.Errorf("%s: %d options", c.id, len(p))
		}
		for j, want := range c.mixture {
			if !(math.Abs(p[j]-want) <= 1e-12) {
				t.Errorf("%s: p* of %v is %v, want %v", c.id, c.f, p, c.mixture)
			}
		}
		if m.Probabilities(make([]float64, 3), c.f) {
			t.Errorf("%s told probabilities", c.id)
		}
	}
	for id, want := range map[string]int{"cs": loss.Abstain, "al-abstain": loss.Abstain, "ova": 1, "ww": 1} {
		m := mustFit(t, x, y, nil, specOf(t, id, "", 3, 1), Options{Gap: .1}).Model
		if got := m.DecideOrAbstain([]float64{0, .4, -1}); got != want {
			t.Errorf("%s: %d at a lead of .4, want %d", id, got, want)
		}
		if got := m.DecideOrAbstain([]float64{0, .6, -1}); got != 1 {
			t.Errorf("%s: %d at a lead of .6, want 1", id, got)
		}
	}
	m := mustFit(t, x, y, nil, specOf(t, "softmax", "", 3, 1), Options{}).Model
	p := make([]float64, 3)
	if !m.Probabilities(p, []float64{math.Log(2), math.Log(5), math.Log(3)}) || !(math.Abs(p[0]-.2) <= 1e-12) || !(math.Abs(p[1]-.5) <= 1e-12) {
		t.Errorf("softmax probabilities %v", p)
	}
}

func TestErrors(t *testing.T) {
	x := linear.Matrix{Rows: 4, Cols: 1, Data: []float64{0, 1, 2, 3}}
	y := []int{0, 1, 2, 0}
	for _, c := range []struct {
		name string
		x    linear.Matrix
		y    []int
		v    []float64
		edit func(*Spec, *Options)
		want string
	}{
		{"λ", x, y, nil, func(s *Spec, _ *Options) { s.L2 = 0 }, "positive"},
		{"λ inf", x, y, nil, func(s *Spec, _ *Options) { s.L2 = math.Inf(1) }, "positive"},
		{"classes", x, y, nil, func(s *Spec, _ *Options) { s.Classes = 1 }, "at least 2"},
		{"class", x, []int{0, 1, 3, 0}, nil, nil, "Row 3 has the class 3"},
		{"one class", x, []int{1, 1, 1, 1}, nil, nil, "one class"},
		{"weight", x, y, []float64{1, -1, 1, 1}, nil, "Row 2 has the weight -1"},
		{"no weight", x, y, make([]float64, 4), nil, "No row is left"},
		{"cell", linear.Matrix{Rows: 4, Cols: 1, Data: []float64{0, math.NaN(), 2, 3}}, y, nil, nil, "Row 2, column 1"},
		{"no column", linear.Matrix{Rows: 4}, y, nil, nil, "no column"},
		{"features", x, y, nil, func(s *Spec, _ *Options) { s.Features = "x" }, "features"},
		{"llw th", x, y, nil, func(s *Spec, _ *Options) { s.Family, s.Features = family(t, "llw"), Thresholds }, "form of its own"},
		{"absent", x, []int{0, 1, 1, 0}, nil, func(s *Spec, _ *Options) { s.Family = family(t, "all-threshold") }, "class 2"},
		{"two", x, y, nil, func(s *Spec, _ *Options) { s.Family = family(t, "interval") }, "two classes"},
		{"zero-one", x, []int{0, 1, 0, 1}, nil, func(s *Spec, _ *Options) { s.Family, s.Classes = family(t, "zero-one"), 2 }, "another loss"},
		{"matrix", x, []int{0, 1, 0, 1}, nil, func(s *Spec, _ *Options) { s.Family, s.Classes = family(t, "al-cost"), 2 }, "3 columns"},
		{"kernel", x, y, nil, func(s *Spec, _ *Options) { s.Kernel = &Kernel{Name: "x"} }, "kernel.name"},
		{"gamma", x, y, nil, func(s *Spec, _ *Options) { s.Kernel = &Kernel{Name: KernelRBF, Gamma: -1} }, "kernel.gamma"},
		{"degree", x, y, nil, func(s *Spec, _ *Options) { s.Kernel = &Kernel{Name: KernelPoly, Degree: -2} }, "kernel.degree"},
		{"solver", x, y, nil, func(_ *Spec, o *Options) { o.Solver = SolverLBFGS }, `must be ‘auto’, ‘dual’ or, for`},
		{"solver named", x, y, nil, func(_ *Spec, o *Options) { o.Solver = SolverLBFGS }, `‘pegasos’ (got ‘lbfgs’)`},
		{"pegasos", x, y, nil, func(s *Spec, o *Options) { s.Family, o.Solver = family(t, "all-threshold"), SolverPegasos }, "penalise"},
	} {
		s, o := specOf(t, "al-zero-one", "", 3, .1), Options{}
		if c.edit != nil {
			c.edit(&s, &o)
		}
		_, err := Fit(context.Background(), c.x, c.y, c.v, s, o)
		if _, ok := usererr.As(err); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// A cancelled fit returns at once, in every stage.
func TestCancel(t *testing.T) {
	testtime.TwoCores(t)
	x, y := clouds(1, 5000, 30, 5, 4)
	for _, c := range []struct {
		id     string
		kernel *Kernel
		o      Options
	}{
		{"al-zero-one", nil, Options{Gap: 1e-15}},
		{"al-zero-one", &Kernel{Name: KernelRBF}, Options{Gap: 1e-15}},
		{"al-zero-one", &Kernel{Name: KernelRBF}, Options{Gap: 1e-15, Landmarks: 800}},
		{"al-zero-one", &Kernel{Name: KernelRBF}, Options{Solver: SolverPegasos, MaxIter: 1e9}},
		{"softmax", nil, Options{GradTol: 1e-300}},
		{"tempered-multiclass", nil, Options{GradTol: 1e-300}},
		{"all-threshold", nil, Options{Gap: 1e-15}},
	} {
		for _, wait := range []time.Duration{5 * time.Millisecond, 60 * time.Millisecond} {
			ctx, cancel := context.WithCancel(context.Background())
			var stopped time.Duration
			time.AfterFunc(wait, func() { stopped = testtime.Spent(); cancel() })
			s := specOf(t, c.id, "", 5, 1e-6)
			s.Kernel = c.kernel
			_, err := Fit(ctx, x, y, nil, s, c.o)
			if late := testtime.Spent() - stopped; !errors.Is(err, context.Canceled) || late > 5*time.Second {
				t.Errorf("%s %+v: %v, %v after the cancel", c.id, c.o, err, late)
			}
			cancel()
		}
	}
}

// The objective of PEGASOS comes close to the certified optimum, never below it, and its
// reported gap covers the difference.
func TestPegasosApproaches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := fewRows(r, 60, 2, 3)
	for _, kernel := range []*Kernel{nil, {Name: KernelRBF, Gamma: .5}} {
		s := specOf(t, "al-zero-one", "", 3, .05)
		s.Kernel = kernel
		exact := mustFit(t, x, y, nil, s, Options{Gap: 1e-10})
		fit := mustFit(t, x, y, nil, s, Options{Solver: SolverPegasos, MaxIter: 60000, Seed: 1})
		if fit.Objective < exact.Objective-1e-9 || fit.Objective > 1.01*exact.Objective {
			t.Errorf("objective %.8g, optimum %.8g", fit.Objective, exact.Objective)
		}
		bound := fit.Objective * (1 - *fit.Gap)
		if bound > exact.Objective+1e-9 || *fit.Gap > .1 {
			t.Errorf("gap %g proves %.8g, optimum %.8g", *fit.Gap, bound, exact.Objective)
		}
		if kernel == nil {
			if got := objective(fit.Model, s, x, y, nil); !(math.Abs(got-fit.Objective) <= 1e-10) {
				t.Errorf("objective %.12g, by definition %.12g", fit.Objective, got)
			}
		}
	}
}

// TestPerClass: for thresholds with s − η = .5, −1 and −2 the class scores are the sums of
// those below each class, and dst is overwritten; potentials are their own scores.
func TestPerClass(t *testing.T) {
	for _, c := range []struct {
		form Form
		f    []float64
		want []float64
	}{
		{FormThresholds, []float64{.5, -1, -2}, []float64{0, .5, -.5, -2.5}},
		{FormClasses, []float64{.5, -1, -2}, []float64{.5, -1, -2}},
	} {
		got := slices.Repeat([]float64{math.NaN()}, len(c.want))
		(&Model{Form: c.form}).PerClass(got, c.f)
		if !slices.Equal(got, c.want) {
			t.Errorf("%v of form %s: %v, want %v", c.f, c.form, got, c.want)
		}
	}
}

// TestGripOfAKernel: the step size of free offsets is scaled by the mean square norm of a row,
// which is κ(x, x): 1 for an RBF kernel, so that ρ is λ.
func TestGripOfAKernel(t *testing.T) {
	x, y := fewRows(rand.New(rand.NewPCG(1, 1)), 24, 2, 3)
	s := specOf(t, "all-threshold", "", 3, .1)
	s.Kernel = &Kernel{Name: KernelRBF, Gamma: .5}
	p, err := newProblem(x, y, nil, s)
	if err != nil {
		t.Fatal(err)
	}
	if got := newDecomposer(context.Background(), p).rho; !p.head.free || !(math.Abs(got-.1) <= 1e-15) {
		t.Errorf("ρ = %v with free offsets %t, λ is 0.1", got, p.head.free)
	}
}
