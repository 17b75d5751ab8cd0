package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"taper/internal/engine/spline"
)

// Quartiles returns the lower quartile, median and upper quartile by linear interpolation between order
// statistics (type 7 of Hyndman and Fan 1996, the default of R and numpy; gonum's LinInterp is type 4). They
// are NaN without values. x must not contain NaN.
func Quartiles(x []float64) (q1, median, q3 float64) {
	if len(x) < radixFrom {
		s := slices.Clone(x)
		slices.Sort(s)
		return quantile(s, 0.25), quantile(s, 0.5), quantile(s, 0.75)
	}
	r := newRanks(x)
	of := func(p float64) float64 { return spline.QuantileOf(len(x), p, r.at) }
	return of(0.25), of(0.5), of(0.75)
}

// Median returns the middle value, NaN without values.
func Median(x []float64) float64 {
	_, m, _ := Quartiles(x)
	return m
}

// quantile returns the type-7 quantile of sorted values.
func quantile(s []float64, p float64) float64 { return spline.Quantile(s, p) }

// KDE evaluates a Gaussian kernel density at the grid points, with Silverman's bandwidth 0.9 min(SD, IQR/1.34)
// n^(−1/5) (Silverman 1986, equation 3.31; the SD alone when the quartiles coincide). Constant values have no
// density: y is nil and the bandwidth 0.
func KDE(x []float64, grid []float64) (y []float64, bandwidth float64) {
	if floats.HasNaN(x) {
		return nil, 0
	}
	s := slices.Clone(x)
	sortFloats(s)
	h := silverman(s)
	if !(h > 0) {
		return nil, 0
	}
	at, weight := s, []float64(nil)
	if len(s) > exact {
		at, weight = bin(s, h)
	}
	y = make([]float64, len(grid))
	for i, g := range grid {
		y[i] = kernelSum(at, weight, g, h) / (float64(len(s)) * h * math.Sqrt(2*math.Pi))
	}
	return y, h
}

// silverman returns the bandwidth for sorted values.
func silverman(s []float64) float64 {
	if len(s) < 2 {
		return 0
	}
	spread := stat.StdDev(s, nil)
	if iqr := quantile(s, 0.75) - quantile(s, 0.25); iqr > 0 {
		spread = min(spread, iqr/1.34)
	}
	return 0.9 * spread * math.Pow(float64(len(s)), -0.2)
}

// exact is the largest number of values for which the density is summed directly.
const exact = 4096

// fine is the number of bins per bandwidth: the error of linear binning is then at most max|K″|/(8·fine²) ≈
// 3e-5 of the kernel's height (Hall and Wand 1996).
const fine = 64

// bin puts sorted values into bins a fraction of h wide and splits each value between its two neighbouring bins
// in proportion (linear binning). It returns only the occupied bins, in order, so a distant outlier does not
// cost memory.
func bin(s []float64, h float64) (at, weight []float64) {
	step := h / fine
	last := math.Inf(-1)
	add := func(k, w float64) {
		if k > last {
			at, weight = append(at, s[0]+k*step), append(weight, 0)
			last = k
		}
		weight[len(weight)-1] += w
	}
	for i := 0; i < len(s); {
		k := math.Floor((s[i] - s[0]) / step)
		var left, right float64
		for more := true; more; more = i < len(s) && (s[i]-s[0])/step < k+1 {
			part := (s[i]-s[0])/step - k
			left, right = left+1-part, right+part
			i++
		}
		add(k, left)
		add(k+1, right)
	}
	return at, weight
}

// kernelSum returns Σ w exp(−(g−x)²/2h²) over the values within 8 h; terms beyond that are below 1e-13. nil
// weights mean 1.
func kernelSum(at, weight []float64, g, h float64) (sum float64) {
	first, _ := slices.BinarySearch(at, g-8*h)
	for i := first; i < len(at) && at[i] <= g+8*h; i++ {
		u := (g - at[i]) / h
		k := math.Exp(-u * u / 2)
		if weight != nil {
			k *= weight[i]
		}
		sum += k
	}
	return sum
}
