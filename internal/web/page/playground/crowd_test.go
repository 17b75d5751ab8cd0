package playground

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"taper/internal/testtime"
)

// TestCrowd simulates ten users who drag at once, as the page does: each sends the next move when the last answer
// has arrived, and now and then abandons a request, as releasing a slider does. No request may fail, no user may
// have more than one request queued, no more fits may run than there are slots, and soon after the last answer none
// may run. In make bench-browser it runs for 20 s and reports the waiting times.
func TestCrowd(t *testing.T) {
	p := New(Config{})
	var open, mostOpen, mostRunning atomic.Int64
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raise(&mostOpen, open.Add(1))
		defer open.Add(-1)
		a, err := p.Live(r.Context(), r.URL.Query())
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(w).Encode(a)
	}))
	defer web.Close()
	const users = 10
	lasts := 1500 * time.Millisecond
	if os.Getenv("TAPER_PAIRS") != "" {
		lasts = 20 * time.Second
	}
	ctx, stop := context.WithTimeout(t.Context(), lasts)
	defer stop()
	go func() {
		for ctx.Err() == nil {
			raise(&mostRunning, p.running.Load())
			runtime.Gosched()
		}
	}()
	waits := make([][]float64, users)
	var wg sync.WaitGroup
	for user := range users {
		wg.Go(func() {
			for move := 0; ctx.Err() == nil; move++ {
				query := fmt.Sprintf("%s/playground/live?parts=1&seed=%d&b.method=tempered&rate=%.2f&b.t1=%.3f", web.URL, user+1, .1+float64(move%20)/100, .3+float64(move%500)/1000)
				start, patience := time.Now(), testtime.Hang
				if move%7 == 6 {
					patience = 5 * time.Millisecond // abandons the request, as a release does
				}
				err := asked(t.Context(), query, patience)
				if err == nil {
					waits[user] = append(waits[user], float64(time.Since(start).Microseconds())/1000)
				} else if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("user %d, move %d: %v", user, move, err)
					return
				}
			}
		})
	}
	wg.Wait()
	var all []float64
	for user, w := range waits {
		if len(w) == 0 {
			t.Errorf("user %d was never answered", user)
		}
		all = append(all, w...)
	}
	if n := mostRunning.Load(); n > int64(2*cap(p.turns)) {
		t.Errorf("%d fits ran at once for %d turns", n, cap(p.turns))
	}
	if n := mostOpen.Load(); n > 2*users { // an abandoned request may still be ending
		t.Errorf("%d requests of %d users were open at once", n, users)
	}
	testtime.Until(t, "the last fits and requests", func() bool { return p.running.Load() == 0 && open.Load() == 0 })
	if slices.Sort(all); len(all) > 0 {
		t.Logf("%d answers to %d users: p50 %.0f ms, p95 %.0f ms (bar 500 ms); at most %d fits at once", len(all), users, all[len(all)/2], all[len(all)*95/100], mostRunning.Load())
	}
}

func raise(most *atomic.Int64, to int64) {
	for {
		if was := most.Load(); to <= was || most.CompareAndSwap(was, to) {
			return
		}
	}
}

// asked reads an answer of the Playground, or abandons the request when its patience has passed.
func asked(ctx context.Context, url string, patience time.Duration) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return err
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	if err != nil {
		return err
	}
	var a Answer
	if err := json.Unmarshal(text, &a); err != nil || w.StatusCode != http.StatusOK || a.Models.B == nil || a.Models.B.Error != "" {
		return fmt.Errorf("%d %.200s: %v", w.StatusCode, text, err)
	}
	return nil
}
