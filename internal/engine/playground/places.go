package playground

import "math"

// Places are the positions of the points in a view, with their training features. Coincident
// points are jittered along a sunflower spiral so that each is visible; spread reports whether
// any were.
func (s *Sample) Places(o *Corruption, v View) (x, y []float64, spread bool) {
	n := s.X.Rows
	x, y = make([]float64, n), make([]float64, n)
	seen := map[[2]float64]int{}
	for i := range n {
		row := o.X.Row(i)
		x[i], y[i] = row[v.Column[0]], row[v.Column[1]]
		seen[[2]float64{x[i], y[i]}]++
	}
	if 4*len(seen) > n { // hardly any points coincide
		return x, y, false
	}
	most := 0
	for _, k := range seen {
		most = max(most, k)
	}
	radius := .055 / math.Sqrt(float64(most))
	clear(seen)
	for i := range n {
		at := [2]float64{x[i], y[i]}
		k := seen[at]
		seen[at]++
		r, turn := radius*math.Sqrt(float64(k)), float64(k)*math.Pi*(3-math.Sqrt(5))
		x[i] += r * math.Cos(turn) * (v.X[1] - v.X[0])
		y[i] += r * math.Sin(turn) * (v.Y[1] - v.Y[0])
	}
	return x, y, true
}

// Bytes estimates the memory of a fit.
func (f *Fit) Bytes() int {
	size := 8 * (len(f.x.Data) + len(f.y)*(1+f.Model.Outputs())) // includes the final scores
	for _, fr := range f.Frames {
		size += 128
		if fr.step != nil {
			size += 8 * len(fr.step.W)
		}
	}
	if f.Model.Fitted != nil && f.Model.Fitted.Trees != nil {
		for _, t := range f.Model.Fitted.Trees.Trees {
			size += 64 + 40*len(t.Nodes)
		}
	}
	if p := f.Model.Potential; p != nil {
		for _, r := range p.Model.Rows {
			size += 8 * (len(r) + 4)
		}
	}
	return size
}

// Bytes estimates the memory of a sample.
func (s *Sample) Bytes() int {
	return 8*(len(s.X.Data)+len(s.FreshX.Data)) + 32*(len(s.Class)+len(s.FreshClass))
}
