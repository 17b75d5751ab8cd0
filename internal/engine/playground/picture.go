package playground

import (
	"math"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
)

// Bins is the number of bins of a histogram.
const Bins = 20

// The quantity shown in a histogram.
const (
	WeightXi   = "xi"     // influence ξ under t-logistic regression, scaled to a maximum of 1
	WeightG    = "g"      // weight of the point relative to logistic loss
	WeightLead = "margin" // margin under the observed label, for a loss without weights
)

// Histogram counts the training points by weight, or by margin.
type Histogram struct {
	Weight                     string
	Symbol                     string
	Title                      string
	Edges                      []float64 // Bins+1
	CleanCounts                []int     // clean points
	FlippedCounts              []int     // points corrupted by noise
	Roles                      [][]int   // counts by role, if the sample has roles
	Bin                        []int     // per point of the sample; −1 if it is not trained on
	Value                      []float64 // per point of the sample; NaN if it is not trained on
	MedianClean, MedianFlipped float64   // NaN without such points
}

// Marks are the training points on the loss curve.
type Marks struct {
	Z  []float64 // margin under the observed label, or lead of its class
	V  []float64 // loss
	At []int     // index in the sample
}

// Curve is a loss as a function of the margin.
type Curve struct {
	Name string
	Z, V []float64
}

// LossPicture is the loss curve with the training points.
type LossPicture struct {
	Axis   string     // meaning of Z
	Curves []Curve    // empty if the loss is no function of one margin
	Ends   [2]float64 // range of margins at the end of the fit, within ±20
	Top    float64    // largest loss in this range
	Points Marks
	Mean   float64
	Bound  float64 // supremum of the loss; +Inf = unbounded
}

// Look holds the histogram and the loss of the training points at a frame.
type Look struct {
	Histogram Histogram
	Loss      LossPicture
}

// Look computes both for the model of a frame.
func (f *Fit) Look(frame int, at *fit.Model) Look {
	frame = f.Place(frame)
	scores, end := f.end(), f.end()
	if at != f.Model {
		scores = f.scores(at)
	}
	look := Look{Histogram: f.histogram(scores, at, f.weighing(frame, at)), Loss: f.lossPicture(scores, at)}
	// Axes are scaled by the finished fit, so that they do not change from frame to frame.
	last := look.Loss.Points
	if at != f.Model {
		last = f.lossPicture(end, f.Model).Points
	}
	look.Loss.Ends[0], look.Loss.Ends[1] = clipped(last.Z)
	look.Loss.Top = slices.Max(last.V)
	if l := marginOf(at, f.Setting.Boundaries); at.Single() && l != nil {
		look.Loss.Curves = curves(l, at.Method.Family.Kind == loss.KindInterval, look.Loss.Ends)
	}
	return look
}

// scores are the scores of the training points, row by row.
func (f *Fit) scores(m *fit.Model) []float64 {
	k := m.Outputs()
	out := make([]float64, len(f.rows)*k)
	spans(len(f.rows), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			m.Scores(out[i*k:(i+1)*k], f.x.Row(i))
		}
	})
	return out
}

func (f *Fit) histogram(scores []float64, at, weighing *fit.Model) Histogram {
	if weighing != at {
		scores = f.scores(weighing)
	}
	k := weighing.Outputs()
	value, weighs := make([]float64, len(f.rows)), true
	for i, y := range f.y {
		g, ok := weighing.Importance(y, scores[i*k:(i+1)*k])
		value[i], weighs = g, weighs && ok
	}
	h := Histogram{Weight: WeightG, Symbol: "g", Title: "Weight of each point relative to logistic loss"}
	switch {
	case !weighs:
		h.Weight, h.Symbol, h.Title = WeightLead, "z", "Margin under the observed label"
		for i, y := range f.y {
			value[i] = lead(weighing, scores[i*k:(i+1)*k], y)
		}
	case weighing.Method.Family.Relative:
		h.Weight, h.Symbol, h.Title = WeightXi, "ξ", "Weight ξ of each point, the largest 1"
		relative(value)
	}
	h.count(f, value)
	return h
}

// relative divides by the maximum.
func relative(v []float64) {
	most := 0.0
	for _, x := range v {
		most = max(most, x)
	}
	for i := range v {
		if most > 0 {
			v[i] /= most
		}
	}
}

// count assigns the points to bins.
func (h *Histogram) count(f *Fit, value []float64) {
	lo, hi := 0.0, 1.0
	if most := slices.Max(value); h.Weight == WeightLead {
		lo, hi = clipped(value)
	} else {
		// A loss that is steeper than logistic, such as the α-loss with α < 1, has weights
		// above 1. The axis is extended so that 1 stays an edge of a bin.
		for _, end := range []float64{2, 5, 10, 20} {
			if most > hi {
				hi = end
			}
		}
	}
	h.Edges = make([]float64, Bins+1)
	for k := range h.Edges {
		h.Edges[k] = lo + (hi-lo)*float64(k)/Bins
	}
	n := len(f.Sample.Class)
	h.CleanCounts, h.FlippedCounts, h.Bin, h.Value = make([]int, Bins), make([]int, Bins), make([]int, n),
		make([]float64, n)
	for i := range n {
		h.Bin[i], h.Value[i] = -1, math.NaN()
	}
	if f.Sample.Roles != nil {
		h.Roles = make([][]int, len(f.Sample.Roles))
		for r := range h.Roles {
			h.Roles[r] = make([]int, Bins)
		}
	}
	var clean, flipped []float64
	for k, i := range f.rows {
		bin := stat.BinAt(Bins*(value[k]-lo)/(hi-lo), Bins)
		h.Bin[i], h.Value[i] = bin, value[k]
		if f.Corruption.Corrupted[i] {
			h.FlippedCounts[bin]++
			flipped = append(flipped, value[k])
		} else {
			h.CleanCounts[bin]++
			clean = append(clean, value[k])
		}
		if h.Roles != nil {
			h.Roles[f.Sample.Role[i]][bin]++
		}
	}
	h.MedianClean, h.MedianFlipped = median(clean), median(flipped)
}

// clipped is the range of finite values within ±20; values beyond are counted in the outer
// bins.
func clipped(v []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, x := range v {
		x = min(20, max(-20, x))
		lo, hi = min(lo, x), max(hi, x)
	}
	if !(hi > lo) {
		lo, hi = lo-1, lo+1
	}
	return lo, hi
}

// lossPicture computes the loss curve and the loss of each point.
func (f *Fit) lossPicture(scores []float64, m *fit.Model) LossPicture {
	k, n := m.Outputs(), len(f.rows)
	p := LossPicture{Axis: "margin z", Bound: math.Inf(1), Points: Marks{Z: make([]float64, n), V: make([]float64, n),
		At: f.rows}}
	if !m.Single() {
		p.Axis = "margin of the observed class"
		if m.Method.Family.Kind == loss.KindThreshold {
			p.Axis = "distance to the nearest threshold"
		}
	}
	worth := worthOf(m, f.Setting.Boundaries)
	for i, y := range f.y {
		row := scores[i*k : (i+1)*k]
		p.Points.Z[i], p.Points.V[i] = lead(m, row, y), worth(y, row)
		p.Mean += p.Points.V[i] / float64(n)
	}
	if !m.Single() {
		return p
	}
	if l := marginOf(m, f.Setting.Boundaries); l != nil {
		if r, ok := l.(loss.Regimer); ok {
			p.Bound = r.Regime().Bound
		}
	}
	return p
}

// marginOf is the margin loss that a model minimises.
func marginOf(m *fit.Model, pi []float64) loss.Margin {
	if m.Method.Family.Margin == nil {
		return nil
	}
	if m.Method.Family.Kind == loss.KindInterval {
		return m.Method.Family.Margin(loss.Values{"pi": {List: pi}})
	}
	return m.Method.Family.Margin(m.Method.Values)
}

// worthOf is the loss as a function of scores.
func worthOf(m *fit.Model, pi []float64) func(y int, f []float64) float64 {
	if l := marginOf(m, pi); l != nil {
		return func(y int, f []float64) float64 {
			s := float64(2*y - 1)
			return l.Value(s, s*f[0])
		}
	}
	if m.Method.Family.Kind == loss.KindThreshold {
		l, eta := m.Method.Family.Threshold(m.Method.Values), make([]float64, m.Outputs())
		return func(y int, f []float64) float64 { // f is the score less each threshold
			for j, v := range f {
				eta[j] = -v
			}
			return l.Value(y, 0, eta)
		}
	}
	l := m.Method.Family.New(m.Method.Values, m.Task.Classes)
	return l.Value
}

// curvePoints is the number of points of a drawn curve.
const curvePoints = 121

// curves samples the loss over the range ends and slightly beyond.
func curves(l loss.Margin, sided bool, ends [2]float64) []Curve {
	lo, hi := min(ends[0]-.5, -2), max(ends[1]+.5, 2)
	signs, names := []float64{1}, []string{"loss"}
	if sided {
		signs, names = []float64{-1, 1}, []string{"no event", "event"}
	}
	all := make([]Curve, len(signs))
	for c, s := range signs {
		all[c].Name = names[c]
		for k := range curvePoints {
			z := lo + (hi-lo)*float64(k)/(curvePoints-1)
			if v := l.Value(s, z); !math.IsInf(v, 0) && !math.IsNaN(v) {
				all[c].Z, all[c].V = append(all[c].Z, z), append(all[c].V, v)
			}
		}
	}
	return all
}
