package paper

import (
	"context"
	"math"

	"taper/internal/engine/fit"
	"taper/internal/engine/study"
)

// ready makes a method of two classes ready, at the boundaries where its loss has any.
// Presets fit by the trainers of runs; what a paper does otherwise is set as
// fit.Options, with the reason.
func ready(m fit.Spec, pi ...float64) fit.Trainer {
	how, err := fit.Parse(m)
	if err != nil {
		panic("study: " + err.Error())
	}
	r, err := how.Trainer(fit.Task{Classes: 2, Boundaries: pi}, 0)
	if err != nil {
		panic("study: " + err.Error())
	}
	return r
}

// trainer is ready for a linear score.
func trainer(lossID string, params map[string]any, pi ...float64) fit.Trainer {
	return ready(fit.Spec{Kind: "linear", Loss: lossID, Params: params}, pi...)
}

// twoTemperature is the trainer of a tempered loss.
func twoTemperature(t1, t2 float64) fit.Trainer {
	return trainer("tempered", map[string]any{"t1": t1, "t2": t2})
}

// path fits a linear score of two classes at each λ of the mean, which descend:
// each fit starts from the one before.
type path struct {
	fit.Trainer
	first  string // where the largest λ starts; of a single λ too, which ends a path cut short
	perSum bool   // the trainer's λ belongs to a sum over rows
	unit   float64
}

// fitted names a path.
type fitted struct {
	name string
	path path
}

// looseGradient and looseGap end fits whose wrong answers are counted: what is
// left of the objective moves no row across zero.
const (
	looseGradient = 1e-5
	looseGap      = 1e-4
)

// logisticPath is logistic regression, whose solver has a start of its own.
func logisticPath() path { return path{Trainer: trainer("logistic", nil)} }

// hingePath is the support vector machine. The surrogate of the boundary ½ is
// the hinge at another scale (docs/math.md §6); its score has the same sign, and its solver
// follows λ with a duality gap.
func hingePath() path { return path{Trainer: trainer("interval", nil, 0.5), unit: 4 * math.Ln2} }

// marginPath follows the minimum of a margin loss from zero.
func marginPath(r fit.Trainer) path { return path{Trainer: r, first: "zero"} }

// studentPath is t-logistic regression; its λ belongs to a sum over rows
// (docs/math.md §4).
func studentPath(r fit.Trainer) path { return path{Trainer: r, first: "zero", perSum: true} }

// fits are those of every λ.
func (p path) fits(ctx context.Context, r study.Rows, l2s []float64) ([]*fit.Model, error) {
	own := make([]float64, len(l2s))
	for i, l2 := range l2s {
		switch {
		case p.perSum:
			l2 *= float64(len(r.Y))
		case p.unit > 0:
			l2 /= p.unit
		}
		own[i] = l2
	}
	o := fit.Options{Gradient: looseGradient, Gap: looseGap}
	if p.first != "" {
		o.Starts.Only = []string{p.first}
	}
	return p.Path(ctx, r.Data(), own, o)
}

// wrong is the share of rows that a score puts on the wrong side of zero.
func wrong(m *fit.Model, r study.Rows) float64 { return 1 - accuracy(r, m) }
