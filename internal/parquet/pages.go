package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/bitpacked"
	"github.com/parquet-go/parquet-go/encoding/bytestreamsplit"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"
)

// The library's packages of encodings decode the pages. Its package parquet is not imported outside of tests: with
// schemas of Go types and Protocol Buffers, LZ4 and Brotli it makes the program 3 MB larger.
var (
	encodings = map[format.Encoding]encoding.Encoding{
		format.Plain:                &plain.Encoding{},
		format.RLE:                  &rle.Encoding{BitWidth: 1},
		format.DeltaBinaryPacked:    &delta.BinaryPackedEncoding{},
		format.DeltaLengthByteArray: &delta.LengthByteArrayEncoding{},
		format.DeltaByteArray:       &delta.ByteArrayEncoding{},
		format.ByteStreamSplit:      &bytestreamsplit.Encoding{},
	}
	levelEncodings = map[format.Encoding]encoding.Encoding{
		format.RLE:       &rle.Encoding{BitWidth: 1},
		format.BitPacked: &bitpacked.Encoding{BitWidth: 1},
	}
	indexEncoding rle.DictionaryEncoding
)

// value is a value of a column.
type value struct {
	missing bool
	bits    uint64 // of a truth value or a number; an integer of 32 bits has its sign in all of them
	bytes   []byte // of other types
}

// values are the decoded values of a page or a dictionary.
type values struct {
	form
	n       int
	data    []byte
	offsets []uint32 // where texts start and end in data
	own     []byte   // memory of data that is not that of the page
}

func (v *values) at(i int) value {
	switch v.kind {
	case format.Boolean:
		return value{bits: uint64(v.data[i/8] >> (i % 8) & 1)}
	case format.Int32:
		return value{bits: uint64(int64(int32(binary.LittleEndian.Uint32(v.data[4*i:]))))}
	case format.Float:
		return value{bits: uint64(binary.LittleEndian.Uint32(v.data[4*i:]))}
	case format.Int64, format.Double:
		return value{bits: binary.LittleEndian.Uint64(v.data[8*i:])}
	case format.ByteArray:
		return value{bytes: v.data[v.offsets[i]:v.offsets[i+1]]}
	}
	w := int(v.width())
	return value{bytes: v.data[w*i : w*(i+1)]}
}

// decode decodes n values at least. Plain values stay in the memory of the page, which is overwritten.
func (v *values) decode(e format.Encoding, page []byte, n int) (err error) {
	as, known := encodings[e]
	if !known || e == format.RLE && v.kind != format.Boolean { // of other kinds its runs were not checked
		return fmt.Errorf("a page has the encoding %v", e)
	}
	into := v.own[:0]
	if e == format.Plain {
		into = page[:0]
	}
	var to encoding.Values
	v.data, v.n = nil, 0
	switch v.kind {
	case format.Boolean:
		to, err = encoding.DecodeBoolean(encoding.BooleanValues(into), page, as)
	case format.Int32:
		to, err = encoding.DecodeInt32(encoding.Int32ValuesFromBytes(into), page, as)
	case format.Int64:
		to, err = encoding.DecodeInt64(encoding.Int64ValuesFromBytes(into), page, as)
	case format.Int96:
		to, err = encoding.DecodeInt96(encoding.Int96ValuesFromBytes(into), page, as)
	case format.Float:
		to, err = encoding.DecodeFloat(encoding.FloatValuesFromBytes(into), page, as)
	case format.Double:
		to, err = encoding.DecodeDouble(encoding.DoubleValuesFromBytes(into), page, as)
	case format.ByteArray:
		to, err = encoding.DecodeByteArray(encoding.ByteArrayValues(into, slices.Grow(v.offsets[:0], n+1)), page, as)
	case format.FixedLenByteArray:
		to, err = encoding.DecodeFixedLenByteArray(encoding.FixedLenByteArrayValues(into, int(v.length)), page, as)
	}
	if err != nil {
		return err
	}
	v.data, v.offsets = to.Data()
	if e != format.Plain {
		v.own = v.data
	}
	switch v.kind {
	case format.Boolean:
		v.n = 8 * len(v.data)
	case format.Int32, format.Float:
		v.n = len(v.data) / 4
	case format.ByteArray:
		v.n = len(v.offsets) - 1
	default:
		v.n = len(v.data) / int(v.width())
	}
	if v.n < n {
		return errFew
	}
	return nil
}

var errFew = errors.New("a page has fewer values than it claims")

// chunk reads the values of one column of one row group, a page at a time.
type chunk struct {
	file         io.ReaderAt
	at, end      int64
	codec        format.CompressionCodec
	packed, page []byte // bytes of a page before and after they are unpacked
	dictionary   *values
	values       values
	indexed      bool
	indexes      []int32 // into the dictionary
	defined      []byte  // 1 for a value, 0 for a missing one; empty where none can be missing
	row, rows    int     // of the page
	next         int     // of its values
}

func chunkOf(file io.ReaderAt, c *format.ColumnMetaData, f form) *chunk {
	at := start(c)
	return &chunk{file: file, at: at, end: at + c.TotalCompressedSize, codec: c.Codec, values: values{form: f}}
}

// read returns the next n values, each of which is valid until the next one.
func (c *chunk) read(n int, each func(value) error) error {
	for range n {
		for c.row == c.rows {
			if err := c.turn(); err != nil {
				return err
			}
		}
		v := value{missing: len(c.defined) > 0 && c.defined[c.row] != 1}
		c.row++
		if !v.missing {
			if c.indexed {
				v = c.dictionary.at(int(c.indexes[c.next]))
			} else {
				v = c.values.at(c.next)
			}
			c.next++
		}
		if err := each(v); err != nil {
			return err
		}
	}
	return nil
}

// turn reads the next page, or the dictionary.
func (c *chunk) turn() error {
	if c.at >= c.end {
		return io.EOF
	}
	h, at, err := pageAt(c.file, c.at, c.end)
	if err != nil {
		return err
	}
	c.at = at + int64(h.CompressedPageSize)
	if h.Type == format.DictionaryPage && c.dictionary != nil {
		return nil // the first one holds
	}
	page, err := c.unpacked(h, at)
	if err != nil {
		return err
	}
	if h.Type == format.DictionaryPage {
		c.dictionary = &values{form: c.values.form}
		c.page = nil // where the dictionary may stay
		return c.dictionary.decode(format.Plain, page, int(h.DictionaryPageHeader.V.NumValues))
	}
	return c.decode(h, page)
}

// unpacked returns the bytes of a page, with levels of version 2 in front.
func (c *chunk) unpacked(h *format.PageHeader, at int64) ([]byte, error) {
	c.packed = room(c.packed, int(h.CompressedPageSize))
	if _, err := c.file.ReadAt(c.packed, at); err != nil {
		return nil, err
	}
	if h.CRC != 0 && crc32.ChecksumIEEE(c.packed) != uint32(h.CRC) {
		return nil, errors.New("a page does not have the checksum that it claims")
	}
	codec, levels := compressed(h, c.codec)
	if codec == format.Uncompressed {
		c.page, c.packed = c.packed, c.page
		return c.page, nil
	}
	size := int64(h.UncompressedPageSize)
	p, err := unpack(codec, io.NewSectionReader(c.file, at+levels, int64(len(c.packed))-levels), size)
	if err != nil {
		return nil, err
	}
	defer func() { p.close() }()
	c.page = room(c.page, int(size))
	copy(c.page, c.packed[:levels])
	n, err := io.ReadFull(p, c.page[levels:])
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil // the encoding decides whether bytes are missing
	}
	return c.page[:int(levels)+n], err
}

// room returns n bytes, in the memory of b where they fit. It takes no more, as what is taken was checked to the byte.
func room(b []byte, n int) []byte {
	if cap(b) < n {
		b = make([]byte, n)
	}
	return b[:n]
}

// decode decodes the levels and values of a page.
func (c *chunk) decode(h *format.PageHeader, page []byte) (err error) {
	v2 := h.DataPageHeaderV2.V
	n, as, levelsAs := int(v2.NumValues), v2.Encoding, format.RLE
	levels := int(v2.DefinitionLevelsByteLength)
	page = page[min(int(v2.RepetitionLevelsByteLength), len(page)):] // some writers give flat columns such levels
	if h.Type == format.DataPage {
		v1 := h.DataPageHeader.V
		n, as, levelsAs, levels = int(v1.NumValues), v1.Encoding, v1.DefinitionLevelEncoding, 0
		if c.values.levels {
			if len(page) < 4 {
				return errFew
			}
			levels, page = int(binary.LittleEndian.Uint32(page)), page[4:]
		}
	}
	if levels > len(page) {
		return errFew
	}
	c.row, c.rows, c.next, c.defined = 0, n, 0, c.defined[:0]
	present := n
	if c.values.levels {
		e, known := levelEncodings[levelsAs]
		if !known {
			return fmt.Errorf("the levels of a page have the encoding %v", levelsAs)
		}
		if c.defined, err = e.DecodeLevels(c.defined, page[:levels]); err != nil {
			return err
		}
		if len(c.defined) < n {
			return errFew
		}
		present = 0
		for _, level := range c.defined[:n] {
			if level == 1 {
				present++
			}
		}
	}
	page = page[levels:]
	c.indexed = as == format.RLEDictionary || as == oldDictionary
	switch {
	case present == 0:
		return nil
	case !c.indexed:
		return c.values.decode(as, page, present)
	case c.dictionary == nil:
		return errors.New("a page has indexes of a dictionary, which is missing")
	}
	if c.indexes, err = indexEncoding.DecodeInt32(c.indexes[:0], page); err != nil {
		return err
	}
	if len(c.indexes) < present {
		return errFew
	}
	for _, i := range c.indexes[:present] {
		if uint32(i) >= uint32(c.dictionary.n) {
			return fmt.Errorf("a page has the index %d of a dictionary of %d values", i, c.dictionary.n)
		}
	}
	return nil
}
