// Package parquet converts a Parquet file into CSV text, and the text of a table into Parquet. Only the commands import
// it: they read the files of their own user. The server does not, because a few bytes of Parquet can unpack to
// gigabytes, and the cost of a request must be known beforehand (docs/limits.md). What a file claims is checked before
// memory is taken for it.
package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
)

// Magic are the first four bytes of a Parquet file; those of a file with an encrypted footer end in E.
const Magic = "PAR1"

const (
	mostFooter   = 32 << 20 // bytes of the footer: 2,000 columns in 100 row groups have about 20 MB
	mostUnpacked = 1 << 30  // bytes of the pages that are open at the same time
	batch        = 512      // rows between two looks at the context
)

// remedy ends every refusal: what to do is one of these, or to save the table as CSV.
type remedy string

const (
	sendAgain remedy = "Copy the file again from where it was made"
	decrypt   remedy = "Write the file without encryption"
	compress  remedy = "Write the file with one of these"
	leaveOut  remedy = "Leave this column out of the file"
	inParts   remedy = "Write the file with smaller row groups"
	inOne     remedy = "Write the table into one file"
)

func refuse(do remedy, sentence string, args ...any) error {
	return usererr.New(usererr.Invalid, "%s %s, or save the table as CSV UTF-8.", usererr.Sprintf(sentence, args...), do)
}

// Is reports whether a file starts as Parquet does.
func Is(start []byte) bool {
	return bytes.HasPrefix(start, []byte(Magic)) || bytes.HasPrefix(start, []byte("PARE"))
}

// CSV returns the table of a Parquet file as comma-separated UTF-8 text with a line of names. Missing values and NaN
// are empty cells.
func CSV(ctx context.Context, file io.ReaderAt, size int64, lim table.Limits) (text []byte, err error) {
	// The library's encodings panic on some damaged pages.
	defer func() {
		if r := recover(); r != nil {
			text, err = nil, refuse(sendAgain, "The Parquet file is damaged (%v).", r)
		}
	}()
	if size > lim.Bytes {
		return nil, usererr.New(usererr.TooLarge, "The file has %s bytes: the limit is %s."+
			" Leave out columns or rows, or start Taper with a higher -max-bytes.", phrase.Int(int(size)),
			phrase.Int(int(lim.Bytes)))
	}
	m, err := footer(file, size)
	if err != nil {
		return nil, err
	}
	if n := len(m.Schema) - 1; n > lim.Columns {
		return nil, usererr.New(usererr.TooLarge, "The file has %s columns: the limit is %s."+
			" Leave out columns, or start Taper with a higher -max-columns.", phrase.Int(n), phrase.Int(lim.Columns))
	}
	columns, err := columnsOf(m)
	if err != nil {
		return nil, err
	}
	if err := checkShape(m, lim); err != nil {
		return nil, err
	}
	if err := checkPages(file, size, m); err != nil {
		return nil, err
	}
	w := &writer{limit: lim.Bytes}
	for i, c := range columns {
		w.cell([]byte(c.name), i == 0)
	}
	w.line(len(columns))
	before := int64(0)
	for i := range m.RowGroups {
		if err := writeRows(ctx, w, file, &m.RowGroups[i], columns, before); err != nil {
			return nil, err
		}
		before += m.RowGroups[i].NumRows
	}
	return w.text, nil
}

// footer reads what a file says about its columns.
func footer(file io.ReaderAt, size int64) (*format.FileMetaData, error) {
	var head [4]byte
	var tail [8]byte
	if size < int64(len(head)+len(tail)) {
		return nil, refuse(sendAgain, "The Parquet file is cut short.")
	}
	if _, err := file.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	if _, err := file.ReadAt(tail[:], size-int64(len(tail))); err != nil {
		return nil, err
	}
	if string(head[:]) == "PARE" || string(tail[4:]) == "PARE" {
		return nil, refuse(decrypt, "The Parquet file is encrypted.")
	}
	if string(head[:]) != Magic || string(tail[4:]) != Magic {
		return nil, refuse(sendAgain, "The Parquet file is cut short.")
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if length > size-int64(len(head)+len(tail)) || length > mostFooter {
		return nil, refuse(sendAgain, "The Parquet file is damaged: its footer claims %s bytes.", phrase.Int(int(length)))
	}
	text := make([]byte, length)
	if _, err := file.ReadAt(text, size-int64(len(tail))-length); err != nil {
		return nil, err
	}
	if _, err := structure(text); err != nil {
		return nil, refuse(sendAgain, "The Parquet file is damaged: %v.", err)
	}
	m := new(format.FileMetaData)
	var protocol thrift.CompactProtocol
	err := thrift.Unmarshal(&protocol, text, m)
	if err == nil && len(m.Schema) == 0 {
		err = errors.New("it has no schema")
	}
	if err != nil {
		return nil, refuse(sendAgain, "The Parquet file cannot be opened (%v).", err)
	}
	return m, nil
}

// checkShape compares the claims of the footer with one another and with the limits.
func checkShape(m *format.FileMetaData, lim table.Limits) error {
	columns, rows := len(m.Schema)-1, int64(0)
	for _, g := range m.RowGroups {
		if g.NumRows < 0 || g.NumRows > m.NumRows || len(g.Columns) != columns {
			return refuse(sendAgain, "The Parquet file is damaged: a row group claims %d rows of %d.", g.NumRows, m.NumRows)
		}
		rows += g.NumRows
	}
	switch {
	case rows != m.NumRows:
		return refuse(sendAgain, "The Parquet file is damaged: it claims %d rows, and its row groups %d.", m.NumRows, rows)
	case rows > int64(lim.Rows):
		return usererr.New(usererr.TooLarge, "The file has %s rows: the limit is %s."+
			" Leave out rows, or start Taper with a higher -max-rows.", phrase.Int(int(rows)),
			phrase.Int(lim.Rows))
	case rows*int64(columns) > lim.Bytes: // every cell takes at least its comma
		return tooLong(lim.Bytes)
	}
	return nil
}

func tooLong(limit int64) error {
	return usererr.New(usererr.TooLarge, "The file has more than %s bytes as CSV, which is the limit.",
		phrase.Int(int(limit)))
}

// writeRows appends the rows of a group. Each column holds one page at a time, and the text of one batch.
// The rows before it are counted, for errors.
func writeRows(ctx context.Context, w *writer, file io.ReaderAt, g *format.RowGroup, columns []column,
	before int64) error {
	chunks := make([]*chunk, len(columns))
	texts, ends := make([][]byte, len(columns)), make([][]int, len(columns))
	for i := range columns {
		chunks[i] = chunkOf(file, &g.Columns[i].MetaData, columns[i].form)
	}
	for left := g.NumRows; left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := int(min(left, batch))
		left -= int64(n)
		whole := int64(len(w.text)) // with the columns of the batch that are read
		for i := range columns {
			texts[i], ends[i] = texts[i][:0], ends[i][:0]
			err := chunks[i].read(n, func(v value) (err error) {
				// A short dictionary can hold a value of gigabytes for every row. It is measured before it is copied.
				if size := whole + int64(len(texts[i])); size+int64(len(v.bytes)) > w.limit {
					return tooLong(w.limit)
				}
				if !v.missing {
					texts[i], err = columns[i].text(texts[i], v)
				}
				ends[i] = append(ends[i], len(texts[i]))
				if err != nil {
					return refuse(leaveOut, "Column %q of the Parquet file cannot be read: its value in row %s %v.",
						columns[i].name, phrase.Int(int(before)+len(ends[i])), err)
				}
				return nil
			})
			if errors.Is(err, io.EOF) {
				err = errors.New("its values end too early")
			}
			if user := (*usererr.Error)(nil); err != nil && !errors.As(err, &user) {
				return refuse(sendAgain, "Column %q of the Parquet file is damaged: %v.", columns[i].name, err)
			} else if err != nil {
				return err
			}
			whole += int64(len(texts[i]))
		}
		before += int64(n)
		for row := range n {
			for i := range columns {
				from := 0
				if row > 0 {
					from = ends[i][row-1]
				}
				w.cell(texts[i][from:ends[i][row]], i == 0)
			}
			w.line(len(columns))
		}
		if int64(len(w.text)) > w.limit {
			return tooLong(w.limit)
		}
	}
	return nil
}

// writer builds CSV text.
type writer struct {
	text  []byte
	start int // of the line
	limit int64
}

func (w *writer) cell(b []byte, first bool) {
	if !first {
		w.text = append(w.text, ',')
	}
	if !bytes.ContainsAny(b, ",;|\t\"\r\n") && (len(b) == 0 || b[0] != ' ' && b[len(b)-1] != ' ') {
		w.text = append(w.text, b...)
		return
	}
	w.text = append(w.text, '"')
	w.text = append(w.text, bytes.ReplaceAll(b, []byte(`"`), []byte(`""`))...)
	w.text = append(w.text, '"')
}

// line ends a line. An empty cell that is alone is quoted, as an empty line is no row.
func (w *writer) line(columns int) {
	if columns == 1 && len(w.text) == w.start {
		w.text = append(w.text, `""`...)
	}
	w.text = append(w.text, '\n')
	w.start = len(w.text)
}

var codecs = []format.CompressionCodec{format.Uncompressed, format.Snappy, format.Gzip, format.Zstd}

// checkPages reads every page header, and unpacks compressed pages without keeping them, before memory is taken for
// what a header claims.
func checkPages(file io.ReaderAt, size int64, m *format.FileMetaData) error {
	for _, g := range m.RowGroups {
		open := int64(0)
		for i := range g.Columns {
			c := &g.Columns[i].MetaData
			name := m.Schema[i+1].Name
			if g.Columns[i].FilePath != "" {
				return refuse(inOne, "Column %q of the Parquet file is in another file.", name)
			}
			if !slices.Contains(codecs, c.Codec) {
				return refuse(compress, "Column %q of the Parquet file is compressed with %v. Taper reads columns without "+
					"compression or with Snappy, gzip or Zstandard.", name, c.Codec)
			}
			largest, err := checkChunk(file, size, c, g.NumRows, formOf(&m.Schema[i+1]))
			if err != nil {
				return refuse(sendAgain, "Column %q of the Parquet file is damaged: %v.", name, err)
			}
			if open += largest; open > mostUnpacked {
				return refuse(inParts, "The pages of the Parquet file are too large: those read at the same time unpack to "+
					"%s bytes or more, and the limit is %s.", phrase.Int(int(open)), phrase.Int(mostUnpacked))
			}
		}
	}
	return nil
}
