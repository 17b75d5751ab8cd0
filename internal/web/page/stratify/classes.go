package stratify

import (
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/web/form"
)

// classField sets the keys of multiclass tasks. A loss, kernel or form that only another task has is dropped
// without an error, since it remains from a change of the task.
func (st *State) classField(f *form.Field) {
	among := func(to *string, known ...string) {
		f.Read = form.ReadOne(func(text string) error {
			if slices.Contains(known, text) {
				*to = text
			}
			return nil
		})
	}
	switch f.Key {
	case "bins":
		f.Absent = !st.About().Ordered()
		f.Min, f.Max = 2, table.MaxLevels
		f.Problem = func(text string) string {
			return "Classes of a number are 2 to 50, not " + form.Quoted(text) + "."
		}
	case "by":
		f.Absent = st.Bins == 0
		among(&st.BinsBy, "length", "frequency")
	case "method":
		if known := st.About().Losses(); st.Task != "" {
			f.Default = known[:1]
			among(&st.Loss, known...)
		}
	case "kind":
		among(&st.Kind, "linear", "rbf", "poly")
	case "features":
		f.Absent = !st.Formed()
		among(&st.Features, "th", "mc")
	}
}

// About is the multiclass task.
func (st *State) About() task.Task { return task.Of(st.Task) }

// Formed reports whether the potentials can have either form.
func (st *State) Formed() bool {
	family, _ := loss.FamilyByID(st.Loss)
	return st.About().Ordered() && family.Kind == loss.KindPotential && !family.SumZero
}

// Params are the parameters of the task and of its loss.
func (st *State) Params() []loss.Param {
	if p, priced := st.About().(task.PricedAbstention); priced {
		return append([]loss.Param{p.Price()}, st.lossParams()...)
	}
	return st.lossParams()
}

// lossParams are the parameters of the loss; a task with costs builds the cost matrix from them.
func (st *State) lossParams() []loss.Param {
	family, _ := loss.FamilyByID(st.Loss)
	return slices.DeleteFunc(slices.Clone(family.Params), func(p loss.Param) bool {
		return p.Type == loss.Matrix && task.HasPrice(st.About())
	})
}

// Fields are the parameters of a task of classes and of its loss.
func (st *State) Fields() (all []form.Field) {
	if st.Task == "" {
		return nil
	}
	if st.Numbers == nil {
		st.Numbers = map[string]float64{}
	}
	for _, param := range st.Params() {
		f := form.Field{Key: param.Name}
		switch param.Type {
		case loss.Number:
			f.Default = []string{form.Text(param.Default.Number)}
			f.Read = func(texts []string) error { return st.readNumber(param, texts) }
			f.Write = func() []string {
				v, ok := st.Numbers[param.Name]
				if !ok {
					return f.Default
				}
				return []string{form.Text(v)}
			}
		case loss.ID:
			f.Default = []string{param.Default.ID}
			f.Read = form.ReadOne(func(id string) error {
				if slices.Contains(param.Options, id) {
					st.Base = id
				}
				return nil
			})
			f.Write = func() []string { return []string{st.Base} }
		case loss.Matrix:
			f.Key, f.List, f.Read, f.Write = "cost", true, st.readCosts, st.costTexts
		default:
			continue
		}
		all = append(all, f)
	}
	return all
}

func (st *State) readNumber(param loss.Param, texts []string) error {
	x, err := numberOf(param, texts)
	if err == nil {
		st.Numbers[param.Name] = x
	}
	return err
}

// readCosts reads the cells of the cost matrix, row by row. It has as many rows as columns, or one more for
// abstention; other sizes belong to another number of classes.
func (st *State) readCosts(texts []string) error {
	k := 0
	for n := 2; n <= MostCosts; n++ {
		rows := n
		if st.About().Abstains() {
			rows++
		}
		if rows*n == len(texts) {
			k = n
		}
	}
	if k == 0 {
		return nil
	}
	var all [][]float64
	for i, text := range texts {
		v, ok := form.ParseNumber(text)
		if !ok {
			return form.ReadError("Every cost must be a number, not " + form.Quoted(text) +
				". Using 1 for each wrong answer.")
		}
		if i%k == 0 {
			all = append(all, nil)
		}
		all[i/k] = append(all[i/k], v)
	}
	st.Costs = all
	return nil
}

func (st *State) costTexts() (all []string) {
	for _, row := range st.Costs {
		for _, v := range row {
			all = append(all, form.Text(v))
		}
	}
	return all
}

// MostCosts is the largest number of classes for which the page shows the cost matrix.
const MostCosts = 8

// CostsFor is the cost matrix for k classes: the given one, or that of the task.
func (st *State) CostsFor(k int) [][]float64 {
	if len(st.Costs) > 0 && len(st.Costs[0]) == k {
		return st.Costs
	}
	return st.About().Cost(fit.Method{}, k, loss.Interval{})
}
