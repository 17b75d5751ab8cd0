package resultview

import (
	"slices"
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
)

// TestHeadlineOfAbstaining names the statistic of the comparison model, since a share of right answers precedes it, and
// the cost of no answer.
func TestHeadlineOfAbstaining(t *testing.T) {
	loss, rate, right, other, all := 0.018, 0.01, 0.993, 0.02, 1.0
	c := &engine.ClassResult{Task: "abstain", Levels: []string{"a", "b"}, Costs: [][]float64{{0, 1}, {1, 0}, {.4, .4}}}
	c.Metrics.Test = stat.Classes{AbstentionLoss: &loss, AbstentionRate: &rate, Accuracy: &right}
	c.Metrics.Baselines = map[string]stat.Classes{"logistic": {AbstentionLoss: &other}}
	said := func() string {
		strong, rest := ClassHeadline(c)
		return strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(strong + " " + rest)
	}
	if got := said(); got != "Abstention loss 0.018. An error costs 1, no answer 0.4. No answer for 1.0 % of the rows; "+
		"99.3 % of the answers are correct. Softmax regression: abstention loss 0.020." {
		t.Error(got)
	}
	c.Task = "ordinal-abstain"
	if got := said(); !strings.Contains(got, "An error costs its distance in classes, no answer 0.4.") {
		t.Error(got)
	}
	c.Metrics.Test.AbstentionLoss = nil
	if got := said(); !strings.HasPrefix(got, "No answer for 1.0 % of the rows; 99.3 % of the answers are correct.") {
		t.Errorf("masked: %q", got)
	}
	c.Metrics.Test = stat.Classes{AbstentionLoss: &loss, AbstentionRate: &all}
	if got := said(); !strings.Contains(got, "The model answers no row.") {
		t.Error(got)
	}
}

// TestHeadlineBesideNoPredictors: the number without predictors stands in the headline of every task, and says so
// where the model is no better, or not shown to be, by the criterion of its tuning.
func TestHeadlineBesideNoPredictors(t *testing.T) {
	model, plain, softmax := .95, .96, .918
	for _, c := range []struct {
		task, criterion    string
		cost, null, within float64 // mean costs, and the standard error of their difference
		models             int
		masked             bool
		want               string
	}{
		{"ordinal", "mean absolute error", .95, .96, .001, 3, false, "Without predictors: 0.960. Softmax regression: 0.918."},
		{"ordinal", "mean absolute error", .95, .96, .1, 3, false,
			"Not shown to be better than without predictors: 0.960. Softmax regression: 0.918."},
		{"ordinal", "mean absolute error", .95, .95, 0, 2, false, "No better than without predictors: 0.960."},
		{"ordinal", "mean absolute error", .95, .95, 0, 2, true, "No better in mean absolute error than without predictors: 96.0 %."},
		{"multiclass", "mean cost", .95, .94, .001, 3, false,
			"No better than without predictors: 0.9400. Softmax regression: 0.9180. 95.0 % correct."},
		{"multiclass", "mean cost", .95, .96, .001, 2, false, "Without predictors: 0.9600. 95.0 % correct."},
		{"multiclass", "error rate", .95, .96, .001, 2, false, "Without predictors: 96.0 %."},
		{"abstain", "abstention loss", .95, .94, .1, 3, false, "No answer for 95.0 % of the rows; 95.0 % of the answers are " +
			"correct. No better than without predictors: abstention loss 0.960. Softmax regression: abstention loss 0.918."},
	} {
		of := func(v *float64) stat.Classes {
			m := stat.Classes{MAE: v, Accuracy: v, AbstentionLoss: v, AbstentionRate: v}
			if c.masked {
				m.MAE = nil
			}
			return m
		}
		difference := c.null - c.cost
		r := &engine.ClassResult{Task: c.task, Criterion: c.criterion, Cost: c.cost, Beside: []engine.ClassBeside{{ID: "model"},
			{ID: "logistic", Cost: softmax, Difference: &difference}, {ID: "null", Cost: c.null, Difference: &difference, DifferenceSE: &c.within}}}
		if c.models == 2 {
			r.Beside = slices.Delete(r.Beside, 1, 2)
		}
		r.Metrics.Test = of(&model)
		r.Metrics.Baselines = map[string]stat.Classes{"logistic": of(&softmax), "null": of(&plain)}
		_, rest := ClassHeadline(r)
		if got := strings.NewReplacer("\u00a0", " ", "\u2060", "", "\u202f", " ").Replace(rest); got != c.want {
			t.Errorf("%s by %s:\n%q, want\n%q", c.task, c.criterion, got, c.want)
		}
	}
}

// TestHeadlineBesideSoftmax: a lower number of softmax regression has the verdict of its paired difference, so that the
// headline names no model better where the interval includes 0; where the numbers, means over repeats, are ordered
// otherwise than that difference of the first repeat, there is no verdict.
func TestHeadlineBesideSoftmax(t *testing.T) {
	model, error := .608, .016
	for want, c := range map[string][2]float64{"Softmax regression: 0.603 (no significant difference).": {.603, -.005},
		"Softmax regression: 0.603 (significantly better).": {.603, -.05}, "Softmax regression: 0.603.": {.603, .05},
		"Softmax regression: 0.658 (significantly worse).": {.658, .05}} {
		softmax, difference := c[0], c[1]
		r := &engine.ClassResult{Task: "ordinal", Criterion: "mean absolute error", Cost: model, Beside: []engine.ClassBeside{
			{ID: "model"}, {ID: "logistic", Cost: softmax, Difference: &difference, DifferenceSE: &error}, {ID: "null"}}}
		r.Metrics.Test = stat.Classes{MAE: &model}
		r.Metrics.Baselines = map[string]stat.Classes{"logistic": {MAE: &softmax}}
		if _, rest := ClassHeadline(r); rest != want {
			t.Errorf("%q, want %q", rest, want)
		}
		plain, _, _ := strings.Cut(want, " (")
		(&engine.Result{Apparent: true, Classes: r}).DropRanks()
		if _, rest := ClassHeadline(r); strings.TrimSuffix(rest, ".") != strings.TrimSuffix(plain, ".") {
			t.Errorf("on the training rows: %q", rest)
		}
	}
}

// TestHeadlineOnTrainingRows: the headline of several classes names the training rows.
func TestHeadlineOnTrainingRows(t *testing.T) {
	for _, apparent := range []bool{true, false} {
		h := Classes{Result: &engine.Result{Apparent: apparent, Classes: &engine.ClassResult{Task: "multiclass"}}}.Headline()
		if strings.Contains(h.Rest, "Evaluated on the training rows.") != apparent {
			t.Errorf("apparent %t: %q", apparent, h.Rest)
		}
	}
}

// TestROCWithoutInterval: where DeLong's interval has no width, the ROC curve says why there is none.
func TestROCWithoutInterval(t *testing.T) {
	event := []bool{false, true, false, true, false, true}
	for _, c := range []struct {
		score []float64
		want  string
	}{
		{[]float64{1, 4, 2, 5, 3, 6}, "AUC 1.000 without an interval, since the scores separate the classes."},
		{[]float64{2, 2, 2, 2, 2, 2}, "AUC 0.500 without an interval, since all scores are equal."},
		{[]float64{1, 4, 2, 5, 3, 2}, "AUC 0.833 (95 % CI 0.456 – 1.000)."},
	} {
		r := &engine.Result{}
		auc, low, high := stat.AUC(c.score, event)
		m := &r.Metrics.Test
		m.AUC, m.AUCLow, m.AUCHigh = stat.Finite(auc), stat.Finite(low), stat.Finite(high)
		o := Bands{Result: r}.roc(stat.ROC(c.score, event, 100))
		if got := strings.NewReplacer("\u00a0", " ", "\u2060", "", "\u202f", " ").Replace(o.Sentence); !strings.HasSuffix(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestThresholdOfPredictions: an interval model with two boundaries equally near to one half predicts by a score
// above 0, which is the cut-off of neither.
func TestThresholdOfPredictions(t *testing.T) {
	interval := runspec.Spec{Model: fit.Spec{Loss: "interval"}}
	for _, c := range []struct {
		spec         runspec.Spec
		pi           []float64
		cut          float64
		caption, say string
	}{
		{interval, []float64{.2, .4, .6}, .5, "at a threshold of a score of 0",
			"score above 0, which is the cut-off of no boundary: two boundaries are equally near to one half."},
		{interval, []float64{.2, .4}, .4, "at a threshold of 40 %", "score above the cut-off of the boundary 40 %, the one nearest to one half."},
		{runspec.Spec{Model: fit.Spec{Loss: "logistic"}}, []float64{.2, .4, .6}, .5, "at a threshold of 50 %", "risk above 50 %."},
	} {
		s := Bands{Spec: c.spec, Result: &engine.Result{Positive: table.Levels{"1"}, Boundaries: c.pi, Cut: c.cut}}
		got := s.confusion(stat.Classes{Levels: []string{"0", "1"}, Confusion: [][]int{{1, 2}, {3, 4}}})
		caption, note := strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(got.Caption), strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(got.Note)
		if !strings.HasSuffix(caption, c.caption) || note != "Predicted 1: "+c.say {
			t.Errorf("%v: %q, %q", c.pi, caption, note)
		}
	}
}

// TestDifferenceOfModels: a difference is the run's model minus the other, as in the table of paired differences.
func TestDifferenceOfModels(t *testing.T) {
	other, se := -0.0147, 0.004 // the other model has the lower loss, so the run's is larger
	got := strings.NewReplacer("\u00a0", " ", "\u2060", "").Replace(differenceNote(stat.WithError(&other, &se), 4))
	if got != "+0.0147 (+0.0069 – +0.0225)" {
		t.Errorf("%q", got)
	}
}

// TestFirstRepeat: with repeats the ROC curve and its AUC are of the first, as in the table of performance, and the
// numbers of the comparison are means.
func TestFirstRepeat(t *testing.T) {
	mean, first, low, high := .831, .830, .8, .86
	r := &engine.Result{Clinical: &engine.Clinical{}}
	r.Metrics.Test.AUC = &mean
	r.Clinical.Judged.AUC = stat.Estimate{Value: &first, Low: &low, High: &high}
	s := Bands{Result: r, Spec: runspec.Spec{Model: fit.Spec{Loss: "logistic"}, Validation: runspec.Validation{Kind: "cv", Repeats: 3}}}
	plain := strings.NewReplacer("\u00a0", " ", "\u2060", "", "\u202f", " ")
	for repeats, want := range map[int]string{
		1: "AUC 0.831. The AUC pools the out-of-fold scores of all folds; it is not a mean over folds.",
		3: "AUC 0.830 (95 % CI 0.800 – 0.860). The AUC pools the out-of-fold scores of all folds; it is not a mean over " +
			"folds. Of the first repeat.",
	} {
		s.Spec.Validation.Repeats = repeats
		o := s.roc(stat.ROCCurve{Points: make([]stat.ROCPoint, 3)})
		if got := plain.Replace(o.Sentence); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		if got := strings.Contains(s.HowEvaluated(), "Of the first repeat."); got != (repeats > 1) {
			t.Errorf("%d repeats: the strata say %q", repeats, s.HowEvaluated())
		}
	}
	const want = " Numbers are means of 3 repeats; differences are of the first repeat."
	s.Spec.Validation.Repeats = 3
	if got := MeansOfRepeats(s.Result, s.Spec, "differences are"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
