// Command logistic measures Taper's logistic regression against
// scikit-learn's on one binary file; bench/logistic.sh runs both.
//
//	logistic write FILE ROWS COLUMNS       simulate a survey with 14 % positive
//	logistic isotropic FILE ROWS COLUMNS   independent normal columns instead
//	logistic fit FILE REPEATS              fit it that often and print one line of JSON
//
// The file holds the rows and columns as int64, the labels ±1 and the
// row-major matrix as float64, all little-endian.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/pages"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "logistic:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	numbers := make([]int, 0, 2)
	for _, arg := range args[min(2, len(args)):] {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is not a positive number", arg)
		}
		numbers = append(numbers, n)
	}
	switch {
	case len(args) == 4 && args[0] == "write":
		return write(args[1], numbers[0], numbers[1], answers)
	case len(args) == 4 && args[0] == "isotropic":
		return write(args[1], numbers[0], numbers[1], normal)
	case len(args) == 3 && args[0] == "fit":
		return fit(args[1], numbers[0])
	}
	return fmt.Errorf("usage: logistic write|isotropic FILE ROWS COLUMNS | fit FILE REPEATS")
}

// write simulates rows whose score has weights that are normal with standard deviation 0.5.
func write(path string, n, columns int, draw func(row, weights []float64, r *rand.Rand) float64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	r := rand.New(rand.NewPCG(42, 0))
	weights := make([]float64, columns)
	for j := range weights {
		weights[j] = 0.5 * r.NormFloat64()
	}
	x, y := make([]float64, n*columns), make([]float64, n)
	for i := range n {
		score := -3.05 + draw(x[i*columns:(i+1)*columns], weights, r)
		y[i] = -1
		if r.Float64() < 1/(1+math.Exp(-score)) {
			y[i] = 1
		}
	}
	for _, part := range []any{[]int64{int64(n), int64(columns)}, y, x} {
		if err := binary.Write(w, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	return w.Flush()
}

// normal fills a row with independent numbers and returns its score.
func normal(row, weights []float64, r *rand.Rand) (score float64) {
	for j := range row {
		row[j] = r.NormFloat64()
		score += weights[j] * row[j]
	}
	return score
}

// answers fills a row of the survey and returns its score: 20 symptoms that share a latent illness, 12 age and
// region indicators, then standardised measurements.
func answers(row, weights []float64, r *rand.Rand) float64 {
	ill, score := r.NormFloat64(), 0.0
	group := 20 + r.IntN(12)
	for j := range row {
		switch {
		case j < 20:
			row[j] = 0
			if r.Float64() < 1/(1+math.Exp(1+0.1*float64(j)-1.2*ill)) {
				row[j] = 1
			}
		case j < 32:
			row[j] = 0
			if j == group {
				row[j] = 1
			}
		default:
			row[j] = 0.3*ill + r.NormFloat64()
		}
		score += weights[j] * row[j]
	}
	return score
}

// read loads the file without a second copy.
func read(path string) (linear.Matrix, []float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return linear.Matrix{}, nil, err
	}
	defer f.Close()
	var shape [2]int64
	if err := binary.Read(f, binary.LittleEndian, &shape); err != nil {
		return linear.Matrix{}, nil, err
	}
	n, d := int(shape[0]), int(shape[1])
	// in large pages, as the program makes its matrices, and numpy its arrays
	y, x := pages.Make[float64](n), pages.Make[float64](n*d)
	for _, part := range [][]float64{y, x} {
		if _, err := io.ReadFull(f, unsafe.Slice((*byte)(unsafe.Pointer(&part[0])), 8*len(part))); err != nil {
			return linear.Matrix{}, nil, err
		}
	}
	return linear.Matrix{Rows: n, Cols: d, Data: x}, y, nil
}

// fit uses scikit-learn's penalty, C = 1 on the sum: λ = 1/n on the mean.
func fit(path string, repeats int) error {
	x, y, err := read(path)
	if err != nil {
		return err
	}
	times := make([]float64, repeats)
	var model *linear.Linear
	for k := range times {
		begin := time.Now()
		if model, err = linear.Logistic(context.Background(), x, y, nil, 1/float64(x.Rows),
			linear.LogisticOptions{}); err != nil {
			return err
		}
		times[k] = time.Since(begin).Seconds()
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"name": "Taper", "times": times, "iterations": model.Iterations, "w": model.W, "b": model.B, "peak_mb": peak(),
	})
}

// peak returns the process's largest resident size in MB.
func peak() float64 {
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return math.NaN()
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb * 1024 / 1e6
		}
	}
	return math.NaN()
}
