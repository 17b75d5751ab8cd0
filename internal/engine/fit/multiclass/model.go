package multiclass

import (
	"fmt"

	"taper/internal/engine/fit/linear"
	"taper/internal/engine/loss"
	"taper/internal/engine/usererr"
)

// Model is a fitted score of several potentials, with everything needed for prediction. A linear model
// has Weights, a kernel model Rows and Coefficients. Its JSON consists of the fields here, the id of the
// loss, and its parameters in the API's form.
type Model struct {
	Family       loss.Family
	Params       loss.Values
	Classes      int
	Form         Form
	Offsets      []float64   // η; one per class for FormClasses
	Weights      [][]float64 // one row per entry of the score, one weight per column
	Kernel       *Kernel
	Rows         [][]float64 // rows of the design with a multiplier, or the landmarks
	Coefficients [][]float64 // per row, one coefficient per entry of the score

	head   head
	loss   loss.Potential // nil for threshold losses
	square []float64      // ‖row‖²
}

// Form says how potentials f follow from a score z and offsets η.
type Form string

// The forms.
const (
	FormClasses    Form = "classes"    // f_c = z_c + η_c
	FormOrdinal    Form = "ordinal"    // f_c = (c+1)·z + Σ_{l≥c} η_l
	FormThresholds Form = "thresholds" // f_l = z − η_l
	FormSingle     Form = "single"     // f = z + η
)

// head returns the head of the form for k classes.
func (f Form) head(k int) (head, bool) {
	switch f {
	case FormClasses:
		h := head{k: k, m: k, r: k, s: identity(k), b: identity(k)}
		return h.ready(), true
	case FormOrdinal:
		return ordinal(k), true
	case FormThresholds:
		return cuts(k, true), true
	case FormSingle:
		return single(), k == 2
	}
	return head{}, false
}

// suits reports whether losses of a kind can have the form.
func (f Form) suits(k loss.Kind) bool {
	switch k {
	case loss.KindPotential:
		return f == FormClasses || f == FormOrdinal
	case loss.KindThreshold:
		return f == FormThresholds
	}
	return f == FormSingle
}

// form returns the form of the fitted model. A sum-to-zero basis is expanded to k scores; a model without
// constants has zero offsets.
func (p *problem) form() Form {
	switch {
	case p.spec.Family.Kind == loss.KindThreshold:
		return FormThresholds
	case p.spec.Family.Kind != loss.KindPotential:
		return FormSingle
	case p.spec.Features == Thresholds:
		return FormOrdinal
	}
	return FormClasses
}

// model returns a model without its score.
func (p *problem) model(eta []float64) *Model {
	m := &Model{Family: p.spec.Family, Params: p.spec.Params, Classes: p.spec.Classes, Form: p.form()}
	m.Offsets = append([]float64{}, eta...)
	if m.Form == FormSingle && p.head.r == 0 {
		m.Offsets = []float64{0}
	}
	if m.Form == FormClasses {
		m.Offsets = make([]float64, p.head.k)
		p.head.addTo(m.Offsets, p.head.b, eta)
	}
	return m
}

// entries converts the m entries of a score to those of the model.
func (p *problem) entries(z []float64) []float64 {
	if p.form() != FormClasses {
		return append([]float64{}, z...)
	}
	out := make([]float64, p.head.k)
	p.head.addTo(out, p.head.s, z)
	return out
}

func (p *problem) linearModel(w, eta []float64) *Model {
	m, d := p.model(eta), p.x.Cols
	column := make([]float64, p.head.m)
	for j := range d {
		for l := range column {
			column[l] = w[l*d+j]
		}
		entries := p.entries(column)
		if m.Weights == nil {
			m.Weights = make([][]float64, len(entries))
			for l := range m.Weights {
				m.Weights[l] = make([]float64, d)
			}
		}
		for l, v := range entries {
			m.Weights[l][j] = v
		}
	}
	return m.must()
}

// Ready returns a model that was put together by hand, ready to score; an error where its shapes do not fit.
func (m *Model) Ready() (*Model, error) { return m, m.ready() }

// must prepares a model that was just fitted; an error would be a bug.
func (m *Model) must() *Model {
	if err := m.ready(); err != nil {
		panic(err)
	}
	return m
}

// ready checks the shapes and computes derived fields.
func (m *Model) ready() error {
	if m.Classes < 2 || m.Classes > MaxClasses {
		return usererr.New(usererr.Invalid, "The model has %d classes; 2 to %d are possible.", m.Classes, MaxClasses)
	}
	h, ok := m.Form.head(m.Classes)
	if !ok || !m.Form.suits(m.Family.Kind) {
		return usererr.New(usererr.Invalid, "The model’s form %q does not exist for %s and %d classes.",
			m.Form, m.Family.ID,
			m.Classes)
	}
	if err := checkColumns(m.Family, m.Params, m.Classes); err != nil {
		return err
	}
	m.head = h
	if m.Family.Kind != loss.KindThreshold {
		m.loss = m.Family.New(m.Params, m.Classes)
	}
	if m.Kernel == nil {
		return m.checkLinear()
	}
	return m.checkKernel()
}

func (m *Model) checkLinear() error {
	if len(m.Offsets) != m.head.r || len(m.Weights) != m.head.m {
		return usererr.New(usererr.Invalid, "The model has %d offsets and %d rows of weights; its form wants %d and %d.",
			len(m.Offsets), len(m.Weights), m.head.r, m.head.m)
	}
	for _, w := range m.Weights {
		if len(w) != len(m.Weights[0]) || len(w) == 0 {
			return usererr.New(usererr.Invalid, "The model’s rows of weights differ in length or are empty.")
		}
	}
	return nil
}

func (m *Model) checkKernel() error {
	if len(m.Offsets) != m.head.r || len(m.Rows) != len(m.Coefficients) || len(m.Rows) == 0 || len(m.Rows[0]) == 0 {
		return usererr.New(usererr.Invalid, "The model has %d offsets, %d rows and %d sets of coefficients; offsets must "+
			"be %d, "+
			"and no row may be empty or without its own.", len(m.Offsets), len(m.Rows), len(m.Coefficients), m.head.r)
	}
	k, err := m.Kernel.ready(len(m.Rows[0]))
	if err != nil {
		return err
	}
	m.Kernel, m.square = &k, make([]float64, len(m.Rows))
	for i, r := range m.Rows {
		if len(r) != len(m.Rows[0]) || len(m.Coefficients[i]) != m.head.m {
			return usererr.New(usererr.Invalid, "Row %d of the model has %d cells and %d coefficients, not %d and %d.", i+1,
				len(r),
				len(m.Coefficients[i]), len(m.Rows[0]), m.head.m)
		}
		m.square[i] = dot(r, r)
	}
	return nil
}

// Columns returns the number of columns of the design.
func (m *Model) Columns() int {
	if m.Kernel != nil {
		return len(m.Rows[0])
	}
	return len(m.Weights[0])
}

// Outputs returns the number of potentials.
func (m *Model) Outputs() int { return m.head.k }

// Potentials fills dst with the potentials of a row of the design. Those of FormThresholds are the
// distances above the thresholds.
func (m *Model) Potentials(dst, x []float64) {
	if len(dst) != m.head.k || len(x) != m.Columns() {
		panic("multiclass: shape mismatch")
	}
	var buf [32]float64
	z := append(buf[:0], make([]float64, m.head.m)...)
	m.Score(z, x)
	m.head.apply(dst, z, m.Offsets)
}

// PerClass converts the potentials of a row to one score per class. Distances above thresholds become f_c
// = Σ_{l<c} (s − η_l), which are the potentials of docs/math.md, section 7.6 minus that of the first class.
func (m *Model) PerClass(dst, f []float64) {
	if m.Form != FormThresholds {
		copy(dst, f)
		return
	}
	dst[0] = 0
	for c, above := range f {
		dst[c+1] = dst[c] + above
	}
}

// Score fills z with the score of a row without the offsets: a single entry, or one per class for
// FormClasses.
func (m *Model) Score(z, x []float64) {
	if m.Kernel == nil {
		for l, w := range m.Weights {
			z[l] = inner(w, x)
		}
		return
	}
	clear(z)
	square := dot(x, x)
	var buf [expsAtOnce]float64
	for lo := 0; lo < len(m.Rows); lo += expsAtOnce {
		hi := min(lo+expsAtOnce, len(m.Rows))
		values := buf[:hi-lo]
		for i, r := range m.Rows[lo:hi] {
			values[i] = inner(r, x)
		}
		m.Kernel.apply(values, m.square[lo:hi], square)
		for i, v := range values {
			axpy(v, m.Coefficients[lo+i], z)
		}
	}
}

// expsAtOnce is the number of rows of a kernel score whose exponentials are computed at once.
const expsAtOnce = 64

// Decide returns the class predicted from potentials, a row of a cost matrix, or loss.Abstain. With two
// classes the threshold on the score is 0.
func (m *Model) Decide(f []float64) int {
	switch m.Form {
	case FormThresholds:
		n := 0
		for _, above := range f {
			if above > 0 {
				n++
			}
		}
		return n
	case FormSingle:
		return side(f[0])
	}
	d, ok := m.loss.(loss.Decider)
	if !ok {
		panic(fmt.Sprintf("potential: %s decides nothing", m.Family.ID))
	}
	return d.Decide(f)
}

// csLead is the margin between the two largest potentials below which Crammer and Singer's loss abstains
// (docs/math.md, Baselines).
const csLead = .5

// DecideOrAbstain decides where a wrong answer costs 1 and abstaining ½: Crammer and Singer's loss
// abstains below a margin of ½. The losses with abstention, al-abstain and ova, decide as in Decide.
func (m *Model) DecideOrAbstain(f []float64) int {
	if _, ok := m.loss.(loss.CrammerSinger); ok {
		return loss.DecideCrammerSinger(f, csLead)
	}
	return m.Decide(f)
}

// Options returns the number of answers of Mixture, 0 for a loss without one.
func (m *Model) Options() int {
	if a, ok := m.loss.(loss.Adversary); ok {
		return a.Options()
	}
	return 0
}

// Mixture fills dst with p*, the mixture of answers by which an adversarial loss predicts; the last
// answer is to abstain. It does not estimate class probabilities. It returns false for other losses.
func (m *Model) Mixture(dst, f []float64) bool {
	a, ok := m.loss.(loss.Adversary)
	if ok {
		a.Predict(dst, f)
	}
	return ok
}

// Probabilities fills dst with the link-corrected probabilities of the classes, and returns false when
// the loss does not determine them.
func (m *Model) Probabilities(dst, f []float64) bool {
	if l, ok := m.loss.(loss.Classifier); ok {
		return l.ClassProbabilities(dst, f)
	}
	b, ok := m.loss.(loss.Binary)
	if !ok {
		return false
	}
	l, ok := b.Margin.(loss.Prober)
	if ok {
		dst[1] = l.ClassProbability(f[0])
		dst[0] = 1 - dst[1]
	}
	return ok
}

// Fitted is a model with a certificate of its accuracy.
type Fitted struct {
	Model *Model

	Objective    float64
	Gap          *float64 // (P−D)/max(P, 1e-12); nil where no dual is known
	GradientNorm *float64 // ‖∇‖∞, for smooth losses
	Iterations   int      // sweeps and the Newton steps after them, working sets, L-BFGS iterations or PEGASOS steps
	Evaluations  int      // number of passes over all rows
	Stopped      string   // "gap", "gradient", "iterations", "stalled"
	Landmarks    int      // number of Nyström landmarks; 0 = exact
	Starts       []linear.StartReport
	Warnings     []string
}
