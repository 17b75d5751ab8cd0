package report

import (
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"taper/cmd/web/runview"
	"taper/cmd/web/widget"
	"taper/cmd/web/wording"
	"taper/internal/engine/metric"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/web/templates"
)

// Classes is the report of a run of several classes: shorter than that of
// bands. A count of 1 to 9 is not printed, and nothing from which one follows.
func Classes(run store.Run, data store.Dataset) templates.Report {
	p := Printed{run: run, r: run.Result, data: data}
	c, on := run.Result.Classes, runview.Classes{Result: run.Result, Spec: run.Spec}
	strong, rest := runview.ClassHeadline(c)
	verdict := []string{strong, rest, on.Judged()}
	for _, w := range run.Result.Warnings {
		verdict = append(verdict, w.Message)
	}
	return templates.Report{
		Run: run.ID, Title: run.Spec.Outcome + " in " + run.DatasetName,
		Facts: []templates.Fact{
			{Label: "Run", Value: run.ID, Mono: true}, {Label: "Date", Value: run.Created.UTC().Format("2 January 2006")},
			{Label: "Seed", Value: strconv.FormatUint(run.Spec.Seed, 10)}, {Label: "File", Value: run.DatasetName},
			{Label: "SHA-256", Value: middle(run.DatasetSHA), Mono: true}, {Label: "Version", Value: "Taper " + run.Version},
			{Label: "Rows", Value: viz.Count(run.Result.Flow.Scored)}, {Label: "Loss", Value: run.Result.Method}, {Label: "Task", Value: wording.Task(run.Spec)},
		},
		Use: "Intended use: research and education. Not a medical device. Contains no row-level data.",
		Sections: []templates.ReportSection{
			{Title: "Verdict", Parts: []templ.Component{templates.ReportVerdict(verdict)}},
			{Title: "Performance", Parts: []templ.Component{templates.ReportFacts(runview.ClassFacts(c.Task, c.Metrics.Test, c.Criterion, &c.Cost)), templates.TableView(on.Beside())}},
			{Title: "Answers by true class", Parts: []templ.Component{templates.TableView(shareTable(c.Metrics.Test))}},
			{Title: "Model", Parts: classModelParts(on)},
			{Title: "Do it again", Parts: p.redoParts()},
		},
		Foot: []string{"Taper " + run.Version + " · run " + run.ID + " · data " + wording.Hash(run.DatasetSHA, 8), "Not a medical device"},
	}
}

func classModelParts(on runview.Classes) []templ.Component {
	parts := []templ.Component{templates.ReportFacts(on.Fit())}
	if t := on.Coefficients(); t != nil {
		t.Tall = false
		parts = append(parts, templates.TableView(*t))
	}
	return parts
}

// shareTable is the confusion matrix as whole percentages of a class; ranges
// where a number would tell how often 1 to 9 rows got an answer.
func shareTable(m metric.Classes) templates.Table {
	t := templates.Table{Label: "Answers by true class", Class: "tbl-tight", Columns: []templates.Column{{Label: "True class"}}, Note: "Whole percentages of a class."}
	for _, l := range append(slices.Clone(m.Levels), "No answer") {
		t.Columns = append(t.Columns, templates.Column{Label: l, Num: true})
	}
	var counts [][]int
	for i := range m.Levels {
		counts = append(counts, append(slices.Clone(m.Confusion[i]), m.Abstained[i]))
	}
	masked := false
	for i, spans := range viz.MaskAnswers(counts) {
		total := 0
		for _, n := range counts[i] {
			total += n
		}
		cells := []string{m.Levels[i]}
		for _, s := range spans {
			masked = masked || !s.Shown()
			cells = append(cells, shareText(s, total))
		}
		t.Rows = append(t.Rows, widget.Row(cells))
	}
	if masked {
		t.Note += " A range stands where a number would tell, by itself or from the others, how often 1 to 9 rows got an answer."
	}
	return t
}

// shareText writes a count as a share of its class, of a class of 1 to 9 rows
// that it is small.
func shareText(s viz.Span, total int) string {
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
