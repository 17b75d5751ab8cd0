package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"strings"
)

const (
	officeNames  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packageNames = "http://schemas.openxmlformats.org/package/2006/"
	sheetNames   = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`

	saveAsCSV = "save the sheet as CSV UTF-8."
	twoRows   = `<row r="1"><c r="A1"><v>7</v></c><c r="B1"><v>8</v></c></row>` +
		`<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c></row>`
)

// book is a workbook written by hand, with content that no real program writes. Missing parts are those of a sheet
// with two rows.
type book struct {
	book, sheet, texts, styles string // inside the root element of each part
	repeat                     string // added to the sheet this many times after the content of sheet
	times                      int
	before                     string   // before the sheet's root element: a document type
	more                       []string // other parts: name, content
	open                       bool     // the sheet is not closed
}

// write compresses the workbook in pieces.
func (b book) write(out io.Writer) error {
	z := zip.NewWriter(out)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestSpeed)
	})
	part := func(name, head, inside, foot string, repeat string, times int) error {
		w, err := z.Create(name)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, head+inside); err != nil {
			return err
		}
		if times > 0 {
			if err := repeated(w, repeat, times); err != nil {
				return err
			}
		}
		_, err = io.WriteString(w, foot)
		return err
	}
	relation := func(kind, target string) string {
		return `<Relationships xmlns="` + packageNames + `relationships"><Relationship Id="rId1" Type="` + officeNames +
			`/` + kind + `" Target="` + target + `"/></Relationships>`
	}
	sheets := b.book
	if sheets == "" {
		sheets = `<sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets>`
	}
	if b.sheet == "" && b.times == 0 {
		b.sheet = "<sheetData>" + twoRows + "</sheetData>"
	}
	var err error
	add := func(name, head, inside, foot string) {
		if err == nil {
			err = part(name, head, inside, foot, "", 0)
		}
	}
	add("[Content_Types].xml", "", `<Types xmlns="`+packageNames+`content-types"></Types>`, "")
	add("_rels/.rels", "", relation("officeDocument", "xl/workbook.xml"), "")
	add("xl/workbook.xml", `<workbook `+sheetNames+` xmlns:r="`+officeNames+`">`, sheets, `</workbook>`)
	add("xl/_rels/workbook.xml.rels", "", relation("worksheet", "worksheets/sheet1.xml"), "")
	if b.texts != "" {
		add("xl/sharedStrings.xml", `<sst `+sheetNames+`>`, b.texts, `</sst>`)
	}
	if b.styles != "" {
		add("xl/styles.xml", `<styleSheet `+sheetNames+`>`, b.styles, `</styleSheet>`)
	}
	for i := 0; i+1 < len(b.more); i += 2 {
		add(b.more[i], "", b.more[i+1], "")
	}
	if err == nil {
		foot := `</worksheet>`
		switch {
		case b.open:
			foot = ""
		case b.times > 0:
			foot = `</sheetData>` + foot
		}
		err = part("xl/worksheets/sheet1.xml", b.before+`<worksheet `+sheetNames+`>`, b.sheet, foot, b.repeat, b.times)
	}
	if err != nil {
		return err
	}
	return z.Close()
}

// repeated writes a text many times, in pieces.
func repeated(w io.Writer, text string, times int) error {
	n := max(1, (1<<20)/len(text))
	piece := strings.Repeat(text, n)
	for ; times >= n; times -= n {
		if _, err := io.WriteString(w, piece); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, strings.Repeat(text, times))
	return err
}

// bytesOf is the compressed workbook.
func (b book) bytes() []byte {
	var out bytes.Buffer
	if err := b.write(&out); err != nil {
		panic(err) // writing to a buffer cannot fail
	}
	return out.Bytes()
}

// patched replaces the first occurrence of some bytes after the last occurrence of a mark.
func patched(file []byte, mark string, offset int, with ...byte) []byte {
	i := bytes.LastIndex(file, []byte(mark))
	copy(file[i+offset:], with)
	return file
}

func workbooks() []attack {
	one := func(name, sent string, statuses []int, words []string, make func(*scene) func(io.Writer) error) attack {
		return attack{name: name, sent: sent, want: wanted(statuses, words), do: func(s *scene) {
			a := s.upload("book.xlsx", make(s))
			s.refused(name, a, statuses, words...)
			s.forget("datasets", a)
		}}
	}
	made := func(f func(s *scene) book) func(*scene) func(io.Writer) error {
		return func(s *scene) func(io.Writer) error { return f(s).write }
	}
	raw := func(f func(s *scene) []byte) func(*scene) func(io.Writer) error {
		return func(s *scene) func(io.Writer) error {
			b := f(s)
			return func(w io.Writer) error { _, err := w.Write(b); return err }
		}
	}
	either := []int{413, 422}
	return []attack{
		one("a sheet of blanks", "64 MB to 4 GB of spaces inside a sheet", []int{413}, []string{"unpacks to", saveAsCSV},
			made(func(s *scene) book {
				return book{sheet: "<sheetData>" + twoRows, repeat: strings.Repeat(" ", 1<<16), times: s.size(65_536, 2_048)}
			})),
		one("declared small", "the same, and its directory says 10 bytes", either, []string{"CSV UTF-8."},
			raw(func(s *scene) []byte {
				b := book{sheet: "<sheetData>" + twoRows, repeat: strings.Repeat(" ", 1<<16), times: s.size(16_384, 2_048)}
				return patched(b.bytes(), "PK\x01\x02", 24, 10, 0, 0, 0)
			})),
		one("nested archives", "a workbook as a part of a workbook, ten times", []int{201}, nil,
			raw(func(s *scene) []byte {
				inside := book{repeat: strings.Repeat(" ", 1<<16), times: 1_024}.bytes()
				for range 10 {
					inside = book{more: []string{"xl/embeddings/book.xlsx", string(inside)}}.bytes()
				}
				return inside
			})),
		one("shared strings", "600,000 different texts", []int{413}, []string{"500\u202f000 different texts", saveAsCSV},
			made(func(s *scene) book { return book{texts: strings.Repeat("<si><t>a</t></si>", 600_000)} })),
		one("one shared string", "one text of 20 to 150 MB", either, nil,
			made(func(s *scene) book {
				return book{texts: "<si><t>" + strings.Repeat("a", s.size(150<<20, 20<<20)) + "</t></si>",
					sheet: `<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row>` +
						`<row r="2"><c r="A2" t="s"><v>0</v></c></row></sheetData>`}
			})),
		one("cells of one row", "millions of cells in a row", []int{413}, []string{"A row in", saveAsCSV},
			made(func(s *scene) book {
				return book{sheet: `<sheetData><row r="1">`, repeat: "<c><v>1</v></c>", times: s.size(20_000_000, 1_500_000)}
			})),
		one("rows without an end", "millions of rows", either, []string{saveAsCSV},
			made(func(s *scene) book {
				row := "<row/>"
				if !s.short {
					row = "<row><c><v>1</v></c></row>"
				}
				return book{sheet: "<sheetData>" + twoRows, repeat: row, times: s.size(12_000_000, 1_200_000)}
			})),
		one("a far row", "a row numbered 2,000,000,000", either, []string{"last row in Excel", saveAsCSV},
			made(func(s *scene) book {
				return book{sheet: `<sheetData>` + twoRows +
					`<row r="2000000000"><c r="A2000000000"><v>1</v></c></row></sheetData>`}
			})),
		one("a far column", "a cell in column XFD", []int{413}, []string{"2000 columns"},
			made(func(s *scene) book {
				return book{sheet: `<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>1</v></c></row>` +
					`<row r="2"><c r="A2"><v>1</v></c></row></sheetData>`}
			})),
		one("merged ranges", "millions of merged ranges", []int{201, 413, 422}, []string{},
			made(func(s *scene) book {
				return book{sheet: "<sheetData>" + twoRows + "</sheetData><mergeCells>" +
					strings.Repeat(`<mergeCell ref="A1:XFD1048576"/>`, s.size(3_500_000, 1_000_000)) + "</mergeCells>"}
			})),
		one("sheets", "200,000 sheets in the list", either, []string{"CSV UTF-8."},
			made(func(s *scene) book {
				var all strings.Builder
				for i := range s.size(200_000, 50_000) {
					fmt.Fprintf(&all, `<sheet name="S%d" sheetId="%d" r:id="rId9"/>`, i, i+1)
				}
				return book{book: "<sheets>" + all.String() + "</sheets>"}
			})),
		one("formats", "millions of cell formats", []int{413}, []string{"xl/styles.xml", saveAsCSV},
			made(func(s *scene) book { return book{styles: strings.Repeat("<xf/>", s.size(20_000_000, 3_500_000))} })),
		one("entities", "a document type whose entities multiply to a billion texts", either, []string{"CSV UTF-8."},
			made(func(s *scene) book {
				var dtd strings.Builder
				dtd.WriteString(`<!DOCTYPE x [<!ENTITY e0 "ha">`)
				for i := range 10 {
					fmt.Fprintf(&dtd, `<!ENTITY e%d "%s">`, i+1, strings.Repeat(fmt.Sprintf("&e%d;", i), 10))
				}
				dtd.WriteString("]>")
				return book{before: dtd.String(), sheet: `<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>&e10;</t></is></c>` +
					`</row><row r="2"><c r="A2"><v>1</v></c></row></sheetData>`}
			})),
		one("an entity of a file", "a document type that names /etc/passwd", either, []string{"CSV UTF-8."},
			made(func(s *scene) book {
				return book{before: `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>`,
					sheet: `<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>&e;</t></is></c></row>` +
						`<row r="2"><c r="A2"><v>1</v></c></row></sheetData>`}
			})),
		one("an unknown entity", "a sheet with &bad; in its third row", either, []string{"CSV UTF-8."},
			made(func(s *scene) book {
				return book{sheet: "<sheetData>" + twoRows + `<row r="3"><c r="A3"><v>1&bad;</v></c></row>` +
					`<row r="4"><c r="A4"><v>1</v></c></row></sheetData>`}
			})),
		one("a sheet cut short", "a sheet whose text ends inside its third row", either, []string{"CSV UTF-8."},
			raw(func(s *scene) []byte {
				b := book{sheet: "<sheetData>" + twoRows + `<row r="3"><c r="A3"><v>1</v></c><c r="B`}
				b.open = true
				return b.bytes()
			})),
		one("another end", "a sheet whose third row is closed by another tag", either, []string{"CSV UTF-8."},
			made(func(s *scene) book {
				return book{sheet: "<sheetData>" + twoRows +
					`<row r="3"><c r="A3"><v>1</v></c></cols><row r="4"></row></sheetData>`}
			})),
		one("deep elements", "a million elements inside each other", either, []string{"CSV UTF-8."},
			made(func(s *scene) book { return book{sheet: strings.Repeat("<a>", s.size(10_000_000, 1_000_000))} })),
		one("broken directory", "a central directory with a wrong place", either, []string{"CSV UTF-8."},
			raw(func(s *scene) []byte { return patched(book{}.bytes(), "PK\x05\x06", 16, 255, 255, 255, 127) })),
		one("a million entries", "a directory that promises 65,535 entries", either, []string{"CSV UTF-8."},
			raw(func(s *scene) []byte { return patched(book{}.bytes(), "PK\x05\x06", 8, 255, 255, 255, 255) })),
		one("cut short", "the first half of a workbook", either, []string{"CSV UTF-8."},
			raw(func(s *scene) []byte { b := book{}.bytes(); return b[:len(b)/2] })),
		one("formulas", "cells with formulas that name files and addresses", []int{201}, nil,
			made(func(s *scene) book {
				return book{sheet: `<sheetData><row r="1"><c r="A1"><v>7</v></c></row><row r="2"><c r="A2">` +
					`<f>HYPERLINK("http://127.0.0.1:1/","x")</f><v>1</v></c></row>` +
					strings.Repeat(`<row><c><f>A1*2</f></c></row>`, 100_000) + `</sheetData>`}
			})),
	}
}

// wanted describes the expected answer.
func wanted(statuses []int, words []string) string {
	var all []string
	for _, c := range statuses {
		all = append(all, fmt.Sprint(c))
	}
	said := strings.Join(all, " or ")
	for _, w := range words {
		said += ", ‘" + w + "’"
	}
	return said
}
