package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"taper/internal/engine/loss"
)

// search fits one loss from several starting points.
type search struct {
	e       *entropy
	scale   *scaling
	l2      float64
	o       MarginOptions
	loss    loss.Margin
	total   int // number of starts
	reports []StartReport
	fits    []*Linear
	trace   tracer
}

// start is a named way to compute a starting point.
type start struct {
	kind, name string
	at         func() ([]float64, error)
}

// run fits from every start and returns the best fit, the first of equal ones.
func (s *search) run(stages []loss.Margin) (*Linear, []StartReport, error) {
	starts := s.starts()
	s.total = len(starts)
	best := -1
	for i, from := range starts {
		s.trace.begin(from.name)
		theta, err := from.at()
		if err != nil {
			return nil, nil, err
		}
		if s.e.pinned {
			theta[len(theta)-1] = 0
		}
		fit, err := s.through(stages, theta, smoothed)
		if err != nil {
			return nil, nil, err
		}
		if len(stages) > 1 {
			s.exact(fit)
		}
		s.fits = append(s.fits, fit)
		s.reports = append(s.reports, StartReport{Start: from.name, Objective: fit.Objective, GradientNorm: *fit.GradientNorm,
			Iterations: fit.Iterations, Evaluations: fit.Evaluations, Error: s.o.testError(fit), Stopped: fit.Stopped})
		if best < 0 || fit.Objective < s.reports[best].Objective-sameMinimum*math.Abs(s.reports[best].Objective) {
			best = i
		}
	}
	s.reports[best].Kept = true
	fit := s.fits[best]
	fit.Warnings = append(fit.Warnings, s.doubts(best)...)
	return fit, s.reports, nil
}

// sameMinimum is the relative difference of objectives below which two fits count as equal.
const sameMinimum = 1e-6

// doubts says what the starts reveal about local minima.
func (s *search) doubts(best int) []string {
	worse, worst := 0, best
	for i, r := range s.reports {
		if r.Objective > s.reports[best].Objective*(1+sameMinimum)+1e-12 {
			worse++
			if r.Objective > s.reports[worst].Objective {
				worst = i
			}
		}
	}
	if worse == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d initialisations ended at a worse minimum (from %s: objective %.6g, kept: "+
		"%.6g from %s), "+
		"so the objective has several minima and a better one than the kept may exist.",
		worse, len(s.reports), s.reports[worst].Start, s.reports[worst].Objective, s.reports[best].Objective,
		s.reports[best].Start)}
}

// starts lists the starts: those that Only names, otherwise all that suit the loss.
func (s *search) starts() []start {
	var ways []start
	for _, way := range s.all() {
		if len(s.o.Only) == 0 && (way.kind == "zero" || way.kind == "given" || !isConvex(s.loss)) ||
			slices.Contains(s.o.Only, way.kind) {
			ways = append(ways, way)
		}
	}
	if len(ways) == 0 {
		panic("linear: no start left")
	}
	return ways
}

func (s *search) all() []start {
	n := len(s.e.theta)
	ways := []start{{"zero", "zero", func() ([]float64, error) { return make([]float64, n), nil }},
		{"logistic", "logistic", s.logistic}}
	if len(s.o.Path) > 0 {
		ways = append(ways, start{"graduated", "graduated", s.graduated})
	}
	ways = append(ways, scattered(s.o.Random, s.o.Uniform, s.o.Seed, n)...)
	for k, g := range s.o.Given {
		if len(g.W) != n-1 {
			panic("linear: shape mismatch")
		}
		ways = append(ways, start{"given", fmt.Sprintf("given %d", k+1), func() ([]float64, error) { return g.pack(), nil }})
	}
	return ways
}

// scattered lists the random starts.
func scattered(count int, width float64, seed uint64, n int) []start {
	ways := make([]start, max(orElse(count, 1), 0))
	for k := range ways {
		ways[k] = start{"random", fmt.Sprintf("random %d", k+1), func() ([]float64, error) {
			return scatter(seed, k, n, width), nil
		}}
	}
	return ways
}

// logistic returns the fit of the logistic loss.
func (s *search) logistic() ([]float64, error) {
	s.e.other = nil
	s.trace.stage = "logistic"
	fit, err := s.fit(make([]float64, len(s.e.theta)))
	if err != nil {
		return nil, err
	}
	return fit.pack(), nil
}

// graduated starts from the logistic fit and continues through the softer losses.
func (s *search) graduated() ([]float64, error) {
	theta, err := s.logistic()
	if err != nil {
		return nil, err
	}
	fit, err := s.through(s.o.Path, theta, softer)
	if err != nil {
		return nil, err
	}
	return fit.pack(), nil
}

// through fits stages of one kind, each from the previous one. It returns the last fit, with the
// objective of the loss itself.
func (s *search) through(stages []loss.Margin, theta []float64, kind string) (*Linear, error) {
	var fit *Linear
	iterations, evaluations := 0, 0
	for k, l := range stages {
		s.trace.enter(kind, k, len(stages))
		s.e.other = newSurrogate(l, s.e.rows)
		s.e.l2, s.e.fresh = s.l2, false
		s.e.shrink(theta)
		next, err := s.fit(theta)
		if err != nil {
			return nil, err
		}
		fit, theta = next, next.pack()
		iterations += fit.Iterations
		evaluations += fit.Evaluations
	}
	fit.Iterations, fit.Evaluations = iterations, evaluations
	return fit, nil
}

// exact replaces the objective of a smoothed loss by that of the loss itself.
func (s *search) exact(fit *Linear) {
	s.e.other = newSurrogate(s.loss, s.e.rows)
	copy(s.e.theta, fit.pack())
	s.e.pass()
	fit.Objective = s.e.value
	s.e.fresh = false
}

const maxRestarts = 5

// fit runs L-BFGS, and restarts it where a line search failed as long as that helps: near a kink its
// stored gradients can be misleading.
func (s *search) fit(theta []float64) (*Linear, error) {
	o := LogisticOptions{GradTol: s.o.GradTol, MaxIter: s.o.MaxIter, Trace: s.trace.hook(), Report: s.report()}
	fit, err := s.e.fit(theta, s.l2, s.scale, o)
	s.trace.leave(fit)
	for range maxRestarts {
		if err != nil || fit.Stopped != "stalled" {
			break
		}
		var again *Linear
		again, err = s.e.fit(fit.pack(), s.l2, s.scale, o)
		s.trace.leave(again)
		if err != nil || !(again.Objective < fit.Objective) {
			break
		}
		again.Iterations += fit.Iterations
		again.Evaluations += fit.Evaluations
		fit = again
	}
	return fit, err
}

func (s *search) report() func(Progress) {
	if s.o.Report == nil {
		return nil
	}
	k := len(s.fits)
	return func(p Progress) {
		p.Fraction, p.Message = float64(k)/float64(s.total), fmt.Sprintf("Start %d of %d", k+1, s.total)
		s.o.Report(p)
	}
}

func orElse[T float64 | int](v, standard T) T {
	if v == 0 {
		return standard
	}
	return v
}

// MarginOptions are the settings of a fit of a margin loss; the zero value has the defaults. A page that
// cannot wait for all starts passes the fit of the neighbouring setting in Given and names "given" alone,
// or "zero".
type MarginOptions struct {
	NoIntercept bool          // fit f = W·x without an intercept
	Path        []loss.Margin // softer losses for the graduated start, convex first; nil = no graduated start
	Given       []*Linear     // additional starting points
	Only        []string      // starts to try: "zero", "logistic", "graduated", "random", "given"; nil = all
	// Random is the number of random starts; 0 = 1 for a loss that is not convex, negative = none. For a
	// convex loss they are only used if Only names them.
	Random    int
	Uniform   float64               // random starts come from U[−u, u]; 0 = N(0, 0.001²)
	Seed      uint64                // of the random starts
	TestError func(*Linear) float64 // an error of the fit to report for each start; nil = none
	GradTol   float64               // ‖∇‖∞ to reach; 0 = as in LogisticOptions
	MaxIter   int                   // L-BFGS iterations per start; 0 = 1,000
	Trace     func(Step)            // called at each start and after each iteration; nil = none
	Report    func(Progress)        // called once per iteration; nil = none
}

// StartReport says where one start of a fit led.
type StartReport struct {
	Start        string   `json:"start"` // "zero", "logistic", "graduated", "given 1", "random 1"
	Objective    float64  `json:"objective"`
	GradientNorm float64  `json:"gradient_norm"`
	Iterations   int      `json:"iterations"`
	Evaluations  int      `json:"evaluations"`
	Error        *float64 `json:"error,omitempty"` // as computed by TestError
	Stopped      string   `json:"stopped"`
	Kept         bool     `json:"kept"`
}

// randomSpread is the standard deviation of random starts (Amid et al. 2019, section 6). Ding and
// Vishwanathan (2010, Figure 5) draw them from U[−½, ½].
const randomSpread = 1e-3

// scatter returns random start k: uniform within ±width, or normal if width is 0.
func scatter(seed uint64, k, n int, width float64) []float64 {
	r := rand.New(rand.NewPCG(seed, uint64(k)))
	theta := make([]float64, n)
	for j := range theta {
		if width > 0 {
			theta[j] = width * (2*r.Float64() - 1)
		} else {
			theta[j] = randomSpread * r.NormFloat64()
		}
	}
	return theta
}

// testError returns the error to report for a fit, nil if none is asked for.
func (o MarginOptions) testError(fit *Linear) *float64 {
	if o.TestError == nil {
		return nil
	}
	e := o.TestError(fit)
	return &e
}

// pack returns a fit's weights and intercept in one slice.
func (l *Linear) pack() []float64 {
	return append(append(make([]float64, 0, len(l.W)+1), l.W...), l.B)
}

// shrink halves theta until the objective is finite, because some losses are infinite beyond a margin. At
// zero all are finite, so there no pass over the rows is needed.
func (e *entropy) shrink(theta []float64) {
	for range 1100 {
		if MaxNorm(theta) == 0 {
			return
		}
		copy(e.theta, theta)
		if e.pass(); !math.IsInf(e.value, 1) {
			return
		}
		for j := range theta {
			theta[j] /= 2
		}
	}
}
