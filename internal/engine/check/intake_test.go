package check

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

// varied makes n cells of which hardly two are equal.
func varied(n int, cell func(i int, rng *rand.Rand) string) []string {
	rng := rand.New(rand.NewPCG(3, 5))
	out := make([]string, n)
	for i := range out {
		out[i] = cell(i, rng)
	}
	return out
}

var nan = math.NaN()

func TestPersonalKinds(t *testing.T) {
	word := func(i int, rng *rand.Rand) string { // a capitalised word
		return string(rune('A'+rng.IntN(26))) + strings.Repeat(string(rune('a'+rng.IntN(26))), 2+i%4) + string(rune('a'+rng.IntN(26)))
	}
	for _, c := range []struct {
		header string
		cell   func(i int, rng *rand.Rand) string
		want   string // "" for none
	}{
		{"patient_surname", word, "names of people"},
		{"Family name", word, "names of people"},
		{"apellidos", word, "names of people"},
		{"drug_name", word, ""},
		{"town", word, ""}, // one word may be a town
		{"ref", func(i int, rng *rand.Rand) string { return word(i, rng) + " " + word(i+1, rng) }, "names of people"},
		{"ref", func(i int, rng *rand.Rand) string { return word(i, rng) + ", " + word(i+1, rng) }, "names of people"},
		{"remark", func(i int, rng *rand.Rand) string { return word(i, rng) + " with " + strings.ToLower(word(i+1, rng)) }, ""},
		{"mobile_nr", func(i int, rng *rand.Rand) string { return fmt.Sprint(6_000_000 + rng.IntN(3_000_000)) }, "telephone numbers"},
		{"mobile_phase", func(i int, rng *rand.Rand) string { return fmt.Sprint(rng.IntN(90)) }, ""},
		{"white_cell_count", func(i int, rng *rand.Rand) string { return fmt.Sprint(4000 + rng.IntN(9000)) }, ""},
		{"x", func(i int, rng *rand.Rand) string { return fmt.Sprintf("+43 664 %07d", rng.IntN(1e7)) }, "telephone numbers"},
		{"x", func(i int, rng *rand.Rand) string {
			return fmt.Sprintf("%03d-%02d-%04d", rng.IntN(900), rng.IntN(99), rng.IntN(9999))
		},
			"social security numbers"},
		{"x", func(i int, rng *rand.Rand) string { return fmt.Sprintf("u%d@example.org", i) }, "e-mail addresses"},
		{"x", func(i int, rng *rand.Rand) string { return fmt.Sprintf("SW%d %dAB", 1+i%19, rng.IntN(10)) }, "post codes"},
		{"x", func(i int, rng *rand.Rand) string { return fmt.Sprintf("Lindenweg %d", i) }, "addresses"},
		{"dose", func(i int, rng *rand.Rand) string { return fmt.Sprintf("%d mg", i) }, ""},
		{"birth_weight", func(i int, rng *rand.Rand) string { return fmt.Sprint(2500 + rng.IntN(1500)) }, ""},
		{"pat_dob", func(i int, rng *rand.Rand) string {
			return fmt.Sprintf("%d-%02d-11", 1940+rng.IntN(60), 1+rng.IntN(12))
		},
			"dates of birth"},
		{"day_1", func(i int, rng *rand.Rand) string {
			return fmt.Sprintf("%d-%02d-%02d", 1940+rng.IntN(60), 1+rng.IntN(12), 1+i%28)
		},
			"dates of birth"},
		{"visit", func(i int, rng *rand.Rand) string {
			return fmt.Sprintf("%d-%02d-%02d", 2019+rng.IntN(4), 1+rng.IntN(12), 1+i%28)
		}, ""},
	} {
		t.Run(c.header+" "+c.want, func(t *testing.T) {
			cells := varied(120, c.cell)
			var csv strings.Builder
			w := c.header + ",age,y\n"
			csv.WriteString(w)
			for i, cell := range cells {
				fmt.Fprintf(&csv, "%q,%d,%d\n", cell, 30+i%40, i%2)
			}
			tab, err := table.Read(context.Background(), []byte(csv.String()), table.Options{}, table.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got := personalKind(tab.Columns[0]); got != c.want {
				t.Fatalf("taken for %q (%s)", got, tab.Columns[0].Type)
			}
			used := slices.Contains(UsablePredictors(tab, "y", "", ""), tab.Columns[0].Name)
			if c.want != "" && used {
				t.Error("a predictor, though nobody said so")
			}
			if c.want == "" || tab.Columns[0].Type == table.Date {
				return
			}
			asked := tab.WithOptions(table.Options{Columns: []table.ColumnSpec{{Name: tab.Columns[0].Name, Role: table.Predictor}}})
			if w := say(t, Columns(asked, table.Options{}), "personal"); !strings.HasSuffix(w.Message, "kept, as you decided.") {
				t.Errorf("asked for, it says %q", w.Message)
			}
		})
	}
}

func TestUnnamedNumbers(t *testing.T) {
	rng := seeded()
	wide := draws(200, func(int) float64 { return float64(60_000 + rng.IntN(13_000_000)) })
	wide[7] = wide[3]
	tab := tabletest.ByHand(tabletest.Numbers("c1", wide...), tabletest.Numbers("platelets", wide...))
	all := Columns(tab, table.Options{})
	w := say(t, all, "numbered")
	want(t, w, "c1 has 199 different whole numbers in 200 rows, and 2 rows share a number with another row. Is it an identifier? It is "+
		"used only if you say that it is a measurement.")
	if len(w.Choices) != 3 || w.Choices[1].Column.Role != table.Group {
		t.Errorf("choices %+v", w.Choices)
	}
	if used := UsablePredictors(tab, "", "", ""); !slices.Equal(used, []string{"platelets"}) {
		t.Errorf("predictors %q", used)
	}
}

// The number of a matched set beside a unique id counts sets, not patients.
func TestMatchedSetIsNoPatient(t *testing.T) {
	id := tabletest.Texts("id", varied(90, func(i int, _ *rand.Rand) string { return fmt.Sprintf("S%03d", i) })...)
	id.Type = table.Identifier
	set := func(name string) *table.Column {
		c := tabletest.Texts(name, varied(90, func(i int, _ *rand.Rand) string { return fmt.Sprintf("M%02d", i/3) })...)
		c.Type = table.Identifier
		return c
	}
	x := tabletest.Numbers("x", draws(90, func(i int) float64 { return float64(i*37%89) / 7 })...)
	silent(t, Columns(tabletest.ByHand(id, set("case"), x), table.Options{}), RepeatedPatients)
	say(t, Columns(tabletest.ByHand(id, set("patient"), x), table.Options{}), RepeatedPatients)
	say(t, Columns(tabletest.ByHand(set("case"), x), table.Options{}), RepeatedPatients)
}

func TestCopiesAreAsked(t *testing.T) {
	rng := seeded()
	const n = 200
	x := draws(n, func(int) float64 { return rng.NormFloat64() })
	y := make([]string, n)
	for i := range y {
		y[i] = []string{"no", "yes"}[i%2]
	}
	for i := range 25 {
		x[100+i], y[100+i] = x[i], y[i]
	}
	y[124] = []string{"yes", "no"}[24%2] // a copy that disagrees
	tab := tabletest.ByHand(tabletest.Numbers("x", x...), tabletest.Texts("disease", y...))
	w := say(t, Columns(tab, table.Options{}), "identical-rows")
	want(t, w, "24 rows are identical to an earlier one. 1 set of equal rows differs only in the outcome, first rows 25 and "+
		"125. Copies can be in both training and test data, which makes the results optimistic. Keep them?")
	if w.Level != "ask" || len(w.Choices) != 3 || w.Choices[0].Dialect.Copies != table.CopiesFirst ||
		w.Choices[1].Dialect.Copies != table.CopiesTogether {
		t.Errorf("%+v", w)
	}
	tab.Dialect.Copies = table.CopiesTogether
	if w := say(t, Columns(tab, table.Options{}), "identical-rows"); !w.Settled {
		t.Errorf("after the answer: %+v", w)
	}
}

// Coarse columns that depend on each other make copies; a file that stands there
// three times is none of that.
func TestCoarseTablesHaveCopies(t *testing.T) {
	rng := seeded()
	var flags []*table.Column
	state := draws(600, func(int) float64 { return float64(rng.IntN(3)) })
	for j := range 12 {
		flags = append(flags, tabletest.Numbers(fmt.Sprint("f", j), draws(600, func(i int) float64 {
			if rng.Float64() < .02 {
				return float64(rng.IntN(3))
			}
			return state[i]
		})...))
	}
	silent(t, Columns(tabletest.ByHand(flags...), table.Options{}), "identical-rows")
	var thrice []*table.Column
	for j := range 3 {
		x := draws(100, func(int) float64 { return rng.NormFloat64() })
		thrice = append(thrice, tabletest.Numbers(fmt.Sprint("x", j), slices.Concat(x, x, x)...))
	}
	if w := say(t, Columns(tabletest.ByHand(thrice...), table.Options{}), "identical-rows"); w.Level != "ask" {
		t.Errorf("a file three times over: %q", w.Message)
	}
}

func TestVariation(t *testing.T) {
	const n = 400
	cells := func(f func(i int) string) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	pick := func(rare string, every int, rest ...string) []string {
		return cells(func(i int) string {
			if i%every == 5 {
				return rare
			}
			return rest[i%len(rest)]
		})
	}
	drugs := cells(func(i int) string {
		if i%5 < 3 {
			return fmt.Sprint("drug", i%7)
		}
		return fmt.Sprint("rare", i%60)
	})
	text := tabletest.Texts("drug", drugs...)
	text.Type, text.Role = table.Text, table.Exclude
	for _, c := range []struct {
		code string
		col  *table.Column
		none *table.Column // the same rule has nothing to say
	}{
		{"near-constant", tabletest.Texts("x", pick("yes", 50, "no")...), tabletest.Texts("x", pick("yes", 20, "no")...)},
		{"rare-levels", tabletest.Texts("x", pick("a", 399, "b", "c")...), tabletest.Texts("x", pick("a", 40, "b", "c")...)},
		{"quoted-values", tabletest.Texts("x", pick("'a'", 7, "'b'", "'c'")...), tabletest.Texts("x", pick("a", 7, "'b'", "'c'")...)},
		{"missing-joined", tabletest.Texts("x", pick("NA/NA", 7, "a", "b")...), tabletest.Texts("x", pick("a/b", 7, "a", "b")...)},
		{"many-levels", text, tabletest.Texts("x", pick("a", 7, "b", "c")...)},
	} {
		other := tabletest.Numbers("age", draws(n, func(i int) float64 { return float64(20 + i*31%57) })...)
		disease := tabletest.Texts("disease", tabletest.Cycle(n, "no", "no", "yes")...)
		say(t, Columns(tabletest.ByHand(c.col, other, disease), table.Options{}), c.code)
		silent(t, Columns(tabletest.ByHand(c.none, other, disease), table.Options{}), c.code)
	}
	padded := tabletest.Numbers("clinic", draws(n, func(i int) float64 { return float64(100 + i%9) })...)
	padded.Padded = 40
	w := say(t, Columns(tabletest.ByHand(padded), table.Options{}), "zero-padded")
	want(t, w, "40 values of clinic are written with leading zeros, which numbers do not keep. Are they codes rather than numbers?")
}

func TestFollowUp(t *testing.T) {
	const n = 120
	time := draws(n, func(i int) float64 { return float64(1 + i*37%113) })
	status := tabletest.Texts("status", tabletest.Cycle(n, "0", "1", "1")...)
	lab := tabletest.Numbers("prothrombin", draws(n, func(i int) float64 { return float64(i%17) / 3 })...)
	say(t, Columns(tabletest.ByHand(tabletest.Numbers("os_months", time...), status, lab), table.Options{}), "follow-up")
	silent(t, Columns(tabletest.ByHand(tabletest.Numbers("os_months", time...), lab), table.Options{}), "follow-up")
	silent(t, Columns(tabletest.ByHand(tabletest.Numbers("prothrombin_time", time...), status, lab), table.Options{}), "follow-up")
	// A time that was left out leaves the note that the risk has no horizon, also once its column is gone.
	death30, ulcer := *status, *status
	death30.Name, ulcer.Name = "death30", "ulcer"
	left := tabletest.ByHand(status, lab, &death30, &ulcer)
	left.Excluded = []string{"os_months", "prothrombin_time"}
	w, found := NoHorizon(left, "status", nil)
	if !found || w.Column != "os_months" || !strings.Contains(w.Message, "follow-up (os_months) is not used") ||
		strings.Contains(w.Message, "the event") { // several classes have none
		t.Errorf("%v: %s", found, w.Message)
	}
	for _, outcome := range []string{"death30", "ulcer"} {
		if w, found := NoHorizon(left, outcome, nil); found {
			t.Errorf("%s: %s", outcome, w.Message)
		}
	}
	if w, found := NoHorizon(tabletest.ByHand(status, lab), "status", nil); found {
		t.Error(w.Message)
	}
	// A time that is there and not chosen leaves the note too; as a predictor it has a question of its own.
	followed := tabletest.ByHand(tabletest.Numbers("os_months", time...), status, lab)
	for _, chosen := range [][]string{{"prothrombin"}, {"prothrombin", "os_months"}} {
		if w, found := NoHorizon(followed, "status", chosen); found != (len(chosen) == 1) {
			t.Errorf("predictors %q: %v, %s", chosen, found, w.Message)
		}
	}
	// A column that is there is a time only where its values can be one, start and stop only as a pair; one that the run
	// uses, as group, weight or in a formula, is not left out.
	few := draws(n, func(i int) float64 { return float64(i % 4) })
	signed := draws(n, func(i int) float64 { return float64(i*37%113) - 50 })
	whole := draws(n, func(i int) float64 { return float64(i * 37 % 113) })
	later := draws(n, func(i int) float64 { return float64(i*37%113) + 5 })
	for _, c := range []struct {
		columns []*table.Column
		used    []string
		want    string
	}{
		{[]*table.Column{tabletest.Numbers("t1", few...), tabletest.Numbers("entry", few...)}, nil, ""},
		{[]*table.Column{tabletest.Numbers("t1", whole...)}, nil, ""},
		{[]*table.Column{tabletest.Numbers("days", few...)}, nil, ""},
		{[]*table.Column{tabletest.Numbers("days", signed...)}, nil, ""},
		{[]*table.Column{tabletest.Numbers("days", whole...)}, nil, "days"},
		{[]*table.Column{tabletest.Numbers("days", whole...)}, []string{"days"}, ""},
		{[]*table.Column{tabletest.Numbers("exit", later...), tabletest.Numbers("entry", whole...)}, nil, "exit, entry"},
		{[]*table.Column{tabletest.Numbers("exit", later...), tabletest.Numbers("entry", whole...)}, []string{"exit"}, ""},
	} {
		of := tabletest.ByHand(append(c.columns, status, lab)...)
		for _, excluded := range [][]string{nil, {"days", "t1"}} { // the same where the user left out what is still there
			for _, name := range excluded {
				if of.Column(name) != nil {
					of.Excluded = append(of.Excluded, name)
				}
			}
			if w, found := NoHorizon(of, "status", c.used); found != (c.want != "") || w.Column != c.want {
				t.Errorf("want %q, got %q: %s", c.want, w.Column, w.Message)
			}
		}
	}
	for _, gone := range []struct {
		excluded []string
		want     string
	}{{[]string{"stop"}, ""}, {[]string{"start", "stop"}, "start, stop"}} {
		left.Excluded = gone.excluded
		if w, _ := NoHorizon(left, "status", nil); w.Column != gone.want {
			t.Errorf("%q left out: %q", gone.excluded, w.Column)
		}
	}
	// Spells by pattern: each row starts where the same person's last one stopped.
	id := tabletest.Texts("subject", varied(n, func(i int, _ *rand.Rand) string { return fmt.Sprint("P", i/3) })...)
	from := draws(n, func(i int) float64 { return float64(i % 3 * 10) })
	to := draws(n, func(i int) float64 { return float64(i%3*10 + 10) })
	w = say(t, Columns(tabletest.ByHand(id, tabletest.Numbers("a", from...), tabletest.Numbers("b", to...), lab), table.Options{}),
		"follow-up")
	if w.Column != "a, b" {
		t.Errorf("speaks of %q", w.Column)
	}
}

// A column missing more often with the event has a line, one missing at random none.
func TestMissingWithOutcome(t *testing.T) {
	rng := seeded()
	const n = 500
	y := tabletest.Cycle(n, "no", "yes")
	uneven, even := make([]float64, n), make([]float64, n)
	for i := range n {
		uneven[i], even[i] = rng.NormFloat64(), rng.NormFloat64()
		if rng.Float64() < []float64{.05, .3}[i%2] {
			uneven[i] = nan
		}
		if rng.Float64() < .15 {
			even[i] = nan
		}
	}
	tab := tabletest.ByHand(tabletest.Numbers("uneven", uneven...), tabletest.Numbers("even", even...), tabletest.Texts("y", y...))
	o := table.OutcomeChoice{Column: "y", Positive: table.Levels{"yes"}, Negative: table.Levels{"no"}}
	all := Outcome(context.Background(), tab, o, []string{"uneven", "even"}, table.Options{})
	if w := say(t, all, "missing-with-outcome"); w.Column != "uneven" {
		t.Errorf("speaks of %q", w.Column)
	}
	w := say(t, Columns(tab, table.Options{}), "missing-values")
	if !strings.HasPrefix(w.Message, "Values are missing in 2 of 2 predictors: uneven (") {
		t.Errorf("says %q", w.Message)
	}
}
