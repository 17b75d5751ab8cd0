package main

import (
	"io"
	"strings"
	"testing"
)

// FuzzFlags: every command line is accepted or refused without a panic, and no limit is below 1.
func FuzzFlags(f *testing.F) {
	for _, line := range []string{"", "-listen|:80", "-max-rows|-1", "backup|a.tar", "restore", "password|x", "-h", "--|backup",
		"-memory|1e9G|-trusted-proxy|10.0.0.0/8|-base-path|/x", "-max-bytes=9223372036854775808",
		"stratify|f.csv|-outcome|died|-event|yes|-o|r.html", "fit|f.csv|-param|alpha=inf|-boundaries|.1,.3|-l2|cv", "score|last",
		"compare|a|b|-json", "import|f|-ask|s.json", "study|-seed|-1", "worker|-queue|nats://127.0.0.1:1",
		"queue-creds|f", "-workers|x", "bundle|last|-with-data", "verify|b.zip|-data|f.csv"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		p := program{env: func(string) string { return "" }, stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard,
			idle: true}
		code := p.run(t.Context(), strings.Split(line, "|"))
		if l := p.server.Limits; code == 0 && (l.Bytes < 1 || l.Rows < 1 || l.Columns < 1) && !strings.Contains(line, "-") {
			t.Errorf("%q is understood with the limits %+v", line, l)
		}
		if code < 0 || code > unverified {
			t.Errorf("%q ends with %d", line, code)
		}
	})
}
