package parquet

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"pgregory.net/rapid"

	"taper/internal/engine/table"
)

// columnsBack are the values of all columns as our reader and as the library's return them.
func columnsBack(t *testing.T, file []byte) (names []string, ours, theirs [][]value) {
	t.Helper()
	whole, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	m := whole.Metadata()
	ours, theirs = make([][]value, len(m.Schema)-1), make([][]value, len(m.Schema)-1)
	for i := range ours {
		names = append(names, m.Schema[1+i].Name)
		for g, group := range whole.RowGroups() {
			theirs[i] = append(theirs[i], libraryValues(t, group.ColumnChunks()[i])...)
			c := chunkOf(bytes.NewReader(file), &m.RowGroups[g].Columns[i].MetaData, formOf(&m.Schema[1+i]))
			if err := c.read(int(group.NumRows()), func(v value) error {
				v.bytes = bytes.Clone(v.bytes)
				ours[i] = append(ours[i], v)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return names, ours, theirs
}

// TestFile: what is written is read back to the bit, in two row groups, by our reader and by the library's.
func TestFile(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 2))
	fields := []*field{{name: "truth", kind: format.Boolean}, {name: "whole", kind: format.Int64},
		{name: "größe", kind: format.Double}, {name: "text", kind: format.ByteArray}, {name: "never", kind: format.ByteArray}}
	const rows = groupRows + 9
	want := make([][]value, len(fields))
	wholes := []int64{math.MinInt64, math.MaxInt64, 1<<53 + 1, -1, 0}
	numbers := []float64{math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, math.MaxFloat64, .1}
	texts := []string{"", "größer", "日本\n", "a,\"b\"", strings.Repeat("x", 300), "\u202f", " "}
	var b bytes.Buffer
	w, err := newFile(&b, fields)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		for j, f := range fields {
			v := value{missing: r.IntN(5) == 0 || f.name == "never"}
			switch {
			case v.missing:
				f.missing()
			case f.kind == format.Boolean:
				v.bits = r.Uint64() & 1
				f.truth(v.bits == 1)
			case f.kind == format.Int64:
				n := wholes[i%len(wholes)]
				v.bits = uint64(n)
				f.whole(n)
			case f.kind == format.Double:
				x := numbers[i%len(numbers)]
				v.bits = math.Float64bits(x)
				f.number(x)
			default:
				s := texts[r.IntN(len(texts))]
				v.bytes = []byte(s)
				f.text(s)
			}
			want[j] = append(want[j], v)
		}
		if err := w.endRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	names, ours, theirs := columnsBack(t, b.Bytes())
	for j, f := range fields {
		if names[j] != f.name || !slices.EqualFunc(want[j], ours[j], equalValues) || !slices.EqualFunc(want[j], theirs[j], equalValues) {
			t.Errorf("column %s is read back otherwise", f.name)
		}
	}
	if groups := len(w.meta.RowGroups); groups != 2 || w.meta.NumRows != rows {
		t.Errorf("%d row groups of %d rows", groups, w.meta.NumRows)
	}
	m, err := footer(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for j := range fields {
		if got := m.RowGroups[1].Columns[j].MetaData.Statistics.NullCount; got != missingOf(want[j][groupRows:]) {
			t.Errorf("column %s counts %d missing values", fields[j].name, got)
		}
	}
}

// TestFileWithoutRows: it has names alone.
func TestFileWithoutRows(t *testing.T) {
	var b bytes.Buffer
	w, err := newFile(&b, []*field{{name: "x", kind: format.Double}, {name: "y", kind: format.ByteArray}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	if got, err := text(b.Bytes()); err != nil || got != "x,y\n" {
		t.Errorf("%q %v", got, err)
	}
}

// TestWriteHeaderAlone: a table without rows, such as the cells of a study before the first is done, has its names.
func TestWriteHeaderAlone(t *testing.T) {
	file := parquetOf(t, "dataset,auc,n\n", table.Dialect{Delimiter: ",", Decimal: "."})
	f, err := footer(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range f.Schema[1:] {
		if e.Type.V != format.ByteArray {
			t.Errorf("%s is %v", e.Name, e.Type.V)
		}
	}
	if got, err := text(file); err != nil || got != "dataset,auc,n\n" {
		t.Errorf("%q %v", got, err)
	}
	var b bytes.Buffer
	for _, none := range []string{"", "a,b\n1,2\n3,4\n5\n"} {
		if err := Write(t.Context(), &b, []byte(none), table.Dialect{}); err == nil {
			t.Errorf("%q is written", none)
		}
	}
}

func missingOf(values []value) (n int64) {
	for _, v := range values {
		if v.missing {
			n++
		}
	}
	return n
}

func parquetOf(t testing.TB, text string, d table.Dialect) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(context.Background(), &b, []byte(text), d); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestWrite: each column has the narrowest type of its cells, and no whole number is rounded.
func TestWrite(t *testing.T) {
	const long = "9223372036854775807"
	for name, c := range map[string]struct {
		cells string // by blanks; _ is an empty cell
		kind  format.Type
		want  string // as read back; "" = the cells
	}{
		"whole":             {"1 -20 0 _ " + long, format.Int64, ""},
		"codes of missing":  {"1 NA 2 . nan", format.Int64, "1 _ 2 _ _"},
		"whole and decimal": {"1 2.5 -0.25", format.Double, ""},
		"minus zero":        {"-0 1", format.Double, ""},
		"exponent":          {"1e100 2.50 +Inf -Inf 9007199254740992", format.Double, "1e+100 2.5 +Inf -Inf 9.007199254740992e+15"},
		"truth":             {"true false _", format.Boolean, ""},
		"truth of R":        {"TRUE FALSE", format.ByteArray, ""},
		"truth and number":  {"true 1", format.ByteArray, ""},
		"codes":             {"007 012", format.ByteArray, ""},
		"too large":         {"9223372036854775808 1", format.ByteArray, ""},
		"rounded":           {"9007199254740993 .5", format.ByteArray, ""},
		"zero decimals":     {"9007199254740993.0 3.5", format.ByteArray, ""},
		"held":              {"-9007199254740994.00 3.5", format.Double, "-9.007199254740994e+15 3.5"},
		"many digits":       {"0.1000000000000000055511151231257827 1E5 1", format.Double, "0.1 100000 1"},
		"words":             {"größer _ NA 12", format.ByteArray, ""},
		"formula":           {"'=1+1 '-x 2", format.ByteArray, "=1+1 -x 2"},
		"nothing":           {"_ NA", format.ByteArray, ""},
		"overflow":          {"1e300 1", format.ByteArray, ""},
		"limits":            {"<0.5 1", format.ByteArray, ""},
	} {
		t.Run(name, func(t *testing.T) {
			cells := strings.Fields(c.cells)
			text := "x,row\n"
			for i, cell := range cells {
				text += fmt.Sprint(strings.TrimPrefix(cell, "_"), ",", i, "\n")
			}
			file := parquetOf(t, text, table.Dialect{})
			names, got, _ := columnsBack(t, file)
			f, err := footer(bytes.NewReader(file), int64(len(file)))
			if err != nil {
				t.Fatal(err)
			}
			column, read := textOf(&f.Schema[1]), []string{}
			for _, v := range got[0] {
				cell := "_"
				if !v.missing {
					b, err := column(nil, v)
					if err != nil {
						t.Fatal(err)
					}
					cell = string(b)
				}
				read = append(read, cell)
			}
			want := c.want
			if want == "" {
				want = c.cells
			}
			if d := cmp.Diff(strings.Fields(want), read); d != "" || f.Schema[1].Type.V != c.kind || names[0] != "x" {
				t.Errorf("%v %v %s", names, f.Schema[1].Type.V, d)
			}
		})
	}
}

// TestWriteDialect: the marks of a file are read as those of any file, and text is written in UTF-8.
func TestWriteDialect(t *testing.T) {
	for name, csv := range map[string]string{
		"decimal comma": "Größe;Gruppe\n1,5;a\n-2;größer\n;\"x;y\"\n",
		"Windows":       "Gr\xf6\xdfe;Gruppe\r\n1,5;a\r\n-2;gr\xf6\xdfer\r\n;\"x;y\"\r\n",
	} {
		got, err := text(parquetOf(t, csv, table.Dialect{}))
		if want := "Größe,Gruppe\n1.5,a\n-2,größer\n,\"x;y\"\n"; err != nil || got != want {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := Write(ended, new(bytes.Buffer), []byte("a,b\n1,2\n"), table.Dialect{}); err == nil {
		t.Error("it goes on after its end")
	}
}

// TestWriteMemory: long texts end a row group early, so that little more than a group is in memory.
func TestWriteMemory(t *testing.T) {
	f := []*field{{name: "s", kind: format.ByteArray}}
	var out counter
	w, err := newFile(&out, f)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 1<<20)
	for range 200 {
		f[0].text(long)
		if err := w.endRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	if most := cap(f[0].data); len(w.meta.RowGroups) != 4 || most > 2*groupBytes {
		t.Errorf("%d row groups, %d bytes of one", len(w.meta.RowGroups), most)
	}
}

type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// TestWriteAnyCells: each cell comes back as the same text or the same number, or was empty or a code for missing.
func TestWriteAnyCells(t *testing.T) {
	cells := rapid.OneOf(rapid.StringMatching(`-?[0-9]{1,20}(\.0*)?`), rapid.StringMatching(`[-+]?[0-9]{0,17}\.[0-9]{0,17}(e-?[0-9]{1,2})?`),
		rapid.StringMatching(`true|false|NA|\.|||-0|\+Inf|-Inf|NaN|007|=1`), rapid.StringMatching(`[a-zäß日 "',;0-9.-]{0,6}`))
	rapid.Check(t, func(t *rapid.T) {
		var out bytes.Buffer
		csv := csv.NewWriter(&out)
		csv.Write([]string{"one", "two", "three"})
		var want [][]string
		for range rapid.IntRange(1, 30).Draw(t, "rows") {
			row := []string{cells.Draw(t, "one"), cells.Draw(t, "two"), "row"} // a record of empty cells at the end is no row
			want = append(want, row)
			csv.Write(row)
		}
		csv.Flush()
		var b bytes.Buffer
		if err := Write(context.Background(), &b, out.Bytes(), table.Dialect{Delimiter: ",", Decimal: "."}); err != nil {
			t.Fatal(err)
		}
		file := bytes.NewReader(b.Bytes())
		m, err := footer(file, file.Size())
		if err != nil {
			t.Fatal(err)
		}
		for j := range 3 {
			text, i := textOf(&m.Schema[1+j]), 0
			c := chunkOf(file, &m.RowGroups[0].Columns[j].MetaData, formOf(&m.Schema[1+j]))
			if err := c.read(len(want), func(v value) error {
				cell := want[i][j]
				trimmed := strings.TrimSpace(cell)
				i++
				if v.missing {
					if !table.CodeOfMissing(trimmed) {
						return fmt.Errorf("%q became missing", cell)
					}
					return nil
				}
				got, err := text(nil, v)
				a, bad := strconv.ParseFloat(trimmed, 64)
				b, bad2 := strconv.ParseFloat(string(got), 64)
				if err != nil || string(got) != table.Unguard(cell) && (bad != nil || bad2 != nil ||
					math.Float64bits(a) != math.Float64bits(b)) {
					return fmt.Errorf("%q became %q (%v): %w", cell, got, m.Schema[1+j].Type.V, err)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
