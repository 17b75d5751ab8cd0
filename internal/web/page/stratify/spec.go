package stratify

import (
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/runspec"
	"taper/internal/engine/synth"
	"taper/internal/engine/task"
	"taper/internal/store"
	"taper/internal/web/boundary"
	"taper/web/templates"
)

// Spec is the run of the state, with bands or with k classes. λ is chosen on the evaluation folds, which is fast
// and optimistic; a saved run chooses it inside each fold.
func (st State) Spec(k int) runspec.Spec {
	s := runspec.Spec{
		Dataset: st.Dataset.ID, Outcome: st.Outcome, ScoreOnly: st.ScoreOnly, Predictors: st.Predictors,
		Group: st.Group, Weights: st.Dataset.Choice.Weights, Seed: st.Seed, Noise: runspec.Noise(st.Noise),
		Validation: st.validation(),
	}
	if s.Predictors == nil && (st.Task == "" || st.Outcome == st.Dataset.Choice.Outcome) {
		s.Predictors = st.Dataset.Choice.Predictors
	}
	if st.Task != "" {
		st.classSpec(&s, k)
		return s.WithDefaults()
	}
	s.Task, s.Mode, s.Boundaries, s.Splines = "interval", st.Mode, st.Pi, st.Curves()
	s.Positive, s.Negative, s.Model = st.Positive, st.Negative, st.Method.spec(st.L2)
	if st.Tuned() {
		s.Model.Tuning = st.tuning()
	}
	return s.WithDefaults()
}

func (st State) classSpec(s *runspec.Spec, k int) {
	s.Task, s.Levels = st.Task, st.Levels
	s.Model = fit.Spec{Kind: "linear", Loss: st.Loss, L2: st.L2, Features: st.Features,
		Tuning: st.tuning(), Params: map[string]any{}}
	if st.Bins > 0 {
		s.Bins, s.Levels, s.ScoreOnly = &runspec.Bins{Count: st.Bins, By: st.BinsBy}, nil, nil
	}
	if st.Kind != "linear" {
		s.Model.Kind, s.Model.Kernel = "kernel", &fit.Kernel{Name: st.Kind, Gamma: fit.GammaCV}
	} else if !st.L2.Tuned() {
		s.Model.Tuning = ""
	}
	if p, priced := st.About().(task.PricedAbstention); priced {
		s.Price = new(st.Numbers[p.Price().Name])
	}
	for _, p := range st.lossParams() {
		switch p.Type {
		case loss.Number:
			s.Model.Params[p.Name] = st.Numbers[p.Name]
		case loss.ID:
			s.Model.Params[p.Name] = st.Base
		case loss.Matrix:
			s.Model.Params[p.Name] = st.CostsFor(k)
		}
	}
}

// Nested is the same run with λ chosen inside each fold, for saving. With a hold-out λ is chosen inside the training
// part already.
func Nested(s runspec.Spec) runspec.Spec {
	if s.Model.Tuning == runspec.TuningSame {
		s.Model.Tuning = ""
	}
	return s
}

// Model is the model of a state with bands, defaults included.
func (st State) Model() fit.Spec { return st.Method.spec(st.L2).WithDefaults("interval") }

// Tuned reports whether cross-validation chooses anything.
func (st State) Tuned() bool { return st.Model().Tuned() }

// spec is the method in the form of a run.
func (m Method) spec(l2 fit.L2) fit.Spec {
	if m.ID == "kernel" {
		return m.Kernel.spec(l2)
	}
	s := fit.Spec{Kind: "linear", Loss: m.lossID(), L2: l2}
	for _, param := range m.params() {
		if s.Params == nil {
			s.Params = map[string]any{}
		}
		s.Params[param.Name] = m.Numbers[param.Name]
	}
	if m.ID == "boost" {
		s.Kind, s.Rounds, s.Depth = "boost", m.Rounds, m.Depth
	}
	return s
}

func (k Kernel) spec(l2 fit.L2) fit.Spec {
	s := fit.Spec{Kind: "kernel", Loss: k.LossID(), L2: l2, Solver: k.Solver,
		Kernel: &fit.Kernel{Name: k.KernelName()}}
	if k.HasGamma() {
		s.Kernel.Gamma = fit.GammaCV
		if k.Gamma > 0 {
			s.Kernel.Gamma = k.Gamma
		}
	}
	if k.KernelName() == "poly" {
		s.Kernel.Degree = k.DegreeOf()
	}
	return s
}

// OfRun is the state that shows a run; false if the page cannot show it.
func OfRun(m runspec.Spec, d store.Dataset) (State, bool) {
	// The page shows labels as uploaded and has no splines for several classes.
	held := m.Validation == runspec.HoldOut() && (m.Model.Tuning == runspec.TuningSample || !m.Model.Tuned())
	if m.Review != nil && !m.Multiclass() || m.Multiclass() && len(m.Splines) > 0 ||
		m.Validation.Kind != "cv" && !held || m.Model.L2.Value > mostL2 {
		return State{}, false
	}
	st := State{Dataset: d, Outcome: m.Outcome, Group: m.Group, ScoreOnly: m.ScoreOnly, Predictors: m.Predictors,
		L2: m.Model.L2, Folds: m.Validation.Folds, Seed: m.Seed, Band: -1, Page: 1}
	if m.Noise.Kind != synth.NoiseNone {
		st.Noise = Noise(m.Noise)
	}
	if m.Multiclass() {
		return st, st.ofClasses(m)
	}
	if slices.Equal(st.Predictors, d.Choice.Predictors) {
		st.Predictors = nil
	}
	st.Positive, st.Negative, st.Splines, st.Mode, st.Pi = m.Positive, m.Negative, m.Splines, m.Mode, m.Boundaries
	method, shows := methodOf(m)
	st.Method = method
	return st, shows && len(m.Boundaries) <= boundary.Most
}

// ofClasses takes over the model of a multiclass run; false if the page cannot show it.
func (st *State) ofClasses(m runspec.Spec) bool {
	on := m.Model
	if on.Solver != "auto" || !*on.Standardize {
		return false
	}
	st.Task, st.Levels, st.Loss, st.Kind, st.BinsBy = m.Task, m.Levels, on.Loss, "linear", "length"
	st.Numbers = map[string]float64{}
	if m.Bins != nil {
		st.Bins, st.BinsBy = m.Bins.Count, m.Bins.By
	}
	if on.Kind == "kernel" {
		if on.Kernel == nil || on.Kernel.Name == "linear" || on.Kernel.Gamma != fit.GammaCV {
			return false
		}
		st.Kind = on.Kernel.Name
	}
	if st.Formed() {
		st.Features = on.Features
	}
	if p, priced := st.About().(task.PricedAbstention); priced {
		st.Numbers[p.Price().Name] = *m.WithDefaults().Price
	}
	family, _ := loss.FamilyByID(on.Loss)
	for _, p := range family.Params {
		switch v := on.Params[p.Name].(type) {
		case float64:
			st.Numbers[p.Name] = v
		case string:
			st.Base = v
		case []any:
			st.Costs = costsOf(v)
		}
	}
	return true
}

// costsOf converts a matrix decoded from JSON.
func costsOf(rows []any) [][]float64 {
	var all [][]float64
	for _, r := range rows {
		var row []float64
		cells, _ := r.([]any)
		for _, c := range cells {
			v, _ := c.(float64)
			row = append(row, v)
		}
		all = append(all, row)
	}
	return all
}

// methodOf is the method of a run; false if the page cannot show it.
func methodOf(s runspec.Spec) (Method, bool) {
	s = s.WithDefaults()
	m, on := plainMethod(), s.Model
	if on.Kernelled() {
		m.ID = "kernel"
		var ok bool
		m.Kernel, ok = kernelOf(on)
		return m, ok && *on.Standardize
	}
	m.ID = on.Loss
	if on.Kind == "boost" {
		m.ID, m.Rounds, m.Depth = "boost", on.Rounds, on.Depth
	}
	if !has(Methods, m.ID) || on.Solver != "auto" || !*on.Standardize ||
		on.Kind == "boost" && (on.ThetaRule != "half-log" || m.Rounds > mostRounds || m.Depth > mostDepth) {
		return m, false
	}
	family, _ := loss.FamilyByID(m.lossID())
	for _, param := range m.params() {
		key := param.Name
		v, given := on.Params[key].(float64)
		if !given {
			if on.Params[key] != nil {
				return m, false
			}
			v = family.Defaults().Number(key)
		}
		if m.refusal(key, v) != "" {
			return m, false
		}
		if m.Numbers == nil {
			m.Numbers = map[string]float64{}
		}
		m.Numbers[key] = v
	}
	return m, true
}

// kernelOf is the kernel of a run with defaults; false if the page cannot show it.
func kernelOf(on fit.Spec) (k Kernel, ok bool) {
	other := func(v, plain string) string {
		if v == plain {
			return ""
		}
		return v
	}
	k = Kernel{Loss: other(on.Loss, "interval"), Name: other(on.Kernel.Name, "rbf"), Solver: other(on.Solver, "auto")}
	k.Gamma, _ = on.Kernel.Gamma.(float64)
	if on.Kernel.Degree != 3 {
		k.Degree = on.Kernel.Degree
	}
	ok = has(KernelLosses, on.Loss) && has(KernelNames, on.Kernel.Name) &&
		(on.Solver == "auto" || on.Solver == "pegasos" && banded(on.Loss))
	return k, ok && len(on.Params) == 0 && k.Degree <= mostDegree && (k.Gamma == 0 || k.Gamma >= leastGamma &&
		k.Gamma <= mostGamma)
}

func has(options []templates.Option, value string) bool {
	return slices.ContainsFunc(options, func(o templates.Option) bool { return o.Value == value })
}
