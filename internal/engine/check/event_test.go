package check

import (
	"slices"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

// TestSpokenEvent: an event is taken without asking only where its word can
// mean nothing else.
func TestSpokenEvent(t *testing.T) {
	n := 120
	for _, c := range []struct{ name, common, rare, event string }{
		{"y", "0", "1", ""}, {"died", "0", "1", ""}, {"y", "1", "2", ""}, {"y", "0", "2", ""},
		{"y", "false", "true", ""}, {"dead", "FALSE", "TRUE", ""}, {"y", "f", "t", ""},
		{"outcome", "no", "yes", ""}, {"result", "negative", "positive", ""}, {"y", "nein", "ja", ""},
		{"survived", "no", "yes", ""}, {"Survived30d", "yes", "no", ""}, {"überlebt", "nein", "ja", ""}, {"geheilt", "ja", "nein", ""},
		{"guéri", "non", "oui", ""}, {"vivo", "no", "sí", ""}, {"disease_free", "no", "yes", ""}, {"remission", "no", "yes", ""},
		{"status", "alive", "dead", ""}, {"status", "vivant", "décédé", ""}, {"status", "sano", "enfermo", ""}, {"status", "gesund", "krank", ""},
		{"status", "survived", "transferred", ""}, {"course", "complete remission", "relapse", ""}, {"arm", "control", "treated", ""},
		{"died", "no", "yes", "yes"}, {"disease", "no", "yes", "yes"}, {"Tod", "nein", "ja", "ja"}, {"stroke", "n", "y", "y"},
		{"diagnosis", "benign", "malignant", "malignant"}, {"diagnosis", "malignant", "benign", "malignant"}, {"group", "control", "case", "case"},
		{"class", "tested_negative", "tested_positive", "tested_positive"}, {"group", "NC", "AD", "AD"},
	} {
		tab := tabletest.ByHand(answers(c.name, c.common, c.rare, n, every(3)))
		if got := SpokenEvent(tab.Columns[0]); got.Column != c.name || got.Positive.String() != c.event {
			t.Errorf("%s of %s and %s: the event is %q, want %q", c.name, c.common, c.rare, got.Positive.String(), c.event)
		}
	}
}

// TestOutcomeIsAsked: without an answer the likely columns are offered, the best
// first, and nothing else of the outcome is said.
func TestOutcomeIsAsked(t *testing.T) {
	n := 120
	tab := tabletest.ByHand(tabletest.Numbers("age", draws(n, func(i int) float64 { return float64(30 + i%50) })...), tabletest.Texts("sex", tabletest.Cycle(n, "m", "f")...),
		answers("died", "0", "1", n, every(5)), answers("diagnosis", "benign", "malignant", n, every(3)))
	all := checkOutcome(tab, table.OutcomeChoice{}, table.Options{Settled: []string{"which-outcome:"}})
	w := say(t, all, "which-outcome")
	want(t, w, "No outcome is chosen yet. Which column is the outcome?")
	if len(all) != 1 || w.Level != "ask" {
		t.Errorf("says %q at level %q", sentences(all), w.Level)
	}
	var names []string
	for _, c := range w.Choices {
		names = append(names, c.Label)
	}
	if !slices.Equal(names, []string{"diagnosis", "died", "sex"}) {
		t.Errorf("offers %q", names)
	}
	if o := w.Choices[0].Outcome; o.Column != "diagnosis" || o.Positive.String() != "malignant" || o.Negative.String() != "benign" {
		t.Errorf("the first answer is %+v", o)
	}
	if o := w.Choices[1].Outcome; o.Column != "died" || len(o.Positive) > 0 {
		t.Errorf("the second answer is %+v", o)
	}
	age := tabletest.ByHand(tab.Columns[0])
	if w := say(t, checkOutcome(age, table.OutcomeChoice{}, table.Options{}), "no-outcome"); w.Level != "stop" {
		t.Errorf("level %q", w.Level)
	}
}

// TestNumberOfAClass: a number that goes on with the classes before it is no code for missing,
// so that no answer drops its rows; one that stands apart is.
func TestNumberOfAClass(t *testing.T) {
	for _, c := range []struct {
		cells   []string
		offered string // of the first answer, "" where nothing is asked
	}{
		{[]string{"1", "2", "3", "5", "6", "7"}, ""},
		{[]string{"6", "7", "8", "9", "10"}, ""},
		{[]string{"0", "1", "9"}, "Treat 9 as missing"},
		{[]string{"0", "1", "8", "9"}, "Treat 8 and 9 as missing"},
		{[]string{"1", "2", "3", "-1"}, "Treat -1 as missing"},
	} {
		tab := tabletest.ByHand(tabletest.Texts("y", tabletest.Cycle(120, c.cells...)...))
		got := ""
		for _, w := range checkOutcome(tab, table.OutcomeChoice{Column: "y"}, table.Options{}) {
			if w.Code == "outcome-levels" {
				got = w.Choices[0].Label
			}
		}
		if got != c.offered {
			t.Errorf("%v: %q, want %q", c.cells, got, c.offered)
		}
	}
}

// TestEventIsAsked offers the likely event first, and no code for missing.
func TestEventIsAsked(t *testing.T) {
	n := 120
	for _, c := range []struct {
		cells, offered []string
		negative       string
	}{
		{[]string{"0", "0", "1"}, []string{"1", "0"}, "0"}, {[]string{"alive", "died", "alive"}, []string{"died", "alive"}, "alive"},
		{[]string{"0", "1", "0", "9"}, []string{"1", "0"}, ""}, {[]string{"alive", "transferred", "alive", "died"}, []string{"died", "alive", "transferred"}, ""},
		{[]string{"0", "2", "0", "1"}, []string{"0", "1", "2"}, ""}, // 2 can be death and 1 a transplant
		{[]string{"1", "2", "3", "5", "6", "7"}, []string{"1", "2", "3", "5", "6", "7"}, ""},
	} {
		tab := tabletest.ByHand(tabletest.Texts("y", tabletest.Cycle(n, c.cells...)...))
		all := checkOutcome(tab, table.OutcomeChoice{Column: "y"}, table.Options{Settled: []string{"which-event:y"}})
		w := say(t, all, "which-event")
		var names []string
		for _, c := range w.Choices {
			names = append(names, c.Outcome.Positive.String())
		}
		if w.Level != "ask" || !slices.Equal(names, c.offered) || w.Choices[0].Outcome.Negative.String() != c.negative {
			t.Errorf("%v: level %q, offers %q, the first against %q", c.cells, w.Level, names, w.Choices[0].Outcome.Negative)
		}
		silent(t, checkOutcome(tab, table.OutcomeChoice{Column: "y", Positive: table.Levels{c.offered[0]}}, table.Options{}), "which-event")
	}
}

// TestConstantIsNoOutcome: a column that never varies is not offered as the outcome. Where it alone is named like
// one, the question says which column it is, and what to do.
func TestConstantIsNoOutcome(t *testing.T) {
	n := 768
	age := tabletest.Numbers("age", draws(n, func(i int) float64 { return float64(30 + i%50) })...)
	alone := tabletest.ByHand(age, constant("dead", "1", n))
	all := checkOutcome(alone, table.OutcomeChoice{}, table.Options{})
	w := say(t, all, "no-outcome")
	want(t, w, "dead is 1 in all 768 rows, so there is nothing to predict. Choose another column or upload a file with "+
		"both values.")
	if len(all) != 1 || w.Level != "stop" {
		t.Errorf("says %q at level %q", sentences(all), w.Level)
	}
	if o := SuggestOutcome(alone); o.Column != "" {
		t.Errorf("%q is suggested", o.Column)
	}
	with := tabletest.ByHand(age, constant("dead", "1", n), answers("sex", "m", "f", n, every(2)))
	if got := LikelyOutcomes(with); !slices.Equal(got, []string{"sex"}) {
		t.Errorf("%q are offered", got)
	}
}

// TestLetterIsNoTable: of a file of one column no outcome is asked, because nothing could predict it.
func TestLetterIsNoTable(t *testing.T) {
	for _, file := range []string{"Dear colleague,\nthe patient was seen today.\nKind regards\n", "y\n0\n1\n1\n0\n"} {
		tab, _ := issuesOf(t, file, table.Options{})
		all := checkOutcome(tab, table.OutcomeChoice{}, table.Options{})
		w := say(t, all, "no-outcome")
		want(t, w, "One column was found, so there is nothing to predict from. Is the separator a semicolon, a comma or a "+
			"tab? If the file is no table, upload another.")
		if len(all) != 1 || w.Level != "stop" {
			t.Errorf("says %q at level %q", sentences(all), w.Level)
		}
	}
}
