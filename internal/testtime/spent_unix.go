//go:build unix

package testtime

import (
	"syscall"
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
