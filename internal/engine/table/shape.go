package table

import (
	"archive/zip"
	"io"

	"taper/internal/engine/usererr"
)

// Shape is the size of a table: enough to estimate costs without its cells.
type Shape struct {
	Rows    int
	Columns []ColumnShape
}

// ColumnShape is what determines how many terms a column has in a model.
type ColumnShape struct {
	Name    string
	Numeric bool
	Missing bool
	Levels  int // number of distinct texts, where the column keeps them
}

// Shape returns the size of the table.
func (t *Table) Shape() Shape {
	s := Shape{Rows: t.Rows}
	for _, c := range t.Columns {
		s.Columns = append(s.Columns, ColumnShape{c.Name, c.Numeric(), c.Missing > 0, len(c.Levels)})
	}
	return s
}

// ShapeOf returns the size of a table with this many rows and these column profiles.
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

// Column returns the shape of a column by name; the zero value for an unknown name.
func (s Shape) Column(name string) ColumnShape {
	for _, c := range s.Columns {
		if c.Name == name {
			return c
		}
	}
	return ColumnShape{}
}

// Memory bounds the bytes of a table's columns: numbers, codes, and the texts of levels.
func (s Shape) Memory() (bytes int64) {
	for _, c := range s.Columns {
		bytes += 12*int64(s.Rows) + 64*int64(c.Levels)
	}
	return bytes
}

// readTimes bounds the memory for reading a file, including the file and its table, as a multiple of its size:
// cells of one digit come close to it. Short texts that are all different need more; that is reserved once they
// are counted.
const readTimes = 12

// ReadMemory bounds the memory for reading a file of this size. What a workbook unpacks to is reserved
// separately, once it is counted.
func ReadMemory(size int64) int64 { return readTimes * size }

// ReadAgain bounds the memory for reading again a file that has been read into this many rows with these
// profiles, so that its short texts are known. A text counts once per chunk of the file.
func ReadAgain(size int64, rows int, profiles []Profile) int64 {
	return ReadMemory(size) + max(textBytes*knownTexts(size, rows, profiles)-textsPaid(size), 0)
}

// MappedAgain is ReadAgain for a file that ReadInto reads.
func MappedAgain(size int64, lim Limits, rows int, profiles []Profile) int64 {
	return MappedMemory(size, lim) + textBytes*knownTexts(size, rows, profiles)
}

// knownTexts bounds the number of texts in the dictionaries of the chunks.
func knownTexts(size int64, rows int, profiles []Profile) (texts int64) {
	for _, p := range profiles {
		if p.Type != Number && p.Type != Integer {
			texts += min(int64(rows), int64(p.Distinct)*(1+size/chunkBytes))
		}
	}
	return texts
}

// WorkbookAgain is ReadAgain for a workbook. It relies on the unpacked sizes that the workbook states: one that
// understates them was refused when first read.
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

// ScanMemory bounds the memory for reading a file row by row: the file and its text.
func ScanMemory(size int64) int64 { return 4 * size }
