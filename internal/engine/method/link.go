package method

import (
	"math"

	"taper/internal/engine/loss"
)

// Links of model.json: how a score becomes the probability of the event.
const (
	LinkNone         = "none"            // it does not: bands by cut-offs alone
	LinkLogistic     = "logistic"        // σ(f)
	LinkScaled       = "logistic-scaled" // σ(scale·f)
	LinkEscort       = "escort"          // p^t1 normalised, p of the two-temperature model
	LinkSquaredHinge = "squared-hinge"   // (1+f)/2 within 0 and 1
	LinkDWD          = "dwd"             // math.md §8
)

// Link reads the score of a loss: the recovered probability of the event and
// the cut-offs δ_k of boundaries (math.md §§3, 5, 6). Its zero value has no
// probability and the canonical cut-offs logit π.
type Link struct {
	ID    string
	Scale float64     // P = σ(scale·f); 0 = not of this kind
	Prob  loss.Prober // any other kind; nil = none
}

// NewLink returns the link of a margin loss or of the interval surrogate.
func NewLink(family loss.Family, v loss.Values) Link {
	if scale := logisticScale(family.ID, v); scale == 1 {
		return Link{ID: LinkLogistic, Scale: 1}
	} else if scale > 0 {
		return Link{ID: LinkScaled, Scale: min(scale, math.MaxFloat64)}
	}
	prober, ok := family.Margin(v).(loss.Prober)
	if !ok {
		return Link{ID: LinkNone}
	}
	id := LinkEscort
	switch family.ID {
	case "squared-hinge":
		id = LinkSquaredHinge
	case "dwd":
		id = LinkDWD
	}
	return Link{ID: id, Prob: prober}
}

// logisticScale returns the factor of the score whose σ is the recovered
// probability, 0 for a loss whose link is another.
func logisticScale(id string, v loss.Values) float64 {
	switch id {
	case "logistic":
		return 1
	case "exponential":
		return 2
	case "alpha":
		return 1 / v.Number("alpha") // 0 at ∞, where none is recovered
	case "t-logistic":
		if v.Number("t") == 1 {
			return 1
		}
	case "tempered":
		if v.Number("t2") == 1 {
			return v.Number("t1")
		}
	}
	return 0
}

// Has reports whether the score has a probability.
func (k Link) Has() bool { return k.Scale > 0 || k.Prob != nil }

// Probability returns P(event) at a score.
func (k Link) Probability(f float64) float64 {
	if k.Scale > 0 {
		return Sigmoid(k.Scale * f)
	}
	return k.Prob.ClassProbability(f)
}

// Cut returns the score at which P(event) is pi.
func (k Link) Cut(pi float64) float64 {
	switch {
	case k.Scale > 0:
		return Logit(pi) / k.Scale
	case k.Prob != nil:
		return k.Prob.Cut(pi)
	}
	return Logit(pi)
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
		return Softplus(-k.Scale * z)
	}
	return -math.Log(max(k.Prob.ClassProbability(z), 0x1p-1022))
}

// LoggedOdds is a link whose log odds are not straight.
type LoggedOdds interface{ LogOddsSlope(f float64) float64 }
