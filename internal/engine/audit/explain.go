package audit

import (
	"cmp"
	"context"
	"math"
	"slices"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/prep"
	"taper/internal/engine/table"
)

// Ways of dividing a score among columns.
const (
	// ByTerms: weight × (value − mean of the training rows), summed over the terms of a column.
	// For independent columns these are the Shapley values of a linear score (Štrumbelj and
	// Kononenko 2014). They add up to the score.
	ByTerms = "terms"
	// ByTrees: path-dependent TreeSHAP with columns as players (Lundberg, Erion and Lee 2018);
	// for stumps it is vote minus mean vote. They add up to the score.
	ByTrees = "trees"
	// ByReference: the change of the score when the column is set to its median or most
	// frequent level and all others stay. They do not add up.
	ByReference = "reference"
)

// Spoken is the contribution of one column to the evidence about a row's label.
type Spoken struct {
	Column string  `json:"column"`
	Toward float64 `json:"toward"` // positive = evidence for the other label, negative = for the recorded one
}

// Explanation divides −margin, by how much the other label exceeds the recorded one, among
// columns, using the model that was not trained on the row.
type Explanation struct {
	How    string   `json:"how"`
	Spoken []Spoken `json:"spoken"` // every column of the model, by decreasing magnitude
	Start  *float64 `json:"start"`  // lead at the mean; with all of Spoken it adds up to −margin. Null: ByReference
}

// Explain divides the score of an audited row among columns; nil if the model was not kept.
// With several classes it compares the recorded label with the best other one.
func (a *LabelAudit) Explain(ctx context.Context, t *table.Table, r Row) (*Explanation, error) {
	if len(a.Models) == 0 {
		return nil, nil
	}
	m := &a.Models[r.Fold]
	x := make([]float64, len(m.Terms))
	if err := m.pre().Transform(ctx, x, t, []int{r.Row}); err != nil {
		return nil, err
	}
	e := &Explanation{Spoken: make([]Spoken, len(m.Columns))}
	for c := range m.Columns {
		e.Spoken[c].Column = m.Columns[c].Name
	}
	var err error
	switch {
	case m.Trees != nil:
		m.byTrees(e, x, r)
	case m.Kernel != nil:
		err = m.byReference(ctx, e, t, x, r)
	default:
		m.byTerms(e, x, r)
	}
	slices.SortStableFunc(e.Spoken, func(a, b Spoken) int { return cmp.Compare(math.Abs(b.Toward), math.Abs(a.Toward)) })
	return e, err
}

func (m *FoldModel) pre() *prep.Preprocessor {
	return &prep.Preprocessor{Columns: m.Columns, Terms: m.Terms}
}

// columnOf is the index of each term's column.
func (m *FoldModel) columnOf() []int {
	of, at := make([]int, len(m.Terms)), map[string]int{}
	for c := range m.Columns {
		at[m.Columns[c].Name] = c
	}
	for j := range m.Terms {
		of[j] = at[m.Terms[j].Column]
	}
	return of
}

// lead is the difference between the other and the recorded label of quantities per class. With
// a single score it is −y times the quantity.
func lead(one []float64, each [][]float64, r Row) []float64 {
	if each == nil {
		v := slices.Clone(one)
		for j := range v {
			v[j] *= float64(1 - 2*r.Label)
		}
		return v
	}
	v := slices.Clone(each[r.Other])
	for j := range v {
		v[j] -= each[r.Label][j]
	}
	return v
}

func (m *FoldModel) byTerms(e *Explanation, x []float64, r Row) {
	start := float64(1-2*r.Label) * m.Intercept
	if m.Classes != nil {
		start = m.Intercepts[r.Other] - m.Intercepts[r.Label]
	}
	of := m.columnOf()
	for j, w := range lead(m.Weights, m.Classes, r) {
		mean := 0.0
		if m.Mean != nil {
			mean = m.Mean[j]
		}
		start += w * mean
		e.Spoken[of[j]].Toward += w * (x[j] - mean)
	}
	e.How, e.Start = ByTerms, &start
}

func (m *FoldModel) byTrees(e *Explanation, x []float64, r Row) {
	of, phi, start := m.columnOf(), make([]float64, len(m.Columns)), 0.0
	for k := range m.Trees {
		start += m.Trees[k].Shapley(phi, x, m.Cover[k], of)
	}
	toward := float64(1 - 2*r.Label)
	for c, v := range phi {
		e.Spoken[c].Toward = toward * v
	}
	start *= toward
	e.How, e.Start = ByTrees, &start
}

func (m *FoldModel) byReference(ctx context.Context, e *Explanation, t *table.Table, x []float64, r Row) error {
	e.How = ByReference
	rows := linear.Matrix{Rows: len(m.Support), Cols: len(x), Data: make([]float64, len(m.Support)*len(x))}
	if err := m.pre().Transform(ctx, rows.Data, t, m.Support); err != nil {
		return err
	}
	reference, err := m.reference(ctx)
	if err != nil {
		return err
	}
	var a []float64
	if len(m.Coefficients) == 1 {
		a = lead(m.Coefficients[0], nil, r)
	} else {
		a = lead(nil, m.Coefficients, r)
	}
	squares, k := multiclass.Squares(rows), make([]float64, rows.Rows)
	score := func(x []float64) (f float64) {
		m.Kernel.Fill(k, rows, squares, x)
		for i, v := range k {
			f += a[i] * v
		}
		return f
	}
	of, full := m.columnOf(), score(x)
	without := make([]float64, len(x))
	for c := range e.Spoken {
		for j := range x {
			if without[j] = x[j]; of[j] == c {
				without[j] = reference[j]
			}
		}
		e.Spoken[c].Toward = full - score(without)
	}
	return nil
}

// reference is the design row of medians and most frequent levels.
func (m *FoldModel) reference(ctx context.Context) ([]float64, error) {
	t := &table.Table{Rows: 1}
	for i := range m.Columns {
		c := &m.Columns[i]
		typical := &table.Column{Name: c.Name, Type: table.Category, Levels: []string{c.Reference}, Code: []int32{0}}
		if c.Kind == prep.Number {
			v := c.Median
			if c.Origin != nil {
				v += *c.Origin
			}
			typical = &table.Column{Name: c.Name, Type: table.Number, Num: []float64{v}}
		}
		t.Columns = append(t.Columns, typical)
	}
	x := make([]float64, len(m.Terms))
	return x, m.pre().Transform(ctx, x, t, []int{0})
}
