package prep

import (
	"slices"
	"strings"

	"taper/internal/engine/table"
)

// read parses a trimmed, present text of a numeric column by the rules of the training file;
// NaN and false if it is no number.
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

// GroupsByMark reports whether the training file separated thousands by a comma or a point, so that a typed 1,500 or
// 1.500 is no fraction.
func (c *Column) GroupsByMark() bool {
	return c.Decimal == "." && c.Thousands == "," || c.Decimal == "," && c.Thousands == "."
}

// Reads reports whether training reads a text of a numeric column as a number, such as "<0.5" where limits of detection
// count as numbers.
func (c *Column) Reads(text, decimal string) bool {
	text = table.Trim(text)
	if c.isMissing(text) {
		return false
	}
	_, ok := c.read(text, decimal)
	return ok
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

// OwnMissing lists the texts that mean missing in this column beside the usual ones.
func (c *Column) OwnMissing() (own []string) {
	for _, text := range c.Missing {
		if !slices.ContainsFunc(table.DefaultMissing, func(usual string) bool { return strings.EqualFold(usual, text) }) {
			own = append(own, text)
		}
	}
	return own
}

// isCode reports whether a number is a missing-value code, compared by value: -9.0 matches -9.
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
