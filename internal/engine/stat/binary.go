package stat

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Scores are the rows to evaluate with the predictions of a model.
type Scores struct {
	Event       []bool
	Score       []float64 // f; higher means a higher risk
	Probability []float64 // link-corrected P(event); nil for a model without probabilities
	Band        []int     // nil without boundaries
	Pi          []float64 // the boundaries of Band
	Cut         float64   // without Probability, an event is predicted where Score > Cut; 0 corresponds to a risk of ½
}

// Classification returns the metrics of a run. A row is predicted to have the event when its probability
// exceeds ½. For a model without probabilities (interval, hinge) its score must exceed Cut, whose zero value is
// the canonical cut-off δ = logit ½ (docs/math.md, Interval classification).
func Classification(s Scores) Binary {
	r := newScored(s)
	var b Binary
	for _, m := range Which(Statistic.InBinary) {
		if r.has(m.Needs) {
			b.set(m.ID, m.of(r))
		}
	}
	return b
}

// Known keeps the metrics of predictions that are evaluated for other boundaries again and again, as while a slider
// moves: of probabilities only some metrics depend on the boundaries, and the others, AUC and recalibration, take
// longest where the rows are many. The events and the predictions must stay the same. A nil Known keeps nothing.
type Known struct{ first atomic.Pointer[Binary] }

// Classification returns Classification(s).
func (k *Known) Classification(s Scores) Binary {
	if k == nil || s.Probability == nil { // a score is cut where the boundaries say
		return Classification(s)
	}
	was := k.first.Load()
	if was == nil {
		b := Classification(s)
		k.first.Store(&b)
		return b
	}
	r, b := newScored(s), *was
	for _, m := range Which(Statistic.InBinary) {
		if m.Needs&NeedBoundaries != 0 && r.has(m.Needs) {
			b.set(m.ID, m.of(r))
		}
	}
	return b
}

// Decided returns those metrics of Classification that compare predicted events with outcomes.
func Decided(s Scores) (b Binary) {
	r := newScored(s)
	for _, m := range Which(Statistic.InBinary) {
		if slices.Contains([]string{"accuracy", "balanced_accuracy", "sensitivity", "specificity"}, m.ID) {
			b.set(m.ID, m.of(r))
		}
	}
	return b
}

// check panics if slices over the same rows differ in length.
func (s Scores) check() {
	sameLength(len(s.Score), len(s.Event))
	if s.Probability != nil {
		sameLength(len(s.Probability), len(s.Event))
	}
	if s.Band != nil {
		sameLength(len(s.Band), len(s.Event))
	}
}

// Select returns the given rows, for a bootstrap sample or for the rows that two models share.
func (s Scores) Select(rows []int) Scores {
	s.Event, s.Score = at(s.Event, rows), at(s.Score, rows)
	s.Probability, s.Band = at(s.Probability, rows), at(s.Band, rows)
	return s
}

// has reports whether the rows have what a statistic needs of them. Needs that concern the model are left to
// the caller.
func (s Scores) has(n Need) bool {
	return (n&NeedProbability == 0 || s.Probability != nil) && (n&NeedBoundaries == 0 || s.Band != nil)
}

// positive reports whether row i is predicted to have the event.
func (s Scores) positive(i int) bool {
	if s.Probability != nil {
		return s.Probability[i] > 0.5
	}
	return s.Score[i] > s.Cut
}

// scored adds to the rows what several statistics share, computed once.
type scored struct {
	Scores
	recalibrated func() Recalibration
	curveErrors  func() [4]float64
	decided      func() decided
}

func newScored(s Scores) *scored {
	s.check()
	return &scored{Scores: s,
		recalibrated: sync.OnceValue(func() Recalibration { return Recalibrate(s.Probability, s.Event) }),
		curveErrors:  sync.OnceValue(func() [4]float64 { return CalibrationErrors(s.Probability, s.Event) }),
		decided:      sync.OnceValue(s.decide),
	}
}

// decided counts all rows and the correct predictions: index 0 for non-events, 1 for events.
type decided struct{ right, rows [2]float64 }

func (s Scores) decide() (d decided) {
	for i, event := range s.Event {
		k := 0
		if event {
			k = 1
		}
		d.rows[k]++
		if s.positive(i) == event {
			d.right[k]++
		}
	}
	return d
}

func (d decided) share(k int) float64 { return d.right[k] / d.rows[k] }

func (d decided) accuracy() float64 { return (d.right[0] + d.right[1]) / (d.rows[0] + d.rows[1]) }
