package app

import (
	"maps"
	"testing"
	"time"

	"taper/internal/engine"
	"taper/internal/engine/audit"
	"taper/internal/engine/cost"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/store"
)

// TestReviewQueuesKeepTwo: the two last used queues stay, a new audit replaces the run's old
// one, and deleting a run or a dataset removes its queues.
func TestReviewQueuesKeepTwo(t *testing.T) {
	made := time.UnixMilli(1_700_000_000_123)
	queue := func(run, dataset string, at time.Time) *ReviewQueue {
		a := &store.Audit{Run: run, Created: at}
		return NewReviewQueue(store.Run{ID: run, Dataset: dataset}, a, &table.Table{})
	}
	c := newReviewQueues(cost.Memory{})
	c.keep(queue("r1", "d1", made))
	c.keep(queue("r2", "d2", made))
	if c.find("r1", made.UTC()) == nil {
		t.Error("the time zone matters")
	}
	c.keep(queue("r3", "d1", made)) // r1 was used after r2
	for run, there := range map[string]bool{"r1": true, "r2": false, "r3": true} {
		if (c.find(run, made) != nil) != there {
			t.Errorf("%s: %v", run, !there)
		}
	}
	later := made.Add(time.Millisecond)
	c.keep(queue("r1", "d1", later))
	if c.find("r1", made) != nil || c.find("r1", later) == nil || c.find("r3", made) == nil {
		t.Error("the old audit of r1 must go, and nothing else")
	}
	c.drop("d2")
	c.drop("r1")
	if c.find("r1", later) != nil || c.queues.Len() != 1 {
		t.Errorf("%d queues", c.queues.Len())
	}
	c.drop("d1")
	if c.queues.Len() != 0 {
		t.Errorf("%d queues of a deleted dataset", c.queues.Len())
	}
}

// TestCountsOfJoinedClasses: labels that were joined to one class are counted as that class, before and after decisions.
func TestCountsOfJoinedClasses(t *testing.T) {
	q := &ReviewQueue{
		Run: store.Run{Spec: runspec.Spec{Outcome: "status"},
			Result: &engine.Result{Negative: table.Levels{"0", "1"}, Positive: table.Levels{"2"}}},
		Table: tabletest.ByHand(tabletest.Texts("status", "0", "1", "2", "0", "1", "2", "2")),
		Audit: &store.Audit{}, Place: map[audit.Key]int{},
	}
	for i := range 7 {
		q.Audit.Rows = append(q.Audit.Rows, audit.Row{Row: i})
		q.Place[audit.Key{byte(i)}] = i
	}
	before, after := q.Counts([]audit.Decision{
		{Key: audit.Key{1}, Kind: audit.Flip, Label: "1", To: "2"}, {Key: audit.Key{2}, Kind: audit.Flip, Label: "2", To: "0 or 1"},
		{Key: audit.Key{3}, Kind: audit.Exclude, Label: "0"}, {Key: audit.Key{99}, Kind: audit.Flip, Label: "2", To: "0 or 1"},
	})
	if want := map[string]int{"0 or 1": 4, "2": 3}; !maps.Equal(before, want) {
		t.Errorf("before %v, want %v", before, want)
	}
	if want := map[string]int{"0 or 1": 3, "2": 3}; !maps.Equal(after, want) {
		t.Errorf("after %v, want %v", after, want)
	}
}
