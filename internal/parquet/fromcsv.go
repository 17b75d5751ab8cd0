package parquet

import (
	"context"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/format"

	"taper/internal/engine/table"
)

// Write writes a table in text, such as CSV, as a Parquet file, each column with the narrowest type that all its cells
// have: truth values where every cell is true or false, whole numbers of 64 bits, numbers of 64 bits, else texts. A
// decimal fraction with more digits than a number of 64 bits holds is rounded. Codes such as 007 and whole numbers that
// would be rounded stay texts. Empty cells are missing values; so are the usual codes for missing, but not in a column
// of texts. A header without rows gives columns of texts.
func Write(ctx context.Context, out io.Writer, text []byte, d table.Dialect) error {
	// The text is our own: a file within the limits, and its scores.
	lim := table.Limits{Bytes: 1 << 40, Rows: math.MaxInt32, Columns: 1 << 20}
	var fields []*field
	var guesses []guess
	decimal := "."
	err := eachRow(ctx, text, d, lim, func(r *table.RowReader) error {
		decimal = r.Dialect().Decimal
		for _, name := range r.Header() {
			fields = append(fields, &field{name: name})
		}
		guesses = make([]guess, len(fields))
		return nil
	}, func(cells []string) error {
		for j, cell := range cells {
			guesses[j].see(cell, decimal)
		}
		return nil
	})
	if err != nil {
		// A reader refuses a table without rows. The cells of a study can be one.
		head, none := table.Head(ctx, text, d, 1)
		if none != nil || len(head.Rows) > 0 {
			return err
		}
		return writeNames(out, head.Header)
	}
	for j, f := range fields {
		f.kind = guesses[j].kind()
	}
	w, err := newFile(out, fields)
	if err != nil {
		return err
	}
	err = eachRow(ctx, text, d, lim, func(*table.RowReader) error { return nil }, func(cells []string) error {
		for j, f := range fields {
			f.cell(cells[j], decimal)
		}
		return w.endRow()
	})
	if err != nil {
		return err
	}
	return w.close()
}

// writeNames writes a table without rows, of texts.
func writeNames(out io.Writer, names []string) error {
	var fields []*field
	for _, name := range names {
		fields = append(fields, &field{name: name, kind: format.ByteArray})
	}
	w, err := newFile(out, fields)
	if err != nil {
		return err
	}
	return w.close()
}

// eachRow reads a table from its start.
func eachRow(ctx context.Context, text []byte, d table.Dialect, lim table.Limits, begin func(*table.RowReader) error,
	do func(cells []string) error) error {
	r, err := table.NewRowReader(ctx, text, d, lim)
	if err != nil {
		return err
	}
	if err := begin(r); err != nil {
		return err
	}
	columns := len(r.Header())
	var row table.Row
	for i := 0; ; i++ {
		if i%batch == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.Read(&row); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if len(row.Cells) != columns {
			return errors.New("a row has more or fewer cells than the header")
		}
		if err := do(row.Cells); err != nil {
			return err
		}
	}
}

// guess is which types the cells of a column that were seen do not have.
type guess struct {
	some                       bool // a cell is not missing
	noTruth, noWhole, noNumber bool
}

func (g *guess) see(cell, decimal string) {
	cell = strings.TrimSpace(cell)
	if table.CodeOfMissing(cell) {
		return
	}
	_, truth := truthOf(cell)
	g.some, g.noTruth = true, g.noTruth || !truth
	if !g.noWhole {
		_, whole := wholeOf(cell)
		g.noWhole = !whole
	}
	if !g.noNumber {
		_, number := numberOf(cell, decimal)
		g.noNumber = !number
	}
}

func (g *guess) kind() format.Type {
	switch {
	case !g.some:
		return format.ByteArray
	case !g.noTruth:
		return format.Boolean
	case !g.noWhole:
		return format.Int64
	case !g.noNumber:
		return format.Double
	}
	return format.ByteArray
}

// cell adds a cell, which is missing or has the type of the column.
func (f *field) cell(cell, decimal string) {
	trimmed := strings.TrimSpace(cell)
	switch {
	case trimmed == "" || f.kind != format.ByteArray && table.CodeOfMissing(trimmed):
		f.missing()
	case f.kind == format.Boolean:
		v, _ := truthOf(trimmed)
		f.truth(v)
	case f.kind == format.Int64:
		v, _ := wholeOf(trimmed)
		f.whole(v)
	case f.kind == format.Double:
		v, _ := numberOf(trimmed, decimal)
		f.number(v)
	default:
		f.text(table.Unguard(cell))
	}
}

// truthOf takes no other spellings: TRUE and T would read back as another text.
func truthOf(cell string) (v, ok bool) { return cell == "true", cell == "true" || cell == "false" }

// wholeOf reads a whole number that has no other spelling: not 007, +7 or -0.
func wholeOf(cell string) (int64, bool) {
	v, err := strconv.ParseInt(cell, 10, 64)
	return v, err == nil && !isCode(cell) && cell[0] != '+' && cell != "-0"
}

// numberOf reads a number. It rounds decimal fractions and numbers with an exponent, but no whole numbers: those can be
// identifiers, also where a program has written them with zero decimals.
func numberOf(cell, decimal string) (float64, bool) {
	switch cell {
	case "+Inf":
		return math.Inf(1), true
	case "-Inf":
		return math.Inf(-1), true
	}
	v, ok := table.ParseNumber(cell, decimal)
	if !ok || isCode(cell) {
		return v, false
	}
	digits, decimals, _ := strings.Cut(cell, decimal)
	if math.Abs(v) >= 1<<53 && strings.Trim(digits, "+-0123456789") == "" && strings.Trim(decimals, "0") == "" {
		whole, err := strconv.ParseInt(digits, 10, 64)
		return v, err == nil && math.Abs(v) < math.MaxInt64 && int64(v) == whole
	}
	return v, true
}

// isCode reports whether digits follow a zero at the start, as in 007.
func isCode(cell string) bool {
	digits := strings.TrimLeft(cell, "+-")
	return len(digits) > 1 && digits[0] == '0' && '0' <= digits[1] && digits[1] <= '9'
}
