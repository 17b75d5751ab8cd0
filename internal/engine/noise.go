package engine

import (
	"context"
	"fmt"

	"taper/internal/engine/fit"
	"taper/internal/engine/phrase"
	"taper/internal/engine/synth"
)

// corruption is what the noise of a spec does to rows while they train. A row that
// is judged, by the metrics or in an inner fold of the tuning, is clean.
type corruption struct {
	noise synth.Noise
	rows  []bool    // of each position
	donor []float64 // of each position, uniform: whose features replace its own
	count int
	asked int // by the exact kinds
}

// cleanL2 is the λ of the logistic regression of the clean rows whose margins
// the noise by margin goes by: just enough to bound it on separable data.
const cleanL2 = 1e-4

// corrupt settles once which rows are noisy wherever they train: one order for a
// seed, whatever the rate.
func (p *Prepared) corrupt(ctx context.Context) error {
	s := p.spec.Noise
	if s.Kind == synth.NoiseNone {
		return nil
	}
	n := len(p.cohort.rows)
	noise := synth.Noise{Kind: s.Kind, Rate: s.Rate, RatePositive: s.RatePositive, RateNegative: s.RateNegative}
	rng := source(p.spec.Seed, forNoise, 0, 0)
	order, donor := make([]float64, n), make([]float64, n)
	for i := range n {
		order[i], donor[i] = rng.Float64(), rng.Float64()
	}
	at := p.final.train() // all rows that train anywhere
	var margin []float64
	if noise.ByMargin() {
		var err error
		if margin, err = p.cleanMargins(ctx); err != nil {
			return err
		}
	}
	noisy := &corruption{noise: noise, rows: make([]bool, n), donor: donor, asked: noise.Count(len(at))}
	for i, is := range noise.Rows(pick(order, at), p.events(at), margin) { // several classes: no kind that reads the events
		if is {
			noisy.rows[at[i]] = true
			noisy.count++
		}
	}
	p.noise = noisy
	return nil
}

// cleanMargins fits logistic regression to the clean training rows.
func (p *Prepared) cleanMargins(ctx context.Context) ([]float64, error) {
	d, err := p.newDesign(ctx, p.final.fold)
	if err != nil {
		return nil, err
	}
	margin, err := fit.CleanMargins(ctx, d.data(), cleanL2)
	if err != nil {
		return nil, fmt.Errorf("fit clean rows: %w", err)
	}
	return margin, nil
}

// noisy reports whether a position is noisy where it trains.
func (p *Prepared) noisy(at int) bool { return p.noise != nil && p.noise.rows[at] }

// labelOf is the class with which a position trains: a noisy one goes to
// another class, each as likely, the same whatever the rate.
func (p *Prepared) labelOf(at int) int {
	own := p.cohort.label[at]
	if !p.noisy(at) || p.noise.noise.Replaces() {
		return own
	}
	return OtherClass(own, p.cohort.classes(), p.noise.donor[at])
}

// OtherClass is the class that a flip makes of own: each of the others as likely
// for u uniform in [0, 1).
func OtherClass(own, classes int, u float64) int {
	other := int(u * float64(classes-1))
	if other >= own {
		other++
	}
	return other
}

// labelsOf are the classes with which the positions train.
func (p *Prepared) labelsOf(at []int) []int {
	y := make([]int, len(at))
	for i, k := range at {
		y[i] = p.labelOf(k)
	}
	return y
}

// features returns the table rows whose features the positions have while they
// train; replaced is false where they are their own. A donor is drawn from the
// other class within the same training rows, so that no judged row trains.
func (p *Prepared) features(at []int) (rows []int, replaced bool) {
	rows = pick(p.cohort.rows, at)
	if p.noise == nil || !p.noise.noise.Replaces() {
		return rows, false
	}
	of := make([][]int, p.cohort.classes()) // rows of the other classes
	for i, k := range at {
		for c := range of {
			if c != p.cohort.label[k] {
				of[c] = append(of[c], rows[i])
			}
		}
	}
	other := make([]int, len(rows))
	copy(other, rows)
	for i, k := range at {
		if from := of[p.cohort.label[k]]; p.noise.rows[k] && len(from) > 0 {
			other[i] = from[int(p.noise.donor[k]*float64(len(from)))]
			replaced = true
		}
	}
	return other, replaced
}

// words says what the noise did.
func (n *corruption) words(trained int) string {
	what := "labels were flipped"
	if n.noise.Replaces() {
		what = "rows got the features of a row of another class"
	}
	text := fmt.Sprintf("On purpose, %s of %s training %s; every number is on clean rows.", phrase.Thousands(n.count),
		phrase.Thousands(trained), what)
	if n.noise.ByMargin() && n.count < n.asked {
		text += fmt.Sprintf(" %s were asked for; no more rows lie on the right side of the border.", phrase.Thousands(n.asked))
	}
	return text
}
