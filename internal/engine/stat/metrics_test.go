package stat

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// close fails the test when got and want differ by more than tol, relative or
// absolute.
func close(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// sample is 40 rows with tied scores, made by a formula that any language can
// redo; p is miscalibrated deliberately.
func sample() (f, p []float64, y []bool) {
	for i := range 40 {
		x := float64(i)
		v := math.Sin(1.7*x+0.3)*2 + 0.4*math.Cos(0.9*x)
		y = append(y, math.Sin(2.3*x)+v*0.6 > 0.35)
		v = math.Round(v*10) / 10
		f, p = append(f, v), append(p, 1/(1+math.Exp(0.4-v)))
	}
	return f, p, y
}

// Reference: sklearn.metrics 1.2.1 (roc_auc_score, brier_score_loss, log_loss,
// balanced_accuracy_score); scipy 1.10.1 brentq and root for the calibration.
func TestClassification(t *testing.T) {
	f, p, y := sample()
	b := Classification(Scores{Event: y, Score: f, Probability: p})
	for _, tt := range []struct {
		what string
		got  *float64
		want float64
	}{
		{"AUC", b.AUC, 0.9092071611253197},
		{"Brier", b.Brier, 0.1264631061274985},
		{"scaled Brier", b.ScaledBrier, 0.4825039135447631},
		{"log loss", b.LogLoss, 0.4042968460340144},
		{"accuracy", b.Accuracy, 0.8},
		{"balanced accuracy", b.BalancedAccuracy, 0.7953964194373402},
		{"sensitivity", b.Sensitivity, 0.7647058823529411},
		{"specificity", b.Specificity, 0.8260869565217391},
		{"calibration intercept", b.CalibrationIntercept, -0.09024407427346612},
		{"calibration slope", b.CalibrationSlope, 1.5779201728954835},
	} {
		close(t, tt.what, *tt.got, tt.want, 1e-12)
	}
	if b.IntervalLoss != nil {
		t.Error("interval loss without boundaries")
	}
}

// Without probability the decision is f > 0, or f > Cut; nothing that needs a
// probability exists.
func TestClassificationWithoutProbability(t *testing.T) {
	s := Scores{Event: []bool{true, true, false, false, false}, Score: []float64{0.5, -1, 0, 0.2, -3},
		Band: []int{2, 0, 1, 1, 0}, Pi: []float64{0.2, 0.6}}
	b := Classification(s)
	close(t, "accuracy", *b.Accuracy, 3.0/5, 1e-15)
	close(t, "sensitivity", *b.Sensitivity, 1.0/2, 1e-15)
	close(t, "specificity", *b.Specificity, 2.0/3, 1e-15)
	close(t, "balanced accuracy", *b.BalancedAccuracy, 7.0/12, 1e-15)
	close(t, "interval loss", *b.IntervalLoss, (0+1.2+0.2+0.2+0)/5, 1e-15)
	if b.Brier != nil || b.ScaledBrier != nil || b.LogLoss != nil || b.CalibrationIntercept != nil || b.CalibrationSlope != nil {
		t.Errorf("made up from no probability: %+v", b)
	}
	s.Cut = 0.3
	close(t, "specificity above 0.3", *Classification(s).Specificity, 1, 0)
}

func TestClassificationUndefined(t *testing.T) {
	one := Classification(Scores{Event: []bool{true, true}, Score: []float64{1, 2}, Probability: []float64{0.4, 1}})
	if one.AUC != nil || one.AUCLow != nil || one.Specificity != nil || one.BalancedAccuracy != nil || one.ScaledBrier != nil || one.CalibrationIntercept != nil {
		t.Errorf("one class: %+v", one)
	}
	close(t, "sensitivity", *one.Sensitivity, 0.5, 0)
	close(t, "Brier", *one.Brier, 0.18, 1e-15)
	if d := cmp.Diff(Binary{}, Classification(Scores{Probability: []float64{}, Band: []int{}, Pi: []float64{0.5}})); d != "" {
		t.Errorf("no rows: %s", d)
	}
	sure := Classification(Scores{Event: []bool{true, false}, Score: []float64{-800, 800}, Probability: []float64{0, 1}})
	close(t, "log loss of a certainty gone wrong", *sure.LogLoss, (53*math.Ln2+1022*math.Ln2)/2, 1e-12)
}

// waves is 12 rows of 5 columns, by a formula that any language can redo.
func waves() (x []float64) {
	for i := range 12 {
		for j := range 5 {
			a, b := float64(i), float64(j)
			v := math.Sin(1.3*a+0.7*b) + 0.5*math.Cos(0.4*a*b)
			if j < 2 {
				v += a * 0.2
			}
			x = append(x, v)
		}
	}
	return x
}

// TestPerformanceTable: the core measures come first, and nothing is lost.
func TestPerformanceTable(t *testing.T) {
	list := PerformanceTable()
	if list[0].ID != "auc" || list[1].ID != "calibration_intercept" || list[len(list)-1].ID != "interval_loss" {
		t.Errorf("from %s to %s", list[0].ID, list[len(list)-1].ID)
	}
	for _, s := range Which(Statistic.InPerformanceTable) {
		if !slices.ContainsFunc(list, func(one Statistic) bool { return one.ID == s.ID }) {
			t.Errorf("it lacks %s", s.ID)
		}
	}
}

// TestLossLimits: of 30 rows one has the loss 0.64 and the others 0, so the mean is 0.64/30 and the variance of the
// values 0.64²/30; the normal interval would begin below 0, which no mean loss can be.
func TestLossLimits(t *testing.T) {
	p, event := make([]float64, 30), make([]bool, 30)
	p[0] = .8
	e := Brier(p, event)
	if *e.Low != 0 {
		t.Errorf("lower limit %v", *e.Low)
	}
	close(t, "upper limit", *e.High, .64/30+1.959963984540054*.64/30, 1e-12)
	if e := Mean([]float64{-1, 0, 0, 0}); *e.Low > -.25 {
		t.Errorf("a mean that can be negative begins at %v", *e.Low)
	}
}
