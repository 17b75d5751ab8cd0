// Package playground is the playground: two models on the same noisy points, refitted
// while a slider moves.
//
// A page is a pure function of its address. One struct, state, is all that an
// address says; the page, its live parts, its links and the runs it saves
// derive from it. What an address cannot mean takes its default and is named.
// Samples, samples with their noise and fits are kept a little, each by what it
// depends on alone, so that a scrubber, a brush and the untouched model cost no
// fit. All numbers are made here and in internal/engine/playground; the browser
// paints levels and points and computes nothing.
//
// Files: state and address are the state; methods, setting and presets
// what can be chosen; data and bench the points; show and keep the
// computation; answer and fill its JSON; sentence and table its words; page and
// parts what the browser gets, made of controls and pictures; save the runs.
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

// Datasets are the uploaded files: where points may come from, and where those
// of a saved run go.
type Datasets interface {
	Dataset(ctx context.Context, id string) (store.Dataset, error)
	Recent(ctx context.Context, most int) ([]store.Dataset, error)
	Table(ctx context.Context, d store.Dataset) (*table.Table, error)
	Predictors(d store.Dataset, t *table.Table) []string
	Stamp(d store.Dataset) string // another one where Table returns another table
	Generate(ctx context.Context, id string, rows int, seed uint64, params map[string]float64) (store.Dataset, error)
	Keep(ctx context.Context, name string, csv io.Reader, c store.Choice, simulated bool) (store.Dataset, error)
}

// Config is what the playground needs of the program around it. Without
// datasets there are generators and points placed by hand, and nothing is saved.
type Config struct {
	Datasets Datasets
	Start    func(ctx context.Context, spec runspec.Spec, before *engine.Shown) (store.Run, error) // begins a run
	Memory   cost.Memory                                                                           // of the program
}

// Playground fits the two models of a state. A request whose asker has left
// stops its solver and takes no turn.
type Playground struct {
	Config

	turns   chan struct{}
	running atomic.Int64 // fits under way
	fitted  atomic.Int64 // fits begun so far

	mu      sync.Mutex
	samples *cache.Cache[*playground.Sample]
	benches *cache.Cache[*bench]
	fits    *cache.Cache[*timedFit]
}

// Memory that samples and fits may take besides the last of each.
const (
	sampleBytes = 64 << 20
	benchBytes  = 32 << 20
	fitBytes    = 64 << 20
)

// New makes a playground with room for as many requests at a time as there are
// cores, two at least.
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

// timedFit is a fit with the time it took.
type timedFit struct {
	fit *playground.Fit
	ms  float64
}
