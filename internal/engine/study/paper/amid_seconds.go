package paper

import (
	"context"
	"fmt"

	"taper/internal/engine/fit"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
)

// amidSeconds is Table 2.
var amidSeconds = study.Preset{
	ID: "amid-table2", Title: "Computational cost relative to logistic regression", Source: amidSource,
	Figure: "Table 2", Uploads: true,
	Protocol: "One fit with λ = 10⁻³ of nine tenths of the rows, 10\u00a0% of the labels flipped at random, " +
		"from N(0, " +
		"0.001²) to the same gradient by L-BFGS (hinge: to a duality gap of 10⁻⁶), on Wisconsin diagnostic " +
		"breast cancer " +
		"and on " + blobWords + "; t-logistic with t = 1.6, two temperatures 0.5 and 1.6. 5 splits (full: 10). Seconds " +
		"are measured here, one fit at a time, and differ from machine to machine: use them as ratios to " +
		"logistic regression. The paper has 1.1 to 10 for t-logistic and 0.9 to 3.8 for two temperatures.",
	UploadTexts: []string{", on Wisconsin diagnostic breast cancer and on " + blobWords, ""},
	Build:       buildAmidSeconds,
	NoNumbers: "The paper prints seconds measured on its own machine and data. No other machine can reproduce " +
		"them.",
	Drawing: study.Drawing{Kind: study.DrawTable, Median: true, X: study.Axis{Title: "Data", Of: "data"},
		Series: study.Axis{Title: "Method", Of: "model"}, Metrics: timedMetrics},
	Notes: []study.Note{{
		Text: "The sweeps of the normaliser are not part of the cost here, because the tempered losses are " +
			"tabulated before the fit.",
		Finding: func(cells []study.Cell) string {
			at := func(model string) float64 {
				return medianOf(cells, study.Key{Data: amidBlobs, Model: model, Noise: 0.1, Metric: "ratio"})
			}
			return sentence("Here, on blobs, t-logistic takes %s times as long as logistic regression and two temperatures "+
				"%s times.", tenths, at(tLogisticLoss), at(twoTemperatures))
		},
	}, {Text: sweepsWords + " They are counted under “Algorithm 1”."}},
}

// tenths writes a number with one decimal.
func tenths(v float64) string { return fmt.Sprintf("%.1f", v) }

func buildAmidSeconds(in study.Input) (p study.Plan, err error) {
	p = timedPlan()
	sets := []func(study.Input) amidTask{amidCancer, amidBlob}
	if in.Data != nil {
		sets = sets[:1]
	}
	for _, own := range sets {
		name, task, err := taskMaker(in, own)
		if err != nil {
			return p, err
		}
		for r := range in.Size.Pick(1, 5, 10) {
			p.Units = append(p.Units, study.Unit{ID: fmt.Sprintf("%s #%d", name, r), Kind: name, Replicate: r,
				Keys: timedKeys(name, 0.1, plainLogistic, hingeLoss, tLogisticLoss, twoTemperatures),
				Run: func(ctx context.Context) ([]float64, error) {
					t, err := task(ctx)
					if err != nil {
						return nil, err
					}
					d, _, err := t.split(ctx, in.Seed, r)
					if err != nil {
						return nil, err
					}
					if d.Train, err = study.Corrupt(ctx, synth.Noise{Kind: synth.NoiseRandom, Rate: 0.1}, d.Train, in.Seed,
						r); err != nil {
						return nil, err
					}
					return measure(ctx, amidTimed(d.Train))
				}})
		}
	}
	return p, nil
}

// amidTimed are the fits of Table 2, all started near zero except the hinge, whose solver has a single
// start.
func amidTimed(r study.Rows) []timed {
	const l2 = 1e-3
	near := fit.Starts{Only: []string{"random"}}
	return []timed{{plainLogistic, timedFit(trainer("logistic", nil), r, l2, near)},
		{hingeLoss, timedFit(trainer("hinge", nil), r, l2, fit.Starts{})},
		{tLogisticLoss, timedFit(twoTemperature(1, 1.6), r, l2, near)},
		{twoTemperatures, timedFit(twoTemperature(0.5, 1.6), r, l2, near)}}
}
