package train

import (
	"runtime"
	"sync/atomic"
)

// team runs numbered tasks on a fixed set of goroutines. Which goroutine takes
// a task never matters: a task writes only its own results, and whoever adds
// them up does so in task order. So results repeat to the bit on any number
// of cores.
type team struct {
	task  func(int)
	tasks int64
	next  atomic.Int64
	wake  []chan struct{} // one a helper; the caller works too
	done  chan struct{}
}

// parallelWork is the number of cells below which waking helpers costs more
// than it saves.
const parallelWork = 1 << 16

// newTeam returns a team for passes over the given number of cells.
func newTeam(cells int) *team {
	t := &team{done: make(chan struct{})}
	if cells < parallelWork {
		return t
	}
	for range runtime.GOMAXPROCS(0) - 1 {
		wake := make(chan struct{}, 1)
		t.wake = append(t.wake, wake)
		go func() {
			for range wake {
				t.work()
				t.done <- struct{}{}
			}
		}()
	}
	return t
}

// close ends the helpers.
func (t *team) close() {
	for _, wake := range t.wake {
		close(wake)
	}
}

// run calls task(0) … task(n−1), each once, and returns when all are done.
func (t *team) run(n int, task func(int)) {
	if n == 1 || len(t.wake) == 0 {
		for i := range n {
			task(i)
		}
		return
	}
	t.task, t.tasks = task, int64(n)
	t.next.Store(0)
	for _, wake := range t.wake {
		wake <- struct{}{}
	}
	t.work()
	for range t.wake {
		<-t.done
	}
}

func (t *team) work() {
	for i := t.next.Add(1) - 1; i < t.tasks; i = t.next.Add(1) - 1 {
		t.task(int(i))
	}
}
