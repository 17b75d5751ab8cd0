package table

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNumberKinds(t *testing.T) {
	point, comma := format{mark: '.'}, format{mark: ','}
	for _, c := range []struct {
		text string
		f    format
		v    float64
		k    kind
	}{
		{"12.5", point, 12.5, kindNumber},
		{"12,5", comma, 12.5, kindNumber},
		{"+7", point, 7, kindNumber},
		{".5", point, .5, kindNumber},
		{"5.", point, 5, kindNumber},
		{"-0", point, 0, kindNumber},
		{"1e3", point, 1000, kindNumber},
		{"1,5E-02", comma, .015, kindNumber},
		{"1e-400", point, 0, kindNumber},
		{"123456789012345678901234567890", point, 123456789012345678901234567890, kindNumber},
		{"\u22125.25", point, -5.25, kindMinus},
		{"\u2212-5", point, 0, kindText},
		{"1,234", format{'.', ','}, 1234, kindGrouped},
		{"1,234,567.5", format{'.', ','}, 1234567.5, kindGrouped},
		{"1.234,5", format{',', '.'}, 1234.5, kindGrouped},
		{"1 234", format{',', ' '}, 1234, kindGrouped},
		{"1\u00a0234,5", format{',', ' '}, 1234.5, kindGrouped},
		{"1\u202f234", format{'.', ' '}, 1234, kindGrouped},
		{"1\u2019234", format{'.', '\''}, 1234, kindGrouped},
		{"1,234", point, 1234, kindThousands},
		{"1.234", comma, 1234, kindThousands},
		{"0,123", point, .123, kindMark},
		{"1234,567", point, 1234.567, kindMark},
		{"12,5", point, 12.5, kindMark},
		{"12.5", comma, 12.5, kindMark},
		{"1,2345", format{'.', ','}, 1.2345, kindMark},
		{"<0.01", point, .01, kindLimit},
		{">= 5 mg/l", point, 5, kindLimit},
		{"≤0,5", comma, .5, kindLimit},
		{"12 mg", point, 12, kindUnit},
		{"7%", point, 7, kindUnit},
		{"3 µmol/l", point, 3, kindUnit},
		{"1_000", point, 0, kindNotPlain},
		{"NaN", point, 0, kindNotPlain},
		{"-Inf", point, 0, kindNotPlain},
		{"+infinity", point, 0, kindNotPlain},
		{"0x1p-2", point, 0, kindNotPlain},
		{"0xFF", point, 0, kindNotPlain},
		{"1e400", point, 0, kindNotPlain},
		{"-1e999", point, 0, kindNotPlain},
		{"120/80", point, 0, kindText},
		{"1.2.3", point, 0, kindText},
		{"1-2", point, 0, kindText},
		{"", point, 0, kindText},
		{"-", point, 0, kindText},
		{".", point, 0, kindText},
		{"<", point, 0, kindText},
		{"e5", point, 0, kindText},
		{"5 e 3 patients of the second ward", point, 0, kindText},
	} {
		v, k := number([]byte(c.text), c.f)
		if k != c.k || k != kindText && k != kindNotPlain && v != c.v {
			t.Errorf("number(%q, %c%c) = %v %s, want %v %s", c.text, c.f.mark, c.f.group, v, names[k], c.v, names[c.k])
		}
	}
}

// TestFastNumberRounds compares with strconv, which rounds correctly.
func TestFastNumberRounds(t *testing.T) {
	check := func(s string) {
		t.Helper()
		want, err := strconv.ParseFloat(s, 64)
		v, next, _ := fastNumber([]byte(s), 0, '.')
		if err != nil || next != len(s) || math.Float64bits(v) != math.Float64bits(want) {
			t.Fatalf("fastNumber(%q) = %v to %d, want %v", s, v, next, want)
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300000 {
		digits := strconv.FormatUint(rng.Uint64()>>rng.IntN(64), 10)
		if len(digits) > 19 {
			digits = digits[:19]
		}
		at := rng.IntN(len(digits) + 1)
		s := digits[:at] + "." + digits[at:]
		if rng.IntN(2) == 0 {
			s = "-" + s
		}
		check(s)
	}
	// Halfway between two doubles, and a hair to each side: 2^53 + 1 and friends.
	for _, s := range []string{
		"9007199254740993", "9007199254740992.9", "9007199254740993.001", "900719925474099.35", "0.9007199254740993",
		"9999999999999999999", "0.000000000000000001", "4503599627370496.5", "4503599627370497.5",
		"9007199254740991", "0", "-0", "00.000", "5e0"[:1],
	} {
		check(s)
	}
	for _, s := range []string{"", "-", ".", "-.", "x", "12345678901234567890", "0.1234567890123456789"} {
		if _, next, _ := fastNumber([]byte(s), 0, '.'); next != 0 {
			t.Errorf("fastNumber(%q) went to %d", s, next)
		}
	}
}

// TestFastNumberByWords: whatever follows a number, reading it by words gives the bits, the end and the notes of
// reading it digit by digit.
func TestFastNumberByWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const rare = "-.,+eE \"\r\n/:;\x00\x8a\xff"
	for range 500000 {
		b := make([]byte, 18+rng.IntN(8))
		most := 1 + rng.IntN(30)
		for i := range b {
			b[i] = '0' + byte(rng.IntN(10))
			if rng.IntN(30) >= most || i > 0 && rng.IntN(8) == 0 {
				b[i] = rare[rng.IntN(len(rare))]
			}
		}
		v, next, saw := fastNumber(b, 0, '.')
		want, end, seen := slowNumber(b, 0, '.')
		if math.Float64bits(v) != math.Float64bits(want) || next != end || saw != seen {
			t.Fatalf("%q: %v to %d (%d), digit by digit %v to %d (%d)", b, v, next, saw, want, end, seen)
		}
	}
}

func TestNumberReadsEveryFloat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.Float64Range(-MaxNumber, MaxNumber).Draw(t, "v")
		for _, verb := range []byte("gef") {
			s := strconv.FormatFloat(want, verb, -1, 64)
			if v, ok := ParseNumber(s, "."); !ok || v != want {
				t.Fatalf("ParseNumber(%q) = %v %v", s, v, ok)
			}
			if v, ok := ParseNumber(strings.Replace(s, ".", ",", 1), ","); !ok || v != want {
				t.Fatalf("ParseNumber(%q, comma) = %v %v", s, v, ok)
			}
		}
	})
}

// TestDistinctMany: values that are dealt to buckets several times over, one of which is most of them.
func TestDistinctMany(t *testing.T) {
	const most = 1 << 23
	for k, common := range []float64{-1, 0, -1} {
		unit := []float64{1, math.Pi, math.Pi}[k] // multiples of π are no decimals, which are counted in another way
		rng := rand.New(rand.NewPCG(1, 2))
		x, seen, want := make([]float64, dealtMost+dealtMost/2), make([]bool, most), 0
		for i := range x {
			v := rng.IntN(most)
			if i%3 > 0 && i > tableMost*2 {
				v = 5
			}
			x[i] = (float64(v) + common) * unit
			want += btoi(!seen[v])
			seen[v] = true
		}
		if d, n := distinct(x); d != want || n != len(x) {
			t.Errorf("%d different of %d, want %d of %d", d, n, want, len(x))
		}
	}
}

func TestDistinct(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 5, 1000, 20000, 50000} {
		for k, values := range []int{1, 3, 500, 700, 1 << 23, 1 << 30, 1 << 23, 1 << 23, 1 << 22, 1 << 23, 1 << 23} {
			per := []float64{1, 1, 1, 1, 1, 1, 100, 1e6, 3, 1e7, 10}[k] // 1/3 is no decimal, and 1e-7 one of too many places
			x, seen, real := make([]float64, n), map[float64]bool{}, 0
			for i := range x {
				switch x[i] = float64(rng.IntN(values)-values/4) / per; rng.IntN(10) {
				case 0:
					x[i] = math.NaN()
				case 1:
					x[i] = math.Copysign(0, -1)
				}
				if k == 10 && i == n-1 {
					x[i] = 0.05 // one that is no multiple of 0.1, after all that are
				}
				if x[i] == x[i] {
					seen[x[i]], real = true, real+1
				}
			}
			if d, k := distinct(x); d != len(seen) || k != real {
				t.Errorf("%d of %d: %d different of %d, want %d of %d", n, values, d, k, len(seen), real)
			}
		}
	}
}

// TestValues fills a table of values beyond its first room.
func TestValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s, seen := values{slot: make([]uint64, 4)}, map[float64]bool{}
	for range 3000 {
		v := float64(rng.IntN(2000))
		s.add(bitsOf(v))
		if seen[v] = true; s.n != len(seen) {
			t.Fatalf("%d values, want %d", s.n, len(seen))
		}
	}
}
