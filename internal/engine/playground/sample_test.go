package playground

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
)

func sample(t *testing.T, id string, n int, seed uint64) *Sample {
	t.Helper()
	s, err := GenerateSample(t.Context(), id, n, seed, 0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func spoil(t *testing.T, s *Sample, kind string, rate float64) *Corruption {
	t.Helper()
	n := synth.Noise{Kind: kind, Rate: rate}
	if kind == synth.NoiseClass {
		n = synth.Noise{Kind: kind, RatePositive: rate, RateNegative: rate / 2}
	}
	o, err := s.Corrupt(t.Context(), n, 5)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func fitted(t *testing.T, s *Sample, o *Corruption, spec fit.Spec, set Setting) *Fit {
	t.Helper()
	var err error
	if set.Method, err = fit.Parse(spec); err != nil {
		t.Fatal(err)
	}
	if set.L2 == 0 {
		set.L2 = 1e-3
	}
	f, err := Train(t.Context(), s, o, set)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Noise never changes the sample, and a higher rate corrupts a superset of the points in the
// same way.
func TestNoiseIsNested(t *testing.T) {
	for _, id := range []string{"gmm", "blobs", "ordinal-stripes"} {
		s := sample(t, id, 300, 3)
		x, class := slices.Clone(s.X.Data), slices.Clone(s.Class)
		for _, kind := range synth.NoiseKinds {
			if kind == synth.NoiseClass && len(s.Levels) > 2 {
				if _, err := s.Corrupt(t.Context(), synth.Noise{Kind: kind, RatePositive: .1}, 1); err == nil || !strings.Contains(err.Error(), "two classes") {
					t.Errorf("%s by class: %v", id, err)
				}
				continue
			}
			var before *Corruption
			for _, rate := range []float64{.05, .2, .4} {
				o := spoil(t, s, kind, rate)
				spoilt := 0
				for i, is := range o.Corrupted {
					if is {
						spoilt++
					}
					if flips := o.Label[i] != s.Class[i]; flips != (is && kind != synth.NoiseInstance) {
						t.Fatalf("%s, %s: row %d is spoilt %v, its label flipped %v", id, kind, i, is, flips)
					}
					if before != nil && before.Corrupted[i] && (!is || o.Label[i] != before.Label[i]) {
						t.Fatalf("%s, %s at %g: row %d is not spoilt as at a smaller rate", id, kind, rate, i)
					}
				}
				if spoilt != o.Count || kind == synth.NoiseRandom && spoilt != int(math.Round(300*rate)) {
					t.Errorf("%s, %s at %g: %d spoilt, %d counted", id, kind, rate, spoilt, o.Count)
				}
				before = o
			}
		}
		if !slices.Equal(x, s.X.Data) || !slices.Equal(class, s.Class) {
			t.Errorf("%s: noise changed the sample", id)
		}
	}
}

// The sample equals the generator's first rows, and the fresh rows are the next ones.
func TestSampleIsTheGenerators(t *testing.T) {
	for _, id := range []string{"moons", "kimes-1.1", "covid-survey", "adni-like"} {
		s := sample(t, id, 200, 9)
		alone, meta, err := synth.Generate(id, 200, 9, Recipe(id))
		if err != nil {
			t.Fatal(err)
		}
		y := alone.Column(meta.Outcome)
		for i, k := range y.Code {
			if s.Levels[s.Class[i]] != y.Levels[k] {
				t.Fatalf("%s: row %d is %s, the generator says %s", id, i, s.Levels[s.Class[i]], y.Levels[k])
			}
		}
		for j, name := range s.Columns {
			if c := alone.Column(name); c != nil && c.Num != nil {
				for i, v := range c.Num {
					if s.X.Row(i)[j] != v {
						t.Fatalf("%s: %s of row %d is %v, the generator says %v", id, name, i, s.X.Row(i)[j], v)
					}
				}
			}
		}
		if fresh := s.TestSet() == TestFresh; fresh != (id != "adni-like") || fresh && s.FreshX.Rows != FreshRows {
			t.Errorf("%s: judged by %s, %d fresh rows", id, s.TestSet(), s.FreshX.Rows)
		}
	}
}

func TestHoldsOutAShareOfEachClass(t *testing.T) {
	s, err := GenerateSample(t.Context(), "gmm", 300, 2, .25)
	if err != nil {
		t.Fatal(err)
	}
	var all, held [2]float64
	for i, c := range s.Class {
		all[c]++
		if s.HeldOut[i] {
			held[c]++
		}
	}
	for c := range all {
		if !(math.Abs(held[c]-.25*all[c]) <= .5) {
			t.Errorf("class %d: %v of %v held out", c, held[c], all[c])
		}
	}
	o := spoil(t, s, synth.NoiseRandom, .5)
	for i, is := range o.Corrupted {
		if is && s.HeldOut[i] {
			t.Fatal("noise on a row that judges")
		}
	}
	if o.TrainingCount+int(held[0]+held[1]) != 300 || s.TestSet() != TestHeldOut {
		t.Errorf("%d train, %v are held out", o.TrainingCount, held)
	}
}

// Half of the four points are mirrored: for both classes y·x takes the paper's three positions
// in the paper's proportions.
func TestLongServedio(t *testing.T) {
	s := sample(t, "long-servedio-2d", 400, 1)
	count := map[[2]int]int{}
	for i, c := range s.Class {
		count[[2]int{c, s.Role[i]}]++
		y := float64(2*c - 1)
		want := [3][2]float64{{1, 0}, {.05, .25}, {.05, -.05}}[s.Role[i]]
		if x := s.X.Row(i); !(math.Abs(y*x[0]-want[0]) <= 1e-15) || !(math.Abs(y*x[1]-want[1]) <= 1e-15) {
			t.Fatalf("row %d, class %d, %s at %v", i, c, s.Roles[s.Role[i]], x)
		}
	}
	for _, c := range []int{0, 1} {
		if count[[2]int{c, 0}] != 50 || count[[2]int{c, 1}] != 50 || count[[2]int{c, 2}] != 100 {
			t.Errorf("class %d: %v", c, count)
		}
	}
	if x, y, spread := s.Places(spoil(t, s, synth.NoiseNone, 0), s.View(0, 1)); !spread || slices.Equal(x[:4], x[8:12]) || len(y) != 400 {
		t.Error("points of one place are drawn on each other")
	}
}

// Quadratic features of standardised columns, and RBF features from their definition.
func TestFeatures(t *testing.T) {
	s := sample(t, "gmm", 120, 4)
	_, flat, err := s.Features(Features{})
	if err != nil {
		t.Fatal(err)
	}
	for j := range 2 {
		mean, square := 0.0, 0.0
		for i := range 120 {
			mean += flat.Row(i)[j] / 120
			square += flat.Row(i)[j] * flat.Row(i)[j] / 120
		}
		if !(math.Abs(mean) <= 1e-12) || !(math.Abs(square-1) <= 1e-12) {
			t.Errorf("column %d: mean %v, mean square %v", j, mean, square)
		}
	}
	names, quadratic, _ := s.Features(Features{Kind: Quadratic})
	_, bumps, _ := s.Features(Features{Kind: RBF, Gamma: 2})
	a, b := flat.Row(7)[0], flat.Row(7)[1]
	if got, want := quadratic.Row(7), []float64{a, b, a * a, a * b, b * b}; !slices.Equal(got, want) || len(names) != 5 {
		t.Errorf("quadratic %v, want %v", got, want)
	}
	m := newMapper(Features{Kind: RBF, Gamma: 2}, s, s.TrainingRows())
	for k, got := range bumps.Row(7) {
		dx, dy := a-m.centre[0][k%side], b-m.centre[1][k/side]
		if want := math.Exp(-2 * (dx*dx + dy*dy)); !(math.Abs(got-want) <= 1e-14) {
			t.Fatalf("bump %d is %v, want %v", k, got, want)
		}
	}
	wide := sample(t, "mease-wyner", 120, 4)
	if _, _, err := wide.Features(Features{Kind: RBF}); err == nil || !strings.Contains(err.Error(), "two columns") {
		t.Errorf("bumps of 20 columns: %v", err)
	}
}

// The ξ of t-logistic regression is p^(t−1) at the margin, scaled to a maximum of 1
// (docs/math.md, t-logistic regression), computed without the trainer.
func TestHistogramIsXi(t *testing.T) {
	s := sample(t, "gmm", 200, 6)
	o := spoil(t, s, synth.NoiseRandom, .2)
	f := fitted(t, s, o, fit.Spec{Kind: "linear", Loss: "t-logistic", Params: map[string]any{"t": 1.6}}, Setting{L2: .5})
	h := f.Look(-1, f.Model).Histogram
	x, y := f.x, make([]float64, 200)
	for i, c := range o.Label {
		y[i] = float64(2*c - 1)
	}
	given := &linear.Linear{W: f.Model.Fitted.W, B: f.Model.Fitted.B}
	again, err := linear.TLogistic(t.Context(), x, y, nil, 1.6, .5, linear.TOptions{Given: []*linear.Linear{given}, Only: []string{"given"}})
	if err != nil {
		t.Fatal(err)
	}
	most := 0.0
	for i, want := range again.Xi {
		if most = max(most, h.Value[i]); !(math.Abs(h.Value[i]-want) <= 1e-4) {
			t.Fatalf("row %d has ξ %v, the trainer says %v", i, h.Value[i], want)
		}
	}
	if most != 1 || h.Weight != WeightXi || h.MedianFlipped >= h.MedianClean {
		t.Errorf("the largest ξ is %v; medians: flipped %v, clean %v", most, h.MedianFlipped, h.MedianClean)
	}
}

// Weights above 1 have bins: the α-loss at α = ½ is exp(−z), whose slope relative to logistic
// loss is 1 + exp(−z).
func TestHistogramPastOne(t *testing.T) {
	s := sample(t, "gmm", 200, 6)
	o := spoil(t, s, synth.NoiseRandom, .2)
	f := fitted(t, s, o, fit.Spec{Kind: "linear", Loss: "alpha", Params: map[string]any{"alpha": .5}}, Setting{L2: .01})
	look := f.Look(-1, f.Model)
	h, most := look.Histogram, 0.0
	for k, i := range look.Loss.Points.At {
		want := 1 + math.Exp(-look.Loss.Points.Z[k])
		if !(math.Abs(h.Value[i]-want) <= 1e-9*want) {
			t.Fatalf("point %d weighs %v, want %v", i, h.Value[i], want)
		}
		most = max(most, want)
		if bin := h.Bin[i]; want < 20 && (want < h.Edges[bin] || want > h.Edges[bin+1]) {
			t.Errorf("the weight %v is counted between %v and %v", want, h.Edges[bin], h.Edges[bin+1])
		}
	}
	if end := h.Edges[Bins]; end < min(20, most) || !slices.Contains(h.Edges, 1) {
		t.Errorf("the bins %v end before %v, or part at no 1", h.Edges, most)
	}
}

// The mean of the drawn losses plus the penalty is the objective.
func TestLossIsTheObjective(t *testing.T) {
	for _, c := range []struct {
		data string
		spec fit.Spec
		pi   []float64
	}{
		{"gmm", fit.Spec{Kind: "linear", Loss: "alpha", Params: map[string]any{"alpha": 4.0}}, nil},
		{"gmm", fit.Spec{Kind: "linear", Loss: "interval", Params: map[string]any{"pi": []float64{.2, .6}}}, []float64{.2, .6}},
		{"blobs", fit.Spec{Kind: "linear", Loss: "softmax"}, nil},
		{"ordinal-stripes", fit.Spec{Kind: "linear", Loss: "all-threshold", Params: map[string]any{"base": "logistic"}}, nil},
	} {
		s := sample(t, c.data, 150, 8)
		f := fitted(t, s, spoil(t, s, synth.NoiseRandom, .1), c.spec, Setting{L2: .01, Boundaries: c.pi})
		got := f.Look(-1, f.Model).Loss.Mean
		if f.Model.Fitted != nil {
			got += .005 * square(f.Model.Fitted.W)
		} else {
			for _, w := range f.Model.Potential.Model.Weights {
				got += .005 * square(w)
			}
		}
		if want := objective(f.Model); !(math.Abs(got-want) <= 1e-6*max(1, want)) {
			t.Errorf("%s: mean loss and penalty %v, objective %v", c.spec.Loss, got, want)
		}
	}
}

func square(w []float64) float64 {
	sum := 0.0
	for _, v := range w {
		sum += v * v
	}
	return sum
}

func TestNamesWhatIsMissing(t *testing.T) {
	for want, points := range map[string][]Point{
		"too few": {{0, 0, 0}, {1, 1, 1}}, "class 1": {{0, 0, 0}, {1, 1, 0}, {2, 0, 0}, {3, 0, 0}}, "class 0": {{0, 0, 1}, {1, 1, 1}, {2, 0, 1}, {3, 0, 1}},
	} {
		if _, err := SampleFromPoints(t.Context(), points, 0, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", points, err, want)
		}
	}
	s := sample(t, "blobs", 100, 1)
	hinge, err := fit.Parse(fit.Spec{Kind: "linear", Loss: "hinge"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Train(t.Context(), s, spoil(t, s, synth.NoiseNone, 0), Setting{Method: hinge, L2: 1}); err == nil || !strings.Contains(err.Error(), "two classes") {
		t.Errorf("hinge on three classes: %v", err)
	}
}

func objective(m *fit.Model) float64 {
	switch {
	case m.Potential != nil:
		return m.Potential.Objective
	case m.Fitted.Trees != nil:
		return m.Fitted.Trees.Objective
	}
	return m.Fitted.Objective
}

// TestSmallThings: a constant column is standardised to 0, a cut names the number of omitted
// columns, one pass is one frame, a logistic start counts among the steps, and the error on too
// many points names their number.
func TestSmallThings(t *testing.T) {
	s := &Sample{X: linear.Matrix{Rows: 4, Cols: 3, Data: []float64{1, 7, 0, 2, 7, 0, 3, 7, 2, 4, 7, 4}}, Class: []int{0, 0, 1, 1},
		Levels: []string{"0", "1"}, Columns: []string{"a", "b", "c"}}
	x := newMapper(Features{Kind: Linear}, s, []int{0, 1, 2, 3}).rows(s.X, nil)
	for i := range 4 { // mean 2.5, SD √1.25
		if row := x.Row(i); !(math.Abs(row[0]-(float64(i)-1.5)/math.Sqrt(1.25)) <= 1e-12) || row[1] != 0 {
			t.Errorf("row %d is standardised to %v", i, row)
		}
	}
	if note := s.View(0, 1).Note; note != "A slice through 3 dimensions: the other column is at its median." {
		t.Error(note)
	}
	if note := sample(t, "long-servedio", 40, 1).View(0, 1).Note; !strings.HasPrefix(note, "A slice through 21 dimensions: the other 19 columns") {
		t.Error(note)
	}
	for n, want := range map[int][2]int{0: {1, 1}, 1: {1, 1}, 2: {1, 2}, 10 * MaxFrames: {1, 10 * MaxFrames}} {
		all := passes(n, 3, &recorder{})
		if first, last := all[0].count, all[len(all)-1].count; first != want[0] || last != want[1] || len(all) != min(max(n, 1), MaxFrames) {
			t.Errorf("%d passes: %d frames from %d to %d", n, len(all), first, last)
		}
	}
	f := Fit{Model: &fit.Model{Fitted: &fit.Fitted{Linear: &linear.Linear{Iterations: 5}}}, Frames: []Frame{{step: &linear.Step{Iteration: 9}}, {}}}
	if f.Steps() != 9 {
		t.Errorf("%d steps", f.Steps())
	}
	if f.Frames[0].step.Iteration = 2; f.Steps() != 5 {
		t.Errorf("%d steps of 5 iterations", f.Steps())
	}
	wide := &Sample{X: linear.Matrix{Rows: 100, Cols: MaxColumns + 1}}
	if s, err := wide.check(); err == nil || s != nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("%d columns are too many", MaxColumns+1)) ||
		!strings.Contains(err.Error(), fmt.Sprintf("at most %d, or two", MaxColumns)) {
		t.Errorf("a column too many: %v", err)
	}
	far := &Sample{X: linear.Matrix{Rows: MaxRows + 1, Cols: 2}}
	if _, err := far.check(); err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("%d points are too many", MaxRows+1)) || !strings.Contains(err.Error(), fmt.Sprintf("at most %d.", MaxRows)) {
		t.Error(err)
	}
	two := &table.Column{Name: "sex", Levels: []string{"f", "1"}}
	if termName(two, 0) != "sex = f" || termName(two, 1) != "sex" || termName(&table.Column{Name: "site", Levels: []string{"1", "2", "3"}}, 0) != "site = 1" {
		t.Error("a term of two levels has the name of its column")
	}
}

// TestSampleOfOneWhoLeft: the rows are not divided after the context has ended.
func TestSampleOfOneWhoLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s, err := GenerateSample(ctx, "gmm", 2000, 1, .3); !errors.Is(err, context.Canceled) || s != nil {
		t.Errorf("%v, %v", s, err)
	}
}

// TestHugeWeight: a weight too large for an int, as of an α-loss with a small α, is in the last bin.
func TestHugeWeight(t *testing.T) {
	f := &Fit{Sample: &Sample{Class: []int{0, 1, 1}}, Corruption: &Corruption{Corrupted: make([]bool, 3)}, rows: []int{0, 1, 2}}
	h := Histogram{Weight: WeightG}
	h.count(f, []float64{.5, 19.5, 1e25})
	if h.Bin[0] != 0 || h.Bin[1] != Bins-1 || h.Bin[2] != Bins-1 {
		t.Errorf("bins %v", h.Bin)
	}
}
