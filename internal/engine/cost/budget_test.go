package cost

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"taper/internal/engine/usererr"
)

func TestBudget(t *testing.T) {
	m := NewMemory(200) // 150 in total, 125 of them for requests
	b := m.Jobs
	first, err := b.Acquire(t.Context(), 60)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := b.TryAcquire(41); ok {
		t.Error("more was given out than there is")
	}
	second, ok := b.TryAcquire(40)
	if !ok || b.Held() != 100 {
		t.Errorf("what fits was not given: %d held", b.Held())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Acquire(ctx, 1); err == nil {
		t.Error("a wait outlives its context")
	}
	for range 2 { // the second release does nothing
		first()
		second()
	}
	if b.Held() != 0 {
		t.Errorf("%d held in the end", b.Held())
	}
	if all, ok := b.TryAcquire(100); !ok {
		t.Error("not all of it came back")
	} else {
		all()
	}
}

func TestCheck(t *testing.T) {
	b := NewMemory(4 << 30).Jobs
	if err := b.Check("This run", 2<<30); err != nil {
		t.Errorf("what just fits is refused: %v", err)
	}
	err := b.Check("This run", 3<<30)
	if !usererr.Is(err, usererr.Invalid) || !strings.Contains(err.Error(), "about 3\u00a0GB") ||
		!strings.Contains(err.Error(), "limit is 2\u00a0GB") || !strings.Contains(err.Error(), "-memory") {
		t.Errorf("the refusal does not name cost, limit and remedy: %v", err)
	}
	if err := (*Budget)(nil).Check("This run", math.MaxInt64); err != nil {
		t.Errorf("no budget refuses: %v", err)
	}
}

func TestOf(t *testing.T) {
	if got := Of(8, 1000, 3); got != 24_000 {
		t.Errorf("8·1000·3 = %d", got)
	}
	if got := Of(math.MaxInt32, math.MaxInt32, math.MaxInt32); got <= 1<<50 || 64*got < got {
		t.Errorf("a product beyond int64 is %d", got)
	}
}

func TestParseMemory(t *testing.T) {
	for text, want := range map[string]int64{"2048": 2 << 30, "2GB": 2 << 30, "2 gb": 2 << 30, "1.5G": 3 << 29,
		"512MB": 512 << 20, "300m": 300 << 20, "1": 0, "lots": 0, "-4GB": 0, "NaN": 0, "1e30GB": 0, "GB": 0} {
		got, err := ParseMemory(text)
		if want == 0 && !usererr.Is(err, usererr.Invalid) || want > 0 && (err != nil || got != want) {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	if got, err := ParseMemory(""); err != nil || got < leastMemory || got > mostOfMachine {
		t.Errorf("the default is %d, %v", got, err)
	}
}

// TestShared: memory used through one budget is not available to others, and caches are
// emptied.
func TestShared(t *testing.T) {
	m := NewMemory(1600) // 1,200 in total: 800 for jobs, 1,000 for requests, 400 for caches
	jobs, err := m.Jobs.Acquire(t.Context(), 700)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := m.Caches.TryAcquire(401); ok {
		t.Error("a cache got more than a quarter")
	}
	cached, ok := m.Caches.TryAcquire(400)
	if !ok {
		t.Fatal("a cache got nothing of an empty memory")
	}
	if _, ok := m.Requests.TryAcquire(101); ok {
		t.Error("requests got what a job and a cache hold")
	}
	emptied := 0
	m.GiveWay(func() { emptied++; cached() })
	request, err := m.Requests.Acquire(t.Context(), 500)
	if err != nil || emptied != 1 {
		t.Fatalf("the cache did not give way: emptied %d times, %v", emptied, err)
	}
	if m.Caches.Held() != 0 || m.Jobs.Held() != 700 || m.Requests.Held() != 500 {
		t.Errorf("held: caches %d, jobs %d, requests %d", m.Caches.Held(), m.Jobs.Held(), m.Requests.Held())
	}
	jobs()
	request()
	if all, ok := m.Requests.TryAcquire(1000); !ok {
		t.Error("not all of it came back")
	} else {
		all()
	}
}

// TestHold: a request holds memory until it ends and waits for others up to Patience; an amount
// that never fits is refused at once; without a request nothing is held.
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory(1 << 30)
		one, end := WithScope(t.Context(), m.Requests)
		if _, err := Hold(one, "Reading this file", 500<<20); err != nil || m.Requests.Held() != 500<<20 {
			t.Fatalf("%d held, %v", m.Requests.Held(), err)
		}
		two, endTwo := WithScope(t.Context(), m.Requests)
		defer endTwo()
		began := time.Now()
		_, err := Hold(two, "Reading this file", 400<<20)
		if !usererr.Is(err, usererr.Busy) || !strings.Contains(err.Error(), "400\u00a0MB") || time.Since(began) != Patience {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if _, err := Hold(two, "Reading this file", 900<<20); !usererr.Is(err, usererr.Invalid) {
			t.Errorf("what never fits: %v", err)
		}
		if _, err := Hold(one, "This sample", 200<<20); !usererr.Is(err, usererr.Invalid) {
			t.Errorf("a request that waits for what it holds itself: %v", err)
		}
		left, leave := context.WithCancel(two)
		leave()
		if _, err := Hold(left, "Reading this file", 400<<20); !errors.Is(err, context.Canceled) {
			t.Errorf("whose client left: %v", err)
		}
		time.AfterFunc(Patience/2, end)
		release, err := Hold(two, "Reading this file", 400<<20)
		if err != nil || m.Requests.Held() != 400<<20 {
			t.Errorf("what came free was not given: %d held, %v", m.Requests.Held(), err)
		}
		release()
		if _, err := Hold(two, "This page", 256<<10-1); err != nil || m.Requests.Held() != 0 {
			t.Errorf("a page below 256 kB holds %d, %v", m.Requests.Held(), err)
		}
		if _, err := Hold(two, "This page", 256<<10); err != nil || m.Requests.Held() != 256<<10 {
			t.Errorf("a page of 256 kB holds %d, %v", m.Requests.Held(), err)
		}
		if _, err := Hold(t.Context(), "This job", 1<<40); err != nil {
			t.Errorf("where there is no request: %v", err)
		}
	})
}
