package table

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// TestWriteReadRoundTrip holds that a written table reads as the same columns:
// type, values, missing cells, levels.
func TestWriteReadRoundTrip(t *testing.T) {
	texts := rapid.SampledFrom([]string{
		"a", "b c", "=1+1", "+", "++", "-x", "@home", "\"q\"", "x,y", "two\nlines", "Müller", "'", "''", "'=x", "yes", "7 mg", "1;2", "#",
	})
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 60).Draw(t, "rows")
		orig := &Table{Rows: rows}
		for j := range rapid.IntRange(1, 4).Draw(t, "columns") {
			c := &Column{Name: string(rune('a'+j)) + rapid.SampledFrom([]string{"", "=", ", x", "\"", " y"}).Draw(t, "name")}
			if rapid.Bool().Draw(t, "numeric") {
				c.Type = Number
				for range rows {
					v := rapid.Float64Range(-MaxNumber, MaxNumber).Draw(t, "v")
					if math.IsInf(v, 0) || rapid.IntRange(0, 5).Draw(t, "missing") == 0 {
						v = math.NaN()
					}
					c.Num = append(c.Num, v)
				}
			} else {
				c.Type = Category
				var d dict
				for range rows {
					if rapid.IntRange(0, 5).Draw(t, "missing") == 0 {
						c.Code = append(c.Code, -1)
					} else {
						c.Code = append(c.Code, d.add([]byte(texts.Draw(t, "text"))))
					}
				}
				c.Levels, c.Count = d.text, d.count
			}
			orig.Columns = append(orig.Columns, c)
		}
		var out bytes.Buffer
		if err := WriteCSV(&out, orig); err != nil {
			t.Fatal(err)
		}
		one := 1
		opt := Options{Dialect: Dialect{Format: "csv", Delimiter: ",", Decimal: ".", Thousands: "none", Encoding: "utf-8", HeaderRow: &one}}
		for _, c := range orig.Columns {
			opt.Columns = append(opt.Columns, ColumnSpec{Name: c.Name, Type: c.Type})
		}
		tab, err := Read(context.Background(), out.Bytes(), opt, Limits{})
		if err != nil {
			t.Fatalf("%v\n%s", err, out.Bytes())
		}
		if tab.Rows != rows {
			t.Fatalf("%d rows of %d\n%s", tab.Rows, rows, out.Bytes())
		}
		for j, c := range orig.Columns {
			got := tab.Columns[j]
			if got.Name != c.Name || got.Type != c.Type {
				t.Fatalf("%q %s, want %q %s\n%s", got.Name, got.Type, c.Name, c.Type, out.Bytes())
			}
			if d := cmp.Diff(c.Num, got.Num, cmpopts.EquateNaNs()); d != "" {
				t.Fatalf("numbers: %s", d)
			}
			if c.Type == Category {
				for i, code := range c.Code {
					if got.text(i) != c.text(i) || (got.Code[i] < 0) != (code < 0) {
						t.Fatalf("row %d: %q, want %q", i, got.text(i), c.text(i))
					}
				}
			}
		}
	})
}

// text returns the level of a row.
func (c *Column) text(i int) string {
	if c.Code[i] < 0 {
		return ""
	}
	return strings.TrimPrefix(c.Levels[c.Code[i]], "'")
}

func TestWriteCSV(t *testing.T) {
	tab := mustRead(t, "id;crp;visit;grp;sex\n"+
		"P1;1,50;01.02.2024;=cmd;m\nP2;;;-;f\nP3;<0,01;03.02.2024;@x;f\nP4;-2,5;04.02.2024;a,b;\nP5;-3;;\"q\"\"\";m\nP6;10000000;;;m\nP7;4;;;m\nP8;4;;;f\nP9;3;;;f\nP10;2;;;f\n", Options{})
	var out bytes.Buffer
	if err := WriteCSV(&out, tab); err != nil {
		t.Fatal(err)
	}
	want := "id,crp,visit,grp,sex\nP1,1.5,2024-02-01,'=cmd,m\nP2,,,,f\nP3,\"<0,01\",2024-02-03,'@x,f\nP4,-2.5,2024-02-04,\"a,b\",\nP5,-3,,\"q\"\"\",m\n" +
		"P6,10000000,,,m\nP7,4,,,m\nP8,4,,,f\nP9,3,,,f\nP10,2,,,f\n"
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}
