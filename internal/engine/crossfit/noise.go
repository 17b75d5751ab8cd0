package crossfit

import (
	"context"
	"fmt"

	"taper/internal/engine/fit"
	"taper/internal/engine/phrase"
	"taper/internal/engine/resample"
	"taper/internal/engine/synth"
)

// Corruption is the label noise of a spec, applied to training rows. Rows that are tested, in
// the evaluation or in inner folds, stay clean.
type Corruption struct {
	noise synth.Noise
	Rows  []bool    // by position: noisy where it trains
	donor []float64 // by position, uniform: selects the row whose features replace its own
	Count int
	asked int // number of rows requested, for the exact kinds
}

// Words describes what the noise did, in a sentence.
func (n *Corruption) Words(trained int, tuned bool) string {
	what := "labels were flipped"
	if n.noise.Replaces() {
		what = "rows received the features of a row of another class"
	}
	text := fmt.Sprintf("Label noise was added: %s of %s training %s. All figures are on the labels as they were, "+
		"also of these rows where they are tested.", phrase.Int(n.Count),
		phrase.Int(trained), what)
	if tuned {
		text += " λ was chosen by the loss on those labels as well, which is not possible where labels are really wrong: " +
			"results are optimistic."
	}
	if n.noise.ByMargin() && n.Count < n.asked {
		text += fmt.Sprintf(" %s were requested; no more rows lie on the correct side of the decision boundary.",
			phrase.Int(n.asked))
	}
	return text
}

// corrupt decides once which rows are noisy. The random order depends on seed and draw only, so a
// lower rate corrupts a subset.
func (p *Folds) corrupt(ctx context.Context) error {
	s := p.Spec.Noise
	if s.Kind == synth.NoiseNone {
		return nil
	}
	n := len(p.Cohort.Rows)
	noise := synth.Noise{Kind: s.Kind, Rate: s.Rate, RatePositive: s.RatePositive, RateNegative: s.RateNegative}
	rng := resample.Source(p.Spec.Seed, resample.PurposeNoise, s.Draw, 0)
	order, donor := make([]float64, n), make([]float64, n)
	for i := range n {
		order[i], donor[i] = rng.Float64(), rng.Float64()
	}
	at := p.Final.Train() // every row that trains in any fold
	var margin []float64
	if noise.ByMargin() {
		var err error
		if margin, err = p.cleanMargins(ctx); err != nil {
			return err
		}
	}
	noisy := &Corruption{noise: noise, Rows: make([]bool, n), donor: donor, asked: noise.Count(len(at))}
	// Kinds of noise that need events are not offered with several classes.
	for i, is := range noise.Rows(resample.Pick(order, at), p.Events(at), margin) {
		if is {
			noisy.Rows[at[i]] = true
			noisy.Count++
		}
	}
	p.Noise = noisy
	return nil
}

// cleanL2 is the λ of the logistic regression for margin noise, just large enough for a finite
// fit on separable data.
const cleanL2 = 1e-4

// cleanMargins fits logistic regression to the clean training rows.
func (p *Folds) cleanMargins(ctx context.Context) ([]float64, error) {
	d, err := p.NewDesign(ctx, p.Final.Fold)
	if err != nil {
		return nil, err
	}
	margin, err := fit.CleanMargins(ctx, d.Data(), cleanL2)
	if err != nil {
		return nil, fmt.Errorf("fit clean rows: %w", err)
	}
	return margin, nil
}

// Noisy reports whether a position is corrupted where it trains.
func (p *Folds) Noisy(at int) bool { return p.Noise != nil && p.Noise.Rows[at] }

// LabelOf is the class with which a position trains. A noisy label changes to any other class
// with equal probability, and to the same one at every rate.
func (p *Folds) LabelOf(at int) int {
	own := p.Cohort.Label[at]
	if !p.Noisy(at) || p.Noise.noise.Replaces() {
		return own
	}
	return synth.OtherClass(own, p.Cohort.Classes(), p.Noise.donor[at])
}

// labelsOf are the training classes of the positions.
func (p *Folds) labelsOf(at []int) []int {
	y := make([]int, len(at))
	for i, k := range at {
		y[i] = p.LabelOf(k)
	}
	return y
}

// Features returns the table rows whose features the positions have in training; replaced is
// false if they are their own. A donor is drawn from another class within the same training
// rows, so that no test row is used in training.
func (p *Folds) Features(at []int) (rows []int, replaced bool) {
	rows = resample.Pick(p.Cohort.Rows, at)
	if p.Noise == nil || !p.Noise.noise.Replaces() {
		return rows, false
	}
	of := make([][]int, p.Cohort.Classes()) // rows of the other classes
	for i, k := range at {
		for c := range of {
			if c != p.Cohort.Label[k] {
				of[c] = append(of[c], rows[i])
			}
		}
	}
	other := make([]int, len(rows))
	copy(other, rows)
	for i, k := range at {
		if from := of[p.Cohort.Label[k]]; p.Noise.Rows[k] && len(from) > 0 {
			other[i] = from[int(p.Noise.donor[k]*float64(len(from)))]
			replaced = true
		}
	}
	return other, replaced
}
