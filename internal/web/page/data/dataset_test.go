package data

import (
	"strings"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/store"
)

// TestBarWithoutOutcome: before an outcome is chosen the columns are counted, because one of them will be the outcome.
func TestBarWithoutOutcome(t *testing.T) {
	tab := tabletest.ByHand(tabletest.Numbers("age", 1, 2, 3, 4), tabletest.Texts("dead", "0", "1", "0", "1"))
	d := store.Dataset{Rows: 4}
	if got := barView(d, tab).Rest; got != ", 2 columns, 4 rows" {
		t.Errorf("without an outcome: %q", got)
	}
	d.Choice = store.Choice{Outcome: "dead", Positive: table.Levels{"1"}}
	if got := barView(d, tab).Rest; !strings.HasPrefix(got, ", 1 predictor, ") {
		t.Errorf("with an outcome: %q", got)
	}
}

// TestQuestionsText: the dialog counts among all open questions those that can change the result.
func TestQuestionsText(t *testing.T) {
	yes := []table.Choice{{Label: "Yes"}}
	ask := func(codes ...string) (all []table.Warning) {
		for _, c := range codes {
			all = append(all, table.Warning{Level: "ask", Code: c, Column: "x", Choices: yes})
		}
		return all
	}
	for _, c := range []struct {
		open []table.Warning
		want string
	}{
		{ask("leak"), "One open question can change the result."},
		{ask("leak", "units"), "Two open questions can change the result."},
		{ask("leak", "codes"), "One of the two open questions can change the result."},
		{ask("leak", "codes", "codes"), "One of the three open questions can change the result."},
	} {
		if got := QuestionsText(store.Dataset{State: store.Raw, Warnings: c.open}); got != c.want {
			t.Errorf("%d open: %q, want %q", len(c.open), got, c.want)
		}
	}
}
