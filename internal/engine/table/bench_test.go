package table

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"
)

// numericCSV makes a file of about size bytes: 42 columns of measurements with
// one to five decimals, counts and 0/1, 3 % of the cells empty.
func numericCSV(size int, delim, mark byte) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var b []byte
	for j := range 42 {
		if j > 0 {
			b = append(b, delim)
		}
		b = fmt.Appendf(b, "x%d", j+1)
	}
	b = append(b, '\n')
	for len(b) < size {
		for j := range 42 {
			if j > 0 {
				b = append(b, delim)
			}
			start := len(b)
			switch {
			case rng.IntN(100) < 3:
			case j%14 == 0:
				b = strconv.AppendInt(b, int64(rng.IntN(2)), 10)
			case j%7 == 0:
				b = strconv.AppendInt(b, int64(rng.IntN(100000)), 10)
			default:
				b = strconv.AppendFloat(b, rng.NormFloat64()*100, 'f', 1+j%5, 64)
			}
			if i := bytes.IndexByte(b[start:], '.'); i >= 0 {
				b[start+i] = mark
			}
		}
		b = append(b, '\n')
	}
	return b
}

func benchmarkRead(b *testing.B, data []byte) {
	b.SetBytes(int64(len(data)))
	b.ResetTimer()
	for b.Loop() {
		if _, err := Read(context.Background(), data, Options{}, Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead100MB(b *testing.B) { benchmarkRead(b, numericCSV(100<<20, ',', '.')) }

func BenchmarkReadDecimalComma(b *testing.B) { benchmarkRead(b, numericCSV(20<<20, ';', ',')) }

func BenchmarkReadQuoted(b *testing.B) {
	plain := numericCSV(10<<20, ',', '.')
	var out bytes.Buffer
	out.WriteByte('"')
	for _, c := range plain[:len(plain)-1] {
		switch c {
		case ',':
			out.WriteString(`","`)
		case '\n':
			out.WriteString("\"\n\"")
		default:
			out.WriteByte(c)
		}
	}
	out.WriteString("\"\n")
	benchmarkRead(b, out.Bytes())
}

func BenchmarkReadLongFractions(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	out := []byte("a,b,c,d\n")
	for len(out) < 20<<20 {
		for j := range 4 {
			out = strconv.AppendFloat(out, rng.NormFloat64()*100, 'g', -1, 64)
			out = append(out, ",,,\n"[j])
		}
	}
	benchmarkRead(b, out)
}

func BenchmarkReadText(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	out := []byte("patient,sex,site,note\n")
	for i := 0; len(out) < 20<<20; i++ {
		out = fmt.Appendf(out, "P%06d,%c,site %d,\"seen in week %d, well\"\n", i, "mf"[rng.IntN(2)], rng.IntN(20), rng.IntN(100000))
	}
	benchmarkRead(b, out)
}

func BenchmarkHead5MB(b *testing.B) {
	data := numericCSV(5<<20, ';', ',')
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Head(context.Background(), data, Dialect{}, 20); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStandardLibrary is what Read is measured against: encoding/csv and
// strconv on one core.
func BenchmarkStandardLibrary(b *testing.B) {
	data := numericCSV(20<<20, ',', '.')
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		r := csv.NewReader(bytes.NewReader(data))
		r.ReuseRecord = true
		cols := make([][]float64, 42)
		for {
			rec, err := r.Read()
			if err == io.EOF {
				break
			}
			for j, cell := range rec {
				v, _ := strconv.ParseFloat(cell, 64)
				cols[j] = append(cols[j], v)
			}
		}
	}
}
