package parquet

import (
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A row group ends at the rows that DuckDB writes to one, or earlier at the bytes that a column may need in memory.
const (
	groupRows  = 122_880
	groupBytes = 64 << 20
)

// field is a column while it is written. It can miss values.
type field struct {
	name    string
	kind    format.Type // Boolean, Int64, Double or ByteArray, which is a text
	present []byte      // 1 for a value, 0 for a missing one, of each row of the row group
	data    []byte      // the values in the encoding PLAIN
	values  int
}

func (f *field) add(present byte) {
	f.present = append(f.present, present)
	f.values += int(present)
}

func (f *field) missing() { f.add(0) }

func (f *field) truth(v bool) {
	f.data = plain.AppendBoolean(f.data, f.values, v)
	f.add(1)
}

func (f *field) whole(v int64) {
	f.data = plain.AppendInt64(f.data, v)
	f.add(1)
}

func (f *field) number(v float64) {
	f.data = plain.AppendDouble(f.data, v)
	f.add(1)
}

func (f *field) text(v string) {
	f.data = plain.AppendByteArrayString(f.data, v)
	f.add(1)
}

// file writes a Parquet file of one table: row groups with a page for each column, compressed by Zstandard.
type file struct {
	out    io.Writer
	at     int64
	fields []*field
	rows   int // of the row group
	zip    *zstd.Encoder
	packed []byte // memory of the last page, compressed
	body   []byte // and before
	meta   format.FileMetaData
}

func newFile(out io.Writer, fields []*field) (*file, error) {
	zip, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	w := &file{out: out, fields: fields, zip: zip, meta: format.FileMetaData{Version: 1, CreatedBy: "Taper"}}
	root := format.SchemaElement{Name: "table", NumChildren: thrift.New(int32(len(fields)))}
	w.meta.Schema = append(w.meta.Schema, root)
	for _, f := range fields {
		e := format.SchemaElement{Name: f.name, Type: thrift.New(f.kind), RepetitionType: thrift.New(format.Optional)}
		if f.kind == format.ByteArray {
			e.LogicalType.Value = &format.StringType{}
			e.ConvertedType = thrift.New(deprecated.UTF8)
		}
		w.meta.Schema = append(w.meta.Schema, e)
	}
	return w, w.write([]byte(Magic))
}

func (w *file) write(b []byte) error {
	n, err := w.out.Write(b)
	w.at += int64(n)
	return err
}

// endRow is called when each field has a value more, or a missing one.
func (w *file) endRow() error {
	w.rows++
	size := w.rows * len(w.fields)
	for _, f := range w.fields {
		size += len(f.data)
	}
	if w.rows == groupRows || size >= groupBytes {
		return w.endGroup()
	}
	return nil
}

func (w *file) endGroup() error {
	if w.rows == 0 {
		return nil
	}
	g := format.RowGroup{NumRows: int64(w.rows), FileOffset: w.at, Ordinal: int16(len(w.meta.RowGroups))}
	for _, f := range w.fields {
		c, err := w.chunk(f)
		if err != nil {
			return err
		}
		g.Columns = append(g.Columns, format.ColumnChunk{FileOffset: c.DataPageOffset, MetaData: c})
		g.TotalByteSize += c.TotalUncompressedSize
		g.TotalCompressedSize += c.TotalCompressedSize
		f.present, f.data, f.values = f.present[:0], f.data[:0], 0
	}
	w.meta.RowGroups = append(w.meta.RowGroups, g)
	w.meta.NumRows += int64(w.rows)
	w.rows = 0
	return nil
}

// chunk writes the values of a column as one page.
func (w *file) chunk(f *field) (c format.ColumnMetaData, err error) {
	levels, err := (&rle.Encoding{BitWidth: 1}).EncodeLevels(nil, f.present)
	if err != nil {
		return c, err
	}
	w.body = append(binary.LittleEndian.AppendUint32(w.body[:0], uint32(len(levels))), levels...)
	w.body = append(w.body, f.data...)
	w.packed = w.zip.EncodeAll(w.body, w.packed[:0])
	body, packed := w.body, w.packed
	h := format.PageHeader{Type: format.DataPage, UncompressedPageSize: int32(len(body)),
		CompressedPageSize: int32(len(packed)),
		DataPageHeader: thrift.New(format.DataPageHeader{NumValues: int32(len(f.present)), Encoding: format.Plain,
			DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE})}
	var protocol thrift.CompactProtocol
	head, err := thrift.Marshal(&protocol, &h)
	if err != nil {
		return c, err
	}
	c = format.ColumnMetaData{Type: f.kind, Codec: format.Zstd, PathInSchema: []string{f.name},
		Encoding: []format.Encoding{format.Plain, format.RLE}, NumValues: int64(len(f.present)), DataPageOffset: w.at,
		TotalUncompressedSize: int64(len(head) + len(body)), TotalCompressedSize: int64(len(head) + len(packed))}
	c.Statistics.NullCount = int64(len(f.present) - f.values)
	if err := w.write(head); err != nil {
		return c, err
	}
	return c, w.write(packed)
}

// close writes what is left and the footer.
func (w *file) close() error {
	if err := w.endGroup(); err != nil {
		return err
	}
	var protocol thrift.CompactProtocol
	footer, err := thrift.Marshal(&protocol, &w.meta)
	if err != nil {
		return err
	}
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return w.write(append(footer, Magic...))
}
