package study

import (
	"context"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/resample"
	"taper/internal/engine/task"
	"taper/internal/engine/tune"
	"taper/internal/engine/usererr"
)

// tuneFolds is the number of folds for choosing λ within the training rows; fewer if a class has fewer
// rows.
const tuneFolds = 5

// Fitter fits a method to training rows. It chooses λ and γ by cross-validation where the spec leaves
// them open.
type Fitter struct {
	Method fit.Method
	Task   fit.Task
	Seed   uint64
	// Inner prepares the rows of an inner fold, given by their indices in the training rows:
	// preprocessing is fitted to the fold's own training rows. Nil means that rows are used unchanged.
	Inner func(ctx context.Context, train, heldOut []int) (a, b Rows, err error)
}

// Fit fits the rows and reports the ends of the grids at which λ and γ were chosen.
func (f Fitter) Fit(ctx context.Context, r Rows) (*fit.Model, []tune.Edge, error) {
	if err := f.check(r); err != nil {
		return nil, nil, err
	}
	l, err := f.Method.Trainer(f.Task, f.Seed)
	if err != nil {
		return nil, nil, err
	}
	s, edges, err := f.setting(ctx, l, r)
	if err != nil {
		return nil, nil, err
	}
	m, err := l.At(s.Gamma).Fit(ctx, r.Data(), s.L2, fit.Options{})
	return m, edges, err
}

// check returns an error if a class has no rows.
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

// Folds divides positions into folds, class by class. Classes may have fewer rows than there are folds.
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

// Complement returns the positions 0 … n−1 that are not in held, which must be sorted.
func Complement(n int, held []int) []int {
	var rest []int
	for i := range n {
		if _, found := slices.BinarySearch(held, i); !found {
			rest = append(rest, i)
		}
	}
	return rest
}

// space returns the parameters that the method leaves open.
func space(how fit.Method) tune.Space {
	spec := how.Spec
	s := tune.Space{L2: spec.Penalised() && spec.L2.Tuned(), Gamma: spec.GammaTuned(), Summed: how.Family.Prior,
		Fixed: tune.Setting{L2: spec.L2.Value}}
	if spec.Boosted() {
		s.Fixed.L2 = 1 // trees have no λ
	}
	return s
}

// setting returns λ and γ of the method, given or chosen as by a run on folds of the rows, and the ends
// of their grids at which they lie. The search uses one worker, because units run in parallel.
func (f Fitter) setting(ctx context.Context, l fit.Trainer,
	r Rows) (chosen tune.Setting, edges []tune.Edge, err error) {
	spec, space := f.Method.Spec, space(f.Method)
	if !space.AnyOpen() {
		return space.Fixed, nil, nil
	}
	about := task.For(spec, false)
	iv, err := loss.NewInterval(l.Task().Boundaries)
	if err != nil {
		return chosen, nil, err
	}
	criterion := about.Criterion(f.Method, about.Cost(f.Method, f.Task.Classes, iv), iv)
	folds, err := f.folds(ctx, r, about.Event())
	if err != nil {
		return chosen, nil, err
	}
	s := space.Search(l.Warm())
	s.Workers = 1
	s.Loss = func(ctx context.Context, p tune.Piece, dst []float64) error {
		fits, err := l.At(p.Gamma).Path(ctx, folds[p.Fold][0].Data(), p.L2s, l.Ranking())
		if err == nil {
			criterion.Means(dst, fits, folds[p.Fold][1].X, folds[p.Fold][1].Y)
		}
		return err
	}
	v := &tune.Curve{Rows: len(r.Y), Folds: len(folds)}
	if err := s.Run(ctx, []*tune.Curve{v}); err != nil {
		return chosen, nil, err
	}
	chosen, oneSE := s.Choose(v)
	if spec.L2.Mode == "cv-1se" {
		chosen = oneSE
	}
	return chosen, tune.Edges(v.Points(), chosen), nil
}

// folds returns training and held-out rows of the folds that a run with these rows and this seed would
// use; fewer than five if events or non-events are too few.
func (f Fitter) folds(ctx context.Context, r Rows, event bool) ([][2]Rows, error) {
	rows, k := make([]int, f.Task.Classes), tuneFolds
	for _, y := range r.Y {
		rows[y]++
	}
	if least := slices.Min(rows); event || least < 2 {
		k = min(k, least)
	}
	if k < 2 {
		return nil, usererr.New(usererr.Invalid, "λ cannot be tuned: a class has too few rows. Give a number.")
	}
	all := make([]int, len(r.Y))
	for i := range all {
		all[i] = i
	}
	dealt, err := resample.Rows{Label: r.Y, Classes: f.Task.Classes}.Deal(ctx, all, resample.Even(k),
		resample.Folds(f.Seed, 0, 0))
	if err != nil {
		return nil, err
	}
	folds := make([][2]Rows, k)
	for j := range folds {
		in := func(fold uint8) bool { return fold == uint8(j+1) }
		train, heldOut := dealt.Where(func(fold uint8) bool { return !in(fold) }), dealt.Where(in)
		if f.Inner == nil {
			folds[j] = [2]Rows{r.Pick(train), r.Pick(heldOut)}
		} else if folds[j][0], folds[j][1], err = f.Inner(ctx, train, heldOut); err != nil {
			return nil, err
		}
	}
	return folds, nil
}
