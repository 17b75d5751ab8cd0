package linear

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"

	"taper/internal/engine/loss"
)

// BenchmarkUnit is what bench/main.sh expresses its times in.
func BenchmarkUnit(b *testing.B) {
	const n = 256
	a, c := make([]float64, n*n), make([]float64, n*n)
	for i := range a {
		a[i] = float64(i%7) - 3
	}
	for b.Loop() {
		for i := 0; i < n; i += 64 { // smaller products stay on one core
			kernel.Dgemm(blas.NoTrans, blas.NoTrans, 64, 64, n, 1, a[i*n:], n, a, n, 0, c[i*n:], n)
			kernel.Dgemm(blas.NoTrans, blas.NoTrans, 64, 64, n, 1, a[i*n:], n, a[64:], n, 0, c[i*n+64:], n)
			kernel.Dgemm(blas.NoTrans, blas.NoTrans, 64, 64, n, 1, a[i*n:], n, a[128:], n, 0, c[i*n+128:], n)
			kernel.Dgemm(blas.NoTrans, blas.NoTrans, 64, 64, n, 1, a[i*n:], n, a[192:], n, 0, c[i*n+192:], n)
		}
	}
}

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

// BenchmarkIntervalPath fits 26 penalties on each of five training folds, the folds in
// parallel.
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

// passMatrix has the size of the survey of Sypherd et al. 2023, so that it does not fit into
// caches.
func passMatrix() Matrix {
	const rows, cols = 864_154, 42
	x := Matrix{rows, cols, make([]float64, rows*cols)}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range x.Data {
		x.Data[i] = 4 * (r.Float64() - .5)
	}
	return x
}

// BenchmarkPass measures, in each round, one read of all cells on all cores, which no pass can
// beat, then one value and gradient of each loss. The logistic pass is reported relative to the
// read, the others relative to the logistic pass, as medians over rounds; other programs then
// slow both parts of a ratio.
func BenchmarkPass(b *testing.B) {
	x := passMatrix()
	y := make([]float64, x.Rows)
	for i := range y {
		y[i] = 1
		if i%7 > 0 {
			y[i] = -1
		}
	}
	set, err := newSample(x, y, nil)
	if err != nil {
		b.Fatal(err)
	}
	t := newTeam(len(x.Data))
	defer t.close()
	r := newRows(x, t)
	total := make([]float64, r.count)
	read := func(k int) {
		lo, hi := r.span(k)
		total[k] = floats.Sum(x.Data[lo*x.Cols : hi*x.Cols])
	}
	names := []string{"read", "logistic", "alpha-2", "alpha-3", "tempered", "tempered-compact", "tempered-steep", "t-logistic"}
	losses := []loss.Margin{nil, nil, loss.NewAlpha(2), loss.NewAlpha(3), loss.Tempered{T1: .6, T2: 1.6}, loss.Tempered{T1: .5, T2: .5}, loss.Tempered{T1: 3, T2: 3}, loss.Tempered{T1: 1, T2: 1.9}}
	passes := []func(){func() { t.run(r.count, &read) }}
	for _, l := range losses[1:] {
		e := newEntropy(context.Background(), set, r)
		if l != nil {
			e.other = newSurrogate(l, r)
		}
		for j := range e.theta {
			e.theta[j] = .3 * float64(j%3-1)
		}
		passes = append(passes, e.pass)
	}
	times, ratios := make([][]float64, len(names)), make([][]float64, len(names))
	for b.Loop() {
		for k, pass := range passes {
			begin := time.Now()
			pass()
			times[k] = append(times[k], time.Since(begin).Seconds())
			by := times[min(k, 1)]
			if k == 1 {
				by = times[0]
			}
			ratios[k] = append(ratios[k], times[k][len(times[k])-1]/by[len(by)-1])
		}
	}
	for k, name := range names {
		b.ReportMetric(1e3*middle(times[k]), name+"-ms")
		b.ReportMetric(middle(ratios[k]), name+"-ratio")
	}
}

// middle is the median.
func middle(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// BenchmarkMemory reports the matrix plus everything that a fit allocates, including what it
// frees, relative to the matrix.
func BenchmarkMemory(b *testing.B) {
	x, y := simulate(1, 200_000, 42)
	for name, l := range map[string]loss.Margin{"logistic": nil, "alpha": loss.NewAlpha(3), "tempered": loss.Tempered{T1: .6, T2: 1.6}, "hinge": loss.Hinge{}, "interval": quartiles} {
		b.Run(name, func(b *testing.B) {
			measure(b, x, func() (err error) {
				if l == nil {
					_, err = Logistic(context.Background(), x, y, nil, 1e-4, LogisticOptions{})
					return err
				}
				_, _, err = Margin(context.Background(), x, y, nil, l, 1e-4, MarginOptions{})
				return err
			})
		})
	}
	for name, solver := range map[string]string{"t-logistic": SolverDirect, "t-logistic-cmp": SolverCMP} {
		b.Run(name, func(b *testing.B) {
			measure(b, x, func() error {
				_, err := TLogistic(context.Background(), x, y, nil, 1.6, 20, TOptions{Solver: solver, MaxIter: 30})
				return err
			})
		})
	}
}

// measure reports the memory of a fit.
func measure(b *testing.B, x Matrix, fit func() error) {
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.ReadMemStats(&before)
		if err := fit(); err != nil {
			b.Fatal(err)
		}
		runtime.ReadMemStats(&after)
	}
	cells := float64(8 * len(x.Data))
	b.ReportMetric((cells+float64(after.TotalAlloc-before.TotalAlloc))/cells, "matrices")
}

// BenchmarkMargin fits from all starts.
func BenchmarkMargin(b *testing.B) {
	for _, size := range [][2]int{{2000, 21}, {50000, 50}} {
		x, y := simulate(1, size[0], size[1])
		for name, l := range map[string]loss.Margin{"alpha 2": loss.NewAlpha(2), "tempered": loss.Tempered{T1: .6, T2: 1.6}, "hinge": loss.Hinge{}} {
			b.Run(fmt.Sprintf("%dx%d/%s", size[0], size[1], name), func(b *testing.B) {
				for b.Loop() {
					if _, _, err := Margin(context.Background(), x, y, nil, l, 1e-4, MarginOptions{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkTLogistic(b *testing.B) {
	x, y := simulate(1, 2000, 21)
	for _, solver := range []string{SolverDirect, SolverCMP} {
		b.Run(solver, func(b *testing.B) {
			for b.Loop() {
				if _, err := TLogistic(context.Background(), x, y, nil, 1.6, 1, TOptions{Solver: solver}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFamilies fits each family once from its own start to the same rows as a logistic fit, and reports the
// medians over rounds of the time over that of the logistic fit of the same round.
func BenchmarkFamilies(b *testing.B) {
	for _, size := range [][2]int{{2000, 21}, {50_000, 50}, {864_154, 42}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			x, y := simulate(1, size[0], size[1])
			ctx, l2 := context.Background(), 1/float64(size[0])
			margin := func(l loss.Margin) func() error {
				return func() error {
					_, _, err := Margin(ctx, x, y, nil, l, l2, MarginOptions{Only: []string{"zero"}})
					return err
				}
			}
			fits := []struct {
				name string
				fit  func() error
			}{
				{"logistic", func() error { _, err := Logistic(ctx, x, y, nil, l2, LogisticOptions{}); return err }},
				{"alpha-2", margin(loss.NewAlpha(2))},
				{"alpha-0.5", margin(loss.NewAlpha(.5))},
				{"two-temperature", margin(loss.Tempered{T1: .6, T2: 1.6})},
				{"t-logistic", func() error {
					_, err := TLogistic(ctx, x, y, nil, 1.6, 1, TOptions{Only: []string{"zero"}})
					return err
				}},
				{"interval", func() error {
					_, err := Interval(ctx, x, y, nil, quartiles, l2, IntervalOptions{Gap: 1e-4})
					return err
				}},
			}
			ratios := make([][]float64, len(fits))
			for b.Loop() {
				unit := 0.0
				for k, f := range fits {
					begin := time.Now()
					if err := f.fit(); err != nil {
						b.Fatal(err)
					}
					took := time.Since(begin).Seconds()
					if k == 0 {
						unit = took
					}
					ratios[k] = append(ratios[k], took/unit)
				}
			}
			for k, f := range fits[1:] {
				b.ReportMetric(middle(ratios[k+1]), f.name+"-ratio")
			}
		})
	}
}

// BenchmarkHiggs fits 11,000,000 rows of 28 columns, the size of HIGGS, and reports the time of each fit over that of
// reading the matrix once on all cores. It takes 4 GB.
func BenchmarkHiggs(b *testing.B) {
	x, y := simulate(1, 11_000_000, 28)
	t := newTeam(len(x.Data))
	defer t.close()
	r := newRows(x, t)
	total := make([]float64, r.count)
	read := func(k int) {
		lo, hi := r.span(k)
		total[k] = floats.Sum(x.Data[lo*x.Cols : hi*x.Cols])
	}
	var reads []float64
	for range 9 {
		begin := time.Now()
		t.run(r.count, &read)
		reads = append(reads, time.Since(begin).Seconds())
	}
	unit := middle(reads)
	ctx, l2 := context.Background(), 1/float64(x.Rows)
	margin := func(l loss.Margin) func() (*Linear, error) {
		return func() (*Linear, error) {
			f, _, err := Margin(ctx, x, y, nil, l, l2, MarginOptions{Only: []string{"zero"}, GradTol: 1e-8})
			return f, err
		}
	}
	for name, fit := range map[string]func() (*Linear, error){
		"logistic": func() (*Linear, error) { return Logistic(ctx, x, y, nil, l2, LogisticOptions{GradTol: 1e-8}) },
		"alpha-2":  margin(loss.NewAlpha(2)), "two-temperature": margin(loss.Tempered{T1: .6, T2: 1.6}),
		"interval": func() (*Linear, error) { return Interval(ctx, x, y, nil, quartiles, l2, IntervalOptions{Gap: 1e-4}) },
	} {
		b.Run(name, func(b *testing.B) {
			var before, after runtime.MemStats
			for b.Loop() {
				runtime.ReadMemStats(&before)
				begin := time.Now()
				f, err := fit()
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(time.Since(begin).Seconds()/unit, "readings")
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(f.Evaluations), "passes")
				if f.GradientNorm != nil {
					b.ReportMetric(*f.GradientNorm*1e8, "gradient-e-8")
				} else {
					b.ReportMetric(*f.Gap, "gap")
				}
			}
			cells := float64(8 * len(x.Data))
			b.ReportMetric((cells+float64(after.TotalAlloc-before.TotalAlloc))/cells, "matrices")
		})
	}
}
