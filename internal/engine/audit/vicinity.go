package audit

import (
	"context"
	"slices"

	"taper/internal/engine/prep"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
)

// Vicinity is the standardised design of the audited rows, to find similar rows.
type Vicinity struct {
	rows  []int       // data row of each position
	at    map[int]int // position of each data row
	label []int
	x     []float64
	cols  int

	classes int
}

// NearRow is a row similar to another one.
type NearRow struct {
	Row      int     `json:"row"`
	Label    int     `json:"label"`
	Distance float64 `json:"distance"` // Euclidean, over standardised terms
}

// NewVicinity prepares the predictors of a spec for all its rows. Terms are standardised even
// if the model's are not, because a distance needs a common scale.
func NewVicinity(ctx context.Context, t *table.Table, spec runspec.Spec) (*Vicinity, error) {
	spec.Noise = runspec.Noise{}
	d := spec.WithDefaults()
	c, err := runspec.NewCohort(t, &d)
	if err != nil {
		return nil, err
	}
	pre, err := prep.Fit(ctx, t, c.Predictors, c.Rows, true)
	if err != nil {
		return nil, err
	}
	v := &Vicinity{rows: c.Rows, label: c.Label, classes: c.Classes(), cols: pre.Width(),
		at: make(map[int]int, len(c.Rows)), x: make([]float64, len(c.Rows)*pre.Width())}
	for i, row := range c.Rows {
		v.at[row] = i
	}
	return v, pre.Transform(ctx, v.x, t, c.Rows)
}

// Nearest returns, for each of the labels, the k rows nearest to a data row, in order of
// distance.
func (v *Vicinity) Nearest(row, k int, labels ...int) [][]NearRow {
	all := make([][]NearRow, len(labels))
	at, ok := v.at[row]
	if !ok {
		return all
	}
	group := make([]int, v.classes)
	for l := range group {
		group[l] = slices.Index(labels, l)
	}
	for g, list := range Nearest(v.x, v.cols, at, k, len(labels), func(i int) int { return group[v.label[i]] }) {
		for _, n := range list {
			all[g] = append(all[g], NearRow{v.rows[n.At], labels[g], n.Distance})
		}
	}
	return all
}

// Bytes estimates the memory of v.
func (v *Vicinity) Bytes() int { return 8*len(v.x) + 40*len(v.rows) }
