package paper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
	"taper/internal/engine/study"
	"taper/internal/engine/tune"
	"taper/internal/engine/usererr"
)

const fathonySource = "Fathony, Asif, Liu, Bashiri, Xing, Behpour, Zhang, Ziebart: Consistent robust adversarial " +
	"prediction for general multiclass classification, 2018"

const (
	fathonyTest  = 0.3
	fathonyFolds = 5
	fathonyTies  = 1e-9
)

// contender is a method that Fathony et al. (2018) compare.
type contender struct {
	name     string
	family   string
	features string // for ordered classes
	gaussian bool
}

// answer converts potentials to predictions and gives their costs.
type answer struct {
	of   func(m *multiclass.Model, f []float64) int
	cost func(said, truth int) float64
}

func decided(m *multiclass.Model, f []float64) int { return m.Decide(f) }

// The answers of the three kinds of tables.
var (
	exactly = answer{decided, func(said, truth int) float64 {
		if said == truth {
			return 0
		}
		return 1
	}}
	nearly  = answer{decided, func(said, truth int) float64 { return math.Abs(float64(said - truth)) }}
	ifAtAll = answer{func(m *multiclass.Model, f []float64) int { return m.DecideOrAbstain(f) },
		func(said, truth int) float64 {
			if said == loss.Abstain {
				return 0.5
			}
			return exactly.cost(said, truth)
		}}
)

// grid2 is a grid for tuning in two stages: the second consists of multiples of the best value of the
// first.
type grid2 struct {
	l2s, gammas   []float64 // first stage
	times, widths []float64 // factors of the second
}

// costGrid is the grid of Table 2: C = 2⁰, 2³ … 2¹², γ = 2⁻¹² … 2⁰; λ = 1/(C·n).
func costGrid(rows int) grid2 {
	g := grid2{gammas: fathonyGammas, times: fathonyTimes, widths: fathonyTimes}
	for _, c := range []int{0, 3, 6, 9, 12} {
		g.l2s = append(g.l2s, math.Ldexp(1, -c)/float64(rows))
	}
	return g
}

var (
	fathonyGammas = []float64{0x1p-12, 0x1p-9, 0x1p-6, 0x1p-3, 1}
	fathonyTimes  = []float64{4, 2, 1, .5, .25}
)

// orderedGrid is the grid of Tables 4 and 5: λ = 2⁻¹, 2⁻³ … 2⁻¹³, then times 2^(i/2).
func orderedGrid(int) grid2 {
	g := grid2{l2s: tune.Powers(-1, -13, 2), gammas: fathonyGammas, widths: fathonyTimes}
	for i := 3; i >= -3; i-- {
		g.times = append(g.times, math.Pow(2, float64(i)/2))
	}
	return g
}

// thin keeps a few candidates, for tests and quick runs.
func (g grid2) thin() grid2 {
	return grid2{l2s: g.l2s[1:4], gammas: g.gammas[3:4], times: []float64{1}, widths: []float64{1}}
}

// first and second are the stages, largest λ first.
func (g grid2) first(gaussian bool) tune.Grid { return crossed(g.l2s, g.gammas, gaussian) }

func (g grid2) second(best tune.Setting, gaussian bool) tune.Grid {
	return crossed(scaled(g.times, best.L2), scaled(g.widths, best.Gamma), gaussian)
}

func crossed(l2s, gammas []float64, gaussian bool) tune.Grid {
	if !gaussian {
		gammas = []float64{0}
	}
	return tune.SingleStage(tune.Cross(l2s, gammas)...)
}

func scaled(v []float64, by float64) []float64 {
	s := make([]float64, len(v))
	for i, x := range v {
		s[i] = x * by
	}
	return s
}

// trained is a fit for the classes that its training rows have.
type trained struct {
	model   *multiclass.Model // reads scores
	classes []int             // class of each of its answers
}

// fit trains on rows. Classes without rows are left out, because nothing would determine the thresholds
// next to them.
func (c contender) fit(ctx context.Context, r study.Rows, s tune.Setting, o fit.Options) (trained, error) {
	how, err := fit.Parse(c.spec())
	if err != nil {
		return trained{}, err
	}
	classes, y := dense(r.Y)
	l, err := how.Trainer(fit.Task{Classes: len(classes)}, 1)
	if err != nil {
		return trained{}, err
	}
	m, err := l.At(s.Gamma).Fit(ctx, fit.Data{X: r.X, Label: y}, s.L2, o)
	if err != nil {
		return trained{}, fmt.Errorf("%s: %w", c.name, err)
	}
	return trained{m.Potential.Model, classes}, nil
}

// spec returns the method as a run's spec.
func (c contender) spec() fit.Spec {
	m := fit.Spec{Kind: "linear", Loss: c.family, Features: c.features}
	if c.gaussian {
		m.Kind, m.Kernel = "kernel", &fit.Kernel{Name: multiclass.KernelRBF}
	}
	return m
}

// dense renumbers the classes that occur without gaps.
func dense(y []int) (classes, renamed []int) {
	classes = slices.Clone(y)
	slices.Sort(classes)
	classes = slices.Compact(classes)
	renamed = make([]int, len(y))
	for i, c := range y {
		renamed[i], _ = slices.BinarySearch(classes, c)
	}
	return classes, renamed
}

// evaluate returns the mean cost of the answers and the share of rows without one.
func (t trained) evaluate(a answer, r study.Rows) (cost, silent float64) {
	f := make([]float64, t.model.Outputs())
	for i, y := range r.Y {
		t.model.Potentials(f, r.X.Row(i))
		said := a.of(t.model, f)
		if said == loss.Abstain {
			silent++
		} else {
			said = t.classes[said]
		}
		cost += a.cost(said, y)
	}
	n := float64(len(r.Y))
	return cost / n, silent / n
}

// Accuracy of the fits. Fits that are evaluated have a duality gap too small to change an answer. Fits
// that only choose a setting are less accurate and, for very large C, limited to a number of passes.
var (
	testOptions   = fit.Options{Gap: 1e-3}
	tuningOptions = fit.Options{Gap: 1e-2, Most: 2000}
)

// tune chooses a setting in two stages by the cost over five folds. Only the second stage decides; of
// equal settings it takes the first.
func (c contender) tune(ctx context.Context, r study.Rows, a answer, g grid2, seed uint64) (tune.Setting, error) {
	folds := study.Folds(r.Y, fathonyFolds, seed)
	least := func(g tune.Grid) (best tune.Setting, err error) {
		s := tune.Search{Grid: g, Workers: 1, Ties: tune.Ties{Within: fathonyTies, First: true}}
		s.Loss = func(ctx context.Context, p tune.Piece, dst []float64) error {
			held := folds[p.Fold]
			fit, err := c.fit(ctx, r.Pick(study.Complement(len(r.Y), held)), tune.Setting{Gamma: p.Gamma, L2: p.L2s[0]},
				tuningOptions)
			if err != nil {
				return err
			}
			cost, _ := fit.evaluate(a, r.Pick(held))
			dst[0] = cost * float64(len(held))
			return nil
		}
		v := &tune.Curve{Rows: len(r.Y), Folds: len(folds)}
		if err := s.Run(ctx, []*tune.Curve{v}); err != nil {
			return best, err
		}
		best, _ = s.Choose(v)
		return best, nil
	}
	best, err := least(g.first(c.gaussian))
	if err != nil {
		return best, err
	}
	return least(g.second(best, c.gaussian))
}

// fathonyTask is a table of classes from which replicates are split.
type fathonyTask struct {
	name string
	rows study.Rows  // not standardised
	task *study.Task // only of an upload; rows then holds only the classes
}

// split divides the rows of a replicate and standardises them.
func (t fathonyTask) split(ctx context.Context, seed uint64, r int) (study.Division, error) {
	trains, judges := study.Split(seed, r, t.rows.Y, fathonyTest)
	if t.task == nil {
		a, b := standardise(t.rows.Pick(trains), t.rows.Pick(judges))
		return study.Division{Train: a, Test: b}, nil
	}
	a, b, err := t.task.Design(ctx, trains, judges, true)
	return study.Division{Train: a, Test: b}, err
}

// fathonyTable is one table of the paper: several methods on one task.
type fathonyTable struct {
	task       fathonyTask
	contenders []contender
	answer     answer
	grid       func(rows int) grid2
	keys       func(c contender) []study.Key
	values     func(cost, silent float64) []float64
}

// units has one unit per replicate and method. The setting of a method is tuned once, on the training
// rows of the first split.
func (t fathonyTable) units(in study.Input) (units []study.Unit) {
	tuned := make([]kept[tune.Setting], len(t.contenders))
	for r := range in.Size.Pick(1, 20, 20) {
		for i, c := range t.contenders {
			keys := t.keys(c)
			u := study.Unit{ID: fmt.Sprintf("%s, %s #%d", keys[0].Data, c.name, r), Kind: "linear", Weight: 1, Replicate: r,
				Keys: keys}
			if c.gaussian {
				u.Kind, u.Weight = "Gaussian", 10
			}
			u.Run = func(ctx context.Context) ([]float64, error) {
				s, err := tuned[i].get(ctx, func(ctx context.Context) (tune.Setting, error) { return t.tune(ctx, in, c) })
				if err != nil {
					return nil, err
				}
				return t.run(ctx, in, c, s, r)
			}
			units = append(units, u)
		}
	}
	return units
}

// tune chooses the setting of a method for all splits.
func (t fathonyTable) tune(ctx context.Context, in study.Input, c contender) (tune.Setting, error) {
	d, err := t.task.split(ctx, in.Seed, 0)
	if err != nil {
		return tune.Setting{}, err
	}
	g := t.grid(len(d.Train.Y))
	if in.Size == study.Smoke {
		g = g.thin()
	}
	return c.tune(ctx, d.Train, t.answer, g, study.Seed(in.Seed, "fathony folds", 0))
}

// run fits and evaluates a method on one split.
func (t fathonyTable) run(ctx context.Context, in study.Input, c contender, s tune.Setting, r int) ([]float64, error) {
	d, err := t.task.split(ctx, in.Seed, r)
	if err != nil {
		return nil, err
	}
	fit, err := c.fit(ctx, d.Train, s, testOptions)
	if err != nil {
		return nil, err
	}
	return t.values(fit.evaluate(t.answer, d.Test)), nil
}

// gridOf returns the protocol of a table as a grid: the same methods and splits, tuned again in each.
func gridOf(d study.Source, metric string, contenders []contender) *study.Spec {
	g := &study.Spec{Seed: 1, Dataset: d, Replicates: 20, Test: fathonyTest, Metric: metric}
	for _, c := range contenders {
		g.Models = append(g.Models, c.spec())
	}
	return g
}

// iris is Fisher's set (1936, public domain), 150 rows of 4 features.
var iris = shippedClasses("iris.csv", "species", "setosa", "versicolor", "virginica")

// irisOr is iris, or the uploaded table.
func irisOr(in study.Input) (fathonyTask, error) {
	if in.Data == nil {
		return fathonyTask{name: "iris", rows: iris()}, nil
	}
	t, err := study.NewTask(*in.Data)
	if err != nil {
		return fathonyTask{}, err
	}
	return fathonyTask{name: in.Data.Name, rows: study.Rows{Y: t.Y}, task: &t}, nil
}

// on names data and kernel: the best methods are marked per kernel.
func (c contender) on(data string) string {
	if c.gaussian {
		return data + ", Gaussian"
	}
	return data + ", linear"
}

// check returns an error for a task that cannot be fitted.
func (t fathonyTask) check() error {
	if classes, _ := dense(t.rows.Y); len(classes) > multiclass.MaxClasses {
		return usererr.BadField("outcome", "has %d classes; at most %d can be learned", len(classes),
			multiclass.MaxClasses)
	}
	return nil
}
