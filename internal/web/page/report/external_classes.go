package report

import (
	"slices"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// classSections are those of several classes: shorter than those of bands.
func (x External) classSections() []doc.Section {
	return []doc.Section{
		{Title: "Verdict", Body: []doc.Node{doc.Verdict(x.classVerdict())}},
		{Title: "Data", Body: x.dataParts()},
		{Title: "Performance", Body: []doc.Node{x.classPerformance()}},
		{Title: "Answers by true class", Body: []doc.Node{shareTable(*x.e.Classes),
			eachClass(*x.e.Classes, x.classCounts())}},
		{Title: "Limits", Body: []doc.Node{doc.List(x.classLimits())}},
		{Title: "Do it again", Body: x.redoParts()},
	}
}

// classPerformance sets development and the new rows side by side. Bootstrap
// intervals stand on the new rows alone, and differences without them.
func (x External) classPerformance() doc.Table {
	how := x.classOwn()
	t := doc.Table{Label: "Performance", Columns: []doc.Column{{Label: "Measure"},
		{Label: "Development", Unit: how, Number: true}, {Label: "Here", Unit: "95" + format.Pc + " CI", Number: true},
		{Label: "Difference", Unit: "95" + format.Pc + " CI", Number: true}}}
	dev := x.run.Result.Classes.Metrics.Test
	var shown []stat.Statistic
	for _, s := range stat.Which(stat.Statistic.Classified) {
		here, was := x.e.Classes.Of(s.ID), dev.Of(s.ID)
		if here.Value == nil {
			continue
		}
		if x.e.Intervals != nil {
			if w := x.e.Intervals.Of(s.ID); w.Low != nil {
				here.Low, here.High, s.How = w.Low, w.High, stat.Resampled
			}
		}
		as := doc.Of(s)
		shown = append(shown, s)
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{measured(s), estimated(was, as),
			estimated(here, as), estimated(stat.IndependentDifference(here, was), as)}})
	}
	t.Note = "Intervals: " + format.Hows(shown) +
		" Differences of independent rows, after Newcombe (method 10) and Zou and Donner, where both sides have an interval."
	return t
}

// classOwn says how the run's own rows were judged.
func (x External) classOwn() string {
	switch {
	case x.run.Result.Apparent:
		return "on the rows trained on"
	case x.run.Spec.Validation.Kind == "split":
		return "held out"
	}
	return "cross-validated"
}

func (x External) classVerdict() []string {
	c, dev := *x.e.Classes, x.run.Result.Classes.Metrics.Test
	s := stat.ByID("accuracy")
	if c.MAE != nil {
		s = stat.ByID("mae")
	}
	here, was, written := c.Of(s.ID), dev.Of(s.ID), format.Statistic(s)
	if here.Value == nil {
		return []string{"The model answers no row of the file."}
	}
	text := "Of " + viz.Count(c.N) + " rows, " + percentWords(here) + " are answered right here"
	if s.ID == "mae" {
		text = "The answers are off by " + worded(here, doc.To(3)) + " classes on average here"
	}
	if was.Value == nil {
		return []string{text + "."}
	}
	text += ", " + format.WithUnit(s, was.Value) + " " + x.classOwn() + " in development: "
	d := stat.IndependentDifference(here, was)
	better := s.Better == stat.Higher
	switch {
	case d.Low == nil || d.High == nil:
		text += "a difference of " + written(*d.Value) + "."
	case *d.Low > 0 && better, *d.High < 0 && !better:
		text += "better here."
	case *d.Low > 0, *d.High < 0:
		text += "worse here."
	default:
		text += "no clear difference."
	}
	all := []string{text}
	if c.AbstentionRate != nil && *c.AbstentionRate > 0 {
		all = append(all, "No answer for "+format.PercentOf(c.AbstentionRate)+" of the rows.")
	}
	return all
}

// classCounts are the rows of the classes, as print may show them.
func (x External) classCounts() (all []string) {
	for k := range x.e.Classes.Levels {
		all = append(all, x.classCount(k))
	}
	return all
}

// eachClass are the classes one by one, in whole percentages: what follows from
// the answers as they are printed, and nothing beyond. Sizes are its rows.
func eachClass(c stat.Classes, sizes []string) doc.Table {
	t := doc.Table{Label: "Each class", Class: "tbl-tight", Columns: []doc.Column{{Label: "Class"},
		{Label: "Rows", Number: true}, {Label: format.Narrow("precision"), Unit: "%", Number: true},
		{Label: format.Narrow("recall"), Unit: "%", Number: true}},
		Note: "Over answered rows, in whole percentages. " + format.Explained("precision", "recall") +
			" Where answers are masked, the range that the printed ones leave."}
	var counts [][]int
	for i, row := range c.Confusion {
		counts = append(counts, append(slices.Clone(row), c.Abstained[i]))
	}
	spans := mask.Answers(counts)
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
