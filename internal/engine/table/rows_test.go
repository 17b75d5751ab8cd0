package table

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRowWriterKeepsTheDialect(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		d              Dialect
	}{
		{"comma", "a,b\n1, 2\n\"3\",\"x \"\"y\"\"\"\n", "a,b,score\n1, 2,0.5\n\"3\",\"x \"\"y\"\"\",0.5\n", Dialect{}},
		{"no end of line", "a,b\n1,2", "a,b,score\n1,2,0.5\n", Dialect{}},
		{"semicolon, CRLF, mark, sep", "\xef\xbb\xbfsep=;\r\na;b\r\n1,5;x\r\n", "\xef\xbb\xbfsep=;\r\na;b;score\r\n1,5;x;0,5\r\n", Dialect{}},
		{"CR alone", "a\tb\r1\t2\r3\t4\r", "a\tb\tscore\r1\t2\t0.5\r3\t4\t0.5\r", Dialect{}},
		{"Windows-1252", "name;crp\nM\xfcller;1,5\n\x80;2,5\n", "name;crp;score\nM\xfcller;1,5;0,5\n\x80;2,5;0,5\n", Dialect{}},
		{"UTF-16", "\xff\xfea\x00,\x00b\x00\n\x001\x00,\x002\x00\n\x00", "\xff\xfea\x00,\x00b\x00,\x00s\x00c\x00o\x00r\x00e\x00\n\x001\x00,\x002\x00,\x000\x00.\x005\x00\n\x00", Dialect{}},
		{"titles and blank lines", "Study X\n\na;b;c\n1;2;3\n\n4;5;6\n;;\n", "Study X\n\na;b;c;score\n1;2;3;0.5\n4;5;6;0.5\n", Dialect{}},
		{"no header", "1,2\n3,4\n", "1,2,0.5\n3,4,0.5\n", Dialect{}},
		{"name taken", "a,score\n1,x\n", "a,score,score_2\n1,x,0.5\n", Dialect{}},
		{"formulas", "=a,b\n=1+1,-5\n\"@x\",+x\n-1,\" -y\"\n", "'=a,b,score\n'=1+1,-5,0.5\n\"'@x\",'+x,0.5\n-1,\" -y\",0.5\n", Dialect{}},
		{"blanks", "a  b\n 1   2\n", "a b score\n1 2 0.5\n", Dialect{Delimiter: " "}},
		{"line breaks in cells", "a,b\n\"x\ny\",2\n", "a,b,score\n\"x\ny\",2,0.5\n", Dialect{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := NewRowReader(context.Background(), []byte(c.in), c.d, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			w, err := NewRowWriter(&out, r, []string{"score"}, false)
			if err != nil {
				t.Fatal(err)
			}
			var row Row
			for err = r.Read(&row); err == nil; err = r.Read(&row) {
				if err := w.Write(&row, w.Number(.5)); err != nil {
					t.Fatal(err)
				}
			}
			if err != io.EOF {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, out.String()); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestRowWriterNames: a file without a header can get one, in its dialect; the header of another file stays.
func TestRowWriterNames(t *testing.T) {
	for in, want := range map[string]string{
		"1;2,5\r\n3;4,5\r\n":            "c1;c2;score\r\n",
		"sep=|\n1|2\n3|4\n":             "sep=|\nc1|c2|score\n",
		"a,score\n1,2\n3,4\n":           "a,score,score_2\n",
		"\xff\xfe1\x00,\x002\x00\n\x00": "\xff\xfec\x001\x00,\x00c\x002\x00,\x00s\x00c\x00o\x00r\x00e\x00\n\x00",
	} {
		r, err := NewRowReader(t.Context(), []byte(in), Dialect{}, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := NewRowWriter(&out, r, []string{"score"}, true); err != nil || out.String() != want {
			t.Errorf("%q: %q %v", in, out.String(), err)
		}
	}
}

func TestRowReaderLines(t *testing.T) {
	r, err := NewRowReader(context.Background(), []byte("a,b\n1,\"x\ny\"\n\n3,4,5\n"), Dialect{}, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var row Row
	var lines, cells []int
	for r.Read(&row) == nil {
		lines, cells = append(lines, row.Line), append(cells, len(row.Cells))
	}
	if !cmp.Equal(lines, []int{2, 5}) || !cmp.Equal(cells, []int{2, 3}) || !cmp.Equal(r.Header(), []string{"a", "b"}) {
		t.Errorf("lines %v, cells %v, header %q", lines, cells, r.Header())
	}
}

func TestHeadShowsDrafts(t *testing.T) {
	for _, c := range []struct {
		name, file string
		header     []string
		rows       [][]string
		line       []int
	}{
		{"ragged", "a,b\n1,2\n\n3,4,5\n6\n", []string{"a", "b"}, [][]string{{"1", "2"}, {"3", "4", "5"}, {"6"}}, []int{2, 4, 5}},
		{"stray quote", "a,b\n1,5' 10\"\n2,x\n", []string{"a", "b"}, [][]string{{"1", "5' 10\""}, {"2", "x"}}, []int{2, 3}},
		{"unclosed quote", "a,b\n1,\"2\n3,4\n", []string{"a", "b"}, [][]string{{"1", "2\n3,4\n"}}, []int{2}},
		{"binary", "a,b\n1,\x00\n", []string{"a", "b"}, [][]string{{"1", "\x00"}}, []int{2}},
		{"header only", "a,b\n", []string{"a", "b"}, [][]string{}, []int{}},
	} {
		p, err := Head(context.Background(), []byte(c.file), Dialect{}, 20)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		p.Dialect = Dialect{}
		if d := cmp.Diff(Preview{Header: c.header, Rows: c.rows, Line: c.line}, p); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
