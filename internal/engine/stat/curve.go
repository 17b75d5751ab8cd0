package stat

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"taper/internal/engine/odds"
	"taper/internal/engine/phrase"
	"taper/internal/engine/spline"
)

// SmoothedCalibration is a calibration curve: observed against predicted risk.
type SmoothedCalibration struct {
	Knots  int          `json:"knots"` // of the spline; 0 means a straight line in the logits
	Points []SmoothPair `json:"points"`
	// rows with risks below the first or above the last point; 0 in results of versions that drew all
	Skipped   int      `json:"skipped"`
	Histogram []Bin    `json:"histogram"`
	ICI       *float64 `json:"ici"`   // mean |ĉ(p) − p|
	E50       *float64 `json:"e50"`   // median |ĉ(p) − p|
	E90       *float64 `json:"e90"`   // 90th percentile
	EMax      *float64 `json:"e_max"` // maximum
}

// SmoothPair is a point of a calibration curve with its pointwise 95 % band.
type SmoothPair struct {
	Predicted float64 `json:"predicted"`
	Observed  float64 `json:"observed"`
	Low       float64 `json:"ci_low"`
	High      float64 `json:"ci_high"`
}

// CalibrationCurve returns the calibration curve at points risks, evenly spread over the range given by
// curveEnds, and the histogram of p in bins equal bins.
//
// The curve is a logistic regression on a natural cubic spline of logit p with five knots at Harrell's
// quantiles; its band is Wald's on the logit scale. R's pmcalibration(y, p, smooth = "rcs", nk = 5, ci = "pw")
// computes the same. Where the data have too few distinct values for five knots it uses four, three, and at
// last a straight line, as CalibrationCurves::val.prob.ci.2 does. We use the logits because a perfectly
// calibrated model is then a straight line, and because the risks of a rare outcome are spread out on them. The
// loess of Austin and Steyerberg (2019) can leave [0, 1] and is slow on long data.
//
// There is no curve without rows of both classes, or when p separates them or is constant, and no points where
// the range is empty. It panics on fewer than two points.
func CalibrationCurve(p []float64, event []bool, points, bins int) SmoothedCalibration {
	s := SmoothedCalibration{Histogram: histogram(p, event, bins)}
	c, ok := smooth(p, event)
	if !ok {
		return s
	}
	s.Knots = len(c.knots)
	if low, high, skip := curveEnds(p); low < high {
		s.Skipped = skip
		for _, q := range floats.Span(make([]float64, points), low, high) {
			s.Points = append(s.Points, c.pair(q))
		}
	}
	e := c.errors
	s.ICI, s.E50, s.E90, s.EMax = Finite(e[0]), Finite(e[1]), Finite(e[2]), Finite(e[3])
	return s
}

// Smoother names how the curve is smoothed, and that its band is pointwise.
func (s SmoothedCalibration) Smoother() string {
	by := "a straight line in logit p"
	if s.Knots > 0 {
		by = "a restricted cubic spline of logit p with " + phrase.Count(s.Knots, "knot")
	}
	return "Smoothed by logistic regression on " + by + "; the 95\u00a0% band is pointwise."
}

// Ends says between which risks the curve is drawn; "" if over all of them.
func (s SmoothedCalibration) Ends() string {
	if s.Skipped == 0 {
		return ""
	}
	return " " + CurveEnds
}

// CurveEnds is the sentence about the range over which a calibration curve is drawn.
const CurveEnds = "The lowest and the highest 1\u00a0% of the predictions, at least four each, are not drawn."

// curveEnds returns the range over which the curve is drawn, and the number of rows left out at each end.
// Outside it there are hardly any rows, and the band of the curve can reach from 0 to 1. val.prob.ci.2 of
// CalibrationCurves (Van Calster et al. 2016) draws from the fifth lowest prediction to the fifth highest. In
// long data five are too few, so 1 % is left out at each end. low ≥ high means that no range remains.
func curveEnds(p []float64) (low, high float64, skip int) {
	sorted := slices.Clone(p)
	sortFloats(sorted)
	if skip = max(4, len(p)/100); 2*skip >= len(p) {
		return 0, 0, skip
	}
	return sorted[skip], sorted[len(p)-1-skip], skip
}

// CalibrationErrors returns mean, median, 90th percentile and maximum of |ĉ(p) − p| over the rows (ICI, E50,
// E90, Emax: Austin and Steyerberg 2019), with ĉ from CalibrationCurve; NaN where there is no curve.
// rms::val.prob computes Eavg, E90 and Emax from a lowess of the risks, so its values differ: .054, .109, .120
// where ours are .068, .130, .135 (bench/reference, n200).
func CalibrationErrors(p []float64, event []bool) (e [4]float64) {
	c, _ := smooth(p, event)
	return c.errors
}

// noErrors are the errors where there is no curve.
var noErrors = [4]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}

// curve is a fitted calibration curve over the standardised logits.
type curve struct {
	regression
	knots    []float64
	mean, sd float64
	errors   [4]float64 // in the order of CalibrationErrors
}

// smooth fits the curve with up to five knots, as many as the data allow.
func smooth(p []float64, event []bool) (c curve, ok bool) {
	return newRated(p, event).smooth(nil)
}

// rated holds the rows with what the curves of all bootstrap samples share.
type rated struct {
	p     []float64
	event []bool
	x     []float64 // logits; nil where a p lies outside [0, 1]
	order []int     // rows by increasing logit
}

func newRated(p []float64, event []bool) rated {
	r := rated{p: p, event: event}
	if r.x, _ = logits(p, event); r.x == nil {
		return r
	}
	r.order = make([]int, len(p))
	for i := range r.order {
		r.order[i] = i
	}
	slices.SortFunc(r.order, func(a, b int) int { return cmp.Compare(r.x[a], r.x[b]) })
	return r
}

// smooth fits the curve of a sample that contains a row as often as it was drawn; nil means every row once.
func (r rated) smooth(drawn []int) (c curve, ok bool) {
	c.errors = noErrors
	if r.x == nil {
		return c, false
	}
	x, event := r.x, r.event
	if drawn != nil {
		x, event = at(r.x, drawn), at(r.event, drawn)
	}
	if n := count(event); n == 0 || n == len(event) || !overlap(split(x, event)) {
		return c, false
	}
	c.mean, c.sd = stat.PopMeanStdDev(x, nil)
	times := make([]int, len(r.x))
	for i := range times {
		if drawn == nil {
			times[i] = 1
		}
	}
	for _, i := range drawn {
		times[i]++
	}
	// The distinct rows drawn, and their positions in the order of the logits.
	var rows, places []int
	var z []float64
	place := make([]int, len(r.x))
	for i, n := range times {
		if n > 0 {
			place[i], rows, z = len(rows), append(rows, i), append(z, (r.x[i]-c.mean)/c.sd)
		}
	}
	for _, i := range drawn {
		places = append(places, place[i])
	}
	sorted := make([]float64, 0, len(x))
	for _, i := range r.order {
		for range times[i] {
			sorted = append(sorted, z[place[i]])
		}
	}
	event = at(r.event, rows)
	for k := spline.MaxKnots; k >= 2; k-- {
		c.knots = nil
		if k >= spline.MinKnots {
			if c.knots = spline.Knots(sorted, k); c.knots == nil {
				continue
			}
		}
		terms := make([]float64, 0, k*len(rows))
		for _, v := range z {
			terms = spline.Append(append(terms, 1, v), v, c.knots)
		}
		var f []float64
		if c.regression, f, ok = logistic(terms, k, event, places); ok {
			c.errors = errorsOf(f, at(r.p, rows), places)
			return c, true
		}
	}
	return c, false
}

// errorsOf summarises |ĉ(p) − p| over the draws, where f are the fitted scores at the risks p.
func errorsOf(f, p []float64, drawn []int) [4]float64 {
	e := make([]float64, len(p))
	for i, q := range p {
		e[i] = math.Abs(odds.Sigmoid(f[i]) - q)
	}
	if drawn != nil {
		e = at(e, drawn)
	}
	sortFloats(e)
	return [4]float64{stat.Mean(e, nil), quantile(e, 0.5), quantile(e, 0.9), e[len(e)-1]}
}

// pair returns the curve at one risk, with its band.
func (c curve) pair(p float64) SmoothPair {
	f, se := c.at(c.row(p))
	return SmoothPair{p, odds.Sigmoid(f), odds.Sigmoid(f - Z95*se), odds.Sigmoid(f + Z95*se)}
}

// row returns the constant, the logit and the spline's terms at a risk.
func (c curve) row(p float64) []float64 {
	x := (odds.Logit(odds.Within(p)) - c.mean) / c.sd
	return spline.Append([]float64{1, x}, x, c.knots)
}
