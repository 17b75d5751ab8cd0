package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Reference: sklearn.metrics 1.2.1 average_precision_score, with ties.
func TestRankFlipsAgainstSklearn(t *testing.T) {
	var s []float64
	var flipped []bool
	for i := range 80 {
		w := math.Sin(0.7 * float64(i))
		w *= w
		s = append(s, math.Round(10*w)/10+0.05*float64(i%3))
		flipped = append(flipped, w > 0.6 && i%3 != 0 || i%17 == 0)
	}
	r := RankFlips(s, flipped, 10, 22, 81)
	close(t, "average precision", *r.AveragePrecision, 0.8990491068880899, 1e-12)
	if r.Flips != 22 || len(r.At) != 2 {
		t.Errorf("%d flips, %d precisions", r.Flips, len(r.At))
	}
}

// Ties are what breaking them at random gives on average, so that the order of
// the rows does not matter; distinct values are counted.
func TestRankFlipsTies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 25).Draw(t, "rows")
		s, flipped := make([]float64, n), make([]bool, n)
		for i := range n {
			s[i], flipped[i] = float64(rapid.IntRange(0, 4).Draw(t, "s")), i == 0 || rapid.Bool().Draw(t, "flipped")
		}
		k := rapid.IntRange(1, n).Draw(t, "k")
		r := rand.New(rand.NewPCG(1, uint64(n)))
		const times = 4000
		found := 0.0
		broken := make([]float64, n)
		for range times {
			for i := range s {
				broken[i] = s[i] + r.Float64()/2
			}
			for _, row := range descending(broken)[:k] {
				if flipped[row] {
					found++
				}
			}
		}
		got := RankFlips(s, flipped, k)
		if d := got.At[0].Found - found/times; !(math.Abs(d) <= 0.16) { // four standard errors of a spread of 2.5
			t.Fatalf("%v found among %d, %v by chance", got.At[0].Found, k, found/times)
		}
		if all := RankFlips(s, flipped, n).At[0]; !(math.Abs(*all.Precision.Value-*got.BaseRate.Value) <= 1e-14) {
			t.Fatal("precision of all rows is not the base rate")
		}
	})
}

func TestRankFlipsByHand(t *testing.T) {
	n := 100
	s, flipped := make([]float64, n), make([]bool, n)
	for i := range n {
		s[i], flipped[i] = -float64(i), i == 0 || i == 3 || i == 40 || i == 70
	}
	r := RankFlips(s, flipped, 2, 4)
	close(t, "average precision", *r.AveragePrecision, (1+2.0/4+3.0/41+4.0/71)/4, 1e-14)
	close(t, "precision at 4", *r.At[1].Precision.Value, 0.5, 0)
	close(t, "recall in 5", *r.Recall.Value, 0.5, 0)
	low, high := Wilson(2, 4)
	close(t, "its interval", *r.Recall.Low, low, 1e-14)
	close(t, "its interval", *r.Recall.High, high, 1e-14)
	close(t, "base rate", *r.BaseRate.Value, 0.04, 0)
	if r := RankFlips(s, make([]bool, n), 5); r.AveragePrecision != nil || r.At != nil || r.Recall.Value != nil {
		t.Errorf("no flips: %+v", r)
	}
}

func TestRunningRate(t *testing.T) {
	r := RunningRate([]bool{true, false, true})
	if len(r) != 3 || r[1].Reviewed != 2 || r[1].Errors != 1 || *r[2].Rate.Value != 2.0/3 {
		t.Errorf("%+v", r)
	}
}
