package check

import (
	"slices"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

// TestOtherClassIsAsked: where the event is known and several levels are left,
// they can be the other class together.
func TestOtherClassIsAsked(t *testing.T) {
	tab := tabletest.ByHand(tabletest.Texts("course", tabletest.Cycle(120, "alive", "transferred", "alive", "died", "9")...))
	w := say(t, checkOutcome(tab, table.OutcomeChoice{Column: "course", Positive: table.Levels{"died"}}, table.Options{}), "outcome-levels")
	want(t, w, "The event of course is ‘died’; 9, alive and transferred remain. Which of them are non-events?")
	var labels []string
	for _, c := range w.Choices {
		labels = append(labels, c.Label)
	}
	if expect := []string{"Treat 9 as missing", "alive and transferred together", "alive; transferred and 9 scored but not used for training", "transferred; alive and 9 scored but not used for training"}; w.Level != "ask" || !slices.Equal(labels, expect) {
		t.Errorf("%s offers %q", w.Level, labels)
	}
	if o := w.Choices[1].Outcome; !o.Negative.SameSet(table.Levels{"alive", "transferred"}) || !slices.Equal(o.ScoreOnly, []string{"9"}) || o.Positive.String() != "died" {
		t.Errorf("together: %+v", o)
	}
	tab = tabletest.ByHand(tabletest.Texts("course", tabletest.Cycle(120, "alive", "transferred", "alive", "died")...))
	both := table.OutcomeChoice{Column: "course", Positive: table.Levels{"died", "transferred"}}
	silent(t, checkOutcome(tab, both, table.Options{}), "outcome-levels")
	if n := classes(tab.Columns[0], both).counts(); n != [2]int{60, 60} {
		t.Errorf("rows by class: %v", n)
	}
	both = table.OutcomeChoice{Column: "course", Positive: table.Levels{"died"}, Negative: table.Levels{"alive"}}
	w = say(t, checkOutcome(tab, both, table.Options{}), "outcome-levels")
	if len(w.Choices) != 4 || w.Choices[2].Label != "Count transferred as the event" || !w.Choices[2].Outcome.Positive.SameSet(table.Levels{"died", "transferred"}) {
		t.Errorf("offers %+v", w.Choices)
	}
}
