package linear

import (
	"context"
	"fmt"
	"math"
)

// Logistic minimises (1/Σv) Σ v_i log(1+e^{−y_i f_i}) + (λ/2)‖w‖² with an unpenalised intercept. y is ±1;
// nil weights mean 1.
func Logistic(ctx context.Context, x Matrix, y, weights []float64, l2 float64, o LogisticOptions) (*Linear, error) {
	fits, err := LogisticPath(ctx, x, y, weights, []float64{l2}, o)
	if err != nil {
		return nil, err
	}
	return fits[0], nil
}

// LogisticPath fits every λ in decreasing order, each starting from the previous fit. Result i belongs to
// l2s[i] for any order of l2s.
func LogisticPath(ctx context.Context, x Matrix, y, weights, l2s []float64, o LogisticOptions) ([]*Linear, error) {
	set, err := newSample(x, y, weights)
	if err != nil {
		return nil, err
	}
	for _, l2 := range l2s {
		if err := checkL2(l2); err != nil {
			return nil, err
		}
	}
	t := newTeam(len(x.Data))
	defer t.close()
	e := newEntropy(ctx, set, newRows(x, t))
	theta := make([]float64, x.Cols+1)
	theta[x.Cols] = math.Log(set.mass[1] / set.mass[0])
	if o.Start != nil {
		if len(o.Start.W) != x.Cols {
			panic("linear: shape mismatch")
		}
		copy(theta, o.Start.W)
		theta[x.Cols] = o.Start.B
	}
	scale, err := newScaling(e)
	if err != nil {
		return nil, err
	}
	fits := make([]*Linear, len(l2s))
	for done, i := range descending(l2s) {
		if fits[i], err = e.fit(theta, l2s[i], scale, o.part(done, len(l2s))); err != nil {
			return nil, err
		}
		copy(theta, fits[i].W)
		theta[x.Cols] = fits[i].B
	}
	return fits, nil
}

// part returns the options for one λ of a path, with progress reported for the whole path.
func (o LogisticOptions) part(done, total int) LogisticOptions {
	if report := o.Report; report != nil {
		o.Report = func(p Progress) {
			p.Fraction = (float64(done) + p.Fraction) / float64(total)
			p.Message = fmt.Sprintf("λ %d of %d", done+1, total)
			report(p)
		}
	}
	return o
}

// usualIterations is the typical number of iterations per λ along a path.
const usualIterations = 20

const separated = "The features separate the two outcomes without error in the training rows, so only λ limits the " +
	"weights; read them and the probabilities with care."
