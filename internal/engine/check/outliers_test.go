package check

import (
	"math"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

func TestOutliers(t *testing.T) {
	rng := seeded()
	normal := func(n int, mean, sd float64) []float64 {
		return draws(n, func(int) float64 { return mean + sd*rng.NormFloat64() })
	}
	lognormal := func(n int, median, sd float64) []float64 {
		return draws(n, func(int) float64 { return median * math.Exp(sd*rng.NormFloat64()) })
	}
	with := func(x []float64, extra ...float64) []float64 { return append(x, extra...) }
	mul := func(x []float64, f float64) []float64 {
		return draws(len(x), func(i int) float64 { return x[i] * f })
	}
	for _, c := range []struct {
		name string
		x    []float64
		code string // "" for none
		rows int
		unit float64 // what the values are multiplied by
	}{
		{"a normal measurement", normal(500, 120, 15), "", 0, 0},
		{"a skewed one with its long tail", lognormal(2000, 40, 1.2), "", 0, 0},
		{"zeros and a long tail", with(lognormal(300, 500, 1.5), make([]float64, 200)...), "", 0, 0},
		{"a decimal point lost", with(normal(300, 72, 10), 735), "outlier", 1, 0},
		{"one patient of 3 kg among adults", with(normal(300, 72, 7), .3), "outlier", 1, 0},
		{"1e18 among ones", with(draws(60, func(int) float64 { return 1 }), 1e18), "outlier", 1, 0},
		{"glucose of two laboratories", with(lognormal(300, 5.4, .15), mul(lognormal(60, 5.4, .15), 18.02)...),
			"mixed-units", 60, 1 / 18.02},
		{"creatinine in µmol/l", with(lognormal(300, .9, .25), mul(lognormal(40, .9, .25), 88.4)...), "mixed-units", 40, 1 / 88.4},
		{"a site in g that others give in kg", with(mul(normal(30, 3.3, .3), 1), mul(normal(90, 3.3, .3), 1000)...),
			"mixed-units", 30, 1000},
		{"fever in Fahrenheit", with(normal(300, 37, .5), draws(30, func(int) float64 { return 98.6 + .9*rng.NormFloat64() })...),
			"mixed-units", 30, 1 / 1.8},
		{"two ages of a disease", with(normal(200, 12, 2), normal(200, 60, 6)...), "", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			tab := tabletest.ByHand(tabletest.Numbers("x", c.x...))
			all := Columns(tab, table.Options{})
			if c.code == "" {
				silent(t, all, "outlier")
				silent(t, all, "mixed-units")
				return
			}
			w := say(t, all, c.code)
			e := w.Choices[0].Column.Extreme
			beyond := 0
			for _, v := range c.x {
				if e.High != nil && v > *e.High || e.Low != nil && v < *e.Low {
					beyond++
				}
			}
			if beyond != c.rows || !(math.Abs(e.Scale-c.unit) <= 1e-12) {
				t.Errorf("%q: %d rows × %v, want %d × %v", w.Message, beyond, e.Scale, c.rows, c.unit)
			}
		})
	}
}
