package runspec

import (
	"slices"
	"strings"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
	"taper/internal/engine/synth"
	"taper/internal/engine/task"
)

// classNoise lists the kinds of noise without an event: labels change to any other class with
// equal probability, or features are taken from a row of another class.
var classNoise = []string{synth.NoiseNone, synth.NoiseSymmetric, synth.NoiseRandom, synth.NoiseInstance}

// NoisesOf lists the kinds of noise of a task.
func NoisesOf(task string) []string {
	if (&Spec{Task: task}).Multiclass() {
		return classNoise
	}
	return synth.NoiseKinds
}

// classTask refuses fields that need an event.
func (f *fieldErrors) classTask(s *Spec) {
	for _, field := range []struct{ name, value string }{{"positive", s.Positive.String()},
		{"negative", s.Negative.String()}, {"mode", s.Mode}} {
		if field.value != "" {
			f.add(field.name, "belongs to tasks binary and interval: leave it out for task %s, whose classes are levels", s.Task)
		}
	}
	if len(s.Boundaries) > 0 {
		f.add("boundaries", "belong to tasks binary and interval: leave them out for task %s", s.Task)
	}
}

// classModel checks the multiclass model.
func (f *fieldErrors) classModel(s *Spec) {
	m := &s.Model
	if m.Kind != "linear" && m.Kind != "kernel" {
		f.add("model.kind", "must be linear or kernel for task %s (got %q)", s.Task, m.Kind)
		return
	}
	if known := s.ChosenTask().Losses(); !slices.Contains(known, m.Loss) {
		f.add("model.loss", "must be one of %s for task %s (got %q)", strings.Join(known, ", "), s.Task, m.Loss)
		return
	}
	if known := m.Solvers(); !slices.Contains(known, m.Solver) {
		f.add("model.solver", "must be %s for the %s loss (got %q)", strings.Join(known, " or "), m.Loss, m.Solver)
	}
	if _, err := fit.Parse(*m); err != nil {
		f.join(err)
	}
	f.features(s)
	f.classKernel(m)
}

// features checks which features the potentials of the classes use.
func (f *fieldErrors) features(s *Spec) {
	m := &s.Model
	family := m.Family()
	switch {
	case m.Features != "" && m.Features != multiclass.PerClass && m.Features != multiclass.Thresholds:
		f.add("model.features", "must be mc or th (got %q)", m.Features)
	case family.Kind == loss.KindThreshold && m.Features == multiclass.PerClass:
		f.add("model.features", "must be th for the %s loss, which has thresholds of its own", m.Loss)
	case family.Kind == loss.KindThreshold || m.Features != multiclass.Thresholds:
	case !s.ChosenTask().Ordered():
		f.add("model.features", "can be th only for task %s, whose classes have an order", tasksThat(task.Task.Ordered))
	case family.SumZero:
		f.add("model.features", "must be mc for the %s loss, whose potentials sum to 0", m.Loss)
	}
}

// classKernel checks the multiclass kernel.
func (f *fieldErrors) classKernel(m *fit.Spec) {
	if m.Kind != "kernel" {
		return
	}
	k := m.Kernel
	if k == nil {
		return // the default
	}
	if !slices.Contains([]string{multiclass.KernelLinear, multiclass.KernelRBF, multiclass.KernelPoly}, k.Name) {
		f.add("model.kernel.name", "must be linear, rbf or poly (got %q)", k.Name)
	}
	if gamma, tuned, ok := Gamma(*m); !ok || !tuned && !(gamma > 0 && gamma <= 1e6) {
		f.add("model.kernel.gamma", `must be a positive number of at most 1e6, or ‘cv’ (got %v)`, k.Gamma)
	}
	if k.Degree < 0 || k.Degree > 20 {
		f.add("model.kernel.degree", "must lie between 1 and 20 (got %d)", k.Degree)
	}
}

// Gamma reads a kernel's γ: a number, or tuned for "cv" or nothing. For a kernel without γ it
// returns 1, which that kernel ignores.
func Gamma(m fit.Spec) (gamma float64, tuned, ok bool) {
	if m.Kind != "kernel" || m.Kernel != nil && m.Kernel.Name == multiclass.KernelLinear {
		return 1, false, true
	}
	if m.Kernel == nil || m.Kernel.Gamma == nil || m.Kernel.Gamma == "cv" {
		return 0, true, true
	}
	gamma, ok = m.Kernel.Gamma.(float64)
	return gamma, false, ok
}
