package fit

import (
	"context"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// Task is what a fit must know of the outcome: the number of classes and the boundaries.
type Task struct {
	Classes    int
	Boundaries []float64 // for bands, with two classes; nil = ½
	// Passes fits a two-class kernel score by the solvers of potentials, so that the playground
	// can step through their passes. Otherwise it is mostly fitted as a linear score of
	// features that span the Gram matrix; the steps of that fit show no kernel expansion. The
	// optimum is the same up to the last digits.
	Passes bool
}

// Data is the training data of a fit.
type Data struct {
	X       linear.Matrix // one row per example
	Label   []int         // from 0; with two classes 1 is the event
	Weights []float64     // per row; nil = 1
}

// Options control a fit; the zero value is the default.
type Options struct {
	Quick    bool                  // one start: to rank settings, or for a page that refits while a slider moves
	Live     bool                  // with Quick, for such a page: other visits of potentials, to the same gap
	Most     int                   // most iterations, to inspect one fit of potentials; 0 = the default
	Keep     bool                  // of interval losses: what a fit with other boundaries needs as Starts.Given
	Gap      float64               // relative duality gap to certify, where a dual is known; 0 = 1e-6
	Gradient float64               // ‖∇‖∞ to reach, for smooth losses with one score; 0 = the solver's default
	Starts   Starts                // for linear scores of two classes
	Trace    func(linear.Step)     // called at each start and after each iteration; W is nil for potentials; nil = none
	Report   func(linear.Progress) // nil = silent
}

// Starts are the initial points of losses with several local minima. The zero value means every
// start that suits the loss. On a path of λ it means zero for the first λ, which has one
// minimum, and the preceding fit for each other.
type Starts struct {
	Only    []string // kinds as in linear.MarginOptions.Only; on a path, for its first λ; nil = all that suit
	Random  int      // number of random starts; 0 = 1
	Uniform float64  // half-width of U[−u, u] for random starts; 0 = N(0, 0.001²)
	Seed    uint64   // of the random starts; 0 = the trainer's
	Given   *Model   // for "given", and of interval losses the start of the first λ
}

// step reports the progress of a single-score fit, from 0 to 1.
func (o Options) step(fraction float64) {
	if o.Report != nil {
		o.Report(linear.Progress{Fraction: fraction})
	}
}

// Model is a fit of any method. Two classes with a single score have one output, positive for
// class 1. All others have several: a potential (score) per class, or a distance above each
// threshold.
type Model struct {
	Method    Method
	Task      Task
	Fitted    *Fitted            // single score; nil for potentials
	Potential *multiclass.Fitted // potentials or a kernel's; nil for a single score
	reading   loss.Interval      // boundaries, with the cut-offs of the link
}

// Trainer fits a method for a task; all fits of the program start here. Creating one tabulates
// the loss. Its methods are safe for concurrent use.
type Trainer struct {
	method  Method
	task    Task
	seed    uint64
	reading loss.Interval
	learner learner // nil for potentials
}

// Trainer prepares a method for a task. seed is used for random starts.
func (m Method) Trainer(t Task, seed uint64) (Trainer, error) {
	if m.Spec.Given() {
		return Trainer{}, m.Spec.notFitted()
	}
	if len(t.Boundaries) == 0 {
		t.Boundaries = []float64{0.5}
	}
	iv, err := loss.NewInterval(t.Boundaries)
	if err != nil {
		return Trainer{}, err
	}
	r := Trainer{method: m, task: t, seed: seed, reading: iv}
	r.reading.Delta = m.Link.Cuts(iv)
	if m.byPotentials(t) {
		return r, nil
	}
	if err := m.Suits(t.Classes); err != nil {
		return Trainer{}, err
	}
	r.learner = m.learner(iv, seed)
	return r, nil
}

// Method returns the method that the trainer fits.
func (r Trainer) Method() Method { return r.method }

// Task returns the task that the trainer was made for.
func (r Trainer) Task() Task { return r.task }

// Warm reports whether each fit on a path starts from the one before.
func (r Trainer) Warm() bool { return r.learner != nil }

// rankingGap is a gap small enough to rank settings of potentials; a smaller one changes hardly
// any predicted class.
const rankingGap = 1e-3

// Ranking returns options for fits that only rank settings.
func (r Trainer) Ranking() Options {
	if r.Warm() {
		return Options{}
	}
	return Options{Quick: true, Gap: rankingGap}
}

// At returns the trainer with the kernel's γ set; 0 leaves γ as it is.
func (r Trainer) At(gamma float64) Trainer {
	if gamma == 0 || !r.method.Spec.Kernelled() {
		return r
	}
	k := Kernel{Name: multiclass.KernelRBF}
	if r.method.Spec.Kernel != nil {
		k = *r.method.Spec.Kernel
	}
	k.Gamma = gamma
	r.method.Spec.Kernel = &k
	if open, ok := r.learner.(kernelled); ok {
		r.learner = open.at(gamma)
	}
	return r
}

// Fit fits at a single λ.
func (r Trainer) Fit(ctx context.Context, d Data, l2 float64, o Options) (*Model, error) {
	fits, err := r.Path(ctx, d, []float64{l2}, o)
	if err != nil {
		return nil, err
	}
	return fits[0], nil
}

// Path fits every λ; l2s are in descending order. Single-score fits start from the one before,
// and stop early on a path if the solver has a duality gap to stop by. Fits of potentials start
// independently.
func (r Trainer) Path(ctx context.Context, d Data, l2s []float64, o Options) ([]*Model, error) {
	all := make([]*Model, len(l2s))
	for i := range all {
		all[i] = &Model{Method: r.method, Task: r.task, reading: r.reading}
	}
	if r.learner == nil {
		for i, l2 := range l2s {
			var err error
			if all[i].Potential, err = r.method.potentials(ctx, d, r.task, l2, r.seed, o); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	if _, kernels := r.learner.(kernelled); kernels {
		o.Quick = false
		if r.task.Passes { // those would be steps of features or of a dual, not of the kernel expansion
			o.Trace = nil
		}
	}
	fits, err := r.learner.path(ctx, signed{X: d.X, Y: signs(d.Label), W: d.Weights}, l2s, o)
	if err != nil {
		return nil, err
	}
	for i, fit := range fits {
		all[i].Fitted = fit
	}
	return all, nil
}

// byPotentials reports whether the solvers of potentials do the fit: for losses of several
// classes, and for two-class kernel scores with Passes. They have no ramp loss, and no SMO or
// PEGASOS with the settings of runs; those stay with the two-class solvers.
func (m Method) byPotentials(t Task) bool {
	if m.Loss == nil || !m.Spec.Kernelled() || !t.Passes {
		return m.Loss == nil
	}
	_, ramp := m.Loss.(loss.Ramp)
	return !ramp && m.Spec.Solver != "smo" && m.Spec.Solver != multiclass.SolverPegasos
}

// Certificate says how a fit ended.
type Certificate struct {
	Objective    float64
	Gap          *float64 // relative duality gap; nil where no dual is known
	GradientNorm *float64 // ‖∇‖∞, for smooth losses
	Iterations   int
	Evaluations  int
	Stopped      string
	Starts       []linear.StartReport
}

// Certificate returns the certificate of the fit.
func (m *Model) Certificate() Certificate {
	if f := m.Fitted; f != nil {
		return Certificate{f.Objective, f.Gap, f.GradientNorm, f.Iterations, f.Evaluations, f.Stopped, f.Starts}
	}
	f := m.Potential
	return Certificate{f.Objective, f.Gap, f.GradientNorm, f.Iterations, f.Evaluations, f.Stopped, f.Starts}
}

// Certified reports whether the fit reached its tolerance. Trees have no tolerance and count as
// certified.
func (m *Model) Certified() bool {
	if f := m.Fitted; f != nil {
		return f.Trees != nil || m.Method.Spec.Given() ||
			f.Stopped == "gap" || f.Stopped == "gradient" || f.Stopped == "stationary"
	}
	return m.Method.Spec.Given() || m.Potential.Stopped == "gap" || m.Potential.Stopped == "gradient"
}

// Flat reports whether a single-score fit uses no predictor, that is, gives every row the same
// score.
func (m *Model) Flat() bool { return m.Fitted != nil && m.Fitted.flat() }

// Suits returns an error where the loss cannot handle this number of classes.
func (m Method) Suits(classes int) error {
	if m.Loss != nil && classes != 2 {
		return usererr.BadField("model.loss", "%s needs two classes, the data have %d", m.Title(), classes)
	}
	if f := m.Family; f.Classes != nil {
		if k := f.Classes(m.Values); k != classes {
			return usererr.BadField("model.params.matrix",
				"has %d columns, a column for each class, but the outcome has %d classes", k, classes)
		}
	}
	return nil
}

// AtStep returns the model as it was at a step of its solver. Steps of the logistic fit that
// gives a start are read by the logistic link.
func (m *Model) AtStep(s linear.Step) *Model {
	at := *m
	at.Fitted = &Fitted{Linear: &linear.Linear{W: s.W, B: s.B, Objective: s.Objective, GradientNorm: s.GradientNorm,
		Gap: s.Gap, Iterations: s.Iteration}}
	if s.Stage == "logistic" {
		at.Method.Link = Link{ID: LinkLogistic, Scale: 1}
		at.reading.Delta = at.Method.Link.Cuts(at.reading)
	}
	return &at
}

// AtRound returns a boosted model of the first rounds trees.
func (m *Model) AtRound(rounds int) *Model {
	at, trees := *m, *m.Fitted.Trees
	trees.Trees = trees.Trees[:rounds:rounds]
	certificate := *m.Fitted.Linear
	certificate.Iterations = rounds
	if rounds > 0 {
		trees.Objective = trees.Trees[rounds-1].Loss
	}
	certificate.Objective = trees.Objective
	at.Fitted = &Fitted{Linear: &certificate, Trees: &trees}
	return &at
}

func (m Method) potentials(ctx context.Context, d Data, t Task, l2 float64, seed uint64,
	o Options) (*multiclass.Fitted, error) {
	values := m.Values
	if m.Family.Kind == loss.KindInterval {
		values = loss.Values{"pi": {List: t.Boundaries}}
	}
	s := multiclass.Spec{Family: m.Family, Params: values, Classes: t.Classes, L2: l2}
	if m.Family.Kind == loss.KindPotential { // losses with thresholds and those of two classes have their own features
		s.Features = m.Spec.Features
	}
	if m.Spec.Kind == "kernel" && m.Spec.Kernel != nil {
		gamma, _ := m.Spec.Kernel.Gamma.(float64)
		s.Kernel = &multiclass.Kernel{Name: m.Spec.Kernel.Name, Gamma: gamma, Degree: m.Spec.Kernel.Degree}
	}
	how := multiclass.Options{Solver: m.solver(), MaxIter: o.Most, Gap: o.Gap, Seed: seed, Trace: o.Trace,
		Report: o.Report}
	if o.Quick {
		how.Single, how.Gap, how.GradTol, how.Patience = true, quickGap, quickGrad, quickPatience
		how.Brief = o.Live // not to rank settings, whose choices are stored
		if how.MaxIter == 0 && s.Kernel == nil {
			how.MaxIter = quickPasses
		}
	}
	return multiclass.Fit(ctx, d.X, d.Label, d.Weights, s, how)
}

// Tolerances of a quick fit of potentials: an error of a thousandth of the objective moves the
// drawn surface by less than a pixel.
const (
	quickGap  = 1e-3
	quickGrad = 1e-5

	quickPatience = 4   // sweeps without progress, for linear scores
	quickPasses   = 300 // then the fit stops and its certificate says so
)

// signs converts labels 0 and 1 to −1 and 1.
func signs(y []int) []float64 {
	s := make([]float64, len(y))
	for i, c := range y {
		s[i] = float64(2*c - 1)
	}
	return s
}

// Single reports whether a single score separates the two classes.
func (m *Model) Single() bool {
	return m.Fitted != nil || m.Potential.Model.Form == multiclass.FormSingle
}

// Outputs is the number of scores per row.
func (m *Model) Outputs() int {
	if m.Fitted != nil {
		return 1
	}
	return m.Potential.Model.Outputs()
}

// Scores fills dst with the scores of a row.
func (m *Model) Scores(dst, x []float64) {
	if m.Fitted != nil {
		dst[0] = m.Fitted.Score(x)
		return
	}
	m.Potential.Model.Potentials(dst, x)
}

// Decide returns the predicted class of a row's scores, or loss.Abstain. Two classes are
// separated where their probabilities are equal.
func (m *Model) Decide(f []float64) int {
	switch {
	case m.Fitted == nil:
		return m.Potential.Model.Decide(f)
	case f[0] > m.Method.Link.Cut(0.5):
		return 1
	}
	return 0
}

// Band is the stratum of a single score: the number of cut-offs below it.
func (m *Model) Band(f float64) int {
	band, _ := m.Method.Link.Band(m.reading, f)
	return band
}

// Cut is the score at which the event has probability pi, or the canonical cut-off for a loss
// without probability.
func (m *Model) Cut(pi float64) float64 { return m.Method.Link.Cut(pi) }

// Probabilities fills dst with the calibrated (link-inverted) class probabilities. It returns
// false for a loss without probability.
func (m *Model) Probabilities(dst, f []float64) bool {
	if !m.Single() {
		return m.Potential.Model.Probabilities(dst, f)
	}
	if !m.Method.Link.Has() {
		return false
	}
	dst[1] = m.Method.Link.Probability(f[0])
	dst[0] = 1 - dst[1]
	return true
}

// Importance is the weight factor of a row of class y at scores f. It returns false where the
// loss has none (docs/clinical.md, Label audit).
func (m *Model) Importance(y int, f []float64) (float64, bool) {
	if m.Single() && m.Method.Loss != nil {
		if g := m.Method.Weight(float64(2*y-1), f[0]); g != nil {
			return *g, true
		}
	}
	return 0, false
}
