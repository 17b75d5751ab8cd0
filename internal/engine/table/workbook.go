package table

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
)

// Limits of a workbook. A few bytes can unpack to a thousand times as many, and one XML element can take a
// hundred bytes in excelize, so everything is counted before excelize reads it.
const (
	lastRow      = 1 << 20   // per sheet, as in Excel
	maxTexts     = 500_000   // shared strings, including their formatted parts
	maxHeld      = 3_000_000 // tags in the parts that excelize decodes as a whole
	maxRowTags   = 1_000_000 // per row: excelize decodes a row without checking the context
	maxCells     = 10_000_000
	unpackedFree = 64 << 20 // bytes that any workbook may unpack to
	unpackedRate = 100      // additional bytes per byte of the file
)

// oneWorkbook admits one workbook at a time, so that memory is bounded however many are uploaded at once.
var oneWorkbook = make(chan struct{}, 1)

// takeWorkbook waits until no other workbook is being read, or until the client has gone.
func takeWorkbook(ctx context.Context) (free func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case oneWorkbook <- struct{}{}:
		return func() { <-oneWorkbook }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// unpackedLimit returns the size that a workbook of this many bytes may unpack to.
func unpackedLimit(bytes int, lim Limits) int64 {
	return min(2*lim.Bytes, unpackedFree+unpackedRate*int64(bytes))
}

// held are the root elements of the parts that excelize decodes as a whole.
var held = []string{"Types", "Relationships", "workbook", "calcChain", "styleSheet", "theme", "sst"}

// census counts what the parts of a workbook contain, without storing them.
type census struct {
	ctx      context.Context
	size     int64 // bytes allowed
	unpacked int64
	tags     int      // in the parts decoded as a whole
	texts    int      // shared strings
	longest  int64    // length of the longest shared string
	widest   int      // largest number of values in one row
	spare    []string // parts that a table does not need
}

// countWorkbook returns an error for a workbook that would take too much memory or time.
func countWorkbook(ctx context.Context, data []byte, size int64) (*census, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, usererr.New(usererr.Invalid, excelSentence)
	}
	s := &census{ctx: ctx, size: size}
	for _, f := range z.File {
		if err := s.part(f); err != nil {
			return nil, err
		}
	}
	if s.longest*int64(s.widest) > size { // excelize copies a shared string into each cell of a row that uses it
		return nil, tooBig(size)
	}
	return s, nil
}

// part unpacks one part and counts its contents.
func (s *census) part(f *zip.File) error {
	r, err := f.Open()
	if err != nil {
		return usererr.New(usererr.Invalid, excelSentence)
	}
	defer r.Close()
	p := partCensus{census: s, name: f.Name, in: bufio.NewReaderSize(r, 1<<16), last: 1}
	for {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		end, err := p.some()
		if err != nil || end {
			return err
		}
	}
}

// partCensus counts one part.
type partCensus struct {
	*census
	name    string
	in      *bufio.Reader
	root    string // name of the first element; "" before it
	inTag   bool
	loose   bool  // a comment or similar was found, whose text may look like elements
	done    bool  // all rows were read
	number  int   // number of the current row, as excelize counts
	last    int   // largest row number
	rowTags int   // since the start of the row
	values  int   // in the current row
	text    int64 // bytes since the start of the shared string
}

// some counts the next tags. end is true at the end of the part.
func (p *partCensus) some() (end bool, err error) {
	for range 4096 {
		b, err := p.in.ReadSlice('<')
		if p.unpacked += int64(len(b)); p.unpacked > p.size {
			return true, tooBig(p.size)
		}
		p.between(b)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			if p.root != "worksheet" && !slices.Contains(held, p.root) {
				p.spare = append(p.spare, strings.ReplaceAll(p.name, "\\", "/")) // the name that excelize uses
			}
			return true, nil
		case err != nil:
			return true, usererr.New(usererr.Invalid, excelSentence)
		}
		if err := p.tag(); err != nil {
			return true, err
		}
	}
	return false, nil
}

// between counts the bytes between the starts of two tags.
func (p *partCensus) between(b []byte) {
	if p.inTag {
		end := bytes.IndexByte(b, '>')
		if end < 0 {
			return
		}
		b, p.inTag = b[end+1:], false
	}
	if p.root == "sst" {
		p.text += int64(len(b))
		p.longest = max(p.longest, p.text)
	}
}

// tag counts the tag at the current position.
func (p *partCensus) tag() error {
	ahead, _ := p.in.Peek(256)
	name := tagName(ahead)
	p.inTag = true
	switch {
	case name == "?xml":
		if !utf8Declared(ahead) { // in another encoding, excelize would read other tags than we count
			return usererr.New(usererr.Invalid, excelSentence)
		}
		return nil
	case strings.HasPrefix(name, "!") || strings.HasPrefix(name, "?"):
		p.loose = true
	case p.root == "":
		p.root = name
	}
	if p.root == "worksheet" {
		return p.sheetTag(name, ahead)
	}
	return p.heldTag(name)
}

// sheetTag counts a tag of a sheet.
func (p *partCensus) sheetTag(name string, ahead []byte) error {
	if !p.loose && name == "/sheetData" {
		p.done = true
	}
	if p.done {
		return nil
	}
	if !p.loose && name == "row" && p.newRow(ahead) {
		p.rowTags, p.values = 0, 0
	}
	if name == "v" {
		p.values++
		p.widest = max(p.widest, p.values)
	}
	if p.rowTags++; p.rowTags > maxRowTags {
		return overLimit("A row in ‘%s’ of the workbook has more than %s tags", p.name, phrase.Int(maxRowTags))
	}
	return nil
}

// newRow reports whether excelize starts another row at this tag: a row whose number is not above the earlier
// ones is added to the current row.
func (p *partCensus) newRow(ahead []byte) bool {
	end := bytes.IndexByte(ahead, '>')
	if end < 0 {
		return false
	}
	p.number++
	for rest, found := bytes.Join(bytes.Fields(ahead[:end]), nil), false; ; found = true {
		_, value, ok := bytes.Cut(rest, []byte("r=")) // or another attribute whose name ends in r
		if !ok {
			break
		}
		if found || len(value) == 0 {
			return false
		}
		digits, _, _ := bytes.Cut(value[1:], value[:1])
		n, err := strconv.Atoi(string(digits))
		if err != nil {
			return false
		}
		if n != 0 {
			p.number = n
		}
		rest = value
	}
	higher := p.number > p.last
	p.last = max(p.last, p.number)
	return higher
}

// heldTag counts a tag of a part that excelize decodes as a whole.
func (p *partCensus) heldTag(name string) error {
	if !slices.Contains(held, p.root) {
		return nil
	}
	if p.root == "sst" && (name == "si" || name == "r") {
		if p.texts++; p.texts > maxTexts {
			return overLimit("The workbook has more than %s different texts", phrase.Int(maxTexts))
		}
		if !p.loose && name == "si" {
			p.text = 0
		}
	}
	if p.tags++; p.tags > maxHeld {
		return overLimit("‘%s’ in the workbook has more than %s tags", p.name, phrase.Int(maxHeld))
	}
	return nil
}

// overLimit returns an error that says which limit was exceeded and what to do.
func overLimit(format string, args ...any) error {
	return usererr.New(usererr.TooLarge, format+": save the sheet as CSV UTF-8.", args...)
}

// tagName returns the name of a tag without its namespace prefix, given the bytes after "<": "row", "/row",
// "?xml", "!--".
func tagName(b []byte) string {
	slash := len(b) > 0 && b[0] == '/'
	if slash {
		b = b[1:]
	}
	for i, c := range b {
		if c == ':' {
			b = b[i+1:]
			break
		}
		if c == '>' || c == '/' || c <= ' ' {
			break
		}
	}
	for i, c := range b {
		if c == '>' || c == '/' || c <= ' ' {
			b = b[:i]
			break
		}
	}
	if slash {
		return "/" + string(b)
	}
	return string(b)
}

// utf8Declared reports whether an XML declaration, given the bytes after "<", declares UTF-8.
func utf8Declared(b []byte) bool {
	end := bytes.IndexByte(b, '>')
	if end < 0 {
		return false
	}
	_, encoding, ok := bytes.Cut(bytes.ToLower(b[:end]), []byte("encoding"))
	return !ok || bytes.HasPrefix(bytes.TrimLeft(encoding, "= \t\r\n\"'"), []byte("utf-8"))
}
