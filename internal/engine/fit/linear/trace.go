package linear

import (
	"fmt"
	"slices"
)

// Step is a solver's point at an accepted iteration, for display. The receiver owns its slices. Iteration
// 0 is the starting point.
type Step struct {
	Start string `json:"start,omitempty"` // name of the start, as in StartReport
	// stage of a graduated start: "logistic", "softer 2 of 5"; "" = the loss itself
	Stage        string    `json:"stage,omitempty"`
	Phase        string    `json:"phase,omitempty"` // of convex multiplicative programming: "xi" or "theta"
	Iteration    int       `json:"iteration"`       // counted through all stages of a start
	W            []float64 `json:"w"`
	B            float64   `json:"b"`
	Objective    float64   `json:"objective"`               // of the current stage
	GradientNorm *float64  `json:"gradient_norm,omitempty"` // ‖∇‖∞ of that objective, for smooth losses
	Gap          *float64  `json:"gap,omitempty"`           // certified relative duality gap, where a dual is known
	LogXi        []float64 `json:"log_xi,omitempty"`        // of the rows; Π ξ = 1
	LogXiPrior   []float64 `json:"log_xi_prior,omitempty"`  // of the prior’s factors, one per column
}

// Phases of convex multiplicative programming.
const (
	PhaseXi    = "xi"
	PhaseTheta = "theta"
)

// tracer sends the steps of a search to Trace with the names of start and stage.
type tracer struct {
	to           func(Step)
	start, stage string
	before       int // iterations of the earlier stages
}

// Kinds of stages.
const (
	softer   = "softer"
	smoothed = "smoothed"
)

// begin is called at the first stage of a start.
func (t *tracer) begin(start string) { t.start, t.stage, t.before = start, "", 0 }

// enter names stage k of several of one kind. A kind with a single stage is the loss itself.
func (t *tracer) enter(kind string, k, of int) {
	t.stage = ""
	if of > 1 || kind == softer {
		t.stage = fmt.Sprintf("%s %d of %d", kind, k+1, of)
	}
}

// leave counts the iterations of a finished stage.
func (t *tracer) leave(fit *Linear) {
	if fit != nil {
		t.before += fit.Iterations
	}
}

// hook returns the function that a fit of the current stage must call; nil when there is no Trace.
func (t *tracer) hook() func(Step) {
	if t.to == nil {
		return nil
	}
	return func(s Step) {
		s.Start, s.Stage = t.start, t.stage
		s.Iteration += t.before
		t.to(s)
	}
}

// step returns the current point as a Step.
func (e *entropy) step(iteration int) Step {
	d, norm := len(e.theta)-1, MaxNorm(e.grad)
	return Step{Iteration: iteration, W: slices.Clone(e.theta[:d]), B: e.theta[d], Objective: e.value, GradientNorm: &norm}
}

// scaled returns the trace of a fit in other units: scores are multiplied by c, the objective by value.
// It is nil for nil.
func scaled(to func(Step), c, value float64) func(Step) {
	if to == nil {
		return nil
	}
	return func(s Step) {
		for j := range s.W {
			s.W[j] *= c
		}
		s.B *= c
		s.Objective *= value
		if s.GradientNorm != nil {
			*s.GradientNorm *= value / c
		}
		to(s)
	}
}
