package study

import (
	"taper/internal/engine/cost"
	"taper/internal/engine/parallel"
	"taper/internal/engine/prep"
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
