package run

import (
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/task"
	"taper/internal/store"
)

// TestNoDeadExports: a run whose predictions need a linear program offers no file that would be refused.
func TestNoDeadExports(t *testing.T) {
	for rule, files := range map[string]int{task.RuleMixture: 1, task.RuleLargest: 9} {
		r := store.Run{ID: "r1", Result: &engine.Result{Classes: &engine.ClassResult{Rule: rule}}}
		if got := takeAway(r); len(got) < files || files == 1 && len(got) != 1 {
			t.Errorf("%s: %d files on offer: %v", rule, len(got), got)
		}
	}
}
