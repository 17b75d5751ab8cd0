package check

import (
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
)

// identical reports rows that repeat another row in every column except those that number the rows. With
// few, coarse columns equal rows are expected. It asks only about more than ten copies and more than
// three times the number expected for independent columns, and reports nothing where chance explains the
// copies.
func (d *checker) identical() {
	cols := d.t.Comparable()
	if len(cols) == 0 || d.t.Rows < 2 {
		return
	}
	if d.t.Dialect.Copies == table.CopiesFirst {
		dropped := 0
		for _, drop := range d.t.Dropped {
			if drop.Kind == table.DropCopy {
				dropped += drop.Rows
			}
		}
		d.settled("identical-rows", "", phrase.Plural(dropped, "copy of an earlier row is", "copies of earlier rows are")+
			" left out.", keepCopies)
		return
	}
	digests := table.Digests(cols, d.t.Rows)
	slices.Sort(digests)
	copies := len(digests) - len(slices.Compact(slices.Clone(digests)))
	if copies == 0 {
		return
	}
	fact := phrase.CountWith(copies, "row", "is", "are") + " identical to an earlier one"
	if d.t.Dialect.Copies == table.CopiesTogether {
		d.settled("identical-rows", "", fact+": kept in one fold with it.", keepCopies)
		return
	}
	expected := expectedCopies(d.t, cols, 1)
	// Votes, flags and scores depend on each other, so copies say nothing about how the file was made.
	// The same applies where most rows have a copy, unless the whole file is repeated several times.
	coarse := !slices.ContainsFunc(cols, func(c *table.Column) bool { return c.Distinct > fewValues })
	most := 2*copies > d.t.Rows && !evenly(digests)
	if most || (coarse || float64(copies) <= 10+3*expected) && expectedCopies(d.t, cols, .5) > .5 {
		return
	}
	if coarse || float64(copies) <= 10+3*expected {
		d.note("identical-rows", "", fact+": kept. Copies of the same row can be in both training and test data.")
		return
	}
	fact += expectedWords(expected) + "." + d.contradictions(cols)
	d.ask(question{code: "identical-rows", fact: fact, kept: "Kept as they are.",
		ask: "Copies can be in both training and test data, which makes the results optimistic. Keep them?",
		choices: []table.Choice{
			{Label: "Keep one of each", Dialect: &table.Dialect{Copies: table.CopiesFirst}},
			{Label: "Keep copies in one fold", Dialect: &table.Dialect{Copies: table.CopiesTogether}},
			{Label: "Keep all"}}})
}

// evenly reports whether each of the sorted values occurs the same number of times, at most five, as in a
// file that was pasted several times.
func evenly(sorted []uint64) bool {
	each := 0
	for from := 0; from < len(sorted); {
		to := from
		for to < len(sorted) && sorted[to] == sorted[from] {
			to++
		}
		if each == 0 {
			each = to - from
		}
		if to-from != each || each > 5 {
			return false
		}
		from = to
	}
	return true
}

// keepCopies undoes what was done about copies.
var keepCopies = table.Choice{Label: "Undo", Dialect: &table.Dialect{Copies: table.CopiesKept}}

func expectedWords(expected float64) string {
	switch {
	case expected < .5:
		return ""
	case expected < 10:
		return fmt.Sprintf(", where chance makes %.1f", expected)
	}
	return ", where chance makes " + phrase.Int(int(math.Round(expected)))
}

// contradictions reports rows that agree in everything but the outcome: " 2 sets of copies differ in the
// outcome, first rows 12 and 40."
func (d *checker) contradictions(cols []*table.Column) string {
	y := d.t.Column(d.outcome)
	if y == nil || y.Code == nil {
		return ""
	}
	others := slices.DeleteFunc(slices.Clone(cols), func(c *table.Column) bool { return c == y })
	if len(others) == 0 {
		return ""
	}
	first := make(map[uint64]int, d.t.Rows)
	sets := map[uint64]bool{}
	var pair [2]int
	for i, key := range table.Digests(others, d.t.Rows) {
		j, seen := first[key]
		switch {
		case y.Code[i] < 0:
		case !seen:
			first[key] = i
		case y.Code[j] != y.Code[i]:
			if len(sets) == 0 {
				pair = [2]int{j + 1, i + 1}
			}
			sets[key] = true
		}
	}
	if len(sets) == 0 {
		return ""
	}
	return fmt.Sprintf(" %s only in the outcome, first rows %s and %s.",
		phrase.Plural(len(sets), "set of equal rows differs", "sets of equal rows differ"), phrase.Int(pair[0]),
		phrase.Int(pair[1]))
}

// expectedCopies returns the number of equal pairs expected by chance. share weights the surprise of
// equal levels: 1 for independent columns, less for columns that are assumed to depend on each other.
func expectedCopies(t *table.Table, cols []*table.Column, share float64) float64 {
	bits := 0.0
	for _, c := range cols {
		bits += collision(t, c, share)
	}
	pairs := float64(t.Rows) * float64(t.Rows-1) / 2
	return pairs * math.Exp2(-bits)
}

// collision returns −log₂ of the probability that two rows share a value. It is doubled where most values
// differ, because the column then resolves more than this number of rows can show.
func collision(t *table.Table, c *table.Column, share float64) float64 {
	spread := math.Log2(float64(max(1, c.Distinct)))
	switch {
	case 2*c.Distinct > t.Rows:
		return 2 * spread
	case c.Code == nil:
		return spread
	}
	total, square := 0.0, 0.0
	for _, n := range c.Count {
		total += float64(n)
		square += float64(n) * float64(n)
	}
	if total == 0 {
		return 0
	}
	return -math.Log2(square/(total*total)) * share
}
