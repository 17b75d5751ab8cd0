package paper

import (
	"context"
	"fmt"
	"math"
	"time"

	"taper/internal/engine/fit"
	"taper/internal/engine/study"
)

// dingSeconds is Table 4.
var dingSeconds = study.Preset{
	ID: "ding-table4", Title: "Computational cost of t-logistic regression relative to logistic " +
		"regression", Source: dingSource,
	Figure: "Table 4", Uploads: true,
	Protocol: dingWords + "One noisy fold of each of 5 draws (full: 20), λ = 1, each fit from zero to the same " +
		"gradient: logistic regression and the 1 − erf loss (‘probit’) by L-BFGS, t = 1.9 by convex " +
		"multiplicative programming (CMP), the paper’s solver, and directly by L-BFGS. Seconds are measured here, " +
		"one fit at a time, and differ from machine to machine: use them as ratios to logistic " +
		"regression. Passes over the rows do not differ.",
	UploadTexts: dingUploadTexts,
	Build:       buildDingSeconds,
	NoNumbers:   "The paper prints seconds measured on its own machine. No other machine can reproduce them.",
	Drawing: study.Drawing{Kind: study.DrawTable, Median: true, X: study.Axis{Title: "Data", Of: "data"},
		Series: study.Axis{Title: "Method", Of: "model"}, Metrics: timedMetrics},
	Notes: []study.Note{{
		Text: "The paper’s solver stops when Σ log z changes by less than 10⁻⁴; run to a stationary point it " +
			"needs many times as many passes as a direct descent, which ends at the same point.",
		Finding: func(cells []study.Cell) string {
			at := func(model string) float64 {
				return medianOf(cells, study.Key{Data: dingData[0].name, Model: model, Noise: dingFlipped, Metric: "passes"})
			}
			return sentence("Here, on Long and Servedio’s set, the median of passes is %s by CMP and %s directly; logistic "+
				"regression needs %s.", plain, at(byCMP), at(byDescent), at(plainLogistic))
		},
	}},
}

const (
	byCMP     = "t-logistic, t = 1.9, CMP"
	byDescent = "t-logistic, t = 1.9, direct"
)

// timedMetrics are the metrics of the tables of times.
var timedMetrics = []study.Metric{{ID: "passes", Title: "Passes over the rows", Higher: false},
	{ID: "ratio", Title: "Time, logistic regression = 1, measured here", Higher: false},
	{ID: "seconds", Title: "Seconds, measured here", Higher: false}}

// timedPlan is a plan of time measurements. Units run one at a time; of the metrics only the number of
// passes is the same on every machine.
func timedPlan() study.Plan {
	return study.Plan{OneAtATime: true, MachineMetrics: []string{"ratio", "seconds"},
		Notes: []string{"Times are those of the machine that ran the study."}}
}

// medianOf returns the median of a key's cell, NaN without one.
func medianOf(cells []study.Cell, k study.Key) float64 {
	if c := study.Find(cells, k); c != nil && c.Median != nil {
		return *c.Median
	}
	return math.NaN()
}

// timed is a fit that returns its number of passes over the rows.
type timed struct {
	name string
	fit  func(ctx context.Context) (passes int, err error)
}

// measure returns the passes, the time relative to the first fit, and the seconds of each fit. A fit is
// repeated for at least a fiftieth of a second.
func measure(ctx context.Context, fits []timed) (v []float64, err error) {
	const enough = 20 * time.Millisecond
	first := 0.0
	for i, f := range fits {
		passes, runs, begin := 0, 0, time.Now()
		for runs == 0 || time.Since(begin) < enough {
			if passes, err = f.fit(ctx); err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
			runs++
		}
		seconds := time.Since(begin).Seconds() / float64(runs)
		if i == 0 {
			first = seconds
		}
		v = append(v, float64(passes), seconds/first, seconds)
	}
	return v, nil
}

// timedKeys are the keys of the values of measure.
func timedKeys(data string, rate float64, names ...string) (keys []study.Key) {
	for _, name := range names {
		for _, m := range timedMetrics {
			keys = append(keys, study.Key{Data: data, Model: name, Noise: rate, Metric: m.ID})
		}
	}
	return keys
}

func buildDingSeconds(in study.Input) (p study.Plan, err error) {
	p = timedPlan()
	names, generators := dingSets(in)
	for r := range in.Size.Pick(1, 5, 20) {
		for i, name := range names {
			p.Units = append(p.Units, study.Unit{ID: fmt.Sprintf("%s #%d", name, r), Kind: name, Replicate: r,
				Keys: timedKeys(name, dingFlipped, plainLogistic, probitLoss, byCMP, byDescent),
				Run: func(ctx context.Context) ([]float64, error) {
					d, err := dingDraw(in, generators[i], r)
					if err != nil {
						return nil, err
					}
					s, err := d.fold(ctx, in, r, 0, dingFlipped)
					if err != nil {
						return nil, err
					}
					return measure(ctx, dingTimed(s.train))
				}})
		}
	}
	return p, checkTwo(in)
}

// timedFit fits at one λ and returns the number of passes.
func timedFit(r fit.Trainer, rows study.Rows, l2 float64, s fit.Starts) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		m, err := r.Fit(ctx, rows.Data(), l2, fit.Options{Starts: s})
		if err != nil {
			return 0, err
		}
		return m.Certificate().Evaluations, nil
	}
}

// dingTimed are the fits of Table 4, all from zero. Logistic regression is fitted by L-BFGS too, because
// its usual solver is another.
func dingTimed(r study.Rows) (all []timed) {
	made, n := dingTrainers(), float64(len(r.Y)) // built before the clock starts
	for _, m := range []struct {
		name, trainer string
		l2            float64
	}{{plainLogistic, plainLogistic, dingL2 / n}, {probitLoss, probitLoss, dingL2 / n}, {byCMP, byCMP, dingL2},
		{byDescent, tLogistic(1.9), dingL2}} {
		all = append(all, timed{m.name, timedFit(made[m.trainer], r, m.l2, fit.Starts{Only: []string{"zero"}})})
	}
	return all
}
