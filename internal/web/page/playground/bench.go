package playground

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"strconv"

	"taper/internal/engine/cost"
	"taper/internal/engine/playground"
	"taper/internal/engine/synth"
	"taper/internal/engine/usererr"
	"taper/internal/web/format"
)

// bench is a sample with its noise and its frame.
type bench struct {
	sample     *playground.Sample
	corruption *playground.Corruption
	view       playground.View
	x, y       []float64 // positions at which points are drawn
	spread     bool
	hash       string
	key        string
}

func newBench(ctx context.Context, s *playground.Sample, st state, key string) (*bench, error) {
	b := &bench{sample: s, key: key}
	noise := synth.Noise{Kind: st.Noise, Rate: st.Rate}
	if st.Noise == synth.NoiseClass {
		noise = synth.Noise{Kind: st.Noise, RatePositive: st.Rate, RateNegative: st.Rate0}
	}
	var err error
	if b.corruption, err = s.Corrupt(ctx, noise, st.Seed); err != nil {
		return nil, err
	}
	across, up, err := axesOf(s, st)
	if err != nil {
		return nil, err
	}
	b.view = s.View(across, up)
	b.x, b.y, b.spread = s.Places(b.corruption, b.view)
	j, err := json.Marshal(b.points())
	if err != nil {
		return nil, err
	}
	h := fnv.New64a()
	h.Write(j)
	b.hash = strconv.FormatUint(h.Sum64(), 36)
	return b, nil
}

// sample makes the points of a state, without noise.
func (p *Playground) sample(ctx context.Context, st state) (*playground.Sample, error) {
	switch {
	case st.Data == userPoints:
		return playground.SampleFromPoints(ctx, st.UserPoints, st.Test, st.Seed)
	case st.dataset() != "":
		return p.datasetSample(ctx, st)
	}
	if _, err := cost.Hold(ctx, "This sample", playground.GeneratedMemory(st.Data, st.N)); err != nil {
		return nil, err
	}
	return playground.GenerateSample(ctx, st.Data, st.N, st.Seed, st.Test)
}

// axesOf finds the two columns on the axes.
func axesOf(s *playground.Sample, st state) (across, up int, err error) {
	at := func(field, name string, otherwise int) int {
		if name == "" {
			return otherwise
		}
		for j, c := range s.Columns {
			if c == name {
				return j
			}
		}
		err = usererr.BadField(field, "must be a column of the points, not %q", format.Cut(name, 30))
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

// kind is the kind of methods that the classes allow.
func (b *bench) kind() kind {
	switch {
	case len(b.sample.Levels) == 2:
		return binary
	case b.sample.Ordered:
		return ordinal
	}
	return multi
}

func (b *bench) points() *pointSet {
	s := b.sample
	p := &pointSet{Hash: b.hash, X: b.x, Y: b.y, Class: s.Class, Given: b.corruption.Label,
		Flipped: b.corruption.Corrupted, Test: s.HeldOut, Role: s.Role, Classes: s.Levels, Roles: s.Roles,
		Spread: b.spread}
	if p.Test == nil {
		p.Test = make([]bool, len(s.Class))
	}
	return p
}

func (b *bench) bytes() int {
	return 8*len(b.corruption.X.Data) + 64*len(b.sample.Class)
}
