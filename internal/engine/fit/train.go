package fit

import (
	"context"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// Task says how many classes there are and how scores are read.
type Task struct {
	Classes    int
	Boundaries []float64 // of two classes, for bands; nil = ½
	// Passes fits a kernel score of two classes by the solvers of potentials, whose
	// passes the playground steps through. Without it the score is mostly a linear one
	// of features that span the Gram matrix, whose steps say nothing of the kernel: the
	// same optimum with other last digits.
	Passes bool
}

// Data is what a fit learns from.
type Data struct {
	X       linear.Matrix // a row each
	Label   []int         // of each row, from 0; of two classes 1 is the event
	Weights []float64     // of each row; nil = 1
}

// Options sets fits; the zero value is the default.
type Options struct {
	Quick    bool                  // one start alone: to rank settings, or for a page that refits while a slider moves
	Most     int                   // iterations of a fit of potentials, to look at one of them; 0 = the solver's own
	Gap      float64               // relative duality gap to certify, where there is one; 0 = 1e-6
	Gradient float64               // ‖∇‖∞ to reach, of smooth losses of one score; 0 = the solver's own
	Starts   Starts                // of linear scores of two classes
	Trace    func(linear.Step)     // called at each start and after each iteration, of potentials without W; nil = none
	Report   func(linear.Progress) // nil = silent
}

// Starts are where fits begin whose loss may have several minima. The zero value is all
// starts that suit the loss; along a path of λ it is zero for the first, which has but
// one minimum, and the fit before for every other.
type Starts struct {
	Only    []string // the kinds of linear.MarginOptions.Only, of a path for its first λ; nil = all that suit
	Random  int      // number of the random ones; 0 = 1
	Uniform float64  // half-width of U[−u, u], from which they come; 0 = N(0, 0.001²)
	Seed    uint64   // of them; 0 = the trainer's
	Given   *Model   // for "given"
}

// step reports how far a fit of one score got, 0 … 1.
func (o Options) step(fraction float64) {
	if o.Report != nil {
		o.Report(linear.Progress{Fraction: fraction})
	}
}

// Model is one fit of any method. Two classes that a single score parts have
// one output, positive for class 1; all others have a potential a class, or a
// distance above each threshold.
type Model struct {
	Method    Method
	Task      Task
	Fitted    *Fitted            // one score: linear or trees; nil for potentials
	Potential *multiclass.Fitted // potentials and kernels; nil for one score
	reading   loss.Interval      // boundaries with the cut-offs of the link
}

// Trainer is the one door to the solvers: a method made ready for a task. Making
// it tabulates the loss; calls of its methods may overlap.
type Trainer struct {
	method  Method
	task    Task
	seed    uint64
	reading loss.Interval
	learner learner // nil for potentials
}

// Trainer makes a method ready for a task; the seed is that of random starts.
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

// Method is what the trainer fits.
func (r Trainer) Method() Method { return r.method }

// Task is what it fits it for.
func (r Trainer) Task() Task { return r.task }

// Warm reports whether the fits of a path start from one another.
func (r Trainer) Warm() bool { return r.learner != nil }

// rankingGap is enough to rank settings of potentials: a smaller one changes next to no
// answer.
const rankingGap = 1e-3

// Ranking are the options of fits that only rank settings.
func (r Trainer) Ranking() Options {
	if r.Warm() {
		return Options{}
	}
	return Options{Quick: true, Gap: rankingGap}
}

// At is the trainer at the γ of a kernel; 0 leaves it as the method has it.
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

// Fit fits at one λ.
func (r Trainer) Fit(ctx context.Context, d Data, l2 float64, o Options) (*Model, error) {
	fits, err := r.Path(ctx, d, []float64{l2}, o)
	if err != nil {
		return nil, err
	}
	return fits[0], nil
}

// Path fits every λ, which descend. One score starts each fit from the one
// before, and ends those that only serve to choose λ early where its solver has a
// gap for that; potentials start each on its own.
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
		if r.task.Passes { // they are those of features or of a dual, which say nothing of the kernel
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

// byPotentials reports whether a fit goes to the solvers of potentials: losses of
// several classes, and kernel scores of two classes whose passes are counted, but for
// what the solvers of potentials do not have: the ramp loss, and SMO and PEGASOS as
// runs set them up.
func (m Method) byPotentials(t Task) bool {
	if m.Loss == nil || !m.Spec.Kernelled() || !t.Passes {
		return m.Loss == nil
	}
	_, ramp := m.Loss.(loss.Ramp)
	return !ramp && m.Spec.Solver != "smo" && m.Spec.Solver != multiclass.SolverPegasos
}

// Certificate is how a fit ended.
type Certificate struct {
	Objective    float64
	Gap          *float64 // relative duality gap; nil where no dual is known
	GradientNorm *float64 // ‖∇‖∞ of smooth losses
	Iterations   int
	Evaluations  int
	Stopped      string
	Starts       []linear.StartReport
}

// Certificate says how the fit ended.
func (m *Model) Certificate() Certificate {
	if f := m.Fitted; f != nil {
		return Certificate{f.Objective, f.Gap, f.GradientNorm, f.Iterations, f.Evaluations, f.Stopped, f.Starts}
	}
	f := m.Potential
	return Certificate{f.Objective, f.Gap, f.GradientNorm, f.Iterations, f.Evaluations, f.Stopped, f.Starts}
}

// Certified reports whether a fit reached its tolerance; trees have none to
// reach.
func (m *Model) Certified() bool {
	if f := m.Fitted; f != nil {
		return f.Trees != nil || m.Method.Spec.Given() ||
			f.Stopped == "gap" || f.Stopped == "gradient" || f.Stopped == "stationary"
	}
	return m.Method.Spec.Given() || m.Potential.Stopped == "gap" || m.Potential.Stopped == "gradient"
}

// Flat reports whether a fit of one score uses no predictor: it gives every row
// the same score.
func (m *Model) Flat() bool { return m.Fitted != nil && m.Fitted.flat() }

// Suits reports data with a number of classes that the loss cannot part.
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

// AtStep is the model as a step of its solver had it. The fit of another loss
// that came before is read by that loss's link.
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

// AtRound is a boosted model of its first trees alone.
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
	if m.Family.Kind == loss.KindPotential { // thresholds and two classes have a form of their own
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
		if how.MaxIter == 0 && s.Kernel == nil {
			how.MaxIter = quickPasses
		}
	}
	return multiclass.Fit(ctx, d.X, d.Label, d.Weights, s, how)
}

// What a quick fit of potentials certifies: a thousandth of the objective is
// less than a pixel of a surface.
const (
	quickGap  = 1e-3
	quickGrad = 1e-5

	quickPatience = 4   // sweeps of a linear score
	quickPasses   = 300 // then the fit shows where it stands, and says so
)

// signs are the labels of two classes as ±1.
func signs(y []int) []float64 {
	s := make([]float64, len(y))
	for i, c := range y {
		s[i] = float64(2*c - 1)
	}
	return s
}

// Single reports whether a single score parts two classes.
func (m *Model) Single() bool {
	return m.Fitted != nil || m.Potential.Model.Form == multiclass.FormSingle
}

// Outputs is the number of scores of a row.
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

// Decide names the class of a row's scores, loss.Abstain for none. Two classes
// are parted where their probabilities are equal.
func (m *Model) Decide(f []float64) int {
	switch {
	case m.Fitted == nil:
		return m.Potential.Model.Decide(f)
	case f[0] > m.Method.Link.Cut(0.5):
		return 1
	}
	return 0
}

// Band is the stratum of a single score: the number of boundaries below it.
func (m *Model) Band(f float64) int {
	band, _ := m.Method.Link.Band(m.reading, f)
	return band
}

// Cut is the single score at which the event has probability pi, or for a loss
// that recovers none, the canonical cut-off.
func (m *Model) Cut(pi float64) float64 { return m.Method.Link.Cut(pi) }

// Probabilities fills dst with the link-corrected probabilities of the classes;
// false for a loss that cannot tell them.
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

// Importance is the weight factor of a row of class y, false where the loss
// has none (docs/clinical.md, Label audit).
func (m *Model) Importance(y int, f []float64) (float64, bool) {
	if m.Single() && m.Method.Loss != nil {
		if g := m.Method.Weight(float64(2*y-1), f[0]); g != nil {
			return *g, true
		}
	}
	return 0, false
}
