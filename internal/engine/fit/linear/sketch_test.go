package linear

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"taper/internal/engine/loss"
)

// copied is a set of few rows, and the same rows so often that a fit starts from a sample of them, sorted by class.
// The mean loss of both is the same function, so the fit of the few, which ends with Newton's method, is that of all.
func copied(t *testing.T, n, d, times int) (few, many Matrix, fewY, manyY []float64) {
	t.Helper()
	few, fewY = simulate(3, n, d)
	many = Matrix{Rows: n * times, Cols: d}
	for _, class := range []float64{-1, 1} {
		for range times {
			for i, y := range fewY {
				if y == class {
					many.Data, manyY = append(many.Data, few.Row(i)...), append(manyY, y)
				}
			}
		}
	}
	set, err := newSample(many, manyY, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e := newEntropy(t.Context(), set, newRows(many, newTeam(0))); e.polishes() || e.sample() == nil {
		t.Fatal("the fit does not start from a sample")
	}
	return few, many, fewY, manyY
}

// TestSketchedFits: a fit that starts from a sample of the rows ends at the minimum over all of them, after few
// passes, whatever the loss and the weights.
func TestSketchedFits(t *testing.T) {
	few, many, fewY, manyY := copied(t, 7500, 9, 32)
	weights, ones := make([]float64, many.Rows), make([]float64, many.Rows)
	for i := range weights {
		weights[i], ones[i] = 3, 1 // shares are of the total
	}
	for name, c := range map[string]struct {
		loss    loss.Margin // nil for logistic
		weights []float64
	}{
		"logistic":        {nil, nil},
		"weights":         {nil, weights},
		"squared hinge":   {loss.SquaredHinge{}, nil},
		"alpha":           {loss.NewAlpha(2), ones},
		"two-temperature": {loss.Tempered{T1: .6, T2: 1.6}, nil},
	} {
		fit := func(x Matrix, y, weights []float64) *Linear {
			var f *Linear
			var err error
			if c.loss == nil {
				f, err = Logistic(context.Background(), x, y, weights, 1e-3, LogisticOptions{})
			} else {
				f, _, err = Margin(context.Background(), x, y, weights, c.loss, 1e-3, MarginOptions{Only: []string{"zero"}})
			}
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		want, got := fit(few, fewY, nil), fit(many, manyY, c.weights)
		// Without the sample 9 to 11; without what the steps show of the Hessian, up to 7.
		if got.Stopped != "gradient" || got.Evaluations > 6 {
			t.Errorf("%s: stopped by %s after %d passes over all rows", name, got.Stopped, got.Evaluations)
		}
		if d := math.Abs(got.Objective/want.Objective - 1); d > 1e-12 {
			t.Errorf("%s: objective %v, want %v", name, got.Objective, want.Objective)
		}
		for j, w := range append(slices.Clone(want.W), want.B) {
			if g := append(slices.Clone(got.W), got.B)[j]; math.Abs(g-w) > 1e-6 {
				t.Errorf("%s: weight %d is %v, want %v", name, j, g, w)
			}
		}
	}
}

// TestSketchOfRareEvents: a sample that has too few events, or none, does not keep a fit from its minimum.
func TestSketchOfRareEvents(t *testing.T) {
	_, x, _, y := copied(t, 7500, 9, 32)
	for _, events := range []int{1, 40} {
		rare, left := slices.Clone(y), events
		for i := range rare {
			if rare[i] == 1 {
				if left--; left < 0 {
					rare[i] = -1
				}
			}
		}
		fit, err := Logistic(context.Background(), x, rare, nil, 1e-3, LogisticOptions{})
		if err != nil {
			t.Fatal(err)
		}
		grad := gradientOf(x, rare, fit, 1e-3)
		if MaxNorm(grad) > 1e-7 {
			t.Errorf("%d events: gradient %v, %s", events, grad, fit.Stopped)
		}
	}
}

// gradientOf is computed apart from the solver.
func gradientOf(x Matrix, y []float64, l *Linear, l2 float64) []float64 {
	grad := make([]float64, x.Cols+1)
	for i, label := range y {
		r := -label / (1 + math.Exp(label*l.Score(x.Row(i)))) / float64(x.Rows)
		for j, c := range x.Row(i) {
			grad[j] += r * c
		}
		grad[x.Cols] += r
	}
	for j, w := range l.W {
		grad[j] += l2 * w
	}
	return grad
}

// TestSketchedBits: the sample does not depend on the number of cores or on earlier fits.
func TestSketchedBits(t *testing.T) {
	_, x, _, y := copied(t, 7500, 9, 32)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first *Linear
	for _, cores := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(cores)
		fit, err := Logistic(context.Background(), x, y, nil, 1e-3, LogisticOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = fit
		}
		if !slices.Equal(first.W, fit.W) || first.B != fit.B {
			t.Errorf("%d cores give other weights", cores)
		}
	}
}

// TestSketchedInterval: a large interval fit certifies the gap that was asked for after few passes over all rows, and
// its objective is the minimum over the rows that are copied, whatever the weights, boundaries and number of cores.
func TestSketchedInterval(t *testing.T) {
	few, many, fewY, manyY := copied(t, 7500, 9, 32)
	uneven := make([]float64, many.Rows)
	for i := range uneven {
		uneven[i] = 1 + 2*float64((1+manyY[i])/2)
	}
	fewUneven := make([]float64, few.Rows)
	for i := range fewUneven {
		fewUneven[i] = 1 + 2*float64((1+fewY[i])/2)
	}
	single, err := loss.NewInterval([]float64{.3})
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for name, c := range map[string]struct {
		iv             loss.Interval
		weights, alike []float64 // of the many, of the few
		gap            float64
	}{
		"quartiles":     {quartiles, nil, nil, 1e-4},
		"smaller gap":   {quartiles, nil, nil, 1e-6},
		"one boundary":  {single, nil, nil, 1e-4},
		"class weights": {quartiles, uneven, fewUneven, 1e-4},
	} {
		want, err := Interval(context.Background(), few, fewY, c.alike, c.iv, 1e-3, IntervalOptions{Gap: 1e-9})
		if err != nil {
			t.Fatal(err)
		}
		zero := &Linear{W: make([]float64, many.Cols)} // a fit with a start of its own takes no sample
		all, err := Interval(context.Background(), many, manyY, c.weights, c.iv, 1e-3, IntervalOptions{Gap: c.gap, Start: zero})
		if err != nil {
			t.Fatal(err)
		}
		var first *Linear
		for _, cores := range []int{1, 3} {
			runtime.GOMAXPROCS(cores)
			got, err := Interval(context.Background(), many, manyY, c.weights, c.iv, 1e-3, IntervalOptions{Gap: c.gap})
			if err != nil {
				t.Fatal(err)
			}
			if !(*got.Gap <= c.gap) || got.Stopped != "gap" || got.Evaluations >= all.Evaluations {
				t.Errorf("%s: gap %v, stopped by %s after %d passes over all rows, %d without the sample", name, *got.Gap,
					got.Stopped, got.Evaluations, all.Evaluations)
			}
			if p := objective(many, manyY, c.weights, c.iv, 1e-3, got); math.Abs(p-got.Objective) > 1e-11 {
				t.Errorf("%s: objective %v, recomputed %v", name, got.Objective, p)
			}
			if excess := got.Objective/want.Objective - 1; excess < -1e-9 || excess > *got.Gap+1e-9 {
				t.Errorf("%s: objective %v, the minimum is %v", name, got.Objective, want.Objective)
			}
			if first == nil {
				first = got
			}
			if !slices.Equal(first.W, got.W) || first.B != got.B || *first.Gap != *got.Gap {
				t.Errorf("%s: %d cores give other weights", name, cores)
			}
		}
	}
}

// TestSketchedIntervalOfRareEvents: a sample with few events, or none, does not keep a fit from its certificate.
func TestSketchedIntervalOfRareEvents(t *testing.T) {
	_, x, _, y := copied(t, 7500, 9, 32)
	for _, events := range []int{1, 40} {
		rare, left := slices.Clone(y), events
		for i := range rare {
			if rare[i] == 1 {
				if left--; left < 0 {
					rare[i] = -1
				}
			}
		}
		fits, err := IntervalPath(context.Background(), x, rare, nil, quartiles, []float64{1e-6, 1e-3}, IntervalOptions{Gap: 1e-4})
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range fits {
			if !(*f.Gap <= 1e-4) || f.Stopped != "gap" {
				t.Errorf("%d events, fit %d: gap %v, %s", events, i, *f.Gap, f.Stopped)
			}
		}
	}
}

// TestSketchedIntervalOfHeavyPenalty: with a penalty whose small weights the gap asked for leaves open,
// a large fit still finds the weights of the few rows.
func TestSketchedIntervalOfHeavyPenalty(t *testing.T) {
	few, many, fewY, manyY := copied(t, 7500, 9, 32)
	for _, l2 := range []float64{100, 1e4, 1e6} {
		want, err := Interval(context.Background(), few, fewY, nil, quartiles, l2, IntervalOptions{Gap: 1e-4})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Interval(context.Background(), many, manyY, nil, quartiles, l2, IntervalOptions{Gap: 1e-4})
		if err != nil {
			t.Fatal(err)
		}
		for j, w := range want.W {
			if math.Abs(got.W[j]-w) > .03*MaxNorm(want.W) {
				t.Errorf("λ = %g: weight %d is %v, want %v", l2, j, got.W[j], w)
			}
		}
	}
}

// TestSketchedFitOfFewRowsPerColumn: with few rows per column the Hessian of the sample is a rough one, which what the
// steps show of the gradient makes up for. The minimum is that of a fit with a Hessian of all rows.
func TestSketchedFitOfFewRowsPerColumn(t *testing.T) {
	x, y := simulate(5, 28_000, 40)
	set, err := newSample(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e := newEntropy(t.Context(), set, newRows(x, newTeam(0))); e.polishes() || e.sample() == nil {
		t.Fatal("the fit does not start from a sample")
	}
	got := mustLogistic(t, x, y, nil, 1e-4, LogisticOptions{})
	if got.Stopped != "gradient" || got.Evaluations > 7 { // 9 without that, 11 without a sample
		t.Errorf("stopped by %s after %d passes over all rows", got.Stopped, got.Evaluations)
	}
	if grad := gradientOf(x, y, got, 1e-4); MaxNorm(grad) > 1e-7 {
		t.Errorf("gradient %v", grad)
	}
	want := mustLogistic(t, x, y, nil, 1e-4, LogisticOptions{GradTol: 1e-9})
	same(t, "smaller tolerance", got, want, 1e-6)
}

// TestSketchedIntervalRefusesCells: a large fit, which does not read all rows first, names the cell that is no number or
// too large, whether it is in the sample or not and whether its column has a weight or none.
func TestSketchedIntervalRefusesCells(t *testing.T) {
	x, y := simulate(72, 60_000, 20)
	if o := (IntervalOptions{}); !o.sketches(x) {
		t.Fatal("the fit does not start from a sample")
	}
	for i := range x.Rows {
		x.Data[i*x.Cols+3] = 1 // a constant column, whose weight is 0
	}
	set, err := newSample(x, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	at, _ := set.draw(max(x.Rows/intervalShare, intervalRows*(x.Cols+1)))
	for _, row := range []int{int(at[5]), int(at[5]) + 1} {
		if _, sampled := slices.BinarySearch(at, int32(row)); sampled != (row == int(at[5])) {
			t.Fatal("the sample has two rows in turn")
		}
		for _, bad := range []float64{math.NaN(), math.Inf(-1), 1e150, -1.1e100} {
			cell := &x.Data[row*x.Cols+3]
			was := *cell
			*cell = bad
			_, err := Interval(t.Context(), x, y, nil, quartiles, .01, IntervalOptions{})
			if want := fmt.Sprintf("Row %d, column 4 of the design holds %v", row+1, bad); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
			*cell = was
		}
	}
}

// TestUncorrelated: where the columns of a sample correlate by chance alone, leaving that out takes its Hessian nearer
// to that of all rows; where they correlate, if only two of them or those of one stretch of the file, the Hessian stays
// as it is. The distance is the relative error of the curvature, by eigenvalues.
func TestUncorrelated(t *testing.T) {
	const n, d, l2 = 60_000, 24, 1e-4
	for name, cell := range map[string]func(i, j int, common, own float64) float64{
		"independent": func(_, _ int, _, own float64) float64 { return own },
		"correlated":  func(_, _ int, common, own float64) float64 { return own + .5*common },
		"one pair": func(_, j int, common, own float64) float64 {
			if j < 2 {
				return own + common
			}
			return own
		},
		"one site": func(i, j int, common, own float64) float64 { // which alone measured eight of the columns
			switch {
			case j >= 8:
				return own
			case i >= n-n/16:
				return .1*own + common
			}
			return 0
		},
	} {
		r := rand.New(rand.NewPCG(5, 6))
		x, y := Matrix{Rows: n, Cols: d, Data: make([]float64, n*d)}, make([]float64, n)
		for i := range n {
			common, score := r.NormFloat64(), -1.
			for j := range d {
				z := cell(i, j, common, r.NormFloat64())
				x.Data[i*d+j] = 10 + float64(j+1)*z // of any unit and mean
				score += z * float64(j%3) * .4
			}
			if y[i] = -1; r.Float64() < 1/(1+math.Exp(-score)) {
				y[i] = 1
			}
		}
		fit, err := Logistic(context.Background(), x, y, nil, l2, LogisticOptions{})
		if err != nil {
			t.Fatal(err)
		}
		set, err := newSample(x, y, nil)
		if err != nil {
			t.Fatal(err)
		}
		e := newEntropy(context.Background(), set, newRows(x, newTeam(0)))
		scale, err := newScaling(e)
		if err != nil {
			t.Fatal(err)
		}
		e.l2 = l2
		scale.prepare(l2)
		part, point := e.sample(), make([]float64, d+1)
		theta := append(slices.Clone(fit.W), fit.B)
		scale.to(point, theta)
		copy(e.theta, theta)
		copy(part.theta, theta)
		all, few := newCurvature(e, scale), newCurvature(part, scale)
		all.sum()
		few.sum()
		before := slices.Clone(few.h)
		changed := few.uncorrelate(point)
		if changed != (name == "independent") || !changed && !slices.Equal(before, few.h) {
			t.Errorf("%s: changed %t", name, changed)
		}
		if !changed {
			continue
		}
		was, is := curvatureError(t, before, all.h, d+1), curvatureError(t, few.h, all.h, d+1)
		if !(is < was/2) {
			t.Errorf("%s: the error of the curvature is %.3f, with correlations %.3f", name, is, was)
		}
	}
}

// curvatureError returns the root of the mean square of uᵀHu/uᵀPu − 1 over the common axes of two symmetric matrices
// given by their upper triangles.
func curvatureError(t *testing.T, p, h []float64, n int) float64 {
	var factor mat.Cholesky
	if !factor.Factorize(mat.NewSymDense(n, slices.Clone(p))) {
		t.Fatal("a Hessian is not positive definite")
	}
	var lower mat.TriDense
	factor.LTo(&lower)
	var half, whole mat.Dense
	if err := half.Solve(&lower, mat.NewSymDense(n, slices.Clone(h))); err != nil {
		t.Fatal(err)
	}
	if err := whole.Solve(&lower, half.T()); err != nil {
		t.Fatal(err)
	}
	even := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			even.SetSym(i, j, (whole.At(i, j)+whole.At(j, i))/2)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(even, false) {
		t.Fatal("no eigenvalues")
	}
	squares := 0.
	for _, v := range eigen.Values(nil) {
		squares += (v - 1) * (v - 1)
	}
	return math.Sqrt(squares / float64(n))
}
