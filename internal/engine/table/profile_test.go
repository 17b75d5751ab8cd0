package table_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"

	"github.com/google/go-cmp/cmp"
)

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
			p := table.Profiles(tabletest.ByHand(tabletest.Numbers("x", x...)))[0]
			if *p.Median != want || *p.Min != sorted[0] || *p.Max != sorted[k-1] {
				t.Errorf("%s, n = %d: min %g median %g max %g, want %g %g %g", name, n, *p.Min, *p.Median, *p.Max, sorted[0], want, sorted[k-1])
			}
			total := 0
			for _, bar := range p.Histogram {
				total += bar
			}
			if total != k || len(p.Histogram) != table.Bins {
				t.Errorf("%s: histogram %v holds %d of %d", name, p.Histogram, total, k)
			}
		}
	}
}

func TestProfileHistogramAndLevels(t *testing.T) {
	p := table.Profiles(tabletest.ByHand(
		tabletest.Numbers("x", 0, 1, 1, 16, 15.5, math.NaN()),
		tabletest.Texts("sex", "m", "f", "f", "", "f", "m"),
		tabletest.Texts("site", "a", "a", "a", "a", "a", "a"),
	))
	if d := cmp.Diff([]int{1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}, p[0].Histogram); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]table.LevelCount{{"f", 3}, {"m", 2}}, p[1].Levels); d != "" {
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
	id, note := tabletest.Texts("patient", "P1", "P2", "P3"), tabletest.Texts("note", "a b", "c d", "e f")
	id.Type, note.Type = table.Identifier, table.Text
	for _, p := range table.Profiles(tabletest.ByHand(id, note)) {
		if p.Levels != nil || p.Histogram != nil || p.Distinct != 3 {
			t.Errorf("%s shows %v %v", p.Name, p.Levels, p.Histogram)
		}
	}
}
