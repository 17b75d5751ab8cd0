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
	recent map[netip.Prefix]attempts
}

// attempts are those of one address.
type attempts struct {
	wrong    []time.Time // starts of those of the last minute whose password was compared and not right
	checking int         // those without an answer
}

const (
	triesAMinute = 5
	waitingTries = 32
	// Addresses remembered at once. An attacker with more addresses is limited by the comparisons.
	mostAddresses = 1 << 16
)

func NewTries(hash Hash, now func() time.Time) *Tries {
	return &Tries{hash: hash, now: now, recent: map[netip.Prefix]attempts{},
		slot: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)), room: make(chan struct{}, waitingTries)}
}

// Check reports whether a password is correct. An attempt counts from its start, so that five at once are five. Only
// one whose password was compared and not right continues to count. After five of them within a minute, the address
// is refused for the rest of the minute. A token bucket would allow another guess after twelve seconds.
func (t *Tries) Check(ctx context.Context, from netip.Addr, password string) error {
	key := network(from)
	came, err := t.begin(key)
	if err != nil {
		return err
	}
	wrong := false
	defer func() { t.end(key, came, wrong) }()
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
	if wrong = !t.hash.Matches(password); wrong {
		return usererr.BadField("password", "is not the right one")
	}
	return nil
}

// begin records an attempt as one without an answer, or refuses it.
func (t *Tries) begin(key netip.Prefix) (time.Time, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	t.forget(key, now)
	if _, known := t.recent[key]; !known && len(t.recent) >= mostAddresses {
		for k := range t.recent {
			t.forget(k, now)
		}
		if len(t.recent) >= mostAddresses {
			return now, usererr.New(usererr.TooMany,
				"Wrong passwords came from very many addresses in the last minute. Wait a minute, then try again.")
		}
	}
	of := t.recent[key]
	switch {
	case len(of.wrong) >= triesAMinute:
		return now, usererr.New(usererr.TooMany,
			"Five passwords in a minute came from your address, and none was right. Wait a minute, then try again.")
	case len(of.wrong)+of.checking >= triesAMinute:
		return now, usererr.New(usererr.TooMany,
			"Other passwords from your address are being checked at this moment. Try again in a minute.")
	}
	of.checking++
	t.recent[key] = of
	return now, nil
}

// end records the answer to an attempt that began at came.
func (t *Tries) end(key netip.Prefix, came time.Time, wrong bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	of := t.recent[key]
	of.checking--
	if wrong {
		of.wrong = append(of.wrong, came)
	}
	t.recent[key] = of
	t.forget(key, t.now())
}

// forget drops the attempts of an address that are older than a minute.
func (t *Tries) forget(key netip.Prefix, now time.Time) {
	of := t.recent[key]
	of.wrong = slices.DeleteFunc(of.wrong, func(at time.Time) bool { return now.Sub(at) > time.Minute })
	if t.recent[key] = of; len(of.wrong) == 0 && of.checking == 0 {
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
