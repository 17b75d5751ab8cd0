package main

import (
	"strings"
	"testing"
)

// TestAttacks is the short form of the whole list, on a program built from the tree.
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
