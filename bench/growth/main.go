// Command growth measures how the processor time of a fit grows with the rows, the columns, the boundaries and the
// classes, and prints a table: the medians and, for each step, the exponent p of time ∝ size^p.
//
//	growth [-most SECONDS] [-only TEXT]
//
// Data are drawn from a linear model with noise, so that no fit is trivial. A series ends before a fit that would take
// longer than -most if time grew like the size.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/testtime"
)

// size is a problem.
type size struct{ rows, columns, boundaries, classes int }

// series is a method on sizes that differ in one number.
type series struct {
	method string
	spec   fit.Spec
	base   size
}

// axis is what grows.
type axis struct {
	name   string
	values []int
	set    func(s *size, v int)
	series []series
}

func linearFit(loss string, params map[string]any) fit.Spec {
	return fit.Spec{Kind: "linear", Loss: loss, Params: params, L2: fit.L2{Value: l2}}
}

func trees(depth int) fit.Spec { return fit.Spec{Kind: "boost", Rounds: 20, Depth: depth} }

func kernelFit(loss string) fit.Spec {
	return fit.Spec{Kind: "kernel", Loss: loss, L2: fit.L2{Value: l2}, Kernel: &fit.Kernel{Name: "rbf", Gamma: .05}}
}

const (
	l2  = 1e-3
	gap = 1e-4 // to certify, where a dual is known
)

func axes() []axis {
	logistic, interval, softmax := linearFit("logistic", nil), linearFit("interval", nil), linearFit("softmax", nil)
	tempered := linearFit("tempered", map[string]any{"t1": .6, "t2": 1.6})
	student := linearFit("t-logistic", map[string]any{"t": 1.6})
	alpha := linearFit("alpha", map[string]any{"alpha": 2.})
	hinge, adversarial := linearFit("cs", nil), linearFit("al-zero-one", nil)
	two, four := size{10_000, 20, 3, 2}, size{10_000, 20, 3, 4}
	few := size{1000, 20, 3, 2}
	classes := size{3000, 10, 3, 4}
	return []axis{
		{"rows", []int{1000, 10_000, 100_000, 1_000_000}, func(s *size, v int) { s.rows = v }, []series{
			{"logistic", logistic, two}, {"two-temperature", tempered, two}, {"t-logistic", student, two},
			{"α-loss, α = 2", alpha, two}, {"interval surrogate", interval, two}, {"20 stumps", trees(1), two},
			{"20 trees of depth 3", trees(3), two}, {"softmax, 4 classes", softmax, four},
			{"Crammer–Singer, 4 classes", hinge, four}, {"adversarial zero-one, 4 classes", adversarial, four}}},
		{"rows", []int{100, 300, 1000, 3000, 10_000}, func(s *size, v int) { s.rows = v }, []series{
			{"RBF kernel, logistic", kernelFit("logistic"), few}, {"RBF kernel, interval", kernelFit("interval"), few}}},
		{"columns", []int{5, 20, 50, 100, 200, 500}, func(s *size, v int) { s.columns = v }, []series{
			{"logistic", logistic, two}, {"two-temperature", tempered, two}, {"interval surrogate", interval, two},
			{"20 stumps", trees(1), two}, {"softmax, 4 classes", softmax, four}}},
		{"boundaries", []int{1, 2, 3, 4, 6}, func(s *size, v int) { s.boundaries = v }, []series{
			{"interval surrogate", interval, two}}},
		{"classes", []int{2, 5, 10, 20, 50}, func(s *size, v int) { s.classes = v }, []series{
			{"softmax", softmax, classes}, {"Crammer–Singer", hinge, classes},
			{"adversarial zero-one", adversarial, classes}, {"ordinal adversarial absolute",
				linearFit("al-ordinal", nil), classes}}},
	}
}

func main() {
	most := flag.Float64("most", 2, "largest number of seconds of processor time of a fit")
	only := flag.String("only", "", "measure methods or axes whose name has this text")
	flag.Parse()
	for _, a := range axes() {
		for _, s := range a.series {
			if !strings.Contains(a.name+" "+s.method, *only) {
				continue
			}
			if err := measure(a, s, *most); err != nil {
				fmt.Fprintf(os.Stderr, "growth: %s, %s: %v\n", a.name, s.method, err)
				os.Exit(1)
			}
		}
	}
}

// measure prints a line of the table: median milliseconds at each size, and the exponents between them.
func measure(a axis, s series, most float64) error {
	at := s.base
	fmt.Printf("%-10s %-32s", a.name, s.method)
	before, last := 0.0, 0
	for _, v := range a.values {
		if before*float64(v) > most*float64(max(last, 1)) {
			fmt.Printf("  %d: –", v)
			break
		}
		a.set(&at, v)
		took, err := median(s.spec, at, most)
		if err != nil {
			return err
		}
		fmt.Printf("  %d: %s ms", v, format(1e3*took))
		if last > 0 {
			fmt.Printf(" (%.2f)", math.Log(took/before)/math.Log(float64(v)/float64(last)))
		}
		before, last = took, v
	}
	fmt.Println()
	return nil
}

// format writes three digits.
func format(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// median returns the median of the processor time of up to five fits of the same data, of fewer where they take long.
func median(spec fit.Spec, s size, most float64) (float64, error) {
	how, err := fit.Parse(spec.WithDefaults(""))
	if err != nil {
		return 0, err
	}
	task, data := fit.Task{Classes: s.classes}, draw(s)
	for k := range s.boundaries {
		task.Boundaries = append(task.Boundaries, float64(k+1)/float64(s.boundaries+1))
	}
	var times []float64
	for total := 0.0; len(times) < 5 && total < most/10 || len(times) == 0; {
		begin := testtime.Spent()
		trainer, err := how.Trainer(task, 1)
		if err != nil {
			return 0, err
		}
		if _, err := trainer.Fit(context.Background(), data, l2, fit.Options{Quick: true, Gap: gap}); err != nil {
			return 0, err
		}
		took := (testtime.Spent() - begin).Seconds()
		times, total = append(times, took), total+took
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// draw returns rows of independent normal columns, whose class is the largest of as many linear scores with logistic
// noise.
func draw(s size) fit.Data {
	r := rand.New(rand.NewPCG(7, 7))
	d := fit.Data{X: linear.Matrix{Rows: s.rows, Cols: s.columns, Data: make([]float64, s.rows*s.columns)},
		Label: make([]int, s.rows)}
	weights := make([]float64, s.classes*s.columns)
	for j := range weights {
		weights[j] = 2 * r.NormFloat64() / math.Sqrt(float64(s.columns))
	}
	for i := range s.rows {
		row := d.X.Row(i)
		for j := range row {
			row[j] = r.NormFloat64()
		}
		best := math.Inf(-1)
		for c := range s.classes {
			score := -math.Log(-math.Log(r.Float64()))
			for j, w := range weights[c*s.columns : (c+1)*s.columns] {
				score += w * row[j]
			}
			if score > best {
				best, d.Label[i] = score, c
			}
		}
	}
	return d
}
