package paper

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/phrase"
	"taper/internal/engine/resample"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
	"taper/internal/engine/tune"
)

const dingSource = "Ding, Vishwanathan: t-logistic regression, 2010"

const (
	dingRows       = 2000
	dingValidation = 0.3
	dingFolds      = 10
	dingFlipped    = 0.1
)

// dingData are the names of the generated datasets.
var dingData = []struct{ name, generator string }{
	{"Long–Servedio", "long-servedio"}, {"Mease–Wyner", "mease-wyner"},
}

var dingWords = phrase.Int(dingRows) +
	" rows, of which 30\u00a0% are kept clean to choose λ; the rest are divided " +
	"into ten folds, nine of which train. In a noisy fold exactly 10\u00a0% of the training labels are flipped; the " +
	"held-out fold is clean. "

// dingUploadTexts are the texts that replace dingWords for an upload.
var dingUploadTexts = []string{phrase.Int(dingRows) + " rows, of which 30", "Of the rows 30"}

// Names of the methods of Ding and Vishwanathan 2010.
const (
	plainLogistic = "Logistic"
	linearSVM     = "Linear SVM"
	probitLoss    = "1 − erf (‘probit’)"
	twoTemp       = "Two-temperature (0.1, 1.12)"
)

func tLogistic(t float64) string { return "t-logistic, t = " + plain(t) }

var dingTs = []float64{1.3, 1.6, 1.9}

// dingTrainers are the trainers of these presets by name, built when the first study runs, because their
// losses need tables.
var dingTrainers = sync.OnceValue(func() map[string]fit.Trainer {
	all := map[string]fit.Trainer{plainLogistic: trainer("logistic", nil), probitLoss: trainer("probit", nil),
		twoTemp: twoTemperature(0.1, 1.12), byCMP: ready(fit.Spec{Kind: "linear", Loss: "t-logistic",
			Params: map[string]any{"t": 1.9}, Solver: linear.SolverCMP})}
	for _, t := range dingTs {
		all[tLogistic(t)] = trainer("t-logistic", map[string]any{"t": t})
	}
	return all
})

// dingMethods are the methods of Figure 3, and in addition the two-temperature loss of Amid et al. 2019.
func dingMethods() []fitted {
	made := dingTrainers()
	all := []fitted{{plainLogistic, logisticPath()}, {linearSVM, hingePath()}, {probitLoss, marginPath(made[probitLoss])}}
	for _, t := range dingTs {
		all = append(all, fitted{tLogistic(t), studentPath(made[tLogistic(t)])})
	}
	return append(all, fitted{twoTemp, marginPath(made[twoTemp])})
}

// dingNames are the names of dingMethods, without building their losses.
func dingNames() []string {
	names := []string{plainLogistic, linearSVM, probitLoss}
	for _, t := range dingTs {
		names = append(names, tLogistic(t))
	}
	return append(names, twoTemp)
}

// dingSplit is a sample divided for one replicate.
type dingSplit struct {
	rows  study.Rows  // as drawn; of an upload only the classes
	task  *study.Task // only of an upload
	tune  []int       // positions used to choose λ
	folds [][]int
	rest  []int // positions divided into folds
}

// dingDraw divides the rows of a replicate: a generated dataset is drawn again, an upload is divided
// again.
func dingDraw(in study.Input, generator string, r int) (d dingSplit, err error) {
	if in.Data != nil {
		t, err := study.NewTask(*in.Data)
		if err != nil {
			return d, err
		}
		d.task, d.rows = &t, study.Rows{Y: t.Y}
	} else {
		d.rows = study.Draw(generator, dingRows, study.Seed(in.Seed, generator, r), nil)
	}
	d.rest, d.tune = study.Split(in.Seed, r, d.rows.Y, dingValidation)
	d.folds = study.Folds(resample.Pick(d.rows.Y, d.rest), dingFolds, study.Seed(in.Seed, "ding folds", r))
	return d, nil
}

// fold returns the rows for training, tuning and testing in fold k, with exactly this share of the
// training labels flipped.
func (d dingSplit) fold(ctx context.Context, in study.Input, r, k int, rate float64) (s samples, err error) {
	held := d.folds[k]
	trains, judges := resample.Pick(d.rest, study.Complement(len(d.rest), held)), resample.Pick(d.rest, held)
	if d.task == nil {
		s = samples{train: d.rows.Pick(trains), tune: d.rows.Pick(d.tune), test: d.rows.Pick(judges)}
	} else {
		both, err := study.Rows{}, error(nil)
		if s.train, both, err = d.task.Design(ctx, trains, slices.Concat(d.tune, judges), true); err != nil {
			return s, err
		}
		s.tune, s.test = both.Span(0, len(d.tune)), both.Span(len(d.tune), len(both.Y))
	}
	s.train, err = study.Corrupt(ctx, synth.Noise{Kind: synth.NoiseRandom, Rate: rate}, s.train, in.Seed, r*dingFolds+k)
	return s, err
}

// dingL2s converts λ = 2⁷ … 2⁻⁷ of a sum over rows to λ of the mean; for the SVM λ = 1/C.
func dingL2s(rows int) []float64 {
	l2s := tune.Powers(7, -7, 1)
	for i := range l2s {
		l2s[i] /= float64(rows)
	}
	return l2s
}

// tuned fits every λ and returns the fit with the fewest errors on the tuning rows; of equal ones that
// with the largest λ.
func (s samples) tuned(ctx context.Context, p path) (best *fit.Model, at int, err error) {
	fits, err := p.fits(ctx, s.train, dingL2s(len(s.train.Y)))
	if err != nil {
		return nil, 0, err
	}
	best = least(fits, func(m *fit.Model) float64 { return wrong(m, s.tune) })
	return best, slices.Index(fits, best), nil
}

// dingSets are the datasets of a plan: those of the paper that can be generated, or the upload.
func dingSets(in study.Input) (names, generators []string) {
	if in.Data != nil {
		return []string{in.Data.Name}, []string{""}
	}
	for _, d := range dingData {
		names, generators = append(names, d.name), append(generators, d.generator)
	}
	return names, generators
}

// dingErrors is Figure 3.
var dingErrors = study.Preset{
	ID: "ding-fig3", Title: "Test error of t-logistic regression, with clean and with flipped labels", Source: dingSource,
	Figure: "Figure 3", Uploads: true,
	Protocol: "Long and Servedio’s and Mease and Wyner’s sets, drawn 5 times (full: 20): " + dingWords +
		"λ from 2⁻⁷ to 2⁷ (for the SVM C) by the errors on the clean rows; each fit starts at that of the next " +
		"larger λ, and where errors are equal the largest λ is used. A replicate is the mean error of ten " +
		"folds. The paper shows " +
		"Mushroom, USPS-N, Adult and Web too: upload one.",
	UploadTexts: []string{"Long and Servedio’s and Mease and Wyner’s sets, drawn 5 times (full: 20): " +
		dingUploadTexts[0], "Divided again 5 times (full: 20): of the rows 30",
		" The paper shows Mushroom, USPS-N, Adult and Web too: upload one.", ""},
	Build: buildDingErrors,
	Drawing: study.Drawing{Kind: study.DrawBox, X: study.Axis{Title: "Method", Of: "model"},
		Series:  study.Axis{Title: "Flipped", Of: "noise"},
		Panels:  study.Axis{Title: "Data", Of: "data"},
		Metrics: []study.Metric{{ID: "error", Title: "Test error", Higher: false}}},
	Data:       dingTable,
	References: dingReferences(),
	Notes:      []study.Note{priorNote},
	Grid:       dingGrid(),
}

func dingKey(data, model string, rate float64) study.Key {
	return study.Key{Data: data, Model: model, Noise: rate, Metric: "error"}
}

func buildDingErrors(in study.Input) (p study.Plan, err error) {
	methods := sync.OnceValue(dingMethods)
	names, generators := dingSets(in)
	for r := range in.Size.Pick(1, 5, 20) {
		for i, name := range names {
			for _, rate := range []float64{0, dingFlipped} {
				u := study.Unit{ID: fmt.Sprintf("%s flipped %v #%d", name, rate, r), Kind: name, Weight: 1 + rate, Replicate: r}
				for _, m := range dingNames() {
					u.Keys = append(u.Keys, dingKey(name, m, rate))
				}
				folds := in.Size.Pick(1, dingFolds, dingFolds)
				u.Run = func(ctx context.Context) ([]float64, error) {
					return dingErr(ctx, in, generators[i], r, folds, rate, methods())
				}
				p.Units = append(p.Units, u)
			}
		}
	}
	return p, checkTwo(in)
}

// dingErr is the mean test error of each method over folds.
func dingErr(ctx context.Context, in study.Input, generator string, r, folds int, rate float64,
	methods []fitted) ([]float64, error) {
	d, err := dingDraw(in, generator, r)
	if err != nil {
		return nil, err
	}
	v := make([]float64, len(methods))
	for k := range folds {
		s, err := d.fold(ctx, in, r, k, rate)
		if err != nil {
			return nil, err
		}
		for i, m := range methods {
			fit, _, err := s.tuned(ctx, m.path)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.name, err)
			}
			v[i] += wrong(fit, s.test) / float64(folds)
		}
	}
	return v, nil
}

// How dingReferences were computed.
const (
	dingSeeds = 5
	dingWhere = "Independent rerun of Ding and Vishwanathan 2010, Fig. 3"

	harderDraws = "on the reference’s five draws of the set logistic regression, the SVM and two temperatures " +
		"all have larger errors, by 0.2 to 0.6 percentage points; they share those draws, so this is one " +
		"difference and not several."
)

// dingReferences are the test errors of docs/reference-numbers.md, Results of the methods: clean
// Mease–Wyner, noisy Mease–Wyner, noisy Long–Servedio. On clean Long–Servedio all are 0.
func dingReferences() (refs []study.Reference) {
	rows := []struct {
		model string
		error [3]float64 // %
		half  [3]float64
		// reason why a number is known not to agree
		differs [3]string
	}{
		{plainLogistic, [3]float64{1.39, 4.74, 26.5}, [3]float64{0, 1.16, 1.3}, [3]string{harderDraws}},
		{linearSVM, [3]float64{1.63, 4.27, 25.2}, [3]float64{}, [3]string{harderDraws}},
		{tLogistic(1.3), [3]float64{.36, 2.10, .57}, [3]float64{}, [3]string{}},
		{tLogistic(1.6), [3]float64{.30, 1.46, 0}, [3]float64{}, [3]string{}},
		{tLogistic(1.9), [3]float64{.27, 1.10, .06}, [3]float64{0, .15, 0}, [3]string{2: "where several λ have " +
			"the same error on the clean rows, we take the largest; with the smallest the error is 0.06 % here, " +
			"too."}},
		{twoTemp, [3]float64{1.53, 2.33, 0}, [3]float64{}, [3]string{harderDraws, harderDraws}},
	}
	keys := [3]struct {
		data string
		rate float64
	}{{dingData[1].name, 0}, {dingData[1].name, dingFlipped}, {dingData[0].name, dingFlipped}}
	for _, row := range rows {
		for i, k := range keys {
			refs = append(refs, study.Reference{Key: dingKey(k.data, row.model, k.rate), Value: row.error[i] / 100,
				HalfWidth: row.half[i] / 100, N: dingSeeds, Digit: 1e-4, Where: dingWhere, Differs: row.differs[i]})
		}
		refs = append(refs, study.Reference{Key: dingKey(dingData[0].name, row.model, 0), N: dingSeeds, Digit: 1e-4,
			Where: dingWhere})
	}
	var pairs [][2]study.Key
	for _, k := range keys {
		for _, m := range []string{tLogistic(1.3), tLogistic(1.9), twoTemp} {
			pairs = append(pairs, [2]study.Key{dingKey(k.data, m, k.rate), dingKey(k.data, plainLogistic, k.rate)})
		}
	}
	differences := contrasts(refs, pairs)
	i := slices.IndexFunc(differences, func(r study.Reference) bool {
		return r.Key == dingKey(dingData[1].name, tLogistic(1.3), dingFlipped)
	})
	differences[i].Differs = "five draws spread too little here: logistic regression alone is printed as ±1.16 points, " +
		"and over the twenty draws of full size the difference holds."
	return append(refs, differences...)
}

// priorNote explains docs/errata.md, Ding 2.
var priorNote = study.Note{Text: "λ of t-logistic regression is not that of logistic regression: as t → 1 its " +
	"prior tends " +
	"to (λ/4)θ², half of what the paper has for logistic regression. Each method has its own λ here."}

// dingGrid is the protocol as a grid.
func dingGrid() *study.Spec {
	models := []fit.Spec{{Kind: "linear", Loss: "logistic"}, {Kind: "linear", Loss: "hinge"},
		{Kind: "linear", Loss: "probit"}}
	for _, t := range dingTs {
		models = append(models, fit.Spec{Kind: "linear", Loss: "t-logistic", Params: map[string]any{"t": t}})
	}
	return &study.Spec{Seed: 1, Dataset: study.Source{Generator: "mease-wyner", Rows: dingRows}, Models: models,
		Noise: study.Noise{Kind: synth.NoiseRandom, Rates: []float64{0, dingFlipped}}, Replicates: 10, Test: dingValidation,
		Metric: "accuracy"}
}
