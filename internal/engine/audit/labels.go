package audit

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"taper/internal/engine"
	"taper/internal/engine/crossfit"
	"taper/internal/engine/fit"
	"taper/internal/engine/fit/boost"
	"taper/internal/engine/fit/linear"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
	"taper/internal/engine/prep"
	"taper/internal/engine/resample"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/engine/task"
	"taper/internal/engine/tune"
	"taper/internal/engine/usererr"
)

// LabelAudit ranks the labels of a run by how implausible they are under the run's model
// (docs/clinical.md, Label audit). Every row is scored by a model that was not trained on it.
type LabelAudit struct {
	Method  string    `json:"method"`
	Outcome string    `json:"outcome"`
	Classes []string  `json:"classes"` // names of the labels; of two classes [non-event, event]
	Basis   string    `json:"basis"`   // ByProbability or ByMargin
	Link    string    `json:"link"`    // from score to probability
	Reused  bool      `json:"reused"`  // the scores are those of the run
	Notes   []string  `json:"notes"`   // how the scores were computed, in sentences
	L2      []float64 `json:"l2"`      // λ of each fold; empty without a penalty
	Rows    int       `json:"rows"`
	Median  *float64  `json:"median_weight"` // median weight factor; null if the loss has none
	// the number of wrong labels, and the number expected without errors; null without
	// probabilities
	Estimate *Estimate `json:"estimate"`
	Seed     uint64    `json:"seed"` // for folds, controls and bootstrap
	// the model of each fold, to explain scores; empty if unknown
	Models   []FoldModel `json:"models"`
	ElapsedS float64     `json:"elapsed_s"`

	Ranking []Row `json:"-"` // most suspicious first
}

// Options of an audit; the zero value uses the settings of the run.
type Options struct {
	Retune bool // choose λ again, by the held-out mean of the model's own loss
}

// Labels ranks the labels of a finished run. If the run was evaluated by five folds with tuned
// λ, its scores are used. Otherwise five folds are fitted, with the λ of the run's final fit; a
// λ given by hand is replaced by a tuned one, because a robust loss with too small a λ works
// badly for rare outcomes.
func Labels(ctx context.Context, t *table.Table, spec runspec.Spec, parent *engine.Result, rows []engine.RowScore,
	o Options, report func(engine.Progress)) (*LabelAudit, error) {
	started := time.Now()
	tr := crossfit.NewTracker(report)
	defer tr.Close()
	w, err := newAuditor(ctx, t, spec, tr)
	if err != nil {
		return nil, err
	}
	w.settle(parent, o)
	if err := w.rank(ctx, rows); err != nil {
		return nil, fmt.Errorf("audit labels: %w", err)
	}
	a := w.finish()
	a.ElapsedS = time.Since(started).Seconds()
	return a, nil
}

// auditor is the state of an audit.
type auditor struct {
	t     *table.Table
	spec  runspec.Spec
	p     *crossfit.Folds
	how   fit.Method
	cost  task.Cost
	track *crossfit.Tracker
	reuse bool
	known []tune.Setting // of each fold, if the run has them
	rule  string         // for choosing λ
	a     LabelAudit
	prob  []float64 // of every class, by position; nil if the loss has none
	zero  float64   // score at which the margin is 0
}

// newAuditor prepares five folds of the rows without injected noise.
func newAuditor(ctx context.Context, t *table.Table, spec runspec.Spec, tr *crossfit.Tracker) (*auditor, error) {
	v := spec.WithDefaults()
	w := &auditor{t: t, track: tr}
	w.reuse = v.Model.Given() || v.Validation.Kind == "cv" && v.Validation.Folds == auditFolds &&
		v.Noise.Kind == "none" && (v.Model.Tuned() || !v.Model.Penalised())
	if v.Noise.Kind != "none" {
		w.note("The run had added label noise; the audit trains on the recorded labels.")
	}
	v.Validation, v.Noise = runspec.Validation{Kind: "cv", Folds: auditFolds, Repeats: 1}, runspec.Noise{Kind: "none"}
	if v.Model.Tuned() {
		v.Model.Tuning = runspec.TuningSame
	}
	var err error
	w.spec = v
	if w.p, err = crossfit.New(ctx, t, v); err != nil {
		return nil, err
	}
	w.how, w.cost, _, err = w.p.Method(&v)
	return w, err
}

// auditFolds is the number of folds of an audit (docs/clinical.md, Label audit).
const auditFolds = 5

// finish sorts the ranking and computes the estimate.
func (w *auditor) finish() *LabelAudit {
	a, c := &w.a, w.p.Cohort
	a.Method, a.Outcome, a.Link, a.Seed, a.Basis = w.spec.TitleOf(w.how), w.spec.Outcome, w.linkID(), w.spec.Seed,
		ByMargin
	if a.Classes = slices.Clone(c.Target.Levels); w.prob != nil {
		a.Basis = ByProbability
		a.Estimate = WrongLabels(w.prob, c.Label, c.Classes(), w.spec.Seed)
	} else {
		w.note("%s recovers no probability: rows are ranked by the margin for their recorded label, and the number of wrong "+
			"labels is not estimated.", a.Method)
	}
	a.Rows = len(a.Ranking)
	Rank(a.Ranking)
	if g := MedianWeight(a.Ranking); !math.IsNaN(g) {
		a.Median = &g
	}
	return a
}

// linkID is the id of the link of the ranking's probabilities.
func (w *auditor) linkID() string {
	if w.p.Cohort.Target.Event {
		return w.how.Link.ID
	}
	return w.how.Family.LinkOf(w.how.Values).ID
}

func (w *auditor) note(format string, args ...any) {
	w.a.Notes = append(w.a.Notes, fmt.Sprintf(format, args...))
}

// settle decides how λ and γ are chosen.
func (w *auditor) settle(parent *engine.Result, o Options) {
	m := &w.spec.Model
	if m.Given() {
		w.a.Reused = true
		if parent != nil && m.CutFromData() {
			w.zero = cutoffAt(parent)
		}
		w.note("Rows are ranked by the predictions that came with the data. If their model was trained on these labels, it " +
			"has learnt the wrong ones too, and agrees with them more often than it should. What a prediction is made of is " +
			"not known.")
		return
	}
	if m.Penalised() && (o.Retune || !m.L2.Tuned()) {
		w.reuse = false
		m.L2, m.Tuning = fit.L2{Mode: "cv"}, runspec.TuningSame
		why := "λ was re-tuned for the audit, as requested"
		if !o.Retune {
			why = "The λ of the run was fixed; it was tuned for the audit"
		}
		w.note("%s, over the same five folds: %s.", why, w.criterion())
		return
	}
	if w.reuse {
		w.a.Reused = true
		w.known = settingsOf(parent, m)
		w.note("Scores are those of the run: five folds, each row by a model that was not trained on it.")
		return
	}
	w.note("Five folds were fitted for the audit, each row scored by a model that was not trained on it.")
	if parent == nil || !m.Penalised() {
		return
	}
	switch c := parent.Classes; {
	case c != nil && m.GammaTuned() && c.Gamma != nil:
		m.Kernel.Gamma = *c.Gamma
	case m.GammaTuned() && parent.Kernel != nil && parent.Kernel.Gamma != nil:
		m.Kernel.Gamma = *parent.Kernel.Gamma
	case m.GammaTuned():
		return
	}
	m.L2, m.Tuning = fit.L2{Value: parent.L2}, ""
	w.note("λ is that of the run’s final fit, chosen by cross-validation on the same rows.")
}

// cutoffAt is the cut-off of a given score at the boundary nearest to one half.
func cutoffAt(parent *engine.Result) (score float64) {
	best := math.Inf(1)
	for k, pi := range parent.Boundaries {
		if d := math.Abs(pi - 0.5); d < best {
			best, score = d, parent.Delta[k]
		}
	}
	return score
}

// criterion describes how λ is chosen.
func (w *auditor) criterion() string {
	switch {
	case !w.p.Cohort.Target.Event:
		return "by the mean cost of held-out predictions"
	case w.byOwnLoss():
		return "by the held-out mean of the model’s own robust loss, the largest λ within one standard " +
			"error"
	}
	return "by the criterion of the run"
}

// settingsOf are λ and γ of the run's evaluation folds, of the first repeat, as in its rows.
// Nil if the run does not have them.
func settingsOf(r *engine.Result, m *fit.Spec) []tune.Setting {
	if r == nil {
		return nil
	}
	l2, gamma := r.FoldL2, r.FoldGamma
	if r.Classes != nil {
		gamma = r.Classes.FoldGamma
	}
	if m.Penalised() && len(l2) < auditFolds || m.GammaTuned() && len(gamma) < auditFolds {
		return nil
	}
	s := slices.Repeat([]tune.Setting{{L2: 1}}, auditFolds)
	for k := range s {
		if k < len(l2) {
			s[k].L2 = l2[k]
		}
		if k < len(gamma) {
			s[k].Gamma = gamma[k]
		}
	}
	return s
}

// Rules by which an audit chooses λ of a loss that down-weights labels. "" is the default; the
// others are for comparison.
const (
	RuleLeast = "own-loss-least" // minimum of the held-out mean of the model's own loss
	RuleRuns  = "runs"           // as in runs, by the log-loss
)

// candidate is the audited model. If its loss down-weights labels, λ is tuned by the held-out
// mean of that loss. This mean is bounded, and towards small λ it is flat with many minima, so
// the largest λ within one standard error of the minimum is taken.
func (w *auditor) candidate() (*crossfit.Candidate, error) {
	c, err := w.p.Candidate(&w.spec, w.how, w.spec.Penalty(), "")
	if err == nil && w.byOwnLoss() && w.rule != RuleRuns {
		if c.Criterion = task.LossCriterion(w.how.Loss); w.rule != RuleLeast {
			c.Penalty.Mode = "cv-1se"
		}
	}
	return c, err
}

// byOwnLoss reports whether the audit tunes λ by the model's own loss.
func (w *auditor) byOwnLoss() bool { return givesUp(w.how) }

func givesUp(how fit.Method) bool {
	_, gives := how.Loss.(loss.Weigher)
	return gives && !how.Spec.Plain() && !how.Spec.GammaTuned()
}

// RetunedByLoss reports whether re-tuning λ for an audit uses the model's own loss, which
// down-weights labels, instead of the run's criterion.
func RetunedByLoss(s runspec.Spec) bool {
	d := s.WithDefaults()
	how, err := fit.Parse(d.Model)
	return err == nil && !d.Multiclass() && givesUp(how)
}

// rank computes the ranking: from the scores of the run if it has the audit's folds, otherwise
// from new fits. The models are kept for the explanations on the cards.
func (w *auditor) rank(ctx context.Context, rows []engine.RowScore) error {
	if !w.unknown() {
		fits, raw, err := w.fit(ctx)
		if err != nil {
			return err
		}
		if !w.reuse { // otherwise the run has the same bits
			w.judge(fits[0], raw)
		}
	}
	if w.reuse {
		return w.stored(rows)
	}
	return nil
}

// stored ranks by the scores of the run.
func (w *auditor) stored(rows []engine.RowScore) error {
	of := make(map[int]*engine.RowScore, len(rows))
	for i := range rows {
		of[rows[i].Row] = &rows[i]
	}
	k, a := w.p.Cohort.Classes(), task.Answers{}
	several := !w.p.Cohort.Target.Event
	for _, row := range w.p.Cohort.Rows {
		r := of[row]
		if r == nil || several && len(r.Scores) != k {
			return usererr.New(usererr.Conflict, "The run has no score for row %d: the data have changed since. Run it again.",
				row+1)
		}
		if !several {
			a.Score = append(a.Score, r.Score)
			continue
		}
		a.Score, a.Prob = append(a.Score, r.Scores...), append(a.Prob, r.Probabilities...)
	}
	if several {
		w.judgeClasses(a)
	} else {
		w.judgeEvent(a.Score)
	}
	return nil
}

// fit fits the folds, after tuning if needed. With the settings of the run its scores are
// reproduced to the bit.
func (w *auditor) fit(ctx context.Context) ([]*fit.Model, []float64, error) {
	c, err := w.candidate()
	if err != nil {
		return nil, nil, err
	}
	s := w.known
	for k := range s {
		if !c.Space.Gamma {
			s[k].Gamma = c.Space.Fixed.Gamma
		}
	}
	if w.track.Expect(auditFolds); s == nil {
		pl, err := w.p.FoldPlan(ctx, c)
		if err != nil {
			return nil, nil, err
		}
		w.track.Expect(pl.Work)
		if s, err = w.p.FoldSettings(ctx, c, pl, w.track); err != nil {
			return nil, nil, err
		}
	}
	fits, raw, err := w.p.FoldModels(ctx, c, s, w.track)
	if err != nil {
		return nil, nil, err
	}
	return fits, raw, w.keep(ctx, func(m *FoldModel, k int, d *crossfit.Design) bool {
		if w.spec.Model.Penalised() {
			w.a.L2 = append(w.a.L2, s[k].L2)
		}
		return m.keep(fits[k], d, w.rowsOf(k))
	})
}

// unknown reports whether the models cannot be recomputed: the predictions were given, or the
// run does not have the settings of its folds.
func (w *auditor) unknown() bool {
	if w.spec.Model.Given() {
		return true // settle has added a note
	}
	if w.reuse && w.known == nil {
		w.note("The run does not contain the λ and γ of its folds, so contributions to a score are not shown. Run it " +
			"again to see them.")
		return true
	}
	return false
}

// judge computes the ranking from the outputs of the folds' fits.
func (w *auditor) judge(m *fit.Model, raw []float64) {
	if w.p.Cohort.Target.Event {
		w.judgeEvent(raw)
		return
	}
	rule := w.spec.ChosenTask().Rule(w.how.Family)
	w.judgeClasses(task.NewReader(m.Potential.Model, rule, w.cost).All(raw))
}

// judgeEvent ranks by the scores of two classes.
func (w *auditor) judgeEvent(f []float64) {
	c, link := w.p.Cohort, w.how.Link
	if link.Has() {
		w.prob = make([]float64, 2*len(f))
	}
	fold := w.foldOf()
	if link.ID == fit.LinkIdentity {
		w.zero = link.Cut(0.5)
	}
	for i, v := range f {
		y := float64(2*c.Label[i] - 1)
		r := Row{Row: c.Rows[i], Fold: fold[i], Label: c.Label[i], Other: 1 - c.Label[i], Score: v,
			Margin: y * (v - w.zero), Probability: math.NaN(), Weight: math.NaN()}
		if w.prob != nil {
			p := link.Probability(v)
			w.prob[2*i], w.prob[2*i+1] = 1-p, p
			r.Probability = w.prob[2*i+r.Label]
		}
		if g := w.how.Weight(y, v); g != nil {
			r.Weight = *g
		}
		w.a.Ranking = append(w.a.Ranking, r)
	}
}

// foldOf is the fold in which each position is tested.
func (w *auditor) foldOf() []int {
	p := w.p
	fold := make([]int, len(p.Cohort.Rows))
	for k, q := range p.Parts[0] {
		for _, at := range q.Test() {
			fold[at] = k
		}
	}
	return fold
}

// judgeClasses ranks by the scores of several classes.
func (w *auditor) judgeClasses(a task.Answers) {
	c := w.p.Cohort
	k := c.Classes()
	if len(a.Prob) == len(c.Rows)*k {
		w.prob = a.Prob
	}
	fold, gives := w.foldOf(), w.how.Family.ClassWeigher(w.how.Values, w.p.Cohort.Classes())
	for i, label := range c.Label {
		score := a.Score[i*k : (i+1)*k]
		r := Row{Row: c.Rows[i], Fold: fold[i], Label: label, Probability: math.NaN(), Weight: math.NaN(),
			Score: math.NaN()}
		if r.Other, r.Margin = rival(score, label); w.prob != nil {
			r.Probability = w.prob[i*k+label]
		}
		if gives != nil {
			r.Weight = gives.Importance(label, score)
		}
		w.a.Ranking = append(w.a.Ranking, r)
	}
}

// rival returns the best class other than the label, and the margin of the label over it.
func rival(score []float64, label int) (best int, lead float64) {
	best = -1
	for j, v := range score {
		if j != label && (best < 0 || v > score[best]) {
			best = j
		}
	}
	return best, score[label] - score[best]
}

// FoldModel is the model of one fold in standardised terms, as needed to explain scores:
// weights per score or class, trees, or kernel functions around rows of the data.
type FoldModel struct {
	Columns   []prep.Column `json:"columns"`
	Terms     []prep.Term   `json:"terms"`
	Mean      []float64     `json:"mean,omitempty"`    // mean of each term in the training rows; absent = 0
	Weights   []float64     `json:"weights,omitempty"` // of the single score of two classes
	Intercept float64       `json:"intercept"`

	Classes    [][]float64 `json:"classes,omitempty"` // weights per class
	Intercepts []float64   `json:"intercepts,omitempty"`

	Trees []boost.Tree `json:"trees,omitempty"`
	Cover [][]int      `json:"cover,omitempty"` // number of training rows per node

	Kernel       *multiclass.Kernel `json:"kernel,omitempty"`
	Support      []int              `json:"support,omitempty"`      // data rows
	Coefficients [][]float64        `json:"coefficients,omitempty"` // per support row, for the single score or each class
}

// mostNodes bounds the number of tree nodes kept of all folds: about 15 MB.
const mostNodes = 150_000

// keep stores the fold models, all or none.
func (w *auditor) keep(ctx context.Context, fill func(m *FoldModel, fold int, d *crossfit.Design) bool) error {
	nodes, all := 0, true
	for k, q := range w.p.Parts[0] {
		d, err := w.p.DesignOf(ctx, q)
		if err != nil {
			return err
		}
		m := FoldModel{Columns: d.Pre.Columns, Terms: d.Pre.Terms, Mean: meansOf(d.X)}
		all = fill(&m, k, d) && all
		for _, t := range m.Trees {
			nodes += len(t.Nodes)
		}
		w.a.Models = append(w.a.Models, m)
	}
	if !all || nodes > mostNodes {
		w.a.Models = nil
		w.note("The models of the folds are too large to keep: contributions to a score are not shown.")
	}
	return nil
}

// meansOf are the column means of a design; nil if all are 0, as for standardised terms.
func meansOf(x linear.Matrix) []float64 {
	mean, any := make([]float64, x.Cols), false
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			mean[j] += v / float64(x.Rows)
		}
	}
	for j, v := range mean {
		if math.Abs(v) < 1e-9 {
			mean[j] = 0
		}
		any = any || mean[j] != 0
	}
	if !any {
		return nil
	}
	return mean
}

// rowsOf are the data rows that a fold trains on.
func (w *auditor) rowsOf(fold int) []int {
	return resample.Pick(w.p.Cohort.Rows, w.p.Parts[0][fold].Train())
}

// keep copies a fit. For several classes it keeps the parts of the class scores that differ
// between classes.
func (m *FoldModel) keep(fit *fit.Model, d *crossfit.Design, rows []int) (ok bool) {
	if fit.Fitted == nil {
		return m.keepClasses(fit.Potential.Model, d, rows)
	}
	switch f := fit.Fitted; {
	case f.Trees != nil:
		m.Trees, m.Cover = f.Trees.Trees, f.Trees.Cover(d.X)
	case f.Kernel != nil:
		e := f.Kernel
		m.Kernel, m.Coefficients = &e.Kernel, [][]float64{e.Coefficients}
		m.Support, ok = found(e.Rows.Row, e.Rows.Rows, d.X, rows)
		return ok
	default:
		m.Weights, m.Intercept = f.W, f.B
	}
	return true
}

func (m *FoldModel) keepClasses(p *multiclass.Model, d *crossfit.Design, rows []int) (ok bool) {
	each := func(entries [][]float64, j int) []float64 { // entry j of every list
		z := make([]float64, len(entries))
		for l := range entries {
			z[l] = entries[l][j]
		}
		return perClass(p.Form, z, p.Classes)
	}
	if p.Kernel == nil {
		m.Intercepts, m.Classes = make([]float64, p.Classes), make([][]float64, p.Classes)
		raw := make([]float64, p.Outputs())
		p.Potentials(raw, make([]float64, d.X.Cols))
		p.PerClass(m.Intercepts, raw)
		for j := range d.X.Cols {
			for c, v := range each(p.Weights, j) {
				m.Classes[c] = append(m.Classes[c], v)
			}
		}
		return true
	}
	m.Kernel, m.Coefficients = p.Kernel, make([][]float64, p.Classes)
	for _, z := range p.Coefficients {
		for c, v := range perClass(p.Form, z, p.Classes) {
			m.Coefficients[c] = append(m.Coefficients[c], v)
		}
	}
	m.Support, ok = found(func(i int) []float64 { return p.Rows[i] }, len(p.Rows), d.X, rows)
	return ok
}

// perClass converts the entries of a score to contributions to the class scores, up to a
// constant shared by all classes (docs/math.md, section 7.6): one entry per class, or a single
// entry times the class index.
func perClass(form multiclass.Form, z []float64, classes int) []float64 {
	if form == multiclass.FormClasses {
		return z
	}
	all := make([]float64, classes)
	for c := range all {
		all[c] = float64(c) * z[0]
	}
	return all
}

// found returns the data rows of support rows, which are rows of the design.
func found(support func(int) []float64, n int, x linear.Matrix, rows []int) (at []int, ok bool) {
	place := make(map[string]int, n)
	var key []byte
	keyOf := func(row []float64) []byte {
		key = key[:0]
		for _, v := range row {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
		}
		return key
	}
	for i := range n {
		place[string(keyOf(support(i)))] = -1
	}
	for i := range x.Rows {
		if was, is := place[string(keyOf(x.Row(i)))]; is && was < 0 {
			place[string(key)] = rows[i]
		}
	}
	for i := range n {
		row := place[string(keyOf(support(i)))]
		if row < 0 {
			return nil, false
		}
		at = append(at, row)
	}
	return at, true
}

// BasisOf is what the labels of a run are ranked by, known before the ranking.
func BasisOf(spec runspec.Spec) string {
	if spec.Model.Link() == fit.LinkNone {
		return ByMargin
	}
	return ByProbability
}
