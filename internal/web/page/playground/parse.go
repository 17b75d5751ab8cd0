package playground

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine/playground"
	"taper/internal/engine/synth"
	"taper/internal/engine/usererr"
	"taper/internal/web/form"
	"taper/internal/web/format"
)

// parse reads a query. What cannot be used takes its default and is among
// the problems, so that the page still shows itself. Keys of others are left
// to them.
func parse(q url.Values) (state, []usererr.Field) {
	q = form.Fractions(q)
	p := parser{form.Parser{Values: q}}
	data := q.Get("data")
	if data == "" {
		data = openingData
	}
	if data != ownPoints && !strings.HasPrefix(data, datasetPrefix) &&
		!slices.ContainsFunc(synth.Generators, func(g synth.Generator) bool { return g.ID == data }) {
		p.Fail("data", "must be a generator, dataset: with its id, or own, not "+strconv.Quote(format.Cut(data, 30)))
		data = openingData
	}
	st := newState(data)
	p.points(&st)
	p.noise(&st)
	st.Seed = uint64(p.Whole("seed", int(st.Seed), 0, 1e9))
	st.Present = q.Get("present") == "1"
	for k := range st.Models {
		st.Models[k] = p.model(slots[k], st.Models[k].Method)
		st.Models[k].Named = st.open() && q.Get(slots[k]+"method") == st.Models[k].Method
	}
	st.Brush = p.brush()
	st.Frame = p.frame()
	return st, p.Bad
}

// parser reads the keys of one query.
type parser struct{ form.Parser }

func (p *parser) points(st *state) {
	st.N = p.Whole("n", st.N, leastPoints, mostPoints)
	st.Test = p.Share("test", st.Test, .9)
	st.CX, st.CY = p.Values.Get("cx"), p.Values.Get("cy")
	st.All = p.Values.Get("use") == "all"
	st.Outcome, st.Positive = p.Values.Get("outcome"), p.Values.Get("positive")
	if st.Data == ownPoints && p.Values.Has("pts") {
		own, err := parsePoints(p.Values.Get("pts"))
		if err != nil {
			p.Fail("pts", strings.TrimPrefix(format.Detail(err), "pts "))
			return
		}
		st.Own = own
	}
}

// parsePoints reads points placed by hand: "x,y,class;x,y,class".
func parsePoints(text string) ([]playground.Point, error) {
	own := []playground.Point{}
	for i, item := range strings.Split(strings.Trim(text, "; "), ";") {
		parts := strings.Split(item, ",")
		if item == "" {
			continue
		}
		if len(parts) != 3 {
			return nil, usererr.BadField("pts", "must be x,y,class for each point, with ; between them (point %d is %q)", i+1,
				format.Cut(item, 20))
		}
		x, okX := form.ParseNumber(parts[0])
		y, okY := form.ParseNumber(parts[1])
		c, err := strconv.Atoi(strings.TrimSpace(parts[2]))
		if !okX || !okY || max(x, -x, y, -y) > 1e6 || err != nil || c < 0 || c > 4 {
			return nil, usererr.BadField("pts", "must hold numbers up to a million and classes from 0 to 4 (point %d is %q)", i+1,
				format.Cut(item, 20))
		}
		if own = append(own, playground.Point{X: x, Y: y, Class: c}); len(own) > mostOwn {
			return nil, usererr.BadField("pts", "must hold at most %d points", mostOwn)
		}
	}
	return own, nil
}

func (p *parser) noise(st *state) {
	st.Noise = p.OneOf("noise", st.Noise, synth.NoiseKinds)
	st.Rate = p.Share("rate", st.Rate, mostNoise)
	if st.Noise == synth.NoiseClass {
		st.Rate0 = p.Share("rate0", 0, mostNoise)
	}
}
