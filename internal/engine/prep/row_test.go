package prep

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"taper/internal/engine/table"
)

// cells adapts a map to Row's argument.
func cells(m map[string]string) func(string) (string, bool) {
	return func(column string) (string, bool) { text, ok := m[column]; return text, ok }
}

// clinic has every kind of column: numbers with and without missing values, a date, categories
// with and without pooled levels.
func clinic() *table.Table {
	ten := func(x ...float64) []float64 { return slices.Repeat(x, 10) }
	date := number("seen", ten(18262, 18300, 18276, 18265, 18290)...)
	date.Type, date.Spec.DateAs = table.Date, "days"
	crp := number("crp", ten(1, 2, 3, 4, nan)...)
	crp.Spec = table.ColumnSpec{NonNumeric: "limit", MissingCodes: []string{"-9"}}
	return tableOf(
		number("age", ten(34, 81, 50, 62, 47)...), crp, date,
		category("site", append(times(48, "A"), "B", "C")...),
		&table.Column{Name: "sex", Type: table.Boolean, Code: slices.Repeat([]int32{0, 1, 0, 1, 0}, 10), Levels: []string{"f", "m"}},
	)
}

func TestRowWarnings(t *testing.T) {
	p := mustFit(t, clinic(), upTo(50), true, "age", "crp", "seen", "site", "sex")
	fine := map[string]string{"age": " 62 ", "crp": "2,5", "seen": "2020-01-05", "site": "B", "sex": "m"}
	for _, tt := range []struct {
		name         string
		column, text string // text "\x00" removes the column
		want         []string
	}{
		{"nothing to say", "age", "62", nil},
		{"range", "age", "97", []string{"age 97 is outside the training range 34 – 81"}},
		{"foreign decimal mark", "age", "-1.5e-7", []string{"age is not a plain number: replaced by the training median (50)"}},
		{"negative, decimal comma", "age", "-0,5", []string{"age −0.5 is outside the training range 34 – 81"}},
		{"missing, never in training", "age", "", []string{"age is missing: replaced by the training median (50)"}},
		{"missing code of all columns", "crp", "na", []string{"crp is missing: replaced by the training median (2.5) and the term ‘crp missing’, learned from 20\u00a0% of the training rows"}},
		{"missing code of the column", "crp", "-9", []string{"crp is missing: replaced by the training median (2.5) and the term ‘crp missing’, learned from 20\u00a0% of the training rows"}},
		{"limit", "crp", "<2", nil},
		{"text", "crp", "high", []string{"crp is not a plain number: replaced by the training median (2.5) and the term ‘crp missing’, learned from 20\u00a0% of the training rows"}},
		{"no column", "crp", "\x00", []string{"column crp is not there: replaced by the training median (2.5) and the term ‘crp missing’, learned from 20\u00a0% of the training rows"}},
		{"date", "seen", "2020-02-09", []string{"seen 2020-02-09 is outside the training range 2020-01-01 – 2020-02-08"}},
		{"unseen, pooled", "site", "Z", []string{"site ‘Z’ was not in the training rows: scored with the rare levels as ‘(other)’"}},
		{"missing level, pooled", "site", ".", []string{"site is missing: too few training rows lacked it to learn from, scored with the rare levels as ‘(other)’"}},
		{"unseen, reference", "sex", "x", []string{"sex ‘x’ was not in the training rows: scored as the reference ‘f’"}},
		{"no column, reference", "sex", "\x00", []string{"column sex is not there: too few training rows lacked it to learn from, scored as the reference ‘f’"}},
	} {
		row := map[string]string{}
		for k, v := range fine {
			row[k] = v
		}
		row[tt.column] = tt.text
		if tt.text == "\x00" {
			delete(row, tt.column)
		}
		dst := make([]float64, p.Width())
		if d := cmp.Diff(tt.want, p.Row(dst, cells(row), ",")); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
		if slices.ContainsFunc(dst, math.IsNaN) {
			t.Errorf("%s: NaN in %v", tt.name, dst)
		}
	}
}

// TestRoundedLimits: a limit has four digits and those before the decimal point, or as many as the comparison with the
// value needs.
func TestRoundedLimits(t *testing.T) {
	for _, c := range []struct {
		min, max    float64
		value, want string
	}{
		{2.345678901234567, 26.27789185489391, "27", "dose 27 is outside the training range 2.346 – 26.28"},
		{2.345678901234567, 26.27789185489391, "1", "dose 1 is outside the training range 2.346 – 26.28"},
		{2.345678901234567, 26.27789185489391, "26.279", "dose 26.279 is outside the training range 2.346 – 26.278"},
		{2.345678901234567, 26.27789185489391, "26.2779", "dose 26.2779 is outside the training range 2.346 – 26.27789"},
		{2.345678901234567, 26.27789185489391, "2.3456", "dose 2.3456 is outside the training range 2.346 – 26.28"},
		{1000.5, 1234467.6, "1234467.8", "dose 1 234 467.8 is outside the training range 1000 – 1 234 467.6"},
		{1000.5, 1234467.6, "1300000", "dose 1 300 000 is outside the training range 1000 – 1 234 468"},
		{1, 26284567.25, "30000000", "dose 30 000 000 is outside the training range 1 – 2.628 × 10⁷"},
		{.0000012345678, 5, "0.000001", "dose 10⁻⁶ is outside the training range 1.235 × 10⁻⁶ – 5"},
	} {
		p := mustFit(t, tableOf(number("dose", c.min, c.max, (c.min+c.max)/2)), upTo(3), false, "dose")
		got := p.Row(make([]float64, p.Width()), cells(map[string]string{"dose": c.value}), ".")
		if len(got) != 1 || strings.NewReplacer("\u202f", " ", "\u00a0", " ").Replace(got[0]) != c.want {
			t.Errorf("%s: %q, want %q", c.value, got, c.want)
		}
	}
}

// A cell is parsed like the training file: decimal mark, thousands separator, minus signs,
// missing codes by value, odd texts by the column's rule.
func TestReadLikeTheReader(t *testing.T) {
	plain := Column{Name: "x", Missing: []string{"", "-9", "NA"}}
	own := Column{Decimal: ",", Missing: plain.Missing}
	grouped := Column{Thousands: ",", Missing: plain.Missing}
	strip := Column{NonNumeric: "strip", Missing: plain.Missing}
	limit := Column{NonNumeric: "limit", Missing: plain.Missing}
	for _, tt := range []struct {
		name          string
		c             Column
		text, decimal string
		want          float64
	}{
		{"point", plain, "12.5", ".", 12.5},
		{"comma", plain, "12,5", ",", 12.5},
		{"other mark", plain, "12,5", ".", nan},
		{"real minus", plain, "−5", ".", -5},
		{"exponent", plain, "1e-3", ".", 1e-3},
		{"overflow", plain, "1e400", ".", nan},
		{"hexadecimal", plain, "0x1p-2", ".", nan},
		{"NaN", plain, "NaN", ".", nan},
		{"code by value", plain, "-9.0", ".", nan},
		{"own mark", own, "1,234", ".", 1.234},
		{"own mark, JSON", own, "12.5", ".", 12.5},
		{"thousands", grouped, "1,234", ".", 1234},
		{"thousands where the comma is the mark", grouped, "1,234", ",", 1.234},
		{"no thousands", plain, "1,234", ".", nan},
		{"unit", strip, "12 mg", ".", 12},
		{"limit, stripped", strip, "<0.01", ".", 0.01},
		{"limit", limit, "<0.01", ".", 0.01},
		{"unit, limits only", limit, "12 mg", ".", nan},
		{"unit, no rule", plain, "12 mg", ".", nan},
	} {
		v, ok := tt.c.read(tt.text, tt.decimal)
		if tt.c.isCode(v) {
			v, ok = nan, false
		}
		if ok == math.IsNaN(tt.want) || ok && v != tt.want {
			t.Errorf("%s: %q read as %v, want %v", tt.name, tt.text, v, tt.want)
		}
	}
}

func TestReadDate(t *testing.T) {
	german := Column{Origin: new(float64), Layout: "02.01.2006"}
	for text, want := range map[string]float64{"03.01.1970": 2, "31.12.1969": -1, "1970-01-03": 2, "29.02.2020": 18321, "30.02.2020": nan, "soon": nan} {
		v, ok := german.read(text, ".")
		if ok == math.IsNaN(want) || ok && v != want {
			t.Errorf("%s: day %v, want %v", text, v, want)
		}
	}
}

func TestUsual(t *testing.T) {
	day := 18321.0 // 29 February 2020
	for _, x := range []struct {
		column Column
		want   string
	}{
		{Column{Kind: Number, Median: 1234567.25, Decimal: ","}, "1234567.25"},
		{Column{Kind: Number, Median: -1e-7}, "-0.0000001"},
		{Column{Kind: Number, Median: -18322, Origin: &day}, "1969-12-31"},
		{Column{Kind: Number, Median: 1.5, Origin: &day}, "2020-03-01"},
		{Column{Kind: Category, Reference: "never", Median: 3}, "never"},
	} {
		if got := x.column.TypicalValue(); got != x.want {
			t.Errorf("%+v: %q, want %q", x.column, got, x.want)
		}
	}
}

// Spellings joined in training are one level.
func TestRowAliases(t *testing.T) {
	c := category("smoker", join(times(12, "No"), times(11, "Yes"))...)
	c.Aliases, c.Spec.JoinLevels = map[string]string{"n": "No"}, true
	p := mustFit(t, tableOf(c), upTo(23), false, "smoker")
	for text, want := range map[string]float64{"n": 0, "no.": 0, "No": 0, "YES": 1, "Yes": 1} {
		dst := make([]float64, 1)
		if w := p.Row(dst, cells(map[string]string{"smoker": text}), "."); w != nil || dst[0] != want {
			t.Errorf("%q: %v, warnings %v", text, dst, w)
		}
	}
	p.Columns[0].Join = false
	if w := p.Row(make([]float64, 1), cells(map[string]string{"smoker": "YES"}), "."); w == nil {
		t.Error("a spelling that nobody joined: no warning")
	}
}

// Row and Transform agree to the bit on the same cells, for random data.
func TestRowAgreesWithTransform(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "rows")
		num, texts := make([]float64, n), make([]string, n)
		for i := range num {
			num[i] = rapid.Float64Range(-1e6, 1e6).Draw(t, "number")
			if rapid.IntRange(0, 4).Draw(t, "missing") == 0 {
				num[i] = nan
			}
			texts[i] = rapid.SampledFrom([]string{"", "a", "a", "a", "b", "b", "c", "d"}).Draw(t, "level")
		}
		tab := tableOf(number("x", num...), category("g", texts...))
		train := upTo(n)[:rapid.IntRange(1, n).Draw(t, "train")]
		p, err := Fit(context.Background(), tab, []string{"x", "g"}, train, rapid.Bool().Draw(t, "standardize"))
		if err != nil {
			t.Skip("nothing varies")
		}
		want, got := make([]float64, n*p.Width()), make([]float64, p.Width())
		if err := p.Transform(context.Background(), want, tab, upTo(n)); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			x := ""
			if !math.IsNaN(num[i]) {
				x = strconv.FormatFloat(num[i], 'g', -1, 64)
			}
			p.Row(got, cells(map[string]string{"x": x, "g": texts[i]}), ".")
			for j, v := range got {
				if w := want[i*p.Width()+j]; math.Float64bits(v) != math.Float64bits(w) || math.IsNaN(v) {
					t.Fatalf("row %d, term %s: Row %v, Transform %v", i, p.Terms[j].Name, v, w)
				}
			}
		}
	})
}

// Row accepts any text without a panic or a NaN, and warns unless the cell is one that training
// knows.
func FuzzRow(f *testing.F) {
	for _, seed := range []string{"", "62", "1e999", "−5", "<0.01", "12 mg", "A", "a\x00b", "=cmd", "2020-02-30", "\xff", "'-9"} {
		f.Add(seed, ".")
		f.Add(seed, ",")
	}
	tab := clinic()
	p, err := Fit(context.Background(), tab, []string{"age", "crp", "seen", "site", "sex"}, upTo(50), true)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text, decimal string) {
		dst := make([]float64, p.Width())
		p.Row(dst, func(string) (string, bool) { return text, true }, decimal)
		for j, v := range dst {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%s = %v for %q", p.Terms[j].Name, v, text)
			}
		}
	})
}

func BenchmarkRow(b *testing.B) {
	p := mustFit(b, clinic(), upTo(50), true, "age", "crp", "seen", "site", "sex")
	row := cells(map[string]string{"age": "62", "crp": "2.5", "seen": "2020-01-05", "site": "B", "sex": "m"})
	dst := make([]float64, p.Width())
	b.ReportAllocs()
	for b.Loop() {
		p.Row(dst, row, ".")
	}
}
