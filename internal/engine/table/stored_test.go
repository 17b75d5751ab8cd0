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
// was: dialect, columns, profiles, warnings, what was left out. A context that ends is told.
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
					columns = append(columns, golden.Exported(short))
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
