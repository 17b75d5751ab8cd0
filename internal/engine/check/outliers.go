package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"taper/internal/engine/parallel"
	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
)

// far is a group of values far from the other values of their column.
type far struct {
	column    *table.Column
	rows      int     // number in the group
	row       int     // number of the first such row, from 1
	above     bool    // above the other values; otherwise below
	cut       float64 // value between the group and the others
	low, high float64 // range of the group
	restLow   float64 // range of the others
	restHigh  float64
	factor    float64 // ratio of units that explains the difference; 0 if none does
	shift     float64 // subtracted before the factor: 32 for degrees Fahrenheit
}

// unitFactors are ratios of units that clinical files mix: per cent and shares, or decimal slips (10,
// 100, 1000), glucose (18), cholesterol (38.7), creatinine and triglycerides (88.4), bilirubin (17.1),
// pounds (2.2046), inches (2.54).
var unitFactors = []float64{2.2046, 2.54, 10, 17.1, 18.02, 38.67, 88.4, 100, 1000}

// outliers asks about values in another unit and values that are implausibly far from the others. It does
// not ask about an extreme value of a skewed measurement: on the scale on which the column is most
// symmetric, raw or logarithmic, that has close neighbours.
func (d *checker) outliers() {
	found := make([][]far, len(d.t.Columns))
	parallel.Each(len(found), 0, func(_, j int) {
		c := d.t.Columns[j]
		if c.Name != d.outcome && (c.Type == table.Number || c.Type == table.Integer) && usable(d.t, c) {
			found[j] = farOf(c, codesOf(c))
		}
	})
	for j, groups := range found {
		if c := d.t.Columns[j]; c.Spec.Extreme != nil && c.Spec.Extreme.Acts() {
			d.settled("extreme-read", c.Name, extremeRead(c), table.Choice{Label: "Undo",
				Column: &table.ColumnSpec{Name: c.Name, Extreme: &table.Extreme{}}})
		}
		for _, f := range groups {
			d.askFar(f)
		}
	}
}

// extremeRead says how values beyond a limit were read.
func extremeRead(c *table.Column) string {
	x, where, done := c.Spec.Extreme, "", "count as missing"
	switch {
	case x.Scale != 0 && x.Shift != 0:
		done = "were converted: " + phrase.Number(x.Shift) + " taken off, then times " + phrase.Significant(x.Scale, 4)
	case x.Scale >= 1:
		done = "were multiplied by " + phrase.Significant(x.Scale, 4)
	case x.Scale != 0:
		done = "were divided by " + phrase.Significant(1/x.Scale, 4)
	}
	switch {
	case x.High != nil && x.Low != nil:
		where = fmt.Sprintf("below %s and above %s", phrase.Number(*x.Low), phrase.Number(*x.High))
	case x.High != nil:
		where = "above " + phrase.Number(*x.High)
	default:
		where = "below " + phrase.Number(*x.Low)
	}
	return fmt.Sprintf("Values of %s %s %s.", c.Name, where, done)
}

// askFar asks what a group of far values means.
func (d *checker) askFar(f far) {
	c := f.column
	values := fmt.Sprintf("%s of %s", phrase.Count(f.rows, "value"), c.Name)
	verb := "lie"
	if f.rows == 1 {
		verb = "lies"
	}
	side, group := "above", table.Extreme{High: &f.cut}
	if !f.above {
		side, group = "below", table.Extreme{Low: &f.cut}
	}
	fact := fmt.Sprintf("%s (row %d) %s far %s the others: %s against %s.", values, f.row, verb, side,
		span(f.low, f.high), span(f.restLow, f.restHigh))
	missing := group
	choices := []table.Choice{{Label: "Treat as missing", Column: &table.ColumnSpec{Name: c.Name, Extreme: &missing}},
		{Label: "Keep the numbers"}}
	if f.factor == 0 {
		d.ask(question{code: "outlier", column: c.Name, row: f.row, fact: fact, ask: "Are they correct?",
			kept: "Kept.", choices: choices})
		return
	}
	convert := group
	convert.Scale, convert.Shift = f.factor, f.shift
	label, by := "Divide them by "+phrase.Significant(1/f.factor, 4), phrase.Significant(1/f.factor, 4)+" times the others"
	if f.factor > 1 {
		label, by = "Multiply them by "+phrase.Significant(f.factor, 4),
			"the others divided by "+phrase.Significant(f.factor, 4)
	}
	if f.shift != 0 {
		label, by = "Convert to °C", "degrees Fahrenheit among °C"
	}
	d.ask(question{code: "mixed-units", column: c.Name, row: f.row, fact: fact,
		ask: "They look like " + by + ". Are they in another unit?", kept: "Kept as they are.",
		choices: append([]table.Choice{{Label: label, Column: &table.ColumnSpec{Name: c.Name, Extreme: &convert}}},
			choices...)})
}

// span words a range, or a single number.
func span(low, high float64) string {
	if low == high {
		return phrase.Number(low)
	}
	return phrase.Number(low) + " to " + phrase.Number(high)
}

// farOf returns the far groups of a column: one in another unit, otherwise one above and one below.
// Values that look like codes for missing have their own rule.
func farOf(c *table.Column, codes []apart) []far {
	measured := func(v float64) bool {
		return v == v && !slices.ContainsFunc(codes, func(a apart) bool { return a.value == v })
	}
	n, ends := 0, []float64{math.Inf(1), math.Inf(-1)}
	for _, v := range c.Num {
		if measured(v) {
			n, ends[0], ends[1] = n+1, min(ends[0], v), max(ends[1], v)
		}
	}
	if n < 20 || c.Distinct < 2 {
		return nil
	}
	every := func(step int, to []float64) []float64 {
		at := 0
		for _, v := range c.Num {
			if measured(v) {
				if at == 0 {
					to = append(to, v)
				}
				if at++; at == step {
					at = 0
				}
			}
		}
		slices.Sort(to)
		return to
	}
	// For a long column an even sample with both ends decides whether all values must be copied and sorted.
	canLog := !(c.Type == table.Integer && c.Distinct <= 30)
	if step := n / 5000; step > 1 {
		sample := every(step, ends)
		if _, unit := otherUnit(sample); !unit && len(strays(sample, canLog)) == 0 {
			return nil
		}
	}
	x := every(1, make([]float64, 0, n))
	var found []far
	if f, ok := otherUnit(x); ok {
		found = append(found, f)
	} else {
		// A score with few integer values is not compared on the log scale: 1 and 2 are as close as 11
		// and 12.
		found = strays(x, canLog)
	}
	for i := range found {
		f := &found[i]
		f.column = c
		f.row = 1 + slices.IndexFunc(c.Num, func(v float64) bool { return f.above == (v > f.cut) && measured(v) })
	}
	return found
}

// split describes the values of sorted x from index k on (above), or before it.
func split(x []float64, k int, above bool) far {
	f := far{above: above, cut: middle(x[k-1], x[k]), low: x[k], high: x[len(x)-1], restLow: x[0], restHigh: x[k-1],
		rows: len(x) - k}
	if !above {
		f.low, f.high, f.restLow, f.restHigh, f.rows = x[0], x[k-1], x[k], x[len(x)-1], k
	}
	return f
}

// middle returns a value between a < b, with few digits where possible.
func middle(a, b float64) float64 {
	m := a/2 + b/2
	if a > 0 {
		m = math.Sqrt(a) * math.Sqrt(b)
	}
	for digits := 1; digits < 17; digits++ {
		// By way of its text: 12·0.1 is 1.2000000000000002, which lies above 1.2 and reads badly.
		r, _ := strconv.ParseFloat(strconv.FormatFloat(m, 'e', digits-1, 64), 64)
		if a < r && r < b {
			return r
		}
	}
	return m
}

// quantile returns a quantile of sorted values without interpolation, which suffices for a robust scale.
func quantile(x []float64, p float64) float64 { return x[min(len(x)-1, int(p*float64(len(x))))] }

// robustSD is the larger of two estimates that ignore the tails: from the median absolute deviation, and
// from the middle 80 %. The second is needed where half of the values are nearly equal.
func robustSD(x []float64) float64 {
	m := quantile(x, .5)
	dev := make([]float64, len(x))
	for i, v := range x {
		dev[i] = math.Abs(v - m)
	}
	slices.Sort(dev)
	return max(1.4826*quantile(dev, .5), (quantile(x, .9)-quantile(x, .1))/2.5631)
}

// skew measures the asymmetry of the middle of the sorted values: 0 … 1.
func skew(x []float64) float64 {
	lo, mid, hi := quantile(x, .1), quantile(x, .5), quantile(x, .9)
	if hi == lo {
		return 1
	}
	return math.Abs(hi+lo-2*mid) / (hi - lo)
}

// Thresholds for stray values, in robust standard deviations.
const (
	strayZ   = 8 // distance from the median
	strayGap = 3 // distance from the next value
)

// strays returns values beyond strayZ and after a gap, on the raw or the log scale, whichever is more
// symmetric. A group of more than one row in twenty is not reported: it is a population, not a slip.
func strays(x []float64, canLog bool) (found []far) {
	z, from := x, 0 // z[i] belongs to x[from+i]
	if x[0] >= 0 && canLog {
		for from < len(x) && x[from] == 0 { // zeros have their own rule
			from++
		}
		if positive := logs(x[from:]); len(positive) >= 20 && (from > 0 || skew(positive) < skew(x)) {
			z = positive
		} else {
			from = 0
		}
	}
	sd, mid := robustSD(z), quantile(z, .5)
	if sd == 0 {
		return lone(x)
	}
	few := max(1, len(x)/20)
	for k := len(z) - 1; k > 0 && len(z)-k <= few && z[k]-mid > strayZ*sd; k-- {
		if z[k]-z[k-1] > strayGap*sd && z[k-1]-mid <= strayZ*sd {
			found = append(found, split(x, from+k, true))
			break
		}
	}
	for k := 1; k < len(z) && k <= few && mid-z[k-1] > strayZ*sd; k++ {
		if z[k]-z[k-1] > strayGap*sd && mid-z[k] <= strayZ*sd {
			found = append(found, split(x, from+k, false))
			break
		}
	}
	return found
}

// lone returns values a million times as large as all others where the others hardly vary, so that no
// scale can be estimated.
func lone(x []float64) []far {
	n := len(x)
	next := max(math.Abs(x[n-2]), math.Abs(x[0]))
	if x[n-1] > 1e6*max(1, next) {
		return []far{split(x, n-1, true)}
	}
	if next = max(math.Abs(x[1]), math.Abs(x[n-1])); -x[0] > 1e6*max(1, next) {
		return []far{split(x, 1, false)}
	}
	return nil
}

func logs(x []float64) []float64 {
	z := make([]float64, len(x))
	for i, v := range x {
		z[i] = math.Log(v)
	}
	return z
}

// otherUnit returns a second cluster of positive values, separated from the first by a gap, at a ratio
// that a change of unit explains.
func otherUnit(x []float64) (far, bool) {
	if x[0] <= 0 || len(x) < 30 {
		return far{}, false
	}
	z := logs(x)
	type gap struct {
		k    int
		wide float64
	}
	var gaps []gap
	least := max(3, len(z)/200) // fewer rows are strays, not a site with another unit
	for k := least; k <= len(z)-least; k++ {
		if w := z[k] - z[k-1]; w > .15 {
			gaps = append(gaps, gap{k, w})
		}
	}
	slices.SortFunc(gaps, func(a, b gap) int { return cmp.Compare(b.wide, a.wide) })
	for _, g := range gaps[:min(len(gaps), 3)] {
		small, large := z[:g.k], z[g.k:]
		above := true // the smaller cluster is the one in the other unit
		if len(small) < len(large) {
			above = false
		}
		a, b := robustSD(small), robustSD(large)
		wide := max(a, b)
		distance := quantile(large, .5) - quantile(small, .5)
		if wide == 0 || distance < 4*wide || g.wide < 1.5*wide {
			continue // a single cluster with a gap, or its tail
		}
		// One measurement in two units has the same spread in both on the log scale.
		few := min(len(small), len(large))
		if few >= 10 && min(a, b) < .4*wide || few < 10 && g.wide < 3*wide {
			continue
		}
		celsius, fahrenheit := quantile(x[:g.k], .5), quantile(x[g.k:], .5)
		if above && 30 < celsius && celsius < 45 && math.Abs(1.8*celsius+32-fahrenheit) < 2 {
			out := split(x, g.k, true)
			out.factor, out.shift = 1/1.8, 32
			return out, true
		}
		tolerance := .04 + 2.5*1.2533*wide/math.Sqrt(float64(few))
		if f, ok := unitOf(math.Exp(distance), min(tolerance, .25)); ok {
			out := split(x, g.k, above)
			if out.factor = 1 / f; !above {
				out.factor = f
			}
			return out, true
		}
	}
	return far{}, false
}

// unitOf returns the ratio of units closest to r, if one is within tolerance on the log scale.
func unitOf(r, tolerance float64) (float64, bool) {
	best := slices.MinFunc(unitFactors, func(a, b float64) int {
		return cmp.Compare(math.Abs(math.Log(r/a)), math.Abs(math.Log(r/b)))
	})
	return best, math.Abs(math.Log(r/best)) <= tolerance
}
