package task

import (
	"math"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
)

// TestEvaluateCalls: an event is predicted above the cut, whatever the link.
func TestEvaluateCalls(t *testing.T) {
	iv, err := loss.NewInterval([]float64{.3, .6})
	if err != nil {
		t.Fatal(err)
	}
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	score := []float64{logit(.1), logit(.35), logit(.4), logit(.55), logit(.7), logit(.9)}
	event := []bool{false, false, true, false, true, true}
	for _, c := range []struct {
		name                               string
		link                               fit.Link
		cut                                float64
		accuracy, sensitivity, specificity float64
	}{
		{"above ½", fit.Link{ID: fit.LinkLogistic, Scale: 1}, .5, 4. / 6, 2. / 3, 2. / 3},
		{"above .38", fit.Link{ID: fit.LinkLogistic, Scale: 1}, .38, 5. / 6, 1, 2. / 3},
		{"above .8", fit.Link{ID: fit.LinkLogistic, Scale: 1}, .8, 4. / 6, 1. / 3, 1},
		{"no link, above ½", fit.Link{}, .5, 4. / 6, 2. / 3, 2. / 3},
		{"no link, above .38", fit.Link{}, .38, 5. / 6, 1, 2. / 3},
	} {
		v := NewBandReader(c.link, iv).Evaluate(score, event, c.cut)
		m := v.Metrics
		if *m.Accuracy != c.accuracy || *m.Sensitivity != c.sensitivity || *m.Specificity != c.specificity {
			t.Errorf("%s: accuracy %v, sensitivity %v, specificity %v", c.name, *m.Accuracy, *m.Sensitivity, *m.Specificity)
		}
		if (v.Prob == nil) == c.link.Has() || v.Prob != nil && !(math.Abs(v.Prob[1]-.35) <= 1e-12) {
			t.Errorf("%s: probabilities %v", c.name, v.Prob)
		}
		for i, want := range []int{0, 1, 1, 1, 2, 2} {
			if v.Band[i] != want {
				t.Errorf("%s: row %d in band %d, want %d", c.name, i, v.Band[i], want)
			}
		}
	}
}
