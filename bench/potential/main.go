// Command potential times the trainer of potentials on two tasks with a fixed seed: ordered classes by the
// adversarial absolute loss, and six classes by the adversarial zero-one loss with a Gaussian kernel, whose rows it
// writes for the program it is compared with. It prints a line of JSON for each.
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
)

const repeats = 5

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: potential FILE")
	}
	ordinal()
	gaussian(os.Args[1])
}

// ordinal: 4,000×10, ten classes of equal length of a noisy score, λ = 1e-2,
// relative gap 1e-4.
func ordinal() {
	r := rand.New(rand.NewPCG(1, 0))
	const n, d, k = 4000, 10, 10
	x, y := linear.Matrix{Rows: n, Cols: d, Data: normal(r, n*d)}, make([]int, n)
	for i := range y {
		s := .5 * r.NormFloat64()
		for _, v := range x.Row(i) {
			s += v / math.Sqrt(d)
		}
		y[i] = min(k-1, max(0, int(math.Floor((s+2.2)/4.4*k))))
	}
	s := multiclass.Spec{Family: family("al-ordinal"), Classes: k, Features: multiclass.Thresholds, L2: 1e-2}
	report("al-ordinal th", x, y, s, multiclass.Options{Gap: 1e-4})
}

// gaussian: 4,435×36, six clouds, columns scaled, C = 8, γ = 1/36, relative
// gap 1e-3.
func gaussian(file string) {
	r := rand.New(rand.NewPCG(1, 0))
	const n, d, k, spread = 4435, 36, 6, 2
	x, y := linear.Matrix{Rows: n, Cols: d, Data: normal(r, n*d)}, make([]int, n)
	centre := normal(r, k*d)
	for i := range y {
		y[i] = r.IntN(k)
		for j := range d {
			x.Data[i*d+j] = centre[y[i]*d+j] + spread*x.Data[i*d+j]
		}
	}
	scale(x)
	if err := write(file, x, y); err != nil {
		log.Fatal(err)
	}
	s := multiclass.Spec{Family: family("al-zero-one"), Classes: k, L2: 1. / (8 * n),
		Kernel: &multiclass.Kernel{Name: multiclass.KernelRBF}}
	report("al-zero-one rbf", x, y, s, multiclass.Options{Gap: 1e-3})
}

func family(id string) loss.Family {
	f, ok := loss.FamilyByID(id)
	if !ok {
		log.Fatalf("no loss %s", id)
	}
	return f
}

func normal(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

func scale(x linear.Matrix) {
	n := float64(x.Rows)
	for j := range x.Cols {
		mean, square := 0.0, 0.0
		for i := range x.Rows {
			mean += x.Row(i)[j] / n
		}
		for i := range x.Rows {
			square += (x.Row(i)[j] - mean) * (x.Row(i)[j] - mean) / n
		}
		for i := range x.Rows {
			x.Row(i)[j] = (x.Row(i)[j] - mean) / math.Sqrt(square)
		}
	}
}

func report(name string, x linear.Matrix, y []int, s multiclass.Spec, o multiclass.Options) {
	var seconds []float64
	var fit *multiclass.Fitted
	for range repeats {
		begin := time.Now()
		f, err := multiclass.Fit(context.Background(), x, y, nil, s, o)
		if err != nil {
			log.Fatal(err)
		}
		seconds = append(seconds, time.Since(begin).Seconds())
		fit = f
	}
	slices.Sort(seconds)
	line, err := json.Marshal(map[string]any{"task": name, "seconds": seconds[repeats/2], "gap": *fit.Gap,
		"objective":  fit.Objective,
		"iterations": fit.Iterations, "training_errors": errors(fit.Model, x, y)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(line))
}

func errors(m *multiclass.Model, x linear.Matrix, y []int) int {
	f, n := make([]float64, m.Outputs()), 0
	for i, c := range y {
		if m.Potentials(f, x.Row(i)); m.Decide(f) != c {
			n++
		}
	}
	return n
}

// write stores n, d, y and x as little-endian 64-bit numbers.
func write(path string, x linear.Matrix, y []int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	labels := make([]float64, len(y))
	for i, c := range y {
		labels[i] = float64(c)
	}
	for _, v := range []any{[]int64{int64(x.Rows), int64(x.Cols)}, labels, x.Data} {
		if err := binary.Write(f, binary.LittleEndian, v); err != nil {
			return err
		}
	}
	return f.Close()
}
