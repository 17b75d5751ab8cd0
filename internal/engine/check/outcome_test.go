package check

import (
	"context"
	"math"
	"slices"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"

	"github.com/google/go-cmp/cmp"
)

// answers is a 0/1 column with the given events.
func answers(name, no, yes string, n int, event func(i int) bool) *table.Column {
	cells := make([]string, n)
	for i := range cells {
		cells[i] = no
		if event(i) {
			cells[i] = yes
		}
	}
	return tabletest.Texts(name, cells...)
}

func constant(name, level string, n int) *table.Column {
	c := tabletest.Texts(name, tabletest.Cycle(n, level)...)
	c.Type = table.Constant
	return c
}

func every(k int) func(int) bool { return func(i int) bool { return i%k == 0 } }

// TestOneClassIsNotLeftOut: a chosen outcome that never varies is an outcome of
// one class, not a predictor left out.
func TestOneClassIsNotLeftOut(t *testing.T) {
	y := withSpec(constant("finding", "no", 40), table.ColumnSpec{Role: table.Outcome})
	tab := tabletest.ByHand(y, tabletest.Numbers("age", draws(40, func(i int) float64 { return float64(30 + i) })...))
	silent(t, Columns(tab, table.Options{}), "constant-column")
	want(t, say(t, checkOutcome(tab, table.OutcomeChoice{Column: "finding"}, table.Options{}), "one-class"), "finding is no in all 40 rows, so there is nothing to predict. "+
		"Choose another column or upload a file with both values.")
}

func predictorsOf(tab *table.Table, o table.OutcomeChoice) []string {
	return UsablePredictors(tab, o.Column, "", "")
}

func checkOutcome(tab *table.Table, o table.OutcomeChoice, opt table.Options) []table.Warning {
	return Outcome(context.Background(), tab, o, predictorsOf(tab, o), opt)
}

func TestSuggestOutcome(t *testing.T) {
	n := 120
	age := tabletest.Numbers("age", draws(n, func(i int) float64 { return float64(30 + i%50) })...)
	sex := tabletest.Texts("sex", tabletest.Cycle(n, "m", "f")...)
	for name, c := range map[string]struct {
		cols []*table.Column
		want table.OutcomeChoice
	}{
		"by name and words":  {[]*table.Column{answers("diagnosis", "benign", "malignant", n, every(3)), age, sex}, table.OutcomeChoice{Column: "diagnosis", Positive: table.Levels{"malignant"}, Negative: table.Levels{"benign"}}},
		"the commoner event": {[]*table.Column{sex, age, answers("disease", "yes", "no", n, every(3))}, table.OutcomeChoice{Column: "disease", Positive: table.Levels{"yes"}, Negative: table.Levels{"no"}}},
		"last of two levels": {[]*table.Column{sex, age, answers("num", "0", "1", n, every(3))}, table.OutcomeChoice{Column: "num", Positive: table.Levels{"1"}, Negative: table.Levels{"0"}}},
		"one and two":        {[]*table.Column{sex, age, answers("status", "1", "2", n, every(3))}, table.OutcomeChoice{Column: "status", Positive: table.Levels{"2"}, Negative: table.Levels{"1"}}},
		"four groups":        {[]*table.Column{age, tabletest.Texts("group", tabletest.Cycle(n, "NC", "AD", "pMCI", "sMCI")...)}, table.OutcomeChoice{Column: "group", Positive: table.Levels{"AD"}, Negative: table.Levels{"NC"}, ScoreOnly: []string{"pMCI", "sMCI"}}},
		"a code for missing": {[]*table.Column{age, tabletest.Texts("event", tabletest.Cycle(n, "0", "1", "0", "9")...)}, table.OutcomeChoice{Column: "event", Positive: table.Levels{"1"}, Negative: table.Levels{"0"}}},
		"by role":            {[]*table.Column{withSpec(answers("sex", "m", "f", n, every(3)), table.ColumnSpec{Role: table.Outcome}), answers("disease", "no", "yes", n, every(3))}, table.OutcomeChoice{Column: "sex", Positive: table.Levels{"f"}, Negative: table.Levels{"m"}}},
		"one class":          {[]*table.Column{age, constant("outcome", "no", n)}, table.OutcomeChoice{}},
		"a constant beside":  {[]*table.Column{constant("group", "x", n), age, answers("remission", "no", "yes", n, every(3))}, table.OutcomeChoice{Column: "remission", Positive: table.Levels{"yes"}, Negative: table.Levels{"no"}}},
		"nothing like one":   {[]*table.Column{age}, table.OutcomeChoice{}},
	} {
		if d := cmp.Diff(c.want, SuggestOutcome(tabletest.ByHand(c.cols...))); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

// The design matrix: 1 number + 1 missing, 3 levels of 12 or more with one
// reference, two rare levels sharing a term, missing level.
func TestParameters(t *testing.T) {
	chol := tabletest.Numbers("chol", put(draws(48, func(i int) float64 { return float64(i) }), math.NaN(), 3)...)
	cells := slices.Concat(tabletest.Cycle(17, "a"), tabletest.Cycle(12, "b"), tabletest.Cycle(10, "c"), tabletest.Cycle(5, "d"), tabletest.Cycle(3, "e"), []string{""})
	tab := tabletest.ByHand(chol, tabletest.Texts("kind", cells...), tabletest.Texts("site", tabletest.Cycle(48, "A")...))
	for _, c := range []struct {
		names []string
		want  int
	}{{[]string{"chol"}, 2}, {[]string{"kind"}, 4}, {[]string{"chol", "kind", "site"}, 6}, {nil, 0}} {
		if got := Parameters(tab, c.names); got != c.want {
			t.Errorf("Parameters(%q) = %d, want %d", c.names, got, c.want)
		}
	}
}

func TestOutcomeLevels(t *testing.T) {
	n := 100
	x := tabletest.Numbers("x", draws(n, func(i int) float64 { return float64(i * 37 % 100) })...)
	one := Outcome(context.Background(), tabletest.ByHand(tabletest.Texts("y", tabletest.Cycle(n, "no")...), x), table.OutcomeChoice{Column: "y", Positive: table.Levels{"yes"}}, []string{"x"}, table.Options{})
	w := say(t, one, "one-class")
	want(t, w, "y is no in all 100 rows, so there is nothing to predict. Choose another column or upload a file "+
		"with both values.")
	if w.Level != "stop" {
		t.Errorf("level %s", w.Level)
	}

	codes := tabletest.ByHand(tabletest.Texts("y", tabletest.Cycle(n, "1", "0", "9", "0")...), x)
	w = say(t, checkOutcome(codes, SuggestOutcome(codes), table.Options{}), "outcome-levels")
	want(t, w, "Found 0, 1, 9: map 9, or choose ordinal / multiclass.")
	if c := w.Choices[0]; c.Label != "Treat 9 as missing" || c.Column == nil || !slices.Equal(c.Column.MissingCodes, []string{"9"}) {
		t.Errorf("first choice %+v", c)
	}
	groups := tabletest.ByHand(tabletest.Texts("y", tabletest.Cycle(n, "0", "1", "2")...), x)
	w = say(t, checkOutcome(groups, SuggestOutcome(groups), table.Options{}), "outcome-levels")
	if c := w.Choices[0]; c.Label != "Score 2 only" || c.Outcome == nil || !slices.Equal(c.Outcome.ScoreOnly, []string{"2"}) || c.Outcome.Positive.String() != "1" {
		t.Errorf("first choice %+v", c)
	}

	coded := tabletest.ByHand(answers("y", "1", "2", n, every(3)), x)
	w = say(t, checkOutcome(coded, table.OutcomeChoice{Column: "y"}, table.Options{}), "which-event")
	want(t, w, "y has the values ‘1’ (66 rows) and ‘2’ (34 rows). Which value is the event?")
	if w.Choices[1].Outcome.Positive.String() != "1" || w.Choices[0].Outcome.Negative.String() != "1" {
		t.Errorf("choices %+v", w.Choices)
	}
	for _, words := range [][2]string{{"0", "1"}, {"no", "yes"}, {"alive", "dead"}, {"control", "pd"}} {
		tab := tabletest.ByHand(answers("y", words[0], words[1], n, every(3)), x)
		silent(t, checkOutcome(tab, SuggestOutcome(tab), table.Options{}), "which-event")
	}
	want(t, say(t, checkOutcome(coded, table.OutcomeChoice{Column: "x"}, table.Options{}), "outcome-values"), "x has 100 different values: choose a column with two groups.")
	want(t, say(t, checkOutcome(coded, table.OutcomeChoice{Column: "z"}, table.Options{}), "no-outcome"), "The data have no column ‘z’: choose the outcome.")
}

func TestRowsWithoutOutcome(t *testing.T) {
	cells := tabletest.Cycle(123, "no", "yes", "no")
	for i := range 23 {
		cells[5*i] = ""
	}
	tab := tabletest.ByHand(tabletest.Numbers("x", draws(123, func(i int) float64 { return float64(i * 37 % 123) })...), tabletest.Texts("y", cells...))
	want(t, say(t, checkOutcome(tab, SuggestOutcome(tab), table.Options{}), "missing-outcome"), "23 rows lack the outcome: scored, but not used for training.")
	tab = tabletest.ByHand(tab.Columns[0], tabletest.Texts("group", tabletest.Cycle(123, "NC", "AD", "sMCI")...))
	want(t, say(t, checkOutcome(tab, SuggestOutcome(tab), table.Options{}), "score-only"), "41 rows (sMCI): scored, but not used for training.")
}

func TestFewEvents(t *testing.T) {
	n := 180
	var cols []*table.Column
	for j := range 12 {
		cols = append(cols, tabletest.Numbers(string(rune('a'+j)), draws(n, func(i int) float64 { return float64((i*(2*j+7) + i*i*(j+1)) % 101) })...))
	}
	tab := tabletest.ByHand(append(cols, answers("y", "no", "yes", n, every(10)))...)
	want(t, say(t, checkOutcome(tab, SuggestOutcome(tab), table.Options{}), "few-events"), "18 events for 12 parameters (1.5 each): exploratory only.")
	flipped := table.OutcomeChoice{Column: "y", Positive: table.Levels{"no"}, Negative: table.Levels{"yes"}}
	want(t, say(t, checkOutcome(tab, flipped, table.Options{}), "few-events"), "18 rows without the event for 12 parameters (1.5 each): exploratory only.")
	silent(t, Outcome(context.Background(), tab, SuggestOutcome(tab), []string{"a"}, table.Options{}), "few-events")
}

func TestPrevalence(t *testing.T) {
	n := 2000
	x := tabletest.Numbers("x", draws(n, func(i int) float64 { return float64(i * 37 % 101) })...)
	tab := tabletest.ByHand(x, answers("y", "no", "yes", n, every(20)))
	want(t, say(t, checkOutcome(tab, SuggestOutcome(tab), table.Options{}), "prevalence"),
		"5.0"+nb+"% of the rows are events: with boundaries at 25, 50 and 75"+nb+"% all rows may fall in one band. Try boundaries near 2, 5, 10"+nb+"%.")
	tab = tabletest.ByHand(x, answers("y", "no", "yes", n, every(4)))
	silent(t, checkOutcome(tab, SuggestOutcome(tab), table.Options{}), "prevalence")
	for p, want := range map[float64][]float64{.05: {.02, .05, .1}, .01: {.005, .01, .02}, .02: {.01, .02, .05}, .08: {.05, .1, .2}, .3: {.25, .5, .75}, .95: {.9, .95, .98}} {
		for i, b := range SuggestBoundaries(p) {
			if !(math.Abs(b-want[i]) <= 1e-12) {
				t.Errorf("SuggestBoundaries(%g) = %v, want %v", p, SuggestBoundaries(p), want)
				break
			}
		}
	}
}

func TestSortedByOutcome(t *testing.T) {
	n := 294
	x := tabletest.Numbers("x", draws(n, func(i int) float64 { return float64(i * 37 % 101) })...)
	for name, c := range map[string]struct {
		event  func(int) bool
		sorted bool
	}{
		"sorted":            {func(i int) bool { return i >= 188 }, true},
		"events first":      {func(i int) bool { return i < 100 }, true},
		"appended a few":    {func(i int) bool { return i >= 188 && i != 290 }, true},
		"every third":       {every(3), false},
		"blocks of a batch": {func(i int) bool { return i/12%2 == 0 }, false},
	} {
		tab := tabletest.ByHand(x, answers("y", "no", "yes", n, c.event))
		ws := checkOutcome(tab, SuggestOutcome(tab), table.Options{})
		if !c.sorted {
			silent(t, ws, "sorted")
			continue
		}
		t.Log(name)
		want(t, say(t, ws, "sorted"), "The file is sorted by outcome: rows are always shuffled by seed, and the row number is no predictor.")
	}
}

// bruteAUC counts pairs.
func bruteAUC(x []float64, class labels) float64 {
	var wins, pairs float64
	for i := range x {
		for j := range x {
			if class[i] != 1 || class[j] != 0 || x[i] != x[i] || x[j] != x[j] {
				continue
			}
			pairs++
			switch {
			case x[i] > x[j]:
				wins++
			case x[i] == x[j]:
				wins += .5
			}
		}
	}
	return max(wins/pairs, 1-wins/pairs)
}

func TestRankAUCCountsPairs(t *testing.T) {
	rng := seeded()
	for trial := range 30 {
		n := 60 + rng.IntN(60)
		x, class := make([]float64, n), make(labels, n)
		for i := range x {
			class[i] = int8(rng.IntN(3) - 1)
			x[i] = math.Round(4 * (rng.NormFloat64() + 3*float64(class[i])))
			if rng.IntN(10) == 0 {
				x[i] = math.NaN()
			}
		}
		if got, want := rankAUC(x, class, 1), bruteAUC(x, class); !(math.Abs(got-want) <= 1e-12) {
			t.Fatalf("trial %d: rankAUC %.15f, by pairs %.15f", trial, got, want)
		}
	}
}

func TestLeaks(t *testing.T) {
	n := 400
	rng := seeded()
	event := make([]bool, n)
	for i := range event {
		event[i] = rng.IntN(3) == 0
	}
	isEvent := func(i int) bool { return event[i] }
	value := func(f func(i int) float64) []float64 { return draws(n, f) }
	y := answers("disease", "no", "yes", n, isEvent)
	death := tabletest.Numbers("z_score", value(func(i int) float64 {
		if event[i] != (i%40 == 0) {
			return rng.NormFloat64()
		}
		return math.NaN()
	})...)
	many := tabletest.Texts("ward", func() []string {
		cells := make([]string, n)
		for i := range cells {
			cells[i] = string(rune('A'+i%26)) + string(rune('a'+i/26%15))
		}
		return cells
	}()...)
	tab := tabletest.ByHand(
		tabletest.Numbers("marker", value(func(i int) float64 { return 8*b2f(event[i]) + rng.NormFloat64() })...),
		answers("code", "Z01", "I20", n, func(i int) bool { return event[i] != (i%100 == 7) }),
		tabletest.Numbers("strong", value(func(i int) float64 { return 2*b2f(event[i]) + rng.NormFloat64() })...),
		many, death, y,
	)
	o := SuggestOutcome(tab)
	ws := checkOutcome(tab, o, table.Options{})
	var got []string
	for _, w := range ws {
		if w.Code == "leak" {
			got = append(got, w.Message)
		}
	}
	class := classes(y, o)
	expect := []string{
		"marker alone reaches AUC 1.000. Is it known at the time of prediction?",
		"code alone reaches AUC " + auc3(bruteAUC(codesAsNumbers(tab.Column("code"), "I20"), class)) + ". Is it known at the time of prediction?",
		"z_score is empty in some rows, and that alone predicts the outcome with AUC " + auc3(bruteAUC(draws(n, func(i int) float64 { return b2f(death.Num[i] != death.Num[i]) }), class)) + ": left out.",
	}
	if d := cmp.Diff(expect, got); d != "" {
		t.Errorf("leaks:\n%s", d)
	}
	w := say(t, ws, "leak")
	if left := tabletest.Choose(table.Options{}, w, w.Choices[0]).Columns; len(left) != 1 || left[0].Role != table.Exclude {
		t.Errorf("leaving out sets %+v", left)
	}
	kept := tabletest.Choose(table.Options{}, w, w.Choices[1])
	if all := sentences(checkOutcome(tab, o, kept)); !slices.Contains(all, "leak: marker alone reaches AUC 1.000. Kept as known at the time of prediction.") {
		t.Errorf("kept, yet says %q", all)
	}
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func codesAsNumbers(c *table.Column, level string) []float64 {
	return draws(len(c.Code), func(i int) float64 { return b2f(c.Levels[c.Code[i]] == level) })
}

// Being empty gives the answer away in a column that is used.
func TestLeakThroughMissingness(t *testing.T) {
	n := 300
	x := tabletest.Numbers("follow_up_scan", draws(n, func(i int) float64 {
		if i%3 == 0 {
			return math.NaN()
		}
		return float64(i * 37 % 101)
	})...)
	tab := tabletest.ByHand(x, tabletest.Numbers("age", draws(n, func(i int) float64 { return float64(i * 29 % 71) })...), answers("y", "no", "yes", n, every(3)))
	want(t, say(t, checkOutcome(tab, SuggestOutcome(tab), table.Options{}), "leak"), "follow_up_scan is empty in some rows, and that alone predicts the outcome with AUC 1.000. Is it known at the time of prediction?")
}

func TestManyStrongMeasurementsAreOneQuestion(t *testing.T) {
	n, rng := 500, seeded()
	y := answers("diagnosis", "benign", "malignant", n, every(3))
	var cols []*table.Column
	for _, name := range []string{"radius", "area", "perimeter", "texture"} {
		cols = append(cols, tabletest.Numbers(name, draws(n, func(i int) float64 { return 2.6*b2f(i%3 == 0) + rng.NormFloat64() })...))
	}
	tab := tabletest.ByHand(append(cols, y)...)
	ws := checkOutcome(tab, SuggestOutcome(tab), table.Options{})
	asks := slices.DeleteFunc(slices.Clone(ws), func(w table.Warning) bool { return w.Level != "ask" })
	if len(asks) != 1 || len(asks[0].Choices[1].Columns) != 4 || !asks[0].Choices[0].Settles() {
		t.Errorf("asks %q", sentences(asks))
	}
}

// Chance must not be doubted: forty columns of noise on twenty rows.
func TestNoiseIsNoLeak(t *testing.T) {
	rng := seeded()
	for trial := range 50 {
		var cols []*table.Column
		for range 40 {
			cols = append(cols, tabletest.Numbers("x", draws(20, func(int) float64 { return rng.NormFloat64() })...))
		}
		tab := tabletest.ByHand(append(cols, answers("y", "no", "yes", 20, func(int) bool { return rng.IntN(2) == 0 }))...)
		for _, w := range checkOutcome(tab, table.OutcomeChoice{Column: "y", Positive: table.Levels{"yes"}, Negative: table.Levels{"no"}}, table.Options{}) {
			if w.Code == "leak" {
				t.Errorf("trial %d: %s", trial, w.Message)
			}
		}
	}
}

// A column of many levels must not flatter itself: its rates are evaluated on the
// other half of the rows.
func TestManyLevelsAreNoLeak(t *testing.T) {
	rng := seeded()
	n := 600
	cells := make([]string, n)
	for i := range cells {
		cells[i] = string(rune('A' + rng.IntN(26)))
	}
	c := tabletest.Texts("ward", cells...)
	y := answers("y", "no", "yes", n, func(int) bool { return rng.IntN(2) == 0 })
	if auc := levelAUC(c, classes(y, table.OutcomeChoice{Positive: table.Levels{"yes"}, Negative: table.Levels{"no"}})); auc > .6 {
		t.Errorf("noise of 26 levels reaches AUC %.3f", auc)
	}
}

// A sample decides only whether all rows are ranked.
func TestLongColumnsAreJudgedOnAllRows(t *testing.T) {
	rng := seeded()
	n := 90_000
	class, x := make(labels, n), make([]float64, n)
	for i := range x {
		class[i] = int8(rng.IntN(2))
		x[i] = 2.6*float64(class[i]) + rng.NormFloat64()
	}
	if got, all := numberAUC(x, class), rankAUC(x, class, 1); got != all || got < leakAUC {
		t.Errorf("numberAUC %.6f, of all rows %.6f", got, all)
	}
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	if got := numberAUC(x, class); got != 0 {
		t.Errorf("noise gives %.6f", got)
	}
}
