package comparison

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/model"
	"taper/internal/engine/parallel"
	"taper/internal/engine/playground"
	"taper/internal/engine/prep"
	"taper/internal/engine/stat"
	"taper/internal/engine/usererr"
	"taper/internal/viz"
	"taper/internal/viz/fluid"
	"taper/internal/web/format"
)

// The plane of two numeric predictors that all runs use: the predictions of each run's final model, with the other
// predictors at their median or most frequent level.

// planeSide is the number of nodes along a side of the plane; kernels have fewer, since each of their scores is a
// sum over training rows.
const (
	planeSide       = 81
	planeSideKernel = 49
)

// findPlane predicts on the plane for every run; nil where the runs share no two numeric predictors.
func (v Page) findPlane(ctx context.Context) (*plane, error) {
	columns := v.planeColumns()
	p := &plane{}
	for _, c := range columns {
		p.columns = append(p.columns, c.Name)
	}
	for _, field := range []struct{ name, value string }{{"x", v.State.X}, {"y", v.State.Y}} {
		if field.value != "" && !slices.Contains(p.columns, field.value) {
			return nil, usererr.BadField(field.name, "must be a number that every run takes (got %q)",
				format.Cut(field.value, 40))
		}
	}
	if len(columns) < 2 {
		return nil, nil
	}
	p.across, p.up = v.axes(columns)
	p.fields = make([]planeField, len(v.runs))
	for _, r := range v.runs {
		p.held = p.held || len(r.Model.Columns) > 2
	}
	parallel.Each(len(v.runs), 0, func(_, i int) {
		p.fields[i] = scoredPlane(ctx, v.runs[i].Model, p.across, p.up)
	})
	return p, ctx.Err()
}

// planeColumns are the numeric predictors of all runs, ordered by their weight in the baseline.
func (v Page) planeColumns() []predictor {
	var list []predictor
	for _, i := range v.order() {
		m := v.runs[i].Model
		if m == nil || v.runs[i].SHA256 != v.runs[v.Base].SHA256 {
			return nil
		}
		if i == v.Base {
			for _, c := range m.Columns {
				list = append(list, predictor{c.Name, c.Min, c.Max})
			}
		}
		list = slices.DeleteFunc(list, func(p predictor) bool {
			return !slices.ContainsFunc(m.Columns, func(c prep.Column) bool {
				return c.Name == p.Name && c.Kind == prep.Number && c.Origin == nil && c.Min < c.Max
			})
		})
		for _, c := range m.Columns {
			if k := slices.IndexFunc(list, func(p predictor) bool { return p.Name == c.Name }); k >= 0 {
				list[k].Min, list[k].Max = min(list[k].Min, c.Min), max(list[k].Max, c.Max)
			}
		}
	}
	if len(list) > 2 {
		weight := v.weights()
		slices.SortStableFunc(list, func(a, b predictor) int {
			switch {
			case weight[a.Name] > weight[b.Name]:
				return -1
			case weight[a.Name] < weight[b.Name]:
				return 1
			}
			return 0
		})
	}
	return list
}

// weights are the weights of the baseline's columns: Σ|coefficient| per SD of their terms, or their share in the
// trees.
func (v Page) weights() map[string]float64 {
	column, weight := map[string]string{}, map[string]float64{}
	for _, t := range v.runs[v.Base].Model.Terms {
		column[t.Name] = t.Column
	}
	r := v.runs[v.Base].Result
	for _, c := range r.Coefficients {
		if c.Standardized != nil { // it is masked for rare levels of a run without its data
			weight[column[c.Name]] += math.Abs(*c.Standardized)
		}
	}
	for _, c := range r.Importance {
		weight[column[c.Name]] += c.Share
	}
	return weight
}

// axes are the two columns of the address, or the first others where one is missing.
func (v Page) axes(columns []predictor) (across, up predictor) {
	at := func(name string) int {
		return slices.IndexFunc(columns, func(c predictor) bool { return c.Name == name })
	}
	x, y := at(v.State.X), at(v.State.Y)
	free := func(other int) int {
		if other == 0 {
			return 1
		}
		return 0
	}
	if x < 0 {
		x = free(y)
	}
	if y < 0 || y == x {
		y = free(x)
	}
	return columns[x], columns[y]
}

// heldWords says how the other predictors are held constant.
func (p plane) heldWords() string {
	if !p.held {
		return ""
	}
	return " Other predictors are fixed at their median or most common value."
}

// scoredPlane predicts at every node.
func scoredPlane(ctx context.Context, m *model.Model, across, up predictor) (f planeField) {
	s, err := m.Scorer()
	if err != nil {
		return f
	}
	f.side = planeSide
	if m.Kind == "kernel" || len(m.Support) > 0 || m.Multiclass() && m.Potentials != nil && m.Potentials.Kernel != nil {
		f.side = planeSideKernel
	}
	at := map[string]string{}
	for _, c := range m.Columns {
		at[c.Name] = numberFor(c, c.TypicalValue())
	}
	node := func(p predictor, k int) string {
		text := strconv.FormatFloat(p.Min+float64(k)/float64(f.side-1)*(p.Max-p.Min), 'g', -1, 64)
		return numberFor(m.Columns[slices.IndexFunc(m.Columns, func(c prep.Column) bool { return c.Name == p.Name })], text)
	}
	f.nodes = make([]model.Prediction, 0, f.side*f.side)
	for j := range f.side {
		if ctx.Err() != nil {
			return planeField{}
		}
		at[up.Name] = node(up, j)
		for i := range f.side {
			at[across.Name] = node(across, i)
			f.nodes = append(f.nodes, s.Score(func(name string) (string, bool) { text, ok := at[name]; return text, ok }))
		}
	}
	f.borders = f.contours(m, across, up)
	return f
}

// numberFor writes a number with the decimal mark of its column.
func numberFor(c prep.Column, text string) string {
	if c.Kind == prep.Number && c.Decimal == "," {
		return strings.Replace(text, ".", ",", 1)
	}
	return text
}

// contours are the decision boundaries of a model.
func (f planeField) contours(m *model.Model, across, up predictor) (all []fluid.Contour) {
	field := make([]float64, len(f.nodes))
	add := func(kind, label string, level float64) {
		lines := viz.Isolines(field, f.side, [2]float64{across.Min, across.Max}, [2]float64{up.Min, up.Max}, level)
		if len(lines) > 0 {
			all = append(all, fluid.Contour{Kind: kind, Label: label, Lines: lines})
		}
	}
	if m.Multiclass() {
		abstains := slices.ContainsFunc(f.nodes, func(p model.Prediction) bool { return p.Classes.Class == stat.Abstained })
		for k := range m.Levels {
			if abstains { // no score tells how near the edge of an abstention is
				field = playground.Smoothed(f.side, func(n int) bool { return f.nodes[n].Classes.Class == k })
			} else {
				for n, p := range f.nodes {
					field[n] = lead(p.Classes, k)
				}
			}
			add("boundary", "", 0)
		}
		return all
	}
	for n, p := range f.nodes {
		field[n] = p.Score
	}
	for k, cut := range m.Delta {
		label := ""
		if k < len(m.Boundaries) {
			label = viz.Short(100*m.Boundaries[k], 3) + format.Pc
		}
		add("boundary", label, cut)
	}
	return all
}

// lead is the margin by which a class is the answer: positive where it is. Where the answer is the class with the
// largest score, the boundary is interpolated between nodes.
func lead(p *model.ClassPrediction, k int) float64 {
	best, other := p.Scores[k], math.Inf(-1)
	for c, v := range p.Scores {
		if c != k {
			other = max(other, v)
		}
	}
	if d := best - other; (d > 0) == (p.Class == k) && d != 0 {
		return max(-1, min(1, d))
	}
	if p.Class == k {
		return .01
	}
	return -.01
}
