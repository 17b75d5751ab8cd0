package table

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// Copies of a row go, its first stays, and every count follows.
func TestDropCopies(t *testing.T) {
	csv := "row,age,sex,lab\n1,30,f,1.5\n2,40,m,\n3,30,f,1.5\n4,40,m,\n5,40,m,2.5\n6,30,f,1.5\n"
	for _, c := range []struct {
		copies  string
		rows    int
		dropped int
	}{{"", 6, 0}, {CopiesKept, 6, 0}, {CopiesTogether, 6, 0}, {CopiesFirst, 3, 3}} {
		tab, err := Read(context.Background(), []byte(csv), Options{Dialect: Dialect{Copies: c.copies}}, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		dropped := 0
		for _, d := range tab.Dropped {
			dropped += d.Rows
		}
		if tab.Rows != c.rows || dropped != c.dropped || tab.Dialect.Copies != c.copies {
			t.Errorf("%q: %d rows, %d dropped", c.copies, tab.Rows, dropped)
		}
		if c.copies != CopiesFirst {
			continue
		}
		age, sex, lab := tab.Column("age"), tab.Column("sex"), tab.Column("lab")
		if !slices.Equal(age.Num, []float64{30, 40, 40}) || !slices.Equal(age.Count, []int{1, 2}) || age.Distinct != 2 {
			t.Errorf("age %v, counts %v", age.Num, age.Count)
		}
		if !slices.Equal(sex.Code, []int32{0, 1, 1}) || !slices.Equal(sex.Count, []int{1, 2}) || lab.Missing != 1 {
			t.Errorf("sex %v %v, lab lacks %d", sex.Code, sex.Count, lab.Missing)
		}
	}
	_, err := Read(context.Background(), []byte(csv), Options{Dialect: Dialect{Copies: "some"}}, Limits{})
	if err == nil || !strings.Contains(err.Error(), "copies") {
		t.Errorf("an unknown rule for copies: %v", err)
	}
}

func TestExtreme(t *testing.T) {
	limit := 50.0
	for _, c := range []struct {
		name string
		e    *Extreme
		want []float64
	}{
		{"none", nil, []float64{5.4, 97.2, 5.1}},
		{"taken back", &Extreme{}, []float64{5.4, 97.2, 5.1}},
		{"divided by 18", &Extreme{High: &limit, Scale: 1. / 18}, []float64{5.4, 5.4, 5.1}},
		{"Fahrenheit", &Extreme{High: &limit, Shift: 32, Scale: .5}, []float64{5.4, 32.6, 5.1}},
	} {
		tab, err := Read(context.Background(), []byte("x,y\n5.4,1\n97.2,0\n5.1,0\n"),
			Options{Columns: []ColumnSpec{{Name: "x", Extreme: c.e}}}, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range tab.Column("x").Num {
			if d := v - c.want[i]; d > 1e-12 || d < -1e-12 {
				t.Errorf("%s: row %d is %v, want %v", c.name, i+1, v, c.want[i])
			}
		}
	}
	tab, err := Read(context.Background(), []byte("x,y\n5.4,1\n97.2,0\n5.1,0\n"),
		Options{Columns: []ColumnSpec{{Name: "x", Extreme: &Extreme{High: &limit}}}}, Limits{})
	if err != nil || tab.Column("x").Missing != 1 || tab.Column("x").Distinct != 2 {
		t.Errorf("a value read as missing: %+v %v", tab.Column("x"), err)
	}
}

func TestStripQuotes(t *testing.T) {
	tab, err := Read(context.Background(), []byte("x,y\n'1.5',1\n'2',0\n'NA',0\n"),
		Options{Columns: []ColumnSpec{{Name: "x", StripQuotes: true}}}, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if x := tab.Column("x"); x.Type != Number || x.Num[0] != 1.5 || x.Num[1] != 2 || x.Missing != 1 {
		t.Errorf("quoted numbers: %+v", x)
	}
}

func TestJoinedMissing(t *testing.T) {
	for text, want := range map[string]bool{
		"NA/NA": true, "-9 -9": true, "n/a;n/a": true, "NANA": true, "????": true, "?;?": true, "NA, NA": true,
		"NA": false, "": false, "n/a": false, "a/b": false, "-9": false, "NA/12": false, "banana": false, "12/12": false,
		"nana's": false, "--": true,
	} {
		if JoinedMissing(text) != want {
			t.Errorf("JoinedMissing(%q) = %v", text, !want)
		}
	}
}
