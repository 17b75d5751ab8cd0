package data

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"taper/internal/app/datasets"
	"taper/internal/engine/check"
	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// previewRows is the number of rows shown of a file.
const previewRows = 20

// Limits of what one page shows of a very wide file.
const (
	previewColumns = 60
	tableColumns   = 100
)

// View is the page of one dataset; keep says which parts of its runs can stay when it is deleted. A very wide
// dataset shows only the columns that need a decision, or all on request. The addresses of the page carry the loss
// l. If service cannot read the file, the error is a user error.
func View(ctx context.Context, service *datasets.Service, d store.Dataset, keep store.Keepable,
	all bool, l Loss) (templates.Dataset, error) {
	at := l.On("/data/" + d.ID)
	v := templates.Dataset{
		URL: at, Upload: l.On("/data"), DeleteURL: "/data/" + d.ID + "/delete",
		File: "/api/v1/datasets/" + d.ID + "/download", Rename: d.Name, Chips: kindChips(d),
		Facts: factsView(d, service.Limits()), Storage: storageText(d),
	}
	v.Delete = DeleteDialog(d, keep)
	if d.State != store.Kept {
		v.Replaces = d.ID
	}
	if d.State == store.Draft {
		draftView(ctx, service, d, &v)
		return v, nil
	}
	v.All = l.On("/data/" + d.ID + "?all=1")
	if all {
		at, v.URL = v.All, v.All
	}
	t, err := service.Table(ctx, d)
	if err != nil {
		return v, err
	}
	head, err := service.Preview(ctx, d, previewRows)
	if err != nil {
		return v, err
	}
	v.Preview = previewView(d, t, head)
	if d.State == store.Kept {
		v.Fixed = fixedText(d)
	} else {
		v.Dialect = dialectView(d, head)
		v.Codes = codesView(d)
	}
	v.Outcome = Outcome(d)
	v.Columns, v.More = columnsView(d, all)
	v.Notices, v.Open = noticesView(d, at), openText(d)
	if n := firstNotices(v.Notices); n < len(v.Notices) {
		v.Notices, v.MoreNotices = v.Notices[:n:n], v.Notices[n:] // with room of its own for what is inserted
	}
	v.Strong, v.Rest = resultText(d)
	v.Bar = barView(d, t)
	if v.Bar.Stratify != "" {
		v.Bar.Stratify = l.Stratify(d.ID)
	}
	v.Loss, v.WithoutLoss = l.Title(), "/data/"+d.ID
	if d.State != store.Kept {
		v.Ask = askView(d, at, v.Bar.Refused)
		v.Bar.Asks = len(v.Ask.Notices) > 0
		if v.Bar.Refused == "" && !v.Bar.Asks {
			v.Bar.Note += validates
		}
	}
	return v, nil
}

// factsView are the facts below the title.
func factsView(d store.Dataset, l table.Limits) []templates.Fact {
	facts := []templates.Fact{{Label: sizeText(d.Bytes)}, {Label: "SHA-256", Value: d.SHA256[:min(12, len(d.SHA256))] +
		"…", Mono: true}}
	if d.State != store.Draft {
		facts = append(facts, templates.Fact{Label: "read in " + millisText(d.ReadMS)})
	}
	if d.Source != "" {
		facts = append(facts, templates.Fact{Label: d.Source})
	}
	if d.State != store.Kept {
		facts = append(facts, templates.Fact{Label: "Limits: " + format.Limits(l) + "."})
	}
	return facts
}

func millisText(ms int64) string {
	switch {
	case ms < 1:
		return "under 1" + phrase.NBSP + "ms"
	case ms < 1000:
		return fmt.Sprintf("%d%sms", ms, phrase.NBSP)
	}
	return viz.Number(float64(ms)/1000, 1) + phrase.NBSP + "s"
}

func storageText(d store.Dataset) string {
	switch d.State {
	case store.Draft:
		return "The uploaded file stays in the data folder until you delete it."
	case store.Kept:
		return "The uploaded file is wiped; these columns remain."
	}
	return "The uploaded file stays in the data folder until you confirm; then only the columns in use remain."
}

// resultText is the summary sentence.
func resultText(d store.Dataset) (strong, rest string) {
	read := fmt.Sprintf("%s and %s were read.", phrase.Count(d.Rows, "row"), phrase.Count(len(d.Profiles), "column"))
	if d.State == store.Kept {
		read = fmt.Sprintf("%s of %s are kept.", phrase.Count(len(d.Profiles), "column"), phrase.Count(d.Rows, "row"))
	}
	ask, left, stop := 0, 0, ""
	for _, w := range d.Warnings {
		switch {
		case w.Level == "ask" && answerable(d, w):
			ask++
		case w.Level == "ask":
			left++
		}
		if w.Level == "stop" && stop == "" {
			stop = w.Message
		}
	}
	switch {
	case d.Choice.Outcome == "":
		return read, datasets.OpenQuestion(d)
	case stop != "":
		return read, stop
	case ask == 1:
		return read, "One question needs your answer before a model can be trusted."
	case ask > 1:
		return read, phrase.UpperFirst(phrase.Numeral(ask)) +
			" questions need your answer before a model can be trusted."
	}
	return read, leftOpen(left)
}

// leftOpen gives the number of questions that were unanswered when the file was deleted.
func leftOpen(n int) string {
	switch n {
	case 0:
		return "Nothing needs your attention."
	case 1:
		return "One question was left open when the file was wiped."
	}
	return phrase.UpperFirst(phrase.Numeral(n)) + " questions were left open when the file was wiped."
}

// openQuestions counts the questions that can still be answered, and what prevents training.
func openQuestions(d store.Dataset) (n int) {
	for _, w := range d.Warnings {
		if w.Level == "stop" || w.Level == "ask" && answerable(d, w) {
			n++
		}
	}
	return n
}

func openText(d store.Dataset) string {
	if n := openQuestions(d); n > 0 {
		return fmt.Sprintf("%d open", n)
	}
	return ""
}

// fileGoes says what happens to an upload when its data are used.
const fileGoes = "Going on deletes the uploaded file from this machine and keeps the columns in use."

// validates says which validation the button beside it does.
const validates = " Validate and save cross-validates the model on these rows, or holds out a part of very many."

// barView sums up the training data.
func barView(d store.Dataset, t *table.Table) *templates.DataBar {
	b := &templates.DataBar{}
	predictors := datasets.Predictors(d, t)
	c := d.Choice
	b.Strong = "No outcome"
	if c.Outcome != "" {
		b.Strong = c.Outcome
		if len(c.Positive) > 0 {
			b.Strong += " = " + c.Positive.String()
		}
	}
	parts := []string{phrase.Count(len(predictors), "predictor"), phrase.Count(check.Parameters(t, predictors),
		"parameter"), phrase.Count(d.Rows, "row")}
	if c.Outcome == "" { // any of the columns may become it
		parts = []string{phrase.Count(len(t.Columns), "column"), phrase.Count(d.Rows, "row")}
	}
	if g := t.Column(c.Group); g != nil {
		parts = append(parts, fmt.Sprintf("%s in %s", phrase.Count(g.Distinct, "group"), g.Name))
	}
	b.Rest = ", " + strings.Join(parts, ", ")
	if d.State == store.Kept {
		b.Stratify = "/stratify/" + d.ID
	} else {
		b.Note = fileGoes
	}
	b.Refused = Refusal(d)
	if b.Refused != "" {
		b.Stratify, b.Note = "", ""
	}
	return b
}

// Refusal says why no model can be trained yet.
func Refusal(d store.Dataset) string {
	predicts := func(p table.Profile) bool { return p.Role == table.Predictor }
	for _, w := range d.Warnings {
		if w.Level == "stop" {
			return w.Message
		}
	}
	if why := datasets.OpenQuestion(d); why != "" {
		return why
	}
	switch {
	case len(d.Choice.Positive) == 0:
		return "Which values of " + d.Choice.Outcome + " are the event? A " +
			"multiclass model, offered under Outcome, needs no event."
	case !hasOther(d):
		return "Which values of " + d.Choice.Outcome + " are non-events? Choose them first."
	case !slices.ContainsFunc(d.Profiles, predicts):
		return "No column is left to predict from."
	}
	return ""
}

// hasOther reports whether a level is used as the non-event.
func hasOther(d store.Dataset) bool {
	for _, use := range datasets.LevelUses(d) {
		if use == datasets.UseOther {
			return true
		}
	}
	return false
}

// fixedText says how a deleted file was read.
func fixedText(d store.Dataset) string {
	how := "Read as " + encodingName(d.Dialect.Encoding) + " with " + delimiterNames[d.Dialect.Delimiter] +
		" between cells"
	if d.Dialect.Format == "xlsx" {
		how = "Read from the sheet " + d.Dialect.Sheet
	}
	if d.Dialect.Decimal == "," {
		how += " and decimal commas"
	}
	return how + ". To read it another way, upload the file again."
}

// shortList names at most as many as given.
func shortList(names []string, most int) string {
	if len(names) > most {
		return phrase.Count(len(names), "level")
	}
	return strings.Join(names, ", ")
}

// signed writes a code with a minus sign in place of a hyphen.
func signed(code string) string {
	if strings.HasPrefix(code, "-") {
		return "\u2212" + code[1:]
	}
	return code
}

var delimiterNames = map[string]string{",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}

// rangeOf are a column's least and largest value, with the dash, or its levels as one text.
func rangeOf(p table.Profile) []string {
	switch {
	case p.Type == table.Date && p.Min != nil:
		return []string{phrase.Date(*p.Min) + phrase.NBSP + "–", phrase.Date(*p.Max)}
	case p.Min != nil:
		return []string{viz.Short(*p.Min, 6) + phrase.NBSP + "–", viz.Short(*p.Max, 6)}
	case len(p.Levels) > 0:
		names := make([]string, len(p.Levels))
		for i, l := range p.Levels {
			names[i] = l.Level
		}
		return []string{shortList(names, 3)}
	}
	return nil
}
