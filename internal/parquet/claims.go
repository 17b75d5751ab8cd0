package parquet

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const (
	mostElements = 4 << 20  // of all lists of the footer; each takes up to 600 bytes in memory
	mostHeader   = 64 << 10 // bytes of a page header, with the smallest and largest value
	mostDepth    = 32
)

var errShort = errors.New("it ends too early")

// compact walks over Thrift's compact protocol without decoding it: the decoder allocates what a list or a text
// claims.
type compact struct {
	b        []byte
	at       int
	elements int
}

// structure returns the length of the struct at the start of b.
func structure(b []byte) (int, error) {
	c := &compact{b: b}
	err := c.fields(0)
	return c.at, err
}

func (c *compact) byte() (byte, error) {
	if c.at >= len(c.b) {
		return 0, errShort
	}
	c.at++
	return c.b[c.at-1], nil
}

func (c *compact) varint() (uint64, error) {
	v, n := binary.Uvarint(c.b[c.at:])
	if n <= 0 {
		return 0, errShort
	}
	c.at += n
	return v, nil
}

func (c *compact) skip(n uint64) error {
	if n > uint64(len(c.b)-c.at) {
		return errShort
	}
	c.at += int(n)
	return nil
}

func (c *compact) fields(depth int) error {
	for {
		b, err := c.byte()
		if err != nil || b == 0 {
			return err
		}
		if b>>4 == 0 { // the number of the field follows
			if _, err := c.varint(); err != nil {
				return err
			}
		}
		if kind := b & 15; kind > 2 { // 1 and 2 are true and false, in a field without a value
			if err := c.value(kind, depth); err != nil {
				return err
			}
		}
	}
}

func (c *compact) value(kind byte, depth int) error {
	if depth > mostDepth {
		return errors.New("it is nested too deeply")
	}
	switch kind {
	case 1, 2, 3: // in a list a truth value takes a byte
		return c.skip(1)
	case 4, 5, 6:
		_, err := c.varint()
		return err
	case 7:
		return c.skip(8)
	case 8:
		n, err := c.varint()
		if err != nil {
			return err
		}
		return c.skip(n)
	case 9, 10:
		b, err := c.byte()
		if err != nil {
			return err
		}
		n := uint64(b >> 4)
		if n == 15 {
			if n, err = c.varint(); err != nil {
				return err
			}
		}
		if n > uint64(len(c.b)-c.at) { // an element takes a byte at least
			return fmt.Errorf("a list claims %d elements in %d bytes", n, len(c.b)-c.at)
		}
		if c.elements += int(n); c.elements > mostElements {
			return fmt.Errorf("its lists have more than %d elements", mostElements)
		}
		for range n {
			if err := c.value(b&15, depth+1); err != nil {
				return err
			}
		}
		return nil
	case 12:
		return c.fields(depth + 1)
	}
	return fmt.Errorf("it has a field of the unknown type %d", kind)
}

// start is where the pages of a column are: at the dictionary if its place is given, wherever that is.
func start(c *format.ColumnMetaData) int64 {
	if c.DictionaryPageOffset != 0 {
		return c.DictionaryPageOffset
	}
	return c.DataPageOffset
}

// pageAt reads the header of a page that ends before end, and returns where its body starts.
func pageAt(file io.ReaderAt, at, end int64) (*format.PageHeader, int64, error) {
	head := make([]byte, min(mostHeader, end-at))
	if _, err := file.ReadAt(head, at); err != nil {
		return nil, 0, err
	}
	n, err := structure(head)
	if err != nil {
		return nil, 0, fmt.Errorf("a page header: %w", err)
	}
	h := new(format.PageHeader)
	var protocol thrift.CompactProtocol
	err = thrift.Unmarshal(&protocol, head[:n], h)
	return h, at + int64(n), err
}

// compressed returns how the body of a page is compressed, and the length of the levels in front that are not.
func compressed(h *format.PageHeader, codec format.CompressionCodec) (format.CompressionCodec, int64) {
	if h.Type != format.DataPageV2 {
		return codec, 0
	}
	v := h.DataPageHeaderV2.V
	if v.IsCompressed.Valid && !v.IsCompressed.V {
		codec = format.Uncompressed
	}
	return codec, int64(v.RepetitionLevelsByteLength) + int64(v.DefinitionLevelsByteLength)
}

// checkChunk compares the pages of a column with its rows, and returns how many bytes its dictionary and its largest
// page take unpacked and decoded.
func checkChunk(file io.ReaderAt, size int64, c *format.ColumnMetaData, rows int64, f form) (int64, error) {
	at := start(c)
	if at < 0 || c.TotalCompressedSize < 0 || at > size-c.TotalCompressedSize {
		return 0, errors.New("it lies outside of the file")
	}
	if c.NumValues != rows {
		return 0, fmt.Errorf("it claims %d values for %d rows", c.NumValues, rows)
	}
	end := at + c.TotalCompressedSize
	var values, dictionary, largest int64
	for at < end {
		h, body, err := pageAt(file, at, end)
		if err != nil {
			return 0, err
		}
		at = body
		packed, unpacked := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
		if packed < 0 || unpacked < 0 || packed > end-at {
			return 0, fmt.Errorf("a page claims %d bytes", packed)
		}
		if h.DictionaryPageHeader.Valid && h.Type != format.DictionaryPage {
			return 0, errors.New("a page is both values and a dictionary")
		}
		codec, levels := compressed(h, c.Codec)
		switch h.Type {
		case format.DictionaryPage:
		case format.DataPage:
			if h.DataPageHeader.V.NumValues < 0 {
				return 0, errors.New("a page claims less than no values")
			}
			values += int64(h.DataPageHeader.V.NumValues)
		case format.DataPageV2:
			v := h.DataPageHeaderV2.V
			if v.NumValues < 0 || v.RepetitionLevelsByteLength < 0 || v.DefinitionLevelsByteLength < 0 ||
				levels > min(packed, unpacked) {
				return 0, errors.New("a page claims more levels than it has bytes")
			}
			values += int64(v.NumValues)
		default:
			return 0, fmt.Errorf("a page has the unknown type %d", h.Type)
		}
		if values > rows {
			return 0, fmt.Errorf("its pages claim more than the %d values of their rows", rows)
		}
		if unpacked > mostUnpacked {
			return 0, fmt.Errorf("a page claims %d bytes", unpacked)
		}
		if codec == format.Uncompressed {
			unpacked = max(packed, unpacked)
		}
		taken, err := f.check(h, io.NewSectionReader(file, at, levels), codec,
			io.NewSectionReader(file, at+levels, packed-levels), unpacked)
		if err != nil {
			return 0, err
		}
		if h.Type == format.DictionaryPage {
			dictionary = max(dictionary, taken)
		} else {
			largest = max(largest, taken)
		}
		at += packed
	}
	if values != rows {
		return 0, fmt.Errorf("its pages have %d values for %d rows", values, rows)
	}
	return dictionary + largest, nil
}

// check returns the bytes that a page takes in memory, of which the levels of version 2 are not compressed.
func (f form) check(h *format.PageHeader, levels io.Reader, codec format.CompressionCodec, body *io.SectionReader,
	unpacked int64) (int64, error) {
	p, err := unpack(codec, body, unpacked)
	if err != nil {
		return 0, err
	}
	defer func() { p.close() }()
	taken := int64(0)
	if h.Type == format.DictionaryPage {
		taken, err = f.dictionaryBytes(h.DictionaryPageHeader.V, unpacked)
	} else {
		taken, err = f.pageBytes(&walker{from: bufio.NewReader(io.MultiReader(levels, p))}, h)
		taken += unpacked
	}
	if err != nil {
		return 0, err
	}
	return taken, p.finish()
}
