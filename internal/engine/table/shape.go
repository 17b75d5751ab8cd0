package table

import (
	"archive/zip"
	"io"

	"taper/internal/engine/usererr"
)

// Shape is the size of a table, from which costs are estimated without its cells.
type Shape struct {
	Rows    int
	Columns []ColumnShape
}

// ColumnShape is what decides how many terms a column has in a model.
type ColumnShape struct {
	Name    string
	Numeric bool
	Missing bool
	Levels  int // distinct texts, where the column keeps them
}

// Shape is that of a table.
func (t *Table) Shape() Shape {
	s := Shape{Rows: t.Rows}
	for _, c := range t.Columns {
		s.Columns = append(s.Columns, ColumnShape{c.Name, c.Numeric(), c.Missing > 0, len(c.Levels)})
	}
	return s
}

// ShapeOf is that of a table of so many rows whose columns have these profiles.
func ShapeOf(rows int, profiles []Profile) Shape {
	s := Shape{Rows: rows}
	for _, p := range profiles {
		numeric := p.Type == Number || p.Type == Integer || p.Type == Date
		levels := p.Distinct
		if numeric && levels > MaxLevels {
			levels = 0
		}
		s.Columns = append(s.Columns, ColumnShape{p.Name, numeric, p.Missing > 0, levels})
	}
	return s
}

// Column is that of a name; the zero value where there is none.
func (s Shape) Column(name string) ColumnShape {
	for _, c := range s.Columns {
		if c.Name == name {
			return c
		}
	}
	return ColumnShape{}
}

// Memory is about what the columns of a table take at most, in bytes: numbers, codes, and the
// texts of their levels.
func (s Shape) Memory() (bytes int64) {
	for _, c := range s.Columns {
		bytes += 12*int64(s.Rows) + 64*int64(c.Levels)
	}
	return bytes
}

// readTimes is how many times its own size a file takes at most while it is read, with the file itself
// and the table that it becomes: cells of one digit come near. Texts of a few letters that are all different
// take more, which is held as soon as they are counted.
const readTimes = 12

// ReadMemory is what reading a file of so many bytes takes at most. What a workbook unpacks to is held
// where it is read, as soon as it is counted.
func ReadMemory(size int64) int64 { return readTimes * size }

// ReadAgain is what reading a file of so many bytes takes at most that was read before into so many rows with
// these profiles: its short texts are known, too. A text counts in each piece of the file that has it.
func ReadAgain(size int64, rows int, profiles []Profile) int64 {
	return ReadMemory(size) + max(textBytes*knownTexts(size, rows, profiles)-textsPaid(size), 0)
}

// knownTexts bounds the texts in the dictionaries of the pieces of a file.
func knownTexts(size int64, rows int, profiles []Profile) (texts int64) {
	for _, p := range profiles {
		if p.Type != Number && p.Type != Integer {
			texts += min(int64(rows), int64(p.Distinct)*(1+size/chunkBytes))
		}
	}
	return texts
}

// WorkbookAgain is the same of a workbook that was read before, by what its parts say they unpack to: one that
// says less than it holds was refused then.
func WorkbookAgain(file io.ReaderAt, size int64, rows int, profiles []Profile) (int64, error) {
	z, err := zip.NewReader(file, size)
	if err != nil {
		return 0, usererr.New(usererr.Invalid, excelSentence)
	}
	unpacked := size
	for _, f := range z.File {
		unpacked += int64(f.UncompressedSize64)
	}
	return workbookTimes*unpacked + textBytes*knownTexts(unpacked, rows, profiles), nil
}

// ScanMemory is what reading a file of so many bytes row by row takes at most: the file, and its text.
func ScanMemory(size int64) int64 { return 4 * size }
