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
	"missing-word":     "a word that was read as missing may be a level",
	"date-order":       "day and month could be exchanged",
	"type-refused":     "a column cannot be read as the type asked for",

	// columns
	"missing-code":      "a number that looks like a code for missing",
	"missing-code-read": "a number the user had read as missing",
	"missing-spellings": "missing is spelt in several ways",
	"impossible-zero":   "zeros in what cannot be zero",
	"similar-levels":    "levels that differ by blanks, case or a final dot",
	"joined-levels":     "spellings of levels were joined",
	"constant-column":   "a column never varies and is left out",
	"empty-column":      "a column is empty and is left out",
	"mostly-missing":    "more than half of a column is missing",
	"identifier":        "a column names rows or people and is no predictor",
	"date":              "a column holds dates",
	"free-text":         "a column holds free text and is left out",
	"personal":          "a column may say who someone is",
	"old-ages":          "ages above 89",
	"left-out":          "a column the user left out",
	"many-columns":      "more parameters than rows",
	"repeated-patients": "several rows of one patient",
	"identical-rows":    "rows that repeat another",

	// outcome
	"no-outcome":      "the outcome is no column of the data",
	"outcome-values":  "the outcome has more than 50 values",
	"empty-outcome":   "the outcome is empty",
	"one-class":       "one level of the outcome only is present",
	"which-outcome":   "nobody said yet which column is the outcome",
	"which-event":     "no level says by itself that it is the event, and nobody said it yet",
	"outcome-levels":  "levels beyond the two that are trained on",
	"missing-outcome": "rows without an outcome",
	"score-only":      "levels that are scored and not trained on",
	"leak":            "a column that may be known only after the outcome",
	"few-events":      "fewer than ten events for each parameter",
	"prevalence":      "events too rare or common for the usual boundaries",
	"sorted":          "the file is sorted by outcome",
}
