// Package table converts a CSV or Excel file to typed columns and lists what is doubtful.
//
// Nothing is guessed silently: everything detected (delimiter, encoding, decimal mark, header row, missing
// codes, types, roles) is in the result, can be overridden through Options, and leaves a Warning where a user
// may disagree (docs/clinical.md, Data checks).
//
// Conventions: data rows count from 0 in slices, and from 1 in sentences and Warning.Row; file lines count from
// 1. A missing number is NaN, a missing level −1. Warnings, errors and log lines never contain a cell's value,
// except for codes and levels listed for the user's decision, because cells can be personal data.
package table

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
)

// Type is what a column holds.
type Type string

// The column types of the API.
const (
	Number     Type = "number"
	Integer    Type = "integer"
	Boolean    Type = "boolean" // two levels; Levels keeps their spelling
	Category   Type = "category"
	Date       Type = "date"       // Num holds days since 1970-01-01
	Text       Type = "text"       // free text: more than 50 levels
	Identifier Type = "identifier" // share of unique values > 0.95, and not a measurement
	Constant   Type = "constant"   // one value, or empty
)

// Role is what a column is used for.
type Role string

// The roles a column can take.
const (
	Predictor Role = "predictor"
	Outcome   Role = "outcome"
	Group     Role = "group"   // rows with the same value stay in one fold
	Weights   Role = "weights" // row weights
	Exclude   Role = "exclude" // left out of the model

	// Prediction is what a model of elsewhere says of each row: kept to be evaluated, never a predictor by itself.
	Prediction Role = "prediction"
)

// Table is a file read into columns of equal length.
type Table struct {
	Columns  []*Column
	Rows     int
	Dialect  Dialect   // as used, with everything detected filled in
	Warnings []Warning // doubts, in the order a user should read them
	Dropped  []Drop    // rows of the file that are not in Columns
	Settled  []string  // keys of the warnings that the user answered with "keep"
	Excluded []string  // names of the columns that the user left out; of kept data these are no longer in Columns

	// Home is what the columns lie in, where that is not the heap: the slices alone do not keep it.
	Home any `json:"-"`
}

// Drop counts rows left out while reading, with the reason ("Row 17 has 9 cells, expected 8.").
type Drop struct {
	Kind   string `json:"kind,omitempty"`
	Reason string `json:"reason"` // a sentence; for ragged rows and unused levels it names one
	Rows   int    `json:"rows"`
}

// LevelRows counts the rows of one outcome level.
type LevelRows struct {
	Level string `json:"level"`
	Rows  int    `json:"rows"`
}

// The kinds of a Drop.
const (
	DropAbove  = "above"   // lines above the header
	DropTail   = "tail"    // empty rows at the end
	DropRagged = "ragged"  // rows with too few or too many cells
	DropCopy   = "copy"    // rows that repeat an earlier one
	DropLevel  = "outcome" // rows of outcome levels that belong to no class

	DropPrediction = "prediction" // rows without a prediction that a run evaluates
)

// Column is one typed column. Its Type decides whether Num or Code is its content. A numeric column with at
// most MaxLevels distinct texts has Code and Levels too, so that it can be the outcome with the levels as
// uploaded.
type Column struct {
	Name string
	Type Type
	Role Role // as set by the user, otherwise as suggested

	Num    []float64 // one per row; NaN is missing (number, integer, date)
	Code   []int32   // one per row: index into Levels; −1 is missing
	Levels []string  // distinct texts, trimmed, in order of first appearance
	Count  []int     // rows of each level

	Aliases map[string]string // JoinLevels: other spelling → level (prep needs it to read new rows)
	Layout  string            // date: how its texts are written, in the notation of package time
	Decimal string            // number: its decimal mark where it differs from the dialect's

	Missing      int
	Distinct     int       // number of distinct values without missing ones
	MissingCodes []string  // texts that were read as missing in this column
	OddTexts     []OddText // texts that do not fit a numeric column (at most 100)
	Padded       int       // numbers written with a leading zero (007)
	Home         any       `json:"-"` // as that of the table
	Spec         ColumnSpec
}

// MaxLevels is the largest number of distinct texts that a numeric column stores.
const MaxLevels = 50

// OddText is a text that does not fit its column's type.
type OddText struct {
	Text string
	// "limit" (<0.01), "unit" (12 mg), "minus" (U+2212, all listed as one; they are read as numbers),
	// "not-plain" (NaN, 0x1p-2, 1_000, 1e400), "thousands" (1,234), "mark" (12,5 in a column with decimal
	// points), "text"
	Kind  string
	Count int
	Row   int // first data row, from 1
}

// Numeric reports whether Num is the column's content.
func (c *Column) Numeric() bool { return c.Type == Number || c.Type == Integer || c.Type == Date }

// Column returns the column of that name, or nil.
func (t *Table) Column(name string) *Column {
	for _, c := range t.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Dialect says how the bytes of a file become cells. The zero value means that everything is detected.
type Dialect struct {
	Format    string   `json:"format,omitempty"`     // "csv" or "xlsx"; read only
	Sheet     string   `json:"sheet,omitempty"`      // Excel: the sheet read
	Delimiter string   `json:"delimiter,omitempty"`  // "," ";" "\t" "|" " "
	Decimal   string   `json:"decimal,omitempty"`    // "." or ","
	Thousands string   `json:"thousands,omitempty"`  // "", "none", "," "." " " "'"
	Encoding  string   `json:"encoding,omitempty"`   // utf-8 utf-16le utf-16be windows-1252 iso-8859-1
	HeaderRow *int     `json:"header_row,omitempty"` // file line of the header, from 1; 0 = no header; nil = detect
	Missing   []string `json:"missing,omitempty"`    // codes for missing in any column; nil = DefaultMissing
	Quote     string   `json:"quote,omitempty"`      // "" = the double quote, "none" = quotes are text
	BadRows   string   `json:"bad_rows,omitempty"`   // "" = refuse a ragged file, "skip" = drop and report such rows
	// What to do with copies of an earlier row: "" or "kept" = keep them, "first" = drop them, "together" =
	// keep them in one fold.
	Copies string `json:"copies,omitempty"`
}

// Values of Dialect.Copies.
const (
	CopiesKept     = "kept"     // nothing, as with ""
	CopiesFirst    = "first"    // copies are dropped while reading
	CopiesTogether = "together" // all are kept, in one fold
)

// DefaultMissing are the texts that always mean missing, compared without case and surrounding blanks. An empty
// cell is missing too.
var DefaultMissing = []string{"", ".", "NA", "N/A", "#N/A", "NULL", "#NULL!", "?", "-", "None", "NaN", "missing"}

// ColumnSpec is what a user decided about one column. Zero fields mean "detect" or "as suggested".
type ColumnSpec struct {
	Name         string   `json:"name"`
	Type         Type     `json:"type,omitempty"`
	Role         Role     `json:"role,omitempty"`
	MissingCodes []string `json:"missing_codes,omitzero"` // in addition to the dialect's; [] removes those set before
	// NonNumeric says how texts in a numeric column are read: "missing" (default), "limit" (<0.01 → 0.01),
	// "strip" (12 mg → 12, 12,5 → 12.5, limits too).
	NonNumeric string `json:"non_numeric,omitempty"`
	// JoinLevels replaces levels that differ only by blanks, case or a final dot by the most common spelling.
	JoinLevels bool `json:"join_levels,omitempty"`
	// StripQuotes removes quotes around every value before it is read.
	StripQuotes bool `json:"strip_quotes,omitempty"`
	// Extreme changes numbers beyond a limit (another unit, a slip of the pen).
	Extreme *Extreme `json:"extreme,omitempty"`
	// DateAs: "" = left out, "days" = a predictor in days since 1970. The origin only affects the intercept.
	DateAs string `json:"date_as,omitempty"`
}

// Extreme says how numbers below Low or above High are read: as (v − Shift)·Scale, or as missing where Scale is
// 0. Without limits it does nothing, which cancels an earlier rule.
type Extreme struct {
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
	Shift float64  `json:"shift,omitempty"`
	Scale float64  `json:"scale,omitempty"`
}

// UnmarshalJSON replaces all fields of e, so that {} cancels an earlier rule.
func (e *Extreme) UnmarshalJSON(data []byte) error {
	type plain Extreme
	var p plain
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return err
	}
	*e = Extreme(p)
	return nil
}

// Acts reports whether the rule has a limit.
func (e Extreme) Acts() bool { return e.Low != nil || e.High != nil }

// of returns the number that v is read as.
func (e Extreme) of(v float64) float64 {
	if !(e.Low != nil && v < *e.Low || e.High != nil && v > *e.High) {
		return v
	}
	if e.Scale == 0 {
		return math.NaN()
	}
	return (v - e.Shift) * e.Scale
}

// Options are all settings on which a table depends, besides the bytes of the file.
type Options struct {
	Dialect Dialect      `json:"dialect"`
	Columns []ColumnSpec `json:"columns,omitempty"`
	Settled []string     `json:"settled,omitempty"` // keys of warnings the user answered with "keep"
}

// Limits bound what is read. Zero fields mean the defaults.
type Limits struct {
	Bytes   int64 // 200 MB
	Rows    int   // 5,000,000
	Columns int   // 2,000

	Report Progress // informed how far a file is read; nil: nobody is

	memory *memory // where the columns lie; nil: on the heap
}

// DefaultLimits are the limits printed before an upload.
var DefaultLimits = Limits{Bytes: 200 << 20, Rows: 5_000_000, Columns: 2_000}

// Warning is a doubt about the data. It is stored with every result.
type Warning struct {
	Code    string `json:"code"`             // lower case with dashes, one of Codes
	Column  string `json:"column,omitempty"` // the column concerned
	Row     int    `json:"row,omitempty"`    // first data row concerned, from 1
	Message string `json:"message"`          // fact, then question: "−9 in 41 rows. Is −9 a code for a missing value?"
	// Level is "ask" (needs an answer), "note" (information, or settled and reversible) or "stop" (prevents
	// training).
	Level   string   `json:"level,omitempty"`
	Settled bool     `json:"settled,omitempty"`
	Choices []Choice `json:"choices,omitempty"` // the possible answers, the suggested one first
}

// Key identifies a warning in Options.Settled.
func (w Warning) Key() string { return w.Code + ":" + w.Column }

// Concerns reports whether the warning is about the column, alone or with others.
func (w Warning) Concerns(column string) bool {
	return w.Column == column || slices.Contains(strings.Split(w.Column, ", "), column)
}

// Choice is one answer to a Warning: the label of a button and the change it makes. A Choice without a change
// settles the warning ("Keep the number").
type Choice struct {
	Label   string      `json:"label"`
	Column  *ColumnSpec `json:"column,omitempty"`  // replaces the fields that it sets
	Dialect *Dialect    `json:"dialect,omitempty"` // replaces the fields that it sets
	// Columns is Column for several columns at once.
	Columns []ColumnSpec `json:"columns,omitempty"`
	// Outcome replaces the choice of outcome and event.
	Outcome *OutcomeChoice `json:"outcome,omitempty"`
}
