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
