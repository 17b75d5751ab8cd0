package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

const nb = "\u00a0"

// say returns the warning with the code, failing the test if there is none.
func say(t *testing.T, ws []table.Warning, code string) table.Warning {
	t.Helper()
	i := slices.IndexFunc(ws, func(w table.Warning) bool { return w.Code == code })
	if i < 0 {
		t.Fatalf("no %q among %q", code, sentences(ws))
	}
	return ws[i]
}

// silent fails the test if a warning has the code.
func silent(t *testing.T, ws []table.Warning, code string) {
	t.Helper()
	for _, w := range ws {
		if w.Code == code {
			t.Errorf("needless doubt: %s", w.Message)
		}
	}
}

func sentences(ws []table.Warning) (all []string) {
	for _, w := range ws {
		all = append(all, w.Code+": "+w.Message)
	}
	return all
}

func want(t *testing.T, w table.Warning, message string) {
	t.Helper()
	if w.Message != message {
		t.Errorf("says %q,\nwant %q", w.Message, message)
	}
}

// draws is n values of f.
func draws(n int, f func(i int) float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = f(i)
	}
	return x
}

// put overwrites every step-th value.
func put(x []float64, v float64, rows ...int) []float64 {
	x = slices.Clone(x)
	for _, i := range rows {
		x[i] = v
	}
	return x
}

func seeded() *rand.Rand { return rand.New(rand.NewPCG(5, 6)) }

func TestMissingCodesStandApart(t *testing.T) {
	rng := seeded()
	chol := draws(300, func(int) float64 { return math.Round(240 + 40*rng.NormFloat64()) })
	ages := draws(300, func(int) float64 { return float64(30 + rng.IntN(40)) })
	change := draws(300, func(int) float64 { return math.Round(10 * rng.NormFloat64()) })
	grade := draws(300, func(int) float64 { return float64(rng.IntN(3)) })
	skewed := draws(300, func(int) float64 { return math.Round(math.Exp(4 + rng.NormFloat64())) })
	for _, c := range []struct {
		name string
		x    []float64
		ask  []string
	}{
		{"minus nine", put(chol, -9, 4, 9, 100), []string{"−9 in 3 rows of x. Is −9 a code for a missing value?"}},
		{"once is enough below zero", put(chol, -99, 4), []string{"−99 in 1 row of x. Is −99 a code for a missing value?"}},
		{"two codes", put(put(chol, -9, 4, 9), -8, 7), []string{"−8 in 1 row and −9 in 2 rows of x. Are −8 and −9 codes for missing values?"}},
		{"999 above", put(ages, 999, 4, 9), []string{"999 in 2 rows of x. Is 999 a code for a missing value?"}},
		{"99 among ages to 69", put(put(ages, 99, 4, 9), 69, 1), []string{"99 in 2 rows of x. Is 99 a code for a missing value?"}},
		{"9 beside a short scale", put(grade, 9, 4, 9, 12), []string{"9 in 3 rows of x. Is 9 a code for a missing value?"}},
		{"changes go below zero", put(change, -9, 4, 9), nil},
		{"far below changes", put(change, -999, 4, 9), []string{"−999 in 2 rows of x. Is −999 a code for a missing value?"}},
		{"a scale from one to nine", draws(300, func(int) float64 { return float64(1 + rng.IntN(9)) }), nil},
		{"one to ten", draws(300, func(int) float64 { return float64(1 + rng.IntN(10)) }), nil},
		{"an old person", put(ages, 88, 4), nil},
		{"a long tail", put(skewed, 999, 4), nil},
		{"minus one, zero, one", draws(300, func(int) float64 { return float64(rng.IntN(3) - 1) }), nil},
		{"minus one for never", put(chol, -1, 3), []string{"−1 in 1 row of x. Is −1 a code for a missing value?"}},
		{"two values", draws(300, func(int) float64 { return []float64{1, 9}[rng.IntN(2)] }), nil},
		{"one value", draws(300, func(int) float64 { return -9 }), nil},
	} {
		var got []string
		for _, w := range Columns(tabletest.ByHand(tabletest.Numbers("x", c.x...)), table.Options{}) {
			if w.Code == "missing-code" {
				got = append(got, w.Message)
			}
		}
		slices.Sort(got)
		slices.Sort(c.ask)
		if !slices.Equal(got, c.ask) {
			t.Errorf("%s: asks %q, want %q", c.name, got, c.ask)
		}
	}
}

func TestMissingCodeChoices(t *testing.T) {
	x := draws(60, func(i int) float64 { return float64(100 + i) })
	tab := tabletest.ByHand(tabletest.Numbers("chol", put(x, -9, 1, 2)...))
	w := say(t, Columns(tab, table.Options{}), "missing-code")
	if w.Level != "ask" || len(w.Choices) != 2 || w.Choices[0].Label != "Treat as missing" || w.Choices[1].Label != "Keep the number" {
		t.Fatalf("asks %+v", w)
	}
	read := tabletest.Choose(table.Options{}, w, w.Choices[0])
	if c := read.Columns; len(c) != 1 || c[0].Name != "chol" || !slices.Equal(c[0].MissingCodes, []string{"-9"}) {
		t.Errorf("treating as missing sets %+v", c)
	}
	kept := tabletest.Choose(table.Options{}, w, w.Choices[1])
	w = say(t, Columns(tab, kept), "missing-code")
	want(t, w, "−9 in 2 rows of chol. Kept as a number.")
	if !w.Settled || w.Level != "note" || len(w.Choices) != 1 {
		t.Errorf("settled: %+v", w)
	}
	if undone := tabletest.Choose(kept, w, w.Choices[0]); len(undone.Settled) != 0 || len(undone.Columns) != 1 {
		t.Errorf("changing one's mind leaves %+v", undone)
	}
	tab.Columns[0].Spec = read.Columns[0]
	w = say(t, Columns(tabletest.ByHand(withSpec(tabletest.Numbers("chol", put(x, math.NaN(), 1, 2)...), read.Columns[0])), read), "missing-code-read")
	want(t, w, "−9 is read as missing in chol.")
	if back := tabletest.Choose(read, w, w.Choices[0]); len(back.Columns[0].MissingCodes) != 0 {
		t.Errorf("undo leaves %+v", back.Columns)
	}
}

func withSpec(c *table.Column, s table.ColumnSpec) *table.Column {
	c.Spec = s
	if s.Role != "" {
		c.Role = s.Role
	}
	return c
}

func TestOneQuestionForOneCodeInManyColumns(t *testing.T) {
	var cols []*table.Column
	for _, name := range []string{"a", "b", "c"} {
		cols = append(cols, tabletest.Numbers(name, put(draws(40, func(i int) float64 { return float64(10 + i) }), -9, 5)...))
	}
	w := say(t, Columns(tabletest.ByHand(cols...), table.Options{}), "missing-code")
	want(t, w, "−9 in a (1 row), b (1 row) and c (1 row). Is −9 a code for a missing value?")
	if got := tabletest.Choose(table.Options{}, w, w.Choices[0]).Columns; len(got) != 3 || got[2].MissingCodes[0] != "-9" {
		t.Errorf("treats %+v", got)
	}
	w = say(t, Columns(tabletest.ByHand(cols...), tabletest.Choose(table.Options{}, w, w.Choices[1])), "missing-code")
	if !w.Settled {
		t.Errorf("kept, yet asks %q", w.Message)
	}
}

func TestImpossibleZeros(t *testing.T) {
	rng := seeded()
	measured := draws(200, func(int) float64 { return 20 + math.Abs(10*rng.NormFloat64()) })
	want(t, say(t, Columns(tabletest.ByHand(tabletest.Numbers("BMI", put(measured, 0, 1, 2, 3)...)), table.Options{}), "impossible-zero"), "0 in 3 rows of BMI. Does 0 mean that the value is missing?")
	for name, c := range map[string]*table.Column{
		"no zeros":                tabletest.Numbers("bmi", measured...),
		"drinks a week":           tabletest.Numbers("drinks", put(draws(200, func(int) float64 { return float64(rng.IntN(30)) }), 0, 1, 2)...),
		"zero joins the rest":     tabletest.Numbers("glucose", put(draws(200, func(i int) float64 { return float64(i) / 10 }), 0, 1, 2)...),
		"dose, mostly none":       tabletest.Numbers("dose", put(draws(200, func(i int) float64 { return 0 }), 50, 1, 2, 3, 4, 5)...),
		"change of weight":        tabletest.Numbers("weight_change", put(draws(200, func(i int) float64 { return 10 * rng.NormFloat64() }), 0, 1, 2)...),
		"pressure class of three": tabletest.Numbers("pressure", draws(200, func(i int) float64 { return float64(i % 3) })...),
	} {
		for _, w := range Columns(tabletest.ByHand(c), table.Options{}) {
			if w.Code == "impossible-zero" {
				t.Errorf("%s: needless %q", name, w.Message)
			}
		}
	}
}

func TestSpellingsOfLevels(t *testing.T) {
	for _, c := range []struct {
		cells []string
		says  string
	}{
		{[]string{"No", "No", "No ", "Yes"}, "‘No’ and ‘No ’ of smoker differ by a space. Join them?"},
		{[]string{"No", "No", "no.", "Yes"}, "‘No’ and ‘no.’ of smoker differ by a final full stop or case. Join them?"},
		{[]string{"m", "M", "f", "f", "f", "F", "m"}, "‘f’ and ‘F’; ‘m’ and ‘M’ of smoker differ by case. Join them?"},
		{[]string{"non smoker", "non  smoker", "x", "non smoker"}, "‘non smoker’ and ‘non  smoker’ of smoker differ by a space. Join them?"},
		{[]string{"No", "Nö", "N.o.", "Yes"}, ""},
	} {
		ws := Columns(tabletest.ByHand(tabletest.Texts("smoker", c.cells...)), table.Options{})
		if c.says == "" {
			silent(t, ws, "similar-levels")
			continue
		}
		w := say(t, ws, "similar-levels")
		want(t, w, c.says)
		if s := tabletest.Choose(table.Options{}, w, w.Choices[0]).Columns; len(s) != 1 || !s[0].JoinLevels {
			t.Errorf("joining sets %+v", s)
		}
	}
}

func TestColumnsLeftOut(t *testing.T) {
	n := 200
	id := tabletest.Texts("patient", tabletest.Cycle(n, "P")...)
	id.Type, id.Role, id.Distinct = table.Identifier, table.Exclude, n
	for i := range id.Code {
		id.Code[i] = int32(i)
	}
	note := tabletest.Texts("note", tabletest.Cycle(n, "a", "b", "c")...)
	note.Type, note.Role, note.Distinct = table.Text, table.Exclude, 171
	visit := tabletest.Numbers("visit", draws(n, func(i int) float64 { return float64(20000 + i) })...)
	visit.Type, visit.Role = table.Date, table.Exclude
	ca := tabletest.Numbers("ca", put(draws(n, func(int) float64 { return math.NaN() }), 1, 0, 1)...)
	ca.Num[2] = 2
	ca.Missing, ca.Distinct = 197, 2
	empty := tabletest.Texts("extra", tabletest.Cycle(n, "")...)
	tab := tabletest.ByHand(id, note, visit, ca, empty, tabletest.Texts("site", tabletest.Cycle(n, "Köln")...), tabletest.Numbers("age", draws(n, func(i int) float64 { return float64(i % 60) })...))
	ws := Columns(tab, table.Options{})
	for code, message := range map[string]string{
		"identifier":      "patient looks like an identifier: left out.",
		"free-text":       "note is free text (171 different values): left out.",
		"date":            "visit is a date: left out. It can become days since the first visit.",
		"mostly-missing":  "ca is empty in 197 of 200 rows (99" + nb + "%): left out.",
		"empty-column":    "extra is empty: left out.",
		"constant-column": "site never varies: left out.",
	} {
		w := say(t, ws, code)
		want(t, w, message)
		if !w.Settled || w.Level != "note" {
			t.Errorf("%s: not settled: %+v", code, w)
		}
	}
	if got := UsablePredictors(tab, "", "", ""); !slices.Equal(got, []string{"age"}) {
		t.Errorf("usable are %q", got)
	}
	w := say(t, ws, "date")
	visit.Spec = tabletest.Choose(table.Options{}, w, w.Choices[0]).Columns[0]
	visit.Role = visit.Spec.Role
	ca.Spec.Role = table.Predictor
	if got := UsablePredictors(tab, "age", "", ""); !slices.Equal(got, []string{"visit", "ca"}) {
		t.Errorf("after two choices usable are %q", got)
	}
	want(t, say(t, Columns(tab, table.Options{}), "date"), "visit is used as days since its earliest date.")
}

func TestRepeatedPatients(t *testing.T) {
	// 285 patients in 294 rows, nine of them twice: the picture of the design.
	id := tabletest.Texts("patient", tabletest.Cycle(294, "P")...)
	id.Type, id.Role, id.Distinct = table.Identifier, table.Exclude, 285
	id.Levels, id.Count = nil, make([]int, 285)
	for i := range id.Code {
		id.Code[i] = int32(i % 285)
		id.Count[i%285]++
	}
	for k := range 285 {
		id.Levels = append(id.Levels, fmt.Sprintf("P%d", 1000+k))
	}
	tab := tabletest.ByHand(id, tabletest.Numbers("age", draws(294, func(i int) float64 { return float64(i % 60) })...))
	w := say(t, Columns(tab, table.Options{}), "repeated-patients")
	want(t, w, "18 rows belong to patients seen more than once (285 patients, 294 rows). Keep each patient in one fold?")
	together := tabletest.Choose(table.Options{}, w, w.Choices[0])
	if got := together.Columns; got[0].Role != table.Group {
		t.Fatalf("keeping together sets %+v", got)
	}
	ws := Columns(tab.WithOptions(together), together)
	want(t, say(t, ws, "repeated-patients"), "patient keeps the rows of a patient in one fold (285 patients, 294 rows).")
	want(t, say(t, ws, "identifier"), "patient looks like an identifier: kept for grouping, never a predictor.")
}

// A numeric id with repeats is typed as an integer and still no predictor.
func TestIntegerIdentifiers(t *testing.T) {
	n := 300
	id := tabletest.Numbers("ID", draws(n, func(i int) float64 { return float64(1000000 + 17*(i%280)) })...)
	visits := tabletest.Numbers("visits", draws(n, func(i int) float64 { return float64(i % 40) })...)
	tab := tabletest.ByHand(id, visits)
	w := say(t, Columns(tab, table.Options{}), "repeated-patients")
	want(t, w, "40 rows belong to patients seen more than once (280 patients, 300 rows). Keep each patient in one fold?")
	if got := UsablePredictors(tab, "", "", ""); !slices.Equal(got, []string{"visits"}) {
		t.Errorf("usable are %q", got)
	}
	id.Spec = tabletest.Choose(table.Options{}, w, w.Choices[1]).Columns[0]
	id.Role = id.Spec.Role
	silent(t, Columns(tab, table.Options{}), "repeated-patients")
	if id.Role != table.Exclude {
		t.Errorf("independent rows leave the role %q", id.Role)
	}
}

func TestPersonalData(t *testing.T) {
	n := 60
	many := func(format string) []string {
		cells := make([]string, n)
		for i := range cells {
			cells[i] = fmt.Sprintf(format, i)
		}
		return cells
	}
	hidden := func(c *table.Column) *table.Column { c.Type, c.Role = table.Text, table.Exclude; return c }
	zip := tabletest.Numbers("PLZ", draws(n, func(i int) float64 { return float64(50000 + i%30) })...)
	age := tabletest.Numbers("age", put(draws(n, func(i int) float64 { return float64(40 + i%30) }), 93, 3)...)
	tab := tabletest.ByHand(hidden(tabletest.Texts("contact", many("a%d@b.example")...)), hidden(tabletest.Texts("Last name", many("N%d")...)), hidden(tabletest.Texts("Phone", many("+49 %d")...)), zip, age,
		tabletest.Texts("brand name", tabletest.Cycle(n, "x", "y", "z")...), tabletest.Texts("name", tabletest.Cycle(n, "x", "y", "z")...))
	ws := Columns(tab, table.Options{})
	var got []string
	for _, w := range ws {
		if w.Code == "personal" || w.Code == "old-ages" || w.Code == "free-text" {
			got = append(got, w.Message)
		}
	}
	slices.Sort(got)
	expect := []string{
		"1 row of age above 89, which can be identifying.",
		"Last name looks like names of people: left out, and not stored once you confirm the columns.",
		"PLZ looks like post codes: left out, and not stored once you confirm the columns.",
		"Phone looks like telephone numbers: left out, and not stored once you confirm the columns.",
		"contact looks like e-mail addresses: left out, and not stored once you confirm the columns.",
	}
	if !slices.Equal(got, expect) {
		t.Errorf("says %q,\nwant %q", got, expect)
	}
}

func TestIdenticalRows(t *testing.T) {
	rng := seeded()
	x := draws(100, func(int) float64 { return rng.NormFloat64() })
	z := draws(100, func(int) float64 { return rng.NormFloat64() })
	copy(x[90:], x[:10])
	copy(z[90:], z[:10])
	z[99]++
	counter := tabletest.Numbers("rownames", draws(100, func(i int) float64 { return float64(i + 1) })...)
	counter.Type = table.Identifier
	ws := Columns(tabletest.ByHand(counter, tabletest.Numbers("x", x...), tabletest.Numbers("z", z...)), table.Options{})
	want(t, say(t, ws, "identical-rows"), "9 rows are identical to an earlier one: kept. Copies of the same row can be in both training and test data.")
	coarse := tabletest.ByHand(tabletest.Texts("sex", tabletest.Cycle(100, "m", "f")...), tabletest.Texts("stage", tabletest.Cycle(100, "1", "2", "3", "4")...))
	silent(t, Columns(coarse, table.Options{}), "identical-rows")
}

func TestLeakingNames(t *testing.T) {
	for name, doubted := range map[string]bool{
		"time": true, "futime": true, "discharge_code": true, "DateOfDeath": true, "cause of death": true, "tstop": true, "length of stay": true,
		"days_to_relapse": true, "follow-up": true, "survival_months": true, "Result": true, "Todesursache": true,
		"prothrombin_time": false, "age": false, "platelet": false, "restecg": false, "first_visit": false, "results_pending_count": false, "protime": false, "stage": false,
	} {
		if leakName(name) != doubted {
			t.Errorf("leakName(%q) = %v", name, !doubted)
		}
	}
	tab := tabletest.ByHand(tabletest.Numbers("time", draws(50, func(i int) float64 { return float64(i * 37 % 50) })...), tabletest.Texts("status", tabletest.Cycle(50, "alive", "dead")...))
	want(t, say(t, Columns(tab, table.Options{}), "follow-up"), "time looks like the time until an event or the "+
		"last visit. Such a column is known only afterwards, and the risk of a row then has no time horizon. "+
		"Leave time out?")
	tab = tabletest.ByHand(tab.Columns[0], tabletest.Texts("sex", tabletest.Cycle(50, "m", "f")...))
	want(t, say(t, Columns(tab, table.Options{}), "leak"), "time sounds like something known only after the outcome. Is it known at the time of prediction?")
}

func TestSpellingsOfMissing(t *testing.T) {
	a, b := tabletest.Numbers("a", 1, 2, 3), tabletest.Numbers("b", 1, 2, 3)
	a.MissingCodes, b.MissingCodes = []string{".", "", "?"}, []string{"NA"}
	want(t, say(t, Columns(tabletest.ByHand(a, b), table.Options{}), "missing-spellings"), "Missing values are "+
		"written in several ways in a (‘.’, the empty cell and ‘?’): all of these are read as missing.")
}

func TestQuestionsComeInReadingOrder(t *testing.T) {
	x := put(draws(60, func(i int) float64 { return float64(100 + i) }), -9, 1)
	ws := Columns(tabletest.ByHand(tabletest.Texts("site", tabletest.Cycle(60, "A")...), tabletest.Numbers("chol", x...), tabletest.Numbers("time", draws(60, func(i int) float64 { return float64(i*31%60) + .5 })...)), table.Options{})
	var codes []string
	for _, w := range ws {
		codes = append(codes, w.Code)
	}
	if got := strings.Join(codes, " "); got != "missing-code leak constant-column" {
		t.Errorf("order %s", got)
	}
}

func TestJoinKeepsTheLaterWording(t *testing.T) {
	early := []table.Warning{{Code: "leak", Column: "time", Message: "by name", Level: "ask"}, {Code: "date", Column: "visit", Level: "note", Settled: true}}
	late := []table.Warning{{Code: "leak", Column: "time", Message: "by value", Level: "ask"}, {Code: "one-class", Level: "stop"}}
	got := table.Join(early, late)
	if len(got) != 3 || got[0].Code != "one-class" || got[1].Message != "by value" || got[2].Code != "date" {
		t.Errorf("joined to %+v", got)
	}
}

// TestWide: more parameters than rows are noted, as many are not, nor is a table without rows;
// above a thousand always.
func TestWide(t *testing.T) {
	for _, c := range []struct {
		columns, rows int
		noted         bool
	}{{5, 6, false}, {5, 5, false}, {5, 4, true}, {5, 0, false}, {1000, 1000, false}, {1001, 1001, true}} {
		tab := &table.Table{Rows: c.rows}
		for j := range c.columns { // a parameter each
			tab.Columns = append(tab.Columns, tabletest.Numbers(fmt.Sprint("x", j), draws(c.rows, func(i int) float64 { return .5 + float64(i%2) })...))
		}
		d := &checker{t: tab}
		if d.wide(); (len(d.out) == 1) != c.noted || c.noted && d.out[0].Code != "many-columns" {
			t.Errorf("%d columns of %d rows: %+v", c.columns, c.rows, d.out)
		}
	}
}
