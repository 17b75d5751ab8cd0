package prep

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"taper/internal/engine/table"
)

var nan = math.NaN()

// category codes texts in order of first appearance; "" is missing.
func category(name string, texts ...string) *table.Column {
	c := &table.Column{Name: name, Type: table.Category}
	index := map[string]int32{}
	for _, s := range texts {
		k, ok := index[s]
		switch {
		case s == "":
			k = -1
			c.Missing++
		case !ok:
			k = int32(len(c.Levels))
			index[s] = k
			c.Levels = append(c.Levels, s)
		}
		c.Code = append(c.Code, k)
	}
	return c
}

func number(name string, v ...float64) *table.Column {
	return &table.Column{Name: name, Type: table.Number, Num: v}
}

func times(n int, s string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

func join(parts ...[]string) (all []string) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func upTo(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

func tableOf(columns ...*table.Column) *table.Table {
	n := max(len(columns[0].Num), len(columns[0].Code))
	return &table.Table{Columns: columns, Rows: n, Dialect: table.Dialect{Decimal: ".", Missing: table.DefaultMissing}}
}

func mustFit(t testing.TB, tab *table.Table, rows []int, standardize bool, features ...string) *Preprocessor {
	t.Helper()
	p, err := Fit(context.Background(), tab, features, rows, standardize)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Hand calculation: ten times 1, 2, 4, 9 and a missing value → median (2+4)/2 = 3, so 1 2 3 4 9 with mean
// 19/5 and population variance (Σx² = 111)/5 − 3.8² = 7.76. The row outside the training rows
// (1000) has no effect.
func TestFitNumber(t *testing.T) {
	cells, rows := []float64{4, 1000, nan, 1, 9, 2}, []int{0, 2, 3, 4, 5}
	for range MinRows - 1 {
		for _, v := range []float64{4, nan, 1, 9, 2} {
			rows, cells = append(rows, len(cells)), append(cells, v)
		}
	}
	tab := tableOf(number("chol", cells...))
	p := mustFit(t, tab, rows, true, "chol")
	want := []Term{
		{Name: "chol", Column: "chol", Kind: Value, Mean: 3.8, SD: math.Sqrt(7.76)},
		{Name: "chol missing", Column: "chol", Kind: MissingLevel, Mean: 0.2, SD: 0.4},
	}
	if d := cmp.Diff(want, p.Terms, cmpopts.EquateApprox(0, 1e-15)); d != "" {
		t.Error(d)
	}
	c := p.Columns[0]
	if c.Median != 3 || c.Min != 1 || c.Max != 9 || !c.Indicator || c.Kind != Number {
		t.Errorf("column %+v", c)
	}
	dst := make([]float64, 4)
	if err := p.Transform(context.Background(), dst, tab, []int{2, 1}); err != nil {
		t.Fatal(err)
	}
	sd := math.Sqrt(7.76)
	if d := cmp.Diff([]float64{(3 - 3.8) / sd, 2, (1000 - 3.8) / sd, -0.5}, dst, cmpopts.EquateApprox(1e-15, 1e-15)); d != "" {
		t.Error(d)
	}
}

// Nine missing values have no term of their own: the tenth of a column's rows would decide on a weight that every
// later patient without the value gets.
func TestFewMissing(t *testing.T) {
	lacking := func(n int) []float64 {
		return slices.Concat(slices.Repeat([]float64{1, 2, 4, 9}, 10), slices.Repeat([]float64{nan}, n))
	}
	for _, n := range []int{1, MinRows - 1, MinRows} {
		tab := tableOf(number("chol", lacking(n)...))
		p := mustFit(t, tab, upTo(tab.Rows), false, "chol")
		if got, want := len(p.Terms), map[bool]int{true: 2, false: 1}[n >= MinRows]; got != want || p.Columns[0].Indicator != (n >= MinRows) {
			t.Errorf("%d missing: terms %v, indicator %v", n, p.Terms, p.Columns[0].Indicator)
		}
		dst := make([]float64, len(p.Terms))
		if err := p.Transform(context.Background(), dst, tab, []int{40}); err != nil || dst[0] != 3 {
			t.Errorf("%d missing: the missing value is scored as %v (%v), not as the median", n, dst, err)
		}
	}
	// 20 a, 20 b, 5 c, missing: with c, which is pooled, they are one term, whose mean says so; without c the reference.
	for _, c := range []struct {
		rare, missing int
		terms         []string
		mean          float64 // of the last term
		last          []float64
	}{
		{5, 9, []string{"site = b", "site = (other)"}, 14. / 54, []float64{0, 1}},
		{5, 10, []string{"site = b", "site = (other)", "site missing"}, 10. / 55, []float64{0, 0, 1}},
		{0, 9, []string{"site = b"}, 20. / 49, []float64{0}},
		{0, 10, []string{"site = b", "site missing"}, .2, []float64{0, 1}},
	} {
		tab := tableOf(category("site", join(times(20, "a"), times(20, "b"), times(c.rare, "c"), times(c.missing, ""))...))
		p := mustFit(t, tab, upTo(tab.Rows), true, "site")
		var names []string
		for _, term := range p.Terms {
			names = append(names, term.Name)
		}
		if got := p.Terms[len(p.Terms)-1].Mean; !cmp.Equal(names, c.terms) || !(math.Abs(got-c.mean) <= 1e-15) {
			t.Errorf("%d rare, %d missing: terms %q with mean %v, not %q with %v", c.rare, c.missing, names, got, c.terms, c.mean)
		}
		raw := mustFit(t, tab, upTo(tab.Rows), false, "site")
		dst := make([]float64, len(raw.Terms))
		if err := raw.Transform(context.Background(), dst, tab, []int{tab.Rows - 1}); err != nil || !cmp.Equal(dst, c.last) {
			t.Errorf("%d rare, %d missing: a missing value is scored as %v (%v), not as %v", c.rare, c.missing, dst, err, c.last)
		}
	}
}

// 20 b, 20 a, 10 c, 9 d, 1 e, 10 missing of 70: the reference is a (tie, byte order), b and c
// have terms, d and e are pooled, missing is a level.
func TestFitCategory(t *testing.T) {
	texts := join(times(20, "b"), times(20, "a"), times(10, "c"), times(9, "d"), times(1, "e"), times(10, ""))
	tab := tableOf(category("site", texts...))
	p := mustFit(t, tab, upTo(70), true, "site")
	c := p.Columns[0]
	if c.Reference != "a" || !cmp.Equal(c.Levels, []string{"b", "c"}) || !cmp.Equal(c.Pooled, []string{"d", "e"}) || !c.Indicator {
		t.Errorf("column %+v", c)
	}
	var names []string
	for _, term := range p.Terms {
		names = append(names, term.Name)
	}
	if d := cmp.Diff([]string{"site = b", "site = c", "site = (other)", "site missing"}, names); d != "" {
		t.Error(d)
	}
	b := p.Terms[0] // 20 of 70: mean 2/7, variance 2/7·5/7
	if !(math.Abs(b.Mean-2.0/7) <= 1e-15) || !(math.Abs(b.SD-math.Sqrt(10)/7) <= 1e-15) {
		t.Errorf("site = b: mean %v, SD %v", b.Mean, b.SD)
	}
	raw := mustFit(t, tab, upTo(70), false, "site")
	dst := make([]float64, 6*4)
	if err := raw.Transform(context.Background(), dst, tab, []int{0, 20, 40, 50, 59, 60}); err != nil {
		t.Fatal(err)
	}
	want := []float64{1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1}
	if d := cmp.Diff(want, dst); d != "" {
		t.Error(d)
	}
}

func TestConstantTerms(t *testing.T) {
	five := func(x ...float64) []float64 { return slices.Repeat(x, 5) }
	tab := tableOf(
		number("same", five(5, 5, 5, 5)...),
		number("empty", five(nan, nan, nan, nan)...),
		number("half", five(7, nan, 7, nan)...),                 // constant value, varying missingness
		number("tiny", five(1e-200, 2e-200, 1e-200, 2e-200)...), // squares underflow, the column varies
		category("one", times(20, "x")...),
		category("none", times(20, "")...),
		&table.Column{Name: "constant", Type: table.Constant},
		number("x", five(1, 2, 3, 4)...),
	)
	p := mustFit(t, tab, upTo(tab.Rows), true, "same", "empty", "half", "tiny", "one", "none", "constant", "x")
	if d := cmp.Diff([]string{"same", "empty", "one", "none", "constant"}, p.Unused); d != "" {
		t.Error(d)
	}
	if tiny := p.Terms[1]; p.Width() != 3 || p.Terms[0].Name != "half missing" || tiny.Name != "tiny" ||
		!(math.Abs(tiny.SD/5e-201-1) <= 1e-15) || p.Terms[2].Name != "x" {
		t.Errorf("terms %+v", p.Terms)
	}
	if _, err := Fit(context.Background(), tab, []string{"same", "one"}, upTo(tab.Rows), true); err == nil {
		t.Error("no predictor varies, no error")
	}
}

func TestFitRefuses(t *testing.T) {
	tab := tableOf(
		number("big", 1, 1e200),
		&table.Column{Name: "note", Type: table.Text, Code: []int32{0, 1}, Levels: []string{"p", "q"}},
		&table.Column{Name: "seen", Type: table.Date, Num: []float64{1, 2}},
	)
	for _, feature := range []string{"big", "note", "seen", "absent"} {
		if _, err := Fit(context.Background(), tab, []string{feature}, upTo(2), true); err == nil {
			t.Errorf("%s: no error", feature)
		}
	}
	if _, err := Fit(context.Background(), tab, []string{"big"}, nil, true); err == nil {
		t.Error("no rows: no error")
	}
}

// A table with its levels in another order gives the same design.
func TestTransformMatchesLevelsByName(t *testing.T) {
	texts := join(times(12, "b"), times(30, "a"), times(10, "c"))
	p := mustFit(t, tableOf(category("site", texts...)), upTo(52), false, "site")
	other := tableOf(category("site", "c", "new", "a", "", "b"))
	dst := make([]float64, 5*2)
	if err := p.Transform(context.Background(), dst, other, upTo(5)); err != nil {
		t.Fatal(err)
	}
	// columns: site = b, site = c; unseen and missing are scored as the reference
	if d := cmp.Diff([]float64{0, 1, 0, 0, 0, 0, 0, 0, 1, 0}, dst); d != "" {
		t.Error(d)
	}
	if err := p.Transform(context.Background(), dst, tableOf(number("site", 1, 2, 3, 4, 5)), upTo(5)); err == nil {
		t.Error("a number where levels are expected: no error")
	}
	if err := p.Transform(context.Background(), dst, tableOf(number("age", 1, 2, 3, 4, 5)), upTo(5)); err == nil {
		t.Error("missing column: no error")
	}
}

func TestNatural(t *testing.T) {
	tab := tableOf(number("age", slices.Repeat([]float64{30, 50, nan, 61, 80}, 10)...),
		number("bp", slices.Repeat([]float64{120, 131, 127, 140, 90}, 10)...))
	p := mustFit(t, tab, upTo(50), true, "age", "bp")
	q := mustFit(t, tab, upTo(50), false, "age", "bp")
	w := []float64{0.3, -1.2, 2.5}
	x, r := make([]float64, 15), make([]float64, 15)
	if err := p.Transform(context.Background(), x, tab, upTo(5)); err != nil {
		t.Fatal(err)
	}
	if err := q.Transform(context.Background(), r, tab, upTo(5)); err != nil {
		t.Fatal(err)
	}
	coef, b := p.Natural(w, 0.7)
	for i := range 5 {
		f, g := 0.7, b
		for j := range w {
			f += w[j] * x[3*i+j]
			g += coef[j] * r[3*i+j]
		}
		if !(math.Abs(f-g) <= 1e-12) {
			t.Errorf("row %d: score %v standardised, %v per natural unit", i, f, g)
		}
	}
}

// TestRecode: for two samples with different reference levels, a model recoded to the other's
// terms gives every row its original score.
func TestRecode(t *testing.T) {
	sexes := join(times(30, "f"), times(30, "m"), times(12, "x"), times(12, "y"))
	ages := make([]float64, len(sexes))
	for i := range ages {
		ages[i] = float64(20 + i*13%50)
	}
	tab := tableOf(number("age", ages...), category("sex", sexes...))
	rows := func(f, m, x, y int) []int {
		return slices.Concat(upTo(84)[:f], upTo(84)[30:30+m], upTo(84)[60:60+x], upTo(84)[72:72+y])
	}
	run := mustFit(t, tab, rows(30, 25, 12, 12), true, "age", "sex")
	for _, c := range []struct {
		name string
		rows []int
		want []string // the terms known in the sample
	}{
		{"the same reference", rows(28, 20, 11, 10), []string{"age", "sex = m", "sex = x", "sex = y"}},
		{"another reference", rows(20, 28, 11, 10), []string{"age", "sex = m", "sex = x", "sex = y"}},
		{"another reference, two levels pooled", rows(20, 28, 5, 4), []string{"age", "sex = m", "sex = x", "sex = y"}},
		{"a level without rows", rows(20, 28, 11, 0), []string{"age", "sex = m", "sex = x"}},
		{"no row of the run’s reference", rows(0, 28, 11, 10), []string{"age"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := mustFit(t, tab, c.rows, true, "age", "sex")
			w := make([]float64, p.Width())
			for j := range w {
				w[j] = 0.3 + 0.7*float64(j*j) - float64(j)
			}
			natural, intercept := p.Natural(w, -0.4)
			terms, at := p.Recode(natural, intercept, run)
			if got := slices.Sorted(maps.Keys(terms)); !slices.Equal(got, c.want) {
				t.Fatalf("terms %q, want %q", got, c.want)
			}
			if c.rows[0] >= 30 {
				if !math.IsNaN(at) {
					t.Errorf("an intercept of %v, at a level that no row has", at)
				}
				return
			}
			x := make([]float64, p.Width())
			for _, i := range c.rows {
				if err := p.Transform(context.Background(), x, tab, []int{i}); err != nil {
					t.Fatal(err)
				}
				own, recoded := -0.4, at+terms["age"]*ages[i]+terms["sex = "+sexes[i]]
				for j := range x {
					own += w[j] * x[j]
				}
				if math.Abs(own-recoded) > 1e-12 {
					t.Errorf("row %d, %s: %v in the terms of the run, %v in its own", i, sexes[i], recoded, own)
				}
			}
		})
	}
}

func TestJSONRoundTripKeepsBits(t *testing.T) {
	tab := tableOf(number("age", 0.1, 1/3.0, nan, math.Pi, 1e-9), category("sex", join(times(3, "f"), times(2, "m"))...))
	p := mustFit(t, tab, upTo(5), true, "age", "sex")
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var q Preprocessor
	if err := json.Unmarshal(b, &q); err != nil {
		t.Fatal(err)
	}
	x, y := make([]float64, 5*p.Width()), make([]float64, 5*p.Width())
	if err := p.Transform(context.Background(), x, tab, upTo(5)); err != nil {
		t.Fatal(err)
	}
	if err := q.Transform(context.Background(), y, tab, upTo(5)); err != nil {
		t.Fatal(err)
	}
	for i := range x {
		if math.Float64bits(x[i]) != math.Float64bits(y[i]) {
			t.Errorf("value %d: %x before, %x after", i, x[i], y[i])
		}
	}
}
