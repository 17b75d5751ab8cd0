package playground

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"sync"
	"testing"
	"time"

	"taper/internal/cache"
	"taper/internal/testtime"
)

// withoutTimes is an answer without its times.
func withoutTimes(t *testing.T, a *Answer) string {
	t.Helper()
	plain, x, y := *a, *a.Models.A, *a.Models.B
	plain.MS, plain.Times, x.MS, y.MS = nil, textTable{}, 0, 0
	plain.Models = pair{&x, &y}
	j, err := json.Marshal(plain)
	if err != nil {
		t.Fatal(err)
	}
	return string(j)
}

func TestRepeatsToTheByte(t *testing.T) {
	for _, query := range []string{"", "data=blobs&b.features=rbf&b.l2=0.01", "a.method=boost&b.method=t-logistic&step=4", "data=long-servedio&b.method=hinge", "n=150&a.method=softmax&b.method=logistic&b.kernel=rbf"} {
		before := runtime.GOMAXPROCS(1)
		one := withoutTimes(t, at(t, New(Config{}), query))
		runtime.GOMAXPROCS(4)
		four := withoutTimes(t, at(t, New(Config{}), query))
		runtime.GOMAXPROCS(before)
		if one != four {
			t.Errorf("%q: another answer on four cores", query)
		}
	}
}

// A superseded request stops its solver, so that soon no fit is running.
func TestLatestWins(t *testing.T) {
	p := New(Config{})
	q, _ := url.ParseQuery("data=ordinal-stripes&n=5000&a.method=al-cost&b.method=al-squared&a.features=rbf&b.features=rbf&a.l2=1e-7&b.l2=1e-7")
	st, _ := parse(q)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { _, err := p.show(ctx, st, nil); done <- err }()
	for p.running.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	stop()
	begin := testtime.Spent()
	if err := <-done; err == nil {
		t.Error("a cancelled request was answered")
	}
	if took := testtime.Spent() - begin; took > 10*time.Second {
		t.Errorf("the solvers worked for %v after the stop", took)
	}
	if n := p.running.Load(); n != 0 {
		t.Errorf("%d fits run on", n)
	}
}

// A request that is cancelled while it waits for a slot takes none, so that all others are answered.
func TestLeaversTakeNoTurn(t *testing.T) {
	p := New(Config{})
	gone, stop := context.WithCancel(t.Context())
	stop()
	for range 50 {
		if _, err := p.Live(gone, nil); !errors.Is(err, context.Canceled) {
			t.Fatalf("a request that was given up ends with %v", err)
		}
	}
	if n := len(p.turns); n != 0 {
		t.Fatalf("%d of %d turns are lost", n, cap(p.turns))
	}
	if _, err := p.Live(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

// Ten users drag at once: each request cancels the previous one, and no more fits run than there are slots.
func TestTenDraggers(t *testing.T) {
	p := New(Config{})
	most, stopWatch := make(chan int64), make(chan struct{})
	go func() {
		seen := int64(0)
		for {
			select {
			case <-stopWatch:
				most <- seen
				return
			default:
				seen = max(seen, p.running.Load())
				runtime.Gosched()
			}
		}
	}()
	var wg sync.WaitGroup
	for user := range 10 {
		wg.Go(func() {
			cancel := context.CancelFunc(func() {})
			var last chan error
			for move := range 12 {
				cancel()
				var ctx context.Context
				ctx, cancel = context.WithCancel(t.Context())
				q, _ := url.ParseQuery(fmt.Sprintf("seed=%d&rate=%.3f&b.method=t-logistic", user+1, .1+float64(move)/100))
				st, _ := parse(q)
				last = make(chan error, 1)
				go func(to chan error) { _, err := p.show(ctx, st, nil); to <- err }(last)
				time.Sleep(3 * time.Millisecond)
			}
			if err := <-last; err != nil {
				t.Errorf("user %d: %v", user, err)
			}
			cancel()
		})
	}
	wg.Wait()
	close(stopWatch)
	if n := <-most; n > int64(2*cap(p.turns)) {
		t.Errorf("%d fits ran at once for %d turns", n, cap(p.turns))
	}
	testtime.Until(t, "the last fit", func() bool { return p.running.Load() == 0 })
}

// After a long drag no more memory is kept than the limits of the caches.
func TestMemoryStaysFlat(t *testing.T) {
	p := New(Config{})
	for move := range 150 {
		at(t, p, fmt.Sprintf("n=400&rate=%.4f&a.features=rbf&b.features=rbf", .05+float64(move)/1000))
	}
	if p.fits.Bytes() > fitBytes || p.fits.Len() > cache.DefaultEntries || p.benches.Len() > cache.DefaultEntries || p.samples.Len() != 1 {
		t.Errorf("%d fits of %d bytes, %d benches, %d samples", p.fits.Len(), p.fits.Bytes(), p.benches.Len(), p.samples.Len())
	}
}
