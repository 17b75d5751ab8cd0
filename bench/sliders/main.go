// The time of a live fit on many rows, for docs/performance.md: what a slider of /stratify waits for while it moves (a
// preview on a subsample) and after its release (the exact result on a hold-out), over reading the design matrix once.
// The data are made in memory, so that no file is read.
//
//	go run ./bench/sliders -rows 11000000 -columns 28
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"syscall"
	"time"

	"taper/internal/engine"
	"taper/internal/engine/fit"
	"taper/internal/engine/parallel"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/machine"
)

func main() {
	rows := flag.Int("rows", 11_000_000, "rows of the data")
	columns := flag.Int("columns", 28, "predictors")
	loss := flag.String("loss", "interval", "loss of the model")
	moves := flag.Int("moves", 5, "releases of a slider")
	l2 := flag.Float64("l2", 1e-4, "λ; 0 = tuned")
	profile := flag.String("profile", "", "file for a CPU profile of the releases")
	flag.Parse()
	t := simulate(*rows, *columns)
	unit := reading(t)
	fmt.Printf("%d × %d: one reading %.0f ms\n", *rows, *columns, ms(unit))
	spec := runspec.Spec{Outcome: "y", Positive: table.Levels{"1"}, Negative: table.Levels{"0"}, Task: "interval",
		Model:      fit.Spec{Kind: "linear", Loss: *loss, L2: fit.L2{Value: *l2}},
		Validation: runspec.HoldOut(), Seed: 7}
	ctx := context.Background()
	machine.PaceCollector(ctx, 20<<30) // as the program does
	begin, cpu := time.Now(), busy()
	p, err := engine.Prepare(ctx, t, spec)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("prepare %.0f ms, %.0f ms of processor time, live heap %d MB\n", ms(time.Since(begin)),
		ms(busy()-cpu), heap())
	preview(ctx, t, spec, unit)
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			log.Fatal(err)
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			log.Fatal(err)
		}
		defer pprof.StopCPUProfile()
	}
	var took []float64
	for i := range *moves {
		spec.Boundaries = []float64{.25 + .01*float64(i), .5, .75}
		begin, cpu := time.Now(), busy()
		r, err := p.Outline(ctx, spec, nil)
		if err != nil {
			log.Fatal(err)
		}
		took = append(took, ms(time.Since(begin)))
		fmt.Printf("release %.0f ms, %.0f ms of processor time, of the fit %.0f ms, %d passes, λ %v\n", took[i],
			ms(busy()-cpu), 1000*r.Seconds, r.Evaluations, r.L2)
	}
	slices.Sort(took)
	fmt.Printf("release p50 %.0f ms, %.1f readings; live heap %d MB, taken from the system %d MB\n", took[len(took)/2],
		took[len(took)/2]/ms(unit), heap(), system())
	runtime.KeepAlive(p)
}

// preview moves a boundary over its range on the sample that a page shows meanwhile.
func preview(ctx context.Context, t *table.Table, spec runspec.Spec, unit time.Duration) {
	begin := time.Now()
	part := runspec.Scale{}.Preview(t, spec.Seed)
	p, err := engine.Prepare(ctx, part, spec)
	if err != nil {
		log.Fatal(err)
	}
	first := ms(time.Since(begin))
	var took []float64
	cpu := busy()
	for i := range 60 {
		spec.Boundaries = []float64{.1 + .005*float64(i), .5, .75}
		begin := time.Now()
		if _, err := p.Outline(ctx, spec, nil); err != nil {
			log.Fatal(err)
		}
		took = append(took, ms(time.Since(begin)))
	}
	each := ms(busy()-cpu) / 60
	slices.Sort(took)
	fmt.Printf("preview on %d rows: p50 %.1f ms, p95 %.1f ms (%.3f readings), %.1f ms of processor time; "+
		"the sample, once, %.0f ms\n", part.Rows, took[30], took[57], took[57]/ms(unit), each, first)
}

// busy is the processor time of this process. On a busy machine it tells more than the time on the clock.
func busy() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc >> 20
}

// system is the memory of the heap at its largest.
func system() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapSys >> 20
}

// simulate draws correlated columns, and an outcome that about half of the rows have.
func simulate(rows, columns int) *table.Table {
	all := make([]*table.Column, columns+1)
	common := make([]float64, rows)
	r := rand.New(rand.NewPCG(1, 0))
	for i := range common {
		common[i] = r.NormFloat64()
	}
	score := make([]float64, rows)
	all[columns] = &table.Column{Name: "y", Type: table.Boolean, Role: table.Predictor, Code: make([]int32, rows),
		Levels: []string{"0", "1"}, Count: make([]int, 2), Distinct: 2}
	for j := range columns {
		c := &table.Column{Name: "x" + strconv.Itoa(j+1), Type: table.Number, Role: table.Predictor,
			Num: make([]float64, rows), Distinct: rows}
		r := rand.New(rand.NewPCG(1, uint64(j+1)))
		w := .3 * math.Cos(float64(j))
		for i := range c.Num {
			c.Num[i] = .5*common[i] + r.NormFloat64()
			score[i] += w * c.Num[i]
		}
		all[j] = c
	}
	y := all[columns]
	for i, f := range score {
		if r.Float64() < 1/(1+math.Exp(-f)) {
			y.Code[i] = 1
		}
		y.Count[y.Code[i]]++
	}
	return &table.Table{Columns: all, Rows: rows, Dialect: table.Dialect{Format: "csv", Delimiter: ",", Decimal: "."}}
}

// reading is the time of reading every number of the table once, on all cores: the unit of the ratios.
func reading(t *table.Table) time.Duration {
	var all []time.Duration
	sums := make([]float64, len(t.Columns))
	for range 5 {
		begin := time.Now()
		parallel.Each(len(t.Columns)-1, 0, func(_, j int) {
			a, b, c, d := 0., 0., 0., 0.
			x := t.Columns[j].Num
			for i := 0; i+3 < len(x); i += 4 {
				a, b, c, d = a+x[i], b+x[i+1], c+x[i+2], d+x[i+3]
			}
			sums[j] = a + b + c + d
		})
		all = append(all, time.Since(begin))
	}
	slices.Sort(all)
	return all[len(all)/2]
}
