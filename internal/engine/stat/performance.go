package stat

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat"

	"taper/internal/engine/parallel"
)

// Performance is what a report says about a model on test rows, each statistic with its 95 % interval; nil
// where the model has no probability or boundaries or the rows do not define it. The fields are those of the
// first version, whose order in JSON is a contract; statistics added later are in Listed.
type Performance struct {
	N                    int      `json:"n"`
	Events               int      `json:"events"`
	Rate                 Estimate `json:"rate"`
	AUC                  Estimate `json:"auc"`
	Brier                Estimate `json:"brier"`
	ScaledBrier          Estimate `json:"scaled_brier"`
	LogLoss              Estimate `json:"log_loss"`
	CalibrationIntercept Estimate `json:"calibration_intercept"`
	CalibrationSlope     Estimate `json:"calibration_slope"`
	ObservedExpected     Estimate `json:"observed_expected"`
	IntervalLoss         Estimate `json:"interval_loss"`
	ICI                  Estimate `json:"ici"`
	E50                  Estimate `json:"e50"`
	E90                  Estimate `json:"e90"`
	CoxSnell             *float64 `json:"cox_snell_r2"`

	Listed map[string]Estimate `json:"-"`
}

// Perform computes the statistics of a model, with analytic intervals only.
func Perform(s Scores) Performance {
	r := newScored(s)
	p := Performance{N: len(s.Event), Events: count(s.Event)}
	for _, m := range Which(Statistic.InPerformance) {
		if r.has(m.Needs) {
			p.Set(m.ID, m.of(r))
		}
	}
	return p
}

// PerformDrawn is Perform with intervals for the calibration errors too, from d.Replicates bootstrap samples
// with the curve refitted on each. A distance is larger in nearly every sample where the curve is close to the
// diagonal, so that the percentiles can miss the value itself; then there is no interval.
func PerformDrawn(ctx context.Context, s Scores, d Draws) (Performance, error) {
	p := Perform(s)
	resampled := Which(func(m Statistic) bool { return m.InPerformance() && m.resampled && s.has(m.Needs) })
	if len(resampled) == 0 {
		return p, nil
	}
	all := newRated(s.Probability, s.Event)
	draws, err := d.run(ctx, p.N, len(resampled), func(rows []int) []float64 {
		sample, v := newScored(s.Select(rows)), make([]float64, len(resampled))
		sample.curveErrors = sync.OnceValue(func() [4]float64 {
			c, _ := all.smooth(rows)
			return c.errors
		})
		for k, m := range resampled {
			v[k] = OrNaN(m.of(sample).Value)
		}
		return v
	})
	if err != nil {
		return p, err
	}
	for k, m := range resampled {
		value := OrNaN(p.Of(m.ID).Value)
		low, high := Percentiles(draws[k])
		if value < low || value > high {
			low, high = math.NaN(), math.NaN()
		}
		p.Set(m.ID, estimate(value, low, high))
	}
	if d.Resample == nil && p.ICI.Value != nil { // outcomes of one patient depend on each other
		chance, err := all.byChance(ctx, d)
		if err != nil {
			return p, err
		}
		p.Set(ChanceICI, chance)
	}
	return p, nil
}

// ChanceICI is the id of the ICI of outcomes that follow the predicted risks.
const ChanceICI = "ici_calibrated"

// byChance returns the mean ICI of d.Replicates sets of outcomes, each drawn with the predicted risks, and its 2.5th
// and 97.5th percentile. An ICI above them is more than the noise of so many rows.
func (r rated) byChance(ctx context.Context, d Draws) (Estimate, error) {
	icis := make([]float64, d.Replicates)
	err := parallel.ForEach(ctx, d.Replicates, 0, func(b int) error {
		// No sample of rows has this stream: replicates are counted from 0.
		random := rand.New(rand.NewPCG(d.Seed, math.MaxUint64-uint64(b)))
		outcome := make([]bool, len(r.p))
		for i, p := range r.p {
			outcome[i] = random.Float64() < p
		}
		c, _ := rated{p: r.p, x: r.x, order: r.order, event: outcome}.smooth(nil)
		icis[b] = c.errors[0]
		return nil
	})
	if err != nil {
		return Estimate{}, err
	}
	low, high := Percentiles(icis)
	if math.IsNaN(low) {
		return Estimate{}, nil
	}
	return estimate(stat.Mean(slices.DeleteFunc(icis, math.IsNaN), nil), low, high), nil
}

// Of returns a statistic with its interval, an empty estimate where it does not exist.
func (p Performance) Of(id string) Estimate {
	if e, ok := get(&p, id); ok {
		return e
	}
	return p.Listed[id]
}

// Set stores a statistic.
func (p *Performance) Set(id string, e Estimate) {
	if put(p, id, e) {
		return
	}
	if _, there := p.Listed[id]; there || e.Value != nil {
		p.Listed = with(p.Listed, id, e)
	}
}

// MarshalJSON writes the fields, then the statistics added later.
func (p Performance) MarshalJSON() ([]byte, error) {
	type plain Performance
	return appendMore(plain(p), p.Listed)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Performance) UnmarshalJSON(text []byte) (err error) {
	type plain Performance
	p.Listed, err = readMore[Estimate](text, (*plain)(p), Which(Statistic.InPerformance))
	return err
}

// Performance converts metrics to a performance: mostly without intervals, and without the statistics at a
// threshold.
func (b Binary) Performance() (p Performance) {
	for _, s := range Which(Statistic.InPerformance) {
		p.Set(s.ID, b.Of(s.ID))
	}
	return p
}
