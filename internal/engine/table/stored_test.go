package table

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"taper/internal/golden"
	"taper/internal/testtime"
	"taper/testdata"
)

// TestStoredTables: what is read of the shipped files, by several options, is what it
// was: dialect, columns, profiles, warnings, what was left out. A context that ends is reported.
func TestStoredTables(t *testing.T) {
	odd := "\ufeffReport of 3 May\n\nId;Date;Größe;Kosten;Ja/Nein;Note\n" +
		"1;01.02.2020;1,5;1.234,50;ja;-\n2;03.02.2020;<2,5;12.000,00;nein;\"a;b\"\n3;;NA;99;ja;c\n4;31.12.2019;1,9;−7,25;nein;d;extra\n" +
		"5;05.02.2020;=1+1;100 €;ja;e\n6;06.02.2020;1,7;0,00;nein;f\n;;;;;\nSum;;8;9;;\n"
	for _, c := range []struct {
		name, text string
		o          Options
	}{
		{"dirty", string(testdata.Read("heart-clinic-dirty.csv")), Options{}},
		{"clinic", string(testdata.Read("heart-clinic.csv")), Options{Columns: []ColumnSpec{{Name: "age", Type: Category}, {Name: "chol", MissingCodes: []string{"0"}}}}},
		{"odd", odd, Options{}},
		{"no header", "1,2,a\n3,4,b\n5,,a\n", Options{}},
		{"spaces", "a  b   c\n1  2   x\n3  4   y\n", Options{}},
		{"tabs", "a\tb\n1.5\tTRUE\n2.5\tFALSE\n.\tTRUE\n", Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := map[string]any{}
			tab, err := Read(t.Context(), []byte(c.text), c.o, DefaultLimits)
			if found["error"] = fmt.Sprint(err); err == nil {
				var out bytes.Buffer
				if err := WriteCSV(&out, tab); err != nil {
					t.Fatal(err)
				}
				lines := bytes.SplitAfter(out.Bytes(), []byte("\n"))
				found["table"] = map[string]any{"rows": tab.Rows, "dialect": tab.Dialect, "warnings": tab.Warnings, "dropped": tab.Dropped,
					"profiles": Profiles(tab), "written": string(bytes.Join(lines[:min(20, len(lines))], nil))}
				var columns []any
				for _, col := range tab.Columns {
					short := *col
					short.Num, short.Code = short.Num[:min(12, len(short.Num))], short.Code[:min(12, len(short.Code))]
					exported := golden.Exported(short)
					delete(exported.(map[string]any), "Home")
					columns = append(columns, exported)
				}
				found["columns"] = columns
			}
			head, err := Head(t.Context(), []byte(c.text), Dialect{}, 5)
			found["head"], found["head error"] = golden.Exported(head), fmt.Sprint(err)
			golden.Equal(t, "tables/"+c.name, found)
			testtime.EndAtLooks(t, func(ctx context.Context) error {
				_, err := Read(ctx, []byte(c.text), c.o, DefaultLimits)
				return err
			})
		})
	}
}

// TestHeaderVotes: a word above numbers speaks for a header, a number above them against,
// and one name outweighs three numbers.
func TestHeaderVotes(t *testing.T) {
	for _, c := range []struct {
		names, numbers, again int
		want                  bool
	}{
		{0, 0, 0, true}, {0, 1, 0, false}, {0, 0, 1, false}, {1, 0, 0, true}, {1, 3, 0, true}, {1, 4, 0, false}, {1, 2, 1, true}, {1, 2, 2, false},
		{2, 6, 0, true}, {2, 7, 0, false},
	} {
		var head, row []string
		for range c.names {
			head, row = append(head, "age"), append(row, "61")
		}
		for range c.numbers {
			head, row = append(head, "7"), append(row, "62")
		}
		for range c.again {
			head, row = append(head, "yes"), append(row, "yes")
		}
		below := []record{{cells: row, n: len(row)}, {cells: row, n: len(row)}}
		if got := hasHeader(record{cells: head, n: len(head)}, below); got != c.want {
			t.Errorf("%d names, %d numbers, %d texts that come again: header %v", c.names, c.numbers, c.again, got)
		}
	}
}

// TestOddTextsAreBounded: of many texts among numbers, or among dates, a hundred are named
// with their counts and first rows.
func TestOddTextsAreBounded(t *testing.T) {
	for name, value := range map[string]func(i int) string{
		"numbers": func(i int) string { return fmt.Sprint(i%977, ".5") },
		"dates":   func(i int) string { return fmt.Sprintf("20%02d-0%d-1%d", i%23, 1+i%9, i%9) },
	} {
		for _, odd := range []int{3, 99, 100, 101, 130} {
			text := bytes.NewBufferString("x,y\n")
			for i := range 6000 {
				if i%40 == 0 && i/40 < odd {
					fmt.Fprintf(text, "odd%c%c,1\n", 'a'+i/40/26, 'a'+i/40%26)
				} else {
					fmt.Fprintf(text, "%s,%d\n", value(i), i%3)
				}
			}
			tab, err := Read(t.Context(), text.Bytes(), Options{Columns: []ColumnSpec{{Name: "x", Type: map[string]Type{"numbers": Number, "dates": Date}[name]}}}, DefaultLimits)
			if err != nil {
				t.Fatal(err)
			}
			got := tab.Columns[0].OddTexts
			if len(got) != min(odd, 100) {
				t.Errorf("%d odd texts among %s: %d are named", odd, name, len(got))
				continue
			}
			for k, o := range got {
				if o.Count != 1 || o.Row != 40*k+1 {
					t.Errorf("%s: %+v is number %d", name, o, k)
					break
				}
			}
		}
	}
}
