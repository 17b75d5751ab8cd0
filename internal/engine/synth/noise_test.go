package synth

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// noisy draws the inputs of noise: uniform order, labels, and margins with ties and
// misclassified rows.
func noisy(seed uint64, n int) (order []float64, positive []bool, margin []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for range n {
		order = append(order, rng.Float64())
		positive = append(positive, rng.Float64() < 0.3)
		margin = append(margin, math.Round(4*rng.NormFloat64()+4)/2)
	}
	return order, positive, margin
}

// counted returns the number of corrupted rows.
func counted(corrupted []bool) (n int) {
	for _, s := range corrupted {
		if s {
			n++
		}
	}
	return n
}

// TestNoiseIsNested: a higher rate corrupts a superset, and the exact kinds corrupt
// round(rate·n) rows, or all eligible ones if there are fewer.
func TestNoiseIsNested(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "n")
		order, positive, margin := noisy(rapid.Uint64().Draw(t, "seed"), n)
		low, high := rapid.Float64Range(0, 1).Draw(t, "low"), rapid.Float64Range(0, 1).Draw(t, "high")
		low, high = min(low, high), max(low, high)
		right := 0
		for _, m := range margin {
			if m > 0 {
				right++
			}
		}
		for _, kind := range NoiseKinds {
			few := Noise{Kind: kind, Rate: low, RatePositive: low, RateNegative: low / 2}.Rows(order, positive, margin)
			many := Noise{Kind: kind, Rate: high, RatePositive: high, RateNegative: high / 2}.Rows(order, positive, margin)
			for i := range few {
				if few[i] && !many[i] {
					t.Fatalf("%s: row %d is corrupted at %v and not at %v", kind, i, low, high)
				}
			}
			want := map[string]int{NoiseNone: 0, NoiseRandom: int(math.Round(low * float64(n))), NoiseInstance: int(math.Round(low * float64(n))),
				NoiseSmallMargin: min(int(math.Round(low*float64(n))), right), NoiseLargeMargin: min(int(math.Round(low*float64(n))), right)}
			if k, exact := want[kind]; exact && counted(few) != k {
				t.Fatalf("%s: %d of %d rows at rate %v, want %d", kind, counted(few), n, low, k)
			}
		}
	})
}

// TestNoiseByMargin: only correctly classified rows flip, and no row that stays is nearer to
// the boundary (farther from it) than one that flips.
func TestNoiseByMargin(t *testing.T) {
	order, positive, margin := noisy(3, 500)
	for _, kind := range []string{NoiseSmallMargin, NoiseLargeMargin} {
		corrupted := Noise{Kind: kind, Rate: 0.2}.Rows(order, positive, margin)
		low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)} // kept, corrupted
		for i, m := range margin {
			if m <= 0 {
				if corrupted[i] {
					t.Errorf("%s: row %d of margin %v flips", kind, i, m)
				}
				continue
			}
			k := 0
			if corrupted[i] {
				k = 1
			}
			low[k], high[k] = min(low[k], m), max(high[k], m)
		}
		if kind == NoiseSmallMargin && high[1] > low[0] || kind == NoiseLargeMargin && low[1] < high[0] {
			t.Errorf("%s: flipped %v…%v, kept %v…%v", kind, low[1], high[1], low[0], high[0])
		}
	}
}

// TestNoiseRates: the independent kinds flip their rate within four standard deviations, each
// class by its own rate.
func TestNoiseRates(t *testing.T) {
	const n = 40_000
	order, positive, _ := noisy(5, n)
	for _, c := range []struct {
		noise Noise
		want  [2]float64
	}{
		{Noise{Kind: NoiseSymmetric, Rate: 0.15}, [2]float64{0.15, 0.15}},
		{Noise{Kind: NoiseClass, RatePositive: 0.3, RateNegative: 0.05}, [2]float64{0.05, 0.3}},
	} {
		var rows, hit [2]float64
		for i, corrupted := range c.noise.Rows(order, positive, nil) {
			k := 0
			if positive[i] {
				k = 1
			}
			rows[k]++
			if corrupted {
				hit[k]++
			}
		}
		for k, p := range c.want {
			if sd := math.Sqrt(p * (1 - p) / rows[k]); !(math.Abs(hit[k]/rows[k]-p) <= 4*sd) {
				t.Errorf("%s: class %d flips %v, want %v", c.noise.Kind, k, hit[k]/rows[k], p)
			}
		}
	}
}
