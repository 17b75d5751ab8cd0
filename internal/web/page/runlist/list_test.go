package runlist

import (
	"slices"
	"strings"
	"testing"
	"time"

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

// TestCaveatInLists: a run whose statistics are of its training rows says so in its line on the page and in the file, and
// the summary of the list does not speak of its bands; several classes have no number of events in the file.
func TestCaveatInLists(t *testing.T) {
	seen := store.Run{ID: "r1", Name: "seen", Status: store.Done, Summary: store.Summary{Positive: "1", Events: 9, BandsOK: 2, BandsEvaluated: 2, Caveat: store.TrainingRows}}
	held := seen
	held.Name, held.Summary.Caveat = "held out", ""
	several := store.Run{ID: "r2", Status: store.Done}
	if got, _ := (List{Runs: []store.Run{seen, held}}).finding(); !strings.HasPrefix(got, "In ‘held out’ two of two bands") {
		t.Error(got)
	}
	if v := runLine(seen, time.Now(), false, false); v.Chip == nil || v.Chip.Label != "training rows" {
		t.Errorf("%+v", v.Chip)
	}
	seen.Wiped = time.Now()
	if v := runLine(seen, time.Now(), false, false); v.Chip == nil || v.Chip.Label != "data deleted, training rows" {
		t.Errorf("without its data: %+v", v.Chip)
	}
	column := func(r store.Run, name string) string {
		line := Line(r)
		if len(line) != len(Head) {
			t.Fatalf("%d cells under %d names", len(line), len(Head))
		}
		return line[slices.Index(Head, name)]
	}
	queued := store.Run{Status: store.Queued}
	for name, want := range map[string][4]string{"caveat": {"training rows", "", "", ""}, "events": {"9", "9", "", ""}, "bands_judged": {"2", "2", "", ""}} {
		got := [4]string{column(seen, name), column(held, name), column(several, name), column(queued, name)}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
