package table

// Codes are the codes of warnings with their meanings, for the API's
// description. A code is never renamed.
var Codes = map[string]string{
	// reading
	"encoding":         "the file is not UTF-8",
	"sheet":            "the sheet of the workbook that was read",
	"one-column":       "one column was found, and blanks may be the delimiter",
	"header-row":       "the header is not in the first line",
	"no-header":        "no header was found: columns are c1, c2 …",
	"duplicate-header": "a header comes more than once and was numbered",
	"blank-header":     "a column has no header and was named by its place",
	"decimal-comma":    "decimal commas were read",
	"thousands":        "thousands separators were read, or may be decimal marks",
	"dropped-rows":     "rows were left out while reading",
	"odd-text":         "texts in a numeric column: limits, units, words",
	"not-plain":        "NaN, Inf, hexadecimal or overflowing numbers were read as missing",
	"units":            "a column of texts looks like numbers with a unit",
	"padded-level":     "levels that differ by a blank were joined",
	"date-order":       "day and month could be exchanged",
	"type-refused":     "a column cannot be read as the type asked for",
}
