package prep

import (
	"math"
	"strings"
	"time"

	"taper/internal/engine/table"
)

// read turns a trimmed, present text of a numeric column into its value, as
// the reader of the training file did; NaN and false when it is none.
func (c *Column) read(text, decimal string) (v float64, ok bool) {
	if c.Origin != nil {
		return readDate(text)
	}
	if v, ok = table.ParseNumber(text, decimal); ok {
		return v, true
	}
	switch c.NonNumeric {
	case "limit":
		v, ok = table.ParseNumber(strings.TrimLeft(text, "<>=≤≥ "), decimal)
	case "strip":
		v, ok = table.ParseNumber(strings.TrimRight(text, units), decimal)
	}
	if !ok {
		v = math.NaN()
	}
	return v, ok
}

// units are the characters of a unit that stands after a number.
const units = " %/µ°abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// readDate reads an ISO date as days since 1970-01-01.
func readDate(text string) (days float64, ok bool) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return math.NaN(), false
	}
	return float64(day.Unix() / 86400), true
}
