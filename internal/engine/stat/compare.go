package stat

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Comparison compares model A with model B on the same rows.
type Comparison struct {
	N            int            `json:"n"`
	Draws        int            `json:"draws"` // number of bootstrap samples
	AUC          AUCDifference  `json:"auc"`   // DeLong
	Brier        LossDifference `json:"brier"` // paired bootstrap, like all below
	ScaledBrier  LossDifference `json:"scaled_brier"`
	LogLoss      LossDifference `json:"log_loss"`
	IntervalLoss LossDifference `json:"interval_loss"` // only for equal boundaries

	Listed map[string]LossDifference `json:"-"` // statistics added after the first version
}

// Of returns the difference of a statistic that is a mean over rows, empty where it was not computed.
func (c Comparison) Of(id string) LossDifference {
	if l := field[LossDifference](&c, id); l != nil {
		return *l
	}
	return c.Listed[id]
}

// Difference returns the difference of a statistic: for AUC by DeLong's test.
func (c Comparison) Difference(id string) Estimate {
	if id == "auc" {
		return c.AUC.Difference
	}
	return c.Of(id).Difference
}

// Paired reports whether a two-class statistic has a paired difference.
func (s Statistic) Paired() bool { return s.ID == "auc" || s.pairedRows() }

func (s Statistic) pairedRows() bool { return s.perRow != nil || s.rescales != "" }

// MarshalJSON writes the fields, then the statistics added later.
func (c Comparison) MarshalJSON() ([]byte, error) {
	type plain Comparison
	return appendMore(plain(c), c.Listed)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Comparison) UnmarshalJSON(text []byte) (err error) {
	type plain Comparison
	c.Listed, err = readMore[LossDifference](text, (*plain)(c), Which(Statistic.pairedRows))
	return err
}

// Untested returns the differences without intervals, standard errors and tests.
func (c Comparison) Untested() Comparison {
	untested := func(l LossDifference) LossDifference {
		return LossDifference{A: l.A, B: l.B, Difference: l.Difference.alone()}
	}
	listed := map[string]LossDifference{}
	for _, s := range Which(Statistic.pairedRows) {
		if l := field[LossDifference](&c, s.ID); l != nil {
			*l = untested(*l)
		} else if l, found := c.Listed[s.ID]; found {
			listed[s.ID] = untested(l)
		}
	}
	c.AUC, c.Listed = c.AUC.Untested(), listed
	return c
}

// LossDifference is the difference of a mean over rows, usually a loss, between models a and b. Below 0, a has
// the smaller loss.
type LossDifference struct {
	A          *float64 `json:"a"`
	B          *float64 `json:"b"`
	Difference Estimate `json:"difference"` // a − b, percentile interval
	SE         *float64 `json:"se"`         // analytic, for independent rows; nil for the scaled Brier score
}

// Compare compares two models evaluated on the same rows: a and b hold the same events in the same order. The
// bootstrap uses the same samples for both models and all losses, and ends with the context.
func Compare(ctx context.Context, a, b Scores, d Draws) (Comparison, error) {
	a.check()
	b.check()
	if !slices.Equal(a.Event, b.Event) {
		panic("stat: the models are not evaluated on the same rows")
	}
	c := Comparison{N: len(a.Event), Draws: d.Replicates, AUC: CompareAUC(a.Score, b.Score, a.Event)}
	var list []Statistic
	var losses []Pair
	for _, s := range Which(Statistic.pairedRows) {
		if !a.has(s.Needs) || !b.has(s.Needs) ||
			s.Needs&NeedBoundaries != 0 && (len(a.Pi) == 0 || !slices.Equal(a.Pi, b.Pi)) {
			continue
		}
		var p Pair
		if k := slices.IndexFunc(list, func(m Statistic) bool { return m.ID == s.rescales }); k >= 0 {
			p = Pair{losses[k].A, losses[k].B, a.Event}
		} else {
			p = Pair{A: s.perRow(a), B: s.perRow(b)}
		}
		list, losses = append(list, s), append(losses, p)
	}
	found, err := PairedLosses(ctx, losses, d)
	for k, l := range found {
		if to := field[LossDifference](&c, list[k].ID); to != nil {
			*to = l
		} else {
			c.Listed = with(c.Listed, list[k].ID, l)
		}
	}
	return c, err
}

// Pair holds the losses of two models on the same rows.
type Pair struct {
	A, B  []float64
	Scale []bool // events, if the loss is a Brier score to be scaled: 1 − B/(ȳ(1−ȳ)), with ȳ of the rows drawn
}

// PairedLosses compares several losses over the same rows, with the same bootstrap samples for all.
func PairedLosses(ctx context.Context, pairs []Pair, d Draws) ([]LossDifference, error) {
	out := make([]LossDifference, len(pairs))
	if len(pairs) == 0 || len(pairs[0].A) == 0 {
		return out, ctx.Err()
	}
	n, columns := len(pairs[0].A), newColumns(pairs)
	means, err := d.means(ctx, columns.cells, columns.width)
	if err != nil {
		return nil, err
	}
	for k, p := range pairs {
		value, draws := columns.statistic(k, columns.all()), make([]float64, d.Replicates)
		for b := range draws {
			draws[b] = columns.statistic(k, means[b*columns.width:])
		}
		low, high := Percentiles(draws)
		out[k].Difference = estimate(value, low, high)
		a, b := stat.Mean(p.A, nil), stat.Mean(p.B, nil)
		if p.Scale != nil {
			rate := share(p.Scale)
			out[k].A, out[k].B = Finite(1-a/(rate*(1-rate))), Finite(1-b/(rate*(1-rate)))
			continue
		}
		diff := floats.SubTo(make([]float64, n), p.A, p.B)
		out[k].A, out[k].B = Finite(a), Finite(b)
		out[k].SE = Finite(stat.StdErr(stat.StdDev(diff, nil), float64(n)))
	}
	return out, nil
}

// IntervalDifference returns ℓ_π of bands a minus that of bands b over the same rows, with an analytic standard
// error and without a bootstrap.
func IntervalDifference(pi []float64, a, b []int, event []bool) LossDifference {
	if len(pi) == 0 {
		return LossDifference{}
	}
	pairs := []Pair{{A: bandLosses(pi, a, event), B: bandLosses(pi, b, event)}}
	l, _ := PairedLosses(context.Background(), pairs, Draws{}) // without draws no error can occur
	return l[0]
}

// columns are what the bootstrap averages over rows: the difference of each pair, and the event indicator where
// the difference of a pair is scaled by the event rate.
type columns struct {
	cells  []float64
	width  int
	scaled []bool // by pair
}

func newColumns(pairs []Pair) columns {
	c := columns{width: len(pairs), scaled: make([]bool, len(pairs))}
	var event []bool
	for k, p := range pairs {
		if c.scaled[k] = p.Scale != nil; c.scaled[k] {
			event, c.width = p.Scale, len(pairs)+1
		}
	}
	c.cells = make([]float64, len(pairs[0].A)*c.width)
	for i := range pairs[0].A {
		row := c.cells[i*c.width:]
		for k, p := range pairs {
			row[k] = p.A[i] - p.B[i]
		}
		if event != nil && event[i] {
			row[len(pairs)] = 1
		}
	}
	return c
}

// all returns the means over all rows.
func (c columns) all() []float64 {
	means := make([]float64, c.width)
	for k := range means {
		for i := k; i < len(c.cells); i += c.width {
			means[k] += c.cells[i]
		}
	}
	floats.Scale(float64(c.width)/float64(len(c.cells)), means)
	return means
}

// statistic computes the difference of pair k from the means of the columns. It is NaN for a scaled score if
// the rows drawn have one class.
func (c columns) statistic(k int, means []float64) float64 {
	if !c.scaled[k] {
		return means[k]
	}
	rate := means[len(c.scaled)]
	if v := rate * (1 - rate); v > 0 {
		return -means[k] / v
	}
	return math.NaN()
}
