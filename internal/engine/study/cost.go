package study

import (
	"taper/internal/engine/cost"
	"taper/internal/engine/parallel"
	"taper/internal/engine/prep"
	"taper/internal/engine/tune"
)

// presetBytes bounds a unit of a preset on its own data: the largest, of Sypherd's survey, takes half
// of it.
const presetBytes = 64 << 20

// gridMemory is what the units of a grid take at most on the rows of a task, as many at a time as
// there are cores: a table where each replicate generates its own, the designs with and without
// standardisation, of the clean and of the noisy rows, those of an inner fold, and a fit.
func (g grid) gridMemory(t Task) int64 {
	shape := t.Table.Shape()
	rows, terms := shape.Rows, prep.MostTerms(shape, t.Predictors, nil)
	most := int64(0)
	for _, how := range g.methods {
		work, model := how.Spec.Memory(rows, terms, len(t.Levels))
		most = max(most, work+20*model)
	}
	unit := most + cost.Of(8*6, rows, terms) + cost.Of(100, rows)
	if g.task == nil {
		unit += shape.Memory()
	}
	return int64(parallel.Cores()) * unit
}

// gridWork is what the units of a grid take: every model is tuned and fitted in each.
func (g grid) gridWork(t Task) (w cost.Work) {
	shape := t.Table.Shape()
	w.Rows, w.Terms = shape.Rows, prep.MostTerms(shape, t.Predictors, nil)
	for _, how := range g.methods {
		fits := 1.0
		if m := how.Spec; m.Tuned() {
			fits += tuneFolds * float64(tune.Space{L2: m.L2.Tuned(), Gamma: m.GammaTuned()}.Search(true).Grid.Trials)
		}
		w.Fits += fits
		w.Total += fits * how.Spec.Work(w.Rows, w.Terms, len(t.Levels))
	}
	return w.Times(g.spec.Replicates * len(g.spec.Noise.Rates))
}

// uploadMemory is what the units of a preset take at most on an uploaded table.
func uploadMemory(d *Data) int64 {
	if d == nil {
		return int64(parallel.Cores()) * presetBytes
	}
	shape, features := d.Table.Shape(), []string(nil)
	for _, c := range shape.Columns {
		features = append(features, c.Name)
	}
	cells := cost.Of(8*10, shape.Rows, prep.MostTerms(shape, features, nil))
	return int64(parallel.Cores()) * (presetBytes + cells)
}
