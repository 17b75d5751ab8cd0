package main

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"taper/cmd/web/cache"
	"taper/cmd/web/query"
	"taper/cmd/web/wording"
	"taper/internal/engine/arena"
	"taper/internal/engine/errs"
	"taper/internal/engine/synth"
)

// playground fits the two models of a state. Samples and fits are kept a
// little, so that a scrubber, a brush and the untouched model cost nothing. A
// request whose asker has left stops its solver and takes no turn.
type playground struct {
	in *intake // of datasets; nil = there are none

	turns   chan struct{}
	running atomic.Int64 // fits under way
	fitted  atomic.Int64 // fits begun so far

	mu      sync.Mutex
	samples *cache.Cache[*arena.Sample]
	benches *cache.Cache[*playBench]
	fits    *cache.Cache[*playFit]
}

// Memory that samples and fits may take besides the last of each.
const (
	sampleBytes = 64 << 20
	benchBytes  = 32 << 20
	fitBytes    = 64 << 20
)

// playBench is a sample with its noise and its frame.
type playBench struct {
	sample *arena.Sample
	spoilt *arena.Spoilt
	view   arena.View
	x, y   []float64 // where the points are drawn
	spread bool
	hash   string
	key    string
}

// playFit is a fit with the time it took.
type playFit struct {
	fit *arena.Fit
	ms  float64
}

func newPlayground(in *intake) *playground {
	return &playground{in: in, turns: make(chan struct{}, max(2, runtime.GOMAXPROCS(0))),
		samples: cache.New[*arena.Sample](sampleBytes), benches: cache.New[*playBench](benchBytes), fits: cache.New[*playFit](fitBytes)}
}

// playLive answers GET /playground/live: a state as JSON.
func (s *Server) playLive(c echo.Context) error {
	st, bad := parsePlay(c.QueryParams())
	a, err := s.play.show(c.Request().Context(), st, bad)
	if err != nil {
		return err
	}
	if c.QueryParam("have") == a.Hash {
		a.Points = nil
	}
	if c.QueryParam("parts") == "1" {
		if a, err = s.playParts(c.Request().Context(), a, c.QueryParams()); err != nil {
			return err
		}
	}
	return c.JSON(http.StatusOK, a)
}

// show computes what a state shows.
func (p *playground) show(ctx context.Context, st playState, bad []errs.Field) (*playAnswer, error) {
	start := time.Now()
	if err := p.turn(ctx); err != nil {
		return nil, err
	}
	defer func() { <-p.turns }()
	b, err := p.bench(ctx, st)
	if err != nil {
		return nil, err
	}
	a := &playAnswer{bench: b, Hash: b.hash, Points: b.points(), Problems: bad}
	st.Models = a.suit(st, b)
	shown, err := p.both(ctx, st, b)
	if err != nil {
		return nil, err
	}
	a.Models = playPair{shown[0], shown[1]}
	a.URL, a.st = st.url(), st
	a.Axes = playAxes{X: playAxis{b.view.X[0], b.view.X[1], b.view.XName}, Y: playAxis{b.view.Y[0], b.view.Y[1], b.view.YName}, Note: b.view.Note}
	a.tell(st)
	a.MS = float64(time.Since(start).Microseconds()) / 1000
	return a, nil
}

// turn waits until the machine has room for one more.
func (p *playground) turn(ctx context.Context) error {
	select {
	case p.turns <- struct{}{}:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// suit replaces methods that cannot part these points by those that such points
// open with, and says so.
func (a *playAnswer) suit(st playState, b *playBench) [2]playModel {
	kind := b.kind()
	for k, m := range st.Models {
		if h := mustPlayMethod(m.Method); !h.parts(kind) {
			st.Models[k] = newPlayModel(playFirst[kind][k])
			a.Problems = append(a.Problems, errs.Field{Field: playSlots[k] + "method", Message: "cannot be " + h.Title + ", which parts two classes where these points have " + wording.Small(len(b.sample.Levels)) + "; " + mustPlayMethod(st.Models[k].Method).Title + " stands in"})
		}
		if b.sample.X.Cols != 2 && st.Models[k].Features != arena.Linear {
			st.Models[k].Features = arena.Linear
			a.Problems = append(a.Problems, errs.Field{Field: playSlots[k] + "features", Message: "can be linear alone where there are " + strconv.Itoa(b.sample.X.Cols) + " columns"})
		}
	}
	return st.Models
}

// both fits and evaluates the two models side by side.
func (p *playground) both(ctx context.Context, st playState, b *playBench) (shown [2]*playShown, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var failed [2]error
	var wg sync.WaitGroup
	for k := range shown {
		wg.Go(func() {
			if shown[k], failed[k] = p.one(ctx, st, k, b); failed[k] != nil {
				stop()
			}
		})
	}
	wg.Wait()
	for _, err := range failed {
		if err != nil && err != context.Canceled {
			return shown, err
		}
	}
	return shown, ctx.Err()
}

// one fits and evaluates a model. A problem that the user can mend is shown in
// its place.
func (p *playground) one(ctx context.Context, st playState, k int, b *playBench) (*playShown, error) {
	set, err := st.Models[k].setting(len(b.sample.Levels), st.Seed)
	if err != nil {
		return refused(mustPlayMethod(st.Models[k].Method).Title, err)
	}
	m := &playShown{Title: playTitle(st.Models[k], set)}
	fit, err := p.fit(ctx, st.Models[k], set, b)
	if err != nil {
		return refused(m.Title, err)
	}
	m.Steps.At = fit.fit.Place(st.Models[k].Step)
	m.fit, m.MS = fit.fit, fit.ms
	if m.model, err = fit.fit.At(ctx, m.Steps.At); err != nil {
		return refused(m.Title, err)
	}
	m.look = m.fit.Look(m.Steps.At, m.model)
	m.surface = arena.NewSurface(m.fit, m.model, b.view)
	if m.verdict, err = m.fit.Judge(ctx, m.model); err != nil {
		return nil, err
	}
	m.fill(b.view, b.sample.Levels, b.sample.Roles)
	return m, nil
}

// refused shows an error of the user's in a model's place.
func refused(title string, err error) (*playShown, error) {
	if e, ok := errs.As(err); ok && e.Code == errs.Invalid {
		text := e.Detail
		if len(e.Fields) > 0 {
			text = wording.UpperFirst(e.Fields[0].Field) + " " + e.Fields[0].Message + "."
		}
		return &playShown{Title: title, Error: text}, nil
	}
	return nil, err
}

// fit takes a fit from those kept, or makes it.
func (p *playground) fit(ctx context.Context, m playModel, set arena.Setting, b *playBench) (*playFit, error) {
	m.Step = -1
	j, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return kept(p, p.fits, b.key+string(j), func(f *playFit) int { return f.fit.Bytes() }, func() (*playFit, error) {
		p.running.Add(1)
		p.fitted.Add(1)
		defer p.running.Add(-1)
		start := time.Now()
		fit, err := arena.Train(ctx, b.sample, b.spoilt, set)
		if err != nil {
			return nil, err
		}
		return &playFit{fit: fit, ms: float64(time.Since(start).Microseconds()) / 1000}, nil
	})
}

// kept takes a value from a cache, or makes it. Two who ask at once may both
// make it: they make the same.
func kept[T any](p *playground, c *cache.Cache[T], key string, bytes func(T) int, make func() (T, error)) (T, error) {
	p.mu.Lock()
	v, ok := c.Get(key)
	p.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := make()
	if err != nil {
		return v, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c.Put(key, v, bytes(v))
	return v, nil
}

// bench takes the points of a state with their noise from those kept, or makes
// them.
func (p *playground) bench(ctx context.Context, st playState) (*playBench, error) {
	source, err := p.key(ctx, st)
	if err != nil {
		return nil, err
	}
	s, err := kept(p, p.samples, source, (*arena.Sample).Bytes, func() (*arena.Sample, error) { return p.sample(ctx, st) })
	if err != nil {
		return nil, err
	}
	key := source + "|" + st.Noise + "|" + query.Text(st.Rate) + "|" + query.Text(st.Rate0) + "|" + strconv.Quote(st.CX) + strconv.Quote(st.CY)
	b, err := kept(p, p.benches, key, (*playBench).bytes, func() (*playBench, error) { return newBench(ctx, s, st, key) })
	if err != nil || st.Frame == nil {
		return b, err
	}
	framed, f := *b, st.Frame
	framed.view.X, framed.view.Y = [2]float64{f[0], f[1]}, [2]float64{f[2], f[3]}
	return &framed, nil
}

// key names the points of a state before any noise.
func (p *playground) key(ctx context.Context, st playState) (string, error) {
	of := struct {
		Data, Stamp, CX, CY, Outcome, Positive string
		Own                                    []arena.Point
		All                                    bool
		N                                      int
		Test                                   float64
		Seed                                   uint64
	}{Data: st.Data, Test: st.Test, Seed: st.Seed}
	switch id := st.dataset(); {
	case id != "":
		d, err := p.dataset(ctx, id)
		if err != nil {
			return "", err
		}
		of.Stamp = stamp(d)
		of.N, of.All, of.Outcome, of.Positive = st.N, st.All, st.Outcome, st.Positive
		if !st.All {
			of.CX, of.CY = st.CX, st.CY
		}
	case st.Data == playOwn:
		of.Own = st.Own
	default:
		of.N = st.N
	}
	j, err := json.Marshal(of)
	return string(j), err
}

func newBench(ctx context.Context, s *arena.Sample, st playState, key string) (*playBench, error) {
	b := &playBench{sample: s, key: key}
	noise := synth.Noise{Kind: st.Noise, Rate: st.Rate}
	if st.Noise == synth.NoiseClass {
		noise = synth.Noise{Kind: st.Noise, RatePositive: st.Rate, RateNegative: st.Rate0}
	}
	var err error
	if b.spoilt, err = s.Spoil(ctx, noise, st.Seed); err != nil {
		return nil, err
	}
	across, up, err := axesOf(s, st)
	if err != nil {
		return nil, err
	}
	b.view = s.View(across, up)
	b.x, b.y, b.spread = s.Places(b.spoilt, b.view)
	j, err := json.Marshal(b.points())
	if err != nil {
		return nil, err
	}
	h := fnv.New64a()
	h.Write(j)
	b.hash = strconv.FormatUint(h.Sum64(), 36)
	return b, nil
}

// sample makes the points of a state.
func (p *playground) sample(ctx context.Context, st playState) (*arena.Sample, error) {
	switch {
	case st.Data == playOwn:
		return arena.Placed(st.Own, st.Test, st.Seed)
	case st.dataset() != "":
		return p.datasetSample(ctx, st)
	}
	return arena.Generated(st.Data, st.N, st.Seed, st.Test)
}

// axesOf finds the columns that are shown.
func axesOf(s *arena.Sample, st playState) (across, up int, err error) {
	at := func(field, name string, otherwise int) int {
		if name == "" {
			return otherwise
		}
		for j, c := range s.Columns {
			if c == name {
				return j
			}
		}
		err = errs.BadField(field, "must be a column of the points, not %q", wording.Cut(name, 30))
		return otherwise
	}
	across, up = at("cx", st.CX, 0), at("cy", st.CY, -1)
	if up < 0 || up == across {
		up = 1
		if across == 1 {
			up = 0
		}
	}
	return across, up, err
}

// kind is what the classes allow.
func (b *playBench) kind() playKind {
	switch {
	case len(b.sample.Levels) == 2:
		return playBinary
	case b.sample.Ordered:
		return playOrdinal
	}
	return playMulti
}

func (b *playBench) points() *playPoints {
	s := b.sample
	p := &playPoints{Hash: b.hash, X: b.x, Y: b.y, Class: s.Class, Given: b.spoilt.Given, Flipped: b.spoilt.Spoilt, Test: s.Held, Role: s.Role, Classes: s.Levels, Roles: s.Roles, Spread: b.spread}
	if p.Test == nil {
		p.Test = make([]bool, len(s.Class))
	}
	return p
}

func (b *playBench) bytes() int {
	return 8*len(b.spoilt.X.Data) + 64*len(b.sample.Class)
}
