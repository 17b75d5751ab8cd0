// Package testlog records what a program writes while it runs, for tests and for measurements of whole programs.
package testlog

import (
	"bytes"
	"sync"
)

// Log keeps everything written to it. It can be read while another goroutine writes, as the output of a running
// process is. The zero value is an empty log.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String is the text so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
