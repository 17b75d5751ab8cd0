package datasets

import (
	"strings"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/store"
)

// TestUnknownLevelIsNamed: of several levels the one that the outcome does not have is named, whichever place it has.
func TestUnknownLevelIsNamed(t *testing.T) {
	levels := []table.LevelCount{{Level: "0", Rows: 5}, {Level: "1", Rows: 3}}
	// As settleChoice leaves it: one unknown level removes all.
	d := store.Dataset{Choice: store.Choice{Outcome: "y"}, Profiles: []table.Profile{{Name: "y", Levels: levels}}}
	for _, c := range []struct {
		asked       table.Levels
		place, name string
	}{{table.Levels{"1", "pos"}, "[1]", "‘pos’"}, {table.Levels{"pos", "1"}, "[0]", "‘pos’"}, {table.Levels{"pos"}, "", "‘pos’"}} {
		err := Patch{Positive: &c.asked}.keptClasses(d)
		if err == nil || !strings.Contains(err.Error(), "positive"+c.place+" ") || !strings.Contains(err.Error(), "is "+c.name) {
			t.Errorf("%q: %v", c.asked, err)
		}
	}
}
