package linear

import (
	"math"
	"runtime"
	"sync/atomic"
)

// team runs numbered tasks on a fixed set of goroutines. It does not matter which goroutine runs a task:
// a task writes only its own results, and they are added up in task order. So results have the same bits
// on any number of cores.
//
// The caller works as well and waits for tasks, not for helpers: a helper that finds no free core,
// because other fits use them, delays nothing.
type team struct {
	wake []chan struct{} // one channel per helper
	done chan struct{}   // signals the last task of a run

	next  atomic.Uint64 // run<<32 | next task: a late helper cannot take a task of another run
	tasks atomic.Uint32
	left  atomic.Int32
	task  atomic.Pointer[func(int)]
}

// parallelWork is the number of cells below which waking helpers takes longer than it saves.
const parallelWork = 1 << 16

// newTeam returns a team for passes over this number of cells.
func newTeam(cells int) *team {
	t := &team{done: make(chan struct{}, 1)}
	if cells < parallelWork {
		return t
	}
	for range runtime.GOMAXPROCS(0) - 1 {
		wake := make(chan struct{}, 1)
		t.wake = append(t.wake, wake)
		go func() {
			for range wake {
				t.work()
			}
		}()
	}
	return t
}

// size is the largest number of tasks that run at the same time.
func (t *team) size() int { return len(t.wake) + 1 }

// close ends the helpers.
func (t *team) close() {
	for _, wake := range t.wake {
		close(wake)
	}
}

// run calls task(0) … task(n−1), each once, and returns when all are done.
func (t *team) run(n int, task *func(int)) {
	if n <= 1 || len(t.wake) == 0 {
		for i := range n {
			(*task)(i)
		}
		return
	}
	run := (t.next.Load()>>32 + 1) << 32
	t.next.Store(run | math.MaxUint32) // no task can be taken while the fields below change
	t.task.Store(task)
	t.tasks.Store(uint32(n))
	t.left.Store(int32(n))
	t.next.Store(run)
	for _, wake := range t.wake {
		select {
		case wake <- struct{}{}:
		default: // the helper has not yet answered the previous signal
		}
	}
	t.work()
	<-t.done
}

// work runs tasks until none is left.
func (t *team) work() {
	for {
		now := t.next.Load()
		i, task := uint32(now), t.task.Load()
		if i >= t.tasks.Load() {
			return
		}
		if t.next.CompareAndSwap(now, now+1) {
			(*task)(int(i))
			if t.left.Add(-1) == 0 {
				t.done <- struct{}{}
			}
		}
	}
}
