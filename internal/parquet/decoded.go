package parquet

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// oldDictionary is the encoding PLAIN_DICTIONARY: the standard advises against it, and many files have it.
const oldDictionary format.Encoding = 2

// padding are values that a run may have beyond those of its page: writers fill up the last group of a run.
const padding = 512

// form is what of the schema decides how a page decodes.
type form struct {
	kind   format.Type
	length int64 // bytes of a value of fixed length
	levels bool  // values can be missing
}

func formOf(e *format.SchemaElement) form {
	f := form{kind: e.Type.V, levels: e.RepetitionType.V == format.Optional}
	if f.kind == format.FixedLenByteArray {
		f.length = int64(e.TypeLength.V)
	}
	return f
}

// width is the most bytes that a value takes in an array of values.
func (f form) width() int64 {
	switch f.kind {
	case format.FixedLenByteArray:
		return max(f.length, 0)
	case format.Int96:
		return 12
	}
	return 8
}

// dictionaryBytes returns the memory that a dictionary of n values takes.
func (f form) dictionaryBytes(h format.DictionaryPageHeader, unpacked int64) (int64, error) {
	n, least := int64(h.NumValues), int64(4) // a text takes the bytes of its length at least
	switch f.kind {
	case format.Boolean:
		least = 1
	case format.FixedLenByteArray:
		least = max(f.length, 1)
	}
	if n < 0 || n > unpacked/least {
		return 0, fmt.Errorf("its dictionary claims %d values in %d bytes", n, unpacked)
	}
	if h.Encoding != format.Plain && h.Encoding != oldDictionary {
		return 0, fmt.Errorf("its dictionary has the encoding %v", h.Encoding)
	}
	return unpacked + n*(f.width()+4), nil
}

// pageBytes returns the memory that a data page takes once it is decoded, beside its unpacked bytes. The library takes
// it before it has compared the runs, lengths and prefixes of the page with its number of values, adds prefixes in 32
// bits and writes beyond the end of a sum that has overflowed. Where body ends too early the encoding refuses the page.
func (f form) pageBytes(body *walker, h *format.PageHeader) (int64, error) {
	var n, taken int64
	var values, levels format.Encoding
	if h.Type == format.DataPage {
		v := h.DataPageHeader.V
		n, values, levels = int64(v.NumValues), v.Encoding, v.DefinitionLevelEncoding
	} else {
		v := h.DataPageHeaderV2.V
		n, values, levels = int64(v.NumValues), v.Encoding, format.RLE
		body.skip(int64(v.RepetitionLevelsByteLength))
	}
	body.most = n
	if f.levels {
		length := int64(h.DataPageHeaderV2.V.DefinitionLevelsByteLength)
		if h.Type == format.DataPage {
			length = body.length()
		}
		switch levels {
		case format.RLE:
			body.runs(length, 1)
		case format.BitPacked:
			body.count(8 * length)
			body.skip(length)
		}
		taken += n
	}
	if h.Type == format.DataPageV2 {
		if !f.levels {
			body.skip(int64(h.DataPageHeaderV2.V.DefinitionLevelsByteLength))
		}
	}
	switch values {
	case format.Plain:
		if f.kind == format.ByteArray {
			taken += 4 * n
		}
	case oldDictionary, format.RLEDictionary:
		width := int64(body.byte())
		body.runs(math.MaxInt64, width)
		taken += 4 * n
	case format.RLE:
		body.runs(body.length(), 1)
		taken += n * f.width()
	case format.ByteStreamSplit:
		taken += n * f.width()
	case format.DeltaBinaryPacked:
		body.deltas(nil)
		taken += n * f.width()
	case format.DeltaLengthByteArray:
		body.deltas(nil)
		taken += 8 * n
	case format.DeltaByteArray:
		taken += n*(12+f.width()) + body.prefixes()
	default:
		return 0, fmt.Errorf("a page has the encoding %v", values)
	}
	return taken, body.refused
}

// walker reads the counts and lengths of a page. It stops at the end of the page or at the first that it refuses.
type walker struct {
	from    *bufio.Reader
	most    int64 // values of the page
	ended   bool
	refused error
}

func (w *walker) refuse(sentence string, args ...any) {
	if w.refused == nil {
		w.refused = fmt.Errorf(sentence, args...)
	}
	w.ended = true
}

// stopped notes an error of reading. That a page ends is not one.
func (w *walker) stopped(err error) {
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		w.refuse("%w", err)
	}
	w.ended = w.ended || err != nil
}

func (w *walker) byte() byte {
	if w.ended {
		return 0
	}
	b, err := w.from.ReadByte()
	w.stopped(err)
	return b
}

func (w *walker) read(b []byte) bool {
	if w.ended {
		return false
	}
	_, err := io.ReadFull(w.from, b)
	w.stopped(err)
	return err == nil
}

func (w *walker) skip(n int64) {
	if w.ended {
		return
	}
	_, err := io.CopyN(io.Discard, w.from, n)
	w.stopped(err)
}

func (w *walker) length() int64 {
	var b [4]byte
	if !w.read(b[:]) {
		return 0
	}
	return int64(binary.LittleEndian.Uint32(b[:]))
}

// varint also returns how many bytes the number takes.
func (w *walker) varint() (v uint64, length int64) {
	for shift := 0; !w.ended; shift += 7 {
		b := w.byte()
		if length++; shift > 63 || shift == 63 && b > 1 {
			w.refuse("a page has a number of more than 64 bits")
		}
		if v |= uint64(b&127) << shift; b < 128 {
			break
		}
	}
	return v, length
}

func (w *walker) count(n int64) {
	if n > w.most+padding {
		w.refuse("a page claims %d values, and its runs %d", w.most, n)
	}
}

// runs walks over the hybrid of runs and packed bits.
func (w *walker) runs(length, width int64) {
	if width > 32 {
		w.refuse("a page claims indexes of %d bits", width)
	}
	for all := int64(0); length > 0 && !w.ended; {
		head, n := w.varint()
		count, size := int64(head>>1), (width+7)/8
		if count > math.MaxInt32 {
			w.count(count)
			return
		}
		if head&1 == 1 {
			count, size = 8*count, count*width
		} else if count == 0 { // no value follows
			size = 0
		}
		all += count
		w.count(all)
		w.skip(min(size, length-n))
		length -= n + size
	}
}

// deltas walks over numbers in DELTA_BINARY_PACKED, which go to each. Without it only their count is looked at.
func (w *walker) deltas(each func(int32)) {
	block, _ := w.varint()
	parts, _ := w.varint()
	n, _ := w.varint()
	first, _ := w.varint()
	if w.ended {
		return
	}
	if n > uint64(w.most) {
		w.refuse("a page claims %d values, and its numbers %d", w.most, n)
		return
	}
	if each == nil || n == 0 {
		return
	}
	if block > 1<<16 || parts == 0 || block/parts == 0 || block/parts%32 != 0 {
		w.refuse("a page claims %d parts in a block of %d numbers", parts, block)
		return
	}
	last := int32(signed(first))
	each(last)
	inPart := block / parts
	widths, bits := make([]byte, parts), make([]byte, 4*inPart+8)
	for left := n - 1; left > 0 && !w.ended; {
		head, _ := w.varint()
		w.read(widths)
		for _, width := range widths {
			if width > 32 {
				w.refuse("a page claims numbers of %d bits", width)
			}
			if left == 0 || w.ended || !w.read(bits[:uint64(width)*inPart/8]) {
				break
			}
			for i := range min(left, inPart) {
				at := i * uint64(width)
				v := binary.LittleEndian.Uint64(bits[at/8:]) >> (at % 8) & (1<<width - 1)
				last += int32(signed(head)) + int32(v)
				each(last)
				left--
			}
		}
	}
	if w.ended {
		w.refuse("a page has fewer numbers than it claims")
	}
}

func signed(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// prefixes returns the bytes of all texts in DELTA_BYTE_ARRAY: how much of the one before is kept of each, and how
// much follows.
func (w *walker) prefixes() (all int64) {
	var kept []int32
	w.deltas(func(n int32) { kept = append(kept, n) })
	i, last := 0, int64(0)
	w.deltas(func(n int32) {
		if i == len(kept) || n < 0 || kept[i] < 0 || int64(kept[i]) > last {
			w.refuse("a value of a page keeps more than the value before it has")
			return
		}
		last = int64(kept[i]) + int64(n)
		all += last
		i++
	})
	if i < len(kept) {
		w.refuse("a page has %d prefixes and %d suffixes", len(kept), i)
	}
	return all
}

// packed returns the bytes of a page, unpacked as they are read.
type packed struct {
	codec   format.CompressionCodec
	body    *io.SectionReader
	claimed int64
	from    io.Reader
	read    int64
	close   func()
}

// unpack checks the start of a page. It is to be closed.
func unpack(codec format.CompressionCodec, body *io.SectionReader, claimed int64) (*packed, error) {
	p := &packed{codec: codec, body: body, claimed: claimed, close: func() {}}
	if codec == format.Snappy { // its first bytes are the length
		head := make([]byte, min(body.Size(), binary.MaxVarintLen64))
		if _, err := body.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if n, err := snappy.DecodedLen(head); err != nil || int64(n) > claimed {
			return nil, fmt.Errorf("a page unpacks to %d bytes and claims %d", n, claimed)
		}
	}
	return p, nil
}

func (p *packed) open() error {
	switch p.codec {
	case format.Snappy:
		b, err := io.ReadAll(p.body)
		if err != nil {
			return err
		}
		text, err := snappy.Decode(nil, b)
		p.from = bytes.NewReader(text)
		return err
	case format.Gzip:
		z, err := gzip.NewReader(p.body)
		p.from = z
		return err
	case format.Zstd:
		z, err := zstd.NewReader(p.body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
		if err != nil {
			return err
		}
		p.from, p.close = z, z.Close
		return nil
	}
	p.from = p.body
	return nil
}

func (p *packed) Read(b []byte) (int, error) {
	if p.from == nil {
		if err := p.open(); err != nil {
			return 0, err
		}
	}
	n, err := p.from.Read(b)
	if p.read += int64(n); p.read > p.claimed && p.codec != format.Uncompressed {
		return 0, fmt.Errorf("a page unpacks to more than the %d bytes that it claims", p.claimed)
	}
	return n, err
}

// finish checks that a page unpacks to no more bytes than its header claims.
func (p *packed) finish() error {
	if p.codec == format.Uncompressed || p.codec == format.Snappy {
		return nil
	}
	_, err := io.Copy(io.Discard, p)
	return err
}
