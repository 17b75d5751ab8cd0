package paper

import (
	"context"
	"fmt"

	"taper/internal/engine/fit"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
)

const amidWords = "A tenth of the rows is the test set; on the rest ten-fold cross-validation (quick: five), its " +
	"held-out rows as noisy as the others, chooses λ from 10⁻⁵ to 10⁻¹, t₂ from 1.12, 1.3, 1.6 and 1.9 and " +
	"t₁ from 0.1, 0.3, 0.5, 0.7, 0.9 and 1 (t-logistic: t₁ = 1). Fits start at N(0, 0.001²) for the largest λ " +
	"and follow the minimum down. 10 random splits. "

const blobWords = "ten blobs in 50 dimensions, centres N(0, 1), standard deviation 1.5, 20\u202f000 rows (quick: " +
	"4000), of which two blobs form the task"

var amidRates = []float64{0, .05, .1, .15, .2, .25, .3, .35}

// amidInstance is Figure 2.
var amidInstance = study.Preset{
	ID: "amid-fig2", Title: "Accuracy against instance noise", Source: amidSource, Figure: "Figure 2", Uploads: true,
	Protocol: "Data: " + blobWords + "; a share of the training rows is replaced by rows of other blobs, labels " +
		"kept. An uploaded table with more than two classes replaces them. " + amidWords + "Accuracy is on clean " +
		"rows.",
	UploadTexts: []string{"Data: " + blobWords + "; a share", "A share", "rows of other blobs",
		"rows of the other classes", " An uploaded table with more than two classes replaces them.", ""},
	Build: buildInstance,
	Drawing: study.Drawing{Kind: study.DrawLine, X: study.Axis{Title: "Rows replaced", Of: "noise"},
		Series: study.Axis{Title: "Method", Of: "model"}, Panels: study.Axis{Title: "Data", Of: "data"},
		Metrics: accuracyMetric},
	NoNumbers: "The paper draws curves for its own data and prints no number for these blobs.",
	Notes:     []study.Note{instanceNote},
	Grid: &study.Spec{Seed: 1, Dataset: study.Source{Generator: "blobs", Rows: 2000,
		Params: map[string]float64{"k": 2, "d": 50,
			"sd": 1.5}}, Models: amidSpecs(), Noise: study.Noise{Kind: synth.NoiseInstance, Rates: amidRates}, Replicates: 10,
		Test: amidTest, Metric: "accuracy"},
}

func amidSpecs() []fit.Spec {
	return []fit.Spec{{Kind: "linear", Loss: "hinge"}, {Kind: "linear", Loss: "logistic"},
		{Kind: "linear", Loss: "tempered", Params: map[string]any{"t1": 1.0, "t2": 1.6}},
		{Kind: "linear", Loss: "tempered", Params: map[string]any{"t1": 0.5, "t2": 1.6}}}
}

// instanceNote states the differences between the methods.
var instanceNote = study.Note{
	Text: "The centres of the ten blobs are about 6.7 standard deviations apart, so replaced rows have little " +
		"effect: no method is much better than another. Large-margin flips separate the methods (Table 1).",
	Finding: func(cells []study.Cell) string {
		at := func(model string, rate float64) float64 { return study.MeanOf(cells, amidKey(amidBlobs, model, rate)) }
		return sentence("Here, from none to 35 %% of the rows replaced, logistic regression goes from %s to %s, the "+
			"two-temperature loss from %s to %s.", percent,
			at(plainLogistic, 0), at(plainLogistic, .35), at(twoTemperatures, 0), at(twoTemperatures, .35))
	},
}

func amidKey(data, model string, rate float64) study.Key {
	return study.Key{Data: data, Model: model, Noise: rate, Metric: "accuracy"}
}

// taskMaker returns the task's name and a function that builds the task once.
func taskMaker(in study.Input, own func(study.Input) amidTask) (name string,
	make func(context.Context) (amidTask, error), err error) {
	if in.Data == nil {
		var k kept[amidTask]
		return own(study.Input{Size: study.Smoke}).name, func(ctx context.Context) (amidTask, error) {
			return k.get(ctx, func(context.Context) (amidTask, error) { return own(in), nil })
		}, nil
	}
	t, err := amidUpload(*in.Data)
	return t.name, func(context.Context) (amidTask, error) { return t, nil }, err
}

func amidUnit(id, kind string, r int, keys []study.Key, in study.Input, task func(context.Context) (amidTask, error),
	spoil func(context.Context, study.Division, study.Rows) (study.Rows, error)) study.Unit {
	return study.Unit{ID: id, Kind: kind, Replicate: r, Keys: keys, Run: func(ctx context.Context) ([]float64, error) {
		t, err := task(ctx)
		if err != nil {
			return nil, err
		}
		d, others, err := t.split(ctx, in.Seed, r)
		if err != nil {
			return nil, err
		}
		if d.Train, err = spoil(ctx, d, others); err != nil {
			return nil, err
		}
		return amidAccuracy(ctx, d, in.Size.Pick(2, 5, amidFolds), amidL2s[:in.Size.Pick(2, len(amidL2s), len(amidL2s))],
			study.Seed(in.Seed, "amid folds", r))
	}}
}

func amidKeys(data string, rate float64) (keys []study.Key) {
	for _, m := range amidNames {
		keys = append(keys, amidKey(data, m, rate))
	}
	return keys
}

func buildInstance(in study.Input) (p study.Plan, err error) {
	name, task, err := taskMaker(in, amidBlob)
	rates := amidRates
	if in.Size == study.Smoke {
		rates = []float64{0, .35}
	}
	for r := range in.Size.Pick(1, 10, 10) {
		for _, rate := range rates {
			p.Units = append(p.Units, amidUnit(fmt.Sprintf("replaced %v #%d", rate, r), "replaced", r, amidKeys(name, rate), in,
				task, func(ctx context.Context, d study.Division, others study.Rows) (study.Rows, error) {
					return instances(ctx, d.Train, others, rate, in.Seed, r)
				}))
		}
	}
	return p, err
}

// amidLabels is Table 1.
var amidLabels = study.Preset{
	ID: "amid-table1", Title: "Accuracy with 10\u00a0% label noise: random, of small and of large margin",
	Source: amidSource, Figure: "Table 1", Uploads: true,
	Protocol: "Data: Wisconsin diagnostic breast cancer, and " + blobWords +
		". 10\u00a0% of the training labels are flipped: at random, or among the rows that a logistic regression " +
		"of the clean rows classifies correctly, those with the smallest or the largest margin. " + amidWords +
		"Accuracy is on clean rows; a mark shows the best mean and each that does not differ significantly from it " +
		"(Wilcoxon signed-rank test, 5\u00a0%).",
	UploadTexts: []string{"Data: Wisconsin diagnostic breast cancer, and " + blobWords + ". ", ""},
	Build:       buildLabels,
	Drawing: study.Drawing{Kind: study.DrawTable, X: study.Axis{Title: "Data and noise", Of: "data"},
		Series: study.Axis{Title: "Method", Of: "model"}, Metrics: accuracyMetric},
	References: []study.Reference{
		study.Claim(amidKey(cancerName+", large margin", twoTemperatures, 0.1),
			amidKey(cancerName+", large margin", plainLogistic, 0.1), 1, amidClaim),
		study.Claim(amidKey(cancerName+", large margin", twoTemperatures, 0.1),
			amidKey(cancerName+", large margin", tLogisticLoss, 0.1), 1, amidClaim),
	},
	Notes: []study.Note{marginNote},
}

const amidClaim = "Amid et al. 2019, Table 1: highest accuracy of all with large-margin noise"

// amidNoises are the columns of Table 1.
var amidNoises = []struct{ kind, words string }{
	{synth.NoiseNone, "no noise"}, {synth.NoiseRandom, "random"}, {synth.NoiseSmallMargin, "small margin"},
	{synth.NoiseLargeMargin, "large margin"},
}

// amidCancer is the breast cancer dataset as a task.
func amidCancer(study.Input) amidTask { return amidTask{name: cancerName, pair: breastCancer()} }

func buildLabels(in study.Input) (p study.Plan, err error) {
	sets := []func(study.Input) amidTask{amidCancer, amidBlob}
	if in.Data != nil {
		sets = sets[:1]
	}
	for _, own := range sets {
		name, task, err := taskMaker(in, own)
		if err != nil {
			return p, err
		}
		for r := range in.Size.Pick(1, 10, 10) {
			for _, n := range amidNoises {
				rate := 0.1
				if n.kind == synth.NoiseNone {
					rate = 0
				}
				data := name + ", " + n.words
				p.Units = append(p.Units, amidUnit(fmt.Sprintf("%s #%d", data, r), name, r, amidKeys(data, rate), in, task,
					func(ctx context.Context, d study.Division, _ study.Rows) (study.Rows, error) {
						return study.Corrupt(ctx, synth.Noise{Kind: n.kind, Rate: rate}, d.Train, in.Seed, r)
					}))
			}
		}
	}
	return p, nil
}

// marginNote states our own results with the strongest noise.
var marginNote = study.Note{
	Text: "The paper’s rows for random and large-margin noise on Fashion-MNIST are the same numbers, so we do " +
		"not compare with them. Among labels flipped at a small margin the two-temperature loss has no gain.",
	Finding: func(cells []study.Cell) string {
		at := func(model, noise string) float64 {
			return study.MeanOf(cells, amidKey(cancerName+", "+noise+" margin", model, .1))
		}
		return sentence("Here, on breast cancer with large-margin noise, hinge has %s, logistic regression %s, t-logistic "+
			"%s and two temperatures %s; with small-margin noise logistic regression has %s and two temperatures %s.", percent,
			at(hingeLoss, "large"), at(plainLogistic, "large"), at(tLogisticLoss, "large"), at(twoTemperatures, "large"),
			at(plainLogistic, "small"), at(twoTemperatures, "small"))
	},
}
