package cost

import (
	"context"
	"math"
	"strings"
	"testing"

	"taper/internal/engine/usererr"
)

func TestBudget(t *testing.T) {
	b := NewBudget(100)
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
	for range 2 { // giving back twice counts once
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
	b := NewBudget(2 << 30)
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
	if got := Of(math.MaxInt32, math.MaxInt32, math.MaxInt32); got <= 1<<50 || got+got < got {
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
