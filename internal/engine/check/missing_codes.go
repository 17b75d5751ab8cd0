package check

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/parallel"
	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
)

// codes are the numbers that commonly mean "missing" ("refused", "does not apply").
var codes = []float64{-1, -7, -8, -9, -77, -88, -99, -777, -888, -999, -9999, -99999,
	7, 8, 9, 77, 88, 98, 99, 777, 888, 998, 999, 7777, 8888, 9999, 99999, 999999, 99.9, 999.9, 99.99, 999.99}

// apart is a possible code, separated from the other values of its column.
type apart struct {
	column *table.Column
	value  float64
	rows   int
}

// missingCodes asks about numbers that look like codes.
func (d *checker) missingCodes() {
	found := make([][]apart, len(d.t.Columns))
	parallel.Each(len(found), 0, func(_, j int) { found[j] = codesOf(d.t.Columns[j]) })
	found = slices.DeleteFunc(found, func(f []apart) bool {
		return len(f) == 0 || f[0].column.Name == d.outcome // the selection of the outcome asks
	})
	d.askMissing("missing-code", codeQuestion, "Kept as a number.", found)
}

// askMissing asks about the possible codes of each column. Three or more columns with the same codes are
// one question.
func (d *checker) askMissing(code string, ask func([]apart) string, kept string, found [][]apart) {
	alike := map[string]int{}
	for _, f := range found {
		alike[suspects(f)]++
	}
	asked := map[string]bool{}
	for i, f := range found {
		name := suspects(f)
		if alike[name] < 3 {
			spec := treatMissing(f)
			d.ask(question{
				code: code, column: f[0].column.Name, fact: missingFact(f), ask: ask(f), kept: kept,
				choices: []table.Choice{{Label: "Treat as missing", Column: &spec}, {Label: "Keep the number"}},
			})
			continue
		}
		if !asked[name] {
			together := slices.DeleteFunc(slices.Clone(found[i:]), func(g []apart) bool { return suspects(g) != name })
			d.askTogether(code, ask(f), kept, together)
		}
		asked[name] = true
	}
}

// codeQuestion: "Is −9 a code for a missing value?"
func codeQuestion(f []apart) string {
	if len(f) == 1 {
		return "Is " + suspects(f) + " a code for a missing value?"
	}
	return "Are " + suspects(f) + " codes for missing values?"
}

// suspects lists the values: "−8 and −9".
func suspects(f []apart) string {
	var values []string
	for _, a := range f {
		values = append(values, phrase.Number(a.value))
	}
	return phrase.List(values)
}

// missingFact: "−8 in 1 row and −9 in 41 rows of chol."
func missingFact(f []apart) string {
	var where []string
	for _, a := range f {
		where = append(where, fmt.Sprintf("%s in %s", phrase.Number(a.value), phrase.Count(a.rows, "row")))
	}
	return phrase.List(where) + " of " + f[0].column.Name + "."
}

// askTogether asks one question about several columns.
func (d *checker) askTogether(code, ask, kept string, found [][]apart) {
	var specs []table.ColumnSpec
	var where, names []string
	for _, f := range found {
		rows := 0
		for _, a := range f {
			rows += a.rows
		}
		specs = append(specs, treatMissing(f))
		names = append(names, f[0].column.Name)
		where = append(where, fmt.Sprintf("%s (%s)", f[0].column.Name, phrase.Count(rows, "row")))
	}
	d.ask(question{
		code: code, column: strings.Join(names, ", "), fact: fmt.Sprintf("%s in %s.", suspects(found[0]), phrase.List(where)),
		ask: ask, kept: kept,
		choices: []table.Choice{{Label: "Treat as missing", Columns: specs}, {Label: "Keep the numbers"}},
	})
}

// treatMissing adds the codes to those already set for the column.
func treatMissing(f []apart) table.ColumnSpec {
	c := f[0].column
	s := table.ColumnSpec{Name: c.Name, MissingCodes: slices.Clone(c.Spec.MissingCodes)}
	for _, a := range f {
		s.MissingCodes = append(s.MissingCodes, spelling(a))
	}
	return s
}

// spelling is the code as written in the file, where the texts were kept.
func spelling(f apart) string {
	for k, text := range f.column.Levels {
		if v, ok := plainValue(text); ok && v == f.value && f.column.Count[k] > 0 {
			return text
		}
	}
	return strconv.FormatFloat(f.value, 'f', -1, 64)
}

// codesOf returns the codes at the ends of a column's range that are separated from the other values.
// Candidates are removed from the ends while they are codes, and then examined from the inside outwards:
// one that is not separated belongs to the other values.
func codesOf(c *table.Column) []apart {
	x := valuesOf(c)
	if x == nil || c.Type == table.Date || c.Type == table.Identifier {
		return nil
	}
	if lo, hi, _ := table.Extremes(c.Num); c.Num != nil && !slices.Contains(codes, lo) && !slices.Contains(codes, hi) {
		return nil
	}
	var peeled []apart
	r := restOf(x, nil)
	for len(peeled) < 8 && r.distinct > 1 {
		v := r.hi
		if slices.Contains(codes, r.lo) {
			v = r.lo
		}
		if !slices.Contains(codes, v) {
			break
		}
		all := r.n
		peeled = append(peeled, apart{column: c, value: v})
		r = restOf(x, peeled)
		peeled[len(peeled)-1].rows = all - r.n
	}
	var found []apart
	for _, f := range slices.Backward(peeled) {
		if r.apart(f) {
			found = append(found, f)
		} else {
			r.lo, r.hi, r.n, r.distinct = min(r.lo, f.value), max(r.hi, f.value), r.n+f.rows, r.distinct+1
		}
	}
	slices.SortFunc(found, func(a, b apart) int { return cmp.Compare(math.Abs(a.value), math.Abs(b.value)) })
	return found
}

// rest describes the values of a column except some.
type rest struct {
	n        int // rows
	lo, hi   float64
	distinct int  // counted up to 11
	whole    bool // all are whole numbers
}

func restOf(x iter.Seq2[float64, int], but []apart) rest {
	r := rest{whole: true, lo: math.Inf(1), hi: math.Inf(-1)}
	var seen []float64
	for v, rows := range x {
		if v != v || slices.ContainsFunc(but, func(f apart) bool { return f.value == v }) {
			continue
		}
		r.n += rows
		r.lo, r.hi = min(r.lo, v), max(r.hi, v)
		if len(seen) <= 10 && !slices.Contains(seen, v) {
			seen = append(seen, v)
		}
		r.whole = r.whole && v == math.Trunc(v)
	}
	r.distinct = len(seen)
	return r
}

// apart reports whether a number looks like a code: negative where all other values are non-negative, or
// far above them.
func (r rest) apart(f apart) bool {
	width, gap := r.hi-r.lo, f.value-r.hi
	switch {
	case r.distinct < 2:
		return false
	case f.value == -1:
		return r.lo >= 0 && r.distinct > 5 // −1, 0, 1 can be a scale
	case f.value < 0:
		return r.lo >= 0 || r.lo-f.value > 2*width
	case f.value < 10: // 7, 8, 9 next to a short scale
		return r.whole && r.distinct <= 6 && r.lo >= 0 && r.hi <= 5 && gap >= 3
	}
	return gap > 2*width || gap > width/2 && f.rows > 1
}

// valuesOf iterates over the numbers of a column with their rows, for numeric columns and for columns
// with numeric levels; nil for other columns.
func valuesOf(c *table.Column) iter.Seq2[float64, int] {
	if c.Num != nil {
		return func(yield func(float64, int) bool) {
			for _, v := range c.Num {
				if !yield(v, 1) {
					return
				}
			}
		}
	}
	if len(c.Levels) == 0 || len(c.Levels) > table.MaxLevels {
		return nil
	}
	level := make([]float64, len(c.Levels))
	for k, text := range c.Levels {
		v, ok := plainValue(text)
		if !ok {
			return nil
		}
		level[k] = v
	}
	return func(yield func(float64, int) bool) {
		for k, v := range level {
			if c.Count[k] > 0 && !yield(v, c.Count[k]) {
				return
			}
		}
	}
}

// plainValue reads a level as a number with either decimal mark.
func plainValue(text string) (float64, bool) {
	if v, ok := table.ParseNumber(text, "."); ok {
		return v, true
	}
	return table.ParseNumber(text, ",")
}
