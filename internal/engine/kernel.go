package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
)

// kernelSolvers lists the solvers of a loss with a kernel.
func kernelSolvers(lossID string) []string {
	if fit.Polyhedral(lossID) {
		return []string{"auto", "smo", "pegasos"}
	}
	return []string{"auto", "lbfgs"}
}

// curved checks a kernel score of two classes: the loss as for a linear one,
// then the kernel.
func (f *fieldErrors) curved(s *Spec) {
	m := &s.Model
	if slices.Contains(fit.MarginLosses(), m.Loss) && !slices.Contains(fit.KernelLosses(), m.Loss) {
		f.add("model.loss", "%s has no kernel score: its prior belongs to single columns; take one of %s", m.Loss,
			strings.Join(fit.KernelLosses(), ", "))
		return
	}
	f.loss(s)
	k := multiclass.Kernel{Name: m.Kernel.Name, Degree: m.Kernel.Degree}
	switch g := m.Kernel.Gamma.(type) {
	case nil:
	case float64:
		if k.Gamma = g; !(g > 0) || math.IsInf(g, 1) {
			f.add("model.kernel.gamma", `must be a positive number or "cv" (got %v)`, g)
			return
		}
	default:
		if g != fit.GammaCV {
			f.add("model.kernel.gamma", `must be a positive number or "cv" (got %v)`, g)
		}
	}
	if e, ok := usererr.As(k.Check()); ok {
		for _, wrong := range e.Fields {
			f.add("model."+wrong.Field, "%s", wrong.Message)
		}
	}
}

// tunedWords names what tuning chooses.
func tunedWords(m ModelSpec) string {
	switch {
	case !m.GammaTuned():
		return "λ"
	case !m.L2.Tuned():
		return "γ"
	}
	return "λ and γ"
}

// kernelSummary says what the score of the final fit is a sum over.
func (j *eventRun) kernelSummary(e *fit.Expansion) *KernelSummary {
	k := &KernelSummary{Name: e.Kernel.Name, Rows: len(j.p.final.train()), Support: e.Rows.Rows, Landmarks: e.Landmarks,
		ExactUpTo: fit.ExactRows(j.how.Family.ID)}
	if k.Name != multiclass.KernelLinear {
		gamma := e.Kernel.Gamma
		k.Gamma = &gamma
	}
	if k.Name == multiclass.KernelPoly {
		k.Degree = e.Kernel.Degree
	}
	return k
}

// nystrom says that a kernel was approximated, "" where it was not.
func (k *KernelSummary) nystrom() string {
	if k == nil || k.Landmarks == 0 {
		return ""
	}
	return fmt.Sprintf("%s rows: Nyström with %s, exact up to %s rows of this loss.", phrase.Thousands(k.Rows),
		phrase.Plural(k.Landmarks, "landmark", "landmarks"), phrase.Thousands(k.ExactUpTo))
}

// mostTrace is the number of points kept of the way of a fit.
const mostTrace = 200

// tracing keeps the way of a fit, every so many steps of each start: twice as
// many whenever there are too many points. The last step is always kept.
type tracing struct {
	start  string
	stride int
	seen   int
	kept   []TracePoint
	last   *TracePoint
	best   []TracePoint // of the start that ended lowest
}

func (t *tracing) add(s linear.Step) {
	if s.Start != t.start {
		t.end()
		t.start = s.Start
	}
	if s.Stage != "" || math.IsInf(s.Objective, 0) || math.IsNaN(s.Objective) {
		return // another loss on the way there
	}
	p := TracePoint{Iteration: s.Iteration, Objective: s.Objective, Gap: s.Gap, GradientNorm: s.GradientNorm}
	if p.Gap != nil && !(*p.Gap <= math.MaxFloat64) {
		p.Gap = nil
	}
	t.stride = max(t.stride, 1)
	if t.last = &p; t.seen%t.stride == 0 {
		t.kept = append(t.kept, p)
	}
	if t.seen++; len(t.kept) >= mostTrace {
		for i := range mostTrace / 2 {
			t.kept[i] = t.kept[2*i]
		}
		t.kept, t.stride = t.kept[:mostTrace/2], 2*t.stride
	}
}

// end closes a start.
func (t *tracing) end() {
	if t.last != nil {
		if at := len(t.kept) - 1; at < 0 || t.kept[at] != *t.last {
			t.kept = append(t.kept, *t.last)
		}
		if n := len(t.best); n == 0 || t.last.Objective < t.best[n-1].Objective {
			t.best = t.kept
		}
	}
	*t = tracing{best: t.best}
}

// points returns the way of the best start; nil of nobody's.
func (t *tracing) points() []TracePoint {
	if t == nil {
		return nil
	}
	t.end()
	return t.best
}
