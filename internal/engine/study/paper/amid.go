package paper

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"taper/internal/engine/fit"
	"taper/internal/engine/resample"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/tune"
)

const amidSource = "Amid, Warmuth, Srinivasan: Two-temperature logistic regression based on the Tsallis divergence, " +
	"2019"

const (
	amidTest  = 0.1
	amidFolds = 10
	amidBlobs = "blobs"
)

// Names of the methods of Amid et al. 2019.
const (
	hingeLoss       = "Hinge"
	tLogisticLoss   = "t-logistic"
	twoTemperatures = "Two-temperature"
)

var amidNames = []string{hingeLoss, plainLogistic, tLogisticLoss, twoTemperatures}

// Grids of the paper.
var (
	amidL2s = []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-5}
	amidT1s = []float64{.1, .3, .5, .7, .9, 1}
	amidT2s = []float64{1.12, 1.3, 1.6, 1.9}
)

// tunable is a method with the settings to tune besides λ.
type tunable struct {
	name  string
	paths []path
}

// amidMethods are built when the first study runs, because the tempered losses need tables.
var amidMethods = sync.OnceValue(func() []tunable {
	student, both := tunable{name: tLogisticLoss}, tunable{name: twoTemperatures}
	for _, t2 := range amidT2s {
		student.paths = append(student.paths, nearZeroPath(twoTemperature(1, t2)))
		for _, t1 := range amidT1s {
			both.paths = append(both.paths, nearZeroPath(twoTemperature(t1, t2)))
		}
	}
	return []tunable{{hingeLoss, []path{hingePath()}}, {plainLogistic, []path{logisticPath()}}, student, both}
})

// nearZeroPath starts the largest λ from N(0, 0.001²), as the paper does, and each smaller one from the
// previous fit.
func nearZeroPath(r fit.Trainer) path { return path{Trainer: r, first: "random"} }

// choose returns the fit whose setting and λ have the fewest errors on the noisy labels over the folds of
// the training rows; of equal ones the first setting with the largest λ.
func (m tunable) choose(ctx context.Context, r study.Rows, folds [][]int, l2s []float64) (*fit.Model, error) {
	var all []tune.Path
	for p := range m.paths {
		all = append(all, tune.Path{Model: p, L2s: l2s})
	}
	s := tune.Search{Grid: tune.SingleStage(all...), Workers: 1, Ties: tune.Ties{First: true}}
	s.Loss = func(ctx context.Context, p tune.Piece, dst []float64) error {
		held := folds[p.Fold]
		fits, err := m.paths[p.Model].fits(ctx, r.Pick(study.Complement(len(r.Y), held)), p.L2s)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		out := r.Pick(held)
		for l, f := range fits {
			dst[l] = float64(missed(f, out))
		}
		return nil
	}
	v := &tune.Curve{Rows: len(r.Y), Folds: len(folds)}
	if err := s.Run(ctx, []*tune.Curve{v}); err != nil {
		return nil, err
	}
	best, _ := s.Choose(v)
	fits, err := m.paths[best.Model].fits(ctx, r, l2s[:slices.Index(l2s, best.L2)+1])
	if err != nil {
		return nil, err
	}
	return fits[len(fits)-1], nil
}

// missed counts rows on the wrong side of zero.
func missed(m *fit.Model, r study.Rows) int {
	n := 0
	for i, y := range r.Y {
		if (m.Fitted.Score(r.X.Row(i)) > 0) != (y == 1) {
			n++
		}
	}
	return n
}

// amidAccuracy is the accuracy of each method on the test rows.
func amidAccuracy(ctx context.Context, d study.Division, folds int, l2s []float64, seed uint64) ([]float64, error) {
	parts := study.Folds(d.Train.Y, folds, seed)
	var v []float64
	for _, m := range amidMethods() {
		best, err := m.choose(ctx, d.Train, parts, l2s)
		if err != nil {
			return nil, err
		}
		v = append(v, accuracy(d.Test, best))
	}
	return v, nil
}

// amidTask is a task of two out of several classes. Instance noise replaces features of training rows by
// those of rows from the other classes.
type amidTask struct {
	name   string
	pair   study.Rows  // classes 0 and 1
	others study.Rows  // rows of the other classes; if there are none, the features come from the opposite class
	upload *study.Task // of an upload, prepared per split; pair then holds only the classes
	rest   []int       // rows of the uploaded table that belong to other classes
}

// amidBlob draws ten classes in fifty dimensions and uses the first two.
func amidBlob(in study.Input) amidTask {
	all := study.Draw("blobs", in.Size.Pick(1500, 4000, 20_000), study.Seed(in.Seed, "amid blobs", 0),
		map[string]float64{"k": 10, "d": 50, "sd": 1.5})
	var pair, others []int
	for i, y := range all.Y {
		if y < 2 {
			pair = append(pair, i)
		} else {
			others = append(others, i)
		}
	}
	return amidTask{name: amidBlobs, pair: all.Pick(pair), others: all.Pick(others)}
}

// amidUpload reads an uploaded table and uses the two classes that were named, or its first two.
func amidUpload(data study.Data) (t amidTask, err error) {
	whole := data
	whole.Positive, whole.Negative, whole.Levels = nil, nil, nil
	all, err := study.NewTask(whole)
	if err != nil {
		return t, err
	}
	if len(all.Levels) > 2 && (len(data.Positive) == 0 || len(data.Negative) == 0) {
		data.Negative, data.Positive = table.OneLevel(all.Levels[0]), table.OneLevel(all.Levels[1])
	}
	two, err := study.NewTask(data)
	if err != nil {
		return t, err
	}
	t = amidTask{name: data.Name, pair: study.Rows{Y: two.Y}, upload: &two}
	taken := map[int]bool{}
	for _, i := range two.Rows {
		taken[i] = true
	}
	for _, i := range all.Rows {
		if !taken[i] {
			t.rest = append(t.rest, i)
		}
	}
	return t, two.TwoClasses()
}

// split prepares the training and test rows of a replicate, and the rows of other classes with the same
// preprocessing.
func (t amidTask) split(ctx context.Context, seed uint64, r int) (d study.Division, others study.Rows, err error) {
	trains, judges := study.Split(seed, r, t.pair.Y, amidTest)
	if t.upload == nil {
		d.Train, others = standardise(t.pair.Pick(trains), t.others)
		_, d.Test = standardise(t.pair.Pick(trains), t.pair.Pick(judges))
		return d, others, nil
	}
	wide := *t.upload // the other rows follow those of the pair
	n := len(wide.Rows)
	wide.Rows = append(wide.Rows[:n:n], t.rest...)
	wide.Y = append(wide.Y[:n:n], make([]int, len(t.rest))...)
	behind := judges
	for i := range t.rest {
		behind = append(behind[:len(behind):len(behind)], n+i)
	}
	both := study.Rows{}
	if d.Train, both, err = wide.Design(ctx, trains, behind, true); err != nil {
		return d, others, err
	}
	d.Test, others = both.Span(0, len(judges)), both.Span(len(judges), len(both.Y))
	return d, others, nil
}

// instances replaces the features of exactly this share of the rows by those of rows of other classes and
// keeps the labels. The rows replaced at one rate are among those replaced at every larger rate.
func instances(ctx context.Context, r, others study.Rows, rate float64, seed uint64,
	replicate int) (study.Rows, error) {
	n := synth.Noise{Kind: synth.NoiseInstance, Rate: rate}
	if len(others.Y) == 0 {
		return study.Corrupt(ctx, n, r, seed, replicate)
	}
	rng := study.Random(seed, "instances", replicate)
	order, donor := make([]float64, len(r.Y)), make([]int, len(r.Y))
	for i := range order {
		order[i], donor[i] = rng.Float64(), rng.IntN(len(others.Y))
	}
	noisy := r.Pick(resample.Positions(len(r.Y)))
	for i, hit := range n.Rows(order, r.Events(), nil) {
		if hit {
			copy(noisy.X.Row(i), others.X.Row(donor[i]))
		}
	}
	return noisy, nil
}
