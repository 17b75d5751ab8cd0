package prep

import (
	"math"
	"slices"

	"taper/internal/engine/table"
)

// A Cell is a cell as training read such cells: what describes rows that are
// scored beside those trained on.
type Cell struct {
	Number  float64 // number: in the column's own unit, a date in days since 1970
	Level   string  // category: by the name that training gave it; "" when unseen
	Missing bool    // missing, or no plain number
	Outside bool    // beyond the training range, or a level that training never saw
}

// Cell reads a cell with the given decimal mark.
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

// known returns the level that a text is, in this spelling or in one joined with
// it.
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
