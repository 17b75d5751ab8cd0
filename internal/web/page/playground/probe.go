package playground

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"taper/internal/engine/playground"
	"taper/internal/engine/usererr"
	"taper/internal/viz"
	"taper/internal/web/form"
)

// Probe gives the predictions of both models at the point x, y of the query, by letter.
func (p *Playground) Probe(ctx context.Context, q url.Values) (map[string]string, error) {
	st, _ := parse(q)
	x, okX := form.ParseNumber(q.Get("x"))
	y, okY := form.ParseNumber(q.Get("y"))
	if !okX || !okY {
		return nil, usererr.BadField("x", "and y must be numbers")
	}
	leave, err := p.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	b, err := p.bench(ctx, st)
	if err != nil {
		return nil, err
	}
	st = new(Answer).suit(st, b)
	out := map[string]string{}
	for k := range st.Models {
		m, err := p.atFrame(ctx, st, k, b)
		if err != nil {
			return nil, err
		}
		if m.ok() {
			out[string(rune('a'+k))] = m.probeSentence(playground.Ask(m.fit, m.model, b.view, x, y))
		}
	}
	return out, nil
}

// probeSentence describes a prediction.
func (m *modelView) probeSentence(a playground.Answer) string {
	levels := m.fit.Sample.Levels
	var parts []string
	switch {
	case a.Class < 0:
		parts = append(parts, "no answer")
	case m.fit.HasBands(m.model):
		parts = append(parts, "band "+viz.BandNames(m.fit.Setting.Boundaries)[a.Band])
	default:
		parts = append(parts, "class "+levels[a.Class])
	}
	if len(a.Score) == 1 {
		parts = append(parts, "score "+viz.Short(a.Score[0], 3))
	}
	if a.Probability != nil {
		for c, p := range a.Probability {
			if len(levels) > 2 || c == 1 {
				parts = append(parts, fmt.Sprintf("P(%s) = %s", levels[c], viz.Number(p, 2)))
			}
		}
	}
	return strings.Join(parts, ", ")
}
