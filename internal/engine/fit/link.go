package fit

import (
	"math"

	"taper/internal/engine/loss"
	"taper/internal/engine/odds"
)

// Ids of the links in model.json; each is the id of its loss.
const (
	LinkNone     = loss.LinkNone
	LinkLogistic = loss.LinkLogistic
)

// Link converts the score of a loss to the probability of the event and gives the cut-offs δ_k
// of the boundaries (docs/math.md, sections 3, 5 and 6). The zero value has no probability; its
// cut-offs are logit π_k.
type Link struct {
	ID      string
	Scale   float64     // P = σ(scale·f); 0 = another form
	Prob    loss.Prober // another form; nil = no probability
	Formula string      // P as text for readers, "" if it has no closed form
}

// NewLink returns the link of a margin loss, or of the interval surrogate.
func NewLink(family loss.Family, v loss.Values) Link {
	named := family.LinkOf(v)
	link := Link{ID: named.ID, Scale: named.Scale, Formula: named.Formula}
	if named.ID != LinkNone && named.Scale == 0 {
		link.Prob = family.Margin(v).(loss.Prober)
	}
	return link
}

// Has reports whether the score can be converted to a probability.
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

// Cuts returns the cut-offs δ_k of all boundaries.
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

// Band returns the stratum of a score and its probability. The stratum is the number of π_k
// below P. Where P equals π_k on an interval of scores, as for DWD at ½, the cut-off decides
// instead.
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

// Surprise is the log-loss −log P of a label at its margin, the criterion for choosing λ. P = 0
// is replaced by the smallest normal number to keep it finite.
func (k Link) Surprise(z float64) float64 {
	if k.Scale > 0 {
		return odds.Softplus(-k.Scale * z)
	}
	return odds.NegLog(k.Prob.ClassProbability(z))
}

// LoggedOdds is implemented by links whose log odds are not linear in the score.
type LoggedOdds interface{ LogOddsSlope(f float64) float64 }
