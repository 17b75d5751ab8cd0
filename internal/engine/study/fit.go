package study

import (
	"context"
	"math"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/task"
	"taper/internal/engine/tune"
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
	l, err := f.Method.Trainer(f.Task, f.Seed)
	if err != nil {
		return nil, err
	}
	s, err := f.setting(ctx, l, r)
	if err != nil {
		return nil, err
	}
	return l.At(s.Gamma).Fit(ctx, r.data(), s.L2, fit.Options{})
}

// check reports rows without a class.
func (f Fitter) check(r Rows) error {
	for c := range f.Task.Classes {
		if !slices.Contains(r.Y, c) {
			return usererr.New(usererr.Invalid, "The training rows of a replicate hold no row of class %d: take a larger "+
				"share to "+
				"train, or join rare levels.", c+1)
		}
	}
	return nil
}

// Folds divides positions class by class into folds; some classes may have
// fewer rows than folds.
func Folds(y []int, count int, seed uint64) [][]int {
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

// Without returns the positions 0 … n−1 that are not in the sorted held.
func Without(n int, held []int) []int {
	var rest []int
	for i := range n {
		if _, found := slices.BinarySearch(held, i); !found {
			rest = append(rest, i)
		}
	}
	return rest
}

// setting are λ and γ of the method: given, or chosen on folds of the rows. A single
// linear score is chosen on a path of λ by the criterion of runs; a kernel or
// potentials by the share of wrong answers, or by their distance for ordered classes,
// each setting fitted from one start.
func (f Fitter) setting(ctx context.Context, l fit.Trainer, r Rows) (tune.Setting, error) {
	spec := f.Method.Spec
	given := tune.Setting{L2: spec.L2.Value}
	if spec.Boosted() {
		given.L2 = 1 // trees have no λ
		return given, nil
	}
	if !spec.L2.Tuned() && !openGamma(spec) {
		return given, nil
	}
	iv, err := loss.NewInterval(l.Task().Boundaries)
	if err != nil {
		return given, err
	}
	s := tune.Search{Grid: tune.Once(tune.Path{L2s: tune.PathL2()}), Workers: 1} // units are what runs side by side
	o := fit.Options{}
	judge := func(m *fit.Model, out Rows) float64 {
		return meanOver(task.Binary{}.Criterion(f.Method, nil, iv)(m), m, out)
	}
	if f.Method.Loss == nil || spec.Kernelled() {
		s.Grid, o.Quick, judge = f.grid(), true, mistakes
	}
	var folds [][2]Rows
	for _, held := range Folds(r.Y, tuneFolds, f.Seed) {
		if in := r.Pick(Without(len(r.Y), held)); f.check(in) == nil {
			folds = append(folds, [2]Rows{in, r.Pick(held)})
		}
	}
	if len(folds) == 0 {
		return given, usererr.New(usererr.Invalid, "λ cannot be tuned: a class has too few rows. Give a number.")
	}
	s.Loss = func(ctx context.Context, p tune.Piece, dst []float64) error {
		fits, err := l.At(p.Gamma).Path(ctx, folds[p.Fold][0].data(), p.L2s, o)
		for m, fit := range fits {
			dst[m] = judge(fit, folds[p.Fold][1])
		}
		return err
	}
	v := &tune.Curve{Rows: len(r.Y), Folds: len(folds)}
	if err := s.Run(ctx, []*tune.Curve{v}); err != nil {
		return given, err
	}
	best, oneSE := s.Chosen(v)
	if spec.L2.Mode == "cv-1se" {
		return oneSE, nil
	}
	return best, nil
}

// grid is λ = 2⁻¹, 2⁻³ … 2⁻¹³ at each γ = 2⁻¹², 2⁻⁹ … 1, as far as they are open.
func (f Fitter) grid() tune.Grid {
	l2s, gammas := tune.Powers(-1, -13, 2), []float64{0}
	if !f.Method.Spec.L2.Tuned() {
		l2s = []float64{f.Method.Spec.L2.Value}
	}
	if openGamma(f.Method.Spec) {
		gammas = tune.Powers(0, -12, 3)
		slices.Reverse(gammas) // of equals the smallest γ
	}
	return tune.Once(tune.Cross(l2s, gammas)...)
}

// meanOver is the mean of what is charged for each row.
func meanOver(of func(raw []float64, class int) float64, m *fit.Model, r Rows) float64 {
	sum, k := 0.0, m.Outputs()
	for i, f := range slices.Collect(slices.Chunk(fit.Scores([]*fit.Model{m}, r.X)[0], k)) {
		sum += of(f, r.Y[i])
	}
	return sum / float64(len(r.Y))
}

func openGamma(s fit.Spec) bool {
	if s.Kind != "kernel" || s.Kernel == nil || s.Kernel.Name == "linear" {
		return false
	}
	mode, _ := s.Kernel.Gamma.(string)
	return mode == "cv"
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
