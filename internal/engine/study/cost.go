package study

import (
	"taper/internal/engine/cost"
	"taper/internal/engine/fit"
	"taper/internal/engine/parallel"
	"taper/internal/engine/prep"
	"taper/internal/engine/synth"
	"taper/internal/engine/tune"
)

// presetBytes bounds the memory of a unit of a preset on its own data. The largest, with the survey of
// Sypherd et al., takes half of it.
const presetBytes = 64 << 20

// gridMemory bounds the memory of the units of a grid on a task, with one unit per core: the generated
// table of a replicate, the designs of the clean and the noisy rows with and without standardisation,
// those of an inner fold, and a fit.
func (g grid) gridMemory(t Task) int64 {
	return int64(parallel.Cores()) * g.unitMemory(t, g.methods...)
}

// unitMemory bounds the memory of one unit with some of the models.
func (g grid) unitMemory(t Task, models ...fit.Method) int64 {
	shape := t.Table.Shape()
	rows, terms := shape.Rows, prep.MostTerms(shape, t.Predictors, nil)
	most := int64(0)
	for _, how := range models {
		work, model := how.Spec.Memory(rows, terms, len(t.Levels))
		most = max(most, work+20*model)
	}
	unit := most + cost.Of(8*6, rows, terms) + cost.Of(100, rows)
	if g.task == nil {
		unit += shape.Memory()
	}
	return unit
}

// PlanMemory bounds the memory of the plan of a spec without an uploaded table: its units, which list
// every number to compute, and the table that a grid generates to learn its columns. Invalid specs are
// left to NewPlan.
func PlanMemory(s Spec) int64 {
	if s = s.WithDefaults(); s.Preset != "" {
		return presetBytes
	}
	const key = 160 // bytes of a Key with its value
	units := min(cost.Of(s.Replicates, max(len(s.Noise.Rates), 1)), MaxUnits)
	return s.drawnMemory() + units*int64(100+2*key*len(s.Models))
}

// drawnMemory bounds the memory for generating the table; 0 for an upload.
func (s Spec) drawnMemory() int64 {
	need, _ := synth.Memory(s.Dataset.Generator, s.Dataset.Rows, s.Dataset.Params)
	return need
}

// gridWork estimates the work of the units of a grid: every model is tuned and fitted in each.
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

// A number of a preset needs at most one model, tuned over about forty settings by five folds. A preset's
// own data have a few thousand rows and few columns.
const (
	presetFits  = 200
	presetWorks = 2e9 // multiply-adds per number on the preset's own data: one or two seconds
)

// presetWork estimates the work of the units of a preset on its own data or on an upload.
func presetWork(p Plan, d *Data) (w cost.Work) {
	numbers := 0.0
	for _, u := range p.Units {
		numbers += float64(len(u.Keys))
	}
	w = cost.Work{Fits: numbers * presetFits, Total: numbers * presetWorks, Rows: 1, Terms: 1}
	if d != nil {
		plain := fit.Spec{Kind: "linear", Loss: "logistic"}
		w.Rows, w.Terms = d.Table.Rows, allTerms(d)
		w.Total = max(w.Total, w.Fits*plain.Work(w.Rows, w.Terms, 2))
	}
	return w
}

// allTerms bounds the number of terms of an uploaded table.
func allTerms(d *Data) int {
	shape, features := d.Table.Shape(), []string(nil)
	for _, c := range shape.Columns {
		features = append(features, c.Name)
	}
	return prep.MostTerms(shape, features, nil)
}

// uploadMemory bounds the memory of the units of a preset on an uploaded table.
func uploadMemory(d *Data) int64 {
	if d == nil {
		return int64(parallel.Cores()) * presetBytes
	}
	cells := cost.Of(8*10, d.Table.Rows, allTerms(d))
	return int64(parallel.Cores()) * (presetBytes + cells)
}
