package resultview

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/engine/task"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// Confusion counts the rows of each class by answer.
func Confusion(m stat.Classes) doc.Table {
	t := doc.Table{Label: "Confusion matrix", Class: "tbl-tight", Columns: []doc.Column{{Label: "True class"}},
		Note: "Rows by true class and by answer; in brackets the percentage of the true class."}
	for _, l := range m.Levels {
		t.Columns = append(t.Columns, doc.Column{Label: l, Number: true})
	}
	none := 0
	for _, n := range m.Abstained {
		none += n
	}
	if none > 0 {
		t.Columns = append(t.Columns, doc.Column{Label: model.NoAnswer, Number: true})
	}
	for i, l := range m.Levels {
		counts := slices.Clone(m.Confusion[i])
		if none > 0 {
			counts = append(counts, m.Abstained[i])
		}
		total := 0
		for _, n := range counts {
			total += n
		}
		cells := []doc.Cell{{Value: l}}
		for _, n := range counts {
			cell := doc.Cell{Value: n}
			if n > 0 {
				cell.Note = "(" + viz.Percent(float64(n)/float64(total), 0) + ")"
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, doc.Row{Cells: cells})
	}
	return t
}

// Answered says that rows without an answer do not count, where there are any.
func Answered(m stat.Classes) string {
	for _, n := range m.Abstained {
		if n > 0 {
			return "Only rows with an answer are counted. If the rows without an answer were counted as missed, recall would " +
				"be lower. "
		}
	}
	return ""
}

// answeredRows heads the rows of each class over which its statistics are.
func answeredRows(m stat.Classes) string {
	if Answered(m) != "" {
		return "Answered rows"
	}
	return "Rows"
}

// RecallLabel is the name of recall, which is not that of all rows of a class where some got no answer.
func RecallLabel(m stat.Classes) string {
	if Answered(m) != "" {
		return format.ShortLabel("recall") + " among answered"
	}
	return format.ShortLabel("recall")
}

// PerClass are the statistics of each class.
func PerClass(m stat.Classes) doc.Table {
	t := doc.Table{Label: "Each class", Class: "tbl-tight", Columns: []doc.Column{{Label: "Class"},
		{Label: answeredRows(m), Number: true}}}
	if Answered(m) != "" { // its heads are long
		t.Class += " stacks stacks-long"
	}
	list := stat.Which(stat.Statistic.OfEachClass)
	for _, s := range list {
		c := doc.Column{Label: s.Label, Unit: s.Unit, Number: true}
		if s.ID == "recall" {
			c.Label = RecallLabel(m)
		}
		if s.How != "" {
			c.Unit = strings.TrimSpace(c.Unit + " (95" + format.Pc + " CI)")
		}
		t.Columns = append(t.Columns, c)
	}
	t.Note = Answered(m) + format.DescribeEach("precision", "recall") + " 95" + format.Pc + " CI: " +
		format.Hows(list)
	for _, c := range m.PerClass {
		row := doc.Row{Cells: []doc.Cell{{Value: c.Level}, {Value: c.Support}}}
		for _, s := range list {
			e := c.Of(s.ID)
			as := doc.Of(s)
			as.Bare = true
			row.Cells = append(row.Cells, doc.Cell{Value: e.Value, Low: e.Low, High: e.High, Format: as})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// DifferenceToModel explains the differences of Beside; a table without them leaves it out.
const DifferenceToModel = "Difference: the run’s model, the first row, minus this one, with the paired 95" +
	format.Pc + " CI over the rows (" + stat.MeanInterval + ")."

// BaselineAnswers says how the models beside that of the run answer.
const BaselineAnswers = "Softmax regression and the model without predictors give the answer with the lowest " +
	"expected cost."

// ComparisonAccuracy is the column of Beside with the accuracy. Its note counts the answered rows.
func (s Classes) ComparisonAccuracy() int {
	if s.Result.RanksModels() {
		return 3
	}
	return 2 // there is no column of differences
}

// Beside compares the model with softmax regression and the null model.
func (s Classes) Beside() doc.Table {
	c, accuracy, ranks := s.Result.Classes, s.ComparisonAccuracy(), s.Result.RanksModels()
	t := doc.Table{Label: "Models " + SameRows(s.Spec), Columns: []doc.Column{{Label: "Model"},
		{Label: phrase.UpperFirst(c.Criterion), Unit: "↓", Number: true}}}
	if ranks {
		t.Columns = append(t.Columns, doc.Column{Label: "Difference", Unit: "95" + format.Pc + " CI", Number: true,
			Class: "only-w"})
	}
	t.Columns = append(t.Columns, doc.Column{Label: format.ShortLabel("accuracy"), Unit: "%", Number: true})
	if task.Of(c.Task).Abstains() {
		t.Columns[accuracy].Unit = "% of answered"
		t.Columns = append(t.Columns, doc.Column{Label: format.ShortLabel("abstention_rate"), Unit: "%", Number: true})
	}
	t.Columns = append(t.Columns, doc.Column{Label: format.ShortLabel("macro_f1"), Unit: "↑", Number: true,
		Class: "only-w"}, doc.Column{Label: format.ShortLabel("log_loss"), Unit: "↓", Number: true, Class: "only-w"},
		doc.Column{Label: "λ", Number: true, Class: "only-w"})
	for _, b := range c.Beside {
		percent := func(v *float64) string { // nil if the model never gives an answer, and where small counts are masked
			if v == nil {
				return viz.None
			}
			return viz.Percent(*v, 1)
		}
		cells := []string{b.Title, viz.Number(b.Cost, 4)}
		if ranks {
			cells = append(cells, cmp.Or(differenceNote(b.CostDifference(), 3), viz.None))
		}
		cells = append(cells, percent(b.Metrics.Accuracy))
		if task.Of(c.Task).Abstains() {
			cells = append(cells, percent(b.Metrics.AbstentionRate))
		}
		l2 := viz.None
		if b.L2 != nil {
			l2 = viz.Short(*b.L2, 3)
		}
		row := doc.TextRow(append(cells, viz.NumberOf(b.Metrics.MacroF1, 3), viz.NumberOf(b.Metrics.LogLoss, 4), l2))
		if m := b.Metrics; s.Spec.Validation.Repeats < 2 && m.AbstentionRate != nil &&
			*m.AbstentionRate > 0 && m.Accuracy != nil { // a rate over repeats is that of no count
			answered := int(math.Round((1 - *m.AbstentionRate) * float64(m.N)))
			row.Cells[accuracy].Note = "of " + phrase.Count(answered, "row")
		}
		t.Rows = append(t.Rows, row)
	}
	differences := DifferenceToModel
	if !ranks {
		differences = engine.CloserFit
	}
	t.Note = BaselineAnswers + " " + differences + MeansOfRepeats(s.Result, s.Spec, "differences are")
	return t
}

// ThresholdsOf begins the sentence on thresholds below the coefficients.
const ThresholdsOf = " Thresholds of the score: "

// Coefficients has a column per class, or one for a single score; nil for a kernel.
func (s Classes) Coefficients() *doc.Table {
	c := s.Result.Classes
	if len(s.Result.Coefficients) == 0 {
		return nil
	}
	t := doc.Table{Label: "Coefficients", Class: "tbl-tight", Columns: []doc.Column{{Label: "Term"}}}
	var terms []string
	value := map[[2]string]string{}
	odds := map[[2]string]string{}
	var classes []string
	shown := WithoutRounding(s.Result.Coefficients)
	for _, k := range s.Result.Coefficients {
		if _, seen := value[[2]string{k.Name, ""}]; !seen {
			value[[2]string{k.Name, ""}] = ""
			terms = append(terms, k.Name)
		}
		if len(classes) == 0 || classes[len(classes)-1] != k.Class {
			classes = append(classes, k.Class)
		}
		value[[2]string{k.Name, k.Class + "\x00"}] = viz.Short(shown(k), 4)
		if k.OddsRatio != nil {
			odds[[2]string{k.Name, k.Class + "\x00"}] = "OR " + viz.OddsNumber(*k.OddsRatio)
		}
	}
	for _, class := range classes {
		t.Columns = append(t.Columns, doc.Column{Label: cmp.Or(class, "Score"), Number: true})
	}
	if len(t.Columns) > 4 {
		t.Class += " stacks stacks-long"
	}
	for _, term := range terms {
		cells := []doc.Cell{{Value: term}}
		for _, class := range classes {
			at := [2]string{term, class + "\x00"}
			cells = append(cells, doc.Cell{Value: cmp.Or(value[at], viz.None), Note: odds[at]})
		}
		t.Rows = append(t.Rows, doc.Row{Cells: cells})
	}
	t.Tall = true
	t.Note = "Per natural unit, of the final fit on all " + phrase.Int(s.Result.Flow.Trained) + " training rows."
	if len(odds) > 0 {
		t.Note += " OR: odds ratio of the class relative to class ‘" + c.Levels[0] + "’. There are no intervals, " +
			"because the bootstrap exists for binary runs only."
	}
	if len(c.Thresholds) > 0 {
		var each []string
		for i, eta := range c.Thresholds {
			each = append(each, c.Levels[i]+" | "+c.Levels[i+1]+" "+viz.Number(eta, 2))
		}
		t.Note += ThresholdsOf + strings.Join(each, ", ") + "."
	}
	return &t
}

// predictors describes each predictor by class.
func (s Classes) predictors() doc.Table {
	t := doc.Table{Label: "Predictors by class", Class: "tbl-tight", Columns: []doc.Column{{Label: "Predictor"}},
		Note: "Median (quartiles), or rows (share of the class, %)."}
	for _, r := range s.Result.Classes.Rows {
		t.Columns = append(t.Columns, doc.Column{Label: r.Level, Unit: "of " + phrase.Int(r.Scored), Number: true})
	}
	if len(t.Columns) > 3 {
		t.Class += " stacks stacks-long"
	}
	t.Columns = append(t.Columns, doc.Column{Label: "Missing", Unit: "(" + format.OfColumns + ")", Number: true,
		Class: "only-w"})
	for _, r := range s.Result.Classes.Table1 {
		name := r.Name
		if r.Level != "" {
			name += " = " + r.Level
		}
		cells := []doc.Cell{{Value: name}}
		var quartiles []*[3]float64
		for k := range r.Classes {
			quartiles = append(quartiles, &r.Classes[k])
		}
		as := doc.To(format.Decimals(quartiles...))
		for _, v := range r.Classes {
			if r.Level != "" {
				cells = append(cells, doc.Cell{Value: int(v[0]), Note: "(" + viz.Percent(v[1], 0) + ")"})
			} else {
				quarters := viz.Range(as.Write(v[0]), as.Write(v[2])) // of no width where the values agree
				cells = append(cells, doc.Cell{Value: v[1], Note: "(" + quarters + ")", Format: as})
			}
		}
		missing := doc.Cell{Value: r.Missing}
		if r.Missing > 0 && r.MissingIn != nil {
			each := make([]string, len(r.MissingIn))
			for k, n := range r.MissingIn {
				each[k] = phrase.Int(n)
			}
			missing.Note = format.InClasses(each)
		}
		t.Rows = append(t.Rows, doc.Row{Cells: append(cells, missing)})
	}
	t.Tall = true
	return t
}
