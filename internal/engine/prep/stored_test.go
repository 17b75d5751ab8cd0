package prep

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/golden"
	"taper/internal/testtime"
	"taper/testdata"
)

// TestStoredPreparation: what is learned from a file with every kind of column, and the
// warnings and design rows, equal the stored ones.
func TestStoredPreparation(t *testing.T) {
	tab, err := table.Read(t.Context(), testdata.Read("heart-clinic-dirty.csv"), table.Options{}, table.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	found := map[string]any{}
	rows := upTo(tab.Rows)[:400]
	for _, c := range tab.Columns {
		if _, err := Fit(t.Context(), tab, []string{c.Name}, rows, true); err == nil {
			names = append(names, c.Name)
			continue
		} else if e, ok := usererr.As(err); ok {
			found["no "+c.Name] = e
		} else {
			t.Fatal(err)
		}
	}
	for _, standardize := range []bool{false, true} {
		p, err := FitSplines(t.Context(), tab, names, rows, standardize, map[string]int{"age": 4, "chol": 3})
		if err != nil {
			t.Fatal(err)
		}
		at := []int{0, 1, 128, 129, 401, 599}
		x := make([]float64, len(at)*p.Width())
		if err := p.Transform(t.Context(), x, tab, at); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint("standardised ", standardize)
		found[name], found[name+", rows"] = p, x
		for _, text := range []string{"", "NA", "?", "-1", "0", "1", "55", "1e9", "yes", "M", "A"} {
			dst := make([]float64, p.Width())
			issues := p.Issues(dst, func(string) (string, bool) { return text, true }, ".")
			found[name+", all "+text] = map[string]any{"issues": issues, "row": dst}
		}
		dst := make([]float64, p.Width())
		found[name+", nothing"] = map[string]any{"issues": p.Issues(dst, func(string) (string, bool) { return "", false }, "."), "row": dst}
		typical := map[string]string{}
		for i := range p.Columns {
			typical[p.Columns[i].Name] = p.Columns[i].TypicalValue()
		}
		found[name+", typical"] = typical
	}
	golden.Equal(t, "dirty", found)
}

// TestErrorsNameColumns: an error names the column and no row.
func TestErrorsNameColumns(t *testing.T) {
	tab := tableOf(
		number("big", 1, 1e200), number("fine", 1, 2),
		&table.Column{Name: "note", Type: table.Text, Code: []int32{0, 1}, Levels: []string{"p", "q"}},
		&table.Column{Name: "seen", Type: table.Date, Num: []float64{1, 2}},
	)
	for _, name := range []string{"big", "note", "seen", "absent"} {
		_, err := Fit(t.Context(), tab, []string{name}, upTo(2), true)
		var e *usererr.Error
		if !errors.As(err, &e) || e.Column != name || e.Row != 0 {
			t.Errorf("%s: %+v", name, e)
		}
	}
	p := mustFit(t, tab, upTo(2), true, "fine")
	other := tableOf(number("other", 1, 2))
	var e *usererr.Error
	if err := p.Transform(t.Context(), make([]float64, 2), other, upTo(2)); !errors.As(err, &e) || e.Column != "fine" || e.Row != 0 {
		t.Errorf("a column that is gone: %v", err)
	}
	other = tableOf(category("fine", "a", "b"))
	if err := p.Transform(t.Context(), make([]float64, 2), other, upTo(2)); !errors.As(err, &e) || e.Column != "fine" || e.Row != 0 {
		t.Errorf("a column of another type: %v", err)
	}
}

// TestMeanSDFar: mean and SD are accurate for values of any magnitude.
func TestMeanSDFar(t *testing.T) {
	for _, unit := range []float64{1e-300, 1e-200, 1e-141, 1e-140, .5, 1, 1e140, 1e141, 1e149} {
		mean, sd := meanSD([]float64{1 * unit, 2 * unit, 4 * unit, 9 * unit})
		if relative(mean, 4*unit) > 1e-14 || relative(sd, 3.082207001484488*unit) > 1e-14 { // √(38/4)
			t.Errorf("unit %v: mean %v, SD %v", unit, mean, sd)
		}
	}
	if mean, sd := meanSD([]float64{3, 3}); mean != 3 || sd != 0 {
		t.Errorf("of equals: mean %v, SD %v", mean, sd)
	}
}

func relative(got, want float64) float64 { return max(got/want-1, 1-got/want) }

// TestRangeHoldsItsEnds: the smallest and the largest training value are inside the range.
func TestRangeHoldsItsEnds(t *testing.T) {
	p := mustFit(t, tableOf(number("age", 34, 81, 50)), upTo(3), true, "age")
	for text, inside := range map[string]bool{"34": true, "81": true, "33.9": false, "81.1": false} {
		issues := p.Issues(make([]float64, p.Width()), cells(map[string]string{"age": text}), ".")
		if got := !slices.ContainsFunc(issues, func(i Issue) bool { return i.Kind == IssueRange }); got != inside {
			t.Errorf("%s is inside: %v", text, got)
		}
	}
}

// TestTransformLooks: Transform checks the context every 8,192 rows and stops when it ends, and
// blocks of rows give the same matrix as the whole.
func TestTransformLooks(t *testing.T) {
	x := make([]float64, 20_000)
	for i := range x {
		x[i] = float64(i % 977)
	}
	tab := tableOf(number("x", x...))
	p := mustFit(t, tab, upTo(len(x)), false, "x")
	dst := make([]float64, len(x))
	for looks := range 4 {
		ctx := testtime.EndAfter(t.Context(), looks)
		err := p.Transform(ctx, dst, tab, upTo(len(x)))
		if ended := looks < 3; ended != errors.Is(err, context.Canceled) || ended != ctx.Ended() {
			t.Errorf("ended after %d looks: %v", looks, err)
		}
	}
	if !slices.Equal(dst, x) {
		t.Error("the rows are not those of the table")
	}
}

// TestLimit: numbers below 1e150 in magnitude are accepted, others refused.
func TestLimit(t *testing.T) {
	for v, fine := range map[float64]bool{1e150: false, -1e150: false, 9.9e149: true, -9.9e149: true} {
		if _, err := Fit(t.Context(), tableOf(number("x", 1, v)), []string{"x"}, upTo(2), true); (err == nil) != fine {
			t.Errorf("%v: %v", v, err)
		}
	}
}

// TestMeanSDNear: for usual magnitudes the result has the bits of the plain formula.
func TestMeanSDNear(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		x := make([]float64, 9)
		for i := range x {
			x[i] = rng.Float64() * math.Pow(10, 4*rng.Float64()-2)
		}
		mean, sd := meanSD(x)
		if wantMean, wantSD := stat.PopMeanStdDev(x, nil); mean != wantMean || sd != wantSD {
			t.Fatalf("mean %v, SD %v; plainly %v and %v", mean, sd, wantMean, wantSD)
		}
	}
}

// TestCellOfALevel: a joined spelling counts as its level; unknown levels are outside.
func TestCellOfALevel(t *testing.T) {
	c := &Column{Name: "sex", Kind: Category, Reference: "female", Levels: []string{"male"}, Aliases: map[string]string{"F": "female"}}
	for text, want := range map[string]Cell{"F": {Level: "female"}, " male ": {Level: "male"}, "female": {Level: "female"},
		"Male": {Outside: true}, "x": {Outside: true}} {
		if got := c.Cell(text, "."); got != want {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
	if c.Join = true; c.Cell("MALE.", ".") != (Cell{Level: "male"}) {
		t.Errorf("joined: %+v", c.Cell("MALE.", "."))
	}
}

// TestDatesOnTheirScale: a date term is days since 1970 less the origin, standardised.
func TestDatesOnTheirScale(t *testing.T) {
	origin := 19000.0
	c := &Column{Name: "seen", Kind: Number, Origin: &origin}
	dst := []float64{math.NaN()}
	c.number(dst, []Term{{Column: "seen", Kind: Value, Mean: 10, SD: 2}}, 19014)
	if dst[0] != (14-10)/2. {
		t.Errorf("day 19014 is %v", dst[0])
	}
}

// TestUnnamedLevel: in a model stored without its data, an unlisted level may be one of the
// pooled ones and is scored like them.
func TestUnnamedLevel(t *testing.T) {
	p := &Preprocessor{Columns: []Column{{Name: "site", Kind: Category, Reference: "A", Levels: []string{"B"}}},
		Terms: []Term{{Name: "site = B", Column: "site", Kind: Level, Level: "B", SD: 1}, {Name: "site = (other)", Column: "site", Kind: OtherLevel, SD: 1}}}
	dst := make([]float64, 2)
	got := p.Row(dst, cells(map[string]string{"site": "Z"}), ".")
	if len(got) != 1 || !strings.HasPrefix(got[0], "site ‘Z’ was in few of the training rows or in none: ") || strings.Contains(got[0], "%!") || dst[0] != 0 || dst[1] != 1 {
		t.Errorf("%q, %v", got, dst)
	}
}

// TestHalfDays: a median between two days is the same day in a sentence and as the typical cell, also before 1970.
func TestHalfDays(t *testing.T) {
	for _, origin := range []float64{-1000, 1000} {
		c := Column{Kind: Number, Origin: &origin, Median: 10.5}
		if said, typical := c.show(c.Median), c.TypicalValue(); said != typical {
			t.Errorf("days from %v on: %s in a sentence, %s as the typical cell", origin, said, typical)
		}
	}
}
