package stat

import (
	"math"
	"testing"

	"taper/internal/engine/spline"
)

// bent is a spline of 4 knots in columns 0…2, then two plain ones.
func bent() (x []float64, rows int) {
	knots := []float64{36.25434729847214, 52.48485460269455, 70.58799689518656, 79.36149479740291}
	for i := 1; i <= 40; i++ {
		v := 20 + 60*math.Abs(math.Sin(float64(i)))
		x = spline.Append(append(x, v), v, knots)
		x = append(x, 0.5*v+30*math.Cos(1.7*float64(i)), float64(i*7%11)/3)
	}
	return x, 40
}

// From car 3.1-1 on R 4.2.2: vif(lm(y ~ rcspline.eval(x, nk = 4, inclx = TRUE) +
// z + w)), its GVIF to the power 1/Df.
func TestGVIFAgainstCar(t *testing.T) {
	x, n := bent()
	close(t, "spline", *GVIF(x, n, 5, 0, 3), math.Pow(1.384913063517847, 1.0/3), 1e-10)
	close(t, "z", *GVIF(x, n, 5, 3, 4), 1.433077058092129, 1e-10)
	close(t, "w", *GVIF(x, n, 5, 4, 5), 1.109207307680373, 1e-10)
	for j, v := range VIF(x, n, 5)[3:] {
		close(t, "of one column", *GVIF(x, n, 5, j+3, j+4), *v, 1e-10)
	}
}

// What others determine has none; others that determine each other do not
// matter.
func TestGVIFCollinear(t *testing.T) {
	x, n := bent()
	var more []float64 // z twice, then x and w together
	for i := range n {
		r := x[i*5 : i*5+5]
		more = append(more, r...)
		more = append(more, 2*r[3]-1)
	}
	close(t, "beside twins", *GVIF(more, n, 6, 0, 3), *GVIF(x, n, 5, 0, 3), 1e-9)
	if v := GVIF(more, n, 6, 3, 4); v != nil {
		t.Errorf("a twin: %v", *v)
	}
	if v := GVIF(more, n, 6, 3, 6); v != nil {
		t.Errorf("twins together: %v", *v)
	}
	close(t, "all together", *GVIF(x, n, 5, 0, 5), 1, 1e-12)
	if GVIF(nil, 0, 2, 0, 1) != nil {
		t.Error("without rows")
	}
}
