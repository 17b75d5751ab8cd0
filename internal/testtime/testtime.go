// Package testtime lets tests say how promptly work ends without a clock: on a
// machine that is busy with other things a clock runs on while the work does not.
package testtime

import (
	"testing"
	"time"
)

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
