package stat

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

func TestDrawRows(t *testing.T) {
	const n, replicates = 50, 400
	r, hits := Rows(n), make([]float64, n)
	for b := range replicates {
		for _, i := range r.Draw(nil, 7, uint64(b)) {
			hits[i]++
		}
	}
	chi2 := 0.0
	for _, h := range hits {
		chi2 += (h - replicates) * (h - replicates) / replicates
	}
	if chi2 < 20 || chi2 > 90 { // 49 degrees of freedom, beyond the .9998 quantiles
		t.Errorf("χ² = %v for equal chances", chi2)
	}
	if !slices.Equal(r.Draw(nil, 7, 3), r.Draw(make([]int, 9), 7, 3)) {
		t.Error("a draw depends on dst")
	}
	if slices.Equal(r.Draw(nil, 7, 3), r.Draw(nil, 7, 4)) || slices.Equal(r.Draw(nil, 7, 3), r.Draw(nil, 8, 3)) {
		t.Error("another seed or replicate draws the same")
	}
}

// Groups stay whole.
func TestDrawKeepsTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 40).Draw(t, "labels")
		seed := rapid.Uint64().Draw(t, "seed")
		tally := func(rows []int) (of [6]int) {
			for _, i := range rows {
				of[label[i]]++
			}
			return of
		}
		var all [6]int
		for _, l := range label {
			all[l]++
		}
		rows := ResampleGroups(label).Draw(nil, seed, 1)
		groups := 0
		for g, n := range tally(rows) {
			if all[g] == 0 {
				continue
			}
			if n%all[g] != 0 {
				t.Fatalf("group %d of %d rows was drawn in %d", g, all[g], n)
			}
			groups += n / all[g]
		}
		if groups != len(parts(label)) {
			t.Fatalf("%d groups drawn of %d", groups, len(parts(label)))
		}
	})
}

// The bootstrap of a mean has the standard error SD·√((n−1)/n)/√n.
func TestBootstrapOfMean(t *testing.T) {
	x := make([]float64, 80)
	for i := range x {
		x[i] = math.Sin(3*float64(i)) * float64(i%7)
	}
	mean, sd := stat.PopMeanStdDev(x, nil)
	draws, err := Draws{Replicates: 3000, Seed: 2}.run(t.Context(), len(x), 1, func(rows []int) []float64 {
		return []float64{stat.Mean(at(x, rows), nil)}
	})
	if err != nil {
		t.Fatal(err)
	}
	low, high := Percentiles(draws[0])
	half := Z95 * sd / math.Sqrt(80)
	if !(math.Abs(low-(mean-half)) <= 0.15*half) || !(math.Abs(high-(mean+half)) <= 0.15*half) {
		t.Errorf("%v to %v, about %v ± %v", low, high, mean, half)
	}
}

func TestPercentiles(t *testing.T) {
	x := make([]float64, 201)
	for i := range x {
		x[200-i] = float64(i)
	}
	low, high := Percentiles(x)
	close(t, "low", low, 5, 1e-12) // type 7: .025·200
	close(t, "high", high, 195, 1e-12)
	x[0], x[1] = math.NaN(), math.NaN()
	if low, _ := Percentiles(x); low != 0.025*198 {
		t.Errorf("low %v without two NaN", low)
	}
	for i := range 30 {
		x[i] = math.NaN()
	}
	if low, _ := Percentiles(x); !math.IsNaN(low) {
		t.Error("an interval from draws that mostly fail")
	}
	if low, _ := Percentiles(x[150:180]); !math.IsNaN(low) {
		t.Error("an interval from 30 draws")
	}
}

// TestMedianInterval: the ranks come from exact sums of binomial coefficients, in integers.
func TestMedianInterval(t *testing.T) {
	for n, ranks := range map[int][2]int{6: {1, 6}, 10: {2, 9}, 20: {6, 15}, 100: {40, 61}, 200: {86, 115}} {
		v := make([]float64, n)
		for i := range v {
			v[i] = float64((i*7)%n + 1) // 7 divides none of these sizes
		}
		e := medianOf(v)
		if *e.Value != float64(n+1)/2 || *e.Low != float64(ranks[0]) || *e.High != float64(ranks[1]) {
			t.Errorf("of 1 to %d: %v from %v to %v, want ranks %v", n, *e.Value, *e.Low, *e.High, ranks)
		}
	}
	if e := medianOf([]float64{1, 2, 3, 4, 5}); *e.Value != 3 || e.Low != nil || e.High != nil {
		t.Errorf("of five: %+v", e)
	}
	if e := medianOf(nil); e != (Estimate{}) {
		t.Errorf("of none: %+v", e)
	}
}

func TestCorrectOptimism(t *testing.T) {
	own, original := make([]float64, 101), make([]float64, 101)
	for i := range own {
		own[i], original[i] = 0.8+float64(i)/1000, 0.76+float64(i)/1000+0.02*float64(i%2)
	}
	own[50] = math.NaN()
	o := CorrectOptimism(0.84, own, original)
	// Differences .04 (50 even places but the 50th) and .02 (50 odd ones).
	close(t, "optimism", *o.Optimism.Value, 0.03, 1e-12)
	close(t, "corrected", *o.Corrected.Value, 0.81, 1e-12)
	low, high := Percentiles(own)
	close(t, "low", *o.Corrected.Low, low-0.04, 1e-12) // the refits' mean is .85
	close(t, "high", *o.Corrected.High, high-0.04, 1e-12)
	if o.Replicates != 100 {
		t.Errorf("%d replicates", o.Replicates)
	}
	if o := CorrectOptimism(0.85, nil, nil); o.Corrected.Value != nil || *o.Apparent != 0.85 {
		t.Errorf("no replicates: %+v", o)
	}
}

func TestBandStability(t *testing.T) {
	s := BandStability([]int{0, 1, 2}, [][]int{{0, 1, 1}, {0, 2, 2}, {0, 0, 2}, {0, 0, 2}}, 0.3)
	if !slices.Equal(s.Changed, []float64{0, 0.75, 0.25}) || !slices.Equal(s.Above, []int{1}) || !(math.Abs(*s.Mean-1.0/3) <= 1e-15) {
		t.Errorf("%+v", s)
	}
	if s := BandStability([]int{0}, nil, 0.3); s.Mean != nil {
		t.Error("stability without refits")
	}
}
