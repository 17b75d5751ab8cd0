package playground

import (
	"math"
	"slices"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/synth"
)

// TestPlaces: coincident points form a sunflower spiral with steps of 137.5°, within .055 of
// the view; isolated points do not move.
func TestPlaces(t *testing.T) {
	x := linear.Matrix{Rows: 10, Cols: 3, Data: make([]float64, 30)}
	for i := range x.Rows {
		copy(x.Row(i), []float64{99, 2, 3})
	}
	s, o := &Sample{X: x}, &Corruption{X: x}
	view := View{Column: [2]int{1, 2}, X: [2]float64{0, 10}, Y: [2]float64{-20, 20}}
	px, py, spread := s.Places(o, view)
	if !spread || px[0] != 2 || py[0] != 3 {
		t.Fatalf("the first of ten is at %v, %v, spread %v", px[0], py[0], spread)
	}
	golden := math.Pi * (3 - math.Sqrt(5)) // 137.5°
	if !(math.Abs(golden*180/math.Pi-137.50776405) <= 1e-6) {
		t.Fatal(golden)
	}
	for k := range px {
		// In fractions of the view.
		dx, dy := (px[k]-2)/10, (py[k]-3)/40
		if r, want := math.Hypot(dx, dy), .055*math.Sqrt(float64(k)/10); !(math.Abs(r-want) <= 1e-12) {
			t.Errorf("point %d is moved by %v of the view, want %v", k, r, want)
		}
		if k > 0 && !(math.Abs(math.Remainder(math.Atan2(dy, dx)-float64(k)*golden, 2*math.Pi)) <= 1e-9) {
			t.Errorf("point %d is turned by %v", k, math.Atan2(dy, dx))
		}
	}
	for i := range x.Rows {
		x.Row(i)[1] = float64(i / 3) // four positions of ten points: hardly any coincide
	}
	if px, _, spread := s.Places(o, view); spread || px[9] != 3 {
		t.Errorf("spread %v, the last at %v", spread, px[9])
	}
}

// TestRBFSurface: the nodes of a surface of RBF features, whose Gaussians are computed once per axis, have the scores
// of their points, to the bit, with the columns in either order.
func TestRBFSurface(t *testing.T) {
	s, err := GenerateSample(t.Context(), "ordinal-stripes", 60, 4, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := fitted(t, s, spoil(t, s, synth.NoiseRandom, .2), fit.Spec{Kind: "linear", Loss: "al-squared"},
		Setting{L2: .01, Features: Features{Kind: RBF}})
	m, err := f.ModelAt(t.Context(), -1)
	if err != nil {
		t.Fatal(err)
	}
	for _, columns := range [][2]int{{0, 1}, {1, 0}} {
		v := s.View(columns[0], columns[1])
		k := m.Outputs()
		x, seen, want := make([]float64, 2), make([]float64, f.Mapper.width()), make([]float64, Side*Side*k)
		for n := range Side * Side {
			v.place(x, float64(n%Side)/(Side-1), float64(n/Side)/(Side-1))
			f.Mapper.row(seen, x)
			m.Scores(want[n*k:(n+1)*k], seen)
		}
		if !slices.Equal(v.scores(f, m), want) {
			t.Errorf("columns %v: the surface has other scores than its points", columns)
		}
	}
}
