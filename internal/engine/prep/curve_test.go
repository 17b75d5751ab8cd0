package prep

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"taper/internal/engine/table"
)

func mustBend(t testing.TB, tab *table.Table, rows []int, standardize bool, knots map[string]int, features ...string) *Preprocessor {
	t.Helper()
	p, err := FitSplines(context.Background(), tab, features, rows, standardize, knots)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Hand calculation for 0…10 with ten missing values and three knots. With fewer than 100 values
// the outer knots are the fifth smallest and fifth largest, 4 and 6; the middle knot is the
// median, 5. Beyond 6 the term is linear through (6, 1.5) with slope 1.5, so at 10 it is 7.5.
func TestFitSpline(t *testing.T) {
	values := append(upToFloats(11), slices.Repeat([]float64{nan}, MinRows)...)
	tab := tableOf(number("age", values...), number("z", upToFloats(21)...))
	p := mustBend(t, tab, upTo(21), false, map[string]int{"age": 3}, "age", "z")
	var names []string
	for _, term := range p.Terms {
		names = append(names, term.Name+" "+term.Kind)
	}
	if d := cmp.Diff([]string{"age value", "age′ spline", "age missing missing", "z value"}, names); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]float64{4, 5, 6}, p.Columns[0].Knots); d != "" {
		t.Error(d)
	}
	dst := make([]float64, 5*4)
	if err := p.Transform(context.Background(), dst, tab, []int{3, 5, 6, 10, 11}); err != nil {
		t.Fatal(err)
	}
	want := []float64{3, 0, 0, 3, 5, 0.25, 0, 5, 6, 1.5, 0, 6, 10, 7.5, 0, 10, 5, 0.25, 1, 11}
	if d := cmp.Diff(want, dst); d != "" {
		t.Error(d)
	}
	if got := p.Effect([]float64{2, -1, 9, 9}, "age", 10, 5); got != 2*5-(7.5-0.25) {
		t.Errorf("effect %v", got)
	}
	if got := p.Effect([]float64{2, -1, 9, 9}, "height", 10, 5); got != 0 {
		t.Errorf("effect of a column that is not there: %v", got)
	}
	if !p.IsSplineTerm(0) || !p.IsSplineTerm(1) || p.IsSplineTerm(2) || p.IsSplineTerm(3) {
		t.Error("terms of the spline are not told from others")
	}
}

func upToFloats(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

// The number of knots is reduced to what the distinct values allow: five knots need six of
// them.
func TestFewerKnots(t *testing.T) {
	cycle := func(k int) *table.Column {
		x := make([]float64, 200)
		for i := range x {
			x[i] = float64(i % k)
		}
		return number("x", x...)
	}
	for _, tt := range []struct{ distinct, asked, knots int }{{2, 3, 0}, {3, 5, 0}, {4, 5, 3}, {5, 5, 4}, {6, 5, 5}, {50, 4, 4}, {50, 0, 0}} {
		p := mustBend(t, tableOf(cycle(tt.distinct)), upTo(200), true, map[string]int{"x": tt.asked}, "x")
		if got := len(p.Columns[0].Knots); got != tt.knots || p.Width() != 1+max(0, tt.knots-2) {
			t.Errorf("%d values, %d knots asked: %d knots, %d terms", tt.distinct, tt.asked, got, p.Width())
		}
	}
}

// The spline of a date uses days since the first date, for cells and for table columns alike.
func TestSplineOfDates(t *testing.T) {
	days := make([]float64, 30)
	for i := range days {
		days[i] = 18262 + float64(i*i)
	}
	date := number("seen", days...)
	date.Type, date.Spec.DateAs = table.Date, "days"
	tab := tableOf(date)
	p := mustBend(t, tab, upTo(30), true, map[string]int{"seen": 4}, "seen")
	if k := p.Columns[0].Knots; len(k) != 4 || k[0] != 16 {
		t.Fatalf("knots %v", k)
	}
	want, got := make([]float64, p.Width()), make([]float64, p.Width())
	if err := p.Transform(context.Background(), want, tab, []int{6}); err != nil {
		t.Fatal(err)
	}
	p.Row(got, cells(map[string]string{"seen": "2020-02-06"}), ".")
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Row and Transform agree to the bit, also after a round trip through model.json, and values
// far outside the training range stay finite.
func TestSplineRowAgreesWithTransform(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "rows")
		x := make([]float64, n)
		for i := range x {
			x[i] = rapid.Float64Range(-1e3, 1e3).Draw(t, "number")
			if rapid.IntRange(0, 5).Draw(t, "missing") == 0 {
				x[i] = nan
			}
		}
		tab := tableOf(number("x", x...))
		p, err := FitSplines(context.Background(), tab, []string{"x"}, upTo(n)[:rapid.IntRange(1, n).Draw(t, "train")], true, map[string]int{"x": rapid.IntRange(3, 5).Draw(t, "knots")})
		if err != nil {
			t.Skip("nothing varies")
		}
		if err := p.Columns[0].CheckKnots(p.Terms); err != nil {
			t.Fatal(err)
		}
		b, _ := json.Marshal(p)
		var file Preprocessor
		if err := json.Unmarshal(b, &file); err != nil {
			t.Fatal(err)
		}
		want, got := make([]float64, n*p.Width()), make([]float64, p.Width())
		if err := p.Transform(context.Background(), want, tab, upTo(n)); err != nil {
			t.Fatal(err)
		}
		for i, v := range x {
			text := ""
			if !math.IsNaN(v) {
				text = strconv.FormatFloat(v, 'g', -1, 64)
			}
			file.Row(got, cells(map[string]string{"x": text}), ".")
			for j := range got {
				if w := want[i*p.Width()+j]; math.Float64bits(got[j]) != math.Float64bits(w) {
					t.Fatalf("row %d, %s: Row %v, Transform %v", i, p.Terms[j].Name, got[j], w)
				}
			}
		}
		for _, far := range []string{"1e140", "-1e140"} {
			file.Row(got, cells(map[string]string{"x": far}), ".")
			for j := range got {
				if math.IsNaN(got[j]) || math.IsInf(got[j], 0) {
					t.Fatalf("%s at %s: %v", p.Terms[j].Name, far, got[j])
				}
			}
		}
	})
}

func TestCheckKnots(t *testing.T) {
	value, curved := Term{Name: "x", Kind: Value}, Term{Name: "x′", Kind: Spline, Knot: 1}
	for name, tt := range map[string]struct {
		c     Column
		terms []Term
	}{
		"two":       {Column{Kind: Number, Knots: []float64{1, 2}}, []Term{value}},
		"equal":     {Column{Kind: Number, Knots: []float64{1, 2, 2}}, []Term{value, curved}},
		"infinite":  {Column{Kind: Number, Knots: []float64{1, 2, math.Inf(1)}}, []Term{value, curved}},
		"no knots":  {Column{Kind: Number}, []Term{value, curved}},
		"no knot":   {Column{Kind: Number, Knots: []float64{1, 2, 3}}, []Term{value, {Name: "x′", Kind: Spline}}},
		"last knot": {Column{Kind: Number, Knots: []float64{1, 2, 3}}, []Term{value, {Name: "x″", Kind: Spline, Knot: 2}}},
		"category":  {Column{Kind: Category, Knots: []float64{1, 2, 3}}, []Term{curved}},
	} {
		if tt.c.CheckKnots(tt.terms) == nil {
			t.Errorf("%s: no error", name)
		}
	}
	fine := Column{Kind: Number, Knots: []float64{1, 2, 3}}
	if err := fine.CheckKnots([]Term{value, curved}); err != nil {
		t.Error(err)
	}
}
