package testtime

import (
	"time"

	"golang.org/x/sys/windows"
)

// Spent returns the processor time used by this process so far, over all cores. The difference
// of two calls is the work between them.
func Spent() time.Duration {
	var made, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &made, &ended, &kernel, &user); err != nil {
		panic(err) // only a wrong handle can fail
	}
	ticks := func(t windows.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return time.Duration(ticks(kernel)+ticks(user)) * 100 // units of 100 ns
}
