package check

import (
	"fmt"
	"slices"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
)

// spellings asks whether to join levels that differ only by blanks, case or a final dot.
func (d *checker) spellings() {
	for _, c := range d.t.Columns {
		if c.Spec.JoinLevels {
			d.settled("joined-levels", c.Name, "Spellings of "+c.Name+" are joined.")
			continue
		}
		if c.Type != table.Boolean && c.Type != table.Category && c.Type != table.Constant ||
			len(c.Levels) > 10*table.MaxLevels ||
			personalKind(c) != "" {
			continue
		}
		if alike := alikeLevels(c); len(alike) > 0 {
			d.ask(question{
				code: "similar-levels", column: c.Name, fact: alikeFact(c.Name, alike), ask: "Join them?", kept: "Kept apart.",
				choices: []table.Choice{{Label: "Join them", Column: &table.ColumnSpec{Name: c.Name, JoinLevels: true}},
					{Label: "Keep them apart"}},
			})
		}
	}
}

// alikeLevels groups the levels that are one when folded.
func alikeLevels(c *table.Column) (alike [][]string) {
	place := map[string]int{}
	var groups [][]string
	for _, l := range c.Commonest() {
		key := strings.Join(strings.Fields(strings.TrimRight(strings.ToLower(strings.TrimSpace(l.Level)), ".")), " ")
		i, ok := place[key]
		if !ok {
			i = len(groups)
			place[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], l.Level)
	}
	return slices.DeleteFunc(groups, func(g []string) bool { return len(g) < 2 })
}

// alikeFact: "‘No’ and ‘No ’ of smoker differ by a space."
func alikeFact(name string, alike [][]string) string {
	var sets []string
	var by []string
	for _, group := range alike {
		var quoted []string
		for _, l := range group {
			quoted = append(quoted, phrase.Quote(l))
		}
		sets = append(sets, phrase.List(quoted))
		by = append(by, differences(group)...)
	}
	slices.Sort(by)
	return fmt.Sprintf("%s of %s differ by %s.", strings.Join(sets, "; "), name,
		strings.Replace(phrase.List(slices.Compact(by)), " and ", " or ", 1))
}

// differences says by what the spellings of one level differ from the first.
func differences(group []string) (by []string) {
	for _, l := range group[1:] {
		a, b := group[0], l
		if strings.EqualFold(a, b) {
			by = append(by, "case")
			continue
		}
		dot := func(s string) bool { return strings.HasSuffix(strings.TrimSpace(s), ".") }
		if dot(a) != dot(b) {
			by = append(by, "a final full stop")
		}
		bare := func(s string) string { return strings.TrimSuffix(strings.TrimSpace(s), ".") }
		if !strings.EqualFold(bare(a), bare(b)) || a != strings.TrimSpace(a) || b != strings.TrimSpace(b) {
			by = append(by, "a space")
		}
		if bare(a) != bare(b) && strings.EqualFold(bare(a), bare(b)) {
			by = append(by, "case")
		}
	}
	return by
}

// manyMissing notes columns that spell missing in several ways.
func (d *checker) manyMissing() {
	var where []string
	for _, c := range d.t.Columns {
		var codes []string
		for _, m := range c.MissingCodes {
			if !slices.Contains(c.Spec.MissingCodes, m) {
				codes = append(codes, phrase.Quote(m))
			}
		}
		if len(codes) < 2 {
			continue
		}
		where = append(where, fmt.Sprintf("%s (%s)", c.Name, phrase.List(codes)))
	}
	if len(where) > 0 {
		d.note("missing-spellings", "",
			"Missing values are written in several ways in "+phrase.List(where)+": all of these are read as missing.")
	}
}
