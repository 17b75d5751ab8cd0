package engine

import (
	"fmt"
	"math"
	"slices"

	"taper/internal/engine/loss"
	"taper/internal/engine/metric"
	"taper/internal/engine/table"
	"taper/internal/engine/train"
	"taper/internal/engine/train/potential"
)

// result puts together what the fits found.
func (b *bench) result() *Result {
	p, s := b.p, &b.spec
	f := b.model.final.Potential
	r := &Result{
		Outcome: s.Outcome, Method: classWords(b.own.how, s), Link: b.linkWords(),
		Validation: validationOf(s, p.cohort.group != nil), Apparent: s.Validation.Kind == "none",
		Optimistic: b.own.tuned() && s.Model.Tuning == "same-folds",
		Flow:       p.about.flow, Tuning: b.model.tuning, L2: b.model.setting.l2,
		Objective: f.Objective, Gap: f.Gap, GradientNorm: f.GradientNorm, Iterations: f.Iterations,
		Evaluations: f.Evaluations, Stopped: f.Stopped, Starts: f.Starts,
		Boundaries: []float64{}, Delta: []float64{}, Strata: []metric.Stratum{}, Density: []Density{}, Beside: []Beside{},
	}
	if b.model.oneSE != nil {
		r.L2OneSE = &b.model.oneSE.l2
	}
	for _, c := range b.model.chosen {
		r.FoldL2 = append(r.FoldL2, c.l2)
	}
	r.Classes = b.classes()
	r.Coefficients, r.Classes.Thresholds = b.coefficients()
	r.Rows = b.rows()
	r.Model = b.portable(r)
	r.Warnings = b.warnings(r)
	r.lists()
	return r
}

// classes is the part of the result that two classes do not have.
func (b *bench) classes() *ClassResult {
	p, task := b.p, b.spec.Task
	c := &ClassResult{
		Task: task, Levels: p.cohort.several.levels, Rule: b.own.rule, Costs: b.own.prices,
		Criterion: criterionOf(b.own), Mixture: b.model.final.Potential.Model.Options() > 0,
		Table1: p.table1Several(), Features: featuresOf(b.own, task),
	}
	for k, level := range c.Levels {
		c.Rows = append(c.Rows, ClassRows{level, countOf(p.cohort.label, p.final.train, k), countOf(p.cohort.label, p.judged(), k)})
	}
	b.beside(c)
	b.kernel(c)
	c.PCA = b.pca()
	return c
}

func countOf(label, at []int, k int) (n int) {
	for _, i := range at {
		if label[i] == k {
			n++
		}
	}
	return n
}

func featuresOf(f *fitter, task string) string {
	switch {
	case f.how.Family.Kind == loss.KindThreshold:
		return potential.Thresholds
	case task == "ordinal":
		return or(f.how.Spec.Features, potential.PerClass)
	}
	return ""
}

// criterionOf names what tuning minimises.
func criterionOf(f *fitter) string {
	switch {
	case f.how.Family.ID == "al-cost":
		return "mean cost"
	case f.prices.abstains():
		return "abstention loss"
	case f.prices.classes() > 2 && f.prices[0][2] == 2:
		return "mean absolute error"
	}
	return "error rate"
}

// judged are the answers that judge, by repeat, for the judged rows in order;
// apparent ones without validation.
func (b *bench) judged(v *verdicts) []answers {
	if len(v.repeat) == 0 {
		return []answers{v.train}
	}
	var all []answers
	for _, a := range v.repeat {
		all = append(all, a.pick(b.p.judged(), b.p.cohort.classes()))
	}
	return all
}

// measure judges answers to rows of the classes.
func (b *bench) measure(a answers, at []int) metric.Classes {
	return measure(b.spec.Task, b.own.prices, b.p.cohort.several.levels, pick(b.p.cohort.label, at), a)
}

func measure(task string, t prices, levels []string, label []int, a answers) metric.Classes {
	return metric.Multiclass(metric.Answers{
		Levels: levels, Label: label, Predicted: a.class, Probability: a.prob,
		Ordinal: task == "ordinal", Abstain: task == "abstain", Cost: t.abstention(),
	})
}

// average judges every repeat: tables of the first, means of the metrics.
func (b *bench) average(v *verdicts) (metric.Classes, []answers) {
	at := b.p.judged()
	each := b.judged(v)
	var all []metric.Classes
	for _, a := range each {
		all = append(all, b.measure(a, at))
	}
	return meanClasses(all), each
}

// meanClasses averages the metrics of repeats; one that a repeat lacks has no
// mean.
func meanClasses(all []metric.Classes) metric.Classes {
	m := all[0]
	if len(all) == 1 {
		return m
	}
	for k, to := range classFields(&m) {
		total, missing := 0.0, false
		for i := range all {
			if v := *classFields(&all[i])[k]; v != nil {
				total += *v
			} else {
				missing = true
			}
		}
		if *to = nil; !missing {
			v := total / float64(len(all))
			*to = &v
		}
	}
	return m
}

// classFields returns the addresses of the metrics, in the order of the struct.
func classFields(c *metric.Classes) []**float64 {
	return []**float64{
		&c.Accuracy, &c.AccuracyLow, &c.AccuracyHigh, &c.BalancedAccuracy, &c.MacroF1, &c.MAE, &c.MAELow, &c.MAEHigh,
		&c.Kappa, &c.LogLoss, &c.Brier, &c.AbstentionLoss, &c.AbstentionRate,
	}
}

// beside judges the model, softmax regression and no predictors on the same
// folds.
func (b *bench) beside(c *ClassResult) {
	own, each := b.average(b.model)
	c.Metrics.Test, c.Cost = own, b.cost(each)
	c.Metrics.Train = b.measure(b.model.train, b.p.final.train)
	c.Metrics.Baselines = map[string]metric.Classes{}
	c.Beside = []ClassBeside{{ID: "model", Title: classWords(b.own.how, &b.spec), Cost: c.Cost, L2: &b.model.setting.l2, Metrics: own}}
	for _, other := range []struct {
		id, title string
		v         *verdicts
		l2        *float64
	}{{"logistic", "Softmax regression", b.plain, &b.plain.setting.l2}, {"null", "No predictors", b.null, nil}} {
		m, them := b.average(other.v)
		c.Metrics.Baselines[other.id] = m
		if other.v == b.model {
			continue
		}
		row := ClassBeside{ID: other.id, Title: other.title, Cost: b.cost(them), L2: other.l2, Metrics: m}
		row.Difference, row.DifferenceSE = b.difference(each[0], them[0])
		c.Beside = append(c.Beside, row)
	}
	c.Coverage = b.coverage(each[0])
}

// cost is the mean price over the repeats.
func (b *bench) cost(each []answers) float64 {
	label := pick(b.p.cohort.label, b.p.judged())
	total := 0.0
	for _, a := range each {
		total += b.own.prices.mean(a.class, label)
	}
	return total / float64(len(each))
}

// difference is the other's price minus the model's over the rows of the first
// repeat, and the standard error of that mean.
func (b *bench) difference(own, other answers) (mean, se *float64) {
	at := b.p.judged()
	total, squares, n := 0.0, 0.0, float64(len(at))
	for i, row := range at {
		k := b.p.cohort.label[row]
		d := b.own.prices.of(other.class[i], k) - b.own.prices.of(own.class[i], k)
		total += d
		squares += d * d
	}
	diff := total / n
	if n < 2 {
		return &diff, nil
	}
	err := math.Sqrt(max(squares/n-diff*diff, 0) / (n - 1))
	return &diff, &err
}

// coveragePoints bounds the points of the curve.
const coveragePoints = 60

// coverage is the accuracy of the best class against the share of rows
// answered, the surest first: by the largest probability, else by the lead of
// the largest score.
func (b *bench) coverage(a answers) []metric.Covered {
	if b.spec.Task != "abstain" {
		return nil
	}
	at, k := b.p.judged(), b.p.cohort.classes()
	sure, right := make([]float64, len(at)), make([]bool, len(at))
	for i, row := range at {
		score := a.score[i*k : (i+1)*k]
		if a.prob != nil {
			score = a.prob[i*k : (i+1)*k]
		}
		best, lead := leader(score)
		if sure[i] = lead; a.prob != nil {
			sure[i] = score[best]
		}
		right[i] = best == b.p.cohort.label[row]
	}
	return metric.Coverage(sure, right, coveragePoints)
}

// leader is the largest entry and how far it leads the next.
func leader(v []float64) (best int, lead float64) {
	best = largest(v)
	lead = math.Inf(1)
	for i, x := range v {
		if i != best {
			lead = min(lead, v[best]-x)
		}
	}
	return best, lead
}

func (b *bench) kernel(c *ClassResult) {
	m := b.model.final.Potential
	if m.Model.Kernel == nil {
		return
	}
	c.Kernel = &KernelFit{Words: kernelWords(m.Model.Kernel.Name, m.Model.Kernel.Degree), Rows: len(m.Model.Rows), Landmarks: m.Landmarks}
	if _, tuned, _ := gammaOf(b.spec.Model); tuned || b.own.gamma != 1 || m.Model.Kernel.Name != potential.KernelLinear {
		gamma := b.model.setting.gamma
		c.Gamma = &gamma
		for _, s := range b.model.chosen {
			c.FoldGamma = append(c.FoldGamma, s.gamma)
		}
	}
}

// coefficients lists the terms of each class's score, or of the one score with
// its thresholds; none of a kernel. An odds ratio is that of a class against
// the first, for softmax regression.
func (b *bench) coefficients() (all []Coefficient, thresholds []float64) {
	m, pre := b.model.final.Potential.Model, b.p.final.design.pre
	if m.Kernel != nil {
		return []Coefficient{}, nil
	}
	levels := b.p.cohort.several.levels
	var first []float64
	for k, w := range m.Weights {
		class, offset := "", 0.0
		if m.Form == potential.FormClasses {
			class, offset = levels[k], m.Offsets[k]
		}
		natural, intercept := pre.Natural(w, offset)
		if class != "" {
			all = append(all, Coefficient{Name: "(intercept)", Class: class, Value: intercept, Standardized: offset})
		} else {
			for _, eta := range m.Offsets {
				thresholds = append(thresholds, eta-intercept)
			}
		}
		if k == 0 {
			first = natural
		}
		for j, v := range natural {
			c := Coefficient{Name: pre.Terms[j].Name, Class: class, Value: v, Standardized: w[j]}
			if m.Family.ID == "softmax" && class != "" && k > 0 {
				c.OddsRatio = oddsRatio(1, v-first[j])
			}
			all = append(all, c)
		}
	}
	return all, thresholds
}

// linkWords says how the scores become probabilities.
func (b *bench) linkWords() LinkWords {
	switch b.own.how.Family.ID {
	case "softmax":
		return LinkWords{ID: LinkSoftmax, Formula: "P_c = e^f_c / Σ e^f_j"}
	case "tempered-multiclass":
		return LinkWords{ID: LinkEscort, Formula: "P_c = p_c^t₁ / Σ p_j^t₁, p the model’s own probabilities"}
	}
	return LinkWords{ID: LinkNone, Formula: "none: the answer by its scores"}
}

// rows lists every row used, in the order of the table.
func (b *bench) rows() []RowScore {
	p, v := b.p, b.model
	c, k := p.cohort, p.cohort.classes()
	var rows []RowScore
	add := func(row int, split string, a answers, i int, noisy bool) {
		r := RowScore{Row: row, Outcome: c.level(row), Split: split, Predicted: a.class[i], Flipped: noisy, Scores: slices.Clone(a.score[i*k : (i+1)*k])}
		if len(a.prob) > 0 {
			r.Probabilities = slices.Clone(a.prob[i*k : (i+1)*k])
		}
		rows = append(rows, r)
	}
	if len(p.parts) == 0 || b.spec.Validation.Kind == "split" {
		for i, at := range p.final.train {
			add(c.rows[at], "train", v.train, i, p.noisy(at))
		}
	}
	if len(p.parts) > 0 {
		for _, q := range p.parts[0] {
			for _, at := range q.test {
				add(c.rows[at], q.name, v.repeat[0], at, p.noisy(at))
			}
		}
	}
	for i, row := range c.extra {
		add(row, "scored", v.extra, i, false)
	}
	slices.SortFunc(rows, func(a, b RowScore) int { return a.Row - b.Row })
	return rows
}

// pca adds the answers to the components.
func (b *bench) pca() *ClassPCA {
	about := &b.p.about
	if len(about.pca[0]) == 0 {
		return nil
	}
	pc := &ClassPCA{Share: about.share, X: about.pca[0], Y: about.pca[1]}
	at, a := b.p.judged(), b.judged(b.model)[0]
	for _, i := range about.sample {
		pc.Class = append(pc.Class, b.p.cohort.label[at[i]])
		pc.Predicted = append(pc.Predicted, a.class[i])
		pc.Row = append(pc.Row, b.p.cohort.rows[at[i]])
	}
	return pc
}

// table1Several describes every predictor by class.
func (p *Prepared) table1Several() []ClassTable1 {
	var all []ClassTable1
	for _, name := range p.cohort.predictors {
		if c := p.t.Column(name); c.Num != nil && c.Numeric() {
			all = append(all, p.quartilesBy(c))
		} else {
			all = append(all, p.sharesBy(c)...)
		}
	}
	return all
}

func (p *Prepared) quartilesBy(c *table.Column) ClassTable1 {
	of := make([][]float64, p.cohort.classes())
	row := ClassTable1{Name: c.Name, Classes: make([][3]float64, len(of))}
	for i, at := range p.cohort.rows {
		if v := c.Num[at]; math.IsNaN(v) {
			row.Missing++
		} else {
			of[p.cohort.label[i]] = append(of[p.cohort.label[i]], v)
		}
	}
	for k, v := range of {
		if len(v) > 0 {
			row.Classes[k][0], row.Classes[k][1], row.Classes[k][2] = metric.Quartiles(v)
		}
	}
	return row
}

func (p *Prepared) sharesBy(c *table.Column) []ClassTable1 {
	k := p.cohort.classes()
	n, total, missing := make([][]float64, len(c.Levels)), make([]float64, k), 0
	for l := range n {
		n[l] = make([]float64, k)
	}
	for i, at := range p.cohort.rows {
		if c.Code[at] < 0 {
			missing++
			continue
		}
		n[c.Code[at]][p.cohort.label[i]]++
		total[p.cohort.label[i]]++
	}
	var rows []ClassTable1
	for l, level := range c.Levels {
		if sum(n[l]) == 0 {
			continue
		}
		row := ClassTable1{Name: c.Name, Level: level, Missing: missing}
		for j, v := range n[l] {
			row.Classes = append(row.Classes, [3]float64{v, v / max(total[j], 1)})
		}
		rows = append(rows, row)
	}
	return rows
}

// warnings lists everything doubtful, the gravest first.
func (b *bench) warnings(r *Result) []Warning {
	var all []Warning
	add := func(code, format string, args ...any) { all = append(all, note(code, "", format, args...)) }
	if b.p.noise != nil {
		add(WarnNoise, "%s", b.p.noise.words(r.Flow.Trained))
	}
	if r.Apparent {
		add(WarnApparent, "No rows were held out: every number is on rows that the model has seen, and too good.")
	}
	if r.Optimistic {
		add(WarnOptimistic, "λ was chosen on the same folds that judge the model: the numbers are optimistic.")
	}
	if b.model.uncertified > 0 {
		add(WarnNotCertified, "%s stopped before the tolerance was reached.", count(b.model.uncertified, "fit", "fits"))
	}
	for _, text := range b.model.final.Potential.Warnings {
		add(WarnLoss, "%s", text)
	}
	if text := scattered(r.Starts); text != "" {
		add(WarnStarts, "%s", text)
	}
	for _, row := range r.Classes.Metrics.Test.PerClass {
		if row.Predicted == 0 && row.Support > 0 {
			add(WarnNeverPredicted, "No row is answered with %q.", row.Level)
		}
	}
	for _, c := range r.Classes.Rows {
		if c.Trained < fewRows {
			add(WarnFewInClass, "%s of class %q to train on: its numbers are exploratory only.", count(c.Trained, "row", "rows"), c.Level)
		}
	}
	for _, other := range r.Classes.Beside {
		if other.ID == "logistic" && other.Difference != nil && *other.Difference < 0 {
			text := fmt.Sprintf("Softmax regression has the lower %s: %s against %s", r.Classes.Criterion, loss3(&other.Cost), loss3(&r.Classes.Cost))
			if math.Abs(*other.Difference) <= metric.Z95**other.DifferenceSE {
				text += ", a difference within the noise"
			}
			add(WarnLogisticBetter, "%s.", text)
		}
	}
	return append(all, b.p.about.warnings...)
}

// fewRows is the number below which a class says little.
const fewRows = 10

// doubtsSeveral are those of the data that no setting changes.
func (p *Prepared) doubtsSeveral(x train.Matrix) []Warning {
	opt := table.Options{Settled: p.t.Settled}
	all := p.unanswered(table.Join(p.t.Warnings, table.Doubts(p.t, opt)), nil)
	return append(all, p.plainDoubts(x)...)
}
