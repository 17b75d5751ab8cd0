package machine

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"

	"taper/internal/testtime"
)

// TestPaceCollector: with little data the collector runs seldom, with much of it often enough that its garbage stays
// near a gigabyte, and with little again as before. When the context has ended nothing is chosen any more.
func TestPaceCollector(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) })
	is := func() uint64 {
		all := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(all)
		return all[0].Value.Uint64()
	}
	ctx, stop := context.WithCancel(t.Context())
	PaceCollector(ctx, 8<<30)
	if got := debug.SetMemoryLimit(-1); got != 8<<30/100*85 {
		t.Errorf("limit %d", got)
	}
	collect := func(what string, as func(percent uint64) bool) {
		t.Helper()
		testtime.Until(t, what, func() bool { runtime.GC(); return as(is()) })
	}
	collect("much garbage of a small heap", func(p uint64) bool { return p == mostGarbage })
	data := make([]byte, 500<<20) // never written, so that it takes no memory
	collect("twice the heap at most", func(p uint64) bool { return p > 150 && p <= 100*garbage/(500<<20) })
	runtime.KeepAlive(data)
	collect("much garbage again", func(p uint64) bool { return p == mostGarbage })
	stop()
	runtime.GC()
	debug.SetGCPercent(77)
	for range 5 {
		runtime.GC()
	}
	if is() != 77 {
		t.Errorf("%d %% chosen after the end", is())
	}
	for live, want := range map[uint64]int{0: 400, 256 << 20: 400, 1 << 30: 100, 4 << 30: 25, 1 << 40: 25} {
		if got := gcPercent(live); got != want {
			t.Errorf("%d bytes: %d, want %d", live, got, want)
		}
	}
}
