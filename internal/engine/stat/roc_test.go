package stat

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Reference: sklearn.metrics 1.2.1 roc_curve(drop_intermediate=True); its
// counts of events and others. What sklearn drops lies on straight lines.
func TestROCAgainstSklearn(t *testing.T) {
	f, _, y := sample()
	c := ROC(f, y, 200)
	fp := []float64{0, 0, 0, 0, 0, 2, 3, 3, 4, 4, 5, 5, 10, 11, 12, 16, 23}
	tp := []float64{0, 1, 3, 7, 9, 9, 10, 13, 13, 14, 15, 16, 16, 17, 17, 17, 17}
	for i := range fp {
		if x, y := fp[i]/23, tp[i]/17; !on(c.Points, x, y) {
			t.Errorf("curve misses (%v, %v)", x, y)
		}
	}
	close(t, "area", *c.AUC.Value, 0.9092071611253197, 1e-14)
}

// on reports whether a point lies on the line through the points.
func on(points []ROCPoint, x, y float64) bool {
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		if x < a.FPR-1e-12 || x > b.FPR+1e-12 || y < a.TPR-1e-12 || y > b.TPR+1e-12 {
			continue
		}
		if math.Abs((x-a.FPR)*(b.TPR-a.TPR)-(y-a.TPR)*(b.FPR-a.FPR)) < 1e-12 {
			return true
		}
	}
	return false
}

// The trapezoids under the corners are the AUC with ties ½; each point is what
// counting at its threshold gives; a rising map of the scores changes nothing.
func TestROCProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "rows")
		score, event, mapped := make([]float64, n), make([]bool, n), make([]float64, n)
		for i := range n {
			score[i] = float64(rapid.IntRange(-9, 9).Draw(t, "score"))
			mapped[i] = math.Exp(score[i] / 3)
			event[i] = i == 0 || i > 1 && rapid.Bool().Draw(t, "event")
		}
		c, area := ROC(score, event, 1000), 0.0
		for i, p := range c.Points {
			tp, fp := called(score, event, p.Threshold)
			if p.TPR != tp || p.FPR != fp {
				t.Fatalf("point %+v, counted %v, %v", p, fp, tp)
			}
			if i > 0 {
				area += (p.FPR - c.Points[i-1].FPR) * (p.TPR + c.Points[i-1].TPR) / 2
			}
		}
		if !(math.Abs(area-*c.AUC.Value) <= 1e-13) {
			t.Fatalf("trapezoids %v, AUC %v", area, *c.AUC.Value)
		}
		m := ROC(mapped, event, 1000)
		for i := range m.Points {
			if m.Points[i].FPR != c.Points[i].FPR || m.Points[i].TPR != c.Points[i].TPR {
				t.Fatal("a rising map changed the curve")
			}
		}
	})
}

// called counts the rows at the threshold and above, as shares of their class.
func called(score []float64, event []bool, threshold *float64) (tpr, fpr float64) {
	var rows, above [2]float64
	for i, e := range event {
		k := 0
		if e {
			k = 1
		}
		rows[k]++
		if threshold != nil && score[i] >= *threshold {
			above[k]++
		}
	}
	return above[1] / rows[1], above[0] / rows[0]
}

// Thinned to 200 points, no corner is farther from the curve than the limit.
func TestROCThin(t *testing.T) {
	const n = 20000
	score, event := make([]float64, n), make([]bool, n)
	for i := range n {
		u := math.Mod(float64(i)*0.6180339887498949, 1)
		event[i] = i%5 == 0
		score[i] = u
		if event[i] {
			score[i] = math.Sqrt(u)
		}
	}
	full, c := ROC(score, event, n), ROC(score, event, 200)
	if len(c.Points) > 200 || len(c.Points) < 150 {
		t.Errorf("%d points", len(c.Points))
	}
	if last := c.Points[len(c.Points)-1]; c.Points[0].TPR != 0 || last.TPR != 1 || last.FPR != 1 {
		t.Error("the curve does not run from corner to corner")
	}
	j := 0
	for _, p := range full.Points {
		for c.Points[j+1].FPR+c.Points[j+1].TPR < p.FPR+p.TPR {
			j++
		}
		a, b := c.Points[j], c.Points[j+1]
		length := math.Hypot(b.FPR-a.FPR, b.TPR-a.TPR)
		if d := math.Abs((p.FPR-a.FPR)*(b.TPR-a.TPR)-(p.TPR-a.TPR)*(b.FPR-a.FPR)) / length; d > 2.0/199 {
			t.Fatalf("corner %+v is %v off", p, d)
		}
	}
}

func TestROCUndefined(t *testing.T) {
	for _, c := range []ROCCurve{ROC(nil, nil, 9), ROC([]float64{1, 2}, []bool{true, true}, 9), ROC([]float64{1, math.NaN()}, []bool{true, false}, 9)} {
		if d := cmp.Diff(ROCCurve{}, c); d != "" {
			t.Error(d)
		}
	}
}
