package check

import (
	"math"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

func TestRedundant(t *testing.T) {
	rng := seeded()
	const n = 200
	a := draws(n, func(int) float64 { return math.Round(1000+100*rng.NormFloat64()) / 10 })
	b := draws(n, func(int) float64 { return math.Round(500+80*rng.NormFloat64()) / 10 })
	c := draws(n, func(int) float64 { return math.Round(300+60*rng.NormFloat64()) / 10 })
	gone := draws(n, func(i int) float64 {
		if i%9 == 0 {
			return math.NaN()
		}
		return rng.NormFloat64()
	})
	site := make([]string, n)
	code := make([]float64, n)
	sex := make([]string, n)
	flag := make([]float64, n)
	for i := range site {
		k := rng.IntN(4)
		site[i], code[i] = []string{"north", "south", "east", "west"}[k], float64(10+7*k)
		sex[i] = []string{"f", "m"}[rng.IntN(2)]
		if i%9 == 0 {
			flag[i] = 1
		}
	}
	of := func(f func(i int) float64) []float64 { return draws(n, f) }
	for _, k := range []struct {
		name string
		cols []*table.Column
		say  string // "" for nothing
	}{
		{"independent columns", []*table.Column{tabletest.Numbers("a", a...), tabletest.Numbers("b", b...),
			tabletest.Texts("site", site...), tabletest.Texts("sex", sex...), tabletest.Numbers("gone", gone...)}, ""},
		{"a recoding", []*table.Column{tabletest.Texts("site", site...), tabletest.Numbers("code", code...)},
			"code says the same as site in other values."},
		{"the negative", []*table.Column{tabletest.Numbers("x", gone...),
			tabletest.Numbers("minus", of(func(i int) float64 { return -gone[i] })...)}, "minus says the same as x in other values."},
		{"pounds, rounded", []*table.Column{tabletest.Numbers("kg", a...),
			tabletest.Numbers("lb", of(func(i int) float64 { return math.Round(2.2046 * a[i]) })...)}, "lb is a linear function of kg but for rounding."},
		{"a sum", []*table.Column{tabletest.Numbers("a", a...), tabletest.Numbers("b", b...),
			tabletest.Numbers("all", of(func(i int) float64 { return a[i] + b[i] })...)}, "a is all minus b."},
		{"a sum of three", []*table.Column{tabletest.Numbers("a", a...), tabletest.Numbers("b", b...), tabletest.Numbers("c", c...),
			tabletest.Numbers("all", of(func(i int) float64 { return a[i] + b[i] + c[i] })...)}, "all is a sum of other columns."},
		{"age groups", []*table.Column{tabletest.Numbers("age", a...),
			tabletest.Numbers("group", of(func(i int) float64 { return math.Floor(a[i] / 10) })...)}, ""}, // levels of one row
		{"above a limit", []*table.Column{tabletest.Numbers("hb", a...),
			tabletest.Numbers("anaemic", of(func(i int) float64 {
				if a[i] < 95 {
					return 1
				}
				return 0
			})...)}, "anaemic only puts hb into intervals."},
		{"a flag of missing", []*table.Column{tabletest.Numbers("x", gone...), tabletest.Numbers("flag", flag...)},
			"flag only says whether x is missing."},
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

// TestExpectedCopies: ten rows have 45 pairs. A column of two values, five times each, makes half of them
// equal, an independent second one a quarter; a share of ½ of the surprise makes √½ of them.
func TestExpectedCopies(t *testing.T) {
	half := slices.Repeat([]string{"f", "m"}, 5)
	tab := &table.Table{Rows: 10}
	one := []*table.Column{tabletest.Texts("a", half...)}
	two := append(one, tabletest.Texts("b", half...))
	for _, c := range []struct {
		cols        []*table.Column
		share, want float64
	}{{one, 1, 22.5}, {two, 1, 11.25}, {one, .5, 45 * math.Sqrt(.5)}} {
		if got := expectedCopies(tab, c.cols, c.share); !(math.Abs(got-c.want) < 1e-12) {
			t.Errorf("%d columns, share %v: %v pairs, want %v", len(c.cols), c.share, got, c.want)
		}
	}
}
