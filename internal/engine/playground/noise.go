package playground

import (
	"context"
	"fmt"
	"math"
	"sync"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/internal/engine/resample"
	"taper/internal/engine/synth"
	"taper/internal/engine/usererr"
)

// Corruption is the result of noise on the training points.
type Corruption struct {
	Corrupted     []bool        // per point; false where held out
	Label         []int         // the training label of each point
	X             linear.Matrix // the training features
	Count         int
	TrainingCount int
}

// cleanL2 is the λ of the model of clean points whose margins order margin noise.
const cleanL2 = 1e-4

// Corrupt applies noise to the training points. With two classes a flipped label becomes the
// other class; with more, a class drawn once for each point, the same at every rate.
func (s *Sample) Corrupt(ctx context.Context, n synth.Noise, seed uint64) (*Corruption, error) {
	out := &Corruption{Corrupted: make([]bool, len(s.Class)), Label: append([]int(nil), s.Class...), X: s.X}
	at := s.TrainingRows()
	out.TrainingCount = len(at)
	if n.Kind == synth.NoiseNone || n.Kind == "" {
		return out, nil
	}
	if n.Kind == synth.NoiseClass && len(s.Levels) != 2 {
		return nil, usererr.BadField("noise", "by class needs two classes and these points have %d: choose another kind",
			len(s.Levels))
	}
	rng := source(seed, forNoise)
	order, donor := make([]float64, len(s.Class)), make([]float64, len(s.Class))
	for i := range order {
		order[i], donor[i] = rng.Float64(), rng.Float64()
	}
	var margin []float64
	if n.ByMargin() {
		var err error
		if margin, err = s.margins.of(func() ([]float64, error) { return s.cleanMargins(ctx, at) }); err != nil {
			return nil, err
		}
	}
	positive, turn := make([]bool, len(at)), make([]float64, len(at))
	for k, i := range at {
		positive[k], turn[k] = s.Class[i] == len(s.Levels)-1, order[i]
	}
	for k, is := range n.Rows(turn, positive, margin) {
		if is {
			out.Corrupted[at[k]] = true
			out.Count++
		}
	}
	if n.Replaces() {
		s.replace(out, at, donor)
	} else {
		out.flip(len(s.Levels), donor)
	}
	return out, nil
}

// flip changes the class of the corrupted points, to the same one as in a run.
func (o *Corruption) flip(classes int, donor []float64) {
	for i, is := range o.Corrupted {
		if is {
			o.Label[i] = synth.OtherClass(o.Label[i], classes, donor[i])
		}
	}
}

// replace gives corrupted points the features of a training point of another class.
func (s *Sample) replace(o *Corruption, at []int, donor []float64) {
	others := make([][]int, len(s.Levels))
	for c := range others {
		for _, i := range at {
			if s.Class[i] != c {
				others[c] = append(others[c], i)
			}
		}
	}
	o.X = linear.Matrix{Rows: s.X.Rows, Cols: s.X.Cols, Data: append([]float64(nil), s.X.Data...)}
	for i, is := range o.Corrupted {
		if from := others[s.Class[i]]; is && len(from) > 0 {
			copy(o.X.Row(i), s.X.Row(from[int(donor[i]*float64(len(from)))]))
		}
	}
}

// cleanMargins fits a model to the clean training points and returns the margin of each.
func (s *Sample) cleanMargins(ctx context.Context, at []int) ([]float64, error) {
	m := newMapper(Features{Kind: Linear}, s, at)
	x, y := m.rows(s.X, at), resample.Pick(s.Class, at)
	id := "logistic"
	if len(s.Levels) > 2 {
		id = "softmax"
	}
	how, err := fit.Parse(fit.Spec{Kind: "linear", Loss: id})
	if err != nil {
		return nil, err
	}
	l, err := how.Trainer(fit.Task{Classes: len(s.Levels)}, 0)
	if err != nil {
		return nil, err
	}
	fit, err := l.Fit(ctx, fit.Data{X: x, Label: y}, cleanL2, fit.Options{})
	if err != nil {
		return nil, fmt.Errorf("fit clean points: %w", err)
	}
	margin, f := make([]float64, len(at)), make([]float64, fit.Outputs())
	for k := range at {
		fit.Scores(f, x.Row(k))
		margin[k] = lead(fit, f, y[k])
	}
	return margin, nil
}

// memo computes a value once; after an error it is computed again.
type memo struct {
	mu   sync.Mutex
	made []float64
}

func (m *memo) of(make func() ([]float64, error)) ([]float64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made != nil {
		return m.made, nil
	}
	v, err := make()
	if err == nil {
		m.made = v
	}
	return v, err
}

// lead is the margin in favour of class y: that of a single score, the distance to the nearer
// threshold, or the score of y less the largest other.
func lead(m *fit.Model, f []float64, y int) float64 {
	switch {
	case m.Single():
		return float64(2*y-1) * f[0]
	case m.Method.Family.Kind == loss.KindThreshold:
		z := math.Inf(1)
		if y > 0 {
			z = min(z, f[y-1])
		}
		if y < len(f) {
			z = min(z, -f[y])
		}
		return z
	}
	best := math.Inf(-1)
	for c, v := range f {
		if c != y {
			best = max(best, v)
		}
	}
	return f[y] - best
}
