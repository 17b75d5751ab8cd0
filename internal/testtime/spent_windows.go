package testtime

import (
	"time"

	"golang.org/x/sys/windows"
)

// Spent returns the processor time that this process has used so far, on all cores together. The difference of two
// calls is the work done between them.
func Spent() time.Duration {
	var made, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &made, &ended, &kernel, &user); err != nil {
		panic(err) // there is no other way to fail than a wrong handle
	}
	ticks := func(t windows.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return time.Duration(ticks(kernel)+ticks(user)) * 100 // of 100 ns
}
