package model

import (
	"math"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
	"taper/internal/engine/prep"
)

func TestCheckRecalibration(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b float64
		ok   bool
	}{
		{"none", 0, 1, true}, {"the least slope", 0, .01, true}, {"below", 0, .0099, false},
		{"the largest slope", 0, 100, true}, {"above", 0, 100.1, false}, {"the least intercept", -50, 1, true},
		{"the largest intercept", 50, 1, true}, {"beyond", -50.1, 1, false}, {"no number", math.NaN(), 1, false},
		{"no slope", 0, math.NaN(), false}, {"turned", 0, -1, false},
	} {
		if err := CheckRecalibration(c.a, c.b); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestRecalibratedModel: after recalibration logit P is a + b·logit p.
func TestRecalibratedModel(t *testing.T) {
	for _, c := range []struct {
		name  string
		m     Model
		shift float64
	}{
		{"logistic", Model{Link: loss.LinkLogistic, Weights: []float64{2, -1}, Intercept: .5}, -.7},
		{"scaled by 2", Model{Link: loss.LinkScaled, LinkScale: 2, Weights: []float64{2, -1}, Intercept: .5}, -.35},
	} {
		moved, shift, err := c.m.Recalibrate(-.7, 1.5)
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(shift-c.shift) <= 1e-15) || !(math.Abs(moved.Intercept-(.75+c.shift)) <= 1e-15) || moved.Weights[0] != 3 ||
			moved.Weights[1] != -1.5 || c.m.Weights[0] != 2 || c.m.Intercept != .5 {
			t.Errorf("%s: %+v, shift %v", c.name, moved, shift)
		}
	}
	for name, m := range map[string]Model{"no probability": {Link: loss.LinkNone}, "no link": {}} {
		if _, _, err := m.Recalibrate(0, 1); err == nil || m.Recalibrates() {
			t.Errorf("%s was moved", name)
		}
	}
}

// TestExpansionInFile: a kernel score survives writing and reading.
func TestExpansionInFile(t *testing.T) {
	x := linear.Matrix{Rows: 2, Cols: 2, Data: []float64{1, 2, 3, -1}}
	for _, c := range []struct {
		name   string
		kernel multiclass.Kernel
		gamma  float64 // as stored in the file
		want   float64
	}{
		{"linear", multiclass.Kernel{Name: multiclass.KernelLinear, Gamma: .7}, 0, .25 + .5*1*1 + -2*3*1},
		{"radial", multiclass.Kernel{Name: multiclass.KernelRBF, Gamma: .1, Degree: 3}, .1,
			.25 + .5*math.Exp(-.1*4) - 2*math.Exp(-.1*(4+1))},
	} {
		e, err := fit.NewExpansion(c.kernel, [][]float64{x.Row(0), x.Row(1)}, []float64{.5, -2}, .25, 2)
		if err != nil {
			t.Fatal(err)
		}
		m := Model{}
		m.SetExpansion(e)
		m.Terms = append(m.Terms, make([]prep.Term, 2)...)
		if len(m.Support) != 2 || m.Support[1][0] != 3 || m.Kernel.Gamma != c.gamma || m.Kernel.Degree != 0 {
			t.Errorf("%s: the file has %+v over %v", c.name, m.Kernel, m.Support)
		}
		back, err := m.expansion()
		if err != nil {
			t.Fatal(err)
		}
		if got := back.Score([]float64{1, 0}); !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("%s: score %v, want %v", c.name, got, c.want)
		}
	}
}
