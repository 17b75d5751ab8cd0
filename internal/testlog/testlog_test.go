package testlog

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestLog: a log read while others write has whole writes only, and in the end all of them.
func TestLog(t *testing.T) {
	var log Log
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 100 {
				fmt.Fprintln(&log, "a line")
			}
		})
	}
	for range 100 {
		if text := log.String(); text != strings.Repeat("a line\n", strings.Count(text, "\n")) {
			t.Fatalf("half a line is in the log: %q", text)
		}
	}
	writers.Wait()
	if got := strings.Count(log.String(), "a line\n"); got != 400 {
		t.Errorf("%d lines of 400", got)
	}
}
