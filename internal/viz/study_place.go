package viz

import (
	"math"
	"slices"

	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
)

func numeric(a study.Axis) bool { return a.Of == "at" || a.Of == "noise" }

// place is a cell's value on a numeric axis; noise rates are in per cent.
func place(a study.Axis, c study.Cell) float64 {
	if a.Of == "noise" {
		return math.Round(1e10*c.Noise) / 1e8
	}
	return c.At
}

// part is the value of a key on a categorical axis, in words.
func part(a study.Axis, c study.Cell) string {
	switch a.Of {
	case "at":
		return Short(c.At, 4)
	case "noise":
		return Short(100*c.Noise, 4) + phrase.NBSP + "%"
	case "model":
		return c.Model
	case "data":
		return c.Data
	case "metric":
		return c.Metric
	}
	return ""
}

// writer returns a formatter with equal decimals for all cells of one metric.
func writer(cells []study.Cell) func(float64) string {
	decimals, few := StudyDecimals(cells)
	if !few {
		return func(v float64) string { return Short(v, 3) }
	}
	return func(v float64) string { return Number(v, decimals) }
}

// StudyDecimals is the number of decimals that gives the largest number of these cells, of one
// metric, four digits. few is false if they span so many powers of ten that three significant
// digits each are better.
func StudyDecimals(cells []study.Cell) (decimals int, few bool) {
	least, most := math.Inf(1), 0.0
	for _, c := range cells {
		if c.Mean == nil {
			continue
		}
		if v := math.Abs(*c.Mean); v > 0 {
			least, most = math.Min(least, v), math.Max(most, v)
		}
	}
	switch {
	case most > 1e4*least || most >= 1e5 || most > 0 && most < 1e-4:
		return 0, false
	case most == 0:
		return 3, true
	case most < 0.05:
		return 5, true
	}
	return max(0, 3-max(0, int(math.Floor(math.Log10(most*(1+1e-9)))))), true
}

// FewestBanded is the number of replicates from which the interval of a mean or a median is drawn and extremes are
// named: with two, Student’s t has a factor of 12.7 and the interval would fill the chart; with three or four, single
// replicates decide, and a bootstrap of the median draws few different values.
const FewestBanded = 5

// middle and ends are what is drawn of a cell: the mean with its interval, or the median ± two
// standard errors.
func (p *panel) middle(c study.Cell) float64 {
	v := c.Mean
	if p.Median {
		v = c.Median
	}
	if v == nil {
		return math.NaN()
	}
	return *v
}

func (p *panel) ends(c study.Cell) (lo, hi float64) {
	if !p.Median {
		if c.Low == nil || c.High == nil || c.N < FewestBanded {
			return math.NaN(), math.NaN()
		}
		low, _ := LowerEnd(p.metric, c)
		return low, *c.High
	}
	if c.Median == nil || c.MedianSE == nil || c.N < FewestBanded {
		return math.NaN(), math.NaN()
	}
	lo, hi = *c.Median-1.96**c.MedianSE, *c.Median+1.96**c.MedianSE
	if nonnegative(p.metric, c) {
		lo = math.Max(0, lo)
	}
	return lo, hi
}

// drawnEnds are the ends of a cell's interval in a frame with this lower edge. A log axis has no 0: an interval that
// reaches there begins at the edge.
func (p *panel) drawnEnds(c study.Cell, edge float64) (lo, hi float64) {
	if lo, hi = p.ends(c); p.Y.Log && lo <= 0 {
		lo = edge
	}
	return lo, hi
}

// LowerEnd is the lower end of the interval of a mean, and whether it was cut. Student’s interval is symmetric and
// can reach below 0 for a few very unequal errors, where no error is: there it is shown from 0. The stored cell keeps
// it.
func LowerEnd(m study.Metric, c study.Cell) (low float64, cut bool) {
	if *c.Low < 0 && nonnegative(m, c) {
		return 0, true
	}
	return *c.Low, false
}

// nonnegative reports whether a cell is of an error or a loss, and no replicate is below 0.
func nonnegative(m study.Metric, c study.Cell) bool {
	below := func(v *float64) bool { return v != nil && *v < 0 }
	return lowerIsBetter(m) && !below(c.Mean) && !slices.ContainsFunc(c.Values, below)
}
