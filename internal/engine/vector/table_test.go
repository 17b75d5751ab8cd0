package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// coefficients are those of 1, x, x² and so on.
type coefficients [Degree + 1]float64

// plainTable evaluates a table by the formulas that its results were first stored with: even and odd powers apart.
type plainTable struct {
	t, length    float64
	spans        int
	value, slope map[[2]int]*coefficients // by span and sign
}

func (p plainTable) at(z float64) (value, slope float64, ok bool) {
	rate := math.Abs(p.t - 1)
	side := int(math.Float64bits(z) >> 63)
	w := math.Inf(1)
	if p.t > 1 {
		w = Log1p(math.Abs(z)*rate) * (1 / rate)
	} else if left := math.FMA(-rate, math.Abs(z), 1); left < -0x1p-20 {
		return p.value[[2]int{p.spans, side}][0], p.slope[[2]int{p.spans, side}][0], true
	} else if left > 0 {
		w = Log1p(rate*math.Abs(z)/left) * (1 / rate)
	}
	if !(w < p.length*float64(p.spans)) {
		return 0, 0, false
	}
	span := int(w * (1 / p.length))
	a, b := p.value[[2]int{span, side}], p.slope[[2]int{span, side}]
	if a == nil {
		return 0, 0, false
	}
	value, slope = plainPolynomials(a, b, 2*w*(1/p.length)-float64(2*span+1))
	return value, slope, true
}

func plainPolynomials(a, b *coefficients, x float64) (float64, float64) {
	x2 := float64(x * x)
	ae, be := a[Degree], b[Degree]
	ao, bo := a[Degree-1], b[Degree-1]
	for m := Degree - 2; m > 0; m -= 2 {
		ae, ao = float64(ae*x2)+a[m], float64(ao*x2)+a[m-1]
		be, bo = float64(be*x2)+b[m], float64(bo*x2)+b[m-1]
	}
	ae, be = float64(ae*x2)+a[0], float64(be*x2)+b[0]
	return ae + float64(ao*x), be + float64(bo*x)
}

// randomTable returns a table with random polynomials, of which it leaves out some, and its plain form.
func randomTable(r *rand.Rand, temperature, missing float64) (*Table, plainTable) {
	p := plainTable{t: temperature, length: []float64{.5, .25}[r.IntN(2)], spans: 1 + r.IntN(130),
		value: map[[2]int]*coefficients{}, slope: map[[2]int]*coefficients{}}
	t := NewTable(p.t, p.length, p.spans)
	for span := range p.spans {
		if r.Float64() < missing {
			continue
		}
		var pieces [2]*Piece
		for side := range pieces {
			value, slope := coefficients(numbers(r, Degree+1)), coefficients(numbers(r, Degree+1))
			p.value[[2]int{span, side}], p.slope[[2]int{span, side}] = &value, &slope
			pieces[side] = NewPiece((*[Degree + 1]float64)(&value), (*[Degree + 1]float64)(&slope))
		}
		t.Set(span, pieces[0], pieces[1])
	}
	if p.t < 1 {
		var pieces [2]*Piece
		for side := range pieces {
			constants := []float64{0, math.Copysign(0, -1), 2.5, -1, math.Inf(1)}
			var c [2]coefficients
			for k := range c {
				v := constants[r.IntN(len(constants))]
				for i := range c[k] {
					c[k][i] = math.Copysign(0, v)
				}
				c[k][0] = v
			}
			p.value[[2]int{p.spans, side}], p.slope[[2]int{p.spans, side}] = &c[0], &c[1]
			pieces[side] = NewPiece((*[Degree + 1]float64)(&c[0]), (*[Degree + 1]float64)(&c[1]))
		}
		t.Set(p.spans, pieces[0], pieces[1])
	}
	return t, p
}

// margins are those of all sizes, at and beside the ends of spans, of the support, and where the exponent of the
// logarithm changes, and of no span at all.
func (p plainTable) margins(r *rand.Rand) (z []float64) {
	rate := math.Abs(p.t - 1)
	z = []float64{0, 5e-324, 1e-300, 1e-17, .5, 1, 3, 1e12, 1e17, 1e300, math.MaxFloat64, math.Inf(1), math.NaN(),
		1 / rate, .5 / rate, (1 + 0x1p-20) / rate, (1 + 0x1p-19) / rate, 3 / rate}
	for span := range p.spans + 2 {
		if w := p.length * float64(span); p.t > 1 {
			z = append(z, math.Expm1(rate*w)/rate)
		} else {
			z = append(z, -math.Expm1(-rate*w)/rate)
		}
	}
	for _, v := range slices.Clone(z) {
		z = append(z, math.Nextafter(v, 0), math.Nextafter(v, math.Inf(1)))
	}
	for range 1000 {
		z = append(z, r.NormFloat64(), math.Pow(10, 14*r.Float64()-7), r.Float64()/rate)
	}
	for i, v := range z {
		if r.IntN(2) == 0 {
			z[i] = math.Copysign(v, -v)
		}
	}
	z = append(z, math.Copysign(0, -1), math.Inf(-1))
	r.Shuffle(len(z), func(i, j int) { z[i], z[j] = z[j], z[i] })
	return z
}

// TestTable: values and slopes have the bits of the plain formulas, the table stops where it should and nowhere else,
// and writes nothing behind the rows.
func TestTable(t *testing.T) {
	everyPath(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 1))
		for _, temperature := range []float64{0, .25, .5, .8, .999, 1 + 1e-9, 1.2, 1.5, 1.6, 2, 3, 4} {
			for _, missing := range []float64{0, 0, .1, .9} {
				table, plain := randomTable(r, temperature, missing)
				all := plain.margins(r)
				for at := 0; at < len(all); {
					n := min(len(all)-at, r.IntN(10)) // or many
					if r.IntN(4) == 0 {
						n = min(len(all)-at, r.IntN(200))
					}
					z := all[at : at+n]
					values, slopes := make([]float64, n+1), make([]float64, n+1)
					values[n], slopes[n] = 7, 8
					done := table.Evaluate(values[:n], slopes[:n], z)
					what := fmt.Sprintf("t = %v, %d margins", temperature, n)
					for i, u := range z {
						value, slope, ok := plain.at(u)
						if ok != (i < done) {
							t.Fatalf("%s: %d are done, number %d, %v, can be evaluated: %v", what, done, i, u, ok)
						}
						if !ok {
							break
						}
						sameBits(t, what, []float64{values[i], slopes[i]}, []float64{value, slope})
					}
					if values[n] != 7 || slopes[n] != 8 {
						t.Fatalf("%s: more than they are is written", what)
					}
					if at += done; done < n {
						span, reached := table.Span(all[at])
						if reached && table.pieces[2*span].Load() != nil {
							t.Fatalf("%s: stops at %v, whose piece is set", what, all[at])
						}
						at++
					}
				}
			}
		}
	})
}

// TestTableWhileSet: pieces that are set while others evaluate the table have their effect at once or later, and nothing
// else.
func TestTableWhileSet(t *testing.T) {
	everyPath(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(8, 1))
		full, plain := randomTable(r, 1.5, 0)
		z := make([]float64, 400)
		for i := range z {
			z[i] = 3 * r.NormFloat64()
		}
		shared := NewTable(plain.t, plain.length, plain.spans)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				values, slopes := make([]float64, len(z)), make([]float64, len(z))
				for at := 0; at < len(z); {
					at += shared.Evaluate(values[at:], slopes[at:], z[at:])
					if at == len(z) {
						break
					}
					span, reached := shared.Span(z[at])
					if !reached {
						at++
						continue
					}
					shared.Set(span, full.pieces[2*span].Load(), full.pieces[2*span+1].Load())
				}
				for i, u := range z {
					if value, slope, ok := plain.at(u); ok && (values[i] != value || slopes[i] != slope) {
						t.Errorf("at %v: %v, %v, want %v, %v", u, values[i], slopes[i], value, slope)
						return
					}
				}
			})
		}
		all.Wait()
	})
}
