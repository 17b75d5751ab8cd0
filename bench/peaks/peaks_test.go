package main

import (
	"os"
	"testing"
)

// TestMain runs a kind if the test starts this program for it.
func TestMain(m *testing.M) {
	if name := os.Getenv(childOf); name != "" {
		child(name)
		return
	}
	os.Exit(m.Run())
}

// TestEstimates: no estimate is below the memory used.
func TestEstimates(t *testing.T) {
	if testing.Short() {
		t.Skip("Starts a process for each kind of cost: left out with -short.")
	}
	found, err := measure(t.Context(), "", true)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != len(kinds) {
		t.Errorf("%d of %d kinds were measured", len(found), len(kinds))
	}
	for _, p := range found {
		if p.low() {
			t.Errorf("%s: %.0f MB estimated, %.0f MB alive", p.name, p.estimated, p.live)
		}
	}
}

func TestLargest(t *testing.T) {
	line := func(live string) string {
		return "gc 7 @0.040s 9%: 0.01+0.46+0.02 ms clock, 0.03+0.29/0.40/0.26+0.05 ms cpu, 9->11->" + live +
			" MB, 12 MB goal, 0 MB stacks, 0 MB globals, 2 P\n"
	}
	got, err := largest(line("90") + line("4") + "some other line\n" + begun + "\n" + line("20") +
		line("61") + line("8"))
	if err != nil || got != 57 {
		t.Errorf("%v MB, %v; want 57", got, err)
	}
	if _, err := largest(line("4") + begun + "\n"); err == nil {
		t.Error("a collector that says nothing is taken for no memory")
	}
}
