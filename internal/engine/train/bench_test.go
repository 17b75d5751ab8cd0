package train

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"
)

func BenchmarkIntervalFit(b *testing.B) {
	x, y := simulate(1, 1000, 30)
	for _, e := range []int{-15, -10, -5, 0, 5, 10} {
		b.Run(fmt.Sprintf("lambda=2^%d", e), func(b *testing.B) {
			steps := 0
			for b.Loop() {
				fit, err := Interval(context.Background(), x, y, nil, quartiles, math.Ldexp(1, e), IntervalOptions{})
				if err != nil || *fit.Gap > 1e-6 {
					b.Fatal(err, *fit.Gap)
				}
				steps = fit.Iterations
			}
			b.ReportMetric(float64(steps), "steps")
		})
	}
}

// BenchmarkIntervalPath fits 26 penalties on each of five training folds, the
// folds side by side.
func BenchmarkIntervalPath(b *testing.B) {
	var l2s []float64
	for e := -15; e <= 10; e++ {
		l2s = append(l2s, math.Ldexp(1, e))
	}
	for _, size := range [][2]int{{1000, 30}, {20000, 50}} {
		x, y := simulate(1, size[0], size[1])
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			for b.Loop() {
				var folds sync.WaitGroup
				for k := range 5 {
					folds.Go(func() {
						fx, fy := fold(x, y, k)
						fits, err := IntervalPath(context.Background(), fx, fy, nil, quartiles, l2s, IntervalOptions{})
						for i := range fits {
							if *fits[i].Gap > 1e-6 {
								b.Error("gap", *fits[i].Gap)
							}
						}
						if err != nil {
							b.Error(err)
						}
					})
				}
				folds.Wait()
			}
		})
	}
}

// fold returns the rows that are not in test fold k of five.
func fold(x Matrix, y []float64, k int) (Matrix, []float64) {
	out, labels := Matrix{Cols: x.Cols}, []float64{}
	for i := range y {
		if i%5 != k {
			out.Data = append(out.Data, x.Row(i)...)
			labels = append(labels, y[i])
		}
	}
	out.Rows = len(labels)
	return out, labels
}

func BenchmarkLogistic(b *testing.B) {
	for _, size := range [][2]int{{2000, 21}, {50000, 50}} {
		x, y := simulate(1, size[0], size[1])
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			b.SetBytes(int64(8 * len(x.Data)))
			for b.Loop() {
				if _, err := Logistic(context.Background(), x, y, nil, 1e-4, LogisticOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
