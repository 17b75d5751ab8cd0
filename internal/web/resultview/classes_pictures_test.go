package resultview

import (
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// TestFoundAt interpolates a curve with a vertical step, a slope and a horizontal part.
func TestFoundAt(t *testing.T) {
	curve := []stat.ROCPoint{{FPR: 0, TPR: 0}, {FPR: 0, TPR: .4}, {FPR: .1, TPR: .6}, {FPR: .1, TPR: .7}, {FPR: .5, TPR: .7}, {FPR: 1, TPR: 1}}
	for at, want := range map[float64]string{0: "40.0", .05: "50.0", .1: "70.0", .2: "70.0", .75: "85.0", 1: "100.0"} {
		if got := foundAt(curve, at); got != want {
			t.Errorf("at %v: %s, want %s", at, got, want)
		}
	}
	if got := foundAt(nil, .1); got != viz.None {
		t.Errorf("no curve: %q", got)
	}
}

// TestClassAUCWords: the AUC of a class pools the scores of all folds and is of the first repeat, like that of two
// classes, and the picture says so where folds made the scores; an interval without width is none.
func TestClassAUCWords(t *testing.T) {
	one, half, low, high := 1.0, .7, .6, .8
	points := []stat.ROCPoint{{}, {TPR: 1}, {FPR: 1, TPR: 1}}
	p := &engine.ClassPictures{By: engine.ByProbability, Classes: []engine.ClassPicture{
		{Level: "a", ROC: stat.ROCCurve{Points: points, AUC: stat.Estimate{Value: &one, Low: &one, High: &one}}},
		{Level: "b", ROC: stat.ROCCurve{Points: points, AUC: stat.Estimate{Value: &half, Low: &low, High: &high}}},
	}}
	lowest := "class b, 0.700 (95" + format.Pc + " CI 0.600" + viz.Range("", "") + "0.800)."
	const pooled = " Each AUC pools the out-of-fold scores of all folds; it is not a mean over folds."
	for _, c := range []struct {
		kind    string
		repeats int
		given   bool
		ends    string
	}{
		{"cv", 1, false, lowest + pooled},
		{"cv", 3, false, lowest + pooled + " Of the first repeat."},
		{"cv", 1, true, lowest},
		{"split", 1, false, lowest},
		{"none", 1, false, lowest},
	} {
		s := Classes{Result: &engine.Result{Classes: &engine.ClassResult{Pictures: p}}, Spec: runspec.Spec{Validation: runspec.Validation{Kind: c.kind, Repeats: c.repeats}}}
		if c.given {
			s.Result.Given = &engine.Given{}
		}
		o := s.roc(p)
		if !strings.HasSuffix(o.Sentence, c.ends) {
			t.Errorf("%+v: %q", c, o.Sentence)
		}
		p.By = engine.ByLead
		if got := strings.Contains(s.roc(p).Sentence, "no probabilities: "); got != strings.Contains(c.ends, pooled) {
			t.Errorf("%+v: of margins %q", c, s.roc(p).Sentence)
		}
		p.By = engine.ByProbability
		if !strings.HasSuffix(o.Head[3], ", DeLong") {
			t.Errorf("the interval is headed %q", o.Head[3])
		}
		if strings.Contains(o.Sentence, "No row is answered") {
			t.Errorf("no metrics: %q", o.Sentence)
		}
		s.Result.Classes.Metrics.Test = stat.Multiclass(stat.Answers{Levels: []string{"a", "b"}, Label: []int{0, 1}, Predicted: []int{0, 0}})
		if o := s.roc(p); !strings.Contains(o.Sentence, " No row is answered with b: its AUC is of the ranking alone.") {
			t.Errorf("b is no answer: %q", o.Sentence)
		}
		s.Result.Classes.Metrics.Test = stat.Multiclass(stat.Answers{Levels: []string{"a", "b"}, Label: []int{0, 1}, Predicted: []int{-1, -1}})
		if o := s.roc(p); !strings.Contains(o.Sentence, " No row is answered: the AUCs are of the ranking alone.") {
			t.Errorf("nothing is answered: %q", o.Sentence)
		}
		if o.Rows[0][3] != viz.NoInterval || !strings.HasPrefix(o.Rows[1][3], "0.600") {
			t.Errorf("intervals %q, %q", o.Rows[0][3], o.Rows[1][3])
		}
	}
}

// TestEqualAUCs: of equal AUCs none is the lowest.
func TestEqualAUCs(t *testing.T) {
	half := .5
	points := []stat.ROCPoint{{}, {FPR: 1, TPR: 1}}
	p := &engine.ClassPictures{By: engine.ByProbability}
	for _, level := range []string{"a", "b", "c"} {
		p.Classes = append(p.Classes, engine.ClassPicture{Level: level, ROC: stat.ROCCurve{Points: points, AUC: stat.Estimate{Value: &half}}})
	}
	s := Classes{Result: &engine.Result{Classes: &engine.ClassResult{Pictures: p}}, Spec: runspec.Spec{Validation: runspec.Validation{Kind: "split"}}}
	if o := s.roc(p); !strings.HasSuffix(o.Sentence, "The AUC of each class is 0.500.") {
		t.Errorf("%q", o.Sentence)
	}
	lower := .4
	p.Classes[1].ROC.AUC.Value = &lower
	if o := s.roc(p); !strings.HasSuffix(o.Sentence, "Lowest AUC: class b, 0.400.") {
		t.Errorf("%q", o.Sentence)
	}
}
