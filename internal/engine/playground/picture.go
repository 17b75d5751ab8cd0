package playground

import (
	"math"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
)

// Bins of a histogram.
const Bins = 20

// What a histogram counts.
const (
	WeightXi   = "xi"     // influence of a t-logistic point, the largest 1
	WeightG    = "g"      // weight factor: the weight of a point relative to logistic loss
	WeightLead = "margin" // of a loss without one: the margin by the given label
)

// Histogram counts the training points by how much they still weigh.
type Histogram struct {
	Weight                     string
	Symbol                     string
	Title                      string
	Edges                      []float64 // Bins+1
	CleanCounts                []int     // points as they are
	FlippedCounts              []int     // points that noise corrupted
	Roles                      [][]int   // counts by role, where the sample has roles
	Bin                        []int     // of each point of the sample; −1 where it does not train
	Value                      []float64 // of each point of the sample; NaN where it does not train
	MedianClean, MedianFlipped float64   // NaN without points
}

// Marks are the points on the loss of the model.
type Marks struct {
	Z  []float64 // margins by the given label, or the lead of its class, of each training point
	V  []float64 // loss of each
	At []int     // its place in the sample
}

// Curve is a loss of the margin.
type Curve struct {
	Name string
	Z, V []float64
}

// LossPicture is the loss with the training points on it.
type LossPicture struct {
	Axis   string     // what Z is
	Curves []Curve    // none where the loss has no curve in one margin
	Ends   [2]float64 // least and largest margin where the fit ends, at most 20 either side of 0
	Top    float64    // largest loss there
	Points Marks
	Mean   float64
	Bound  float64 // supremum, +Inf without
}

// Look is what a model shows of the training points at a frame.
type Look struct {
	Histogram Histogram
	Loss      LossPicture
}

// Look looks at the training points with the model of a frame.
func (f *Fit) Look(frame int, at *fit.Model) Look {
	frame = f.Place(frame)
	scores, end := f.end(), f.end()
	if at != f.Model {
		scores = f.scores(at)
	}
	look := Look{Histogram: f.histogram(scores, at, f.weighing(frame, at)), Loss: f.lossPicture(scores, at)}
	// The axes are those of the finished fit at every frame: they stand still while
	// one steps through it.
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

// scores of the training points, row by row.
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

// relative divides by the largest.
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

// count sorts the points into bins.
func (h *Histogram) count(f *Fit, value []float64) {
	lo, hi := 0.0, 1.0
	if most := slices.Max(value); h.Weight == WeightLead {
		lo, hi = clipped(value)
	} else {
		// A loss that rises faster than the logistic one, as the α-loss of α < 1, pulls
		// harder than it. 1 stays an edge.
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
		bin := min(Bins-1, max(0, int(Bins*(value[k]-lo)/(hi-lo))))
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

// clipped is the range of finite values, at most 20 either side of 0; those
// beyond are counted in the last bin.
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

// lossPicture puts the points on the loss.
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

// marginOf is the loss of the margin that a model minimises.
func marginOf(m *fit.Model, pi []float64) loss.Margin {
	if m.Method.Family.Margin == nil {
		return nil
	}
	if m.Method.Family.Kind == loss.KindInterval {
		return m.Method.Family.Margin(loss.Values{"pi": {List: pi}})
	}
	return m.Method.Family.Margin(m.Method.Values)
}

// worthOf is the loss of scores.
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

// curvePoints of a loss drawn.
const curvePoints = 121

// curves draws the loss from end to end, and a little beyond.
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
