package table

import (
	"fmt"
	"slices"
	"testing"
)

// column reads cells as the second column of a file, beside an id.
func column(t *testing.T, name string, spec ColumnSpec, cells ...string) *Column {
	t.Helper()
	text := "pid\t" + name + "\n"
	for i, c := range cells {
		text += fmt.Sprintf("P%03d\t%s\n", i*7, c)
	}
	spec.Name = name
	return mustRead(t, text, Options{Columns: []ColumnSpec{spec}, Dialect: Dialect{Delimiter: "\t"}}).Columns[1]
}

// numbered returns n cells by fmt.
func cellsOf(n int, format string, f func(i int) any) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(format, f(i))
	}
	return out
}

func TestTypes(t *testing.T) {
	i := func(i int) any { return i }
	many := func(format string) []string { return cellsOf(120, format, i) }
	for _, c := range []struct {
		name  string
		cells []string
		typ   Type
		role  Role
	}{
		{"creatinine", cellsOf(60, "%.2f", func(i int) any { return 0.5 + float64(i)*0.013 }), Number, Predictor},
		{"age", cellsOf(60, "%d", func(i int) any { return 30 + i*i%60 }), Integer, Predictor},
		{"age", cellsOf(20, "%d", func(i int) any { return 40 + i }), Integer, Predictor},
		{"age", cellsOf(60, "%d.0", func(i int) any { return 30 + i*i%60 }), Integer, Predictor},
		{"sex", []string{"m", "f", "f", "m"}, Boolean, Predictor},
		{"smoker", []string{"0", "1", "1", "0"}, Boolean, Predictor},
		{"grade", []string{"1", "2", "3", "2", "1", "3"}, Integer, Predictor},
		{"stage", []string{"I", "II", "III", "II", "I"}, Category, Predictor},
		{"site", []string{"A", "A", "", "A"}, Constant, Exclude},
		{"site", []string{"", "NA", "", "."}, Constant, Exclude},
		{"visit", many("2024-01-%02d")[1:29], Date, Exclude},
		{"visit", []string{"31.12.2023", "01.02.2024", ""}, Date, Exclude},
		{"visit", []string{"12/31/2023", "02/01/2024"}, Date, Exclude},
		{"visit", []string{"2024-01-31T08:30", "2024-02-01 09:45:10"}, Date, Exclude},
		{"visit", []string{"20240131", "20240201", "19991231"}, Date, Exclude},
		{"visit", []string{"31JAN2024", "01feb2024"}, Date, Exclude},
		{"born", []string{"03.04.51", "11.12.68"}, Date, Exclude},
		{"key", many("P%05d"), Identifier, Exclude},
		{"x", many("1%09d"), Identifier, Exclude},
		{"n", cellsOf(60, "%d", func(i int) any { return i + 1 }), Identifier, Exclude},
		{"patient", cellsOf(200, "%d", func(i int) any { return 1000 + i/3 }), Identifier, Exclude},
		{"patient", append(cellsOf(59, "%d", func(i int) any { return 1000 + i/2 }), "+1029"), Identifier, Exclude},
		{"patient_id", cellsOf(60, "Q%d", func(i int) any { return i / 2 }), Identifier, Exclude},
		{"note", cellsOf(60, "seen in week %d and doing well", i), Text, Exclude},
		{"town", cellsOf(130, "town %d", func(i int) any { return i / 2 }), Text, Exclude},
		{"center", []string{"01", "02", "03", "01"}, Category, Predictor},
		{"crp", append(cellsOf(10, "1%d.5", i), "<0.01"), Number, Predictor},
		{"crp", append(cellsOf(10, "1%d.5", i), "<0.01", "<0.01", "<0.01", "<0.01"), Number, Predictor},
		{"mixed", append(cellsOf(8, "1%d.5", i), "a", "b", "c", "d"), Category, Predictor},
		{"pressure", cellsOf(20, "1%d/80", func(i int) any { return 10 + i%9 }), Category, Predictor},
		{"stage2", []string{"1", "2a", "2b", "3", "1", "2a"}, Category, Predictor},
	} {
		got := column(t, c.name, ColumnSpec{}, c.cells...)
		if got.Type != c.typ || got.Role != c.role {
			t.Errorf("%s %q…: %s %s, want %s %s", c.name, c.cells[:3], got.Type, got.Role, c.typ, c.role)
		}
	}
}

func TestDates(t *testing.T) {
	for _, c := range []struct {
		cells []string
		days  []float64
	}{
		{[]string{"1970-01-02", "1969-12-31", "2000-03-01"}, []float64{1, -1, 11017}},
		{[]string{"31.01.1970", "2.1.1970"}, []float64{30, 1}},
		{[]string{"13/01/1970", "02/01/1970"}, []float64{12, 1}},
		{[]string{"01/13/1970", "02/01/1970"}, []float64{12, 31}},
		{[]string{"1970-01-02 12:00", "1970-01-02T18:00:00Z"}, []float64{1.5, 1.75}},
		{[]string{"1970-01-02T00:00:00+06:00", "1970-01-02"}, []float64{.75, 1}},
		{[]string{"1/2/1970 6:00 PM", "1/13/1970 0:00"}, []float64{1.75, 12}},
		{[]string{"02Jan1970", "3-Jan-70", "31 DEC 1969"}, []float64{1, 2, -1}},
		{[]string{"19700102", "19700103", "20000301"}, []float64{1, 2, 11017}},
	} {
		got := column(t, "d", ColumnSpec{}, c.cells...)
		if got.Type != Date || !slices.Equal(got.Num, c.days) {
			t.Errorf("%q: %s %v, want %v", c.cells, got.Type, got.Num, c.days)
		}
	}
	for text, want := range map[string]string{
		"31.01.2024": "02.01.2006", "1/31/2024": "01/02/2006", "2024-01-31 08:30": "2006-01-02 15:04", "31.1.24": "02.01.06", "2024/1/31": "2006/01/02", "20240131": compactLayout,
	} {
		c := column(t, "d", ColumnSpec{}, text, text, text+"")
		if c.Type == Constant {
			c = column(t, "d", ColumnSpec{Type: Date}, text, text)
		}
		if days, ok := ReadDate(text, c.Layout); c.Layout != want || !ok || days != c.Num[0] {
			t.Errorf("%s: layout %q, want %q; day %v, want %v", text, c.Layout, want, days, c.Num[0])
		}
	}
	for _, bad := range []string{"31.02.2024", "2024-13-01", "1.2", "1/2/3/4", "01.02.20244", "2024-1", "12:30", "32JAN2024", "01XXX2024"} {
		for o := ymd; o <= mdy; o++ {
			if d, ok := parseDate(bad, o); ok {
				t.Errorf("parseDate(%q, %d) = %v", bad, o, d)
			}
		}
	}
	odd := column(t, "d", ColumnSpec{}, append(cellsOf(30, "%d.02.2024", func(i int) any { return i%28 + 1 }), "unknown")...)
	if odd.Missing != 1 || len(odd.OddTexts) != 1 || odd.OddTexts[0] != (OddText{"unknown", "text", 1, 31}) {
		t.Errorf("one bad date: %d missing, %+v", odd.Missing, odd.OddTexts)
	}
}

func TestOddTexts(t *testing.T) {
	cells := append(cellsOf(60, "1%d.5", func(i int) any { return i }), "<0.01", "12 mg", "\u22125", "", "NA", "lost", "<0.01", "\u22127", "1e400", "1,234")
	c := column(t, "crp", ColumnSpec{}, cells...)
	want := []OddText{{"<0.01", "limit", 2, 61}, {"12 mg", "unit", 1, 62}, {"\u2212", "minus", 2, 63}, {"lost", "text", 1, 66}, {"1e400", "not-plain", 1, 69}}
	// 1,234 beside 10.5 is grouped by thousands, and reads
	if !slices.Equal(c.OddTexts, want) || c.Num[62] != -5 || c.Num[69] != 1234 || c.Missing != 7 || !slices.Equal(c.MissingCodes, []string{"", "NA"}) {
		t.Errorf("%+v, %d missing, codes %q", c.OddTexts, c.Missing, c.MissingCodes)
	}
	for _, o := range []struct {
		how     string
		missing int
		limit   float64
	}{{"limit", 5, .01}, {"strip", 4, .01}, {"missing", 7, 0}} {
		c := column(t, "crp", ColumnSpec{NonNumeric: o.how}, cells...)
		if c.Missing != o.missing || o.limit != 0 && c.Num[60] != o.limit {
			t.Errorf("%s: %d missing, limit %v", o.how, c.Missing, c.Num[60])
		}
	}
}

func TestColumnSpecs(t *testing.T) {
	codes := column(t, "chol", ColumnSpec{MissingCodes: []string{"-9", "999"}}, "200", "-9.0", "999", "180", "220.5", "-9")
	if codes.Missing != 3 || codes.Type != Number || !slices.Equal(codes.MissingCodes, []string{"-9.0", "999", "-9"}) {
		t.Errorf("missing codes: %+v", codes)
	}
	joined := column(t, "smoker", ColumnSpec{JoinLevels: true}, "no", "No", "no.", "No", " no", "Yes", "yes", "Yes", "No")
	if joined.Type != Boolean || !slices.Equal(joined.Levels, []string{"No", "Yes"}) || !slices.Equal(joined.Count, []int{6, 3}) || joined.Code[6] != 1 {
		t.Errorf("joined levels: %+v", joined)
	}
	if len(joined.Aliases) != 3 || joined.Aliases["no."] != "No" || joined.Aliases["yes"] != "Yes" {
		t.Errorf("aliases: %v", joined.Aliases)
	}
	if c := column(t, "smoker", ColumnSpec{}, "no", "No", "no.", "Yes"); c.Type != Category || len(c.Levels) != 4 {
		t.Errorf("levels apart: %+v", c)
	}
	if c := column(t, "code", ColumnSpec{Type: Category}, cellsOf(80, "%d", func(i int) any { return i })...); c.Type != Category || len(c.Levels) != 80 || c.Num != nil {
		t.Errorf("number as category: %+v", c)
	}
	if c := column(t, "dose", ColumnSpec{Type: Number, NonNumeric: "strip"}, "12 mg", "7 mg", "x"); c.Type != Number || c.Num[1] != 7 || c.Missing != 1 {
		t.Errorf("units as numbers: %+v", c)
	}
	if c := column(t, "n", ColumnSpec{Type: Integer}, cellsOf(60, "%d", func(i int) any { return i + 1 })...); c.Type != Integer || c.Role != Predictor {
		t.Errorf("row number kept: %s %s", c.Type, c.Role)
	}
	if c := column(t, "age", ColumnSpec{Type: Identifier}, "61", "58", "61"); c.Type != Identifier || len(c.Levels) != 2 || c.Num != nil {
		t.Errorf("number as identifier: %+v", c)
	}
	if c := column(t, "d", ColumnSpec{DateAs: "days"}, "1970-01-02", "1970-01-05"); c.Type != Date || c.Role != Predictor || c.Num[1] != 4 {
		t.Errorf("date as days: %+v", c)
	}
	if c := column(t, "age", ColumnSpec{Role: Exclude}, "61", "58.5"); c.Role != Exclude || c.Type != Number {
		t.Errorf("role: %+v", c)
	}
	if c := column(t, "grade", ColumnSpec{Type: Boolean}, "a", "b", "c"); c.Type != Category {
		t.Errorf("three values as boolean: %s", c.Type)
	}
}

func TestNumericColumnKeepsFewTexts(t *testing.T) {
	c := column(t, "status", ColumnSpec{}, "0", "2", "1", "2", "", "1.0")
	if c.Type != Integer || !slices.Equal(c.Levels, []string{"0", "2", "1", "1.0"}) || !slices.Equal(c.Code, []int32{0, 1, 2, 1, -1, 3}) || c.Distinct != 3 {
		t.Errorf("%+v", c)
	}
	if c := column(t, "x", ColumnSpec{}, cellsOf(200, "%d.5", func(i int) any { return i % (MaxLevels + 1) })...); c.Code != nil || c.Levels != nil || c.Distinct != MaxLevels+1 {
		t.Errorf("%d levels kept, %d distinct", len(c.Levels), c.Distinct)
	}
	if c := column(t, "x", ColumnSpec{}, cellsOf(200, "%d.5", func(i int) any { return i % MaxLevels })...); len(c.Levels) != MaxLevels {
		t.Errorf("%d levels kept", len(c.Levels))
	}
}

func TestDialects(t *testing.T) {
	one, zero, two := 1, 0, 2
	for _, c := range []struct {
		name, file string
		d          Dialect
		names      []string
		rows       int
		first      float64 // first value of the last column
	}{
		{"header kept in line 1", "a,b\n1,2\n", Dialect{HeaderRow: &one}, []string{"a", "b"}, 1, 2},
		{"no header", "1,2\n3,4\n", Dialect{}, []string{"c1", "c2"}, 2, 2},
		{"no header asked", "1,2\n3,4\n", Dialect{HeaderRow: &zero}, []string{"c1", "c2"}, 2, 2},
		{"header in line 2", "x,y\na,b\n1,2\n", Dialect{HeaderRow: &two}, []string{"a", "b"}, 1, 2},
		{"numbers as header", "2019,2020\n3,4\n5,6\n", Dialect{HeaderRow: &one}, []string{"2019", "2020"}, 2, 4},
		{"blanks", "a   b\n 1  2.5 \n", Dialect{Delimiter: " "}, []string{"a", "b"}, 1, 2.5},
		{"semicolon forced", "a,b;c\n1,5;2\n", Dialect{Delimiter: ";"}, []string{"a,b", "c"}, 1, 2},
		{"quotes as text", "a,b\n5' 10\",2\n", Dialect{Quote: "none"}, []string{"a", "b"}, 1, 2},
		{"bad rows skipped", "a,b\n1,2\n3\n4,5,6\n7,8\n", Dialect{BadRows: "skip"}, []string{"a", "b"}, 2, 2},
		{"one column of decimal commas", "age\n61,5\n58,0\n", Dialect{}, []string{"age"}, 2, 61.5},
		{"decimal comma late", "a;b\n" + rowsOf(1200, "#;2") + "1;2,5\n", Dialect{}, []string{"a", "b"}, 1201, 2},
		{"row names without header", "x;y\n" + rowsOf(12, "r#;1;2"), Dialect{}, []string{"c1", "x", "y"}, 12, 2},
		{"title of two cells", "Study;2nd part\nx;y;z\n" + rowsOf(12, "r#;1;2"), Dialect{}, []string{"x", "y", "z"}, 12, 2},
		{"delimiter at the line's end", "x;y\n" + rowsOf(12, "1;2;"), Dialect{}, []string{"x", "y", "c3"}, 12, 0},
		{"comma as decimal, asked", "a;b\nx;1,234\n", Dialect{Decimal: ","}, []string{"a", "b"}, 1, 1.234},
		{"comma as thousands, asked", "a;b\nx;1,234\n", Dialect{Thousands: ","}, []string{"a", "b"}, 1, 1234},
		{"no thousands beside decimal commas", "a;b\n1,5;1.234\n2,5;2.345\n", Dialect{Thousands: "none"}, []string{"a", "b"}, 2, 1.234},
		{"no thousands beside points", "a;b\n1.5;1,234\n2.5;2,345\n", Dialect{Thousands: "none"}, []string{"a", "b"}, 2, 1.234},
		{"points beside commas", "a;b\n1,5;0.25\n2,5;0.75\n3,25;12.5\n", Dialect{}, []string{"a", "b"}, 3, .25},
	} {
		t.Run(c.name, func(t *testing.T) {
			tab := mustRead(t, c.file, Options{Dialect: c.d})
			var got []string
			for _, col := range tab.Columns {
				got = append(got, col.Name)
			}
			last := tab.Columns[len(got)-1]
			v := 0.0
			if last.Num != nil {
				v = last.Num[0]
			} else if len(last.Levels) > 0 {
				v, _ = ParseNumber(last.Levels[0], tab.Dialect.Decimal)
			}
			if !slices.Equal(got, c.names) || tab.Rows != c.rows || v != c.first {
				t.Errorf("%q, %d rows, first %v; want %q, %d, %v", got, tab.Rows, v, c.names, c.rows, c.first)
			}
		})
	}
}

func TestDroppedRows(t *testing.T) {
	tab := mustRead(t, "a,b\n1,2\n3\n4,5,6\n7,8\n,\n,\n", Options{Dialect: Dialect{BadRows: "skip"}})
	want := []Drop{{DropTail, "Empty rows at the end of the file.", 2}, {DropRagged, "Row 2 has 1 cell, expected 2. So have 1 other row.", 2}}
	if !slices.Equal(tab.Dropped, want) {
		t.Errorf("%+v", tab.Dropped)
	}
}

// TestIdentifierLimits: what numbers name rows: from 0 or 1 by ones, in all but one of twenty steps;
// codes of a million and more, all of as many digits, that hardly repeat; what a header calls an id.
func TestIdentifierLimits(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		cell  func(i int) float64
		named bool
		want  bool
	}{
		{"1 to 10", 10, func(i int) float64 { return float64(i + 1) }, false, true},
		{"1 to 9", 9, func(i int) float64 { return float64(i + 1) }, false, false},
		{"2 to 11", 10, func(i int) float64 { return float64(i + 2) }, false, false},
		{"codes from 1,000,000", 10, func(i int) float64 { return 1e6 + float64(97*i) }, false, true},
		{"codes from 999,999", 10, func(i int) float64 { return 999_999 - float64(97*i) }, false, false},
		{"codes of seven and eight digits", 10, func(i int) float64 { return 9e6 + float64(300_000*i) }, false, false},
		{"nine codes", 9, func(i int) float64 { return 1e6 + float64(97*i) }, false, false},
		{"half of the codes twice", 40, func(i int) float64 { return 1e6 + float64(97*(i/2)) }, false, false},
		{"an id that each has twice", 40, func(i int) float64 { return 500 + float64(97*(i/2)) }, true, true},
		{"an id of nine values", 45, func(i int) float64 { return 500 + float64(97*(i%9)) }, true, false},
		{"two rows", 2, func(i int) float64 { return float64(i + 1) }, true, false},
	} {
		x := make([]float64, c.n)
		for i := range x {
			x[i] = c.cell(i)
		}
		m := merged{num: x, rows: c.n}
		if got := m.survey().identifier(c.named, func() int { d, _ := distinct(x); return d }); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// TestGroupsOfAColumn: twelve levels are groups, more are one; numbers are cut at their thirds.
func TestGroupsOfAColumn(t *testing.T) {
	rows, num := make([]int, 30), make([]float64, 30)
	for i := range rows {
		rows[i], num[i] = i, float64(29-i)
	}
	names, of := (&Column{Num: num}).Groups(rows)
	count := map[int]int{}
	for i := range rows {
		count[of(i)]++
	}
	if !slices.Equal(names, []string{"under 10", "10 to under 20", "20 and more", "(missing)"}) || count[0] != 10 || count[1] != 10 || count[2] != 10 {
		t.Errorf("%q, rows %v", names, count)
	}
	levels := make([]string, 13)
	for i := range levels {
		levels[i] = string(rune('a' + i))
	}
	twelve, of := (&Column{Levels: levels[:12], Code: []int32{11, -1}}).Groups(nil)
	if len(twelve) != 13 || of(0) != 11 || of(1) != 12 {
		t.Errorf("%q, %d and %d", twelve, of(0), of(1))
	}
	if one, of := (&Column{Levels: levels, Code: []int32{12, -1}}).Groups(nil); len(one) != 1 || of(0) != 0 {
		t.Errorf("%q", one)
	}
}

// TestGroupsOfCodes: levels that are numbers come in their order, others as they are.
func TestGroupsOfCodes(t *testing.T) {
	names, of := (&Column{Levels: []string{"1", "10", "2.5", "-3"}, Code: []int32{0, 1, 2, 3, -1}}).Groups(nil)
	if got := []int{of(0), of(1), of(2), of(3), of(4)}; !slices.Equal(names, []string{"-3", "1", "2.5", "10", "(missing)"}) ||
		!slices.Equal(got, []int{1, 3, 2, 0, 4}) {
		t.Errorf("%q, rows in %v", names, got)
	}
	if names, of = (&Column{Levels: []string{"3", "b", "1"}, Code: []int32{0, 1, 2}}).Groups(nil); names[0] != "3" || of(2) != 2 {
		t.Errorf("%q", names)
	}
}
