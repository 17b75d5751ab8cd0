package crossfit

import (
	"math"

	"taper/internal/engine/fit/linear"
)

// MostTrace is the number of points kept of a fit's iterations.
const MostTrace = 200

// Trace records the iterations of a fit. It keeps every k-th step of each start and doubles k
// when there are too many points; the last step is always kept.
type Trace struct {
	start  string
	stride int
	seen   int
	kept   []TracePoint
	last   *TracePoint
	best   []TracePoint // of the start with the lowest objective
	ended  map[string][]TracePoint
}

func (t *Trace) add(s linear.Step) {
	if s.Start != t.start {
		t.end()
		t.start = s.Start
	}
	if s.Stage != "" || math.IsInf(s.Objective, 0) || math.IsNaN(s.Objective) {
		return // a step of another loss, which only gave a start
	}
	p := TracePoint{Iteration: s.Iteration, Objective: s.Objective, Gap: s.Gap, GradientNorm: s.GradientNorm}
	if p.Gap != nil && !(*p.Gap <= math.MaxFloat64) {
		p.Gap = nil
	}
	t.stride = max(t.stride, 1)
	if t.last = &p; t.seen%t.stride == 0 {
		t.kept = append(t.kept, p)
	}
	if t.seen++; len(t.kept) >= MostTrace {
		for i := range MostTrace / 2 {
			t.kept[i] = t.kept[2*i]
		}
		t.kept, t.stride = t.kept[:MostTrace/2], 2*t.stride
	}
}

// end ends the current start.
func (t *Trace) end() {
	if t.last != nil {
		if at := len(t.kept) - 1; at < 0 || t.kept[at] != *t.last {
			t.kept = append(t.kept, *t.last)
		}
		lower := func(than []TracePoint) bool {
			return len(than) == 0 || t.last.Objective < than[len(than)-1].Objective
		}
		if lower(t.best) {
			t.best = t.kept
		}
		if t.ended == nil {
			t.ended = map[string][]TracePoint{}
		}
		if lower(t.ended[t.start]) {
			t.ended[t.start] = t.kept
		}
	}
	*t = Trace{best: t.best, ended: t.ended}
}

// Of returns the iterations of a start: starts that end within rounding of each other differ in which the fit kept.
// Of a name that is unknown it is those of the best start.
func (t *Trace) Of(start string) []TracePoint {
	best := t.Points()
	if t != nil && t.ended[start] != nil {
		return t.ended[start]
	}
	return best
}

// Points returns the iterations of the best start; nil for a nil trace.
func (t *Trace) Points() []TracePoint {
	if t == nil {
		return nil
	}
	t.end()
	return t.best
}

// TracePoint is one recorded iteration.
type TracePoint struct {
	Iteration    int      `json:"iteration"`
	Objective    float64  `json:"objective"`
	Gap          *float64 `json:"gap,omitempty"`
	GradientNorm *float64 `json:"gradient_norm,omitempty"`
}
