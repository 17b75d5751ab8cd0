// Package playground is the playground: two models trained on the same noisy points, refitted while a slider moves.
//
// The page is a pure function of its address. One struct, state, represents the address; the page, its live parts,
// its links and the runs it saves are derived from it. Invalid values are replaced by defaults and reported.
// Samples, samples with noise, and fits are cached separately, each under the part of the state it depends on, so
// that moving the step slider or the brush, or changing one model, does not refit the other. All numbers are
// computed here and in internal/engine/playground; the browser only paints levels and points.
//
// Files: state and address have the state; methods, setting and presets what can be chosen; data and bench the
// points; show and keep the computation; answer and fill its JSON; sentence and table the texts; page and parts the
// output for the browser, built from controls and pictures; save makes runs.
package playground

import (
	"context"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"taper/internal/cache"
	"taper/internal/engine"
	"taper/internal/engine/cost"
	"taper/internal/engine/playground"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/store"
)

// Datasets are the uploaded files: sources of points, and the place for the data of saved runs.
type Datasets interface {
	Dataset(ctx context.Context, id string) (store.Dataset, error)
	Recent(ctx context.Context, most int) ([]store.Dataset, error)
	Table(ctx context.Context, d store.Dataset) (*table.Table, error)
	Predictors(d store.Dataset, t *table.Table) []string
	Stamp(d store.Dataset) string // changes whenever the result of Table changes
	Generate(ctx context.Context, id string, rows int, seed uint64, params map[string]float64) (store.Dataset, error)
	Keep(ctx context.Context, name string, csv io.Reader, c store.Choice, simulated bool) (store.Dataset, error)
}

// Config is the environment of the playground. Without Datasets it has only generated and hand-placed points, and
// saves no runs.
type Config struct {
	Datasets Datasets
	Start    func(ctx context.Context, spec runspec.Spec, before *engine.Shown) (store.Run, error) // starts a run
	Memory   cost.Memory                                                                           // of the program
}

// Playground fits the two models of a state. When the client disconnects, the solver stops and the slot is free.
type Playground struct {
	Config

	turns   chan struct{}
	running atomic.Int64 // fits running now
	fitted  atomic.Int64 // fits started so far

	mu      sync.Mutex
	samples *cache.Cache[*playground.Sample]
	benches *cache.Cache[*bench]
	fits    *cache.Cache[*timedFit]
}

// Memory limits of the caches of samples and fits; the last entry of each is always kept.
const (
	sampleBytes = 64 << 20
	benchBytes  = 32 << 20
	fitBytes    = 64 << 20
)

// New makes a playground that computes as many requests at once as there are cores, at least two.
func New(c Config) *Playground {
	caches := c.Memory.Caches
	p := &Playground{Config: c, turns: make(chan struct{}, max(2, runtime.GOMAXPROCS(0))),
		samples: cache.New[*playground.Sample](sampleBytes).Within(caches),
		benches: cache.New[*bench](benchBytes).Within(caches), fits: cache.New[*timedFit](fitBytes).Within(caches)}
	c.Memory.GiveWay(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.samples.Drop("")
		p.benches.Drop("")
		p.fits.Drop("")
	})
	return p
}

// timedFit is a fit with its duration.
type timedFit struct {
	fit *playground.Fit
	ms  float64
}
