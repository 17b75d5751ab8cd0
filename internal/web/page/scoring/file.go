// Package scoring shows the predictions of a saved model for new rows: a file, one patient, or an external
// validation.
package scoring

import (
	"fmt"
	"strconv"
	"strings"

	"taper/internal/engine/check"
	"taper/internal/engine/external"
	"taper/internal/engine/loss"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/prep"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// FileForm is the form to upload a file of new rows.
func FileForm(r store.Run, m *model.Model, limits table.Limits) templates.ScoreForm {
	f := templates.ScoreForm{
		URL: "/runs/" + r.ID + "/score", Limits: "Up to " + format.Limits(limits) + ".",
		MaxBytes: strconv.FormatInt(limits.Bytes, 10), MaxText: format.Megabytes(limits.Bytes) + phrase.NBSP +
			"MB, the limit",
		Needs: phrase.Count(len(m.Columns), "column"), Outcome: m.Outcome,
	}
	f.Gets = "score, band"
	if m.Multiclass() {
		f.Gets = "a score for each class, the answer"
	}
	var names []string
	for _, c := range m.Columns {
		names = append(names, c.Name)
	}
	f.Columns = strings.Join(names, ", ")
	if !m.Multiclass() {
		f.By = &templates.Choice{ID: "score-by", Name: "by", Label: "Evaluate subgroups by",
			Options: []templates.Option{{Value: "", Label: "none", On: true}}}
		for _, name := range names {
			f.By.Options = append(f.By.Options, templates.Option{Value: name, Label: format.Cut(name, 40)})
		}
	}
	return f
}

// Scored sums up the predictions for a file.
func Scored(m *model.Model, sum model.Summary) templates.Scored {
	v := templates.Scored{Strong: phrase.Count(sum.Rows, "row") + " scored."}
	if m.Multiclass() {
		return scoredClasses(v, m, sum)
	}
	names := viz.BandNames(m.Boundaries)
	low := 0.0
	for k, n := range sum.Bands {
		high := 1.0
		if k < len(m.Boundaries) {
			high = m.Boundaries[k]
		}
		b := scoredBand(names[k], n, sum)
		b.Band = k + 1
		b.Swatch = templates.SVG(viz.SwatchSVG(low, high))
		v.Bands = append(v.Bands, b)
		low = high
	}
	v = scoredOutside(v, m, sum)
	v.Issues = issueLines(sum.Issues)
	v.First = firstRows(m, sum)
	return v
}

// scoredBand counts the rows of a band or of an answer.
func scoredBand(name string, n int, sum model.Summary) templates.ScoredBand {
	b := templates.ScoredBand{Name: name, Rows: phrase.Int(n), Share: viz.None}
	if sum.Rows > 0 {
		b.Share = viz.Percent(float64(n)/float64(sum.Rows), 1)
	}
	return b
}

// scoredOutside counts the rows outside the training data and the rows with warnings. Predictions for such rows are
// shown on demand only.
func scoredOutside(v templates.Scored, m *model.Model, sum model.Summary) templates.Scored {
	v.Rest = warnedWords(sum)
	if sum.OutsideData == 0 {
		return v
	}
	v.Bands = append(v.Bands, scoredBand(phrase.UpperFirst(check.OutsideData), sum.OutsideData, sum))
	has, who, no := "rows lie", "they get", "band"
	if sum.OutsideData == 1 {
		has, who = "row lies", "it gets"
	}
	if m.Multiclass() {
		no = "answer"
	}
	v.Rest = phrase.Int(sum.OutsideData) + " " + has + " outside the data the model was trained on: " +
		who + " a score but no " + no + ". " + v.Rest
	v.Behind = templates.Table{Label: "The model’s answer for rows outside the data", Class: "tbl-tight",
		Columns: []templates.Column{{Label: "Row"}, {Label: phrase.UpperFirst(no)}}}
	for i, r := range sum.FirstRows {
		if len(r.OutsideData) == 0 {
			continue
		}
		r.OutsideData = nil
		text := answerOf(m, r.Prediction)
		if r.Probability != nil {
			text += ", probability " + viz.Percent(*r.Probability, 1) + format.Pc
		}
		v.Behind.Rows = append(v.Behind.Rows, templates.Row{Cells: []templates.Cell{{Text: strconv.Itoa(i + 1)},
			{Text: text}}})
	}
	return v
}

// answerOf is the prediction for a row: its band or its class.
func answerOf(m *model.Model, p model.Prediction) string {
	switch {
	case len(p.OutsideData) > 0:
		return check.OutsideData
	case p.Classes != nil:
		return model.InWords(p.Classes.Answer())
	}
	return viz.BandNames(m.Boundaries)[p.Stratum]
}

// outsideSaid is the sentence about rows outside the training data, after a space; "" where there are none.
func outsideSaid(e *external.Evaluation) string {
	for _, w := range e.Warnings {
		if w.Code == external.WarnOutside {
			return " " + w.Message
		}
	}
	return ""
}

// warnedWords gives the number of rows with warnings.
func warnedWords(sum model.Summary) string {
	switch {
	case sum.RowsWithWarning == 1:
		return "One row has a warning; the column ‘warning’ says which."
	case sum.RowsWithWarning > 0:
		return phrase.Int(sum.RowsWithWarning) + " rows have warnings; the column ‘warning’ says which."
	}
	return ""
}

// issuesShown is the number of warnings listed.
const issuesShown = 8

var issueWords = map[string]string{
	prep.IssueAbsent: "is not there", prep.IssueMissing: "is missing", prep.IssueNotANumber: "is not a plain number",
	prep.IssueRange: "is outside the training range", prep.IssueUnseen: "has a level that is not in the training data",
	prep.IssueUnnamed: "has a level of few training rows or of none",
}

func issueLines(doubts []model.IssueCount) []string {
	var out []string
	for i, d := range doubts {
		if i == issuesShown {
			return append(out, phrase.Count(len(doubts)-i, "more kind")+" of warning: in the file.")
		}
		out = append(out, fmt.Sprintf("%s %s: %s.", d.Column, issueWords[d.Kind], phrase.Count(d.Rows, "row")))
	}
	return out
}

// columnsShown is the number of the model's columns shown in the first rows.
const columnsShown = 5

// firstRows shows the start of the file, with band and score as the first columns.
func firstRows(m *model.Model, sum model.Summary) templates.Table {
	t := templates.Table{Label: "The first rows", Class: "tbl-tight tbl-grid stacks stacks-text",
		Columns: []templates.Column{{Label: "Row"}, {Label: "Band"}, {Label: "Score", Num: true}}}
	if n := len(sum.FirstRows); n < sum.Rows {
		t.Note = "The first " + phrase.Numeral(n) + " of " + phrase.Int(sum.Rows) + " rows."
	}
	soft := m.Link != loss.LinkNone
	if soft {
		t.Columns = append(t.Columns, templates.Column{Label: "Probability", Unit: model.LinkName(m.Link), Num: true})
	}
	shown := modelColumns(m, sum.Header)
	for _, k := range shown {
		t.Columns = append(t.Columns, templates.Column{Label: format.Cut(sum.Header[k], 24), Class: "only-w"})
	}
	t.Columns = append(t.Columns, templates.Column{Label: "Warning"})
	for i, row := range sum.FirstRows {
		answer := templates.Cell{Text: answerOf(m, row.Prediction)}
		if !m.Multiclass() && len(row.OutsideData) == 0 {
			answer.Band = row.Stratum + 1
		}
		cells := []templates.Cell{{Text: strconv.Itoa(i + 1)}, answer, {Text: viz.Number(row.Score, 2)}}
		switch {
		case soft && len(row.OutsideData) > 0:
			cells = append(cells, templates.Cell{Text: viz.None})
		case soft:
			cells = append(cells, templates.Cell{Text: viz.Percent(*row.Probability, 1) + format.Pc})
		}
		for _, k := range shown {
			cells = append(cells, templates.Cell{Text: format.Cut(row.Cells[k], 24)})
		}
		t.Rows = append(t.Rows, templates.Row{Cells: append(cells, templates.Cell{Text: format.Cut(row.WarningText(),
			120), Class: "wrap"})})
	}
	return t
}

// modelColumns are the indices of the model's first columns in the file.
func modelColumns(m *model.Model, header []string) []int {
	var out []int
	for k, name := range header {
		for _, c := range m.Columns {
			if c.Name == name && len(out) < columnsShown {
				out = append(out, k)
			}
		}
	}
	return out
}
