package main

import (
	"math"
	"slices"
	"strconv"

	"taper/internal/engine"
	"taper/internal/engine/compare"
	"taper/internal/viz"
	"taper/web/templates"
)

// The plane of runs with the same two numbers for predictors: where each cuts
// it, one over the other.

// borderSide is how many nodes a side of the plane has; fewer for kernels, whose
// every score is a sum over rows.
const (
	borderSide       = 81
	borderSideKernel = 49
)

// borderFigure draws the borders of the bands or answers of each run.
func (v sideBySide) borderFigure() (viz.Figure, bool) {
	across, up, ok := v.plane()
	if !ok {
		return viz.Figure{}, false
	}
	o := viz.Overlay{ID: "borders", Title: "Borders in the plane of " + across.Name + " and " + up.Name, X: viz.Axis{Name: across.Name + ", upwards " + up.Name, Ends: [2]float64{across.Min, across.Max}},
		Y: viz.Axis{Ends: [2]float64{up.Min, up.Max}}, Head: []string{"Run", across.Name, "Borders at " + up.Name}}
	v.each(func(i int) {
		t, some := borders(v.rows[i].Model, across, up)
		if !some {
			return
		}
		t.Name, t.Mark = v.Names[i], runMarks[i]
		o.Lines = append(o.Lines, t)
		for _, share := range []float64{.25, .5, .75} {
			x := across.Min + share*(across.Max-across.Min)
			o.Rows = append(o.Rows, []string{v.Names[i], viz.Short(x, 3), crossings(t, x)})
		}
	})
	o.Sentence = "Where the final fit of each run goes from one band or answer to the next, within the range of the rows trained on."
	if len(o.Lines) < len(v.runs) {
		o.Sentence += " Runs that give one answer everywhere have no line."
	}
	return viz.Overlaid(o), len(o.Lines) > 0
}

// planeColumn is a predictor with the range that all runs trained on.
type planeColumn struct {
	Name     string
	Min, Max float64
}

// plane is the two numbers that every run takes, in the baseline's order; none
// where a run takes others.
func (v sideBySide) plane() (across, up planeColumn, ok bool) {
	var pair [2]planeColumn
	for _, i := range v.order() {
		m := v.rows[i].Model
		if m == nil || len(m.Columns) != 2 || v.runs[i].DatasetSHA != v.runs[v.Base].DatasetSHA {
			return across, up, false
		}
		for j, c := range m.Columns {
			k := j
			if i != v.Base {
				k = slices.IndexFunc(pair[:], func(p planeColumn) bool { return p.Name == c.Name })
			}
			if k < 0 || c.Kind != "number" || !(c.Min < c.Max) {
				return across, up, false
			}
			if i == v.Base {
				pair[k] = planeColumn{c.Name, c.Min, c.Max}
			}
			pair[k].Min, pair[k].Max = min(pair[k].Min, c.Min), max(pair[k].Max, c.Max)
		}
	}
	return pair[0], pair[1], true
}

// borders are the lines between the bands or answers of a model, with a gap
// between one line and the next.
func borders(m *engine.Model, across, up planeColumn) (t viz.Trace, ok bool) {
	s, err := m.Scorer()
	if err != nil {
		return t, false
	}
	side := borderSide
	if m.Kind == "kernel" || len(m.Support) > 0 || m.Several() && m.Potentials != nil && m.Potentials.Kernel != nil {
		side = borderSideKernel
	}
	grid := scored(s, across, up, side)
	x, y := [2]float64{across.Min, across.Max}, [2]float64{up.Min, up.Max}
	add := func(field []float64, level float64) {
		for _, line := range viz.Isolines(field, side, x, y, level) {
			for _, p := range line {
				t.X, t.Y = append(t.X, p[0]), append(t.Y, p[1])
			}
			t.X, t.Y = append(t.X, math.NaN()), append(t.Y, math.NaN())
		}
	}
	field := make([]float64, len(grid))
	if m.Several() {
		for k := range m.Levels {
			for n, p := range grid {
				field[n] = lead(p.Classes, k)
			}
			add(field, 0)
		}
		return t, len(t.X) > 0
	}
	for n, p := range grid {
		field[n] = p.Score
	}
	for _, cut := range m.Delta {
		add(field, cut)
	}
	return t, len(t.X) > 0
}

// lead is how far a class is ahead as the answer: positive where it is given.
// Where the answer is that of the largest score the border runs between nodes.
func lead(p *engine.ClassPrediction, k int) float64 {
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

// scored are the answers at the nodes of the plane, row by row from below.
func scored(s *engine.Scorer, across, up planeColumn, side int) []engine.Prediction {
	out := make([]engine.Prediction, side*side)
	node := func(c planeColumn, i int) string {
		return strconv.FormatFloat(c.Min+float64(i)/float64(side-1)*(c.Max-c.Min), 'g', -1, 64)
	}
	for j := range side {
		at := map[string]string{up.Name: node(up, j)}
		for i := range side {
			at[across.Name] = node(across, i)
			out[j*side+i] = s.Score(func(name string) (string, bool) { text, ok := at[name]; return text, ok })
		}
	}
	return out
}

// crossings are the places at which the lines of a run cross an upright.
func crossings(t viz.Trace, x float64) string {
	var all []float64
	for i := 1; i < len(t.X); i++ {
		a, b := t.X[i-1]-x, t.X[i]-x
		if a < 0 == (b < 0) || math.IsNaN(a) || math.IsNaN(b) {
			continue
		}
		all = append(all, t.Y[i-1]+(t.Y[i]-t.Y[i-1])*a/(a-b))
	}
	slices.Sort(all)
	text := ""
	for i, y := range all {
		if i > 0 && y-all[i-1] < 1e-6*math.Abs(y) {
			continue // two classes share the border
		}
		if text != "" {
			text += "; "
		}
		text += viz.Short(y, 3)
	}
	return or(text, viz.None)
}

// answerTables are who changed answer, a table for each true class.
func (v sideBySide) answerTables(i int, list []compare.Answers) []templates.MoveTable {
	empty := true // nobody went without an answer
	for _, a := range list {
		last := len(a.Counts) - 1
		for k := range a.Counts {
			empty = empty && a.Counts[k][last] == 0 && a.Counts[last][k] == 0
		}
	}
	var all []templates.MoveTable
	for c, a := range list {
		names := make([]string, 0, len(list)+1)
		for _, other := range list {
			names = append(names, other.Level)
		}
		if !empty {
			names = append(names, "no answer")
		}
		all = append(all, v.answerTable(i, c, a, names))
	}
	return all
}

func (v sideBySide) answerTable(i, c int, a compare.Answers, names []string) templates.MoveTable {
	t := templates.MoveTable{Title: "Class " + a.Level, N: viz.Count(a.N), From: v.Names[v.Base], To: v.Names[i], By: "answer"}
	right, wrong, stayed := 0, 0, 0
	for from := range names {
		row, all := templates.MoveBand{Name: names[from]}, 0
		for to := range names {
			n := a.Counts[from][to]
			all += n
			cell := templates.MoveCell{Text: viz.Count(n)}
			switch {
			case from == to:
				cell.Kind = "stay"
				stayed += n
			case to == c:
				cell.Kind, cell.Spoken = "better", " become right"
				right += n
			case from == c:
				cell.Kind, cell.Spoken = "worse", " no longer right"
				wrong += n
			}
			if n == 0 {
				cell.Text = "·"
				if cell.Kind != "stay" {
					cell.Kind, cell.Spoken = "", ""
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		row.All = viz.Count(all)
		t.Bands = append(t.Bands, row)
	}
	t.Right, t.Wrong, t.Stay = viz.Count(right)+" become right", viz.Count(wrong)+" no longer right", viz.Count(stayed)+" answered the same"
	return t
}
