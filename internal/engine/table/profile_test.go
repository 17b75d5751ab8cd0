package table

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// byHand makes a table of columns of equal length.
func byHand(cols ...*Column) *Table {
	t := &Table{Columns: cols}
	for _, c := range cols {
		t.Rows = max(len(c.Num), len(c.Code))
	}
	return t
}

// numbers is a numeric column; whole values make it an integer.
func numbers(name string, x ...float64) *Column {
	c := &Column{Name: name, Type: Integer, Role: Predictor, Num: x}
	seen := map[float64]bool{}
	for _, v := range x {
		if v != v {
			c.Missing++
			continue
		}
		if v != math.Trunc(v) {
			c.Type = Number
		}
		seen[v] = true
	}
	c.Distinct = len(seen)
	return c
}

// texts is a column of levels; "" is missing.
func texts(name string, cells ...string) *Column {
	c := &Column{Name: name, Type: Category, Role: Predictor}
	for _, cell := range cells {
		k := slices.Index(c.Levels, cell)
		switch {
		case cell == "":
			c.Missing++
			k = -1
		case k < 0:
			k = len(c.Levels)
			c.Levels, c.Count = append(c.Levels, cell), append(c.Count, 0)
		}
		if k >= 0 {
			c.Count[k]++
		}
		c.Code = append(c.Code, int32(k))
	}
	c.Distinct = len(c.Levels)
	switch {
	case c.Distinct < 2:
		c.Type, c.Role = Constant, Exclude
	case c.Distinct == 2:
		c.Type = Boolean
	}
	return c
}

// cycle repeats cells up to n.
func cycle(n int, cells ...string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = cells[i%len(cells)]
	}
	return out
}

func TestProfileMedianIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draws := map[string]func() float64{
		"normal":         rng.NormFloat64,
		"few values":     func() float64 { return float64(rng.IntN(3)) },
		"heavy tail":     func() float64 { return math.Exp(20 * rng.NormFloat64()) },
		"extreme":        func() float64 { return (rng.Float64() - .5) * math.MaxFloat64 },
		"subnormal":      func() float64 { return float64(rng.IntN(5)) * 5e-324 },
		"one value":      func() float64 { return 7 },
		"missing halves": func() float64 { return []float64{math.NaN(), rng.Float64()}[rng.IntN(2)] },
	}
	for name, draw := range draws {
		for _, n := range []int{2, 3, 10, 1001} {
			x := make([]float64, n)
			for i := range x {
				x[i] = draw()
			}
			sorted := slices.DeleteFunc(slices.Clone(x), math.IsNaN)
			slices.Sort(sorted)
			k := len(sorted)
			if k == 0 {
				continue
			}
			want := sorted[k/2]
			if k%2 == 0 && sorted[k/2-1] != want {
				want = sorted[k/2-1]/2 + want/2
			}
			p := Profiles(byHand(numbers("x", x...)))[0]
			if *p.Median != want || *p.Min != sorted[0] || *p.Max != sorted[k-1] {
				t.Errorf("%s, n = %d: min %g median %g max %g, want %g %g %g", name, n, *p.Min, *p.Median, *p.Max, sorted[0], want, sorted[k-1])
			}
			total := 0
			for _, bar := range p.Histogram {
				total += bar
			}
			if total != k || len(p.Histogram) != Bins {
				t.Errorf("%s: histogram %v holds %d of %d", name, p.Histogram, total, k)
			}
		}
	}
}

func TestProfileHistogramAndLevels(t *testing.T) {
	p := Profiles(byHand(
		numbers("x", 0, 1, 1, 16, 15.5, math.NaN()),
		texts("sex", "m", "f", "f", "", "f", "m"),
		texts("site", "a", "a", "a", "a", "a", "a"),
	))
	if d := cmp.Diff([]int{1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}, p[0].Histogram); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]LevelCount{{"f", 3}, {"m", 2}}, p[1].Levels); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int{3, 2}, p[1].Histogram); d != "" {
		t.Error(d)
	}
	if p[0].Missing != 1 || p[0].Levels != nil || p[1].Median != nil || p[2].Distinct != 1 {
		t.Errorf("profiles %+v", p)
	}
}

func TestProfileKeepsIdentifiersAndTextToItself(t *testing.T) {
	id, note := texts("patient", "P1", "P2", "P3"), texts("note", "a b", "c d", "e f")
	id.Type, note.Type = Identifier, Text
	for _, p := range Profiles(byHand(id, note)) {
		if p.Levels != nil || p.Histogram != nil || p.Distinct != 3 {
			t.Errorf("%s shows %v %v", p.Name, p.Levels, p.Histogram)
		}
	}
}
