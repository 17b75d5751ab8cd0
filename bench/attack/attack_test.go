package main

import (
	"strings"
	"testing"
)

// TestAttacks runs the short form of all attacks on a program built from this tree.
func TestAttacks(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the program")
	}
	var table strings.Builder
	ok, err := run(t.Context(), "", "", "2GB", true, &table)
	if err != nil || !ok {
		t.Errorf("not everything held, %v:\n%s", err, &table)
	}
}
