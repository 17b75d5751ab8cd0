package study

import (
	"context"
	"math"
	"slices"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// tuneFolds choose λ inside the training rows; fewer when a class has fewer.
const tuneFolds = 5

// Fitter fits a method to training rows, with λ and γ chosen by
// cross-validation where its spec leaves them open.
type Fitter struct {
	Method fit.Method
	Task   fit.Task
	Seed   uint64
}

// Fit fits the rows.
func (f Fitter) Fit(ctx context.Context, r Rows) (*fit.Model, error) {
	if err := f.check(r); err != nil {
		return nil, err
	}
	how, l2 := f.Method, f.Method.Spec.L2.Value
	var err error
	switch {
	case how.Spec.Boosted():
		l2 = 1 // trees have no λ
	case how.Loss != nil && how.Spec.Kind != "kernel" && how.Spec.Tuned():
		l2, err = f.path(ctx, r)
	case how.Spec.Tuned() || openGamma(how.Spec):
		how, l2, err = f.search(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	return how.Train(ctx, r.X, r.Y, nil, f.Task, fit.Options{L2: l2, Seed: f.Seed})
}

// check reports rows without a class.
func (f Fitter) check(r Rows) error {
	for c := range f.Task.Classes {
		if !slices.Contains(r.Y, c) {
			return usererr.New(usererr.Invalid, "The training rows of a replicate hold no row of class %d: take a larger share to "+
				"train, or join rare levels.", c+1)
		}
	}
	return nil
}

// folds divides the training rows.
func (f Fitter) folds(y []int) [][]int { return dealt(y, tuneFolds, f.Seed) }

// dealt divides positions class by class into folds; some classes may have
// fewer rows than folds.
func dealt(y []int, count int, seed uint64) [][]int {
	rng := Random(seed, "folds", 0)
	order := rng.Perm(len(y))
	slices.SortStableFunc(order, func(a, b int) int { return y[a] - y[b] })
	folds := make([][]int, min(count, len(y)))
	for i, k := range order {
		folds[i%len(folds)] = append(folds[i%len(folds)], k)
	}
	for _, p := range folds {
		slices.Sort(p)
	}
	return folds
}

// without returns the positions 0 … n−1 that are not in the sorted held.
func without(n int, held []int) []int {
	var rest []int
	for i := range n {
		if _, found := slices.BinarySearch(held, i); !found {
			rest = append(rest, i)
		}
	}
	return rest
}

// pathL2 are the λ tried for a single score: 2^10 … 2^−15 (004 §6).
func pathL2() []float64 {
	var l2s []float64
	for e := 10; e >= -15; e-- {
		l2s = append(l2s, math.Ldexp(1, e))
	}
	return l2s
}

// path chooses λ of a two-class method by its own criterion.
func (f Fitter) path(ctx context.Context, r Rows) (float64, error) {
	boundaries := f.Task.Boundaries
	if len(boundaries) == 0 {
		boundaries = []float64{0.5}
	}
	iv, err := loss.NewInterval(boundaries)
	if err != nil {
		return 0, err
	}
	l, l2s := f.Method.Learner(iv, f.Seed), pathL2()
	var folds [][]float64
	for _, held := range f.folds(r.Y) {
		in, out := r.Pick(without(len(r.Y), held)), r.Pick(held)
		if f.check(in) != nil {
			continue
		}
		fits, err := l.Path(ctx, fit.Data{X: in.X, Y: in.Signs()}, l2s, func(float64) {})
		if err != nil {
			return 0, err
		}
		losses := make([]float64, len(fits))
		for m, fit := range fits {
			losses[m] = l.Criterion(scores(fit, out.X), out.Signs())
		}
		folds = append(folds, losses)
	}
	if len(folds) == 0 {
		return 0, usererr.New(usererr.Invalid, "λ cannot be tuned: the rarer class has too few rows. Give a number.")
	}
	return l2s[f.choose(folds, func(m int) (gamma, l2 float64) { return 0, l2s[m] })], nil
}

func scores(fit *fit.Fitted, x linear.Matrix) []float64 {
	f := make([]float64, x.Rows)
	for i := range f {
		f[i] = fit.Score(x.Row(i))
	}
	return f
}

// tie is the relative difference below which two losses are one.
const tie = 1e-12

// choose returns the first candidate with the lowest mean over the folds, or its
// one-standard-error choice, as the model's rule for λ says.
func (f Fitter) choose(folds [][]float64, at func(m int) (gamma, l2 float64)) int {
	best, tried := 0, make([]engine.Tried, len(folds[0]))
	for m := range tried {
		v := make([]float64, len(folds))
		for k := range folds {
			v[k] = folds[k][m]
		}
		mean, sd := moments(v)
		tried[m].Gamma, tried[m].L2 = at(m)
		tried[m].Mean = mean
		if len(v) > 1 { // one fold has no error to tell
			tried[m].SE = sd / math.Sqrt(float64(len(v)))
		}
		if least := tried[best].Mean; mean < least-tie*math.Abs(least) {
			best = m
		}
	}
	if f.Method.Spec.L2.Mode != "cv-1se" {
		return best
	}
	return engine.OneSE(tried, best)
}

func openGamma(s fit.Spec) bool {
	if s.Kind != "kernel" || s.Kernel == nil || s.Kernel.Name == "linear" {
		return false
	}
	mode, _ := s.Kernel.Gamma.(string)
	return mode == "cv"
}

// search chooses λ, and γ where it is open, of a method with potentials by the
// share of wrong answers, or by their distance for ordered classes.
func (f Fitter) search(ctx context.Context, r Rows) (fit.Method, float64, error) {
	type candidate struct {
		how fit.Method
		l2  float64
	}
	var all []candidate
	for _, how := range f.gammas() {
		for _, l2 := range f.searchL2() {
			all = append(all, candidate{how, l2})
		}
	}
	var folds [][]float64
	for _, held := range f.folds(r.Y) {
		in, out := r.Pick(without(len(r.Y), held)), r.Pick(held)
		if f.check(in) != nil {
			continue
		}
		wrong := make([]float64, len(all))
		for m, c := range all {
			fit, err := c.how.Train(ctx, in.X, in.Y, nil, f.Task, fit.Options{L2: c.l2, Seed: f.Seed, Quick: true})
			if err != nil {
				return f.Method, 0, err
			}
			wrong[m] = mistakes(fit, out)
		}
		folds = append(folds, wrong)
	}
	if len(folds) == 0 {
		return f.Method, 0, usererr.New(usererr.Invalid, "λ cannot be tuned: a class has too few rows. Give a number.")
	}
	c := all[f.choose(folds, func(m int) (gamma, l2 float64) {
		if k := all[m].how.Spec.Kernel; k != nil {
			gamma, _ = k.Gamma.(float64)
		}
		return gamma, all[m].l2
	})]
	return c.how, c.l2, nil
}

func (f Fitter) searchL2() []float64 {
	if !f.Method.Spec.L2.Tuned() { // γ may be open with λ given
		return []float64{f.Method.Spec.L2.Value}
	}
	var l2s []float64
	for e := -1; e >= -13; e -= 2 {
		l2s = append(l2s, math.Ldexp(1, e))
	}
	return l2s
}

func (f Fitter) gammas() []fit.Method {
	if !openGamma(f.Method.Spec) {
		return []fit.Method{f.Method}
	}
	var all []fit.Method
	for e := -12; e <= 0; e += 3 {
		how, kernel := f.Method, *f.Method.Spec.Kernel
		kernel.Gamma = math.Ldexp(1, e)
		how.Spec.Kernel = &kernel
		all = append(all, how)
	}
	return all
}

// mistakes is the mean distance between class and answer for ordered classes,
// else the share of wrong answers; no answer counts ½.
func mistakes(m *fit.Model, r Rows) float64 {
	f, sum := make([]float64, m.Outputs()), 0.0
	for i, y := range r.Y {
		m.Scores(f, r.X.Row(i))
		switch c := m.Decide(f); {
		case c == loss.Abstain:
			sum += 0.5
		case ordered(m.Method.Family.ID):
			sum += math.Abs(float64(c - y))
		case c != y:
			sum++
		}
	}
	return sum / float64(len(r.Y))
}

// ordered reports whether a family is of ordered classes.
func ordered(family string) bool {
	switch family {
	case "al-ordinal", "al-squared", "all-threshold", "immediate-threshold", "reduction":
		return true
	}
	return false
}
