package cost

import (
	"context"
	"slices"
	"testing"
)

// TestWhenUnused: what is given back waits for the requests and the jobs of that moment, and not for later ones or
// for caches.
func TestWhenUnused(t *testing.T) {
	m := NewMemory(1 << 30)
	var freed []string
	free := func(name string) func() { return func() { freed = append(freed, name) } }
	expect := func(when string, want ...string) {
		t.Helper()
		if !slices.Equal(freed, want) {
			t.Errorf("%s: %v were freed, want %v", when, freed, want)
		}
	}
	if _, ok := m.Caches.TryAcquire(1); !ok {
		t.Fatal("no room for a cache")
	}
	m.WhenUnused(free("a"))
	expect("without users", "a")
	_, request := WithScope(context.Background(), m.Requests)
	job, ok := m.Jobs.TryAcquire(0)
	if !ok {
		t.Fatal("no room for a job")
	}
	m.WhenUnused(free("b"))
	expect("with a request and a job", "a")
	_, later := WithScope(context.Background(), m.Requests)
	request()
	expect("with a job", "a")
	m.WhenUnused(free("c"))
	job()
	job()
	expect("with a later request", "a", "b")
	later()
	expect("at the end", "a", "b", "c")
	(Memory{}).WhenUnused(free("d"))
	expect("of an unlimited memory", "a", "b", "c")
}
