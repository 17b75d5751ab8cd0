package check

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/parallel"
	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
)

// leakAUC is the AUC of a single column from which it is suspected to be a leak.
const leakAUC = .95

// signal is the AUC of a column alone, by its value and by being missing; 0 where it cannot be computed.
type signal struct{ value, missing float64 }

// leaksOf asks about predictors that reveal the outcome, and reports those that are left out anyway.
func (d *checker) leaksOf(ctx context.Context, y *table.Column, class labels, predictors []string) {
	cols := slices.DeleteFunc(slices.Clone(d.t.Columns), func(c *table.Column) bool {
		return c == y || c.Type == table.Constant && c.Missing == 0
	})
	found := make([]signal, len(cols))
	parallel.Each(len(cols), 0, func(_, j int) {
		if ctx.Err() == nil {
			found[j] = weigh(d.t, cols[j], class)
		}
	})
	var strong []*table.Column
	for j, c := range cols {
		e := found[j]
		switch used := slices.Contains(predictors, c.Name); {
		case used && e.missing >= leakAUC && e.missing >= e.value:
			d.ask(leakQuestion(c, fmt.Sprintf("%s is empty in some rows, and that alone predicts the outcome "+
				"with AUC %s.", c.Name, auc3(e.missing))))
		case used && e.value >= leakAUC:
			strong = append(strong, c)
		case used && leakName(c.Name) && !d.followed(c):
			d.ask(leakQuestion(c, c.Name+" sounds like something known only after the outcome."))
		case !used && e.missing >= leakAUC && c.Spec.Role != table.Exclude &&
			c.Spec.Role != table.Prediction:
			d.settled("leak", c.Name, fmt.Sprintf("%s is empty in some rows, and that alone predicts the outcome "+
				"with AUC %s: left out.", c.Name, auc3(e.missing)))
		}
	}
	d.strong(strong, func(c *table.Column) float64 { return found[slices.Index(cols, c)].value })
}

// strong asks about columns whose value alone nearly separates the classes. Four or more measured numbers
// with neutral names are one question: more often they are strong measurements than leaks.
func (d *checker) strong(cols []*table.Column, auc func(*table.Column) float64) {
	var measured []*table.Column
	for _, c := range cols {
		if c.Type == table.Number && !leakName(c.Name) && auc(c) < .995 {
			measured = append(measured, c)
		}
	}
	if len(measured) < 4 {
		measured = nil
	}
	for _, c := range cols {
		if !slices.Contains(measured, c) {
			d.ask(leakQuestion(c, fmt.Sprintf("%s alone reaches AUC %s.", c.Name, auc3(auc(c)))))
		}
	}
	d.strongTogether(measured, auc)
}

func (d *checker) strongTogether(cols []*table.Column, auc func(*table.Column) float64) {
	if len(cols) == 0 {
		return
	}
	slices.SortStableFunc(cols, func(a, b *table.Column) int { return cmp.Compare(auc(b), auc(a)) })
	var specs []table.ColumnSpec
	var where []string
	key := ""
	for _, c := range cols {
		specs = append(specs, table.ColumnSpec{Name: c.Name, Role: table.Exclude})
		where = append(where, fmt.Sprintf("%s (%s)", c.Name, auc3(auc(c))))
		key += ", " + c.Name
	}
	d.ask(question{
		code: "leak", column: key[2:],
		fact: fmt.Sprintf("%d measurements alone reach AUC %.2f or more: %s.", len(cols), leakAUC, phrase.List(where)),
		ask:  "Are they known at the time of prediction?", kept: "Kept as known at the time of prediction.",
		choices: []table.Choice{{Label: "They are known then"}, {Label: "Leave them out", Columns: specs}},
	})
}

// auc3 rounds down, so that 0.9996 is not shown as 1.000.
func auc3(v float64) string { return fmt.Sprintf("%.3f", math.Floor(1000*v+1e-9)/1000) }

// weigh evaluates one column.
func weigh(t *table.Table, c *table.Column, class labels) signal {
	var e signal
	if c.Missing > 0 && c.Missing < t.Rows {
		e.missing = missingAUC(c, class)
	}
	switch {
	case c.Type == table.Text || looksLikeID(t, c):
	case c.Num != nil:
		e.value = numberAUC(c.Num, class)
	case c.Code != nil:
		e.value = levelAUC(c, class)
	}
	return e
}

// believable returns the AUC, or 1 − AUC if larger, and 0 where chance explains it: within three standard
// errors of ½ by the rank-sum statistic.
func believable(auc float64, n0, n1 float64) float64 {
	auc = max(auc, 1-auc)
	if se := math.Sqrt((n0 + n1 + 1) / (12 * n0 * n1)); !(auc-.5 >= 3*se) {
		return 0
	}
	return auc
}

// missingAUC is the AUC of "is missing": ½ + |m₁ − m₀|/2.
func missingAUC(c *table.Column, class labels) float64 {
	n, m := class.counts(), missingIn(c, class)
	n0, n1 := float64(n[0]), float64(n[1])
	return believable(.5+(float64(m[1])/n1-float64(m[0])/n0)/2, n0, n1)
}

// screened is the largest number of rows for which all values are ranked at once. For longer columns an
// even sample decides whether to rank all; a reported AUC always uses all rows.
const screened = 20_000

func numberAUC(x []float64, class labels) float64 {
	if step := len(x) / screened; step > 1 {
		if auc := rankAUC(x, class, step); auc < leakAUC-.02 {
			return 0
		}
	}
	return rankAUC(x, class, 1)
}

// rankAUC is the AUC, ties counting ½, over every step-th value that is present. The classes are sorted
// separately and merged.
func rankAUC(x []float64, class labels, step int) float64 {
	var by [2][]float64
	for k := range by {
		by[k] = make([]float64, 0, len(x)/step+1)
	}
	for i := 0; i < len(x); i += step {
		if k := class[i]; k >= 0 && x[i] == x[i] {
			by[k] = append(by[k], x[i])
		}
	}
	if len(by[0]) == 0 || len(by[1]) == 0 {
		return 0
	}
	slices.Sort(by[0])
	slices.Sort(by[1])
	area, below, upTo := 0.0, 0, 0 // number of non-events below v, and of those not above it
	for _, v := range by[1] {
		for below < len(by[0]) && by[0][below] < v {
			below++
		}
		for upTo = max(upTo, below); upTo < len(by[0]) && by[0][upTo] == v; {
			upTo++
		}
		area += float64(below) + float64(upTo-below)/2
	}
	n0, n1 := float64(len(by[0])), float64(len(by[1]))
	return believable(area/(n0*n1), n0, n1)
}

// levelAUC ranks levels by their event rate. Two levels are ranked on all rows; more levels by the rates
// in the other half of the rows, because rates from the same rows would be optimistic for a column with
// many levels. Levels with fewer than ten rows (fewer in small files) are merged.
func levelAUC(c *table.Column, class labels) float64 {
	if c.Distinct == 2 {
		n := halfCounts(c, class, 0, 0)
		auc, n0, n1 := areaBy(n, n)
		return believable(auc, n0, n1)
	}
	least := max(5, min(minLevel, len(class)/20))
	even, odd := halfCounts(c, class, 0, least), halfCounts(c, class, 1, least)
	a, a0, a1 := areaBy(even, odd)
	b, b0, b1 := areaBy(odd, even)
	return believable((a+b)/2, a0+b0, a1+b1)
}

// halfCounts counts the classes of each level in one half of the rows (in all rows when least is 0).
// Levels with fewer rows share the last index.
func halfCounts(c *table.Column, class labels, half, least int) [][2]float64 {
	n := make([][2]float64, len(c.Levels)+1)
	for i, k := range c.Code {
		if class[i] < 0 || k < 0 || least > 0 && i&1 != half {
			continue
		}
		if c.Count[k] < least {
			k = int32(len(c.Levels))
		}
		n[k][class[i]]++
	}
	return n
}

// areaBy is the AUC over the counts n when levels are ranked by the event rates in by, each shrunk to the
// overall rate by one additional row.
func areaBy(n, by [][2]float64) (auc, n0, n1 float64) {
	var all [2]float64
	for _, m := range by {
		all[0], all[1] = all[0]+m[0], all[1]+m[1]
	}
	mean := all[1] / max(1, all[0]+all[1])
	rate := func(k int) float64 { return (by[k][1] + mean) / (by[k][0] + by[k][1] + 1) }
	order := make([]int, len(n))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(rate(a), rate(b)) })
	area := 0.0
	for i := 0; i < len(order); {
		var t0, t1 float64
		for j := i; i < len(order) && rate(order[i]) == rate(order[j]); i++ {
			t0, t1 = t0+n[order[i]][0], t1+n[order[i]][1]
		}
		area += t1*n0 + t1*t0/2
		n0, n1 = n0+t0, n1+t1
	}
	if n0 == 0 || n1 == 0 {
		return .5, n0, n1
	}
	return area / (n0 * n1), n0, n1
}
