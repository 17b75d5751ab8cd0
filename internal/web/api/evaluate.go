package api

import (
	"context"
	"slices"

	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// evaluatedAtOnce is the number of margins evaluated between two checks whether the client has disconnected.
const evaluatedAtOnce = 10_000

func (q *lossQuestion) margin(ctx context.Context, w *numberWriter, l loss.Margin) error {
	z, err := finiteList("margins", q.Margins)
	if err != nil {
		return err
	}
	var c loss.Columns
	for part := range slices.Chunk(z, evaluatedAtOnce) {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := loss.Sample(l, part)
		c.Value, c.Slope, c.Curve = append(c.Value, p.Value...), append(c.Slope, p.Slope...), append(c.Curve, p.Curve...)
		c.Probability = append(c.Probability, p.Probability...)
		c.ClassProbability = append(c.ClassProbability, p.ClassProbability...)
		c.Importance = append(c.Importance, p.Importance...)
	}
	w.begin(len(z))
	w.column("value", c.Value)
	w.column("derivative", c.Slope)
	w.column("second_derivative", c.Curve)
	w.column("probability", c.Probability)
	w.column("class_probability", c.ClassProbability)
	for i := range c.Slope {
		c.Slope[i] = -c.Slope[i]
	}
	w.column("weight", c.Slope)
	w.column("importance", c.Importance)
	return nil
}

func (q *lossQuestion) interval(ctx context.Context, w *numberWriter, v loss.Values) error {
	z, err := finiteList("margins", q.Margins)
	if err != nil {
		return err
	}
	iv, err := loss.NewInterval(v.List("pi"))
	if err != nil {
		return err
	}
	values, slopes, class := make([]float64, len(z)), make([]float64, len(z)), make([]float64, len(z))
	eval := loss.Block(iv)
	w.begin(len(z))
	for _, side := range []struct {
		name string
		s    float64
	}{{"positive", 1}, {"negative", -1}} {
		for i := range class {
			class[i] = side.s
		}
		for from := 0; from < len(z); from += evaluatedAtOnce {
			if err := ctx.Err(); err != nil {
				return err
			}
			to := min(from+evaluatedAtOnce, len(z))
			eval(values[from:to], slopes[from:to], class[from:to], z[from:to])
		}
		w.open(side.name)
		w.column("value", values)
		w.column("derivative", slopes)
		w.close()
	}
	w.column("delta", iv.Delta)
	w.open("hinges")
	w.column("positive", iv.Hinges(1))
	w.column("negative", iv.Hinges(-1))
	w.close()
	return nil
}

// potential checks after each row whether the client has disconnected: a game with an arbitrary cost matrix needs a
// linear program per row.
func (q *lossQuestion) potential(ctx context.Context, w *numberWriter, f loss.Family, v loss.Values) error {
	rows, k, err := rectangle("potentials", q.Potentials)
	if err != nil {
		return err
	}
	if k < 2 {
		return usererr.BadField("potentials[0]", "must have 2 numbers or more, one for each class (got %d)", k)
	}
	if k > mostClasses {
		return usererr.BadField("potentials[0]", "must have at most %d numbers, one for each class (got %d)", mostClasses, k)
	}
	if f.Classes != nil && f.Classes(v) != k {
		return usererr.BadField("potentials[0]", "must have %d numbers, as params.%s has columns (got %d)", f.Classes(v),
			f.Params[0].Name, k)
	}
	n := len(rows) / k
	y, err := labelList(q.Labels, n, k, "potentials")
	if err != nil {
		return err
	}
	a := newAnswers(f.New(v, k), n, k)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.row(i, y[i], rows[i*k:(i+1)*k])
	}
	a.write(w)
	return nil
}

// mostClasses bounds the work per row, which for games is quadratic in the classes.
const mostClasses = 1000

// answers are the values of a loss of potentials for n rows.
type answers struct {
	l                             loss.Potential
	k                             int
	value, grad                   []float64
	adversary, prediction         []float64 // of games
	probability, classProbability []float64 // of losses with probabilities
	decision                      []float64
}

func newAnswers(l loss.Potential, n, k int) *answers {
	a := &answers{l: l, k: k, value: make([]float64, n), grad: make([]float64, n*k)}
	if g, ok := l.(loss.Adversary); ok {
		a.adversary, a.prediction = make([]float64, n*k), make([]float64, n*g.Options())
	}
	if _, ok := l.(loss.Classifier); ok {
		a.probability, a.classProbability = make([]float64, n*k), make([]float64, n*k)
	}
	if _, ok := l.(loss.Decider); ok {
		a.decision = make([]float64, n)
	}
	return a
}

func (a *answers) row(i, y int, f []float64) {
	k := a.k
	a.value[i] = a.l.Grad(a.grad[i*k:(i+1)*k], y, f)
	if g, ok := a.l.(loss.Adversary); ok {
		m := g.Options()
		g.Adversary(a.adversary[i*k:(i+1)*k], f)
		g.Predict(a.prediction[i*m:(i+1)*m], f)
	}
	if p, ok := a.l.(loss.Classifier); ok {
		p.Probabilities(a.probability[i*k:(i+1)*k], f)
		if a.classProbability != nil && !p.ClassProbabilities(a.classProbability[i*k:(i+1)*k], f) {
			a.classProbability = nil
		}
	}
	if d, ok := a.l.(loss.Decider); ok {
		a.decision[i] = float64(d.Decide(f))
	}
}

func (a *answers) write(w *numberWriter) {
	w.begin(len(a.grad))
	w.column("value", a.value)
	w.rows("subgradient", a.grad, a.k)
	w.rows("adversary", a.adversary, a.k)
	options := a.k
	if g, ok := a.l.(loss.Adversary); ok {
		options = g.Options()
	}
	w.rows("prediction", a.prediction, options)
	w.rows("probability", a.probability, a.k)
	w.rows("class_probability", a.classProbability, a.k)
	w.decisions("decision", a.decision)
}

func (q *lossQuestion) threshold(ctx context.Context, w *numberWriter, l loss.Threshold) error {
	scores, err := finiteList("scores", q.Scores)
	if err != nil {
		return err
	}
	eta, err := finiteList("thresholds", q.Thresholds)
	if err != nil {
		return err
	}
	m, n := len(eta), len(scores)
	if m*n > mostNumbers {
		return usererr.BadField("thresholds", "times scores must be at most 1\u202f000\u202f000 (got %d × %d): ask in "+
			"several calls", m, n)
	}
	y, err := labelList(q.Labels, n, m+1, "scores")
	if err != nil {
		return err
	}
	value, slope, rank, grad := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n*m)
	for i, s := range scores {
		if err := ctx.Err(); err != nil {
			return err
		}
		value[i], slope[i] = l.Grad(grad[i*m:(i+1)*m], y[i], s, eta)
		rank[i] = float64(loss.Rank(s, eta))
	}
	if !slices.IsSorted(eta) { // the number of thresholds below η is then not a class
		rank = nil
	}
	w.begin(len(grad))
	w.column("value", value)
	w.column("score_derivative", slope)
	w.rows("threshold_derivative", grad, m)
	w.column("prediction", rank)
	return nil
}
