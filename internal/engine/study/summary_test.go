package study

import (
	"bytes"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

func plan(values map[string][]float64) (Plan, Values) {
	var p Plan
	done := Values{}
	for _, model := range []string{"a", "b"} {
		for r, v := range values[model] {
			u := Unit{ID: model + strconv.Itoa(r), Replicate: r, Keys: []Key{{Model: model, Metric: "m"}}}
			p.Units = append(p.Units, u)
			done[u.ID] = []float64{v}
		}
	}
	return p, done
}

func near(a *float64, b float64) bool { return a != nil && math.Abs(*a-b) < 1e-12*(1+math.Abs(b)) }

// TestSummarise: mean 3, SD √2.5, t(.975, 4) = 2.776445105 (tables), median 3.
func TestSummarise(t *testing.T) {
	p, done := plan(map[string][]float64{"a": {5, 1, 3, 2, 4}, "b": {1, math.NaN(), 2}})
	cells := Summarise(p, done)
	a, b := cells[0], cells[1]
	half := 2.7764451051977987 * math.Sqrt(2.5) / math.Sqrt(5)
	if !near(a.Mean, 3) || !near(a.SD, math.Sqrt(2.5)) || !near(a.Median, 3) || !(math.Abs(*a.High-3-half) <= 1e-9) || !(math.Abs(3-*a.Low-half) <= 1e-9) || a.N != 5 {
		t.Errorf("%+v", a)
	}
	if b.N != 2 || !near(b.Mean, 1.5) || b.Values[1] != nil || len(b.Values) != 3 {
		t.Errorf("NaN counts: %+v", b)
	}
	delete(done, "a4")
	delete(done, "b0")
	delete(done, "b2")
	cells = Summarise(p, done)
	if a := cells[0]; a.N != 4 || !slices.Equal(a.Replicates, []int{0, 1, 2, 3}) || !near(a.Median, 2.5) {
		t.Errorf("unfinished: %+v", a)
	}
	if b := cells[1]; b.N != 0 || b.Mean != nil || b.Median != nil || b.Low != nil {
		t.Errorf("empty: %+v", b)
	}
}

// TestMedianSE: closed form against brute force. Of three values all 27 samples
// are listed; of nine, 200,000 are drawn.
func TestMedianSE(t *testing.T) {
	v := []float64{1, 2, 6}
	var sum, square float64
	for i := range 27 {
		s := []float64{v[i%3], v[i/3%3], v[i/9]}
		slices.Sort(s)
		sum += s[1] / 27
		square += s[1] * s[1] / 27
	}
	if got, want := medianSE(v, medianShares(3)), math.Sqrt(square-sum*sum); !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("three values: %v, want %v", got, want)
	}
	v = []float64{0.1, 0.4, 0.5, 0.9, 1.3, 1.4, 2.2, 2.3, 5}
	rng := rand.New(rand.NewPCG(1, 2))
	var medians []float64
	for range 200_000 {
		s := make([]float64, len(v))
		for i := range s {
			s[i] = v[rng.IntN(len(v))]
		}
		slices.Sort(s)
		medians = append(medians, s[4])
	}
	_, want := moments(medians)
	if got := medianSE(v, medianShares(9)); !(math.Abs(got-want) <= 0.01*want) {
		t.Errorf("nine values: %v, drawn %v", got, want)
	}
	if !math.IsNaN(medianSE([]float64{1}, medianShares(1))) {
		t.Error("one value has no standard error")
	}
}

// TestCompare pairs by replicate, whatever is missing.
func TestCompare(t *testing.T) {
	p, done := plan(map[string][]float64{"a": {1, 2, 3, 9, 5}, "b": {0, 4, math.NaN(), 8, 1}})
	delete(done, "a3")
	cells := Summarise(p, done)
	got := Compare(cells[0], cells[1]) // differences 1, −2, 4
	if got.N != 3 || !near(got.Mean, 1) || got.Wilcoxon.N != 3 || got.Wilcoxon.W != 4 || got.Wilcoxon.P != 0.75 {
		t.Errorf("%+v", got)
	}
}

// TestCompareBest: b is ahead in all of eight replicates (p = 2/256), c as
// often behind as ahead.
func TestCompareBest(t *testing.T) {
	var cells []Cell
	for _, m := range []struct {
		model string
		shift []float64
	}{{"a", []float64{0, 0, 0, 0, 0, 0, 0, 0}}, {"b", []float64{1, 2, 3, 4, 5, 6, 7, 8}}, {"c", []float64{2, 1, 4, 3, 6, 5, 8, 6}}} {
		c := Cell{Key: Key{Model: m.model, Metric: "m", Noise: 0.1}}
		for r, v := range m.shift {
			v += float64(10 * r)
			c.Values, c.Replicates = append(c.Values, &v), append(c.Replicates, r)
		}
		c.sum(&quantiles{})
		cells = append(cells, c)
	}
	higher, lower := CompareBest(cells, true), CompareBest(cells, false)
	if higher[0].Best || !higher[1].Best || !higher[2].Best || higher[1].Pair != nil || higher[0].Pair.Wilcoxon.P != 2./256 {
		t.Errorf("higher is better: %+v", higher)
	}
	if !lower[0].Best || lower[1].Best || lower[2].Best {
		t.Errorf("lower is better: %+v", lower)
	}
}

func TestWriteCSV(t *testing.T) {
	p, done := plan(map[string][]float64{"a": {1.0 / 3, math.NaN()}})
	p.Units[0].Keys[0].Data, p.Units[1].Keys[0].Data = `=cmd,"x"`, `=cmd,"x"`
	var whole, short bytes.Buffer
	cells := Summarise(p, done)
	if err := WriteCSV(&whole, cells); err != nil {
		t.Fatal(err)
	}
	if err := WriteSummaryCSV(&short, cells); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&whole).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%v %v", rows, err)
	}
	if v, _ := strconv.ParseFloat(rows[1][6], 64); v != 1.0/3 || rows[2][6] != "" || rows[2][5] != "1" || rows[1][0] != `'=cmd,"x"` {
		t.Errorf("%q", rows)
	}
	if rows, err = csv.NewReader(&short).ReadAll(); err != nil || len(rows) != 2 || rows[1][5] != "1" || rows[1][8] != "" {
		t.Errorf("%q %v", rows, err)
	}
}
