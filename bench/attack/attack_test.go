package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mostBytes is the largest size of the program on linux/amd64. A library that calls methods by name can add 12 MB, because
// the linker then keeps every method of every type.
const mostBytes = 45_000_000

// TestAttacks runs the short form of all attacks on a program built from this tree. It also checks the size of that
// program, because no other test builds it as it is shipped.
func TestAttacks(t *testing.T) {
	if testing.Short() {
		t.Skip("Builds and attacks the program: left out with -short.")
	}
	dir, err := os.MkdirTemp("", "taper-built-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // one attack starts the program as another user
		t.Fatal(err)
	}
	taper := filepath.Join(dir, "taper")
	if err := build(t.Context(), taper); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(taper)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the program has %d bytes, at most %d", info.Size(), mostBytes)
	if info.Size() > mostBytes {
		t.Errorf("the program has %d bytes, more than %d: scripts/build says what keeps it small", info.Size(), mostBytes)
	}
	var table strings.Builder
	ok, err := run(t.Context(), taper, "", "2GB", true, &table)
	if err != nil || !ok {
		for line := range strings.Lines(table.String()) {
			if strings.Contains(line, "**no**") {
				t.Error(line)
			}
		}
		t.Errorf("not everything held, %v:\n%s", err, &table)
	}
}
