package paper

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/internal/engine/study"
	"taper/internal/engine/table"
	"taper/internal/engine/tune"
	"taper/internal/engine/usererr"
)

// TestGridStages: the candidates of Fathony et al. 2018, the largest λ first.
func TestGridStages(t *testing.T) {
	// settings are those of a stage in order.
	settings := func(g tune.Grid) (all []tune.Setting) {
		for _, p := range g.Stages[0](nil, tune.Setting{}) {
			all = append(all, tune.Setting{Gamma: p.Gamma, L2: p.L2s[0]})
		}
		return all
	}
	at := func(l2, gamma float64) tune.Setting { return tune.Setting{L2: l2, Gamma: gamma} }
	g := costGrid(100)
	linear, kernel := settings(g.first(false)), settings(g.first(true))
	if len(linear) != 5 || len(kernel) != 25 || linear[0].L2 != .01 || linear[4].L2 != .01/4096 || kernel[24] != at(.01/4096, 1) {
		t.Errorf("first stage: %v, %v", linear, kernel)
	}
	near := settings(g.second(at(.01, .125), true))
	if len(near) != 25 || near[0] != at(.04, .5) || near[24] != at(.0025, .03125) || near[12] != at(.01, .125) {
		t.Errorf("second stage: %v", near)
	}
	o := orderedGrid(100)
	first, second := settings(o.first(false)), settings(o.second(at(.5, 0), false))
	if len(first) != 7 || first[6].L2 != 0x1p-13 || len(second) != 7 || !(math.Abs(second[0].L2-math.Sqrt2) <= 1e-12) || second[3].L2 != .5 {
		t.Errorf("ordered: %v, %v", first, second)
	}
}

// TestCosts: what an answer costs, no answer included.
func TestCosts(t *testing.T) {
	for _, c := range []struct {
		a           answer
		said, truth int
		want        float64
	}{{exactly, 1, 1, 0}, {exactly, 1, 2, 1}, {nearly, 0, 3, 3}, {nearly, 2, 2, 0}, {ifAtAll, loss.Abstain, 1, .5}, {ifAtAll, 0, 1, 1}, {ifAtAll, 1, 1, 0}} {
		if got := c.a.cost(c.said, c.truth); got != c.want {
			t.Errorf("%d for %d costs %v, want %v", c.said, c.truth, got, c.want)
		}
	}
}

// TestMissingClass: a fold without one of the classes is fitted, and its answers
// are classes of the whole.
func TestMissingClass(t *testing.T) {
	r := study.Rows{X: linear.Matrix{Rows: 60, Cols: 1, Data: make([]float64, 60)}, Y: make([]int, 60)}
	for i := range r.Y {
		r.Y[i] = []int{0, 2, 3}[i/20]
		r.X.Data[i] = float64(r.Y[i]) + .01*float64(i%20)
	}
	for _, c := range append(slices.Clone(ordinalLinear), ordinalGaussian...) {
		fit, err := c.fit(t.Context(), r, tune.Setting{L2: 1e-4, Gamma: 1}, testOptions)
		if err != nil {
			t.Fatal(err)
		}
		if cost, _ := fit.evaluate(nearly, r); cost > .05 {
			t.Errorf("%s, kernel %v: mean error %.3f on rows that are apart", c.name, c.gaussian, cost)
		}
	}
}

// TestBins: equal lengths and equal frequencies, ties kept together.
func TestBins(t *testing.T) {
	v := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 100}
	if got := binned(v, equalLengths(v, 5)); !slices.Equal(got, []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 4}) {
		t.Errorf("equal length: %v", got)
	}
	if got := binned(v, equalFrequencies(v, 5)); !slices.Equal(got, []int{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}) {
		t.Errorf("equal frequency: %v", got)
	}
	if got := binned([]float64{1, 1, 1, 2}, equalFrequencies([]float64{1, 1, 1, 2}, 2)); got[0] != got[2] {
		t.Errorf("ties: %v", got)
	}
}

// TestStripes: with the Gaussian kernel the error is near that of the best
// answer, the median of the true distribution, and no method is below it.
func TestStripes(t *testing.T) {
	all := study.Draw("ordinal-stripes", 1200, 7, nil)
	a, b := standardise(all.Span(0, 400), all.Span(400, 1200))
	bayes := 0.0
	for i, y := range all.Y[400:] {
		x := all.X.Row(400 + i)
		v := x[0] + .25*math.Sin(2*math.Pi*x[1]) // the median of v decides
		bayes += math.Abs(math.Min(4, math.Max(0, math.Floor(5*v)))-float64(y)) / float64(len(b.Y))
	}
	for _, c := range ordinalGaussian {
		fit, err := c.fit(t.Context(), a, tune.Setting{L2: 1e-3, Gamma: 1}, tuningOptions)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := fit.evaluate(nearly, b); got < bayes-.02 || got > bayes+.12 {
			t.Errorf("%s: mean error %.3f, best answer %.3f", c.name, got, bayes)
		}
	}
}

// tableAt reads a file of the folder of real data; it skips where there is none.
func tableAt(t *testing.T, file string) *table.Table {
	t.Helper()
	dir := os.Getenv("TAPER_DATA_DIR")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	raw, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Skipf("no %s: name the folder of real data in TAPER_DATA_DIR", file)
	}
	c, err := table.Read(t.Context(), raw, table.Options{}, table.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestGlass: the linear adversarial zero-one loss on glass lands at the paper's
// .625 (SD .060 over 20 splits).
func TestGlass(t *testing.T) {
	if testing.Short() {
		t.Skip("left out of the short form: tunes on real data for seconds")
	}
	p, _ := Presets.ByID("fathony-table2")
	plan, err := p.Build(study.Input{Size: study.Quick, Seed: 1, Data: &study.Data{Name: "glass", Table: tableAt(t, "glass.csv"), Outcome: "type"}})
	if err != nil {
		t.Fatal(err)
	}
	plan.Units = slices.DeleteFunc(plan.Units, func(u study.Unit) bool {
		return u.Kind != "linear" || u.Keys[0].Model != "AL zero-one"
	})
	for _, c := range study.Summarise(plan, mustRun(t, plan, nil)) {
		t.Logf("%s: %.3f (%.3f)", c.Model, *c.Mean, *c.SD)
		if c.N != 20 || !(math.Abs(*c.Mean-.625) <= 3*math.Hypot(.060, *c.SD)/math.Sqrt(20)) {
			t.Errorf("%s: %.3f (%.3f), the paper has .625 (.060)", c.Model, *c.Mean, *c.SD)
		}
	}
}

// TestBoston: AL-th and AL-mc on house prices in five classes of equal length
// land at an exact solver's .311 and .311 (the paper: .316 and .311).
func TestBoston(t *testing.T) {
	if testing.Short() {
		t.Skip("left out of the short form: tunes on real data for seconds")
	}
	tasks, err := ordinalTasks(study.Input{Data: &study.Data{Name: "boston", Table: tableAt(t, "housing.csv"), Outcome: "medv"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(tasks) != 4 || tasks[0].name != "boston, 5 classes of equal length" || len(tasks[0].rows.Y) != 506 {
		t.Fatalf("%d tasks, first %q", len(tasks), tasks[0].name)
	}
	in := study.Input{Size: study.Quick, Seed: 1}
	two := fathonyTable{tasks[0], []contender{ordinalLinear[0], ordinalLinear[4]}, nearly, orderedGrid, func(c contender) []study.Key { return []study.Key{maeKey("boston", c)} }, func(cost, _ float64) []float64 { return []float64{cost} }}
	plan := study.Plan{Units: two.units(in)}
	for _, c := range study.Summarise(plan, mustRun(t, plan, nil)) {
		t.Logf("%s: %.3f (%.3f)", c.Model, *c.Mean, *c.SD)
		if !(math.Abs(*c.Mean-.311) <= .02) {
			t.Errorf("%s: %.3f, want .311", c.Model, *c.Mean)
		}
	}
}

// TestOrdinalUpload: levels that are numbers come in their order, and an outcome
// that is neither levels nor numbers is refused.
func TestOrdinalUpload(t *testing.T) {
	c, err := table.Read(t.Context(), []byte("x,y\n1,10\n2,3\n3,5\n4,3\n5,10\n6,5\n1.5,10\n"), table.Options{}, table.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := ordinalTasks(study.Input{Data: &study.Data{Name: "f", Table: c, Outcome: "y"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := tasks[0].rows.Y; !slices.Equal(got, []int{2, 0, 1, 0, 2, 1, 2}) {
		t.Errorf("classes %v", got)
	}
	if _, err := ordinalTasks(study.Input{Data: &study.Data{Name: "f", Table: c, Outcome: "z"}}); !usererr.Is(err, usererr.Invalid) {
		t.Errorf("an outcome that is not there: %v", err)
	}
}

// TestThresholdLosses: with ascending thresholds AL-th is, threshold by threshold, nothing
// from 1 on the right side, half the hinge within 1 and the distance on the wrong side;
// the others are hinges at all thresholds, or at the one or two next to the class, written
// out.
func TestThresholdLosses(t *testing.T) {
	hinge := func(z float64) float64 { return max(0, 1-z) }
	half := func(z float64) float64 { return max(0, (1-z)/2, -z) }
	for y := range 5 {
		for s := -6.0; s <= 6; s += 0.37 {
			want := map[string]float64{}
			for l, e := range []float64{-3, -1, 1, 3} {
				z := e - s
				if l < y {
					z = s - e
				}
				want["AL-th"] += half(z)
				want["AT"] += hinge(z)
				if l == y || l == y-1 {
					want["IT"] += hinge(z)
				}
				if z < 0 {
					want["Absolute error"]++
				}
			}
			for _, name := range thresholdLosses {
				if got := thresholdLoss(name, y, s, thresholdEtas); !(math.Abs(got-want[name]) <= 1e-12) {
					t.Errorf("%s of class %d at %v: %v, want %v", name, y+1, s, got, want[name])
				}
			}
		}
	}
}
