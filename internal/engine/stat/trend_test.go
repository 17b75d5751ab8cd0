package stat

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Reference: scipy 1.10.1 stats.kendalltau(group, value,
// method="asymptotic").pvalue, to which the test of Jonckheere and Terpstra is
// equal, and stats.spearmanr.
func TestTrendAgainstScipy(t *testing.T) {
	group, value := groups()
	r := Trend(group, value)
	close(t, "p", *r.P, 0.009790787232450623, 1e-10)
	close(t, "ρ", *r.Spearman.Value, 0.3581194517768009, 1e-12)
	close(t, "p of ρ", *r.SpearmanP, 0.010663089387812151, 1e-10)
	se := math.Sqrt((1 + 0.3581194517768009*0.3581194517768009/2) / 47)
	close(t, "ρ low", *r.Spearman.Low, math.Tanh(math.Atanh(0.3581194517768009)-Z95*se), 1e-12)
}

// Two groups: Mann and Whitney's test, scipy 1.10.1 stats.mannwhitneyu(
// use_continuity=False, method="asymptotic"), and the AUC with DeLong's
// interval.
func TestTrendOfTwoGroups(t *testing.T) {
	group, value := groups()
	event := make([]bool, len(group))
	for i, k := range group {
		group[i] = k / 2
		event[i] = k > 1
	}
	r := Trend(group, value)
	close(t, "U", *r.Jonckheere, 415, 0)
	close(t, "p", *r.P, 0.028593984236576386, 1e-10)
	auc, low, high := AUC(value, event)
	close(t, "concordance", *r.Concordance.Value, auc, 1e-14)
	close(t, "low", *r.Concordance.Low, low, 1e-12)
	close(t, "high", *r.Concordance.High, high, 1e-12)
}

func groups() (group []int, value []float64) {
	for i := range 50 {
		g := (i*5 + i/7) % 4
		group, value = append(group, g), append(value, math.Round(3*math.Sin(1.3*float64(i))+0.8*float64(g)))
	}
	return group, value
}

// Nine rows, of which few pairs are in the wrong order: the normal interval would end above 1.
func TestConcordanceIntervalEndsAtOne(t *testing.T) {
	group, value := []int{0, 0, 0, 1, 1, 1, 2, 2, 2}, []float64{1, 2, 5, 3, 4, 6, 5.5, 8, 9}
	for name, c := range map[string]struct {
		got  Estimate
		low  float64
		high float64
	}{
		"rising":  {Trend(group, value).Concordance, 0.5, 1},
		"falling": {Trend(group, negated(value)).Concordance, 0, 0.5},
	} {
		if e := c.got; !(*e.Low >= c.low && *e.Low < *e.Value && *e.Value < *e.High && *e.High <= c.high) {
			t.Errorf("%s: %v (%v – %v), not within %v – %v", name, *e.Value, *e.Low, *e.High, c.low, c.high)
		}
	}
}

func negated(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = -x
	}
	return out
}

// The moments over all 7!/(2!3!2!) arrangements of the values into the groups.
func TestTrendMoments(t *testing.T) {
	group, value := []int{0, 0, 1, 1, 1, 2, 2}, []float64{1, 1, 2, 3, 3, 3, 5}
	var sum, sum2, n float64
	arrange(value, 0, func(v []float64) {
		j := 0.0
		for a := range v {
			for b := range v {
				if group[a] < group[b] && v[a] < v[b] {
					j++
				} else if group[a] < group[b] && v[a] == v[b] {
					j += 0.5
				}
			}
		}
		sum, sum2, n = sum+j, sum2+j*j, n+1
	})
	mean := sum / n
	variance := sum2/n - mean*mean
	r := Trend(group, value)
	close(t, "z", *r.Z, (*r.Jonckheere-mean)/math.Sqrt(variance), 1e-12)
}

// arrange calls f with every permutation of v[k:].
func arrange(v []float64, k int, f func([]float64)) {
	if k == len(v) {
		f(v)
		return
	}
	for i := k; i < len(v); i++ {
		v[k], v[i] = v[i], v[k]
		arrange(v, k+1, f)
		v[k], v[i] = v[i], v[k]
	}
}

// A rising map changes nothing, a falling one turns the signs, and so does
// the other order of the groups.
func TestTrendProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 40).Draw(t, "rows")
		group, value, up, down := make([]int, n), make([]float64, n), make([]float64, n), make([]float64, n)
		reversed := make([]int, n)
		for i := range n {
			group[i] = rapid.IntRange(0, 3).Draw(t, "group")
			value[i] = float64(rapid.IntRange(0, 12).Draw(t, "value"))
			up[i], down[i], reversed[i] = math.Exp(value[i]), -value[i], -group[i]
		}
		r, u := Trend(group, value), Trend(group, up)
		if r.Z == nil || r.Spearman.Value == nil {
			t.Skip("all rows in one group, or one value only: there is no trend")
		}
		if *u.Z != *r.Z || !(math.Abs(*u.Spearman.Value-*r.Spearman.Value) <= 1e-14) {
			t.Fatal("a rising map changed the trend")
		}
		for _, d := range []OrderedGroups{Trend(group, down), Trend(reversed, value)} {
			if !(math.Abs(*d.Z+*r.Z) <= 1e-12) || !(math.Abs(*d.Spearman.Value+*r.Spearman.Value) <= 1e-12) || !(math.Abs(*d.Concordance.Value+*r.Concordance.Value-1) <= 1e-12) {
				t.Fatalf("turned: %v, was %v", *d.Z, *r.Z)
			}
		}
	})
}

func TestTrendUndefined(t *testing.T) {
	for name, r := range map[string]OrderedGroups{
		"no rows":   Trend(nil, nil),
		"one group": Trend([]int{1, 1, 1}, []float64{1, 2, 3}),
		"constant":  Trend([]int{0, 1, 2}, []float64{4, 4, 4}),
		"NaN":       Trend([]int{0, 1, 2}, []float64{4, math.NaN(), 4}),
	} {
		if r.Z != nil || r.P != nil || r.Spearman.Value != nil || r.SpearmanP != nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := Trend([]int{0, 1, 2, 3}, []float64{1, 2, 3, 4}); *r.Spearman.Value != 1 || *r.SpearmanP != 0 || r.Concordance.Low != nil {
		t.Errorf("perfect order of single rows: %+v", r)
	}
}
