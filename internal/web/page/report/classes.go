package report

import (
	"maps"
	"math"
	"slices"
	"strings"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
)

// shareTable is the confusion matrix in whole percentages of a class, with ranges where a number would reveal that
// an answer was given to 1 to 9 rows. Where small counts are shown it is in rows.
func (s SmallCounts) shareTable(m stat.Classes, abstains bool) doc.Table {
	t := doc.Table{Caption: "Answers by true class", Class: "tbl-tight",
		Columns: []doc.Column{{Label: "True class"}},
		Note:    "Percentages of the rows of each true class, rounded to whole numbers."}
	if s == ShowSmall {
		t.Note = "Rows."
	}
	names := slices.Clone(m.Levels)
	if abstains {
		names = append(names, model.NoAnswer)
	}
	for _, l := range names {
		t.Columns = append(t.Columns, doc.Column{Label: l, Number: true})
	}
	counts, masked := answersOf(m, abstains), false
	all, _ := s.answers(counts)
	for i, spans := range all {
		total := 0
		for _, n := range counts[i] {
			total += n
		}
		cells := []string{m.Levels[i]}
		for _, n := range spans {
			masked = masked || !n.Shown()
			if s == ShowSmall {
				cells = append(cells, n.CountText())
				continue
			}
			cells = append(cells, s.shareText(n, total))
		}
		t.Rows = append(t.Rows, doc.TextRow(cells))
	}
	if masked {
		t.Note += " A range replaces a number that would disclose, alone or with the others, an answer given to 1 to 9 rows."
	}
	return t
}

// answerMask says which numbers the report masks beside the answers by true class.
type answerMask struct {
	hidden  bool // an answer is masked
	counted bool // the number of correct answers may be printed
}

func (s SmallCounts) answerMask(m stat.Classes, abstains bool) answerMask {
	spans, counted := s.answers(answersOf(m, abstains))
	hidden := slices.ContainsFunc(spans, func(row []mask.Span) bool {
		return slices.ContainsFunc(row, func(s mask.Span) bool { return !s.Shown() })
	})
	return answerMask{hidden, counted}
}

// leave returns the metrics that may be printed beside the masked answers. Mean error, kappa, macro F1 and balanced
// accuracy are weighted sums of single answers: with three decimals they leave only a few possible tables. Accuracy
// and the abstention rate stay where the mask counts them as known, and so do all metrics of the probabilities.
func (a answerMask) leave(m stat.Classes) stat.Classes {
	if a.hidden {
		if m.MAE != nil { // of ordered classes it is a weighted sum too
			m.AbstentionLoss = nil
		}
		m.MAE, m.MAELow, m.MAEHigh, m.Kappa, m.MacroF1, m.BalancedAccuracy, m.Listed = nil, nil, nil, nil, nil, nil, nil
	}
	if !a.counted {
		m.Accuracy, m.AccuracyLow, m.AccuracyHigh, m.AbstentionRate, m.AbstentionLoss = nil, nil, nil, nil, nil
	}
	return m
}

// note says in the report that answers are masked, and which statistics of the task with them.
func (a answerMask) note(c *engine.ClassResult) string {
	ordered := task.Of(c.Task).Ordered()
	var names []string
	for _, one := range []struct {
		id     string
		exists bool
	}{{"accuracy", !a.counted}, {"mae", ordered}, {"cost", c.Criterion == stat.ByID("cost").InSentence()},
		{"kappa", ordered}, {"macro_f1", true}} {
		if one.exists {
			names = append(names, stat.ByID(one.id).InSentence())
		}
	}
	verb, they := " are masked: ", "they"
	if len(names) == 1 {
		verb, they = " is masked: ", "it"
	}
	return phrase.UpperFirst(phrase.Join(names)) + verb + "with the answers by true class " + they +
		" would disclose small counts."
}

// rightMasked replaces the accuracy.
const rightMasked = "The number of correct answers is masked: it would disclose small counts."

// printable is a multiclass result without the numbers that would reveal masked answers.
func printable(r *engine.Result) *engine.Result {
	if r == nil || r.Classes == nil {
		return r
	}
	beside := MaskSmall.answerMask(r.Classes.Metrics.Test, abstains(r))
	if !beside.hidden {
		return r
	}
	out, several := *r, *r.Classes
	several.Metrics.Test = beside.leave(several.Metrics.Test)
	several.Metrics.Baselines = maps.Clone(several.Metrics.Baselines)
	for id, m := range several.Metrics.Baselines {
		several.Metrics.Baselines[id] = beside.leave(m)
	}
	several.Beside = slices.Clone(several.Beside)
	for k := range several.Beside {
		several.Beside[k].Metrics = beside.leave(several.Beside[k].Metrics)
		several.Beside[k].Difference, several.Beside[k].DifferenceSE = nil, nil
	}
	// The mean cost is rounded to steps worth ten rows.
	step := leastRows / float64(max(1, several.Metrics.Test.N))
	several.Cost = step * math.Round(several.Cost/step)
	out.Classes = &several
	return &out
}

// classFacts are the figures of all rows; the mean cost is left out beside masked answers.
func (p Printed) classFacts() []doc.Fact {
	c := p.r.Classes
	cost := p.r.MeanCost()
	if p.answerMask().hidden {
		cost = stat.Estimate{}
	}
	return resultview.ClassFacts(c.Task, c.Metrics.Test, c.Criterion, cost)
}

// answerMask is the mask of the report.
func (p Printed) answerMask() answerMask {
	return p.Small.answerMask(p.r.Classes.Metrics.Test, abstains(p.r))
}

// abstains reports whether the model of a multiclass run may leave a row without an answer.
func abstains(r *engine.Result) bool { return task.Of(r.Classes.Task).Abstains() }

// answersOf counts the answers by true class; abstentions come last, where the model may abstain. Of another model the
// reader knows that there are none, so they could hide no other count.
func answersOf(c stat.Classes, abstains bool) (counts [][]int) {
	for i, row := range c.Confusion {
		row = slices.Clone(row)
		if abstains {
			row = append(row, c.Abstained[i])
		}
		counts = append(counts, row)
	}
	return counts
}

// eachClass lists the classes in whole percentages, computed from the printed answers and nothing else. sizes are
// the numbers of rows.
func (s SmallCounts) eachClass(c stat.Classes, sizes []string, abstains bool) doc.Table {
	t := doc.Table{Label: "Each class", Class: "tbl-tight", Columns: []doc.Column{{Label: "Class"},
		{Label: "Rows", Number: true}, {Label: format.ShortLabel("precision"), Unit: "%", Number: true},
		{Label: resultview.RecallLabel(c), Unit: "%", Number: true}},
		Note: resultview.Answered(c) + "In whole percentages. " + format.DescribeEach("precision", "recall") +
			" Where answers are masked: the range that the printed numbers allow."}
	answered := resultview.Answered(c) != ""
	if answered {
		t.Columns = slices.Insert(t.Columns, 2, doc.Column{Label: "Answered", Number: true})
	}
	spans, _ := s.answers(answersOf(c, abstains))
	for k, l := range c.Levels {
		var column, line mask.Span // wrong answers
		for i := range c.Levels {
			if i != k {
				column, line = plus(column, spans[i][k]), plus(line, spans[k][i])
			}
		}
		cells := []doc.Cell{{Value: l}, {Value: sizes[k]}}
		if answered {
			cells = append(cells, doc.Cell{Value: plus(spans[k][k], line).CountText()})
		}
		t.Rows = append(t.Rows, doc.Row{Cells: append(cells,
			rangeCell(shareSpan(spans[k][k], column))(doc.Shares(0)), rangeCell(shareSpan(spans[k][k], line))(doc.Shares(0)))})
	}
	return t
}

// classSizes are the test rows of each class, as the report may show them.
func (p Printed) classSizes() (sizes []mask.Span) {
	for _, r := range p.classTable().Rows {
		n := r.N
		if p.split() {
			n = r.Events
		}
		sizes = append(sizes, n)
	}
	return sizes
}

// classPerformance is the core measures of a multiclass model: the AUC of each class against the others, and the
// metrics of the probabilities.
func (p Printed) classPerformance() []doc.Node {
	c := p.r.Classes
	parts := []doc.Node{doc.Note(resultview.ClassCore + " " + p.classes().TestRows() +
		resultview.Independent(p.r))}
	if t := p.classAUC(); t != nil {
		parts = append(parts, *t)
	}
	facts := resultview.ProbabilityFacts(c.Metrics.Test)
	switch {
	case len(facts) == 0:
	case p.classTable().Hidden():
		parts = append(parts, doc.Note(probabilitiesMasked))
	default:
		parts = append(parts, doc.Facts(facts))
		if text := resultview.ProbabilityIntervals(c.Metrics.Test); text != "" {
			parts = append(parts, doc.Note(text))
		}
	}
	return append(parts, resultview.BeforeAfter(p.run.Spec, p.r)...)
}

// probabilitiesMasked is printed where the rows of a class are masked: for a model that hardly discriminates, the
// log loss is the entropy of the class shares.
const probabilitiesMasked = "Log loss and Brier score are masked: they would disclose the rows of a class."

// classAUC is the AUC of each class against all others, nil for runs stored before it was computed. The width of an
// interval reveals how many rows a class has, so masked classes have none.
func (p Printed) classAUC() *doc.Table {
	pictures := p.r.Classes.Pictures
	if pictures == nil {
		return nil
	}
	t := &doc.Table{Label: "AUC of each class", Class: "tbl-tight", Columns: []doc.Column{{Label: "Class"},
		{Label: "Rows", Number: true}, {Label: stat.ByID("auc").Label, Unit: "against the others, 95" + format.Pc + " CI, " +
			stat.ByID("auc").How, Number: true}},
		Note: strings.TrimSpace(p.neverAnswered() + resultview.Pooled(p.r, p.run.Spec, "Each AUC"))}
	sizes, levels := p.classSizes(), p.r.Classes.Metrics.Test.Levels
	for _, one := range pictures.Classes {
		k := slices.Index(levels, one.Level)
		if k < 0 {
			continue
		}
		cells := []doc.Cell{{Value: one.Level}, {Value: sizes[k].CountText()}, {Value: "masked"}}
		if sizes[k].Shown() {
			cells[2] = estimated(one.ROC.AUC, doc.Of(stat.ByID("auc")))
		}
		t.Rows = append(t.Rows, doc.Row{Cells: cells})
	}
	return t
}

// neverAnswered names the classes that are no row's answer, where the answers are printed in full.
func (p Printed) neverAnswered() string {
	if p.answerMask().hidden {
		return ""
	}
	return resultview.NeverAnswered(p.r.Classes.Metrics.Test)
}

// classClassification is the metrics of the answers, under the rule that turns scores into a class.
func (p Printed) classClassification() []doc.Node {
	c := p.r.Classes
	parts := []doc.Node{doc.Note(resultview.RuleWords(c.Rule))}
	if !p.answersFirst() {
		parts = append(parts, parted(p.Small.shareTable(c.Metrics.Test, abstains(p.r)), 9)...)
	}
	parts = append(parts, doc.Facts(p.classFacts()))
	text := resultview.ClassIntervals(c.Metrics.Test)
	if !p.answerMask().hidden {
		text = strings.TrimSpace(text + resultview.CostInterval(c.Criterion, p.r.MeanCost()))
	}
	if text != "" {
		parts = append(parts, doc.Note(text))
	}
	if beside := p.answerMask(); beside.hidden {
		parts = append(parts, doc.Note(beside.note(c)))
	}
	if len(c.Metrics.Test.Confusion) > 0 {
		var sizes []string
		for _, n := range p.classSizes() {
			sizes = append(sizes, n.CountText())
		}
		parts = append(parts, p.Small.eachClass(c.Metrics.Test, sizes, abstains(p.r)))
	}
	return append(parts, p.classDecisions()...)
}

// mostPriced is the largest number of classes whose costs are printed as a table.
const mostPriced = 8

// classDecisions gives the mean cost of the answers for models with a cost matrix.
func (p Printed) classDecisions() []doc.Node {
	c := p.r.Classes
	note := "Decision curves and tables at boundaries exist for two classes only."
	if len(c.Levels) > mostPriced || len(c.Costs) == 0 {
		if p.run.Spec.Model.Tuned() {
			note += " Tuning minimises the " + c.Criterion + "."
		}
		return []doc.Node{doc.Note(note)}
	}
	t := doc.Table{Label: "Cost matrix", Class: "tbl-tight", Columns: []doc.Column{{Label: "Answer"}}}
	for _, l := range c.Levels {
		t.Columns = append(t.Columns, doc.Column{Label: l, Unit: "true", Number: true})
	}
	for i, row := range c.Costs {
		cells := []string{model.NoAnswer}
		if i < len(c.Levels) {
			cells[0] = c.Levels[i]
		}
		for _, v := range row {
			cells = append(cells, viz.Short(v, 3))
		}
		t.Rows = append(t.Rows, doc.TextRow(cells))
	}
	t.Note = note + " The cost matrix takes their place."
	return []doc.Node{t}
}
