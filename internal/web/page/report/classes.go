package report

import (
	"slices"
	"strconv"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
)

// several reports whether the run is one of several or ordered classes, or of
// classes or no answer.
func (p Printed) several() bool { return p.r.Classes != nil }

// classes is the result for the words that the page of a run uses too.
func (p Printed) classes() resultview.Classes {
	return resultview.Classes{Result: p.r, Spec: p.run.Spec}
}

// classDocument is the report of a run of several classes, in the order of
// clinical.md §3: the answers by true class stand where two classes have their
// strata. A count of 1 to 9 is not printed, and nothing from which one follows.
func (p Printed) classDocument() doc.Document {
	return doc.Document{
		Title: p.run.Spec.Outcome + " in " + p.run.DatasetName, Facts: p.classFacts(), Counts: p.c.counts(),
		Use: "Intended use: research and education. Not a medical device. Contains no row-level data.",
		Sections: []doc.Section{
			{Title: "Verdict", Body: p.counted(Printed.verdictParts)},
			{Title: "Data", Body: p.counted(Printed.dataParts)},
			{Title: "Answers by true class", Body: parted(shareTable(p.r.Classes.Metrics.Test), 9)},
			{Title: "Performance", Body: p.counted(Printed.classPerformance)},
			{Title: "Decisions", Body: p.classDecisions()},
			{Title: "Model", Body: p.classModelParts()},
			{Title: "Robustness", Body: p.counted(Printed.classRobustness)},
			{Title: "Label audit", Body: p.auditParts()},
			{Title: "Subgroups", Body: []doc.Node{doc.Note("Subgroups are made of runs of two classes " +
				"only: for several, performance by subgroup is for the author to complete.")}},
			{Title: "Limits", Body: p.counted(Printed.limitParts)},
			{Title: "TRIPOD+AI", Body: p.counted(Printed.tripodSection)},
			{Title: "Do it again", Body: p.redoParts()},
		},
		Foot: p.foot(),
	}
}

func (p Printed) classFacts() []doc.Fact {
	return []doc.Fact{
		{Label: "Run", Value: p.run.ID, Mono: true}, {Label: "Date", Value: p.run.Created.UTC().Format("2 January 2006")},
		{Label: "Seed", Value: strconv.FormatUint(p.run.Spec.Seed, 10)}, {Label: "File", Value: p.run.DatasetName},
		{Label: "SHA-256", Value: middle(p.run.DatasetSHA), Mono: true}, {Label: "Version", Value: "Taper " + p.run.Version},
		{Label: "Rows", Value: p.judged().N.CountText()}, {Label: "Loss", Value: p.r.Method},
		{Label: "Task", Value: format.Task(p.run.Spec)},
	}
}

// gravest are the warnings on several classes that the verdict repeats.
var gravest = []string{engine.WarnNoise, engine.WarnNotCertified, engine.WarnNeverPredicted, engine.WarnFewInClass,
	engine.WarnLogisticBetter}

// classVerdict is the answer in a line, how it was judged, and what is gravely
// wrong.
func (p Printed) classVerdict() []string {
	strong, rest := resultview.ClassHeadline(p.r.Classes)
	all := []string{strong, rest, p.classes().Judged()}
	if len(p.r.Classes.Beside) == 2 && p.classTable().Hidden() {
		all = []string{strong, all[2]} // the rest is the share of the commonest class
	}
	for _, w := range p.r.Warnings {
		if text := p.warning(w); text != "" && len(all) < mostSentences && slices.Contains(gravest, w.Code) {
			all = append(all, text)
		}
	}
	return append(p.open(), all...)
}

func (p Printed) classPerformance() []doc.Node {
	c := p.r.Classes
	parts := []doc.Node{doc.Facts(resultview.ClassFacts(c.Task, c.Metrics.Test, c.Criterion, &c.Cost))}
	if len(c.Metrics.Test.Confusion) > 0 {
		parts = append(parts, eachClass(c.Metrics.Test, p.classSizes()))
	}
	return append(parts, doc.Note(p.classes().Judged()))
}

func (p Printed) classModelParts() []doc.Node {
	on := p.classes()
	parts := []doc.Node{on.Fit()}
	if t := on.Coefficients(); t != nil {
		t.Tall = false
		parts = append(parts, parted(*t, 7)...)
	}
	return append(parts, doc.Note("model.json holds the whole model and scores without this program."))
}

// parted lays a table of many classes on paper: in parts of at most so many columns
// beside the first.
func parted(t doc.Table, most int) []doc.Node {
	var parts []doc.Node
	for from := 1; from < len(t.Columns); from += most {
		to := min(from+most, len(t.Columns))
		part := t
		part.Columns = append(t.Columns[:1:1], t.Columns[from:to]...)
		part.Rows = nil
		for _, r := range t.Rows {
			r.Cells = append(r.Cells[:1:1], r.Cells[from:to]...)
			part.Rows = append(part.Rows, r)
		}
		if to < len(t.Columns) {
			part.Note = ""
		}
		parts = append(parts, part)
	}
	return parts
}

// shareTable is the confusion matrix as whole percentages of a class; ranges
// where a number would tell how often 1 to 9 rows got an answer.
func shareTable(m stat.Classes) doc.Table {
	t := doc.Table{Label: "Answers by true class", Class: "tbl-tight",
		Columns: []doc.Column{{Label: "True class"}}, Note: "Whole percentages of a class."}
	for _, l := range append(slices.Clone(m.Levels), "No answer") {
		t.Columns = append(t.Columns, doc.Column{Label: l, Number: true})
	}
	var counts [][]int
	for i := range m.Levels {
		counts = append(counts, append(slices.Clone(m.Confusion[i]), m.Abstained[i]))
	}
	masked := false
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

// shareText writes a count as a share of its class, of a class of 1 to 9 rows
// that it is small.
func shareText(s mask.Span, total int) string {
	share := func(n int) string { return viz.Percent(float64(n)/float64(total), 0) }
	switch {
	case total == 0:
		return viz.None
	case total < leastRows:
		return "few"
	case s.Shown():
		return share(s.Low)
	}
	return viz.Range(share(s.Low), share(s.High))
}
