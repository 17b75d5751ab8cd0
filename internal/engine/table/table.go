// Package table turns a CSV or Excel file into typed columns and says what it
// doubts.
//
// Nothing is guessed silently: every detected thing (delimiter, encoding,
// decimal mark, header row, missing codes, types, roles) is in the result, can
// be overridden through Options, and leaves a Warning where the user may see
// it differently (docs/clinical.md §1).
//
// Conventions: data rows count from 0 in slices and from 1 in sentences and
// Warning.Row; file lines count from 1. A missing number is NaN, a missing
// level −1. No warning, error or log line carries a cell's value except the
// codes and levels listed for the user's own decision.
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
	Identifier Type = "identifier" // unique share > 0.95, not a measured number
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
)

// Table is a file read into columns of equal length.
type Table struct {
	Columns  []*Column
	Rows     int
	Dialect  Dialect   // as used: nothing left to detect
	Warnings []Warning // doubts, in the order a user should read them
	Dropped  []Drop    // rows of the file that are not in Columns
	Settled  []string  // keys of warnings the user answered with "keep"
}

// Drop counts rows left out while reading, with the reason ("Row 17 has 9
// cells, expected 8.").
type Drop struct {
	Kind   string `json:"kind,omitempty"`
	Reason string `json:"reason"` // a sentence; of ragged rows and unused levels it names one
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
	DropLevel  = "outcome" // rows of an outcome's level that no class is made of
)

// Column is one typed column. Exactly one of Num and Code is the typed content
// by Type; a numeric column with at most MaxLevels distinct texts keeps Code
// and Levels too, so that it can serve as an outcome as it was uploaded.
type Column struct {
	Name string
	Type Type
	Role Role // as asked for, else as suggested

	Num    []float64 // value of each row; NaN missing (number, integer, date)
	Code   []int32   // index into Levels of each row; −1 missing
	Levels []string  // distinct texts, trimmed, in order of first appearance
	Count  []int     // rows of each level

	Aliases map[string]string // JoinLevels: other spelling → the level it became (prep needs it to read new rows)
	Layout  string            // date: how its texts are written, as in package time
	Decimal string            // number: its decimal mark where that is not the dialect's

	Missing      int
	Distinct     int       // distinct values, missing not counted
	MissingCodes []string  // texts that were read as missing in this column
	OddTexts     []OddText // texts that do not fit a numeric column (at most 100)
	Padded       int       // numbers written with a leading zero (007)
	Spec         ColumnSpec
}

// MaxLevels is the number of distinct texts up to which a numeric column keeps
// them.
const MaxLevels = 50

// OddText is a text that did not fit its column's type.
type OddText struct {
	Text string
	// "limit" (<0.01), "unit" (12 mg), "minus" (U+2212, all as one; they read fine), "not-plain" (NaN, 0x1p-2, 1_000,
	// 1e400), "thousands" (1,234), "mark" (12,5 among points), "text"
	Kind  string
	Count int
	Row   int // first data row, from 1
}

// Numeric reports whether the column's typed content is Num.
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

// Dialect says how the file's bytes become cells. The zero value asks for
// detection of everything.
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
	// Copies of an earlier row: "" or "kept" = left as they are, "first" = dropped, "together" = kept, in one
	// fold of a validation.
	Copies string `json:"copies,omitempty"`
}

// What becomes of rows that repeat an earlier one (Dialect.Copies).
const (
	CopiesKept     = "kept"     // nothing, as with ""
	CopiesFirst    = "first"    // the first is kept, the others are dropped while reading
	CopiesTogether = "together" // all are kept, in one fold
)

// DefaultMissing lists the texts that always mean missing (compared without
// case and surrounding blanks; the empty cell too).
var DefaultMissing = []string{"", ".", "NA", "N/A", "#N/A", "NULL", "#NULL!", "?", "-", "None", "NaN", "missing"}

// ColumnSpec is what a user decided about one column. Zero fields mean
// "detect" or "as suggested".
type ColumnSpec struct {
	Name         string   `json:"name"`
	Type         Type     `json:"type,omitempty"`
	Role         Role     `json:"role,omitempty"`
	MissingCodes []string `json:"missing_codes,omitzero"` // added to the dialect's; [] takes earlier ones back
	// NonNumeric is what becomes of texts in a numeric column: "missing" (default), "limit" (<0.01 → 0.01), "strip"
	// (12 mg → 12, 12,5 → 12.5, limits too).
	NonNumeric string `json:"non_numeric,omitempty"`
	// JoinLevels: levels that differ only by blanks, case or a final dot become the commonest spelling.
	JoinLevels bool `json:"join_levels,omitempty"`
	// StripQuotes: the quotes around every value are taken off before it is read.
	StripQuotes bool `json:"strip_quotes,omitempty"`
	// Extreme: what becomes of numbers beyond a limit (another unit, a slip).
	Extreme *Extreme `json:"extreme,omitempty"`
	// DateAs: "" = left out, "days" = a predictor in days (from 1970: only the intercept knows).
	DateAs string `json:"date_as,omitempty"`
}

// Extreme says what becomes of a column's numbers below Low or above High: v is
// read as (v − Shift)·Scale, or as missing where Scale is 0. Without limits it
// does nothing, which takes an earlier one back.
type Extreme struct {
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
	Shift float64  `json:"shift,omitempty"`
	Scale float64  `json:"scale,omitempty"`
}

// UnmarshalJSON replaces the whole of e: {} takes an earlier rule back.
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

// Acts reports whether any number can be beyond a limit.
func (e Extreme) Acts() bool { return e.Low != nil || e.High != nil }

// of is the number that v is read as.
func (e Extreme) of(v float64) float64 {
	if !(e.Low != nil && v < *e.Low || e.High != nil && v > *e.High) {
		return v
	}
	if e.Scale == 0 {
		return math.NaN()
	}
	return (v - e.Shift) * e.Scale
}

// Options are everything a reading depends on besides the bytes.
type Options struct {
	Dialect Dialect      `json:"dialect"`
	Columns []ColumnSpec `json:"columns,omitempty"`
	Settled []string     `json:"settled,omitempty"` // keys of warnings the user answered with "keep"
}

// Limits bound what is read; zero fields mean the defaults.
type Limits struct {
	Bytes   int64 // 200 MB
	Rows    int   // 5,000,000
	Columns int   // 2,000
}

// DefaultLimits are the limits printed before an upload.
var DefaultLimits = Limits{Bytes: 200 << 20, Rows: 5_000_000, Columns: 2_000}

// Warning is a doubt about the data that travels with every result.
type Warning struct {
	Code    string `json:"code"`             // lower case with dashes, listed in Codes
	Column  string `json:"column,omitempty"` // header it concerns
	Row     int    `json:"row,omitempty"`    // first data row it concerns, from 1
	Message string `json:"message"`          // fact, then question: "−9 in 41 rows of chol. A code for ‘missing’?"
	// Level is "ask" (needs an answer), "note" (settled, undoable or informative) or "stop" (no training with it).
	Level   string   `json:"level,omitempty"`
	Settled bool     `json:"settled,omitempty"`
	Choices []Choice `json:"choices,omitempty"` // the answers offered; the first is the proposal
}

// Key identifies a warning in Options.Settled.
func (w Warning) Key() string { return w.Code + ":" + w.Column }

// Concerns reports whether the warning concerns the column, alone or among others.
func (w Warning) Concerns(column string) bool {
	return w.Column == column || slices.Contains(strings.Split(w.Column, ", "), column)
}

// Choice is one answer to a Warning: a button's label and what it changes.
// A Choice that changes nothing settles the warning ("Keep the number").
type Choice struct {
	Label   string      `json:"label"`
	Column  *ColumnSpec `json:"column,omitempty"`  // replaces the fields it sets
	Dialect *Dialect    `json:"dialect,omitempty"` // replaces the fields it sets
	// Columns does as Column for several columns at once.
	Columns []ColumnSpec `json:"columns,omitempty"`
	// Outcome replaces the choice of outcome and event.
	Outcome *OutcomeChoice `json:"outcome,omitempty"`
}
