package model

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/prep"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
)

// TestRare: for 100 rows, which terms reveal a count of 1 to 9 or 91 to 99: levels of a
// category together with the reference, flags and two-valued numbers each alone.
func TestRare(t *testing.T) {
	number := func(c prep.Column) prep.Column { c.Name, c.Kind = "x", prep.Number; return c }
	two := number(prep.Column{Min: 10, Max: 30})
	category := prep.Column{Name: "x", Kind: prep.Category}
	// of is a number with two values, the larger in a given share of rows; level is a level's
	// term.
	of := func(share float64) prep.Term {
		return prep.Term{Column: "x", Kind: prep.Value, Mean: 10 + 20*share, SD: 20 * math.Sqrt(share*(1-share))}
	}
	level := func(share float64) prep.Term {
		return prep.Term{Column: "x", Kind: prep.Level, Mean: share, SD: math.Sqrt(share * (1 - share))}
	}
	flag := func(share float64) prep.Term {
		f := level(share)
		f.Kind = prep.MissingLevel
		return f
	}
	for _, c := range []struct {
		name   string
		column prep.Column
		terms  []prep.Term
		rows   int
		want   []bool
	}{
		{"a level of nine", category, []prep.Term{level(.09)}, 100, []bool{true}},
		{"a level of ten", category, []prep.Term{level(.1)}, 100, []bool{false}},
		{"nine are left", category, []prep.Term{level(.5), level(.41)}, 100, []bool{true, true}},
		{"ten are left", category, []prep.Term{level(.5), level(.4)}, 100, []bool{false, false}},
		{"none is left", category, []prep.Term{level(.5), level(.5)}, 100, []bool{false, false}},
		{"one rare level tells of the others", category, []prep.Term{level(.5), level(.05)}, 100, []bool{true, true}},
		{"no whole number of rows", category, []prep.Term{level(.505)}, 100, []bool{true}},
		{"rows unknown", category, []prep.Term{level(.5)}, 0, []bool{true}},
		{"on no scale", category, []prep.Term{{Column: "x", Kind: prep.Level, SD: 1}}, 0, []bool{false}},
		{"another column", category, []prep.Term{{Column: "y", Kind: prep.Level, Mean: .05, SD: .2}}, 100, []bool{false}},
		{"two values, nine rows", two, []prep.Term{of(.09)}, 100, []bool{true}},
		{"two values, half", two, []prep.Term{of(.5)}, 100, []bool{false}},
		{"two values, all but nine", two, []prep.Term{of(.91)}, 100, []bool{true}},
		{"two values, no whole number", two, []prep.Term{of(.505)}, 100, []bool{true}},
		{"many values", two, []prep.Term{{Column: "x", Kind: prep.Value, Mean: 11.8, SD: 3}}, 100, []bool{false}},
		{"nearly all alike", number(prep.Column{Sparse: true, Max: 5}), []prep.Term{{Column: "x", Kind: prep.Value, Mean: 1, SD: 1}}, 100, []bool{true}},
		{"a curve", two, []prep.Term{{Column: "x", Kind: prep.Spline, Mean: .05, SD: .2}}, 100, []bool{false}},
		{"a flag of five beside many values", two, []prep.Term{{Column: "x", Kind: prep.Value, Mean: 20, SD: 3}, flag(.05)}, 100, []bool{false, true}},
		{"a flag of half beside two values of five", two, []prep.Term{of(.05), flag(.5)}, 100, []bool{true, false}},
	} {
		m := &Model{Columns: []prep.Column{c.column}, Terms: c.terms}
		if got := m.Rare(c.rows); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestNaturalSplit: the split of a number is given in its natural unit, that of a level as ½ or
// a value beyond 0 and 1.
func TestNaturalSplit(t *testing.T) {
	for _, c := range []struct {
		kind        string
		split, want float64
	}{{prep.Value, 1.5, 26}, {prep.Value, -9, -16}, {prep.Level, -6, -1}, {prep.Level, -5, .5}, {prep.Level, -4.9, .5}, {prep.Level, -4.75, 1}} {
		if got := natural(prep.Term{Kind: c.kind, Mean: 20, SD: 4}, c.split); got != c.want {
			t.Errorf("%s at %v: %v, want %v", c.kind, c.split, got, c.want)
		}
	}
}

// TestBlur: a range of 44 ends at multiples of 2, one of 119 at multiples of 10. Days count from the first of January before
// the first date, here 5 March 2020, 64 days later; knots, median and the mean of the value
// term move with them.
func TestBlur(t *testing.T) {
	m := &Model{Terms: []prep.Term{{Column: "d", Kind: prep.Value, Mean: 10}, {Column: "d", Kind: prep.MissingLevel, Mean: .5}, {Column: "x", Kind: prep.Value, Mean: 7}}}
	x := prep.Column{Name: "x", Min: 3, Max: 47, Median: 20}
	if m.blur(&x); x.Min != 2 || x.Max != 48 || x.Median != 20 {
		t.Errorf("%+v", x)
	}
	rate := prep.Column{Name: "x", Min: 83, Max: 202}
	if m.blur(&rate); rate.Min != 80 || rate.Max != 210 {
		t.Errorf("%+v", rate)
	}
	same := prep.Column{Name: "x", Min: 4, Max: 4}
	if m.blur(&same); same.Min != 4 || same.Max != 4 {
		t.Errorf("%+v", same)
	}
	origin, knots := 18326.0, []float64{10, 20, 90}
	d := prep.Column{Name: "d", Origin: &origin, Min: 0, Max: 100, Median: 30, Knots: knots}
	m.blur(&d)
	if *d.Origin != 18262 || d.Min != 64 || d.Max != 164 || d.Median != 94 || !slices.Equal(d.Knots, []float64{74, 84, 154}) || knots[0] != 10 || origin != 18326 {
		t.Errorf("%+v from %v", d, *d.Origin)
	}
	if m.Terms[0].Mean != 74 || m.Terms[1].Mean != .5 || m.Terms[2].Mean != 7 {
		t.Errorf("%+v", m.Terms)
	}
}

// TestSummary counts three rows of a model of two boundaries and one of three classes.
func TestSummary(t *testing.T) {
	var s Summary
	s.begin(&Model{Boundaries: []float64{.2, .6}}, []string{"age"})
	row := &table.Row{Cells: []string{" 50 "}}
	doubt := []prep.Issue{{Column: "age", Kind: prep.IssueRange}}
	s.add(row, Prediction{Stratum: 2})
	s.add(row, Prediction{Stratum: 1, Issues: append(doubt, prep.Issue{Column: "sex", Kind: prep.IssueRange}, prep.Issue{Column: "age", Kind: prep.IssueMissing})})
	s.add(row, Prediction{Stratum: 1, Issues: doubt, OutsideData: doubt})
	want := []IssueCount{{"age", prep.IssueRange, 2}, {"sex", prep.IssueRange, 1}, {"age", prep.IssueMissing, 1}}
	if s.Rows != 3 || !slices.Equal(s.Bands, []int{0, 1, 1}) || s.OutsideData != 1 || s.RowsWithWarning != 2 || !slices.Equal(s.Issues, want) ||
		len(s.FirstRows) != 3 || s.FirstRows[0].Cells[0] != "50" || s.Header[0] != "age" {
		t.Errorf("%+v", s)
	}
	s.begin(&Model{Task: "multiclass", Levels: []string{"a", "b", "c"}}, nil)
	for range 12 {
		s.add(row, Prediction{Classes: &ClassPrediction{Class: 1, Levels: []string{"a", "b", "c"}}})
	}
	s.add(row, Prediction{Classes: &ClassPrediction{Class: stat.Abstained, Levels: []string{"a", "b", "c"}}})
	if !slices.Equal(s.Bands, []int{0, 12, 0, 1}) || len(s.FirstRows) != 10 {
		t.Errorf("%+v", s)
	}
	all := []IssueCount{{"a", "k", 1}, {"b", "k", 3}, {"c", "k", 1}}
	if SortIssues(all); all[0].Column != "b" || all[1].Column != "a" {
		t.Errorf("%+v", all)
	}
}

// TestTextsOfAnswers: a row outside the data has a score and no answer; a model without
// probabilities has no column for them.
func TestTextsOfAnswers(t *testing.T) {
	text := func(v float64) string { return fmt.Sprint(v) }
	half, far := .5, []prep.Issue{{Column: "age", Kind: prep.IssueRange}}
	for _, c := range []struct {
		name string
		p    Prediction
		want string
	}{
		{"inside", Prediction{Score: 2, Probability: &half, Stratum: 1, Band: "high"}, "2 0.5 1 high "},
		{"outside", Prediction{Score: 2, Probability: &half, Stratum: 1, OutsideData: far}, "2    "},
		{"no probability", Prediction{Score: 2, Stratum: 1, Band: "high"}, "2 1 high "},
	} {
		if got := strings.Join(c.p.cells(text), " "); !strings.HasPrefix(got, c.want) || c.name != "outside" && got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := strings.Join(ClassCells([]float64{1, 2}, []float64{.3, .7}, "b", text), " "); got != "1 2 0.3 0.7 b" {
		t.Errorf("with probabilities %q", got)
	}
	if got := strings.Join(ClassCells([]float64{1, 2}, nil, "b", text), " "); got != "1 2   b" {
		t.Errorf("without %q", got)
	}
	p := ClassPrediction{Class: 1, Levels: []string{"a", "b"}, Scores: []float64{1, 2}, Probabilities: []float64{.3, .7}}
	for _, c := range []struct {
		name          string
		class         int
		probabilities []float64
		outside       bool
		want          string
	}{
		{"an answer", 1, p.Probabilities, false, `b false false map[a:0.3 b:0.7]`},
		{"no answer", stat.Abstained, p.Probabilities, false, `<nil> true false map[a:0.3 b:0.7]`},
		{"no probabilities", 0, nil, false, `a false false <nil>`},
		{"outside", stat.Abstained, p.Probabilities, true, `<nil> false true <nil>`},
	} {
		p.Class, p.Probabilities = c.class, c.probabilities
		raw, err := p.json("", c.outside)
		var out map[string]any
		if err == nil {
			err = json.Unmarshal(raw, &out)
		}
		if got := fmt.Sprint(out["prediction"], out["abstained"], out["outside"], out["probabilities"]); err != nil || strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(c.want, " ", "") {
			t.Errorf("%s: %s, want %s; %v", c.name, got, c.want, err)
		}
	}
}

// TestClassOfAnOutcome: outcomes are matched by value, by joined spellings, ignoring blanks and
// case where these were joined, and by the edges of bins, which include their upper end.
func TestClassOfAnOutcome(t *testing.T) {
	two := Model{Positive: table.Levels{"yes", "1"}, Negative: table.Levels{"no"}, OutcomeAliases: map[string]string{"J": "yes"}}
	joined := two
	joined.OutcomeJoin = true
	several := Model{Task: "multiclass", Levels: []string{"a", "b"}}
	bins := Model{Task: "ordinal", Bins: []float64{5, 10}, Levels: []string{"l", "m", "h"}}
	for _, c := range []struct {
		m     Model
		text  string
		class int
		ok    bool
	}{
		{two, " yes ", 1, true}, {two, "1.0", 1, true}, {two, "no", 0, true}, {two, "J", 1, true}, {two, "YES", 0, false}, {two, "maybe", 0, false},
		{joined, "YES", 1, true}, {joined, "No.", 0, true}, {joined, "maybe", 0, false},
		{several, "b", 1, true}, {several, "c", 0, false}, {bins, "5", 0, true}, {bins, "5.5", 1, true}, {bins, "11", 2, true}, {bins, "x", 0, false},
	} {
		class, ok := c.m.Class(c.text)
		if ok != c.ok || ok && class != c.class {
			t.Errorf("%q is class %d, %t; want %d, %t", c.text, class, ok, c.class, c.ok)
		}
		if event, known := c.m.Event(c.text); known != c.ok || event != (c.ok && c.class == 1) {
			t.Errorf("%q is an event: %t, %t", c.text, event, known)
		}
	}
}

// TestRowTexts: JSON values as cells, and values that are refused.
func TestRowTexts(t *testing.T) {
	got, err := Texts(0, map[string]any{"a": nil, "b": "x", "c": true, "d": 1.5, "e": 3, "f": json.Number("2e3")})
	if want := "map[a: b:x c:true d:1.5 e:3 f:2e3]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v, %v, want %s", got, err, want)
	}
	for _, v := range []any{json.Number("1e999"), []any{1}, map[string]any{}} {
		if _, err := Texts(3, map[string]any{"age": v}); err == nil || !strings.HasPrefix(err.Error(), "rows[3].age must be a") {
			t.Errorf("%v: %v", v, err)
		}
	}
}

// TestRecalibrateRefuses: other links, multiclass models, trees, and implausible numbers.
func TestRecalibrateRefuses(t *testing.T) {
	for _, c := range []struct {
		m    Model
		b    float64
		want string
	}{
		{Model{Link: "none"}, 1, "Only a model whose link is logistic can be recalibrated; this one’s link is"},
		{Model{Link: "logistic", Task: "multiclass"}, 1, "Only a model whose link is logistic"},
		{Model{Link: "logistic"}, 101, "slope must be from 0.01 to 100"},
		{Model{Link: "logistic"}, .009, "slope must be from 0.01 to 100"},
	} {
		if _, _, err := c.m.Recalibrate(0, c.b); err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "%!") {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
