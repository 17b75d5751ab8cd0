package linear

import (
	"runtime"
	"testing"
)

// TestTeam runs many short jobs: every task runs once, within its own job.
func TestTeam(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	team := newTeam(parallelWork)
	defer team.close()
	if len(team.wake) != 3 {
		t.Fatalf("%d helpers", len(team.wake))
	}
	for job := range 20000 {
		count := make([]int, job%17)
		task := func(k int) { count[k]++ }
		team.run(len(count), &task)
		for k, c := range count {
			if c != 1 {
				t.Fatalf("job %d ran task %d %d times", job, k, c)
			}
		}
	}
}
