package paper

import (
	"context"
	"fmt"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
)

// cancerTest is the test share, 171 of 569 rows.
const cancerTest = 171. / 569

// cancerSplit divides the breast cancer dataset, or an uploaded table, by class, standardises it, and
// flips labels of the training rows.
func cancerSplit(ctx context.Context, in study.Input, replicate int, rate float64) (d study.Division, err error) {
	switch {
	case in.Data == nil:
		all := breastCancer()
		trains, judges := study.Split(in.Seed, replicate, all.Y, cancerTest)
		d.Train, d.Test = standardise(all.Pick(trains), all.Pick(judges))
	default:
		t, err := study.NewTask(*in.Data)
		if err != nil {
			return d, err
		}
		trains, judges := study.Split(in.Seed, replicate, t.Y, cancerTest)
		if d.Train, d.Test, err = t.Design(ctx, trains, judges, true); err != nil {
			return d, err
		}
	}
	d.Train, err = study.Corrupt(ctx, synth.Noise{Kind: synth.NoiseSymmetric, Rate: rate}, d.Train, in.Seed, replicate)
	return d, err
}

const cancerRowsWords = "Wisconsin diagnostic breast cancer (569 rows, 30 features), 398 rows to train and 171 to " +
	"test, stratified by class;"

const cancerWords = cancerRowsWords + " labels of training rows are flipped with probability %s, accuracy is on " +
	"clean rows. 20 replicates (quick: 20). "

// cancerUploadTexts are the texts for an upload.
var cancerUploadTexts = []string{" on breast cancer", "", cancerRowsWords,
	"70\u00a0% of the rows train and 30\u00a0% test, stratified by class;"}

var cancerRates = []float64{0, 0.1, 0.2, 0.3}

var sypherdCancer = []study.Preset{
	fig6,
	cancerDepth("sypherd-fig23", "Figure 23", 0.1), cancerDepth("sypherd-fig24", "Figure 24", 0.2),
	cancerDepth("sypherd-fig25", "Figure 25", 0.3),
	cancerRounds("sypherd-fig26", "Figure 26", 0.1), cancerRounds("sypherd-fig27", "Figure 27", 0.2),
	cancerRounds("sypherd-fig28", "Figure 28", 0.3),
}

// fig6Alphas spread over [.5, 10].
var fig6Alphas = []float64{0.5, 0.65, 0.8, 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10}

// fig6 shows accuracy against α on breast cancer.
var fig6 = study.Preset{
	ID: "sypherd-fig6", Title: "AdaBoost.α on breast cancer, against α", Source: sypherdSource, Figure: "Figure 6",
	Uploads:     true,
	Protocol:    fmt.Sprintf(cancerWords, "0, 0.1, 0.2 and 0.3") + "100 stumps, α from 0.5 to 10.",
	UploadTexts: cancerUploadTexts,
	Build: func(in study.Input) (p study.Plan, err error) {
		for r := range in.Size.Pick(1, 20, 20) {
			for _, rate := range cancerRates {
				p.Units = append(p.Units, cancerUnit(in, "AdaBoost.α, 100 stumps", rate, r, fig6Alphas,
					func(alpha float64) (float64, int) { return alpha, 1 }))
			}
		}
		return p, checkTwo(in)
	},
	Drawing: study.Drawing{Kind: study.DrawLine, X: study.Axis{Title: "α", Of: "at", Log: true},
		Series: study.Axis{Title: "Flipped", Of: "noise"}, Panels: study.Axis{Title: "Data", Of: "data"},
		Metrics: accuracyMetric},
	Data: study.DataTable{Sets: []study.OnSet{{Set: originalCancer}},
		Own: []study.Set{{ID: "wdbc", Name: cancerName, Outcome: "diagnosis", Event: "malignant", Rows: 569, Test: 171,
			Features: 30, Classes: 2}}},
	References: fig6References(),
	Grid:       cancerGrid(treeSpecs(fig6Alphas, 100, 1), cancerRates...),
}

// cancerGrid returns the protocol as a grid for a dataset of the user's choice.
func cancerGrid(models []fit.Spec, rates ...float64) *study.Spec {
	return &study.Spec{Seed: 1, Models: models, Noise: study.Noise{Kind: synth.NoiseSymmetric, Rates: rates},
		Replicates: 20,
		Test:       cancerTest, Metric: "accuracy"}
}

// cancerNumbers are the accuracies of docs/reference-numbers.md, Results of the methods at 100 stumps.
var cancerNumbers = []struct {
	alpha float64
	mean  [4]float64 // at each of cancerRates
	half  float64    // half-width of the interval at p = .3
}{{0.5, [4]float64{.968, .909, .863, .786}, .017}, {2, [4]float64{.967, .941, .912, .865}, 0},
	{8, [4]float64{.971, .946, .930, .894}, .017}}

// cancerReferences are the references at one rate, and the gains of α = 2 and 8.
func cancerReferences(rate float64, key func(alpha float64) study.Key) (refs []study.Reference) {
	for _, n := range cancerNumbers {
		ref := study.Reference{Key: key(n.alpha), Value: n.mean[slices.Index(cancerRates, rate)], N: referenceSeeds,
			Digit: 1e-3, Where: "Independent rerun of Sypherd et al. 2023, breast cancer"}
		if rate == 0.3 {
			ref.HalfWidth = n.half
		}
		refs = append(refs, ref)
	}
	return append(refs, contrasts(refs, [][2]study.Key{{key(2), key(0.5)}, {key(8), key(0.5)}})...)
}

func fig6References() (refs []study.Reference) {
	key := func(alpha, rate float64) study.Key {
		return study.Key{Data: cancerName, Model: "AdaBoost.α, 100 stumps", Noise: rate, Metric: "accuracy", At: alpha}
	}
	for _, rate := range cancerRates {
		refs = append(refs, cancerReferences(rate, func(alpha float64) study.Key { return key(alpha, rate) })...)
	}
	return append(refs, contrasts(refs, [][2]study.Key{{key(0.5, 0.3), key(0.5, 0)}, {key(8, 0.3), key(8, 0)}})...)
}

const cancerName = "breast cancer"

// dataName is the name of a preset's data.
func dataName(in study.Input, own string) string {
	if in.Data != nil {
		return in.Data.Name
	}
	return own
}

// checkTwo returns an error for an uploaded table whose outcome does not have two classes.
func checkTwo(in study.Input) error {
	if in.Data == nil {
		return nil
	}
	t, err := study.NewTask(*in.Data)
	if err != nil {
		return err
	}
	return t.TwoClasses()
}

// cancerUnit fits one boosted model for each value on the axis.
func cancerUnit(in study.Input, model string, rate float64, r int, places []float64,
	at func(place float64) (alpha float64, depth int)) study.Unit {
	u := study.Unit{ID: fmt.Sprintf("%s flipped %v #%d", model, rate, r), Kind: model, Replicate: r}
	for _, place := range places {
		u.Keys = append(u.Keys, study.Key{Data: dataName(in, cancerName), Model: model, Noise: rate, Metric: "accuracy",
			At: place})
	}
	u.Run = func(ctx context.Context) (v []float64, err error) {
		d, err := cancerSplit(ctx, in, r, rate)
		if err != nil {
			return nil, err
		}
		for _, place := range places {
			alpha, depth := at(place)
			end, err := staged(ctx, d, alpha, depth, []int{100})
			if err != nil {
				return nil, err
			}
			v = append(v, end...)
		}
		return v, nil
	}
	return u
}

func cancerDepth(id, figure string, rate float64) study.Preset {
	return study.Preset{
		ID: id, Title: "AdaBoost.α on breast cancer, against depth, " + percentFlipped(rate), Source: sypherdSource,
		Figure: figure, Uploads: true,
		Protocol:    fmt.Sprintf(cancerWords, plain(rate)) + "100 trees of depth 1, 2, 3 and 5; α = 0.5, 1, 2, 4, 8.",
		UploadTexts: cancerUploadTexts,
		Build: func(in study.Input) (p study.Plan, err error) {
			for r := range in.Size.Pick(1, 20, 20) {
				for _, alpha := range fig4Alphas {
					p.Units = append(p.Units, cancerUnit(in, boosted(alpha), rate, r, []float64{1, 2, 3, 5},
						func(depth float64) (float64, int) { return alpha, int(depth) }))
				}
			}
			return p, checkTwo(in)
		},
		Drawing: study.Drawing{Kind: study.DrawBox, X: study.Axis{Title: "Depth of the trees", Of: "at"},
			Series: study.Axis{Title: "Method", Of: "model"}, Metrics: accuracyMetric},
		Grid:       cancerGrid(treeSpecs(fig4Alphas, 100, 1, 2, 3, 5), rate),
		References: cancerReferences(rate, func(alpha float64) study.Key { return cancerKey(alpha, rate, 1) }),
	}
}

func cancerRounds(id, figure string, rate float64) study.Preset {
	p := study.Preset{
		ID: id, Title: "AdaBoost.α on breast cancer, against the number of stumps, " + percentFlipped(rate),
		Source: sypherdSource, Figure: figure, Uploads: true,
		Protocol:    fmt.Sprintf(cancerWords, plain(rate)) + "1 to 100 stumps; α = 0.5, 1, 2, 4, 8.",
		UploadTexts: cancerUploadTexts,
		Build: func(in study.Input) (p study.Plan, err error) {
			for r := range in.Size.Pick(1, 20, 20) {
				for _, alpha := range fig4Alphas {
					p.Units = append(p.Units, cancerRoundsUnit(in, rate, alpha, r))
				}
			}
			return p, checkTwo(in)
		},
		Drawing: study.Drawing{Kind: study.DrawLine, X: study.Axis{Title: "Stumps", Of: "at"},
			Series:  study.Axis{Title: "α", Of: "model"},
			Metrics: accuracyMetric},
		Grid:       cancerGrid(treeSpecs(fig4Alphas, 100, 1), rate),
		References: cancerReferences(rate, func(alpha float64) study.Key { return cancerKey(alpha, rate, 100) }),
	}
	if rate == 0.3 {
		p.Notes = []study.Note{earlyNote}
		early := study.Reference{Key: earlyKey(10), Value: .916, N: referenceSeeds, Digit: 1e-3,
			Where: "Independent rerun of Sypherd et al. 2023, early stopping"}
		p.References = append(p.References, early)
		p.References = append(p.References, contrasts(p.References, [][2]study.Key{{earlyKey(100), earlyKey(10)}})...)
	}
	return p
}

// cancerKey is the key of a number in Figures 23 to 28; place is a depth or a round.
func cancerKey(alpha, rate, place float64) study.Key {
	return study.Key{Data: cancerName, Model: boosted(alpha), Noise: rate, Metric: "accuracy", At: place}
}

func earlyKey(rounds float64) study.Key { return cancerKey(2, 0.3, rounds) }

// earlyNote explains docs/reference-numbers.md, section 3, point 9, with our own numbers.
var earlyNote = study.Note{
	Text: "Early stopping reduces the loss of accuracy as much as a larger α does.",
	Finding: func(cells []study.Cell) string {
		return sentence("Here, at 30\u00a0%% flipped labels, α = 2 reaches %s with 10 stumps and %s with 100.", percent,
			study.MeanOf(cells, earlyKey(10)), study.MeanOf(cells, earlyKey(100)))
	},
}

func cancerRoundsUnit(in study.Input, rate, alpha float64, r int) study.Unit {
	u := study.Unit{ID: fmt.Sprintf("alpha %v #%d", alpha, r), Kind: "stumps", Replicate: r}
	rounds := stages(100)
	for _, t := range rounds {
		u.Keys = append(u.Keys, study.Key{Data: dataName(in, cancerName), Model: boosted(alpha), Noise: rate,
			Metric: "accuracy",
			At:     float64(t)})
	}
	u.Run = func(ctx context.Context) ([]float64, error) {
		d, err := cancerSplit(ctx, in, r, rate)
		if err != nil {
			return nil, err
		}
		return staged(ctx, d, alpha, 1, rounds)
	}
	return u
}
