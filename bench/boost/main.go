// Command boost measures Taper's AdaBoost.α on a binary file; bench/boost.sh
// runs it beside scikit-learn and xgboost.
//
//	boost write FILE   Long–Servedio, 2,000×21, a tenth of the labels turned
//	boost fit FILE     fit 100 stumps for several α and print a line for each
//
// The file holds rows and columns as int64, the labels ±1 and the row-major
// matrix as float64, all little-endian.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"taper/internal/engine/fit/boost"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/synth"
)

const (
	rows    = 2000
	noise   = 0.1
	repeats = 21
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "boost:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 2 && args[0] == "write" {
		return write(args[1])
	}
	if len(args) == 2 && args[0] == "fit" {
		return fit(args[1])
	}
	return fmt.Errorf("usage: boost write FILE | fit FILE")
}

func write(path string) error {
	t, _, err := synth.Generate("long-servedio", rows, 1, nil)
	if err != nil {
		return err
	}
	d, r := len(t.Columns)-1, rand.New(rand.NewPCG(1, 0))
	x, y := make([]float64, 0, rows*d), make([]float64, rows)
	for i := range rows {
		for _, c := range t.Columns[:d] {
			x = append(x, c.Num[i])
		}
		y[i] = float64(2*t.Columns[d].Code[i] - 1) // levels 0 and 1
		if r.Float64() < noise {
			y[i] = -y[i]
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for _, part := range []any{[]int64{rows, int64(d)}, y, x} {
		if err := binary.Write(w, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return w.Flush()
}

func read(path string) (x linear.Matrix, y []float64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return x, nil, err
	}
	defer f.Close()
	r, shape := bufio.NewReader(f), [2]int64{}
	if err := binary.Read(r, binary.LittleEndian, &shape); err != nil {
		return x, nil, err
	}
	x = linear.Matrix{Rows: int(shape[0]), Cols: int(shape[1])}
	y, x.Data = make([]float64, x.Rows), make([]float64, x.Rows*x.Cols)
	for _, part := range [][]float64{y, x.Data} {
		if err := binary.Read(r, binary.LittleEndian, part); err != nil {
			return x, nil, err
		}
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return x, nil, fmt.Errorf("%s is longer than its shape", path)
	}
	return x, y, nil
}

func fit(path string) error {
	x, y, err := read(path)
	if err != nil {
		return err
	}
	for _, alpha := range []float64{0.5, 0.7, 1, 2, 3, 8, math.Inf(1)} {
		times := make([]float64, repeats)
		var m *boost.Model
		for k := range times {
			begin := time.Now()
			if m, err = boost.Fit(context.Background(), x, y, nil, boost.Options{Alpha: alpha}); err != nil {
				return err
			}
			times[k] = 1e3 * time.Since(begin).Seconds()
		}
		slices.Sort(times)
		curve := m.StagedAccuracy(x, y)
		fmt.Printf("Taper, α = %-5v %4d stumps  median %6.1f ms  best %6.1f ms  training accuracy %.4f\n",
			alpha, len(m.Trees), times[repeats/2], times[0], curve[len(curve)-1])
	}
	return nil
}
