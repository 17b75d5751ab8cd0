package playground

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"taper/internal/cache"
	"taper/internal/engine/cost"
	"taper/internal/engine/playground"
	"taper/internal/web/form"
)

// fit returns a cached fit, or computes it.
func (p *Playground) fit(ctx context.Context, m model, set playground.Setting, b *bench) (*timedFit, error) {
	j, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return kept(p, p.fits, b.key+string(j), func(f *timedFit) int { return f.fit.Bytes() }, func() (*timedFit, error) {
		p.running.Add(1)
		p.fitted.Add(1)
		defer p.running.Add(-1)
		start := time.Now()
		fit, err := playground.Train(ctx, b.sample, b.corruption, set)
		if err != nil {
			return nil, err
		}
		return &timedFit{fit: fit, ms: float64(time.Since(start).Microseconds()) / 1000}, nil
	})
}

// admit reserves the memory of all models of a state at once. Reserving it in two steps could deadlock: two
// requests that hold the memory of one model each would wait for each other.
func (p *Playground) admit(ctx context.Context, st state, b *bench, slots ...int) error {
	need, classes := int64(0), len(b.sample.Levels)
	for _, k := range slots {
		if set, err := st.Models[k].setting(classes, st.Seed); err == nil { // an invalid setting is reported elsewhere
			need += set.Memory(b.sample.X.Rows, b.sample.X.Cols, classes)
		}
	}
	_, err := cost.Hold(ctx, "This playground", need)
	return err
}

// kept returns a cached value, or makes it. Concurrent callers may both make it; they make the same.
func kept[T any](p *Playground, c *cache.Cache[T], key string, bytes func(T) int, make func() (T, error)) (T, error) {
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

// bench returns the points of a state with their noise, cached or new.
func (p *Playground) bench(ctx context.Context, st state) (*bench, error) {
	source, err := p.key(ctx, st)
	if err != nil {
		return nil, err
	}
	s, err := kept(p, p.samples, source, (*playground.Sample).Bytes, func() (*playground.Sample, error) {
		return p.sample(ctx, st)
	})
	if err != nil {
		return nil, err
	}
	key := source + "|" + st.Noise + "|" + form.Text(st.Rate) + "|" + form.Text(st.Rate0) + "|" + strconv.Quote(st.CX) +
		strconv.Quote(st.CY)
	b, err := kept(p, p.benches, key, (*bench).bytes, func() (*bench, error) { return newBench(ctx, s, st, key) })
	if err != nil || st.Frame == nil {
		return b, err
	}
	framed, f := *b, st.Frame
	framed.view.X, framed.view.Y = [2]float64{f[0], f[1]}, [2]float64{f[2], f[3]}
	return &framed, nil
}

// key identifies the points of a state before noise.
func (p *Playground) key(ctx context.Context, st state) (string, error) {
	of := struct {
		Data, Stamp, CX, CY, Outcome, Positive string
		Own                                    []playground.Point
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
		of.Stamp = p.Datasets.Stamp(d)
		of.N, of.All, of.Outcome, of.Positive = st.N, st.All, st.Outcome, st.Positive
		if !st.All {
			of.CX, of.CY = st.CX, st.CY
		}
	case st.Data == userPoints:
		of.Own = st.UserPoints
	default:
		of.N = st.N
	}
	j, err := json.Marshal(of)
	return string(j), err
}
