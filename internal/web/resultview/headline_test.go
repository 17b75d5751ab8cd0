package resultview

import (
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/stat"
)

// TestHeadlineOfAbstaining names the statistic of the comparison model, since a share of right answers precedes it.
func TestHeadlineOfAbstaining(t *testing.T) {
	loss, rate, right, other := 0.018, 0.01, 0.993, 0.02
	c := &engine.ClassResult{Task: "abstain"}
	c.Metrics.Test = stat.Classes{AbstentionLoss: &loss, AbstentionRate: &rate, Accuracy: &right}
	c.Metrics.Baselines = map[string]stat.Classes{"logistic": {AbstentionLoss: &other}}
	if _, rest := ClassHeadline(c); !strings.Contains(rest, "same folds: abstention loss 0.020.") {
		t.Error(rest)
	}
}

// TestROCWithoutInterval: where DeLong's interval has no width, the ROC curve says why there is none.
func TestROCWithoutInterval(t *testing.T) {
	for _, c := range []struct {
		auc, low, high float64
		want           string
	}{
		{1, 1, 1, "AUC 1.000 without an interval, since the scores separate the classes."},
		{.5, .5, .5, "AUC 0.500 without an interval, since all scores are equal."},
		{.8, .7, .9, "AUC 0.800 (95 % CI 0.700 – 0.900)."},
	} {
		r := &engine.Result{}
		r.Metrics.Test.AUC, r.Metrics.Test.AUCLow, r.Metrics.Test.AUCHigh = &c.auc, &c.low, &c.high
		o := Bands{Result: r}.roc(stat.ROCCurve{Points: make([]stat.ROCPoint, 3)})
		if got := strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(o.Sentence); !strings.HasSuffix(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
