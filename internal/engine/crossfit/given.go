package crossfit

import (
	"context"

	"taper/internal/engine/fit"
	"taper/internal/engine/parallel"
	"taper/internal/engine/resample"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
)

// Placed holds, by position, the bands of rows under cut-offs estimated without them.
type Placed struct {
	Band  []int
	Above []bool // an event is predicted
}

// Cuts are the estimated cut-offs of a given score: one per boundary of the spec and, last,
// that of the probability from which an event is predicted.
type Cuts struct {
	All  []stat.Cutoff
	Band []float64 // of the boundaries only
}

// Given assesses predictions that came with the data, which are the same in every fold. A score
// is cut in each fold by cut-offs estimated on the other folds, and for new rows by those of
// all rows.
func (p *Folds) Given(ctx context.Context, s *runspec.Spec, how fit.Method, cut float64) (*Assessment, *Cuts, error) {
	c := p.Cohort
	k := c.Outputs()
	of := func(rows []int) []float64 {
		f := make([]float64, 0, len(rows)*k)
		for _, row := range rows {
			f = append(f, c.Given[row*k:(row+1)*k]...)
		}
		return f
	}
	all := of(c.Rows)
	a := &Assessment{Flat: constant(all, k), Train: of(resample.Pick(c.Rows, p.Final.Train())), Extra: of(c.Extra)}
	for range p.Parts {
		a.Raw = append(a.Raw, all)
	}
	var err error
	if a.Final, err = how.NewGiven(fit.Task{Classes: c.Classes()}, a.Flat); err != nil || !s.Model.CutFromData() {
		return a, nil, err
	}
	cuts, err := p.cut(ctx, s, a, append(s.Boundaries[:len(s.Boundaries):len(s.Boundaries)], cut))
	return a, cuts, err
}

// constant reports whether all rows have the same k numbers.
func constant(f []float64, k int) bool {
	for i, v := range f {
		if v != f[i%k] {
			return false
		}
	}
	return true
}

// cut estimates the cut-offs from all rows, with intervals, and places the rows of every fold
// by those of the other folds.
func (p *Folds) cut(ctx context.Context, s *runspec.Spec, a *Assessment, pi []float64) (*Cuts, error) {
	cutter := func(at []int) stat.Cutter {
		score, event := make([]float64, len(at)), make([]bool, len(at))
		var weight []float64
		if p.Cohort.Weights != nil {
			weight = resample.Pick(p.Cohort.Weights, at)
		}
		for i, pos := range at {
			score[i], event[i] = p.Cohort.Given[p.Cohort.Rows[pos]], p.LabelOf(pos) > 0
		}
		return stat.NewCutter(score, event, weight)
	}
	at := p.Final.Train()
	draws := stat.PairedDraws(len(at), s.Seed)
	if g := p.Cohort.Group; g != nil {
		groups := stat.ResampleGroups(resample.Pick(g, at))
		draws.Resample = &groups
	}
	found := &Cuts{}
	var err error
	if found.All, err = cutter(at).Cutoffs(ctx, pi, draws); err != nil {
		return nil, err
	}
	for _, c := range found.All[:len(s.Boundaries)] {
		found.Band = append(found.Band, c.Value)
	}
	for _, parts := range p.Parts {
		placed := Placed{make([]int, len(p.Cohort.Rows)), make([]bool, len(p.Cohort.Rows))}
		err := parallel.ForEach(ctx, len(parts), 0, func(i int) error {
			own := cutter(parts[i].Train()).Cut(nil, pi)
			for _, pos := range parts[i].Test() {
				f := p.Cohort.Given[p.Cohort.Rows[pos]]
				for _, c := range own[:len(s.Boundaries)] {
					if c < f {
						placed.Band[pos]++
					}
				}
				placed.Above[pos] = f > own[len(s.Boundaries)]
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		a.Held = append(a.Held, placed)
	}
	return found, nil
}
