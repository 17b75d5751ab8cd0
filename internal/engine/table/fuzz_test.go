package table

import (
	"bytes"
	"context"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"taper/internal/engine/usererr"
)

// seeds are files that go wrong in as many ways as we know.
var seeds = []string{
	"", "a", "a,b\n1,2\n", "a;b\n1,5;2\n3,25;4\n", "sep=;\na;b\n1;2\n", "\xef\xbb\xbfa\tb\r\n1\t2\r\n",
	"a,b\r1,2\r3,4\r", "a,b\n1,\"2\n", "a,b\n\"1\"\"x\",\"2\n3\"\n", "a,b\n1,2\n3,4,5\n", "a,b\n1,x\"y\n2,3\n", "t\n\na,b,c\n1,2,3\n",
	"1,2\n3,4\n", "a,a,,a_2\n1,2,3,4\n", "a|b\n<0.01|12 mg\n1_000|\u22125\n", "a b c\n1 2  3\n \n", "a\n1,234\n2,345\n",
	"a;b\n1.234,5;2\n;\n;;\n", "\xff\xfea\x00\n\x001\x00\n\x00", "a,b\nM\xfcller,1\n", "d\n01.02.2024\n31.12.23\n", "a,b\n1,\x00\n",
	"<html>", "PK\x03\x04", "a,b\n" + "1,2\n\n\n,\n3,\"\"\n", "a,b\n1,0000000000000000000000000000000000012.5\n1e400,-0\n",
	"h1,h2\n'=1,'-x\n'-5,+3\n", "a,b\n\"x\" ,  \"y\"\n", "x\n\"\"\"\"\n\"\"\n",
}

// dialects are what a fuzzed byte chooses from.
func dialect(choice byte) Dialect {
	zero := 0
	d := Dialect{
		Delimiter: []string{"", "", ",", " "}[choice&3],
		Decimal:   []string{"", ","}[choice>>2&1],
		Quote:     []string{"", "none"}[choice>>3&1],
		BadRows:   []string{"", "skip"}[choice>>4&1],
		Encoding:  []string{"", "utf-8", "windows-1252", "utf-16le"}[choice>>5&3],
	}
	if choice&128 != 0 {
		d.HeaderRow = &zero
	}
	return d
}

// FuzzRead holds that any bytes give a table of equal columns or a sentence,
// the same in one piece and in many.
func FuzzRead(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), byte(0))
		f.Add([]byte(s), byte(i*37))
	}
	f.Fuzz(func(t *testing.T, data []byte, choice byte) {
		opt := Options{Dialect: dialect(choice)}
		whole, err := read(context.Background(), data, opt, Limits{Rows: 10000}, 1<<30)
		for _, size := range []int{1, 7, 64} {
			parts, err2 := read(context.Background(), data, opt, Limits{Rows: 10000}, size)
			if (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
				t.Fatalf("in one piece %v, in pieces of %d %v", err, size, err2)
			}
			if d := cmp.Diff(whole, parts, cmpopts.EquateNaNs()); d != "" {
				t.Fatalf("pieces of %d bytes differ: %s", size, d)
			}
		}
		if err != nil {
			if _, ok := usererr.As(err); !ok {
				t.Fatalf("no sentence: %v", err)
			}
			return
		}
		checkTable(t, whole)
		again, err := Read(context.Background(), data, Options{Dialect: whole.Dialect}, Limits{Rows: 10000})
		if err != nil {
			t.Fatalf("with the dialect as used: %v", err)
		}
		if d := cmp.Diff(whole.Columns, again.Columns, cmpopts.EquateNaNs()); d != "" {
			t.Fatalf("the dialect as used reads otherwise: %s", d)
		}
	})
}

// checkTable checks what every table promises.
func checkTable(t *testing.T, tab *Table) {
	t.Helper()
	names := map[string]bool{}
	for _, c := range tab.Columns {
		if names[c.Name] || c.Name == "" || !utf8.ValidString(c.Name) {
			t.Fatalf("name %q is empty, used twice or not UTF-8", c.Name)
		}
		names[c.Name] = true
		if c.Numeric() != (c.Num != nil) || c.Num != nil && len(c.Num) != tab.Rows || c.Code != nil && len(c.Code) != tab.Rows {
			t.Fatalf("%s: %d numbers, %d codes in %d rows of type %s", c.Name, len(c.Num), len(c.Code), tab.Rows, c.Type)
		}
		if c.Num == nil && c.Code == nil || len(c.Levels) != len(c.Count) {
			t.Fatalf("%s: no content, or %d levels and %d counts", c.Name, len(c.Levels), len(c.Count))
		}
		missing, count := 0, make([]int, len(c.Levels))
		for i := range tab.Rows {
			if c.Numeric() {
				missing += btoi(c.Num[i] != c.Num[i])
			} else {
				missing += btoi(c.Code[i] < 0)
			}
			if c.Code != nil && c.Code[i] >= 0 {
				count[c.Code[i]]++
			}
		}
		if missing != c.Missing || !cmp.Equal(count, append([]int{}, c.Count...)) {
			t.Fatalf("%s: missing %d counted as %d, levels %v as %v", c.Name, missing, c.Missing, count, c.Count)
		}
		for _, l := range c.Levels {
			if !utf8.ValidString(l) {
				t.Fatalf("%s: level %q is not UTF-8", c.Name, l)
			}
		}
		for _, o := range c.OddTexts {
			if o.Row < 1 || o.Row > tab.Rows || o.Count < 1 {
				t.Fatalf("%s: odd %+v", c.Name, o)
			}
		}
	}
}

// FuzzHead holds that a preview never fails on what Read reads, and shows the
// same header and, where rows are not dropped, the same first rows.
func FuzzHead(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), byte(i*37))
	}
	f.Fuzz(func(t *testing.T, data []byte, choice byte) {
		d := dialect(choice)
		p, err := Head(context.Background(), data, d, 5)
		tab, err2 := Read(context.Background(), data, Options{Dialect: d}, Limits{Rows: 10000})
		if err != nil {
			if err2 == nil {
				t.Fatalf("Head: %v, but Read reads it", err)
			}
			return
		}
		if len(p.Rows) > 5 || len(p.Rows) != len(p.Line) {
			t.Fatalf("%d rows, %d lines", len(p.Rows), len(p.Line))
		}
		if err2 != nil {
			return
		}
		if len(p.Header) != len(tab.Columns) {
			t.Fatalf("header %q, %d columns", p.Header, len(tab.Columns))
		}
		if d.BadRows == "" && len(p.Rows) != min(5, tab.Rows) {
			t.Fatalf("%d rows of %d", len(p.Rows), tab.Rows)
		}
	})
}

// FuzzRows holds that a RowReader sees the rows that Read makes, and that what
// a RowWriter writes is the input with one column more.
func FuzzRows(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), byte(i*37))
	}
	f.Fuzz(func(t *testing.T, data []byte, choice byte) {
		d := dialect(choice)
		d.BadRows = ""
		tab, err := Read(context.Background(), data, Options{Dialect: d}, Limits{Rows: 10000})
		if err != nil {
			return
		}
		r, err := NewRowReader(context.Background(), data, d, Limits{})
		if err != nil {
			t.Fatalf("Read reads it, but NewRowReader: %v", err)
		}
		var out bytes.Buffer
		w, err := NewRowWriter(&out, r, []string{"extra"}, false)
		if err != nil {
			t.Fatal(err)
		}
		var row Row
		n := 0
		for ; r.Read(&row) == nil; n++ {
			if len(row.Cells) != len(tab.Columns) {
				t.Fatalf("row %d has %d cells of %d", n, len(row.Cells), len(tab.Columns))
			}
			if err := w.Write(&row, "7"); err != nil {
				t.Fatal(err)
			}
		}
		if n != tab.Rows {
			t.Fatalf("%d rows of %d", n, tab.Rows)
		}
		if r.l.above > 0 {
			return // what is a title depends on the number of columns
		}
		again, err := NewRowReader(context.Background(), out.Bytes(), r.Dialect(), Limits{})
		if err != nil {
			t.Fatalf("written %q: %v", out.Bytes(), err)
		}
		for n = 0; again.Read(&row) == nil; n++ {
			if len(row.Cells) != len(tab.Columns)+1 || row.Cells[len(row.Cells)-1] != "7" {
				t.Fatalf("written row %d: %q", n, row.Cells)
			}
		}
		if n != tab.Rows {
			t.Fatalf("wrote %d rows of %d: %q", n, tab.Rows, out.Bytes())
		}
	})
}
