package check

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

// TestAreaBy: levels are ranked by the event rates of other rows, shrunk to their mean by one row.
func TestAreaBy(t *testing.T) {
	for _, c := range []struct {
		name  string
		n, by [][2]float64
		want  float64
	}{
		// 1 event ties with 3 others; 3 events have 3 below and tie with 1: (1·1.5 + 3·3.5)/16.
		{"two levels", [][2]float64{{3, 1}, {1, 3}}, [][2]float64{{3, 1}, {1, 3}}, 12. / 16},
		{"ranked the other way", [][2]float64{{3, 1}, {1, 3}}, [][2]float64{{1, 3}, {3, 1}}, 4. / 16},
		{"a level that no other row has stands at the mean, ½", [][2]float64{{2, 0}, {0, 2}, {0, 0}}, [][2]float64{{4, 1}, {0, 0}, {1, 4}}, 1},
		{"1.5/11 is below 1.5/3", [][2]float64{{2, 0}, {0, 2}, {0, 0}}, [][2]float64{{9, 1}, {1, 1}, {0, 8}}, 1},
		{"equal rates are one level", [][2]float64{{2, 0}, {0, 2}}, [][2]float64{{1, 1}, {1, 1}}, .5},
	} {
		if got, _, _ := areaBy(c.n, c.by); !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if got := rankAUC([]float64{1, 2, 3}, labels{1, 1, 1}, 1); got != 0 {
		t.Errorf("events alone have the area %v", got)
	}
	if got := rankAUC([]float64{1, 2, math.NaN()}, labels{1, 1, 0}, 1); got != 0 {
		t.Errorf("events alone where a value is, with the area %v", got)
	}
}

// TestRobustNumbers: what outliers are measured by, from sorted values.
func TestRobustNumbers(t *testing.T) {
	ten := draws(10, func(i int) float64 { return float64(i + 1) })
	for name, c := range map[string][2]float64{
		"short number between":    {middle(80, 400), 200}, // √(80·400) is 179
		"between two neighbours":  {middle(12, 13), 12.5},
		"decimals stay short":     {middle(1.2, 1.3), 1.25},
		"tenths read well":        {middle(1.1, 1.3), 1.2}, // 12·0.1 is 1.2000000000000002
		"across 0":                {middle(-5, 5), 0},
		"below 0":                 {middle(-400, -200), -300},
		"median":                  {quantile(ten, .5), 6},
		"the largest":             {quantile(ten, 1), 10},
		"SD by deviations of 3":   {robustSD(ten), 1.4826 * 3}, // 0 1 1 2 2 3 3 4 4 5
		"SD of nearly equal ones": {robustSD([]float64{1, 5, 5, 5, 5, 5, 5, 5, 5, 9}), 4 / 2.5631},
		"skew of equals":          {skew([]float64{3, 3, 3}), 1},
		"skew of the symmetric":   {skew(draws(11, func(i int) float64 { return float64(i) })), 0},
		"skew of one tail":        {skew([]float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 8}), 1},
		"half a skew":             {skew([]float64{0, 0, 1, 1, 1, 1, 2, 3, 4, 4}), .5}, // |4 + 0 − 2·1| / 4
	} {
		if !(math.Abs(c[0]-c[1]) <= 1e-12) {
			t.Errorf("%s: %v, want %v", name, c[0], c[1])
		}
	}
}

// TestStrays: one value in a small column, one row in twenty of a larger one, beyond a gap; where
// nothing else varies only a millionfold is one.
func TestStrays(t *testing.T) {
	count := func(n int, extra ...float64) []float64 {
		x := append(draws(n, func(i int) float64 { return float64(i + 1) }), extra...)
		slices.Sort(x)
		return x
	}
	ones := func(extra float64) []float64 {
		return slices.Sorted(slices.Values(append(slices.Repeat([]float64{1}, 30), extra)))
	}
	for _, c := range []struct {
		name string
		x    []float64
		rows []int
	}{
		{"one of 17", count(16, 200), []int{1}}, {"two of 18", count(16, 200, 210), nil}, {"two of 42", count(40, 600, 610), []int{2}},
		{"one below", count(16, -200), []int{1}}, {"one on either side", count(16, -200, 200), []int{1, 1}}, {"none", count(16, 30), nil},
		{"nothing varies", ones(1), nil}, {"a million", ones(1e6), nil}, {"more", ones(1e6 + 1), []int{1}},
		{"more, below 0", ones(-1e6 - 1), []int{1}}, {"a million, below 0", ones(-1e6), nil},
	} {
		var rows []int
		for _, f := range strays(c.x, false) {
			rows = append(rows, f.rows)
		}
		if !slices.Equal(rows, c.rows) {
			t.Errorf("%s: groups of %v rows, want %v", c.name, rows, c.rows)
		}
	}
}

// TestOtherUnitOfWideClouds: a gap of less than three spreads is enough for forty rows and is not
// for nine.
func TestOtherUnitOfWideClouds(t *testing.T) {
	cloud := func(n int, times float64) []float64 { // from e^−.6 to e^.6: a spread of .45
		return draws(n, func(i int) float64 { return times * math.Exp(1.2*float64(i)/float64(n-1)-.6) })
	}
	for n, want := range map[int]bool{40: true, 9: false} {
		f, ok := otherUnit(append(cloud(100, 1), cloud(n, 10)...))
		if ok != want || ok && (f.rows != n || !(math.Abs(f.factor-.1) <= 1e-12)) {
			t.Errorf("%d rows at ten times the others: %t, %+v", n, ok, f)
		}
	}
}

// TestOtherUnitOfHalves: of two clouds of one size the greater values are the ones in another unit.
func TestOtherUnitOfHalves(t *testing.T) {
	x := append(draws(30, func(i int) float64 { return 1 + float64(i)/100 }), draws(30, func(i int) float64 { return 10 + float64(i)/10 })...)
	if f, ok := otherUnit(x); !ok || !f.above || f.rows != 30 || !(math.Abs(f.factor-.1) <= 1e-12) {
		t.Errorf("%t, %+v", ok, f)
	}
}

// TestValuesOf: levels that are numbers are read with their rows, up to as many levels as a column may have.
func TestValuesOf(t *testing.T) {
	for n, want := range map[int]int{1: 1, table.MaxLevels: table.MaxLevels, table.MaxLevels + 1: 0} {
		c := &table.Column{Name: "code"}
		for k := range n {
			c.Levels, c.Count = append(c.Levels, strconv.Itoa(k)), append(c.Count, 2)
		}
		values, rows := 0, 0
		if all := valuesOf(c); all != nil {
			for v, times := range all {
				if v != float64(values) {
					t.Fatalf("%v in place of %d", v, values)
				}
				values, rows = values+1, rows+times
			}
		}
		if values != want || rows != 2*want {
			t.Errorf("%d levels: %d values of %d rows", n, values, rows)
		}
	}
}

// TestApart: which numbers are codes beside others from lo to hi.
func TestApart(t *testing.T) {
	for _, c := range []struct {
		name   string
		lo, hi float64
		kinds  int
		value  float64
		rows   int
		want   bool
	}{
		{"one other value", 0, 0, 1, 99, 5, false},
		{"−1 below many", 0, 10, 6, -1, 1, true}, {"−1 below five", 0, 4, 5, -1, 1, false}, {"−1 among negatives", -3, 10, 11, -1, 1, false},
		{"−9 below 0", 0, 10, 6, -9, 1, true}, {"−15 from −3 to 7", -3, 7, 11, -15, 1, false}, {"−23, twice the width", -3, 7, 11, -23, 1, false},
		{"−24, more", -3, 7, 11, -24, 1, true},
		{"9 beside 0 to 5", 0, 5, 6, 9, 1, true}, {"8", 0, 5, 6, 8, 1, true}, {"7", 0, 5, 6, 7, 1, false}, {"9 beside 0 to 6", 0, 6, 6, 9, 1, false},
		{"9 beside seven values", 0, 5, 7, 9, 1, false}, {"9 beside −1 to 5", -1, 5, 6, 9, 1, false},
		{"99, once", 20, 40, 11, 99, 1, true}, {"80, once", 20, 40, 11, 80, 1, false}, {"80, twice", 20, 40, 11, 80, 2, true}, {"50, twice", 20, 40, 11, 50, 2, false},
	} {
		r := rest{n: 100, lo: c.lo, hi: c.hi, distinct: c.kinds, whole: true}
		if got := r.apart(apart{value: c.value, rows: c.rows}); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
	if (rest{n: 9, hi: 5, distinct: 6}).apart(apart{value: 9, rows: 1}) {
		t.Error("9 beside fractions is no code")
	}
	for text, want := range map[string]float64{"1.5": 1.5, "1,5": 1.5, "-9": -9} {
		if v, ok := plainValue(text); !ok || v != want {
			t.Errorf("%q is %v, %t", text, v, ok)
		}
	}
	if _, ok := plainValue("high"); ok {
		t.Error("a word is a number")
	}
}

// TestQuoteNames: twelve are named, the others counted.
func TestQuoteNames(t *testing.T) {
	var names []string
	for i := range 14 {
		names = append(names, fmt.Sprint(i))
	}
	for n, end := range map[int]string{12: "‘10’, ‘11’", 13: "‘11’ and 1 more", 14: "‘11’ and 2 more"} {
		if got := QuoteNames(names[:n]); !strings.HasSuffix(got, end) {
			t.Errorf("%d names: %s", n, got)
		}
	}
}

// TestRecodes: two columns of two values that stand for each other, but for slips: a hundredth of
// the rows at most and a twentieth of those of the rarer value, on fifty rows and more.
func TestRecodes(t *testing.T) {
	codes := func(n, ones, slips int) (y, x []int8) { // slips among the ones of x
		y, x = make([]int8, n), make([]int8, n)
		for i := range ones {
			y[i], x[i] = 1, 1
		}
		for i := range slips {
			y[i] = 0
		}
		return y, x
	}
	for _, c := range []struct {
		n, ones, slips int
		want           bool
	}{{50, 20, 0, true}, {49, 20, 0, false}, {200, 100, 2, true}, {200, 100, 3, false}, {200, 40, 2, true}, {200, 39, 2, false}, {200, 0, 0, false}} {
		y, x := codes(c.n, c.ones, c.slips)
		if got := recodes(y, x); got != c.want {
			t.Errorf("%d of %d rows are 1, with %d slips: %t", c.ones, c.n, c.slips, got)
		}
	}
}

// TestMoreRedundant: a sum beside a constant, an interval of five rows.
func TestMoreRedundant(t *testing.T) {
	rng := seeded()
	const n = 200
	number := func() []float64 {
		return draws(n, func(int) float64 { return math.Round(1000+100*rng.NormFloat64()) / 10 })
	}
	a, b, c := number(), number(), number()
	order := slices.Sorted(slices.Values(a))
	lowest := func(k int) *table.Column {
		return tabletest.Numbers("low", draws(n, func(i int) float64 {
			if a[i] <= order[k-1] {
				return 1
			}
			return 0
		})...)
	}
	for order[4] == order[5] || order[3] == order[4] {
		t.Fatal("the fifth value is not alone")
	}
	for _, k := range []struct {
		name string
		cols []*table.Column
		say  string
	}{
		{"a sum of three and a constant", []*table.Column{tabletest.Numbers("a", a...), tabletest.Numbers("b", b...), tabletest.Numbers("c", c...),
			tabletest.Numbers("all", draws(n, func(i int) float64 { return a[i] + b[i] + c[i] + 500 })...)}, "all is a sum of other columns."},
		{"the five lowest", []*table.Column{tabletest.Numbers("a", a...), lowest(5)}, "low only puts a into intervals."},
		{"the four lowest", []*table.Column{tabletest.Numbers("a", a...), lowest(4)}, ""},
	} {
		t.Run(k.name, func(t *testing.T) {
			all := Columns(tabletest.ByHand(k.cols...), table.Options{})
			if k.say == "" {
				silent(t, all, "redundant")
				return
			}
			if w := say(t, all, "redundant"); !strings.HasPrefix(w.Message, k.say) {
				t.Errorf("says %q, want %q", w.Message, k.say)
			}
		})
	}
}

// TestWarningsAreWhole: no code, column or sentence has the place of another, whatever is asked of
// a table that has a little of everything.
func TestWarningsAreWhole(t *testing.T) {
	const n = 120
	gone := func(f func(i int) float64) []float64 {
		return draws(n, func(i int) float64 {
			if i%3 == 0 {
				return math.NaN()
			}
			return f(i)
		})
	}
	half := tabletest.Numbers("once", gone(func(int) float64 { return 4 })...)
	half.Type = table.Constant
	ward := tabletest.Numbers("v2", draws(n, func(i int) float64 { return float64(100_000 + 917*(i-i%20/19)) })...)
	ward.Role = table.Group
	tab := tabletest.ByHand(half, ward, tabletest.Numbers("visit", draws(n, func(i int) float64 { return float64(i + 1) })...),
		tabletest.Texts("note", draw(n, func(i int) string { return fmt.Sprint("seen in week ", i) })...),
		tabletest.Texts("site", tabletest.Cycle(n, "A", "B", "a ")...))
	all := Columns(tab, table.Options{})
	if len(all) == 0 {
		t.Fatal("nothing is asked")
	}
	for _, w := range all {
		if w.Column != "" && tab.Column(w.Column) == nil || table.Codes[w.Code] == "" || strings.Contains(w.Message, "%!") || len(w.Message) < 10 {
			t.Errorf("%+v", w)
		}
	}
	if w := say(t, all, "numbered"); w.Column != "v2" || !strings.HasSuffix(w.Message, ": kept for grouping, never a predictor.") {
		t.Errorf("%+v", w)
	}
	want(t, say(t, all, "constant-column"), "once has one value in 80 rows and is empty otherwise: left out.")
}

func draw(n int, f func(i int) string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}
