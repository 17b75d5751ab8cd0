package report

import (
	"slices"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
)

// shareTable is the confusion matrix as whole percentages of a class; ranges
// where a number would tell how often 1 to 9 rows got an answer.
func shareTable(m stat.Classes) doc.Table {
	t := doc.Table{Label: "Answers by true class", Class: "tbl-tight",
		Columns: []doc.Column{{Label: "True class"}}, Note: "Whole percentages of a class."}
	for _, l := range append(slices.Clone(m.Levels), "No answer") {
		t.Columns = append(t.Columns, doc.Column{Label: l, Number: true})
	}
	counts, masked := answersOf(m), false
	for i, spans := range mask.Answers(counts) {
		total := 0
		for _, n := range counts[i] {
			total += n
		}
		cells := []string{m.Levels[i]}
		for _, s := range spans {
			masked = masked || !s.Shown()
			cells = append(cells, shareText(s, total))
		}
		t.Rows = append(t.Rows, doc.TextRow(cells))
	}
	if masked {
		t.Note += " A range stands where a number would tell, by itself or from the others, how often 1 to 9 rows got an " +
			"answer."
	}
	return t
}

// answersOf counts the answers by true class, those without one last.
func answersOf(c stat.Classes) (counts [][]int) {
	for i, row := range c.Confusion {
		counts = append(counts, append(slices.Clone(row), c.Abstained[i]))
	}
	return counts
}

// eachClass are the classes one by one, in whole percentages: what follows from
// the answers as they are printed, and nothing beyond. Sizes are its rows.
func eachClass(c stat.Classes, sizes []string) doc.Table {
	t := doc.Table{Label: "Each class", Class: "tbl-tight", Columns: []doc.Column{{Label: "Class"},
		{Label: "Rows", Number: true}, {Label: format.ShortLabel("precision"), Unit: "%", Number: true},
		{Label: format.ShortLabel("recall"), Unit: "%", Number: true}},
		Note: "Over answered rows, in whole percentages. " + format.DescribeEach("precision", "recall") +
			" Where answers are masked, the range that the printed ones leave."}
	spans := mask.Answers(answersOf(c))
	for k, l := range c.Levels {
		var column, line mask.Span // answers that are wrong
		for i := range c.Levels {
			if i != k {
				column, line = plus(column, spans[i][k]), plus(line, spans[k][i])
			}
		}
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Value: l}, {Value: sizes[k]},
			rangeCell(shareSpan(spans[k][k], column))(doc.Shares(0)), rangeCell(shareSpan(spans[k][k], line))(doc.Shares(0))}})
	}
	return t
}

// classSizes are the rows of each class that judge, as print may show them.
func (p Printed) classSizes() []string {
	var out []string
	for _, r := range p.classTable().Rows {
		n := r.N
		if p.split() {
			n = r.Events
		}
		out = append(out, n.CountText())
	}
	return out
}

func (p Printed) classPerformance() []doc.Node {
	c := p.r.Classes
	parts := []doc.Node{doc.Facts(resultview.ClassFacts(c.Task, c.Metrics.Test, c.Criterion, &c.Cost))}
	if len(c.Metrics.Test.Confusion) > 0 {
		parts = append(parts, eachClass(c.Metrics.Test, p.classSizes()))
	}
	return append(parts, doc.Note(p.classes().TestRows()))
}

// mostPriced is the number of classes up to which the costs stand as a table.
const mostPriced = 8

// classDecisions say what the answers cost that the model weighs.
func (p Printed) classDecisions() []doc.Node {
	c := p.r.Classes
	note := "Decision curves and tables at boundaries are for two classes."
	if len(c.Levels) > mostPriced || len(c.Costs) == 0 {
		return []doc.Node{doc.Note(note + " Tuning minimises the " + c.Criterion + ".")}
	}
	t := doc.Table{Label: "What an answer costs", Class: "tbl-tight", Columns: []doc.Column{{Label: "Answer"}}}
	for _, l := range c.Levels {
		t.Columns = append(t.Columns, doc.Column{Label: l, Unit: "true", Number: true})
	}
	for i, row := range c.Costs {
		cells := []string{"No answer"}
		if i < len(c.Levels) {
			cells[0] = c.Levels[i]
		}
		for _, v := range row {
			cells = append(cells, viz.Short(v, 3))
		}
		t.Rows = append(t.Rows, doc.TextRow(cells))
	}
	t.Note = note + " Here the costs of the answers take their place."
	return []doc.Node{t}
}
