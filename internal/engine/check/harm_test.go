package check

import (
	"strings"
	"testing"

	"taper/internal/engine/table"
)

func ask(code, column, message string) table.Warning {
	return table.Warning{Code: code, Column: column, Message: message, Level: "ask"}
}

// TestSort: what stops, asks, informs, is settled; each by harm.
func TestSort(t *testing.T) {
	all := Sort([]table.Warning{
		{Code: "constant-column", Level: "note", Settled: true}, {Code: "leak", Column: "kept", Level: "note", Settled: true},
		{Code: "prevalence", Level: "note"}, {Code: "identical-rows", Level: "note"},
		ask("similar-levels", "sex", ""), ask("missing-code", "a", ""), ask("missing-code", "b", ""), ask("units", "dose", ""),
		ask("repeated-patients", "id", ""), ask("leak", "time", ""), ask("which-event", "y", ""), ask("which-outcome", "", ""),
		{Code: "one-class", Level: "stop"},
	})
	var got []string
	for _, w := range all {
		got = append(got, w.Code+":"+w.Column)
	}
	want := "one-class: which-event:y which-outcome: leak:time repeated-patients:id units:dose missing-code:a missing-code:b similar-levels:sex " +
		"identical-rows: prevalence: leak:kept constant-column:"
	if text := strings.Join(got, " "); text != want {
		t.Errorf("sorted to\n%s, want\n%s", text, want)
	}
}

// TestHarmsAreCodes: the order names codes that warnings have, each once.
func TestHarmsAreCodes(t *testing.T) {
	seen := map[string]bool{"which-outcome": false} // not asked yet
	for _, h := range harms {
		for _, code := range h.codes {
			if _, early := seen[code]; !early && table.Codes[code] == "" || seen[code] {
				t.Errorf("%s is no code of a warning, or twice in the order", code)
			}
			seen[code] = true
		}
		for code := range h.cost {
			if !seen[code] {
				t.Errorf("the cost of %s stands in another group", code)
			}
		}
	}
}

// TestOpen: a harmful question is open until it is answered; a note, or a question
// that changes little, is none.
func TestOpen(t *testing.T) {
	kept := ask("leak", "troponin", "troponin alone reaches AUC 0.960. Kept as known at the time of prediction.")
	kept.Level, kept.Settled = "note", true
	all := []table.Warning{
		ask("missing-code", "chol", "−9 in 41 rows of chol. Is −9 a code for a missing "+
			"value?"), kept, ask("similar-levels", "sex", "‘M’ and ‘m’ of sex differ by case. Join them?"),
		{Code: "identical-rows", Level: "note"}, ask("leak", "time", "time alone reaches AUC 0.990. Is it known at the time of prediction?"),
	}
	var got []string
	for _, w := range OpenQuestions(all) {
		fact, follows := UnansweredQuestion(w)
		got = append(got, fact+" "+follows)
	}
	want := []string{
		"Not answered: ‘time’ alone reaches AUC 0.990; if this is not known at the time of prediction, the results are optimistic.",
		"Not answered: −9 in 41 rows of chol; the code is used as a measured number.",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("open: %q", got)
	}
	if all[0].Code != "missing-code" {
		t.Error("the list handed over was sorted")
	}
}

// TestFacts: the fact ends where the question begins, whatever the column is called.
func TestFacts(t *testing.T) {
	for want, w := range map[string]table.Warning{
		"‘creat. level’ alone reaches AUC 0.970": ask("leak", "creat. level", "creat. level alone reaches AUC 0.970. Is it known at the time of prediction?"),
		"3 values of a. b are not numeric": ask("odd-text", "a. b", "3 values of a. b are not numeric. How "+
			"should they be read?"),
		"'1,234' in dose":              ask("thousands", "", "'1,234' in dose: 1234 or 1.234? Read as 1234."),
		"Found 0, 1, 2":                ask("outcome-levels", "y", "Found 0, 1, 2: map 2, or choose ordinal / multiclass."),
		"The header looks like line 2": ask("header-row", "", "The header looks like line 2. Use it?"),
		"2 measurements alone reach AUC 0.95 or more: a (0.97) and b (0.96)": ask("leak", "a, b",
			"2 measurements alone reach AUC 0.95 or more: a (0.97) and b (0.96). Are they known at the time of prediction?"),
	} {
		if got := factOf(w); got != want {
			t.Errorf("%q: %q", w.Message, got)
		}
	}
}
