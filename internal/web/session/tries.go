package session

import (
	"context"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"time"

	"taper/internal/engine/usererr"
)

// Tries compares passwords with the hash: few a minute from one address, and few at
// once, because each comparison takes the memory and the time that the hash asks for.
type Tries struct {
	hash Hash
	now  func() time.Time
	slot chan struct{} // held while a password is compared
	room chan struct{} // held from the request to the answer

	mu     sync.Mutex
	recent map[netip.Prefix][]time.Time // when the tries of the last minute came, but for right ones
}

const (
	triesAMinute = 5
	waitingTries = 32
	// Addresses that are remembered at once. Who has more at hand is slowed by the comparisons.
	mostAddresses = 1 << 16
)

func NewTries(hash Hash, now func() time.Time) *Tries {
	return &Tries{hash: hash, now: now, recent: map[netip.Prefix][]time.Time{},
		slot: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)), room: make(chan struct{}, waitingTries)}
}

// Check says whether a password is the right one. A try counts from its beginning, so
// that five at once are five; a right one is then forgotten. Five others in a minute
// close the door to their address for the rest of it: a token bucket would open it
// again after twelve seconds, for one more guess.
func (t *Tries) Check(ctx context.Context, from netip.Addr, password string) error {
	key := network(from)
	came, err := t.count(key)
	if err != nil {
		return err
	}
	select {
	case t.room <- struct{}{}:
		defer func() { <-t.room }()
	default:
		return usererr.New(usererr.TooMany, "Too many people are signing in at this moment. Try again in a minute.")
	}
	select {
	case t.slot <- struct{}{}:
		defer func() { <-t.slot }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if !t.hash.Matches(password) {
		return usererr.BadField("password", "is not the right one")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.recent[key], came); i >= 0 {
		t.recent[key] = slices.Delete(t.recent[key], i, i+1)
	}
	if len(t.recent[key]) == 0 {
		delete(t.recent, key)
	}
	return nil
}

// count notes a try, or refuses it.
func (t *Tries) count(key netip.Prefix) (time.Time, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	t.forget(key, now)
	if _, known := t.recent[key]; !known && len(t.recent) >= mostAddresses {
		for k := range t.recent {
			t.forget(k, now)
		}
	}
	if len(t.recent[key]) >= triesAMinute || len(t.recent) >= mostAddresses {
		return now, usererr.New(usererr.TooMany,
			"Five passwords in a minute came from your address, and none was right. Wait a minute, then try again.")
	}
	t.recent[key] = append(t.recent[key], now)
	return now, nil
}

// forget drops the tries of an address that are a minute old.
func (t *Tries) forget(key netip.Prefix, now time.Time) {
	left := slices.DeleteFunc(t.recent[key], func(at time.Time) bool { return now.Sub(at) > time.Minute })
	if t.recent[key] = left; len(left) == 0 {
		delete(t.recent, key)
	}
}

// network is what counts as one address: a household or a machine has a /64 of IPv6 to itself.
func network(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, err := a.Prefix(bits)
	if err != nil { // no address: all of these count together
		return netip.Prefix{}
	}
	return p
}
