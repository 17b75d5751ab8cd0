// Package testtime lets tests measure how promptly work ends without a clock: on a busy machine
// a clock runs on while the work does not.
package testtime

import (
	"runtime"
	"testing"
	"time"
)

// Hang is the time after which a test fails. It is long, because a busy machine can be ten
// times slower.
const Hang = 5 * time.Minute

// Until polls until ready returns true, and fails the test after Hang.
func Until(t testing.TB, what string, ready func() bool) {
	t.Helper()
	for end := time.Now().Add(Hang); !ready(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s", Hang, what)
		}
	}
}

// TwoCores lets a test use two cores: processor time from a cancel to the end of the work grows with the cores that are
// at work, and a test that bounds it must hold on a machine of many.
func TwoCores(t testing.TB) {
	before := runtime.GOMAXPROCS(2)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}
