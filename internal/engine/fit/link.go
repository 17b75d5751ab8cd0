package fit

import (
	"math"

	"taper/internal/engine/loss"
	"taper/internal/engine/odds"
)

// Links of model.json, as their losses name them.
const (
	LinkNone     = loss.LinkNone
	LinkLogistic = loss.LinkLogistic
)

// Link reads the score of a loss: the recovered probability of the event and
// the cut-offs δ_k of boundaries (docs/math.md, sections 3, 5 and 6). Its zero value has no
// probability and the canonical cut-offs logit π.
type Link struct {
	ID      string
	Scale   float64     // P = σ(scale·f); 0 = not of this kind
	Prob    loss.Prober // any other kind; nil = none
	Formula string      // of P in plain symbols, "" without one
}

// NewLink returns the link of a margin loss or of the interval surrogate.
func NewLink(family loss.Family, v loss.Values) Link {
	named := family.LinkOf(v)
	link := Link{ID: named.ID, Scale: named.Scale, Formula: named.Formula}
	if named.ID != LinkNone && named.Scale == 0 {
		link.Prob = family.Margin(v).(loss.Prober)
	}
	return link
}

// Has reports whether the score has a probability.
func (k Link) Has() bool { return k.Scale > 0 || k.Prob != nil }

// Probability returns P(event) at a score.
func (k Link) Probability(f float64) float64 {
	if k.Scale > 0 {
		return odds.Sigmoid(k.Scale * f)
	}
	return k.Prob.ClassProbability(f)
}

// Cut returns the score at which P(event) is pi.
func (k Link) Cut(pi float64) float64 {
	switch {
	case k.Scale > 0:
		return odds.Logit(pi) / k.Scale
	case k.Prob != nil:
		return k.Prob.Cut(pi)
	}
	return odds.Logit(pi)
}

// Cuts returns δ of the boundaries.
func (k Link) Cuts(iv loss.Interval) []float64 {
	if k.Scale == 1 || !k.Has() {
		return iv.Delta
	}
	cuts := make([]float64, len(iv.Pi))
	for j, pi := range iv.Pi {
		cuts[j] = k.Cut(pi)
	}
	return cuts
}

// Band returns the stratum of a score and its probability: the number of π_k
// below P. Where P equals π_k over a stretch of scores, as for DWD at ½, the
// cut-off decides.
func (k Link) Band(iv loss.Interval, f float64) (band int, p float64) {
	if !k.Has() {
		return iv.Band(f), math.NaN()
	}
	p = k.Probability(f)
	if band = iv.BandOf(p); k.Prob != nil {
		for band < len(iv.Pi) && iv.Pi[band] == p && iv.Delta[band] < f {
			band++
		}
	}
	return band, p
}

// Surprise is −log P of a label at its margin, by which λ is chosen. P counts
// as the smallest normal number where it is 0.
func (k Link) Surprise(z float64) float64 {
	if k.Scale > 0 {
		return odds.Softplus(-k.Scale * z)
	}
	return odds.NegLog(k.Prob.ClassProbability(z))
}

// LoggedOdds is a link whose log odds are not straight.
type LoggedOdds interface{ LogOddsSlope(f float64) float64 }
