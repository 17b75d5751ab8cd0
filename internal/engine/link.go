package engine

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

// link reads the score of a loss: the recovered probability of the event and
// the cut-offs δ_k of boundaries (math.md §§3, 5, 6). Its zero value has no
// probability and the canonical cut-offs logit π.
type link struct {
	id    string
	scale float64     // P = σ(scale·f); 0 = not of this kind
	prob  loss.Prober // any other kind; nil = none
}

// newLink returns the link of a margin loss or of the interval surrogate.
func newLink(family loss.Family, v loss.Values) link {
	if scale := logisticScale(family.ID, v); scale == 1 {
		return link{id: LinkLogistic, scale: 1}
	} else if scale > 0 {
		return link{id: LinkScaled, scale: min(scale, math.MaxFloat64)}
	}
	prober, ok := family.Margin(v).(loss.Prober)
	if !ok {
		return link{id: LinkNone}
	}
	id := LinkEscort
	switch family.ID {
	case "squared-hinge":
		id = LinkSquaredHinge
	case "dwd":
		id = LinkDWD
	}
	return link{id: id, prob: prober}
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

// has reports whether the score has a probability.
func (k link) has() bool { return k.scale > 0 || k.prob != nil }

// probability returns P(event) at a score.
func (k link) probability(f float64) float64 {
	if k.scale > 0 {
		return sigmoid(k.scale * f)
	}
	return k.prob.ClassProbability(f)
}

// cut returns the score at which P(event) is pi.
func (k link) cut(pi float64) float64 {
	switch {
	case k.scale > 0:
		return logit(pi) / k.scale
	case k.prob != nil:
		return k.prob.Cut(pi)
	}
	return logit(pi)
}

// cuts returns δ of the boundaries.
func (k link) cuts(iv loss.Interval) []float64 {
	if k.scale == 1 || !k.has() {
		return iv.Delta
	}
	cuts := make([]float64, len(iv.Pi))
	for j, pi := range iv.Pi {
		cuts[j] = k.cut(pi)
	}
	return cuts
}

// band returns the stratum of a score and its probability: the number of π_k
// below P. Where P equals π_k over a stretch of scores, as for DWD at ½, the
// cut-off decides.
func (k link) band(iv loss.Interval, f float64) (band int, p float64) {
	if !k.has() {
		return iv.Band(f), math.NaN()
	}
	p = k.probability(f)
	if band = iv.BandOf(p); k.prob != nil {
		for band < len(iv.Pi) && iv.Pi[band] == p && iv.Delta[band] < f {
			band++
		}
	}
	return band, p
}

// surprise is −log P of a label at its margin, by which λ is chosen. P counts
// as the smallest normal number where it is 0.
func (k link) surprise(z float64) float64 {
	if k.scale > 0 {
		return softplus(-k.scale * z)
	}
	return -math.Log(max(k.prob.ClassProbability(z), 0x1p-1022))
}

// loggedOdds is a link whose log odds are not straight.
type loggedOdds interface{ LogOddsSlope(f float64) float64 }
