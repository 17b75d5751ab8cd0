package paper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/study"
)

// dingStarts is Figure 5.
var dingStarts = study.Preset{
	ID: "ding-fig5", Title: "Test error from 50 random initialisations",
	Source: dingSource, Figure: "Figure 5", Uploads: true,
	Protocol: dingWords + "One fold, clean and noisy: logistic regression, the 1 − erf loss (‘probit’) and " +
		"t-logistic regression with λ = 1 are each fitted from 50 starts θ ~ U[−½, ½] (full: 50). A replicate is a " +
		"start; the objective is that of the sum over rows.",
	Build:       buildDingStarts,
	UploadTexts: dingUploadTexts,
	Drawing: study.Drawing{Kind: study.DrawBox, X: study.Axis{Title: "Method", Of: "model"},
		Series: study.Axis{Title: "Flipped", Of: "noise"},
		Panels: study.Axis{Title: "Data", Of: "data"},
		Metrics: []study.Metric{{ID: "error", Title: "Test error", Higher: false},
			{ID: "objective", Title: "Objective reached", Higher: false}}},
	NoNumbers: "The paper draws boxes of the test errors and prints no number.",
	Notes:     []study.Note{startsNote},
}

// startNames are the methods of Figure 5.
func startNames() []string {
	names := []string{plainLogistic, probitLoss}
	for _, t := range dingTs {
		names = append(names, tLogistic(t))
	}
	return names
}

func buildDingStarts(in study.Input) (p study.Plan, err error) {
	names, generators := dingSets(in)
	for i, name := range names {
		for _, rate := range []float64{0, dingFlipped} {
			var fold kept[samples]
			draw := func(ctx context.Context) (samples, error) {
				d, err := dingDraw(in, generators[i], 0)
				if err != nil {
					return samples{}, err
				}
				return d.fold(ctx, in, 0, 0, rate)
			}
			for r := range in.Size.Pick(2, 50, 50) {
				u := study.Unit{ID: fmt.Sprintf("%s flipped %v #%d", name, rate, r), Kind: name, Replicate: r}
				for _, m := range startNames() {
					u.Keys = append(u.Keys, dingKey(name, m, rate), study.Key{Data: name, Model: m, Noise: rate, Metric: "objective"})
				}
				u.Run = func(ctx context.Context) ([]float64, error) {
					s, err := fold.get(ctx, draw)
					if err != nil {
						return nil, err
					}
					return dingStart(ctx, s, study.Seed(in.Seed, "start "+name, r))
				}
				p.Units = append(p.Units, u)
			}
		}
	}
	return p, checkTwo(in)
}

// dingStart returns the test error and the objective of each method from one random start.
func dingStart(ctx context.Context, s samples, seed uint64) (v []float64, err error) {
	made, o := dingTrainers(), fit.Options{Starts: fit.Starts{Only: []string{"random"}, Uniform: 0.5, Seed: seed}}
	for _, name := range startNames() {
		l2, sum := float64(dingL2), 1. // for t-logistic regression both apply to the sum over rows
		if name == plainLogistic || name == probitLoss {
			sum = float64(len(s.train.Y))
			l2 /= sum
		}
		m, err := made[name].Fit(ctx, s.train.Data(), l2, o)
		if err != nil {
			return nil, err
		}
		v = append(v, wrong(m, s.test), m.Fitted.Objective*sum)
	}
	return v, nil
}

// startsNote explains docs/errata.md, Ding 7, with where our starts end.
var startsNote = study.Note{
	Text: "The paper’s ‘probit’ loss, 1 − erf(2u), lies between 0 and 2 and is not convex: it is not a " +
		"likelihood, and it is the only method here whose result depends on the starting point.",
	Finding: func(cells []study.Cell) string {
		ends := func(model string) float64 {
			return distinctEnds(study.Find(cells, study.Key{Data: dingData[0].name, Model: model, Noise: dingFlipped,
				Metric: "objective"}))
		}
		return sentence("Here, on Long and Servedio’s set with flipped labels, the number of different objectives that "+
			"reached from the starting points is %s for 1 − erf, %s for logistic regression and %s, %s, %s for t "+
			"= 1.3, 1.6, 1.9.", plain,
			ends(probitLoss), ends(plainLogistic), ends(tLogistic(1.3)), ends(tLogistic(1.6)), ends(tLogistic(1.9)))
	},
}

// distinctEnds counts the values that differ by more than one part in a million.
func distinctEnds(c *study.Cell) float64 {
	if c == nil || c.N == 0 {
		return math.NaN()
	}
	var v []float64
	for _, x := range c.Values {
		if x != nil {
			v = append(v, *x)
		}
	}
	slices.Sort(v)
	ends := 1.0
	for i := 1; i < len(v); i++ {
		if v[i]-v[i-1] > 1e-6*math.Abs(v[i]) {
			ends++
		}
	}
	return ends
}
