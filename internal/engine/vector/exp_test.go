package vector

import (
	"math"
	"math/rand/v2"
	"testing"
)

// ulps is the distance in units of the last place.
func ulps(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / (math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want))
}

func TestExp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	worst := [3]float64{}
	for range 400_000 {
		x := (2*r.Float64() - 1) * math.Pow(10, 6*r.Float64()-3)
		if math.Abs(x) < 740 {
			worst[0] = max(worst[0], ulps(Exp(x), math.Exp(x)))
			e, m := Expm1(x)
			worst[0] = max(worst[0], ulps(e, math.Exp(x)))
			if d := math.Abs(m/math.Expm1(x) - 1); d > worst[1] {
				worst[1] = d
			}
		}
		u := math.Pow(10, 40*r.Float64()-20)
		worst[2] = max(worst[2], ulps(Log1p(u), math.Log1p(u)))
	}
	if worst[0] > 2 || worst[1] > 1.2e-14 || worst[2] > 3 {
		t.Errorf("exp is off by %v ulp, expm1 by %v, log1p by %v ulp", worst[0], worst[1], worst[2])
	}
	t.Logf("exp %v ulp, expm1 %v, log1p %v ulp", worst[0], worst[1], worst[2])
	for _, x := range []float64{-1e300, -800, -745.2, -710, 0, 5e-324, 709.7, 710, 1e300} {
		if Exp(x) != math.Exp(x) && ulps(Exp(x), math.Exp(x)) > 2 {
			t.Errorf("exp(%v) = %v, want %v", x, Exp(x), math.Exp(x))
		}
	}
	for _, u := range []float64{0, 5e-324, 1 - 0x1p-53, 1, math.MaxFloat64} {
		if ulps(Log1p(u), math.Log1p(u)) > 2 {
			t.Errorf("log1p(%v) = %v, want %v", u, Log1p(u), math.Log1p(u))
		}
	}
}

var sink float64

func BenchmarkExp(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	z := make([]float64, 1024)
	for i := range z {
		z[i] = r.Float64() * 8
	}
	for name, f := range map[string]func(float64) float64{"exp": math.Exp, "vector exp": Exp, "log1p": math.Log1p, "vector log1p": Log1p} {
		b.Run(name, func(b *testing.B) {
			for i := range b.N {
				sink += f(z[i%1024])
			}
		})
	}
}
