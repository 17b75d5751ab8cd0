package prep

import (
	"strings"

	"taper/internal/engine/table"
)

// read turns a trimmed, present text of a numeric column into its value, as
// the reader of the training file did; NaN and false when it is none.
func (c *Column) read(text, decimal string) (v float64, ok bool) {
	if c.Origin != nil {
		return table.ReadDate(text, c.Layout)
	}
	if c.Decimal != "" {
		if v, ok = table.ReadNumber(text, c.Decimal, c.Thousands, ""); ok {
			return v, true
		}
	}
	return table.ReadNumber(text, decimal, c.Thousands, c.NonNumeric)
}

// isMissing reports whether a trimmed text means missing in this column.
func (c *Column) isMissing(text string) bool {
	if text == "" {
		return true
	}
	for _, code := range c.Missing {
		if strings.EqualFold(code, text) {
			return true
		}
	}
	return false
}

// isCode reports whether a number means missing: -9 as -9.0 too.
func (c *Column) isCode(v float64) bool {
	for _, code := range c.Missing {
		if !strings.ContainsAny(code, "0123456789") {
			continue
		}
		if w, ok := table.ParseNumber(code, "."); ok && v == w {
			return true
		}
	}
	return false
}
