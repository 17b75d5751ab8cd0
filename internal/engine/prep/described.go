package prep

import (
	"math"
	"slices"

	"taper/internal/engine/table"
)

// A Cell is a parsed cell of a row to be scored, for statistics that describe such rows
// together with the training rows.
type Cell struct {
	Number  float64 // number: in the column's unit; a date in days since 1970
	Level   string  // category: the level's name in training; "" when unseen
	Missing bool    // missing, or not a plain number
	Outside bool    // outside the training range, or an unseen level
}

// Cell parses a text with the given decimal mark.
func (c *Column) Cell(text, decimal string) Cell {
	text = table.Trim(text)
	if c.isMissing(text) {
		return Cell{Missing: true}
	}
	if c.Kind != Number {
		level, seen := c.known(text)
		return Cell{Level: level, Outside: !seen}
	}
	v, ok := c.read(text, decimal)
	if !ok || math.IsNaN(v) || c.isCode(v) {
		return Cell{Missing: true}
	}
	raw := c.raw(v)
	return Cell{Number: v, Outside: raw < c.Min || raw > c.Max}
}

// known returns the training level for a text, directly or through joined spellings.
func (c *Column) known(text string) (level string, seen bool) {
	if to, ok := c.Aliases[text]; ok {
		text = to
	}
	all := slices.Concat([]string{c.Reference}, c.Levels, c.Pooled)
	at := slices.Index(all, text)
	if at < 0 && c.Join {
		key := table.Fold(text)
		at = slices.IndexFunc(all, func(l string) bool { return table.Fold(l) == key })
	}
	if at < 0 {
		return "", false
	}
	return all[at], true
}
