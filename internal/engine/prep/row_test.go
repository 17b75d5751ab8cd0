package prep

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"taper/internal/engine/table"
)

// cells serves a map as Row wants it.
func cells(m map[string]string) func(string) (string, bool) {
	return func(column string) (string, bool) { text, ok := m[column]; return text, ok }
}

// clinic has every kind of column: a number with and without missing values, a
// date, a category with pooled levels, one without.
func clinic() *table.Table {
	date := number("seen", 18262, 18300, 18276, 18265, 18290)
	date.Type, date.Spec.DateAs = table.Date, "days"
	crp := number("crp", 1, 2, 3, 4, nan)
	crp.Spec = table.ColumnSpec{NonNumeric: "limit", MissingCodes: []string{"-9"}}
	return tableOf(
		number("age", 34, 81, 50, 62, 47), crp, date,
		category("site", "A", "A", "A", "B", "C"),
		&table.Column{Name: "sex", Type: table.Boolean, Code: []int32{0, 1, 0, 1, 0}, Levels: []string{"f", "m"}},
	)
}

func TestRowWarnings(t *testing.T) {
	p := mustFit(t, clinic(), upTo(5), true, "age", "crp", "seen", "site", "sex")
	p.Columns[4].Pooled, p.Columns[4].Levels = nil, []string{"m"} // as with 10 rows of m: nothing pooled
	p.Terms[len(p.Terms)-1].Kind = Level
	fine := map[string]string{"age": " 62 ", "crp": "2,5", "seen": "2020-01-05", "site": "B", "sex": "m"}
	for _, tt := range []struct {
		name         string
		column, text string // text "\x00" takes the column away
		want         []string
	}{
		{"nothing to say", "age", "62", nil},
		{"range", "age", "97", []string{"age 97 is outside the training range 34 – 81"}},
		{"foreign decimal mark", "age", "-1.5e-7", []string{"age is not a plain number: the training median 50 stands in"}},
		{"negative, decimal comma", "age", "-0,5", []string{"age −0.5 is outside the training range 34 – 81"}},
		{"missing, never in training", "age", "", []string{"age is missing: the training median 50 stands in"}},
		{"missing code of all columns", "crp", "na", []string{"crp is missing: the training median 2.5 and the term ‘crp missing’ stand in"}},
		{"missing code of the column", "crp", "-9", []string{"crp is missing: the training median 2.5 and the term ‘crp missing’ stand in"}},
		{"limit", "crp", "<2", nil},
		{"text", "crp", "high", []string{"crp is not a plain number: the training median 2.5 and the term ‘crp missing’ stand in"}},
		{"no column", "crp", "\x00", []string{"column crp is not there: the training median 2.5 and the term ‘crp missing’ stand in"}},
		{"date", "seen", "2020-02-09", []string{"seen 2020-02-09 is outside the training range 2020-01-01 – 2020-02-08"}},
		{"unseen, pooled", "site", "Z", []string{"site ‘Z’ was not in the training rows: scored with the rare levels as ‘(other)’"}},
		{"missing level, pooled", "site", ".", []string{"site is missing: training had none missing, scored with the rare levels as ‘(other)’"}},
		{"unseen, reference", "sex", "x", []string{"sex ‘x’ was not in the training rows: scored as the reference ‘f’"}},
		{"no column, reference", "sex", "\x00", []string{"column sex is not there: training had none missing, scored as the reference ‘f’"}},
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

// Row and Transform agree bit for bit on the same cells, whatever the data.
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
		p, err := Fit(tab, []string{"x", "g"}, train, rapid.Bool().Draw(t, "standardize"))
		if err != nil {
			t.Skip("nothing varies")
		}
		want, got := make([]float64, n*p.Width()), make([]float64, p.Width())
		if err := p.Transform(want, tab, upTo(n)); err != nil {
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
