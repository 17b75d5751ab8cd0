package runlist

import (
	"strings"
	"testing"

	"taper/internal/store"
)

// TestLowestOfRuns: of comparable runs the headline names two, and calls none better, since it has no interval of their
// difference; runs of the same loss in print are named together.
func TestLowestOfRuns(t *testing.T) {
	for _, c := range []struct {
		peers store.Peers
		want  string
	}{
		{store.Peers{N: 3, Best: .2062, Name: "a", Next: .2089, NextName: "b"},
			"‘a’ has the lowest interval loss of three comparable runs, 0.2062; ‘b’ has 0.2089. No interval of the difference"},
		{store.Peers{N: 2, Best: .20621, Name: "a", Next: .20622, NextName: "b"},
			"‘a’ and ‘b’ have the lowest interval loss of two comparable runs, 0.2062. No interval of the difference"},
		{store.Peers{N: 5, Best: .20621, Name: "a", Next: .20622, NextName: "b"}, "‘a’ has the lowest interval loss of five " +
			"comparable runs, 0.2062; at least one other has the same. No interval of the difference"},
	} {
		l := List{Runs: []store.Run{{ID: "r1", DatasetName: "heart"}}, Peers: map[string]store.Peers{"r1": c.peers}}
		if got, _ := l.finding(); !strings.HasPrefix(got, "On heart, "+c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestLossNames: the list names the losses of two classes as the pages of a run do.
func TestLossNames(t *testing.T) {
	for id, want := range map[string]string{"logistic": "Logistic, thresholded", "interval": "Interval surrogate",
		"softmax": "Softmax", "done": "done"} {
		if got := lossName(id); got != want {
			t.Errorf("%s is %q, not %q", id, got, want)
		}
	}
}
