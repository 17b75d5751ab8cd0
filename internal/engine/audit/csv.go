package audit

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Header is the first line of a review as CSV. row_number counts from 1, as pages do, row from 0, as the
// API does. Reading requires row_key and decision and uses to and note; other columns and their order do
// not matter.
var Header = []string{"row_number", "row", "label", "decision", "to", "note", "suspicion", "margin", "weight",
	"row_key", "data"}

// Line is one row of a review as CSV.
type Line struct {
	Decision
	Suspicion, Margin, Weight string // as text; "" where there is none
}

// WriteCSV writes a review; ReadCSV reads the decisions back.
func WriteCSV(w io.Writer, data string, lines []Line) error {
	c := table.NewCSV(w)
	c.Write(Header...)
	for _, l := range lines {
		c.Write(strconv.Itoa(l.Row+1), strconv.Itoa(l.Row), quoted(l.Label), string(l.Kind), quoted(l.To), quoted(l.Note),
			l.Suspicion, l.Margin, l.Weight, l.Key.String(), data)
	}
	return c.Flush()
}

// quoted doubles a quote at the start of a user's text, because ReadCSV removes one: otherwise a note
// ‘'=x’ would be read as the guarded formula ‘=x’.
func quoted(s string) string {
	if strings.HasPrefix(s, "'") {
		return "'" + s
	}
	return s
}

// unquoted is the text of a cell that WriteCSV wrote.
func unquoted(s string) string {
	if strings.HasPrefix(s, "''") {
		return s[1:]
	}
	return table.Unguard(s)
}

// MaxCSV is the largest review that is read, in bytes.
const MaxCSV = 32 << 20

// ReadCSV reads decisions that WriteCSV wrote, possibly edited: columns by name in any order, other
// columns ignored. Lines without decision and note are skipped. If the file names its data, they must be
// data.
func ReadCSV(r io.Reader, data string) ([]Decision, error) {
	c := csv.NewReader(&atMost{r, MaxCSV})
	c.FieldsPerRecord = -1
	c.ReuseRecord = true
	head, err := c.Read()
	if err != nil {
		return nil, unreadable(err, "The file is empty: a review has a header line with row_key and decision.")
	}
	at := map[string]int{}
	for i, name := range head {
		name = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))
		if _, twice := at[name]; !twice {
			at[name] = i
		}
	}
	for _, name := range []string{"row_key", "decision"} {
		if _, ok := at[name]; !ok {
			return nil, usererr.New(usererr.Invalid,
				"The file has no column %s: export the review as CSV and change that file.", name)
		}
	}
	var all []Decision
	for {
		record, err := c.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, unreadable(err, "")
		}
		line, _ := c.FieldPos(0)
		d, ok, err := readLine(record, at, line, data)
		if err != nil {
			return nil, err
		}
		if ok {
			all = append(all, d)
		}
	}
}

// atMost reads up to left bytes. Where there are more it returns an error: a review that ends midway would seem whole.
type atMost struct {
	from io.Reader
	left int
}

func (a *atMost) Read(p []byte) (n int, err error) {
	n, err = a.from.Read(p[:min(len(p), a.left+1)])
	if a.left -= n; a.left < 0 {
		return 0, usererr.New(usererr.TooLarge, "The review is larger than %d MB, the limit. Import a part of its lines at "+
			"a time.", MaxCSV>>20)
	}
	return n, err
}

// unreadable turns an error of the CSV reader into a sentence with its line.
func unreadable(err error, empty string) error {
	var bad *csv.ParseError
	switch {
	case errors.Is(err, io.EOF) && empty != "":
		return usererr.New(usererr.Invalid, "%s", empty)
	case errors.As(err, &bad):
		return usererr.New(usererr.Invalid, "Line %d of the review is not valid CSV: it has a stray or "+
			"unclosed quote.", bad.Line)
	}
	return err
}

// readLine reads one decision; ok is false for a line without one.
func readLine(record []string, at map[string]int, line int, data string) (d Decision, ok bool, err error) {
	get := func(name string) string {
		if i, there := at[name]; there && i < len(record) {
			return unquoted(strings.TrimSpace(record[i]))
		}
		return ""
	}
	d.Kind, d.Note, d.To = Kind(strings.ToLower(get("decision"))), get("note"), get("to")
	if d.Kind == "" && d.Note == "" {
		return d, false, nil
	}
	if d.Kind != "" && !slices.Contains(Kinds, d.Kind) {
		return d, false, usererr.New(usererr.Invalid,
			"Line %d, column decision: must be keep, flip, exclude, unsure or empty.",
			line)
	}
	if d.Key, ok = ParseKey(get("row_key")); !ok {
		return d, false, usererr.New(usererr.Invalid, "Line %d, column row_key: must be 32 hexadecimal digits as exported.",
			line)
	}
	if from := get("data"); from != "" && from != data {
		return d, false, usererr.New(usererr.Invalid,
			"Line %d, column data: the review belongs to other data. Import it on the run it was exported from.", line)
	}
	if len(d.Note) > MaxNote || !utf8.ValidString(d.Note) {
		return d, false, usererr.New(usererr.Invalid, "Line %d, column note: must be UTF-8 text of at most %d bytes.", line,
			MaxNote)
	}
	return d, true, nil
}
