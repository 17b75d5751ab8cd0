package table

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/usererr"
)

// rowsOf repeats a line n times with its number in place of #.
func rowsOf(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(line, "#", fmt.Sprint(i+1)))
		b.WriteByte('\n')
	}
	return b.String()
}

// TestRefusals feeds the files of docs/clinical.md, Data checks that are not read.
func TestRefusals(t *testing.T) {
	long := strings.Repeat("x", maxCell+1)
	for _, c := range []struct {
		name, file, want string
		code             usererr.Code
		row              int
		column           string
	}{
		{"empty", "", "The file is empty.", usererr.Invalid, 0, ""},
		{"blank", " \r\n\n", "The file is empty.", usererr.Invalid, 0, ""},
		{"mark alone", "\xef\xbb\xbf", "The file is empty.", usererr.Invalid, 0, ""},
		{"header only", "a,b,c\n", "No data rows below the header: add rows, or name another line as the header.", usererr.Invalid, 0, ""},
		{"header and blank lines", "a,b,c\n\n,,\n", "No data rows below the header: add rows, or name another line as the header.", usererr.Invalid, 0, ""},
		{"web page", "<html><body>login</body></html>", "This is a web page, perhaps a login page, not a table.", usererr.Invalid, 0, ""},
		{"doctype", "\n <!DOCTYPE html>\n<p>a,b", "This is a web page, perhaps a login page, not a table.", usererr.Invalid, 0, ""},
		{"xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 any", "Excel workbook that cannot be opened: save it as CSV UTF-8.", usererr.Invalid, 0, ""},
		{"parquet", "PAR1 any", "This is a Parquet file, which only the commands read, on your own machine: taper import FILE. Or save it as CSV UTF-8.", usererr.Invalid, 0, ""},
		{"broken xlsx", "PK\x03\x04 any", "Excel workbook that cannot be opened: save it as CSV UTF-8.", usererr.Invalid, 0, ""},
		{"ragged", "a,b\n1,2\n3,4,5\n", "Row 2 has 3 cells, expected 2. It is line 3 of the file.", usererr.Invalid, 2, ""},
		{"ragged short", "t\n\na;b;c\n1;2;3\n4;5\n", "Row 2 has 2 cells, expected 3. It is line 5 of the file.", usererr.Invalid, 2, ""},
		{"ragged row 17", "a;b\n" + rowsOf(16, "#;1") + "1;2;3\n", "Row 17 has 3 cells, expected 2. It is line 18 of the file.", usererr.Invalid, 17, ""},
		{"stray quote", "id,note\n1,5' 10\"\n", "Row 1, column note: stray quote. It is line 2 of the file.", usererr.Invalid, 1, "note"},
		{"text behind a quote", "id,note\n1,x\n2,\"a\"b\n", "Row 2, column note: stray quote. It is line 3 of the file.", usererr.Invalid, 2, "note"},
		{"unclosed quote", "a,b\n1,\"2\n", "Row 1, column b: unclosed quote. It is line 2 of the file.", usererr.Invalid, 1, "b"},
		{"quote closed by the next", "a,b\n1,x\n2,\"y\n3,\"z\"\n", "Row 2, column b: unclosed quote. It is line 3 of the file.", usererr.Invalid, 2, "b"},
		{"quote in the header", "a,\"b\"c\n1,2\n", "Line 1, the header: stray quote.", usererr.Invalid, 0, ""},
		{"binary", "a,b\n1,2\n\n3,4\n5,\x00\n", "Row 3 holds binary data: save the table as CSV UTF-8.", usererr.Invalid, 3, ""},
		{"binary header", "a,b\x00\n1,2\n", "Line 1 holds binary data: save the table as CSV UTF-8.", usererr.Invalid, 0, ""},
		{"long cell", "a,b\n1,2\n1," + long + "\n", "Row 2, column b: a cell of more than 1\u202f048\u202f576 bytes. It is line 3 of the file.", usererr.TooLarge, 2, "b"},
		{"long line", long + long + ",b\n1,2\n", "Line 1 is longer than 1\u202f048\u202f576 bytes: is it a table, and are its quotes closed?", usererr.TooLarge, 0, ""},
		{"columns", strings.Repeat("a,", 2500) + "a\n", "The file has more than 2000 columns: that is the limit. Leave out columns, or start Taper with a higher -max-columns.", usererr.TooLarge, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(context.Background(), []byte(c.file), Options{}, Limits{})
			e, ok := usererr.As(err)
			if !ok || e.Detail != c.want || e.Code != c.code || e.Row != c.row || e.Column != c.column {
				t.Errorf("got %+v\nwant %s %q row %d column %q", err, c.code, c.want, c.row, c.column)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name, file, want string
		lim              Limits
	}{
		{"bytes", "a\n12345678\n", "The file has 11 bytes: the limit is 10. Leave out columns or rows, or start Taper with a higher -max-bytes.", Limits{Bytes: 10}},
		{"rows", "a\n1\n2\n3\n4\n", "The file has 4 rows: the limit is 3. Leave out rows, or start Taper with a higher -max-rows.", Limits{Rows: 3}},
		{"columns", "a,b,c\n1,2,3\n", "The file has more than 2 columns: that is the limit. Leave out columns, or start Taper with a higher -max-columns.", Limits{Columns: 2}},
	} {
		_, err := Read(context.Background(), []byte(c.file), Options{}, c.lim)
		if e, ok := usererr.As(err); !ok || e.Detail != c.want || e.Code != usererr.TooLarge {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	mustRead(t, "a\n1\n\n\n\n2\n3\n\n", Options{}) // blank lines are no rows
	if _, err := Read(context.Background(), []byte("a\n1\n\n\n\n2\n3\n\n"), Options{}, Limits{Rows: 3}); err != nil {
		t.Errorf("blank lines counted as rows: %v", err)
	}
}

// TestWarnings feeds the files of docs/clinical.md, Data checks that are read with a doubt.
func TestWarnings(t *testing.T) {
	lab := func(cells ...string) string {
		return "id;crp\n" + rowsOf(40, "P#;1#.5") + "x;" + strings.Join(cells, "\nx;") + "\n"
	}
	for _, c := range []struct {
		name, file, code, want string
		column                 string
		row                    int
	}{
		{"Windows-1252", "name,n\nM\xfcller,1\n", "encoding", "Read as Windows-1252. Check accents in the preview.", "", 0},
		{"UTF-16 with mark", "\xff\xfea\x00,\x00b\x00\n\x001\x00,\x002\x00", "encoding", "Read as UTF-16. Check accents in the preview.", "", 0},
		{"UTF-16 without", "\x00a\x00,\x00b\x00\n\x001\x00,\x002", "encoding", "Read as UTF-16. Check accents in the preview.", "", 0},
		{"decimal comma", "a;b;c;d\n1,5;2,25;3;0,1\n2,5;3,5;4;0,2\n", "decimal-comma", "Decimal commas converted in 3 columns (‘12,5’ → 12.5).", "", 0},
		{"quoted decimal comma", "a,b\n\"1,5\",x\n\"2,5\",y\n", "decimal-comma", "Decimal commas converted in 1 column (‘12,5’ → 12.5).", "", 0},
		{"thousands or decimals", "a;b\n1,234;x\n2,345;y\n", "thousands", "‘1,234’ in a: 1234 or 1.234? Read as 1234.", "", 0},
		{"thousands", "a;b\n1,234.5;x\n2,345.5;y\n", "thousands", "‘1,234’ read as 1234 in 1 column.", "", 0},
		{"points beside decimal commas", "a;b\n1.234;1,5\n2.345;2,5\n", "thousands", "‘1.234’ in a: 1234 or 1.234? Read as 1234.", "", 0},
		{"thousands by blanks", "a;b\n1 234;x\n2 345;y\n", "thousands", "‘1 234’ read as 1234 in 1 column.", "", 0},
		{"title row", "Study X\na,b,c\n1,2,3\n4,5,6\n", "header-row", "The header looks like line 2. Use it?", "", 0},
		{"filled title rows", "Study X,,\n,,\na,b,c\n1,2,3\n4,5,6\n", "header-row", "The header looks like line 3. Use it?", "", 0},
		{"two headers", twoHeaders, "second-header", "Line 2 looks like a second header: it has words where the rows " +
			"below have numbers. Which line has the names of the columns? If it is line 1, remove line 2 and upload the " +
			"file again.", "", 0},
		{"no header", "1,2,x\n3,4,y\n5,6,x\n", "no-header", "No header was found: the columns are named c1…c3. Is line 1 data?", "", 0},
		{"twice", "age,sex,age\n1,m,2\n", "duplicate-header", "‘age’ twice: age, age_2.", "age", 0},
		{"three times", "age,age,age\n1,3,2\n", "duplicate-header", "‘age’ 3 times: age, age_2, age_3.", "age", 0},
		{"blank header", "age,,sex\n1,3,m\n", "blank-header", "1 column without a name: named c2.", "c2", 0},
		{"NaN and Inf", lab("Inf"), "not-plain", "Not a plain number: row 41 of crp. Read as missing.", "crp", 41},
		{"hexadecimal", lab("0x1p-2", "1_000", "1e400"), "not-plain", "Not a plain number: row 41 of crp and 2 more. Read as missing.", "crp", 41},
		{"limits, units, words", lab("1", "<0.01", "12 mg", "hemolysed"), "odd-text", "3 values of crp are not " +
			"numeric. How should they be read?", "crp", 42},
		{"one text", lab("lost"), "odd-text", "1 value of crp is not numeric. How should they be read?", "crp", 41},
		{"padded level", "id,smoker\n" + rowsOf(9, "#,No") + "10,No \n11,Yes\n", "padded-level", "‘No ’ and ‘No’ of smoker differ only by a space: read as one level.", "smoker", 0},
		{"None as a level", "id,pain\n1,None\n2,mild\n3,severe\n4,None\n", "missing-word", "‘None’ in 2 rows of " +
			"pain was read as missing. Is it a level?", "pain", 1},
		{"minus as a level", "id,er\n1,+\n2,-\n3,++\n", "missing-word", "‘-’ in 1 row of er was read as missing. " +
			"Is it a level?", "er", 2},
		{"blanks as delimiter", "age sex crp\n61 m 1.5\n58  f 2.5\n", "one-column", "Only one column was found, with 3 words in each row. Do spaces separate the columns?", "", 0},
		{"a unit in every cell", "id,dose\n" + rowsOf(12, "P#,1# mg"), "units", "12 values of dose have a unit. " +
			"Should they be read as numbers?", "dose", 0},
		{"day or month", "id,visit\n" + rowsOf(9, "P#,0#/03/2024"), "date-order", "Every date of visit can have the day or the month first: read with the day first.", "visit", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			tab := mustRead(t, c.file, Options{})
			var got []string
			for _, w := range tab.Warnings {
				if w.Code == c.code && w.Message == c.want && w.Column == c.column && w.Row == c.row {
					if Codes[w.Code] == "" || w.Level == "" {
						t.Errorf("%+v is not in Codes or has no level", w)
					}
					return
				}
				got = append(got, fmt.Sprintf("%s %q %q %d", w.Code, w.Message, w.Column, w.Row))
			}
			t.Errorf("got %s\nwant %s %q", strings.Join(got, "\n    "), c.code, c.want)
		})
	}
}

// TestSilence lists ordinary files that must raise no doubt.
func TestSilence(t *testing.T) {
	for _, file := range []string{
		"a,b\n1,2\n3,4\n",
		"\xef\xbb\xbfa,b\n1,2\n3,4\n",
		"sep=;\na;b\n1;2\n3;4\n",
		"a\tb\r\n1\t2\r\n3\t4\r\n\r\n",
		"a|b\n1|2\n3|4",
		"a,b\r1,2\r3,4\r",
		"a,b\n\"1\",\"x, y\"\n\"2\",\"line\nbreak\"\n",
		"a,b\n 12 , 3\n\u22125,4\n",
		"id,crp\n" + rowsOf(30, "P#,1#.5") + "P31,\nP32,NA\nP33,?\n",
	} {
		if tab := mustRead(t, file, Options{}); len(tab.Warnings) > 0 {
			t.Errorf("%q: %+v", file, tab.Warnings)
		}
	}
}

const twoHeaders = "Patient,Labs,Labs,Labs,Outcome\nage,glucose,bmi,pressure,diabetes\n" +
	"50,148,33.6,72,1\n31,85,26.6,66,0\n32,183,23.3,64,1\n21,89,28.1,66,0\n"

// TestSecondHeader: using the second header reads the numbers; a first row with texts of measurements is none.
func TestSecondHeader(t *testing.T) {
	tab := mustRead(t, twoHeaders, Options{})
	at := slices.IndexFunc(tab.Warnings, func(w Warning) bool { return w.Code == "second-header" })
	if at < 0 {
		t.Fatal("no question about line 2")
	}
	tab = mustRead(t, twoHeaders, Options{Dialect: *tab.Warnings[at].Choices[0].Dialect})
	if c := tab.Column("glucose"); tab.Rows != 4 || c == nil || c.Num == nil || len(tab.Warnings) > 0 {
		t.Errorf("%d rows, glucose %+v, %+v", tab.Rows, c, tab.Warnings)
	}
	for _, file := range []string{
		"age,crp,bnp\n61,<5,<10\n58,7,12\n60,8,14\n", "age,crp,bnp\n61,not done,not done\n58,7,12\n60,8,14\n",
		"age,crp,bnp\n,5 mg,6 mg\n58,7,12\n60,8,14\n", "age,sex\n61,m\n58,f\n60,m\n",
	} {
		for _, w := range mustRead(t, file, Options{}).Warnings {
			if w.Code == "second-header" {
				t.Errorf("%q: %s", file, w.Message)
			}
		}
	}
}
