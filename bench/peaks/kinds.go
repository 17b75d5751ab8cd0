package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"taper/internal/app"
	"taper/internal/app/datasets"
	"taper/internal/engine"
	"taper/internal/engine/audit"
	"taper/internal/engine/compare"
	"taper/internal/engine/cost"
	"taper/internal/engine/crossfit"
	"taper/internal/engine/external"
	"taper/internal/engine/fit"
	"taper/internal/engine/job"
	"taper/internal/engine/model"
	"taper/internal/engine/runspec"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/web/page/playground"
)

// kind is a cost with an estimate.
type kind struct {
	name, of string
	worst    bool // the estimate is for the worst content of this size
	// prepare makes the input of the work, in the size of the long or the short form.
	prepare func(size func(long, short int) int) work
}

// work is the part that is measured.
type work struct {
	estimate int64 // of a job, in bytes; for requests, what they hold in the end
	do       func(ctx context.Context) (kept any, err error)
	end      func() // nil: nothing to remove
}

// child runs a kind and prints the estimate.
func child(name string) {
	size := func(long, short int) int {
		if os.Getenv(shortly) != "" {
			return short
		}
		return long
	}
	for _, k := range kinds {
		if k.name != name {
			continue
		}
		w := k.prepare(size)
		requests := cost.NewMemory(1 << 50).Requests
		ctx, end := cost.WithScope(context.Background(), requests)
		runtime.GC()
		runtime.GC() // frees what the first left to finalizers
		fmt.Fprintln(os.Stderr, begun)
		kept, err := w.do(ctx)
		must(err)
		runtime.GC()
		runtime.KeepAlive(kept)
		runtime.KeepAlive(w) // keeps the input alive
		fmt.Println(w.estimate + requests.Held())
		end()
		if w.end != nil {
			w.end()
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

var kinds = []kind{
	{name: "a file of digits", of: "22 columns", prepare: func(size func(int, int) int) work {
		return reading([]byte(header(22) + strings.Repeat(strings.Repeat("1,", 21)+"0\n", size(400_000, 20_000))))
	}},
	{name: "a file of numbers", of: "10 columns", worst: true, prepare: func(size func(int, int) int) work {
		return reading(csv(drawn("kimes-1.1", size(100_000, 5_000), 10)))
	}},
	{name: "a file of texts", of: "all different", prepare: func(size func(int, int) int) work {
		var text strings.Builder
		text.WriteString(header(3))
		for i := range size(300_000, 20_000) {
			fmt.Fprintf(&text, "a%d,b%d,%d\n", i, i*7919, i%2)
		}
		return reading([]byte(text.String()))
	}},
	{name: "a file of short texts", of: "one column, all different", prepare: func(size func(int, int) int) work {
		var text strings.Builder
		text.WriteString("x1\n")
		for i := range size(1_000_000, 100_000) {
			text.WriteString(strconv.FormatInt(int64(i), 36) + "z\n")
		}
		return reading([]byte(text.String()))
	}},
	{name: "a workbook of numbers", of: "10 columns", prepare: func(size func(int, int) int) work {
		return workbook(size(60_000, 4_000), 10, func(i, j int) any { return float64(i*j) / 7 })
	}},
	{name: "a workbook of digits", of: "10 columns", prepare: func(size func(int, int) int) work {
		return workbook(size(100_000, 8_000), 10, func(i, j int) any { return i * j % 2 })
	}},
	{name: "a workbook of texts", of: "shared, all different", prepare: func(size func(int, int) int) work {
		f := excelize.NewFile()
		for i := range size(100_000, 8_000) {
			must(f.SetCellStr("Sheet1", fmt.Sprintf("A%d", i+1), fmt.Sprint("text ", i)))
			must(f.SetCellInt("Sheet1", fmt.Sprintf("B%d", i+1), int64(i%2)))
		}
		return packed(f)
	}},
	{name: "a generated table", of: "30 columns", prepare: func(size func(int, int) int) work {
		rows, params := size(200_000, 20_000), map[string]float64{"p": 30}
		need, err := synth.Memory("kimes-1.1", rows, params)
		must(err)
		return work{estimate: need, do: func(context.Context) (any, error) {
			t, _, err := synth.Generate("kimes-1.1", rows, 1, params)
			return t, err
		}}
	}},
	{name: "a run, linear", of: "logistic loss, 30 columns", prepare: func(size func(int, int) int) work {
		return running(size(50_000, 5_000), 30, logistic)
	}},
	{name: "a run, tuned", of: "interval loss, 10 columns", prepare: func(size func(int, int) int) work {
		return running(size(5_000, 1_000), 10, fit.Spec{Kind: "linear", Loss: "interval", L2: fit.L2{Mode: "cv"}})
	}},
	{name: "a run, exact kernel", of: "hinge loss", prepare: func(size func(int, int) int) work {
		return running(size(2_000, 600), 4, kernel("hinge"))
	}},
	{name: "a run, landmarks", of: "logistic loss, RBF kernel", prepare: func(size func(int, int) int) work {
		return running(size(20_000, 3_000), 4, kernel("logistic"))
	}},
	{name: "a run, trees", of: "depth 6, 100 rounds", prepare: func(size func(int, int) int) work {
		return running(size(20_000, 3_000), 20, fit.Spec{Kind: "boost", Loss: "alpha", Rounds: 100, Depth: 6})
	}},
	{name: "a run, classes", of: "ordered, 5 bins, 20 columns", prepare: func(size func(int, int) int) work {
		t := drawn("kimes-1.1", size(30_000, 4_000), 20)
		s := runspec.Spec{Dataset: "d", Outcome: "x1", Task: "ordinal", Bins: &runspec.Bins{Count: 5}, Seed: 1,
			Model:      fit.Spec{Kind: "linear", Loss: "al-ordinal", L2: fit.L2{Value: 0.01}},
			Validation: runspec.Validation{Kind: "cv", Folds: 5}}
		return fitting(t, s)
	}},
	{name: "a bootstrap", of: "100 samples", prepare: func(size func(int, int) int) work {
		t, s := twoClasses(size(10_000, 2_000), 10, logistic)
		parent, err := engine.Fit(context.Background(), t, s, nil)
		must(err)
		o := engine.BootstrapOptions{Replicates: size(100, 50), Seed: 1}
		return work{estimate: crossfit.Memory(s, t.Shape()) + o.Memory(t.Rows) - t.Shape().Memory(),
			do: func(ctx context.Context) (any, error) {
				w, err := engine.NewRefits(ctx, t, s, parent, o)
				if err != nil {
					return nil, err
				}
				w.Keep = func(context.Context, *engine.Bootstrap) error { return nil }
				return w, job.Do(ctx, w, nil)
			}}
	}},
	{name: "an audit", of: "λ tuned again", prepare: func(size func(int, int) int) work {
		t, s := twoClasses(size(20_000, 3_000), 10, logistic)
		parent, err := engine.Fit(context.Background(), t, s, nil)
		must(err)
		return work{estimate: audit.Memory(s, t.Shape()) - t.Shape().Memory(), do: func(ctx context.Context) (any, error) {
			return audit.Labels(ctx, t, s, parent, parent.Rows, audit.Options{Retune: true}, nil)
		}}
	}},
	{name: "a study", of: "a grid on a generator", prepare: func(size func(int, int) int) work {
		p, err := study.NewPlan(nil, study.Spec{Dataset: study.Source{Generator: "kimes-1.1", Rows: size(20_000, 3_000),
			Params: map[string]float64{"p": 20}}, Models: []fit.Spec{logistic}, Replicates: 4, Seed: 1}, nil)
		must(err)
		return work{estimate: p.Memory, do: func(ctx context.Context) (any, error) { return study.Run(ctx, p) }}
	}},
	{name: "a plan of a study", of: "1,000 replicates, 20 rates, 20 models", prepare: func(size func(int, int) int) work {
		s := study.Spec{Dataset: study.Source{Generator: "gmm", Rows: 1000}, Replicates: size(1000, 200), Seed: 1}
		for i := range 20 {
			s.Noise.Rates = append(s.Noise.Rates, float64(i)/50)
			s.Models = append(s.Models, fit.Spec{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: float64(i+1) / 100}})
		}
		return work{estimate: study.PlanMemory(s),
			do: func(context.Context) (any, error) { return study.NewPlan(nil, s, nil) }}
	}},
	{name: "the playground", of: "two logistic models", prepare: func(size func(int, int) int) work {
		return playing(fmt.Sprintf("data=moons&n=%d", size(5000, 2000)))
	}},
	{name: "the playground, RBF features", of: "64 terms", prepare: func(size func(int, int) int) work {
		return playing(fmt.Sprintf("data=moons&n=%d&a.features=rbf&b.features=rbf&b.method=t-logistic", size(5000, 2000)))
	}},
	{name: "the playground, kernels", of: "hinge losses", prepare: func(size func(int, int) int) work {
		return playing(fmt.Sprintf("data=moons&n=%d&a.method=hinge&a.kernel=rbf&b.method=hinge&b.kernel=poly",
			size(2000, 800)))
	}},
	{name: "the playground, trees", of: "400 rounds, depth 4", prepare: func(size func(int, int) int) work {
		return playing(fmt.Sprintf("data=moons&n=%d&a.method=boost&a.rounds=400&a.depth=4&b.method=boost&b.rounds=200",
			size(5000, 1000)))
	}},
	{name: "scoring a file", of: "a linear model", prepare: func(size func(int, int) int) work {
		m, data := scored(size(200_000, 10_000))
		return work{estimate: table.ScanMemory(int64(len(data))), do: func(ctx context.Context) (any, error) {
			data := bytes.Clone(data)
			return data, model.PredictCSV(ctx, m, data, io.Discard, model.PredictOptions{})
		}}
	}},
	{name: "an external validation", of: "a linear model", prepare: func(size func(int, int) int) work {
		m, data := scored(size(200_000, 10_000))
		return work{estimate: table.ScanMemory(int64(len(data))), do: func(ctx context.Context) (any, error) {
			return external.EvaluateCSV(ctx, m, bytes.Clone(data), model.PredictOptions{}, external.EvaluateOptions{})
		}}
	}},
	{name: "a comparison", of: "two linear runs", prepare: func(size func(int, int) int) work {
		a, ids, end := stored(size(50_000, 5_000), logistic, fit.Spec{Kind: "linear", Loss: "hinge", L2: fit.L2{Value: 0.01}})
		return work{do: func(ctx context.Context) (any, error) {
			runs, err := a.FinishedRuns(ctx, ids)
			if err != nil {
				return nil, err
			}
			return compare.New(ctx, runs, 0)
		}, end: end}
	}},
}

// logistic is logistic regression.
var logistic = fit.Spec{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: 0.01}}

func kernel(loss string) fit.Spec {
	return fit.Spec{Kind: "kernel", Loss: loss, L2: fit.L2{Value: 0.01}, Kernel: &fit.Kernel{Name: "rbf", Gamma: 0.5}}
}

func header(columns int) string {
	var names []string
	for j := range columns {
		names = append(names, fmt.Sprint("x", j+1))
	}
	return strings.Join(names, ",") + "\n"
}

func drawn(generator string, rows, columns int) *table.Table {
	t, _, err := synth.Generate(generator, rows, 1, map[string]float64{"p": float64(columns)})
	must(err)
	return t
}

func csv(t *table.Table) []byte {
	var b bytes.Buffer
	must(synth.WriteCSV(&b, t))
	return b.Bytes()
}

// reading reads a file into a table.
func reading(data []byte) work {
	return work{estimate: table.ReadMemory(int64(len(data))), do: func(ctx context.Context) (any, error) {
		return table.Read(ctx, bytes.Clone(data), table.Options{}, table.DefaultLimits)
	}}
}

// workbook is a workbook with this many cells.
func workbook(rows, columns int, cell func(i, j int) any) work {
	f := excelize.NewFile()
	w, err := f.NewStreamWriter("Sheet1")
	must(err)
	line := make([]any, columns)
	for i := range rows {
		for j := range line {
			if line[j] = cell(i, j); i == 0 {
				line[j] = fmt.Sprint("x", j+1)
			}
		}
		must(w.SetRow(fmt.Sprintf("A%d", i+1), line))
	}
	must(w.Flush())
	return packed(f)
}

func packed(f *excelize.File) work {
	b, err := f.WriteToBuffer()
	must(err)
	must(f.Close())
	return reading(b.Bytes())
}

// twoClasses is a table and the spec of a binary run with five folds.
func twoClasses(rows, columns int, m fit.Spec) (*table.Table, runspec.Spec) {
	t, meta, err := synth.Generate("kimes-1.1", rows, 1, map[string]float64{"p": float64(columns)})
	must(err)
	s := runspec.Spec{Dataset: "d", Outcome: meta.Outcome, Positive: table.OneLevel(meta.Positive), Task: "binary",
		Model: m, Boundaries: []float64{0.5}, Validation: runspec.Validation{Kind: "cv", Folds: 5}, Seed: 1}
	if m.Loss == "interval" {
		s.Task, s.Boundaries = "interval", []float64{0.25, 0.5, 0.75}
	}
	return t, s.WithDefaults()
}

func running(rows, columns int, m fit.Spec) work {
	t, s := twoClasses(rows, columns, m)
	return fitting(t, s)
}

// fitting runs a spec on an existing table.
func fitting(t *table.Table, s runspec.Spec) work {
	return work{estimate: crossfit.Memory(s, t.Shape()) - t.Shape().Memory(), do: func(ctx context.Context) (any, error) {
		return engine.Fit(ctx, t, s, nil)
	}}
}

// playing makes a page of the playground.
func playing(query string) work {
	q, err := url.ParseQuery(query)
	must(err)
	p := playground.New(playground.Config{})
	return work{do: func(ctx context.Context) (any, error) {
		v, err := p.Page(ctx, q)
		if err == nil && v.Problem != "" {
			err = fmt.Errorf("%s", v.Problem)
		}
		return v, err
	}}
}

// scored is a model with rows and their outcomes.
func scored(rows int) (*model.Model, []byte) {
	t, s := twoClasses(1000, 10, logistic)
	r, err := engine.Fit(context.Background(), t, s, nil)
	must(err)
	return r.Model, csv(drawn("kimes-1.1", rows, 10))
}

// stored are finished runs of one dataset in a temporary folder.
func stored(rows int, models ...fit.Spec) (a *app.App, ids []string, end func()) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "taper-peaks-")
	must(err)
	db, err := store.Open(ctx, dir+"/data", time.Now)
	must(err)
	data := datasets.New(db, table.DefaultLimits, cost.Memory{}, time.Now)
	a = app.New(db, data, cost.Memory{}, 0, "", slog.New(slog.DiscardHandler), time.Now)
	d, err := data.Generate(ctx, "kimes-1.1", rows, 1, map[string]float64{"p": 10})
	must(err)
	for _, m := range models {
		r, err := a.StartRun(ctx, runspec.Spec{Dataset: d.ID, Outcome: d.Choice.Outcome, Positive: d.Choice.Positive,
			Task: "binary", Model: m, Boundaries: []float64{0.5}, Validation: runspec.Validation{Kind: "cv", Folds: 5}, Seed: 1})
		must(err)
		for r.Status != store.Done {
			time.Sleep(10 * time.Millisecond)
			r, err = db.Run(ctx, r.ID)
			must(err)
		}
		ids = append(ids, r.ID)
	}
	return a, ids, func() { must(errors.Join(db.Close(), os.RemoveAll(dir))) }
}
