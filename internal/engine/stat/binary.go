package stat

import "sync"

// Scores are the rows to be evaluated and what a model says of each.
type Scores struct {
	Event       []bool
	Score       []float64 // f, higher means more likely an event
	Probability []float64 // link-corrected P(event); nil when the model has none
	Band        []int     // nil without boundaries
	Pi          []float64 // the boundaries of Band
	Cut         float64   // without Probability: an event is predicted when Score > Cut; 0 is logit ½
}

// Classification returns the metrics of a run. A row is predicted to be an
// event when its probability exceeds ½; for a model without probability
// (interval, hinge) when its score exceeds Cut, whose zero value is the
// canonical cut-off δ = logit ½ of docs/math.md §6.
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

// check panics on slices of unequal length.
func (s Scores) check() {
	sameLength(len(s.Score), len(s.Event))
	if s.Probability != nil {
		sameLength(len(s.Probability), len(s.Event))
	}
	if s.Band != nil {
		sameLength(len(s.Band), len(s.Event))
	}
}

// Select gathers rows, as a bootstrap draws them or a pair of models shares them.
func (s Scores) Select(rows []int) Scores {
	s.Event, s.Score = at(s.Event, rows), at(s.Score, rows)
	s.Probability, s.Band = at(s.Probability, rows), at(s.Band, rows)
	return s
}

// has reports whether the rows have what a statistic needs. What it needs of the
// model beyond its scores, the caller knows.
func (s Scores) has(n Need) bool {
	return (n&NeedProbability == 0 || s.Probability != nil) && (n&NeedBoundaries == 0 || s.Band != nil)
}

// positive reports whether row i is predicted to be an event.
func (s Scores) positive(i int) bool {
	if s.Probability != nil {
		return s.Probability[i] > 0.5
	}
	return s.Score[i] > s.Cut
}

// scored are rows with what several statistics share, worked out once.
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

// decided counts what is predicted right, of the other rows and of events.
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
