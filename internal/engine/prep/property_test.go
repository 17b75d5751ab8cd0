package prep

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"taper/internal/engine/table"
)

// On the training rows every standardised term has mean 0 and population SD 1, and undoing the
// standardisation gives the cell back.
func TestStandardised(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 80).Draw(t, "rows")
		num, texts := make([]float64, n), make([]string, n)
		scale := math.Pow(10, float64(rapid.IntRange(-12, 12).Draw(t, "scale")))
		for i := range num {
			num[i] = scale * float64(rapid.IntRange(-50, 50).Draw(t, "number"))
			if rapid.IntRange(0, 5).Draw(t, "missing") == 0 {
				num[i] = nan
			}
			texts[i] = rapid.SampledFrom([]string{"", "a", "a", "b", "b", "c", "d", "e"}).Draw(t, "level")
		}
		tab := tableOf(number("x", num...), category("g", texts...))
		p, err := Fit(context.Background(), tab, []string{"x", "g"}, upTo(n), true)
		if err != nil {
			t.Skip("nothing varies")
		}
		w := p.Width()
		d := make([]float64, n*w)
		if err := p.Transform(context.Background(), d, tab, upTo(n)); err != nil {
			t.Fatal(err)
		}
		for j, term := range p.Terms {
			mean, sq := 0.0, 0.0
			for i := range n {
				v := d[i*w+j]
				mean, sq = mean+v/float64(n), sq+v*v/float64(n)
				raw := v*term.SD + term.Mean
				if want := expected(tab, p, term, i); !(math.Abs(raw-want) <= 1e-12*math.Max(math.Abs(want), 50*scale)) && !(math.Abs(raw-want) <= 1e-12) {
					t.Fatalf("%s, row %d: %v, want %v", term.Name, i, raw, want)
				}
			}
			if !(math.Abs(mean) <= 1e-9) || !(math.Abs(sq-1) <= 1e-9) {
				t.Fatalf("%s: mean %v, mean square %v", term.Name, mean, sq)
			}
		}
	})
}

// expected is the raw value of a term for row i of a table used entirely for training, computed
// from the definitions.
func expected(tab *table.Table, p *Preprocessor, term Term, i int) float64 {
	c := tab.Column(term.Column)
	is := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	if c.Num != nil {
		missing := math.IsNaN(c.Num[i])
		switch {
		case term.Kind == MissingLevel:
			return is(missing)
		case !missing:
			return c.Num[i]
		}
		var present []float64
		for _, v := range c.Num {
			if !math.IsNaN(v) {
				present = append(present, v)
			}
		}
		slices.Sort(present)
		m := len(present)
		return (present[(m-1)/2] + present[m/2]) / 2
	}
	if c.Code[i] < 0 {
		absent := 0
		for _, k := range c.Code {
			if k < 0 {
				absent++
			}
		}
		return is(term.Kind == MissingLevel && absent >= 10 || term.Kind == OtherLevel && absent < 10)
	}
	if term.Kind == MissingLevel {
		return 0
	}
	level, rows := c.Levels[c.Code[i]], 0
	for _, k := range c.Code {
		if k == c.Code[i] {
			rows++
		}
	}
	reference := level == p.Columns[len(p.Columns)-1].Reference
	if term.Kind == OtherLevel {
		return is(rows < 10 && !reference)
	}
	return is(rows >= 10 && level == term.Level && !reference)
}

func TestMedian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-9, 9), 1, 200).Draw(t, "x")
		if rapid.Bool().Draw(t, "ties") {
			for i := range x {
				x[i] = math.Round(x[i])
			}
		}
		s := slices.Sorted(slices.Values(x))
		want := (s[(len(s)-1)/2] + s[len(s)/2]) / 2
		if got := median(x); got != want {
			t.Fatalf("median %v, want %v", got, want)
		}
	})
}

// wide has 20,000 rows of 40 numbers, a tenth of them missing, and 10 categories of five
// levels: a design of about 20,000×120.
func wide() (*table.Table, []string, []int) {
	const n = 20000
	r := rand.New(rand.NewPCG(1, 2))
	var columns []*table.Column
	var names []string
	for j := range 50 {
		name := string(rune('a'+j/26)) + string(rune('a'+j%26))
		names = append(names, name)
		if j < 40 {
			v := make([]float64, n)
			for i := range v {
				v[i] = r.NormFloat64()
				if r.IntN(10) == 0 {
					v[i] = nan
				}
			}
			columns = append(columns, number(name, v...))
			continue
		}
		texts := make([]string, n)
		for i := range texts {
			texts[i] = string(rune('A' + r.IntN(5)))
		}
		columns = append(columns, category(name, texts...))
	}
	return tableOf(columns...), names, upTo(n)
}

func BenchmarkFit(b *testing.B) {
	tab, names, rows := wide()
	for b.Loop() {
		mustFit(b, tab, rows, true, names...)
	}
}

func BenchmarkTransform(b *testing.B) {
	tab, names, rows := wide()
	p := mustFit(b, tab, rows, true, names...)
	dst := make([]float64, len(rows)*p.Width())
	b.SetBytes(int64(8 * len(dst)))
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Transform(context.Background(), dst, tab, rows); err != nil {
			b.Fatal(err)
		}
	}
}
