package crossfit

import (
	"math"

	"taper/internal/engine/fit/linear"
)

// MostTrace is the number of points kept of the way of a fit.
const MostTrace = 200

// Trace keeps the way of a fit, every so many steps of each start: twice as
// many whenever there are too many points. The last step is always kept.
type Trace struct {
	start  string
	stride int
	seen   int
	kept   []TracePoint
	last   *TracePoint
	best   []TracePoint // of the start that ended lowest
}

func (t *Trace) add(s linear.Step) {
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
	if t.seen++; len(t.kept) >= MostTrace {
		for i := range MostTrace / 2 {
			t.kept[i] = t.kept[2*i]
		}
		t.kept, t.stride = t.kept[:MostTrace/2], 2*t.stride
	}
}

// end closes a start.
func (t *Trace) end() {
	if t.last != nil {
		if at := len(t.kept) - 1; at < 0 || t.kept[at] != *t.last {
			t.kept = append(t.kept, *t.last)
		}
		if n := len(t.best); n == 0 || t.last.Objective < t.best[n-1].Objective {
			t.best = t.kept
		}
	}
	*t = Trace{best: t.best}
}

// Points returns the way of the best start; nil of nobody's.
func (t *Trace) Points() []TracePoint {
	if t == nil {
		return nil
	}
	t.end()
	return t.best
}

// TracePoint is a point on the way of a fit.
type TracePoint struct {
	Iteration    int      `json:"iteration"`
	Objective    float64  `json:"objective"`
	Gap          *float64 `json:"gap,omitempty"`
	GradientNorm *float64 `json:"gradient_norm,omitempty"`
}
