package playground

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/resample"
	"taper/internal/engine/usererr"
)

// Setting is the model of one panel.
type Setting struct {
	Method     fit.Method
	Features   Features
	Boundaries []float64 // for the interval surrogate
	L2         float64
	Seed       uint64
}

// Suits returns an error if the method cannot handle this number of classes.
func (s Setting) Suits(classes int) error {
	if s.Method.Loss == nil || classes == 2 {
		return s.prescribed(classes)
	}
	return usererr.BadField("method", "%s needs two classes and these points have %d", s.Method.Title(), classes)
}

// prescribed checks the number of classes against parameters that fix it.
func (s Setting) prescribed(classes int) error {
	f := s.Method.Family
	if f.Classes == nil {
		return nil
	}
	if k := f.Classes(s.Method.Values); k != classes {
		return usererr.BadField("method", "%s has costs for %d classes and these points have %d", s.Method.Title(), k,
			classes)
	}
	return nil
}

// Frame is a step of a fit that the scrubber can show.
type Frame struct {
	Label     string   // "logistic start, iteration 3", "round 2, ξ-step", "20 trees"
	Kind      string   // "iteration", "xi", "theta", "round", "sweep"
	Objective *float64 // nil if unknown
	step      *linear.Step
	count     int // rounds of trees, iterations of potentials
}

// Kinds of frames.
const (
	FrameIteration = "iteration"
	FrameXi        = "xi"    // the ξ-step of convex multiplicative programming
	FrameTheta     = "theta" // its θ-step, with the ξ of the step before
	FrameRound     = "round" // of trees
	FramePass      = "pass"  // of a solver of potentials
)

// MaxFrames bounds the frames kept of a fit; longer fits are thinned evenly.
const MaxFrames = 240

// Fit is a model of the training points, with the frames of its fit.
type Fit struct {
	Setting    Setting
	Sample     *Sample
	Corruption *Corruption
	Model      *fit.Model // at the end of the fit
	Frames     []Frame    // the last is the end of the fit
	Mapper     Mapping

	rows []int // training rows
	x    linear.Matrix
	y    []int
	end  func() []float64 // scores of the training points at the end of the fit
}

// Mapping computes features from rows.
type Mapping interface {
	row(dst, x []float64)
	width() int
}

// Train fits a setting to the corrupted points. It stops when ctx ends.
func Train(ctx context.Context, s *Sample, o *Corruption, set Setting) (*Fit, error) {
	if err := set.Features.check(s.X.Cols); err != nil {
		return nil, err
	}
	if err := set.Suits(len(s.Levels)); err != nil {
		return nil, err
	}
	at := s.TrainingRows()
	m := newMapper(set.Features, s, at)
	f := &Fit{Setting: set, Sample: s, Corruption: o, Mapper: m, rows: at, x: m.rows(o.X, at),
		y: resample.Pick(o.Label, at)}
	if err := f.twoClasses(); err != nil {
		return nil, err
	}
	var steps recorder
	model, err := f.train(ctx, fit.Options{Quick: true, Live: true, Trace: steps.step, Report: steps.report})
	if err != nil {
		return nil, err
	}
	f.Model = model
	f.Frames = f.frames(&steps)
	f.end = sync.OnceValue(func() []float64 { return f.scores(f.Model) })
	return f, nil
}

// twoClasses refuses training labels of a single class, on which no classifier can be fitted.
func (f *Fit) twoClasses() error {
	for _, c := range f.y {
		if c != f.y[0] {
			return nil
		}
	}
	return usererr.BadField("rate", "leaves only one class among the training points: lower it")
}

func (f *Fit) task() fit.Task {
	return fit.Task{Classes: len(f.Sample.Levels), Boundaries: f.Setting.Boundaries, Passes: true}
}

func (f *Fit) train(ctx context.Context, o fit.Options) (*fit.Model, error) {
	l, err := f.Setting.Method.Trainer(f.task(), f.Setting.Seed)
	if err != nil {
		return nil, err
	}
	return l.Fit(ctx, fit.Data{X: f.x, Label: f.y}, f.Setting.L2, o)
}

// recorder keeps the steps of a fit. Whenever it has more than twice MaxFrames it drops every
// other one.
type recorder struct {
	steps   []linear.Step
	seen    int
	every   int
	reports map[int]float64 // objective by iteration
}

func (r *recorder) step(s linear.Step) {
	r.every = max(r.every, 1)
	if r.seen++; (r.seen-1)%r.every != 0 {
		return
	}
	s.LogXi, s.LogXiPrior = nil, nil // as long as the sample, and recomputed from the step before
	if r.steps = append(r.steps, s); len(r.steps) < 2*MaxFrames || s.Phase != "" {
		return
	}
	kept := r.steps[:0]
	for k := 0; k < len(r.steps); k += 2 {
		kept = append(kept, r.steps[k])
	}
	r.steps = kept
	r.every *= 2
}

func (r *recorder) report(p linear.Progress) {
	if p.Iteration > 0 {
		if r.reports == nil {
			r.reports = map[int]float64{}
		}
		if len(r.reports) < 20_000 {
			r.reports[p.Iteration] = p.Objective
		}
	}
}

// frames lists the frames of a finished fit.
func (f *Fit) frames(r *recorder) []Frame {
	switch {
	case f.Model.Potential != nil:
		return passes(f.Model.Potential.Iterations, f.Model.Potential.Objective, r)
	case f.Model.Fitted.Trees != nil:
		return rounds(f.Model)
	}
	var all []Frame
	for i := range r.steps {
		s := &r.steps[i]
		all = append(all, Frame{Label: stepLabel(s), Kind: frameKind(s.Phase), Objective: &s.Objective, step: s})
	}
	end := linear.Step{W: f.Model.Fitted.W, B: f.Model.Fitted.B, Objective: f.Model.Fitted.Objective,
		Iteration: f.Model.Fitted.Iterations}
	if n := len(all); n == 0 || all[n-1].step.B != end.B || !slices.Equal(all[n-1].step.W, end.W) {
		all = append(all, Frame{Label: "the fit", Kind: FrameIteration, Objective: &end.Objective, step: &end})
	}
	return thin(all)
}

// thin selects MaxFrames frames, including the first and the last.
func thin(all []Frame) []Frame {
	if len(all) <= MaxFrames {
		return all
	}
	kept := make([]Frame, MaxFrames)
	for k := range kept {
		kept[k] = all[k*(len(all)-1)/(MaxFrames-1)]
	}
	return kept
}

func frameKind(phase string) string {
	switch phase {
	case linear.PhaseXi:
		return FrameXi
	case linear.PhaseTheta:
		return FrameTheta
	}
	return FrameIteration
}

func stepLabel(s *linear.Step) string {
	switch {
	case s.Phase == linear.PhaseXi:
		return fmt.Sprintf("round %d, ξ-step: weights of the points", s.Iteration)
	case s.Phase == linear.PhaseTheta:
		return fmt.Sprintf("round %d, θ-step: the model under these weights", s.Iteration)
	case s.Stage == "logistic":
		return fmt.Sprintf("logistic start, iteration %d", s.Iteration)
	case s.Stage != "":
		return fmt.Sprintf("%s, iteration %d", s.Stage, s.Iteration)
	}
	return fmt.Sprintf("iteration %d", s.Iteration)
}

// rounds are the frames of a boosted model, from no tree on.
func rounds(m *fit.Model) []Frame {
	trees := m.Fitted.Trees.Trees
	all := []Frame{{Label: "no tree", Kind: FrameRound}}
	for k := range trees {
		label := fmt.Sprintf("%d trees", k+1)
		if k == 0 {
			label = "1 tree"
		}
		all = append(all, Frame{Label: label, Kind: FrameRound, Objective: &trees[k].Loss, count: k + 1})
	}
	return thin(all)
}

// passes are the frames of a solver of potentials, from its first iteration.
func passes(n int, objective float64, r *recorder) []Frame {
	n = max(n, 1)
	keep := min(n, MaxFrames)
	all := make([]Frame, keep)
	for k := range all {
		at := n
		if keep > 1 {
			at = 1 + k*(n-1)/(keep-1)
		}
		all[k] = Frame{Label: fmt.Sprintf("pass %d", at), Kind: FramePass, count: at}
		if v, ok := r.reports[at]; ok {
			all[k].Objective = &v
		}
	}
	all[keep-1].Objective = &objective
	return all
}

// Place clips a frame number: negative ones and those beyond the last mean the last frame.
func (f *Fit) Place(frame int) int {
	if frame < 0 || frame >= len(f.Frames) {
		return len(f.Frames) - 1
	}
	return frame
}

// ModelAt is the model at a frame. Potentials are fitted again, with so many iterations.
func (f *Fit) ModelAt(ctx context.Context, frame int) (*fit.Model, error) {
	frame = f.Place(frame)
	if frame == len(f.Frames)-1 {
		return f.Model, nil
	}
	switch now := f.Frames[frame]; {
	case now.step != nil:
		return f.Model.AtStep(*now.step), nil
	case f.Model.Potential != nil:
		return f.train(ctx, fit.Options{Quick: true, Live: true, Most: now.count})
	default:
		return f.Model.AtRound(now.count), nil
	}
}

// weighing is the model whose scores determine the ξ in use at a frame: after a θ-step that of
// the step before.
func (f *Fit) weighing(frame int, at *fit.Model) *fit.Model {
	if f.Frames[frame].Kind != FrameTheta {
		return at
	}
	for frame--; frame >= 0; frame-- {
		if f.Frames[frame].Kind == FrameXi {
			return f.Model.AtStep(*f.Frames[frame].step)
		}
	}
	return at
}

// Warnings are the warnings of the fit.
func (f *Fit) Warnings() []string {
	if f.Model.Potential != nil {
		return f.Model.Potential.Warnings
	}
	if f.Model.Fitted.Trees != nil {
		return f.Model.Fitted.Trees.Warnings
	}
	return f.Model.Fitted.Warnings
}

// Iterations is the number of iterations of the solver, or of trees.
func (f *Fit) Iterations() int {
	if f.Model.Potential != nil {
		return f.Model.Potential.Iterations
	}
	return f.Model.Fitted.Iterations
}

// abstains reports whether the method may abstain.
func abstains(m *fit.Model) bool {
	return m.Method.Family.Abstains
}

// Steps is the number of steps of the scrubber, including those of a logistic start.
func (f *Fit) Steps() int {
	n := f.Iterations()
	for _, frame := range f.Frames {
		if frame.step != nil {
			n = max(n, frame.step.Iteration)
		}
	}
	return n
}
