package report

import "testing"

// TestMaskedSentence hides small counts in sentences made for the screen.
func TestMaskedSentence(t *testing.T) {
	for in, want := range map[string]string{
		"3 rows above 75\u00a0%.":           "Fewer than 10 rows above 75\u00a0%.",
		"14 identical rows: keep?":          "14 identical rows: keep?",
		"1,203 rows lack it.":               "1,203 rows lack it.",
		"1 label changed, 2 rows left out":  "Fewer than 10 labels changed, fewer than 10 rows left out",
		"BMI = 0 in 1 row. Missing?":        "BMI = 0 in fewer than 10 rows. Missing?",
		"23\u00a0rows, 4\u00a0events":       "23\u00a0rows, fewer than 10 events",
		"212 events for 30 parameters (7.1": "212 events for 30 parameters (7.1",
	} {
		if got := masked(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}
