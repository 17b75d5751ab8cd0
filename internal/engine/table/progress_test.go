package table

import (
	"fmt"
	"strings"
	"testing"
)

// TestReadingReports: each pass over a file reports its fraction, ascending to 1, whichever worker ends first; a
// column of numbers that turns out to be text is read twice.
func TestReadingReports(t *testing.T) {
	var b strings.Builder
	b.WriteString("age,dose\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "%d,%d\n", 20+i%70, (i*i)%37)
	}
	for i := range 40_000 {
		fmt.Fprintf(&b, "%d,none %d\n", 20+i%70, i)
	}
	type report struct {
		doing    string
		fraction float64
	}
	var all []report
	tab, err := read(t.Context(), []byte(b.String()), Options{}, Limits{Report: func(doing string, fraction float64) {
		all = append(all, report{doing, fraction})
	}}, 1<<15)
	if err != nil || tab.Rows != 41_000 {
		t.Fatal(tab, err)
	}
	begun := map[string]int{}
	for i, at := range all {
		if at.fraction == 0 {
			begun[at.doing]++
		} else if i == 0 || all[i-1].doing != at.doing || all[i-1].fraction >= at.fraction {
			t.Errorf("report %d: %v after %v", i, at, all[max(i-1, 0)])
		}
		if last := i == len(all)-1 || all[i+1].doing != at.doing; last && at.fraction != 1 {
			t.Errorf("%s ends at %v", at.doing, at.fraction)
		}
	}
	if len(begun) != 2 || begun["Reading the rows"] != 1 || begun["Reading the columns of text"] != 1 {
		t.Errorf("passes %v", begun)
	}
	if len(all) < 20 || len(all) > 2*(mostReports+1) {
		t.Errorf("%d reports", len(all))
	}
}
