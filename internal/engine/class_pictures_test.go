package engine

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"taper/internal/engine/crossfit"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table/tabletest"
)

// TestClassPictures holds the curves of each class to pairs of stored rows,
// counted by hand, and the trace of every solver to its result.
func TestClassPictures(t *testing.T) {
	tbl := shipped(t, "iris.csv")
	for _, c := range []struct {
		task, by string
		m        fit.Spec
	}{
		{"multiclass", ByProbability, fit.Spec{Loss: "softmax"}},
		{"multiclass", ByLead, fit.Spec{Loss: "al-zero-one"}},
		{"multiclass", ByLead, fit.Spec{Loss: "ww", Solver: "pegasos"}},
		{"ordinal", ByLead, fit.Spec{Loss: "all-threshold"}},
		{"abstain", ByProbability, fit.Spec{Loss: "tempered-multiclass"}},
		{"multiclass", ByLead, fit.Spec{Kind: "kernel", Loss: "cs", Kernel: &fit.Kernel{Name: "rbf", Gamma: .5}}},
	} {
		s := irisSpec(c.task, c.m.Loss)
		c.m.L2 = s.Model.L2
		s.Model = c.m
		r := fitOf(t, tbl, s)
		p := r.Classes.Pictures
		if p.By != c.by || len(p.Classes) != 3 || (p.GiveUp != nil) != (c.m.Loss == "tempered-multiclass") {
			t.Fatalf("%s: by %s, %d classes, give-up %v", r.Method, p.By, len(p.Classes), p.GiveUp != nil)
		}
		for k, one := range p.Classes {
			if want := concordance(r, k); !(math.Abs(*one.ROC.AUC.Value-want) <= 1e-12) || one.Rows != 50 || len(one.ROC.Points) < 2 {
				t.Errorf("%s, %s: area %v over %d rows, pairs say %v", r.Method, one.Level, *one.ROC.AUC.Value, one.Rows, want)
			}
			checkClassCurve(t, r, k)
		}
		n := len(r.Trace)
		if n < 2 || n > crossfit.MostTrace || r.Trace[n-1].Iteration != r.Iterations || !(math.Abs(r.Trace[n-1].Objective-r.Objective) <= 1e-9*r.Objective) {
			t.Fatalf("%s: a trace of %d points ends off %v after %d", r.Method, n, r.Objective, r.Iterations)
		}
		last := r.Trace[n-1]
		if (last.Gap != nil) != (r.Gap != nil) || last.Gap != nil && *last.Gap != *r.Gap || (last.GradientNorm != nil) != (r.GradientNorm != nil) {
			t.Errorf("%s: the trace ends with %+v", r.Method, last)
		}
	}
}

// concordance is the share of pairs of a row of class k and another that its
// probability, or the margin of its score, puts in order.
func concordance(r *Result, k int) float64 {
	var own, other []float64
	for _, row := range r.Rows {
		v := row.Scores[k] - slices.Max(slices.Delete(slices.Clone(row.Scores), k, k+1))
		if row.Probabilities != nil {
			v = row.Probabilities[k]
		}
		if row.Outcome == r.Classes.Levels[k] {
			own = append(own, v)
		} else {
			other = append(other, v)
		}
	}
	total := 0.0
	for _, a := range own {
		for _, b := range other {
			if a > b {
				total++
			} else if a == b {
				total += .5
			}
		}
	}
	return total / float64(len(own)*len(other))
}

// checkClassCurve holds the calibration of a class to that of its stored
// probabilities.
func checkClassCurve(t *testing.T, r *Result, k int) {
	t.Helper()
	one := r.Classes.Pictures.Classes[k]
	if r.Classes.Pictures.By == ByLead {
		if one.Calibration != nil {
			t.Errorf("%s: calibration of scores", r.Method)
		}
		return
	}
	var prob []float64
	var event []bool
	for _, row := range r.Rows {
		prob, event = append(prob, row.Probabilities[k]), append(event, row.Outcome == one.Level)
	}
	want := stat.CalibrationErrors(prob, event)
	switch got := one.Calibration.ICI; {
	case got == nil != math.IsNaN(want[0]):
		t.Errorf("%s, %s: mean distance %v, want %v", r.Method, one.Level, got, want[0])
	case got != nil && !(math.Abs(*got-want[0]) <= 1e-9):
		t.Errorf("%s, %s: mean distance %v, want %v", r.Method, one.Level, *got, want[0])
	}
}

// TestClassGiveUp counts the factors by hand: at t2 = 1 the model's own
// probabilities are softmax, so p^(1−t1) has a closed form.
func TestClassGiveUp(t *testing.T) {
	s := irisSpec("multiclass", "tempered-multiclass")
	s.Model.Params = map[string]any{"t1": .5, "t2": 1.0}
	r := fitOf(t, shipped(t, "iris.csv"), s)
	var want [pictureBins]int
	wrong, half := 0, 0
	for _, row := range r.Rows {
		own := slices.Index(r.Classes.Levels, row.Outcome)
		sum := 0.0
		for _, f := range row.Scores {
			sum += math.Exp(f - row.Scores[own])
		}
		g := math.Pow(sum, -.5)
		want[max(0, int(math.Ceil(g*pictureBins))-1)]++
		if g < .5 {
			half++
		}
		if row.Predicted != own {
			wrong++
		}
	}
	got := r.Classes.Pictures.GiveUp
	for k, b := range got.Bins {
		if b.Right+b.Wrong != want[k] || !(math.Abs(b.Lower-float64(k)/pictureBins) <= 1e-12) || b.Flipped != 0 {
			t.Errorf("bin %d %+v, want %d rows", k, b, want[k])
		}
		wrong -= b.Wrong
	}
	if got.Half != half || wrong != 0 || half == 0 {
		t.Errorf("%d rows below half, want %d; %d wrong answers missed", got.Half, half, wrong)
	}
	s.Noise = runspec.Noise{Kind: "symmetric", Rate: .2}
	r = fitOf(t, shipped(t, "iris.csv"), s)
	flipped, few := 0, 0
	for k, b := range r.Classes.Pictures.GiveUp.Bins {
		flipped += b.Flipped
		if k < pictureBins/2 {
			few += b.Flipped
		}
	}
	if flipped != r.Flow.Flipped || flipped == 0 || 2*few < flipped {
		t.Errorf("%d flipped rows in the bins of %d, %d of them below half", flipped, r.Flow.Flipped, few)
	}
}

// TestClassPicturesOfMany draws the eight most common of ten classes and tells the
// area of all.
func TestClassPicturesOfMany(t *testing.T) {
	records := [][]string{{"class", "x"}}
	for k := range 10 {
		for i := range 6 + k {
			records = append(records, []string{"k" + strconv.Itoa(k), strconv.FormatFloat(float64(k)+.9*float64(i%7), 'g', -1, 64)})
		}
	}
	s := irisSpec("multiclass", "softmax")
	s.Outcome = "class"
	for k, one := range fitOf(t, tabletest.FromRecords(records), s).Classes.Pictures.Classes {
		if drawn := k >= 2; (one.ROC.Points != nil) != drawn || (one.Calibration != nil) != drawn || one.ROC.AUC.Value == nil || one.Rows != 6+k {
			t.Errorf("%s: %d points, calibration %v, area %v of %d rows", one.Level, len(one.ROC.Points), one.Calibration != nil, one.ROC.AUC.Value, one.Rows)
		}
	}
}
