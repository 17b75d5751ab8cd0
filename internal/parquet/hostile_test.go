package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"taper/internal/engine/table"
)

// page is a page with the bytes of its body before compression; those of v2 start with levels that stay as they are.
type page struct {
	header format.PageHeader
	body   []byte
}

func v1(n int, e format.Encoding, body ...[]byte) page {
	h := format.PageHeader{Type: format.DataPage}
	h.DataPageHeader.Valid = true
	h.DataPageHeader.V = format.DataPageHeader{NumValues: int32(n), Encoding: e, DefinitionLevelEncoding: format.RLE,
		RepetitionLevelEncoding: format.RLE}
	return page{h, bytes.Join(body, nil)}
}

func v2(n int, e format.Encoding, levels int, body ...[]byte) page {
	h := format.PageHeader{Type: format.DataPageV2}
	h.DataPageHeaderV2.Valid = true
	h.DataPageHeaderV2.V = format.DataPageHeaderV2{NumValues: int32(n), NumRows: int32(n), Encoding: e,
		DefinitionLevelsByteLength: int32(levels)}
	return page{h, bytes.Join(body, nil)}
}

func dictionary(n int, e format.Encoding, body ...[]byte) page {
	h := format.PageHeader{Type: format.DictionaryPage}
	h.DictionaryPageHeader.Valid = true
	h.DictionaryPageHeader.V = format.DictionaryPageHeader{NumValues: int32(n), Encoding: e}
	return page{h, bytes.Join(body, nil)}
}

func element(kind format.Type, optional bool, length int) format.SchemaElement {
	e := format.SchemaElement{Name: "s"}
	e.Type.Valid, e.Type.V = true, kind
	e.RepetitionType.Valid = true
	if optional {
		e.RepetitionType.V = format.Optional
	}
	if length > 0 {
		e.TypeLength.Valid, e.TypeLength.V = true, int32(length)
		e.LogicalType.Value = &format.StringType{}
	}
	return e
}

// crafted is a file of one column with one row group per list of pages, which may claim anything.
func crafted(t testing.TB, column format.SchemaElement, codec format.CompressionCodec, groups ...[]page) []byte {
	t.Helper()
	var protocol thrift.CompactProtocol
	root := format.SchemaElement{Name: "root"}
	root.NumChildren.Valid, root.NumChildren.V = true, 1
	m := format.FileMetaData{Version: 1, Schema: []format.SchemaElement{root, column}}
	file := []byte(Magic)
	for _, pages := range groups {
		c := format.ColumnMetaData{Type: column.Type.V, Codec: codec, PathInSchema: []string{column.Name},
			Encoding: []format.Encoding{format.Plain}}
		start := int64(len(file))
		c.DataPageOffset = start
		for i, p := range pages {
			levels := int(p.header.DataPageHeaderV2.V.DefinitionLevelsByteLength)
			packed := p.body
			if codec == format.Zstd {
				z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
				if err != nil {
					t.Fatal(err)
				}
				packed = z.EncodeAll(p.body[levels:], slices.Clone(p.body[:levels]))
			}
			p.header.UncompressedPageSize, p.header.CompressedPageSize = int32(len(p.body)), int32(len(packed))
			head, err := thrift.Marshal(&protocol, &p.header)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 && p.header.Type == format.DictionaryPage {
				c.DictionaryPageOffset = start
				c.DataPageOffset = start + int64(len(head)+len(packed))
			}
			file = append(append(file, head...), packed...)
			c.NumValues += int64(p.header.DataPageHeader.V.NumValues + p.header.DataPageHeaderV2.V.NumValues)
		}
		c.TotalCompressedSize = int64(len(file)) - start
		c.TotalUncompressedSize = c.TotalCompressedSize
		m.RowGroups = append(m.RowGroups, format.RowGroup{NumRows: c.NumValues,
			Columns: []format.ColumnChunk{{MetaData: c}}})
		m.NumRows += c.NumValues
	}
	return withFooter(t, file, &m)
}

func withFooter(t testing.TB, file []byte, m *format.FileMetaData) []byte {
	t.Helper()
	var protocol thrift.CompactProtocol
	footer, err := thrift.Marshal(&protocol, m)
	if err != nil {
		t.Fatal(err)
	}
	file = append(file, footer...)
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(footer))), Magic...)
}

// run is a repeated value of the hybrid encoding.
func run(count uint64, value ...byte) []byte {
	return append(binary.AppendUvarint(nil, count<<1), value...)
}

// sized is preceded by its length, as levels are in pages of version 1.
func sized(b []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(b))), b...)
}

// equal are count numbers in DELTA_BINARY_PACKED, which differ from one another by step.
func equal(count uint64, first, step int64) []byte {
	b := binary.AppendUvarint(nil, 128)
	b = binary.AppendUvarint(b, 4)
	b = binary.AppendUvarint(b, count)
	b = binary.AppendVarint(b, first)
	for left := int64(min(count, 1<<20)) - 1; left > 0; left -= 128 {
		b = append(binary.AppendVarint(b, step), 0, 0, 0, 0)
	}
	return b
}

// packed32 are numbers in DELTA_BINARY_PACKED in one block of 32 bits each.
func packed32(values ...int32) []byte {
	b := binary.AppendUvarint(nil, 128)
	b = binary.AppendUvarint(b, 4)
	b = binary.AppendUvarint(b, uint64(len(values)))
	b = binary.AppendVarint(b, int64(values[0]))
	b = append(b, 0, 32, 0, 0, 0)
	for i, v := range values[1:] {
		b = binary.LittleEndian.AppendUint32(b, uint32(v-values[i]))
	}
	return append(b, make([]byte, 4*(32-len(values)+1))...)
}

// hostileFiles claim more than they have, each in one place.
func hostileFiles(t testing.TB) map[string][]byte {
	const n = 100
	bytesOf, ints := element(format.ByteArray, false, 0), element(format.Int32, false, 0)
	optional := element(format.Int32, true, 0)
	many := uint64(200_000_000)
	plain := make([]byte, 4*n)
	lying := v1(n, format.RLEDictionary, []byte{0}, run(n))
	lying.header.DictionaryPageHeader.Valid = true
	lying.header.DictionaryPageHeader.V.NumValues = 100_000_000
	bitPacked := v1(n, format.Plain, sized(make([]byte, 5_000_000)), plain)
	bitPacked.header.DataPageHeader.V.DefinitionLevelEncoding = format.BitPacked
	second := crafted(t, bytesOf, format.Zstd, []page{v1(1, format.Plain, sized(nil))},
		[]page{v1(1, format.Plain, sized(make([]byte, 80<<20)))})

	return map[string][]byte{
		"prefixes": crafted(t, bytesOf, format.Uncompressed, []page{v1(n, format.DeltaByteArray,
			equal(n, 20_000_000, 0), equal(n, 1, 0), make([]byte, n))}),
		// In 32 bits, in which the library adds, the 4 GB of these prefixes are 4 MB.
		"prefixes that overflow": crafted(t, bytesOf, format.Zstd, []page{v1(16_392, format.DeltaByteArray,
			equal(16_392, 0, 32), equal(16_392, 32, 0), make([]byte, 32*16_392))}),
		// Such prefixes are longer than the value before them, which the library does not notice.
		"prefix of the value before the last": crafted(t, bytesOf, format.Uncompressed, []page{v1(3, format.DeltaByteArray,
			packed32(0, 0, 4), packed32(3, 1, 0), []byte("abcd"))}),
		"prefixes of fixed length": crafted(t, element(format.FixedLenByteArray, false, 9), format.Uncompressed,
			[]page{v1(n, format.DeltaByteArray, equal(n, 20_000_000, 0), equal(n, 1, 0), make([]byte, n))}),
		"suffixes": crafted(t, bytesOf, format.Uncompressed, []page{v1(n, format.DeltaByteArray,
			equal(n, 0, 0), equal(n, 20_000_000, 0), make([]byte, n))}),
		"count of prefixes": crafted(t, bytesOf, format.Uncompressed, []page{v1(n, format.DeltaByteArray,
			equal(many, 0, 0), equal(n, 1, 0), make([]byte, n))}),
		"count of suffixes": crafted(t, bytesOf, format.Uncompressed, []page{v2(n, format.DeltaByteArray, 0,
			equal(n, 0, 0), equal(many, 1, 0), make([]byte, n))}),
		"count of lengths": crafted(t, bytesOf, format.Zstd, []page{v1(n, format.DeltaLengthByteArray,
			equal(many, 0, 0))}),
		"count of differences": crafted(t, ints, format.Zstd, []page{v2(n, format.DeltaBinaryPacked, 0,
			equal(many, 0, 0))}),
		"count of wide differences": crafted(t, element(format.Int64, false, 0), format.Uncompressed,
			[]page{v1(n, format.DeltaBinaryPacked, equal(many, 0, 0))}),
		"indexes": crafted(t, ints, format.Zstd, []page{dictionary(1, format.Plain, make([]byte, 4)),
			v1(n, format.RLEDictionary, []byte{1}, run(many, 0))}),
		"indexes of no bits": crafted(t, ints, format.Uncompressed, []page{dictionary(1, format.Plain, make([]byte, 4)),
			v2(n, oldDictionary, 0, []byte{0}, binary.AppendUvarint(nil, many/8<<1|1))}),
		"packed indexes": crafted(t, ints, format.Zstd, []page{dictionary(1, format.Plain, make([]byte, 4)),
			v1(n, format.RLEDictionary, []byte{1}, binary.AppendUvarint(nil, 5_000_000<<1|1), make([]byte, 5_000_000))}),
		"truth values": crafted(t, element(format.Boolean, false, 0), format.Uncompressed, []page{
			v1(n, format.RLE, sized(run(8*many, 0)))}),
		"levels": crafted(t, optional, format.Zstd, []page{v1(n, format.Plain, sized(run(many, 0)))}),
		"levels of version 2": crafted(t, optional, format.Zstd, []page{
			v2(n, format.Plain, len(run(many, 0)), run(many, 0))}),
		"packed levels": crafted(t, optional, format.Zstd, []page{bitPacked}),
		"long values": crafted(t, element(format.FixedLenByteArray, false, math.MaxInt32/n), format.Uncompressed,
			[]page{v1(n, format.ByteStreamSplit, plain)}),
		"long values of a dictionary": crafted(t, element(format.FixedLenByteArray, false, math.MaxInt32/n),
			format.Uncompressed, []page{dictionary(n, format.Plain, plain), v1(n, format.RLEDictionary, []byte{0}, run(n))}),
		"prefixes of a dictionary": crafted(t, bytesOf, format.Uncompressed, []page{dictionary(n, format.DeltaByteArray,
			equal(n, 20_000_000, 0), equal(n, 1, 0), make([]byte, n)), v1(n, format.RLEDictionary, []byte{0}, run(n))}),
		"dictionary in the header of another page": crafted(t, bytesOf, format.Uncompressed, []page{lying}),
		"second codec":    withCodec(t, second, format.Uncompressed),
		"runs of numbers": crafted(t, ints, format.Uncompressed, []page{v1(n, format.RLE, run(many, 1))}),
	}
}

// withCodec changes what the last row group of a file says about its compression. Its pages stay.
func withCodec(t testing.TB, file []byte, codec format.CompressionCodec) []byte {
	t.Helper()
	var protocol thrift.CompactProtocol
	var m format.FileMetaData
	footer := len(file) - 8 - int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	if err := thrift.Unmarshal(&protocol, file[footer:len(file)-8], &m); err != nil {
		t.Fatal(err)
	}
	m.RowGroups[len(m.RowGroups)-1].Columns[0].MetaData.Codec = codec
	return withFooter(t, file[:footer], &m)
}

// TestHostilePages: what a page claims to decode to is compared with its values before memory is taken for it.
func TestHostilePages(t *testing.T) {
	for name, file := range hostileFiles(t) {
		t.Run(name, func(t *testing.T) {
			refusedCheaply(t, file, 64<<20)
		})
	}
}

func refusedCheaply(t *testing.T, file []byte, most uint64) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := CSV(t.Context(), bytes.NewReader(file), int64(len(file)), table.DefaultLimits)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "as CSV UTF-8") {
		t.Errorf("%d bytes of CSV, %v", len(got), err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > most {
		t.Errorf("%d bytes were allocated (%v)", took, err)
	}
}

// TestHostileFooter: columns inside of columns, and more columns than a row group has, are refused by the footer alone.
func TestHostileFooter(t *testing.T) {
	nested := format.FileMetaData{Schema: make([]format.SchemaElement, 8000)}
	for i := range nested.Schema[:7999] {
		nested.Schema[i].NumChildren.Valid, nested.Schema[i].NumChildren.V = true, 1
	}
	wide := format.FileMetaData{Schema: make([]format.SchemaElement, 1+6000), RowGroups: make([]format.RowGroup, 6000)}
	wide.Schema[0].NumChildren.Valid, wide.Schema[0].NumChildren.V = true, 6000
	for i := range wide.Schema[1:] {
		wide.Schema[1+i] = element(format.Int32, false, 0)
	}
	for name, m := range map[string]*format.FileMetaData{"nested": &nested, "wide": &wide} {
		t.Run(name, func(t *testing.T) {
			file := withFooter(t, []byte(Magic), m)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := CSV(t.Context(), bytes.NewReader(file), int64(len(file)), table.DefaultLimits)
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 32<<20 {
				t.Errorf("%d bytes were allocated for a file of %d (%v)", took, len(file), err)
			}
		})
	}
}

// TestOffsets: an offset of the dictionary after the pages leads to the pages there, which are checked like others.
func TestOffsets(t *testing.T) {
	column := element(format.ByteArray, false, 0)
	honest := crafted(t, column, format.Uncompressed, []page{v1(1, format.Plain, sized([]byte("a long value")))})
	hostile := crafted(t, column, format.Uncompressed, []page{v1(1, format.DeltaLengthByteArray,
		equal(200_000_000, 0, 0)[:9])})
	var protocol thrift.CompactProtocol
	var m, other format.FileMetaData
	body := func(file []byte, m *format.FileMetaData) []byte {
		footer := len(file) - 8 - int(binary.LittleEndian.Uint32(file[len(file)-8:]))
		if err := thrift.Unmarshal(&protocol, file[footer:len(file)-8], m); err != nil {
			t.Fatal(err)
		}
		return file[:footer]
	}
	file := body(honest, &m)
	c := &m.RowGroups[0].Columns[0].MetaData
	c.DictionaryPageOffset = int64(len(file))
	second := body(hostile, &other)[len(Magic):]
	file = append(append(slices.Clone(file), second...), make([]byte, 64)...)
	refusedCheaply(t, withFooter(t, file, &m), 64<<20)
}

// TestEncodings reads what the checks walk over: every encoding of values and levels, with missing values in between.
func TestEncodings(t *testing.T) {
	words := equal(3, 0, 1) // prefixes 0, 1, 2
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	two := crafted(t, element(format.ByteArray, false, 0), format.Uncompressed, []page{v1(1, format.Plain, sized([]byte("a")))},
		[]page{v1(1, format.Plain, z.EncodeAll(sized([]byte("b")), nil))})
	nulls := v2(4, format.DeltaLengthByteArray, 4, []byte{2, 0, 6, 1}, equal(3, 1, 1), []byte("abbccc"))
	nulls.header.DataPageHeaderV2.V.NumNulls = 1
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"prefixes": {crafted(t, element(format.ByteArray, false, 0), format.Zstd, []page{v1(3, format.DeltaByteArray,
			words, equal(3, 1, 0), []byte("abc"))}), "s\na\nab\nabc\n"},
		"lengths": {crafted(t, element(format.ByteArray, true, 0), format.Zstd, []page{nulls}), "s\n\"\"\na\nbb\nccc\n"},
		"packed levels": {crafted(t, element(format.Int32, true, 0), format.Zstd, []page{v1(3, format.DeltaBinaryPacked,
			sized([]byte{3, 5}), equal(2, 7, -1))}), "s\n7\n\"\"\n6\n"},
		"a codec per row group": {withCodec(t, two, format.Zstd), "s\na\nb\n"},
		"truth values": {crafted(t, element(format.Boolean, false, 0), format.Uncompressed, []page{v1(3, format.RLE,
			sized([]byte{3, 5}))}), "s\ntrue\nfalse\ntrue\n"},
		"indexes": {crafted(t, element(format.Int32, false, 0), format.Zstd, []page{
			dictionary(2, format.Plain, []byte{1, 0, 0, 0, 2, 0, 0, 0}),
			v1(10, format.RLEDictionary, []byte{1}, run(2, 1), []byte{3, 5})}), "s\n2\n2\n2\n1\n2\n1\n1\n1\n1\n1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := text(c.file); err != nil || got != c.want {
				t.Errorf("%q %v", got, err)
			}
		})
	}
}
