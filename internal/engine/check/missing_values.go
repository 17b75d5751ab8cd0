package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/phrase"
	"taper/internal/engine/prep"
	"taper/internal/engine/table"
)

// missingValues notes which predictors have missing values and how they are treated.
func (d *checker) missingValues() {
	var cols []*table.Column
	used := 0
	for _, c := range d.t.Columns {
		if c.Name == d.outcome || !usable(d.t, c) {
			continue
		}
		used++
		if c.Missing > 0 {
			cols = append(cols, c)
		}
	}
	if len(cols) == 0 {
		return
	}
	slices.SortStableFunc(cols, func(a, b *table.Column) int { return cmp.Compare(b.Missing, a.Missing) })
	var where []string
	for _, c := range cols {
		where = append(where, fmt.Sprintf("%s (%s)", c.Name, phrase.Share(c.Missing, d.t.Rows)))
	}
	d.note("missing-values", "", fmt.Sprintf("Values are missing in %d of %s: %s. Missing numbers are replaced by "+
		"the median of the training rows. Where at least %d rows lack the value, a missing indicator is added, and "+
		"missing categories form a level of their own.",
		len(cols), phrase.Count(used, "predictor"), short(where), prep.MinRows))
}

// missingWithOutcome notes predictors that are missing more often with the event or without it, up to
// three individually: a model then learns who was examined. It uses the test of two proportions at .01,
// divided by the number of columns tested, and ignores differences below five percentage points.
func (d *checker) missingWithOutcome(y *table.Column, class labels, predictors []string) {
	var tested []*table.Column
	for _, name := range predictors {
		if c := d.t.Column(name); c != nil && c != y && c.Missing > 0 && c.Missing < d.t.Rows {
			tested = append(tested, c)
		}
	}
	n := class.counts()
	type uneven struct {
		column string
		share  [2]string // share missing, without and with the event
	}
	var found []uneven
	for _, c := range tested {
		m := missingIn(c, class)
		n0, n1 := float64(n[0]), float64(n[1])
		p0, p1 := float64(m[0])/n0, float64(m[1])/n1
		pooled := float64(m[0]+m[1]) / (n0 + n1)
		z := math.Abs(p1-p0) / math.Sqrt(pooled*(1-pooled)*(1/n0+1/n1))
		if math.Abs(p1-p0) >= .05 && math.Erfc(z/math.Sqrt2)*float64(len(tested)) <= .01 && missingAUC(c, class) < leakAUC {
			found = append(found, uneven{c.Name, [2]string{phrase.Share(m[0], n[0]), phrase.Share(m[1], n[1])}})
		}
	}
	if len(found) <= 3 {
		for _, u := range found {
			d.note("missing-with-outcome", u.column, fmt.Sprintf("%s is missing in %s of the rows with the event and %s of the "+
				"others. The model may learn who was examined.", u.column, u.share[1], u.share[0]))
		}
		return
	}
	var where []string
	for _, u := range found {
		where = append(where, fmt.Sprintf("%s (%s against %s)", u.column, u.share[1], u.share[0]))
	}
	d.note("missing-with-outcome", "", fmt.Sprintf("%d columns are missing more often with the event or without it: %s. "+
		"The model may learn who was examined.", len(found), short(where)))
}

// missingIn counts the missing values of a column in each class.
func missingIn(c *table.Column, class labels) (m [2]int) {
	for i, k := range class {
		if k >= 0 && (c.Num != nil && c.Num[i] != c.Num[i] || c.Num == nil && c.Code[i] < 0) {
			m[k]++
		}
	}
	return m
}
