package paper

import (
	"context"
	"math"

	"taper/internal/engine/fit"
	"taper/internal/engine/study"
)

// ready prepares a two-class method, at these boundaries where its loss has any. Presets use the trainers
// of runs; where a paper does something else, that is set in fit.Options with the reason.
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

// trainer prepares a method for a linear score.
func trainer(lossID string, params map[string]any, pi ...float64) fit.Trainer {
	return ready(fit.Spec{Kind: "linear", Loss: lossID, Params: params}, pi...)
}

// twoTemperature is the trainer of a tempered loss.
func twoTemperature(t1, t2 float64) fit.Trainer {
	return trainer("tempered", map[string]any{"t1": t1, "t2": t2})
}

// path fits a linear score for two classes at each λ of the mean loss, in decreasing order; each fit
// starts from the previous one.
type path struct {
	fit.Trainer
	first  string // start of the largest λ
	perSum bool   // the trainer's λ applies to a sum over rows
	unit   float64
}

// fitted is a path with a name.
type fitted struct {
	name string
	path path
}

// looseGradient suffices for fits whose errors are counted: a more accurate minimum would not move a row across 0.
const looseGradient = 1e-5

// logisticPath is logistic regression. Its solver has its own start.
func logisticPath() path { return path{Trainer: trainer("logistic", nil)} }

// hingePath is the support vector machine. The surrogate with the boundary ½ is the hinge on another
// scale (docs/math.md, Interval classification): its score has the same sign, and its solver certifies a
// duality gap.
func hingePath() path { return path{Trainer: trainer("interval", nil, 0.5), unit: 4 * math.Ln2} }

// marginPath minimises a margin loss starting from zero.
func marginPath(r fit.Trainer) path { return path{Trainer: r, first: "zero"} }

// studentPath is t-logistic regression, whose λ applies to a sum over rows (docs/math.md, t-logistic regression).
func studentPath(r fit.Trainer) path { return path{Trainer: r, first: "zero", perSum: true} }

// fits returns the fits for all λ.
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
	o := fit.Options{Gradient: looseGradient}
	if p.first != "" {
		o.Starts.Only = []string{p.first}
	}
	return p.Path(ctx, r.Data(), own, o)
}

// wrong is the share of rows whose score is on the wrong side of 0.
func wrong(m *fit.Model, r study.Rows) float64 { return 1 - accuracy(r, m) }
