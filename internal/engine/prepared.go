package engine

import (
	"fmt"
	"sync"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/phrase"
	"taper/internal/engine/prep"
	"taper/internal/engine/resample"
	"taper/internal/engine/runspec"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/tune"
)

// Prepared is the part of a run that depends neither on the boundaries nor on
// the model's loss, solver and λ: rows, folds, preprocessing, design matrices
// and the description of the data. Run refits on it as often as a slider
// moves; calls may overlap.
type Prepared struct {
	t      *table.Table
	spec   runspec.Spec // with defaults
	key    string
	cohort *runspec.Cohort

	parts [][]*part // the folds that judge, by repeat; none without validation
	final *part     // what the final fit trains on
	extra []float64 // design rows of cohort.extra under final, row-major

	about  about
	noise  *corruption // nil without
	traced bool        // final fits tell their iterations: for a run to keep

	mu    sync.Mutex
	plain map[rule]*assessment // the regression beside a model: it does not depend on the boundaries

	making   sync.Mutex // of straight
	straight *Prepared  // without splines, for the regression beside; nil until asked for
}

// about describes the rows of a run: what depends on neither boundaries nor
// model.
type about struct {
	flow     Flow
	table1   []ClassTable1
	sample   []int // rows of the PCA: places in the list of judged positions
	pca      [2][]float64
	share    [2]float64
	warnings []Warning
}

// part is a fold with its design: preprocessing learnt from its training rows.
type part struct {
	runspec.Fold
	mu     sync.Mutex // of design and err
	design *design
	err    error
	keep   bool
}

// design is what a fit needs: matrices of the training and the judged rows.
type design struct {
	pre   *prep.Preprocessor
	x     linear.Matrix // training rows
	clean linear.Matrix // the same as they came: x unless noise replaced features
	label []int         // their classes, noisy ones too
	w     []float64     // their weights; nil = 1
	xt    linear.Matrix // judged rows
}

// data is what a fit learns from.
func (d *design) data() fit.Data { return fit.Data{X: d.x, Label: d.label, Weights: d.w} }

// judged returns the positions that judge: each once a repeat.
func (p *Prepared) judged() []int {
	if p.spec.Validation.Kind == "split" {
		return p.final.Test()
	}
	return resample.Positions(len(p.cohort.Rows))
}

func (p *Prepared) events(at []int) []bool {
	event := make([]bool, len(at))
	for i, k := range at {
		event[i] = p.cohort.Label[k] > 0
	}
	return event
}

// rule is what the regression beside a model depends on.
type rule struct {
	l2     fit.L2
	tuning string
	cost   string
}

// maxRemembered bounds the rules whose regression is kept.
const maxRemembered = 32

// assessment is one kind of model on all the folds: its outputs for rows it did
// not see, and its final fit. Outputs are rows × outputs of the model.
type assessment struct {
	raw    [][]float64    // by repeat, of each position; NaN where not judged
	chosen []tune.Setting // of each judging fit, by repeat, then by fold

	final   *fit.Model
	train   []float64 // outputs for the final fit's own training rows
	extra   []float64 // and for the rows scored only
	setting tune.Setting
	oneSE   *tune.Setting // nil without tuning
	tuning  []TuningPoint
	trials  []TuningPoint // of γ and λ together
	seconds float64       // of the final fit
	trace   *tracing      // so too; nil where nobody asked

	uncertified int  // fits that missed their tolerance
	flat        bool // no fit that scored rows uses a predictor
}

// penalty is λ of the final fit; nil without one.
func (a *assessment) penalty() *float64 {
	if a.final == nil {
		return nil
	}
	return &a.setting.L2
}

// corruption is what the noise of a spec does to rows while they train. A row that
// is judged, by the metrics or in an inner fold of the tuning, is clean.
type corruption struct {
	noise synth.Noise
	rows  []bool    // of each position
	donor []float64 // of each position, uniform: whose features replace its own
	count int
	asked int // by the exact kinds
}

// words says what the noise did.
func (n *corruption) words(trained int) string {
	what := "labels were flipped"
	if n.noise.Replaces() {
		what = "rows got the features of a row of another class"
	}
	text := fmt.Sprintf("On purpose, %s of %s training %s; every number is on clean rows.", phrase.Int(n.count),
		phrase.Int(trained), what)
	if n.noise.ByMargin() && n.count < n.asked {
		text += fmt.Sprintf(" %s were asked for; no more rows lie on the right side of the border.",
			phrase.Int(n.asked))
	}
	return text
}

func sum(v []float64) (total float64) {
	for _, x := range v {
		total += x
	}
	return total
}

// sign is a class of two as ±1.
func sign(class int) float64 { return float64(2*class - 1) }
