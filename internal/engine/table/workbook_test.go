package table

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"taper/internal/engine/usererr"
)

// handmade returns a workbook of one sheet, 'Data', with the rows and the
// shared strings as XML.
func handmade(t testing.TB, rows, texts string, more ...string) []byte {
	t.Helper()
	const (
		office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
		pack   = "http://schemas.openxmlformats.org/package/2006/"
		main   = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	)
	relation := func(kind, target string) string {
		return `<Relationships xmlns="` + pack + `relationships"><Relationship Id="rId1" Type="` + office + `/` + kind + `" Target="` + target + `"/></Relationships>`
	}
	parts := append([]string{
		"[Content_Types].xml", `<?xml version="1.0" encoding="UTF-8"?><Types xmlns="` + pack + `content-types"></Types>`,
		"_rels/.rels", relation("officeDocument", "xl/workbook.xml"),
		"xl/workbook.xml", `<workbook ` + main + ` xmlns:r="` + office + `"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", relation("worksheet", "worksheets/sheet1.xml"),
		"xl/worksheets/sheet1.xml", `<worksheet ` + main + `><sheetData>` + rows + `</sheetData></worksheet>`,
		"xl/sharedStrings.xml", `<sst ` + main + `>` + texts + `</sst>`,
	}, more...)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err == nil {
			_, err = w.Write([]byte(parts[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The sheet of two cells that bombs are hidden in.
const (
	twoRows  = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c></row>`
	twoTexts = `<si><t>a</t></si><si><t>b</t></si>`
)

// TestWorkbookBombs: a small workbook that would take all memory is refused
// with a sentence, before it has taken more than a few megabytes.
func TestWorkbookBombs(t *testing.T) {
	long := strings.Repeat("x", 60_000)
	rich := "<si><r><t>" + long + "</t></r></si>"
	for _, c := range []struct {
		name, want string
		code       usererr.Code
		file       []byte
	}{
		{"row number", "A row of the sheet ‘Data’ has a number above 1\u202f048\u202f576, the last row in Excel: save the sheet as CSV UTF-8.", usererr.Invalid,
			handmade(t, twoRows+`<row r="2000000000"><c><v>1</v></c></row>`, twoTexts)},
		{"shared strings", "The workbook has more than 500\u202f000 different texts: save the sheet as CSV UTF-8.", usererr.TooLarge,
			handmade(t, twoRows, twoTexts+strings.Repeat("<si/>", maxTexts))},
		{"typed strings", "The workbook has more than 500\u202f000 different texts: save the sheet as CSV UTF-8.", usererr.TooLarge,
			handmade(t, twoRows, twoTexts+"<si>"+strings.Repeat("<x:r/>", maxTexts)+"</si>")},
		{"formats", "‘xl/styles.xml’ in the workbook has more than 3\u202f000\u202f000 tags: save the sheet as CSV UTF-8.", usererr.TooLarge,
			handmade(t, twoRows, twoTexts, "xl/styles.xml", "<styleSheet><cellXfs>"+strings.Repeat("<xf/>", maxHeld)+"</cellXfs></styleSheet>")},
		{"one row", "A row in ‘xl/worksheets/sheet1.xml’ of the workbook has more than 1\u202f000\u202f000 tags: save the sheet as CSV UTF-8.", usererr.TooLarge,
			handmade(t, `<row r="1">`+strings.Repeat("<c/>", maxRowTags)+"</row>", "")},
		{"rows of one number", "A row in ‘xl/worksheets/sheet1.xml’ of the workbook has more than 1\u202f000\u202f000 tags: save the sheet as CSV UTF-8.", usererr.TooLarge,
			handmade(t, strings.Repeat(`<row r="1"/>`, maxRowTags+1), "")},
		{"rows of one number, written another way", "A row in ‘xl/worksheets/sheet1.xml’ of the workbook has more than 1\u202f000\u202f000 tags: save the sheet as CSV UTF-8.", usererr.TooLarge,
			handmade(t, strings.Repeat(`<row r = "&#49;"/>`, maxRowTags+1), "")},
		{"an instruction that looks like the end", "A row in ‘xl/worksheets/sheet1.xml’ of the workbook has more than 1\u202f000\u202f000 tags: save the sheet as CSV UTF-8.", usererr.TooLarge,
			handmade(t, `<?x </sheetData>?><row r="1">`+strings.Repeat("<c/>", maxRowTags)+"</row>", "")},
		{"copies in a row", "The workbook unpacks to more than 20\u202f971\u202f520 bytes: save the sheet as CSV UTF-8.", usererr.TooLarge,
			handmade(t, `<row r="1">`+strings.Repeat(`<c t="s"><v>0</v></c>`, 1000)+"</row>", rich)},
		{"copies in a column", "The workbook unpacks to more than 20\u202f971\u202f520 bytes: save the sheet as CSV UTF-8.", usererr.TooLarge,
			handmade(t, strings.Repeat(`<row><c t="s"><v>0</v></c><c t="s"><v>0</v></c></row>`, 1000), rich)},
		{"far columns", "The file has more than 2000 columns: that is the limit. Leave out columns, or start Taper with a higher -max-columns.", usererr.TooLarge,
			handmade(t, strings.Repeat(`<row><c r="XFD1"><v>1</v></c></row>`, 10_000), "")},
		{"another encoding", excelSentence, usererr.Invalid,
			handmade(t, twoRows, `<?xml version="1.0" encoding="utf-16le"?>`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Read(context.Background(), c.file, Options{}, Limits{Bytes: 10 << 20})
			runtime.ReadMemStats(&after)
			if e, ok := usererr.As(err); !ok || e.Detail != c.want || e.Code != c.code {
				t.Errorf("%v, want %s %q", err, c.code, c.want)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 200<<20 {
				t.Errorf("%d bytes took %d MB", len(c.file), took>>20)
			}
		})
	}
}

// TestWorkbookIsReadToItsEnd: excelize shows no row behind a mistake in the XML of a sheet, and does not say so.
func TestWorkbookIsReadToItsEnd(t *testing.T) {
	row := func(n, v string) string {
		return `<row r="` + n + `"><c r="A` + n + `"><v>` + v + `</v></c></row>`
	}
	for _, c := range []struct{ name, rows, want string }{ // "" = refused
		{"two rows", twoRows, "a,b\n1,2\n"},
		{"another order", row("1", "7") + row("5", "8") + row("3", "9"), "7,\n\n\n\n8,9\n"},
		{"an entity that nobody defined", row("1", "7") + row("2", "8&bad;") + row("3", "9"), ""},
		{"an entity in the last row", row("1", "7") + row("2", "8&bad;"), ""},
		{"another tag closes a row", row("1", "7") + `<row r="2"><c r="A2"><v>8</v></c></cols>` + row("3", "9"), ""},
		{"rows end twice", row("1", "7") + "</sheetData><sheetData>" + row("2", "8"), "7\n8\n"},
	} {
		got, err := openExcel(t.Context(), handmade(t, c.rows, twoTexts), Dialect{}, DefaultLimits)
		if c.want == "" {
			if !usererr.Is(err, usererr.Invalid) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil || string(got.text) != c.want {
			t.Errorf("%s: %q, %v", c.name, got.text, err)
		}
	}
	if _, err := openExcel(t.Context(), handmade(t, "", ""), Dialect{}, DefaultLimits); err == nil ||
		!strings.Contains(err.Error(), "is empty") {
		t.Errorf("a sheet without rows: %v", err)
	}
}

// TestWorkbookKept: what a table does not need may be of any size.
func TestWorkbookKept(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	file := handmade(t, twoRows+`<row r="1048576"/>`, twoTexts+"<si><t>"+strings.Repeat("x", 17<<20)+"</t></si>",
		"xl/pivotCache/pivotCacheRecords1.xml", "<pivotCacheRecords>"+strings.Repeat("<r/>", maxHeld+1)+"</pivotCacheRecords>")
	tab, err := Read(context.Background(), file, Options{}, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if tab.Rows != 1 || len(tab.Columns) != 2 || tab.Columns[1].Name != "b" {
		t.Errorf("%+v, %v", tab, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// leaving is a client who leaves when asked for the n-th time.
type leaving struct {
	context.Context
	n int
}

func (l *leaving) Err() error {
	if l.n--; l.n < 0 {
		return context.Canceled
	}
	return nil
}

// TestWorkbookEndsWithItsClient: a client who leaves stops waiting for another
// workbook, and stops the reading of its own at a later row or part.
func TestWorkbookEndsWithItsClient(t *testing.T) {
	file := handmade(t, strings.Repeat(`<row><c><v>1</v></c></row>`, 5000), "")
	for _, n := range []int{0, 1, 3, 100, 4000} {
		client := &leaving{context.Background(), n}
		if _, err := openExcel(client, file, Dialect{}, DefaultLimits); !errors.Is(err, context.Canceled) || client.n != -1 {
			t.Errorf("left at %d: %v, asked %d times more", n, err, -1-client.n)
		}
	}
	free, err := takeWorkbook(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		_, err := Head(ctx, file, Dialect{}, 5)
		ended <- err
	}()
	select {
	case err := <-ended:
		t.Fatalf("two workbooks at a time: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("left while waiting: %v", err)
	}
	free()
	if _, err := Head(context.Background(), file, Dialect{}, 5); err != nil {
		t.Errorf("after both: %v", err)
	}
}

// FuzzWorkbook holds that any sheet and any shared strings give a table or a
// sentence, and that a preview shows what is read.
func FuzzWorkbook(f *testing.F) {
	f.Add(twoRows, twoTexts)
	f.Add(`<row r="40"/>`, "")
	f.Add(`<row r="3"><c r="C3"><v>1</v></c></row><row r="1"><c r="A1"><v>2</v></c></row><row r="-4"/>`, "<si/>")
	f.Add(`<row><c t="inlineStr"><is><r><t>a</t></r></is></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c></row>`, `<si><r><t>x</t></r><rPh/></si>`)
	f.Add(`<row r="1"><c r="XFD1"><f>A1</f></c><c r="A1" s="7"><v>4.5E1</v></c></row>`, `<!-- <si> --><si><t xml:space="preserve"> a</t></si>`)
	f.Add(`<x:row x:r='2'><x:c r="ZZZZ1"/></x:row></sheetData><row>`, `<?xml version="1.0" encoding="latin1"?>`)
	f.Fuzz(func(t *testing.T, rows, texts string) {
		file := handmade(t, rows, texts)
		lim := Limits{Bytes: 1 << 20, Rows: 10000}
		tab, err := Read(context.Background(), file, Options{}, lim)
		if err != nil {
			if _, ok := usererr.As(err); !ok {
				t.Fatalf("no sentence: %v", err)
			}
			return
		}
		checkTable(t, tab)
		if p, err := Head(context.Background(), file, Dialect{}, 5); err != nil || len(p.Header) != len(tab.Columns) {
			t.Fatalf("header %q of %d columns, %v", p.Header, len(tab.Columns), err)
		}
	})
}
