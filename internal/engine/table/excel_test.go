package table

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"taper/internal/engine/usererr"
)

// workbook writes rows to the first sheet and returns the file.
func workbook(t *testing.T, change func(f *excelize.File), rows ...[]any) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	for i, row := range rows {
		if err := f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row); err != nil {
			t.Fatal(err)
		}
	}
	if change != nil {
		change(f)
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestExcel(t *testing.T) {
	day := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
	file := workbook(t, func(f *excelize.File) {
		f.SetSheetName("Sheet1", "Daten")
		f.NewSheet("Legende")
		style, _ := f.NewStyle(&excelize.Style{NumFmt: 1}) // no decimals shown
		f.SetCellStyle("Daten", "B3", "B5", style)
		german := `dd\.mm\.yyyy;@`
		custom, _ := f.NewStyle(&excelize.Style{CustomNumFmt: &german})
		f.SetCellStyle("Daten", "C3", "C4", custom)
	},
		[]any{"Study of everything"},
		[]any{"name, first", "crp", "visit", "ward \"A\"", "taken"},
		[]any{"a, b", 12.345, day, "x\ny", day.Add(6 * time.Hour)},
		[]any{"c", 7, day.AddDate(0, 0, 1), nil, day},
		[]any{"d", nil, nil, "=1", day},
	)
	tab, err := Read(context.Background(), file, Options{}, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if tab.Rows != 3 || len(tab.Columns) != 5 || tab.Dialect.Format != "xlsx" || tab.Dialect.Sheet != "Daten" {
		t.Fatalf("%d rows, %d columns, %+v", tab.Rows, len(tab.Columns), tab.Dialect)
	}
	messages := ""
	for _, w := range tab.Warnings {
		messages += w.Message + "\n"
	}
	for _, want := range []string{"The sheet ‘Daten’ of the Excel workbook was read, the first of 2. Should it be another one?", "The header looks like line 2. Use it?"} {
		if !strings.Contains(messages, want) {
			t.Errorf("%q lacks %q", messages, want)
		}
	}
	if c := tab.Column("crp"); c == nil || c.Num[0] != 12.345 || c.Missing != 1 {
		t.Errorf("numbers are not as stored: %+v", c)
	}
	if c := tab.Column("visit"); c == nil || c.Type != Date || c.Num[0] != 19782 || c.Missing != 1 {
		t.Errorf("dates: %+v", c)
	}
	if c := tab.Column("taken"); c == nil || c.Type != Date || c.Num[0] != 19782.25 {
		t.Errorf("times: %+v", c)
	}
	if c := tab.Column("ward \"A\""); c == nil || !slices.Equal(c.Levels, []string{"x\ny", "=1"}) {
		t.Errorf("texts: %+v", c)
	}
	if p, err := Head(context.Background(), file, Dialect{}, 20); err != nil || len(p.Rows) != 3 || p.Header[0] != "name, first" || p.Rows[0][2] != "2024-02-29" {
		t.Errorf("Head: %+v, %v", p, err)
	}
	one := workbook(t, nil, []any{"a", "b"}, []any{1, 2})
	if tab, err := Read(context.Background(), one, Options{}, Limits{}); err != nil || tab.Warnings[0].Message != "The sheet ‘Sheet1’ of the Excel workbook was read." {
		t.Errorf("%v, %+v", err, tab)
	}
	if tab, err := Read(context.Background(), one, Options{Dialect: tab1("Sheet1")}, Limits{}); err != nil || len(tab.Warnings) != 0 {
		t.Errorf("sheet asked for: %v, %+v", err, tab.Warnings)
	}
}

func tab1(sheet string) Dialect { return Dialect{Sheet: sheet} }

func TestExcelRefusals(t *testing.T) {
	good := workbook(t, nil, []any{"a", "b"}, []any{1, 2})
	locked := func() []byte {
		f := excelize.NewFile()
		defer f.Close()
		var b bytes.Buffer
		if err := f.Write(&b, excelize.Options{Password: "secret"}); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}()
	for _, c := range []struct {
		name, want string
		file       []byte
		d          Dialect
		code       usererr.Code
	}{
		{"protected", excelSentence, locked, Dialect{}, usererr.Invalid},
		{"truncated", excelSentence, good[:len(good)/2], Dialect{}, usererr.Invalid},
		{"no workbook inside", excelSentence, zipped(t, "a.txt", strings.NewReader("a,b\n1,2\n")), Dialect{}, usererr.Invalid},
		{"empty sheet", "The sheet ‘Sheet1’ is empty.", workbook(t, nil), Dialect{}, usererr.Invalid},
		{"header only", "No data rows below the header: add rows, or name another line as the header.", workbook(t, nil, []any{"a", "b"}), Dialect{}, usererr.Invalid},
		{"no such sheet", "sheet is ‘x’: the workbook has ‘Sheet1’.", good, Dialect{Sheet: "x"}, usererr.Invalid},
		{"far column", "The file has more than 2000 columns: that is the limit. Leave out columns, or start Taper with a higher -max-columns.", workbook(t, func(f *excelize.File) { f.SetCellValue("Sheet1", "XFD9", 1) }, []any{"a"}), Dialect{}, usererr.TooLarge},
		{"bomb", "The workbook unpacks to more than 41\u202f943\u202f040 bytes: save the sheet as CSV UTF-8.", bomb(t), Dialect{}, usererr.TooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(context.Background(), c.file, Options{Dialect: c.d}, Limits{Bytes: 20 << 20})
			if e, ok := usererr.As(err); !ok || e.Detail != c.want || e.Code != c.code {
				t.Errorf("%v, want %s %q", err, c.code, c.want)
			}
		})
	}
}

// zipped returns an archive of one file.
func zipped(t *testing.T, name string, r io.Reader) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err == nil {
		_, err = io.Copy(w, r)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bomb is 60 kB that unpack to 60 MB.
func bomb(t *testing.T) []byte {
	return zipped(t, "xl/worksheets/sheet1.xml", io.LimitReader(zeros{}, 60<<20))
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestExcelDateFormats(t *testing.T) {
	for _, c := range []struct {
		id         int
		code       string
		date, time bool
	}{
		{14, "", true, false}, {22, "", true, true}, {20, "", false, false}, {2, "", false, false},
		{164, "yyyy-mm-dd", true, false}, {164, `d\.m\.yy h:mm`, true, true}, {164, "0.00", false, false},
		{164, `[$-407]d. mmmm yyyy;@`, true, false}, {164, `0.0 "days"`, false, false}, {164, "General", false, false},
		{164, `[Red]0.0`, false, false}, {164, `#,##0\ "dm"`, false, false}, {164, "mm:ss", false, false},
	} {
		if date, time := dateFormat(c.id, c.code); date != c.date || time != c.time {
			t.Errorf("format %d %q: date %v, time %v", c.id, c.code, date, time)
		}
	}
}
