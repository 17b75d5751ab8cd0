package machine

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// garbage is how much of it a large heap gathers before it is collected. Memory that is used again is in the
	// processor's tables already; new pages are cleared by the system first, which took half of a release of a slider
	// over 11,000,000 rows.
	garbage = 1 << 30

	// A page creates more garbage than the live heap of a program with little data. Collecting at twice that heap took
	// a quarter of the processor time with many users.
	mostGarbage, leastGarbage = 400, 25 // per cent of the live heap
)

// gcPercent is the GOGC for a live heap.
func gcPercent(live uint64) int {
	return int(min(mostGarbage, max(leastGarbage, 100*garbage/max(live, 1))))
}

// PaceCollector sets the memory limit of the garbage collector, for live memory within a budget in bytes, and chooses
// after each collection how much garbage the heap may gather before the next, until the context ends.
func PaceCollector(ctx context.Context, budget int64) {
	// Estimates count live memory. Above this limit the collector works harder, so that garbage does not add to it;
	// SQLite's pages and the stacks are not managed by the collector.
	debug.SetMemoryLimit(budget / 100 * 85)
	live, is := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}, 0
	var choose func(struct{})
	choose = func(struct{}) {
		if ctx.Err() != nil {
			return
		}
		metrics.Read(live)
		if p := gcPercent(live[0].Value.Uint64()); p != is { // setting it stops all goroutines for a moment
			is = p
			debug.SetGCPercent(p)
		}
		unused := new(*int) // the next collection finds it
		runtime.AddCleanup(unused, choose, struct{}{})
	}
	choose(struct{}{})
}
