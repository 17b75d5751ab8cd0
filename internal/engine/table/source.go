package table

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"taper/internal/engine/cost"
	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
)

// source is a file as UTF-8 text, without byte order mark.
type source struct {
	text  []byte
	bom   bool
	d     Dialect // Format, Sheet and Encoding are set
	warns []Warning

	sheets []string // of a workbook
}

const excelSentence = "Excel workbook that cannot be opened: save it as CSV UTF-8."

// open recognises the format of a file and converts it to text.
func open(ctx context.Context, data []byte, d Dialect, lim Limits) (*source, error) {
	if err := check(d); err != nil {
		return nil, err
	}
	if int64(len(data)) > lim.Bytes {
		return nil, usererr.New(usererr.TooLarge, "The file has %s bytes: the limit is %s."+
			" Leave out columns or rows, or start Taper with a higher -max-bytes.", phrase.Int(len(data)),
			phrase.Int(int(lim.Bytes)))
	}
	if err := refuse(data); err != nil {
		return nil, err
	}
	if isZip(data) {
		return openExcel(ctx, data, d, lim)
	}
	s := &source{d: d}
	s.d.Format = "csv"
	text, err := s.decode(ctx, data, lim)
	if err != nil {
		return nil, err
	}
	data = text
	switch {
	case len(bytes.TrimLeft(data, " \t\r\n")) == 0:
		return nil, usererr.New(usererr.Invalid, "The file is empty.")
	case markup(data):
		return nil, usererr.New(usererr.Invalid, "This is a web page, perhaps a login page, not a table.")
	}
	s.text = data
	return s, nil
}

// check validates the values of a dialect from outside.
func check(d Dialect) error {
	for _, c := range []struct {
		field, value string
		allowed      []string
	}{
		{"delimiter", d.Delimiter, []string{"", ",", ";", "\t", "|", " "}},
		{"decimal", d.Decimal, []string{"", ".", ","}},
		{"thousands", d.Thousands, []string{"", "none", ",", ".", " ", "'"}},
		{"encoding", d.Encoding, []string{"", "utf-8", "utf-16le", "utf-16be", "windows-1252", "iso-8859-1"}},
		{"quote", d.Quote, []string{"", `"`, "none"}},
		{"bad_rows", d.BadRows, []string{"", "skip"}},
		{"copies", d.Copies, []string{"", CopiesKept, CopiesFirst, CopiesTogether}},
	} {
		if !slices.Contains(c.allowed, c.value) {
			return unknownValue(c.field, c.value, c.allowed[1:])
		}
	}
	if d.Thousands != "" && d.Thousands == d.Decimal {
		return usererr.BadField("thousands", "is %q, which is the decimal mark too", d.Thousands)
	}
	if d.HeaderRow != nil && *d.HeaderRow < 0 {
		return usererr.BadField("header_row", "is %d: it must be a line of the file, from 1, or 0 for none", *d.HeaderRow)
	}
	return nil
}

// unknownValue returns an error with the values that a field may have.
func unknownValue(field, value string, allowed []string) error {
	return usererr.BadField(field, "is %q: it must be %s, or left out", value, strings.Join(quoted(allowed), " or "))
}

func quoted(names []string) []string {
	each := make([]string, len(names))
	for i, name := range names {
		each[i] = phrase.Verbatim(name)
	}
	return each
}

// refuse recognises by their first bytes files that are no table, and returns an error that names what they
// are.
func refuse(data []byte) error {
	for _, m := range []struct{ magic, sentence string }{
		{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", excelSentence}, // OLE: .xls, or a password-protected .xlsx
		{"%PDF", "This is a PDF, not a table: save the table as CSV UTF-8."},
		{"\x89PNG", "This is a picture, not a table: save the table as CSV UTF-8."},
		{"\xff\xd8\xff", "This is a picture, not a table: save the table as CSV UTF-8."},
		{"\x1f\x8b", "This is a compressed file: unpack it first."},
		{"PAR1", "This is a Parquet file, which only the commands read, on your own machine: taper import FILE. Or save it " +
			"as CSV UTF-8."},
		{"$FL2", "This is an SPSS file: save it as CSV UTF-8."},
		{"<stata_dta>", "This is a Stata file: save it as CSV UTF-8."},
		{"SQLite format 3\x00", "This is a database, not a table: save the table as CSV UTF-8."},
	} {
		if bytes.HasPrefix(data, []byte(m.magic)) {
			return usererr.New(usererr.Invalid, "%s", m.sentence)
		}
	}
	return nil
}

// markup reports whether text is a web page or other markup.
func markup(text []byte) bool {
	start := bytes.ToLower(bytes.TrimLeft(text[:min(len(text), 1024)], " \t\r\n"))
	for _, tag := range []string{"<!doctype", "<!--", "<html", "<head", "<body", "<script", "<table", "<meta", "<title",
		"<div", "<?xml", "<?php"} {
		if bytes.HasPrefix(start, []byte(tag)) {
			return true
		}
	}
	return false
}

// decode determines the encoding and returns UTF-8. The order is: byte order mark, the user's choice, UTF-8 if
// the whole file is valid, otherwise Windows-1252.
func (s *source) decode(ctx context.Context, data []byte, lim Limits) ([]byte, error) {
	asked := s.d.Encoding
	for _, m := range []struct{ mark, encoding string }{
		{"\xef\xbb\xbf", "utf-8"}, {"\xff\xfe", "utf-16le"}, {"\xfe\xff", "utf-16be"},
	} {
		if rest, ok := bytes.CutPrefix(data, []byte(m.mark)); ok &&
			(asked == "" || asked == m.encoding || m.encoding == "utf-8") {
			data, s.bom = rest, true
			if asked == "" {
				s.d.Encoding = m.encoding
			}
			break
		}
	}
	if s.d.Encoding == "" {
		s.d.Encoding = guess(data)
	}
	if asked == "" {
		s.note()
	}
	if lim.memory != nil && !(s.d.Encoding == "utf-8" && utf8.Valid(data)) { // the text will lie on the heap
		if _, err := cost.Hold(ctx, "Reading this file", 3*int64(len(data))); err != nil {
			return nil, err
		}
	}
	return toUTF8(data, s.d.Encoding), nil
}

// guess determines the encoding of a file without byte order mark. Of ASCII text in UTF-16 half of the bytes
// are zero; other text has no zero bytes.
func guess(data []byte) string {
	if head := data[:min(len(data), 4096)]; len(data)%2 == 0 && bytes.IndexByte(head, 0) >= 0 {
		var zero [2]int
		for i, c := range head {
			if c == 0 {
				zero[i%2]++
			}
		}
		switch half := len(head) / 2; {
		case zero[1] > half*2/5 && zero[0] < half/10+1:
			return "utf-16le"
		case zero[0] > half*2/5 && zero[1] < half/10+1:
			return "utf-16be"
		}
	}
	if utf8.Valid(data) {
		return "utf-8"
	}
	return "windows-1252"
}

// note warns of an encoding that is not the usual one.
func (s *source) note() {
	label := map[string]string{"utf-16le": "UTF-16", "utf-16be": "UTF-16", "windows-1252": "Windows-1252"}[s.d.Encoding]
	if label == "" {
		return
	}
	s.warns = append(s.warns, Warning{
		Code: "encoding", Level: "note",
		Message: "Read as " + label + ". Check accents in the preview.",
		Choices: []Choice{
			{Label: "Keep " + label},
			{Label: "Read as UTF-8", Dialect: &Dialect{Encoding: "utf-8"}},
			{Label: "Read as ISO-8859-1", Dialect: &Dialect{Encoding: "iso-8859-1"}},
		},
	})
}
