package engine

import (
	"context"
	"encoding/binary"
	"math"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/boost"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/prep"
)

// FoldModel is the model of one fold on its own standardised terms, as far as a
// card needs it to say what a score is made of: weights of one score or of each
// class, trees, or kernel functions around rows of the data.
type FoldModel struct {
	Columns   []prep.Column `json:"columns"`
	Terms     []prep.Term   `json:"terms"`
	Mean      []float64     `json:"mean,omitempty"`    // of each term over the rows trained on; absent = 0
	Weights   []float64     `json:"weights,omitempty"` // of the one score of two classes
	Intercept float64       `json:"intercept"`

	Classes    [][]float64 `json:"classes,omitempty"` // weights of each class's score
	Intercepts []float64   `json:"intercepts,omitempty"`

	Trees []boost.Tree `json:"trees,omitempty"`
	Cover [][]int      `json:"cover,omitempty"` // rows trained on in each node

	Kernel       *multiclass.Kernel `json:"kernel,omitempty"`
	Support      []int              `json:"support,omitempty"`      // data rows
	Coefficients [][]float64        `json:"coefficients,omitempty"` // of each of them, for the one score or each class's
}

// mostNodes bounds the nodes of all folds' trees that are kept: some 15 MB.
const mostNodes = 150_000

// keep stores what the fold models are made of, all or none of them.
func (w *auditor) keep(ctx context.Context, fill func(m *FoldModel, fold int, d *design) bool) error {
	nodes, all := 0, true
	for k, q := range w.p.parts[0] {
		d, err := w.p.designOf(ctx, q)
		if err != nil {
			return err
		}
		m := FoldModel{Columns: d.pre.Columns, Terms: d.pre.Terms, Mean: meansOf(d.x)}
		all = fill(&m, k, d) && all
		for _, t := range m.Trees {
			nodes += len(t.Nodes)
		}
		w.a.Models = append(w.a.Models, m)
	}
	if !all || nodes > mostNodes {
		w.a.Models = nil
		w.note("The models of the folds are too large to keep: what a score is made of is not shown.")
	}
	return nil
}

// meansOf are the means of the columns of a design; nil where they are 0, as
// those of standardised terms.
func meansOf(x linear.Matrix) []float64 {
	mean, any := make([]float64, x.Cols), false
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			mean[j] += v / float64(x.Rows)
		}
	}
	for j, v := range mean {
		if math.Abs(v) < 1e-9 {
			mean[j] = 0
		}
		any = any || mean[j] != 0
	}
	if !any {
		return nil
	}
	return mean
}

// rowsOf are the data rows that a fold trains on.
func (p *Prepared) rowsOf(fold int) []int { return pick(p.cohort.rows, p.parts[0][fold].train()) }

// keep takes over a fit: of classes everything in their scores, which differ from
// those of the fit by the same number for all.
func (m *FoldModel) keep(fit *fit.Model, d *design, rows []int) (ok bool) {
	if fit.Fitted == nil {
		return m.keepClasses(fit.Potential.Model, d, rows)
	}
	switch f := fit.Fitted; {
	case f.Trees != nil:
		m.Trees, m.Cover = f.Trees.Trees, f.Trees.Cover(d.x)
	case f.Kernel != nil:
		e := f.Kernel
		m.Kernel, m.Coefficients = &e.Kernel, [][]float64{e.Coefficients}
		m.Support, ok = found(e.Rows.Row, e.Rows.Rows, d.x, rows)
		return ok
	default:
		m.Weights, m.Intercept = f.W, f.B
	}
	return true
}

func (m *FoldModel) keepClasses(p *multiclass.Model, d *design, rows []int) (ok bool) {
	each := func(entries [][]float64, j int) []float64 { // those of all entries at j
		z := make([]float64, len(entries))
		for l := range entries {
			z[l] = entries[l][j]
		}
		return perClass(p.Form, z, p.Classes)
	}
	if p.Kernel == nil {
		m.Intercepts, m.Classes = make([]float64, p.Classes), make([][]float64, p.Classes)
		raw := make([]float64, p.Outputs())
		p.Potentials(raw, make([]float64, d.x.Cols))
		p.PerClass(m.Intercepts, raw)
		for j := range d.x.Cols {
			for c, v := range each(p.Weights, j) {
				m.Classes[c] = append(m.Classes[c], v)
			}
		}
		return true
	}
	m.Kernel, m.Coefficients = p.Kernel, make([][]float64, p.Classes)
	for _, z := range p.Coefficients {
		for c, v := range perClass(p.Form, z, p.Classes) {
			m.Coefficients[c] = append(m.Coefficients[c], v)
		}
	}
	m.Support, ok = found(func(i int) []float64 { return p.Rows[i] }, len(p.Rows), d.x, rows)
	return ok
}

// perClass is what the entries of a score add to the scores of the classes, but
// for a number that all classes share (math.md §7.6): each its own, or one entry
// times the class.
func perClass(form multiclass.Form, z []float64, classes int) []float64 {
	if form == multiclass.FormClasses {
		return z
	}
	all := make([]float64, classes)
	for c := range all {
		all[c] = float64(c) * z[0]
	}
	return all
}

// found are the data rows of support rows, which are rows of the design.
func found(support func(int) []float64, n int, x linear.Matrix, rows []int) (at []int, ok bool) {
	place := make(map[string]int, n)
	var key []byte
	keyOf := func(row []float64) []byte {
		key = key[:0]
		for _, v := range row {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
		}
		return key
	}
	for i := range n {
		place[string(keyOf(support(i)))] = -1
	}
	for i := range x.Rows {
		if was, is := place[string(keyOf(x.Row(i)))]; is && was < 0 {
			place[string(key)] = rows[i]
		}
	}
	for i := range n {
		row := place[string(keyOf(support(i)))]
		if row < 0 {
			return nil, false
		}
		at = append(at, row)
	}
	return at, true
}
