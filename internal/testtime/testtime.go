// Package testtime lets tests say how promptly work ends without a clock: on a
// machine that is busy with other things a clock runs on while the work does not.
package testtime

import (
	"syscall"
	"testing"
	"time"
)

// Spent returns the processor time that this process has used so far, on all cores
// together. The difference of two calls is the work done between them.
func Spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // there is no other way to fail than a wrong pointer
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Hang is after what time a test may give up. It only ends what will never come: a
// machine that is busy with ten other things is an order of magnitude slower.
const Hang = 5 * time.Minute

// Until polls until ready reports true, and ends the test where that never comes.
func Until(t testing.TB, what string, ready func() bool) {
	t.Helper()
	for end := time.Now().Add(Hang); !ready(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s", Hang, what)
		}
	}
}
