package session

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"taper/internal/engine/usererr"
)

// The hash of “correct horse battery”, computed by the argon2 command of Debian.
const hash Hash = "$argon2id$v=19$m=8192,t=1,p=1$c29tZXNhbHQw$qme0vd7HlKjtpkJhfrOXLS6XBgWk78H2aa1CWZ1niiE"

const right = "correct horse battery"

func TestTriesByAddress(t *testing.T) {
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	tries := NewTries(hash, func() time.Time { return clock })
	check := func(from, password string) error {
		return tries.Check(t.Context(), netip.MustParseAddr(from), password)
	}
	for range 2 * triesAMinute { // successful attempts do not count
		if err := check("203.0.113.7", right); err != nil {
			t.Fatal(err)
		}
	}
	for range triesAMinute {
		if err := check("203.0.113.7", "guess"); !usererr.Is(err, usererr.Invalid) {
			t.Fatalf("a guess: %v", err)
		}
		if err := check("2001:db8::1", "guess"); !usererr.Is(err, usererr.Invalid) {
			t.Fatalf("a guess: %v", err)
		}
	}
	for _, c := range []struct {
		from string
		shut bool
	}{{"203.0.113.7", true}, {"::ffff:203.0.113.7", true}, {"203.0.113.8", false}, {"2001:db8::ffff:1", true},
		{"2001:db8:0:1::1", false}} {
		if err := check(c.from, right); usererr.Is(err, usererr.TooMany) != c.shut || !c.shut && err != nil {
			t.Errorf("%s: %v", c.from, err)
		}
	}
	clock = clock.Add(time.Minute + time.Second)
	if err := check("203.0.113.7", right); err != nil {
		t.Errorf("a minute later: %v", err)
	}
	if len(tries.recent) != 1 { // other addresses are cleaned up when they return, or when there are many
		t.Errorf("%d addresses are remembered", len(tries.recent))
	}
}

// During a comparison one more attempt waits for its turn, and stops waiting when its request ends. Attempts count
// from their start, and waiting places are limited.
func TestTriesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := NewTries(hash, time.Now)
		for range cap(tries.slot) {
			tries.slot <- struct{}{}
		}
		ctx, leave := context.WithCancel(t.Context())
		answers := make(chan error, waitingTries+triesAMinute)
		ask := func(ctx context.Context, from byte) {
			go func() { answers <- tries.Check(ctx, netip.AddrFrom4([4]byte{203, 0, 113, from}), right) }()
			synctest.Wait()
		}
		for range triesAMinute {
			ask(ctx, 1)
		}
		if len(answers) != 0 {
			t.Fatal("a password was compared out of turn")
		}
		ask(ctx, 1)
		if err := <-answers; !usererr.Is(err, usererr.TooMany) || !strings.Contains(err.Error(), "are being checked") {
			t.Errorf("the sixth at once: %v", err)
		}
		leave()
		for range triesAMinute {
			if err := <-answers; err != context.Canceled {
				t.Errorf("who left: %v", err)
			}
		}
		for i := range waitingTries { // address 1 again, too: a password that was not compared is not a wrong one
			ask(t.Context(), byte(1+i))
		}
		for range 2 * triesAMinute {
			ask(t.Context(), 200)
			if err := <-answers; !usererr.Is(err, usererr.TooMany) || !strings.Contains(err.Error(), "Too many people") {
				t.Errorf("beyond the room: %v", err)
			}
		}
		<-tries.slot
		for range waitingTries {
			if err := <-answers; err != nil {
				t.Errorf("who waited: %v", err)
			}
		}
	})
}

func TestTriesForget(t *testing.T) {
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	tries := NewTries(hash, func() time.Time { return clock })
	guess := func(key netip.Prefix) error {
		came, err := tries.begin(key)
		if err == nil {
			tries.end(key, came, true)
		}
		return err
	}
	known := network(netip.AddrFrom4([4]byte{10}))
	for i := range mostAddresses {
		if err := guess(network(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}))); err != nil {
			t.Fatal(err)
		}
	}
	other := network(netip.MustParseAddr("203.0.113.7"))
	if err := guess(other); !usererr.Is(err, usererr.TooMany) || !strings.Contains(err.Error(), "many addresses") {
		t.Errorf("beyond the most addresses: %v", err)
	}
	if err := guess(known); err != nil {
		t.Errorf("an address that is remembered: %v", err)
	}
	clock = clock.Add(2 * time.Minute)
	if err := guess(other); err != nil || len(tries.recent) != 1 {
		t.Errorf("later: %v, %d remembered", err, len(tries.recent))
	}
}
