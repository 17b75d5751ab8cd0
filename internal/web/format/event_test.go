package format

import (
	"testing"

	"taper/internal/engine/table"
)

func TestEvent(t *testing.T) {
	for want, positive := range map[string]table.Levels{
		"died": {"died"}, "died or transferred": {"died", "transferred"},
		"y = 1": {"1"}, "y = 1 or 2": {"1", "2"}, "y = yes": {"yes"}, "y = died or 2": {"died", "2"},
	} {
		if got := Event("y", positive); got != want {
			t.Errorf("%q is called %q, want %q", []string(positive), got, want)
		}
	}
}
