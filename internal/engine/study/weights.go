package study

import (
	"context"
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/cost"
	"taper/internal/engine/fit"
	"taper/internal/engine/stat"
	"taper/internal/engine/synth"
	"taper/internal/engine/usererr"
)

// WeightBins is the number of bins of a Weights.
const WeightBins = 20

// Weights are the weights of the training rows under a model of a grid at one rate of noise: ξ of
// t-logistic regression, scaled to a maximum of 1 (Ding and Vishwanathan 2010, section 4), otherwise the
// weight factor of the loss (docs/clinical.md, Label audit). Bins divide [0, 1] evenly.
type Weights struct {
	Model  string        `json:"model"`
	Noise  float64       `json:"noise"`
	Symbol string        `json:"symbol"` // ξ or g; "" where the loss leaves every row its weight
	Groups []WeightGroup `json:"groups"`
}

// WeightGroup counts rows of one kind by their weight.
type WeightGroup struct {
	Role    string   `json:"role,omitempty"` // only for Long and Servedio's rows
	Flipped bool     `json:"flipped"`
	N       int      `json:"n"`
	Median  *float64 `json:"median"`
	Counts  []int    `json:"counts,omitempty"`
}

// Weigh fits a model of a grid again, in one replicate at one rate, and counts its training rows by
// weight.
func Weigh(ctx context.Context, s Spec, data *Data, model, rate, replicate int) (Weights, error) {
	s = s.WithDefaults()
	if s.Preset != "" || model < 0 || model >= len(s.Models) || rate < 0 || rate >= len(s.Noise.Rates) {
		return Weights{}, usererr.New(usererr.NotFound, "The study has no such model or rate.")
	}
	if err := s.Validate(nil); err != nil {
		return Weights{}, err
	}
	g, err := newGrid(s, data)
	if err != nil {
		return Weights{}, err
	}
	if _, err := cost.Hold(ctx, "This chart", s.drawnMemory()); err != nil {
		return Weights{}, err
	}
	t, err := g.replicate(replicate)
	if err != nil {
		return Weights{}, err
	}
	w := Weights{Model: g.labels[model], Noise: s.Noise.Rates[rate]}
	if how := g.methods[model]; len(t.Levels) != 2 || how.Loss == nil || how.Spec.Kind == "kernel" {
		return w, nil
	}
	if _, err := cost.Hold(ctx, "This chart", g.unitMemory(t, g.methods[model])); err != nil {
		return w, err
	}
	trains, judges := Split(s.Seed, replicate, t.Y, s.Test)
	standard := s.Models[model].Standardize == nil || *s.Models[model].Standardize
	p, err := g.prepare(ctx, t, trains, judges, rate, replicate, standard)
	if err != nil {
		return w, err
	}
	m, _, err := g.fit(ctx, g.methods[model], p, 2, replicate)
	if err != nil {
		return w, fmt.Errorf("%s: %w", w.Model, err)
	}
	w.count(m, p.clean, p.Train, g.roles(t, trains))
	return w, nil
}

// count divides the rows into groups and bins. A row counts as flipped if noise changed its label or
// replaced its features.
func (w *Weights) count(m *fit.Model, clean, noisy Rows, roles []string) {
	value, out := make([]float64, len(noisy.Y)), make([]float64, m.Outputs())
	most := 0.0
	for i, y := range noisy.Y {
		m.Scores(out, noisy.X.Row(i))
		g, ok := m.Importance(y, out)
		if !ok {
			return
		}
		value[i], most = g, math.Max(most, g)
	}
	w.Symbol = "g"
	if m.Method.Family.Relative {
		w.Symbol = "ξ"
		for i := range value {
			value[i] /= most
		}
	}
	groups := map[weightKey][]float64{}
	var order []weightKey
	for i := range noisy.Y {
		k := weightKey{Flipped: noisy.Y[i] != clean.Y[i] || !slices.Equal(noisy.X.Row(i), clean.X.Row(i))}
		if roles != nil {
			k.Role = roles[i]
		}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], value[i])
	}
	slices.SortFunc(order, weightKey.compare)
	for _, k := range order {
		w.Groups = append(w.Groups, weightGroup(k, groups[k]))
	}
}

// weightKey identifies a group.
type weightKey struct {
	Role    string
	Flipped bool
}

func (k weightKey) compare(o weightKey) int {
	if k.Role != o.Role {
		return slices.Index(servedioRoles, k.Role) - slices.Index(servedioRoles, o.Role)
	}
	switch {
	case k.Flipped == o.Flipped:
		return 0
	case o.Flipped:
		return -1
	}
	return 1
}

func weightGroup(k weightKey, values []float64) WeightGroup {
	g := WeightGroup{Role: k.Role, Flipped: k.Flipped, N: len(values), Counts: make([]int, WeightBins)}
	for _, v := range values {
		g.Counts[stat.BinAt(v*WeightBins, WeightBins)]++
	}
	slices.Sort(values)
	g.Median = stat.Finite(Median(values))
	return g
}

// servedioRoles are the kinds of Long and Servedio's rows (docs/math.md, Datasets and noise).
var servedioRoles = []string{"large margin", "puller", "penalizer"}

// roles returns the kinds of the training rows, nil where rows have none.
func (g grid) roles(t Task, trains []int) []string {
	if g.spec.Dataset.Generator != "long-servedio" {
		return nil
	}
	all := Numeric(t.Table, "y", nil, "0", "1")
	roles := make([]string, len(trains))
	for i, k := range trains {
		row := t.Rows[k]
		roles[i] = servedioRoles[synth.LongServedioRole(all.X.Row(row), all.Y[row])]
	}
	return roles
}
