package tempered

import (
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"taper/testdata/oracle"
)

func TestOracle(t *testing.T) {
	for _, c := range oracle.Load(t, "log-t") {
		c.Within(t, "log_t", Log(oracle.Number(t, c.Params["t"]), oracle.Number(t, c.Inputs["x"])))
	}
	for _, c := range oracle.Load(t, "exp-t") {
		c.Within(t, "exp_t", Exp(oracle.Number(t, c.Params["t"]), oracle.Number(t, c.Inputs["x"])))
	}
	for _, c := range oracle.Load(t, "g-binary") {
		temp, a := oracle.Number(t, c.Params["t"]), oracle.Number(t, c.Inputs["a"])
		for _, a := range []float64{a, -a} { // even in a
			c.Within(t, "gap", BinaryGap(temp, a))
			c.Within(t, "G", math.Abs(a)/2+BinaryGap(temp, a))
			c.Within(t, "gap", Gap(temp, []float64{a / 2, -a / 2}))
		}
	}
	for _, c := range oracle.Load(t, "g-multiclass") {
		temp, a := oracle.Number(t, c.Params["t"]), oracle.List(t, c.Inputs["a"])
		c.Within(t, "gap", Gap(temp, a))
		c.Within(t, "G", slices.Max(a)+Gap(temp, a))
	}
}

// TestEnds holds the table of docs/math.md, log_t, exp_t.
func TestEnds(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"log_t(0), t<1", Log(.6, 0), -1 / (1 - .6)},
		{"log_1(0)", Log(1, 0), -inf},
		{"log_t(0), t>1", Log(1.5, 0), -inf},
		{"sup log_t, t<1", Log(.5, inf), inf},
		{"sup log_t, t>1", Log(1.5, inf), 2},
		{"exp_t at its edge, t<1", Exp(.5, -2), 0},
		{"exp_t beyond its edge, t<1", Exp(.5, -3), 0},
		{"exp_t at its edge, t>1", Exp(1.5, 2), inf},
		{"exp_t beyond its edge, t>1", Exp(1.5, 9), inf},
		{"exp_0", Exp(0, 2.5), 3.5},
		{"cap of −log_t", NegLog(.6, -inf), 1 / (1 - .6)},
		{"no cap at 1", NegLog(1, -inf), inf},
	} {
		if c.got != c.want && !(math.Abs(c.got-c.want) < 1e-15*c.want) {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
}

// TestGapExactly compares with exact rational arithmetic where the terms are
// rational: t = 2 gives 1/(1+y), t = 1.5 gives 1/(1+y/2)², t = 0 gives 1−y.
// The root lies between x(1−1e-13) and x(1+1e-13).
func TestGapExactly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		a := make([]float64, 2+r.IntN(40))
		scale := math.Pow(10, 6*r.Float64()-2)
		for j := range a {
			a[j] = scale * r.NormFloat64()
		}
		for _, temp := range []float64{0, 1.5, 2} {
			x := Gap(temp, a)
			if lo, hi := sum(temp, a, x*(1-1e-13)), sum(temp, a, x*(1+1e-13)); lo.Cmp(one) < 0 || hi.Cmp(one) > 0 {
				t.Errorf("t = %v, a = %v: Σp is %s and %s around the gap %v", temp, a, lo.FloatString(20), hi.FloatString(20), x)
			}
		}
	}
}

var one = big.NewRat(1, 1)

// sum returns Σ exp_t(a_j − max a − x), rounded to 200 bits term by term.
func sum(temp float64, a []float64, x float64) *big.Rat {
	total, top := new(big.Float).SetPrec(300), big.NewFloat(slices.Max(a))
	for _, v := range a {
		y := new(big.Float).SetPrec(300).Sub(top.SetPrec(300), big.NewFloat(v))
		y.Add(y, big.NewFloat(x))
		p := new(big.Float).SetPrec(300).SetInt64(1)
		switch temp {
		case 0:
			if p.Sub(p, y); p.Sign() < 0 {
				p.SetInt64(0)
			}
		case 1.5:
			y.Quo(y, big.NewFloat(2)).Add(y, big.NewFloat(1))
			p.Quo(p, y.Mul(y, y))
		case 2:
			p.Quo(p, y.Add(y, big.NewFloat(1)))
		}
		total.Add(total, p)
	}
	rat, _ := total.Rat(nil)
	return rat
}

// TestGapProperties: the bracket, Σp = 1, symmetry and translation at every
// temperature, and continuity at t = 1.
func TestGapProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		temp := 3 * r.Float64()
		k := 2 + r.IntN(20)
		a := make([]float64, k)
		for j := range a {
			a[j] = math.Round(1e3*math.Pow(10, 3*r.Float64()-2)*r.NormFloat64()) / 1024
		}
		x := Gap(temp, a)
		if most := NegLog(temp, -math.Log(float64(k))); !(x >= 0 && x <= most*(1+1e-13)) {
			t.Fatalf("t = %v, a = %v: gap %v is outside 0 … %v", temp, a, x, most)
		}
		l := make([]float64, k)
		LogProbs(l, temp, a)
		total := 0.0
		for _, v := range l {
			total += math.Exp(v)
		}
		if !(math.Abs(total-1) <= 1e-12) {
			t.Errorf("t = %v, a = %v: Σp = %v", temp, a, total)
		}
		b := slices.Clone(a)
		r.Shuffle(k, func(i, j int) { b[i], b[j] = b[j], b[i] })
		for j := range b {
			b[j] += 4
		}
		if y := Gap(temp, b); !(math.Abs(x-y) <= 1e-13*x) {
			t.Errorf("t = %v: gap %v of %v, but %v when permuted and shifted", temp, x, a, y)
		}
	}
	a := []float64{.3, -1.2, 2, 1.9}
	for _, d := range []float64{1e-3, 1e-6, 1e-9, 1e-12, 1e-15} {
		for _, temp := range []float64{1 + d, 1 - d} {
			if x, y := Gap(temp, a), Gap(1, a); !(math.Abs(x-y) <= 2*d+1e-15) {
				t.Errorf("gap jumps from %v to %v at t = %v", y, x, temp)
			}
		}
	}
}

func FuzzGap(f *testing.F) {
	f.Add(1.3, 2.0, 1.0, -1.0)
	f.Add(0.3, -1e6, 1e6, 0.0)
	f.Add(3.9, 1e300, -1e300, 1e-300)
	f.Add(0.0, 0.5, 0.5, 0.4)
	f.Fuzz(func(t *testing.T, temp, a, b, c float64) {
		if !(temp >= 0 && temp <= 4) || a-a+b-b+c-c != 0 {
			t.Skip("outside the domain of Gap: a temperature from 0 to 4, finite numbers")
		}
		if x, most := Gap(temp, []float64{a, b, c}), NegLog(temp, -math.Log(3)); !(x >= 0 && x <= most*(1+1e-13)) {
			t.Errorf("gap %v is outside 0 … %v", x, most)
		}
		if x := BinaryGap(temp, a); !(x >= 0 && x <= NegLog(temp, -math.Ln2)*(1+1e-13)) {
			t.Errorf("binary gap %v", x)
		}
	})
}

func BenchmarkBinaryGap(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	z := make([]float64, 1024)
	for i := range z {
		z[i] = 4 * r.NormFloat64()
	}
	for i := range b.N {
		BinaryGap(1.6, z[i%1024])
	}
}

// BenchmarkNormaliser solves for a million rows of ten classes, on all cores.
func BenchmarkNormaliser(b *testing.B) {
	const rows, classes = 1_000_000, 10
	r := rand.New(rand.NewPCG(1, 2))
	a, gaps := make([]float64, rows*classes), make([]float64, rows)
	for i := range a {
		a[i] = 3 * r.NormFloat64()
	}
	workers := runtime.GOMAXPROCS(0)
	b.ResetTimer()
	for range b.N {
		var all sync.WaitGroup
		for w := range workers {
			all.Go(func() {
				for i := rows * w / workers; i < rows*(w+1)/workers; i++ {
					gaps[i] = Gap(1.6, a[i*classes:(i+1)*classes])
				}
			})
		}
		all.Wait()
	}
}

// TestBinaryGapOfTwo: at t = 2 the gap solves 1/(1 + x) + 1/(1 + o + x) = 1, so x = √(o²/4 + 1) − o/2,
// here with 400 bits and given to the last digits.
func TestBinaryGapOfTwo(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 2000 {
		o := math.Pow(10, 20*r.Float64()-10)
		half := new(big.Float).SetPrec(400).SetFloat64(o / 2)
		root := new(big.Float).SetPrec(400).Mul(half, half)
		root.Sqrt(root.Add(root, big.NewFloat(1)))
		want, _ := root.Sub(root, half).Float64()
		if got := BinaryGap(2, o); math.Abs(got-want) > 0x3p-52*want || BinaryGap(2, -o) != got {
			t.Fatalf("gap at %v is %v, want %v", o, got, want)
		}
	}
}
