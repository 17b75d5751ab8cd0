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

// Tries compares passwords with the hash. It allows few attempts per minute from one address and few at once,
// because each comparison takes the memory and time that the hash demands.
type Tries struct {
	hash Hash
	now  func() time.Time
	slot chan struct{} // held during a comparison
	room chan struct{} // held from the request to the answer

	mu     sync.Mutex
	recent map[netip.Prefix][]time.Time // times of the attempts of the last minute, without successful ones
}

const (
	triesAMinute = 5
	waitingTries = 32
	// Addresses remembered at once. An attacker with more addresses is limited by the comparisons.
	mostAddresses = 1 << 16
)

func NewTries(hash Hash, now func() time.Time) *Tries {
	return &Tries{hash: hash, now: now, recent: map[netip.Prefix][]time.Time{},
		slot: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)), room: make(chan struct{}, waitingTries)}
}

// Check reports whether a password is correct. An attempt counts from its start, so that five at once are five; a
// successful one is not counted. After five others within a minute, the address is refused for the rest of the
// minute. A token bucket would allow another guess after twelve seconds.
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

// count records an attempt, or refuses it.
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

// forget drops the attempts of an address that are older than a minute.
func (t *Tries) forget(key netip.Prefix, now time.Time) {
	left := slices.DeleteFunc(t.recent[key], func(at time.Time) bool { return now.Sub(at) > time.Minute })
	if t.recent[key] = left; len(left) == 0 {
		delete(t.recent, key)
	}
}

// network is the unit of counting: a household or a machine can use all addresses of an IPv6 /64.
func network(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, err := a.Prefix(bits)
	if err != nil { // requests without an address count together
		return netip.Prefix{}
	}
	return p
}
