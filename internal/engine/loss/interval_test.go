package loss

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"taper/internal/engine/usererr"
	"taper/testdata/oracle"
)

func TestOracleInterval(t *testing.T) {
	for _, c := range oracle.Load(t, "interval") {
		t.Run(c.Name, func(t *testing.T) {
			iv := mustInterval(t, oracle.List(t, c.Params["pi"])...)
			z := oracle.Number(t, c.Inputs["z"])
			c.Within(t, "pos_value", iv.Value(1, z))
			c.Within(t, "neg_value", iv.Value(-1, z))
			c.Within(t, "pos_sub", iv.Slope(1, z))
			c.Within(t, "neg_sub", iv.Slope(-1, z))
			c.Within(t, "index", float64(iv.Band(z)))
			c.Within(t, "pos_theory", iv.Theory(1, iv.Band(z))) // at the score f = z
			c.Within(t, "neg_theory", iv.Theory(-1, iv.Band(-z)))
		})
	}
}

func TestOracleIntervalGeometry(t *testing.T) {
	for _, c := range oracle.Load(t, "interval-geometry") {
		t.Run(c.Name, func(t *testing.T) {
			iv := mustInterval(t, oracle.List(t, c.Params["pi"])...)
			var pos, neg, up, down []float64
			for k := range iv.Pi {
				up, down = append(up, -iv.slope(1, k)), append(down, -iv.slope(-1, k))
			}
			for j := range len(iv.Pi) + 1 {
				pos, neg = append(pos, iv.Theory(1, j)), append(neg, iv.Theory(-1, j))
			}
			c.Within(t, "A", iv.A...)
			c.Within(t, "B_pos", up...)
			c.Within(t, "B_neg", down...)
			c.Within(t, "hinge", iv.Hinge...)
			c.Within(t, "delta", iv.Delta...)
			c.Within(t, "theory_pos", pos...)
			c.Within(t, "theory_neg", neg...)
		})
	}
}

func mustInterval(t interface{ Fatal(...any) }, pi ...float64) Interval {
	iv, err := NewInterval(pi)
	if err != nil {
		t.Fatal(err)
	}
	return iv
}

// TestHingesInterleave: each cut-off lies strictly between its hinges, also
// for boundaries a rounding apart.
func TestHingesInterleave(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.Float64Range(1e-9, 1-1e-9).Draw(t, "p")
		pi := []float64{p}
		for _, step := range rapid.SliceOfN(rapid.Float64Range(-12, -0.5), 0, 6).Draw(t, "log steps") {
			if next := pi[len(pi)-1] + math.Pow(10, step); next < 1-1e-9 && next > pi[len(pi)-1] {
				pi = append(pi, next)
			}
		}
		iv := mustInterval(t, pi...)
		for k, d := range iv.Delta {
			if !(iv.Hinge[k] <= d && d <= iv.Hinge[k+1]) {
				t.Errorf("π = %v: hinges %v do not surround cut-off %v", pi, iv.Hinge, iv.Delta)
			}
		}
	})
}

// TestBandsOfScoreAndProbability: the band of logit p is the band of p.
func TestBandsOfScoreAndProbability(t *testing.T) {
	iv := mustInterval(t, .1, .25, .6)
	for _, p := range []float64{.05, .11, .249, .26, .59, .61, .99} {
		if a, b := iv.Band(math.Log(p/(1-p))), iv.BandOf(p); a != b {
			t.Errorf("p = %v: band %d by score, %d by probability", p, a, b)
		}
	}
	for k, p := range iv.Pi { // (π_j, π_{j+1}]
		if iv.BandOf(p) != k || iv.Band(iv.Delta[k]) != k {
			t.Errorf("boundary %v is in band %d, cut-off in %d, want %d", p, iv.BandOf(p), iv.Band(iv.Delta[k]), k)
		}
	}
}

func TestCheckBoundaries(t *testing.T) {
	many := make([]float64, 100)
	for k := range many {
		many[k] = float64(k+1) / 101
	}
	for want, pi := range map[string][]float64{
		"boundaries must hold 1 to 99":                                 {},
		"must hold 1 to 99 probabilities (got 100)":                    many,
		"boundaries[0] must lie strictly":                              {0, .5},
		"boundaries[1] must lie strictly between 0 and 1 (got 1)":      {.5, 1},
		"boundaries[1] must be greater than boundaries[0] (0.5)":       {.5, .5},
		"boundaries[2] must be greater than boundaries[1] (0.7)":       {.5, .7, .6},
		"boundaries[0] must lie strictly between 0 and 1 (got NaN)":    {math.NaN()},
		"boundaries[1] must lie strictly between 0 and 1 (got 1e+300)": {.5, 1e300},
	} {
		_, err := NewInterval(pi)
		if !usererr.Is(err, usererr.Invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", pi, err, want)
		}
	}
	pi := []float64{.2, .4}
	iv := mustInterval(t, pi...)
	pi[0] = .3
	if !slices.Equal(iv.Pi, []float64{.2, .4}) {
		t.Error("the geometry shares the caller's slice")
	}
}
