package engine

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/check"
	"taper/internal/engine/table/tabletest"
)

// TestOneSided: a category, the reference among them, or a value of a number that has
// two, is named where every row of it has the event or none has it.
func TestOneSided(t *testing.T) {
	for _, c := range []struct {
		name, one, other string                      // the values of the column
		change           func(i int, died bool) bool // reports whether row i has value one
		want             string                      // of the warning; "" for none
	}{
		{"a level without events", "x", "y", func(i int, died bool) bool { return !died && i%2 == 0 }, "‘extra = x’ (no event in "},
		{"a level of events alone", "x", "y", func(i int, died bool) bool { return died && i%2 == 0 }, "‘extra = x’ (only events in "},
		{"the other level", "y", "x", func(i int, died bool) bool { return !died && i%2 == 0 }, "‘extra = y’ (no event in "},
		{"a value of two", "1", "0", func(i int, died bool) bool { return !died && i%2 == 0 }, "‘extra = 1’ (no event in "},
		{"the lower value", "0", "1", func(i int, died bool) bool { return died && i%2 == 0 }, "‘extra = 0’ (only events in "},
		{"missing numbers", "", "number", func(i int, died bool) bool { return died && i%7 == 0 }, "‘extra missing’ (only events in "},
		{"missing numbers on both sides", "", "number", func(i int, _ bool) bool { return i%7 == 0 }, ""},
		{"one row on the other side", "x", "y", func(i int, died bool) bool { return i == 3 || !died && i%2 == 0 }, ""},
		{"both on their sides", "x", "y", func(_ int, died bool) bool { return died }, ""}, // perfect, which is said otherwise
		{"at random", "x", "y", func(i int, _ bool) bool { return i%3 == 0 }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			records := tabletest.Clinic(300, 21)
			records[0] = append(records[0], "extra")
			records[4][5] = "died" // row 3, which one case takes as an event
			for i, r := range records[1:] {
				value := c.other
				if value == "number" {
					value = strconv.Itoa(i % 17)
				}
				if c.change(i, r[5] == "died") {
					value = c.one
				}
				records[i+1] = append(r, value)
			}
			s := clinicSpec()
			s.Predictors = []string{"age", "extra"}
			r := mustFit(t, tabletest.FromRecords(records), s)
			at := slices.IndexFunc(r.Warnings, func(w Warning) bool { return w.Code == WarnOneSided })
			switch {
			case c.want == "" && at >= 0:
				t.Errorf("warned: %s", r.Warnings[at].Message)
			case c.want != "" && (at < 0 || !strings.Contains(r.Warnings[at].Message, c.want) || r.Warnings[at].Column != "extra"):
				t.Errorf("no %q in %v", c.want, r.Warnings)
			}
		})
	}
}

// TestVerdictOfFewEvents: the verdict says of a model of few events, and of no other,
// that it is exploratory.
func TestVerdictOfFewEvents(t *testing.T) {
	r := &Result{NoPredictor: true}
	if v := Verdict(r); strings.Contains(strings.Join(v, " "), "exploratory") {
		t.Errorf("enough events: %v", v)
	}
	r.Warnings = []Warning{{Code: check.WarnFewEvents, Message: "161 events for 29 parameters (5.5 each): exploratory only."}}
	if v := Verdict(r); v[0] != "The model is exploratory: 161 events for 29 parameters (5.5 each)." {
		t.Errorf("few events: %v", v)
	}
}
