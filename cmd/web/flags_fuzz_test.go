package main

import (
	"io"
	"slices"
	"strings"
	"testing"
)

// FuzzFlags: whatever the command line, it is a command that the program has, or refused.
func FuzzFlags(f *testing.F) {
	for _, line := range []string{"", "-listen|:80", "-max-rows|-1", "backup|a.tar", "restore", "password|x", "-h", "--|backup",
		"-memory|1e9G|-trusted-proxy|10.0.0.0/8|-base-path|/x", "-max-bytes=9223372036854775808"} {
		f.Add(line)
	}
	commands := []string{"serve", "version", "backup", "restore", "password"}
	f.Fuzz(func(t *testing.T, line string) {
		cmd, err := parseFlags(strings.Split(line, "|"), func(string) string { return "" }, io.Discard)
		if err == nil && !slices.Contains(commands, cmd.name) {
			t.Errorf("%q is the command %q", line, cmd.name)
		}
		if l := cmd.server.Limits; err == nil && cmd.name == "serve" && (l.Bytes < 0 || l.Rows < 0 || l.Columns < 0) {
			t.Errorf("%q is served with the limits %+v", line, l)
		}
	})
}
