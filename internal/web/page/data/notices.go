package data

import (
	"fmt"
	"slices"
	"strings"

	"taper/internal/engine/check"
	"taper/internal/engine/phrase"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/internal/web/format"
	"taper/web/templates"
)

// noticesView is the list of questions and notes.
func noticesView(d store.Dataset, at string) []templates.Notice {
	var out []templates.Notice
	for i, w := range check.Sort(slices.Clone(d.Warnings)) {
		n := templates.Notice{ID: fmt.Sprintf("q%d", i)}
		n.Fact, n.Text = format.Fact(w)
		offered := offeredChoices(d, w)
		if w.Code == "missing-values" {
			n.Table = missingTable(d)
		}
		switch {
		case w.Level == "ask" && len(offered) > 0:
			n = askNotice(d, at, w)
			n.ID = fmt.Sprintf("q%d", i)
		case w.Level == "ask":
			n.Text = strings.TrimSpace(n.Text + " Not answered, so left unchanged. To change this, upload the file again.")
		case w.Level == "stop":
			n.Kind = "stop"
		case w.Settled:
			n.Kind = "done"
			n.Undo, n.More = undoButtons(d, at, w, offered)
		default:
			for _, c := range offered {
				n.More = append(n.More, answerButton(at, w, c))
			}
		}
		out = append(out, n)
	}
	return out
}

// SameFileNotice says that the same file was uploaded before, with a link to that dataset.
func SameFileNotice(d, same store.Dataset, l Loss) templates.Notice {
	return templates.Notice{ID: "same-file", Fact: "The same file is already here as ‘" + same.Name + "’.",
		Text: fmt.Sprintf("Its SHA-256 is the same. It was added on %s and has %s. Use that one instead?",
			same.Created.Local().Format("2 January 2006"), phrase.Count(same.Runs, "run")),
		Buttons: []templates.Button{{Label: "Open ‘" + same.Name + "’", URL: l.On("/data/" + same.ID)},
			{Label: "Delete this copy", URL: "/data/" + d.ID + "/delete", Dialog: "delete-" + d.ID}}}
}

// missingTable counts the missing values of each predictor that has some.
func missingTable(d store.Dataset) *templates.Table {
	t := &templates.Table{Label: "Missing values by column", Columns: []templates.Column{{Label: "Column"},
		{Label: "Missing", Unit: "rows", Num: true}, {Label: "Share", Num: true}}}
	profiles := slices.DeleteFunc(slices.Clone(d.Profiles), func(p table.Profile) bool {
		return p.Role != table.Predictor || p.Missing == 0
	})
	slices.SortStableFunc(profiles, func(a, b table.Profile) int { return b.Missing - a.Missing })
	for _, p := range profiles {
		t.Rows = append(t.Rows, templates.Row{Cells: []templates.Cell{{Text: p.Name}, {Text: phrase.Int(p.Missing)},
			{Text: phrase.Share(p.Missing, d.Rows)}}})
	}
	return t
}

// firstNotices is the number of questions and notes shown at once: the twelve most serious, and all that prevent
// training.
func firstNotices(all []templates.Notice) int {
	const shown = 12
	n := min(shown, len(all))
	for n < len(all) && all[n].Kind == "stop" {
		n++
	}
	return n
}

// Harmful lists the questions that Stratify asks before it deletes the upload.
func Harmful(d store.Dataset) []table.Warning {
	if d.State == store.Kept {
		return nil
	}
	return slices.DeleteFunc(check.OpenQuestions(d.Warnings), func(w table.Warning) bool { return !answerable(d, w) })
}

// QuestionsText says how many questions Harmful lists, and out of how many where others are open too.
func QuestionsText(d store.Dataset) string {
	n, open := len(Harmful(d)), openQuestions(d)
	count := phrase.UpperFirst(phrase.Numeral(n))
	switch {
	case open > n:
		return count + " of the " + phrase.Numeral(open) + " open questions can change the result."
	case n == 1:
		return count + " open question can change the result."
	}
	return count + " open questions can change the result."
}

// askView is the dialog that Stratify opens while serious questions are open.
func askView(d store.Dataset, at, refused string) *templates.DataAsk {
	v := &templates.DataAsk{Title: "No open question can change the result.", Refused: refused,
		Text: fileGoes}
	for _, w := range Harmful(d) {
		n := askNotice(d, at, w)
		for i := range n.Buttons {
			n.Buttons[i].Fields = append(n.Buttons[i].Fields, templates.Field{Name: "ask", Value: "1"})
		}
		v.Notices = append(v.Notices, n)
	}
	if len(v.Notices) > 0 {
		v.Title = QuestionsText(d)
		v.Text = "Going on deletes the uploaded file from this machine, and some answers need it. Every result names the " +
			"questions left open."
	}
	return v
}

// askNotice is a question with its answers.
func askNotice(d store.Dataset, at string, w table.Warning) templates.Notice {
	n := templates.Notice{Kind: "ask"}
	n.Fact, n.Text = format.Fact(w)
	for k, c := range offeredChoices(d, w) {
		b := answerButton(at, w, c)
		if k == 0 && w.Code != "which-event" { // no event is proposed
			b.Kind = "1"
		}
		n.Buttons = append(n.Buttons, b)
	}
	return n
}

// answerable reports whether a question can still be answered.
func answerable(d store.Dataset, w table.Warning) bool { return len(offeredChoices(d, w)) > 0 }

// offeredChoices are the choices that are possible now: without the file nothing can be read again, and a note
// needs no choice that changes nothing.
func offeredChoices(d store.Dataset, w table.Warning) []table.Choice {
	var out []table.Choice
	for _, c := range w.Choices {
		if d.State == store.Kept && needsFile(c) || w.Level != "ask" && changesNothing(c) {
			continue
		}
		out = append(out, c)
	}
	if len(out) == 1 && changesNothing(out[0]) && d.State == store.Kept {
		return nil // only "keep" would be left
	}
	return out
}

func changesNothing(c table.Choice) bool {
	return c.Column == nil && c.Columns == nil && c.Dialect == nil && c.Outcome == nil
}

func needsFile(c table.Choice) bool {
	specs := slices.Clone(c.Columns)
	if c.Column != nil {
		specs = append(specs, *c.Column)
	}
	return c.Dialect != nil || len(table.Options{Columns: specs}.Reading().Columns) > 0
}

// undoButtons undo settled questions.
func undoButtons(d store.Dataset, at string, w table.Warning,
	offered []table.Choice) (undo *templates.Button, more []templates.Button) {
	if slices.Contains(d.Options.Settled, w.Key()) {
		return &templates.Button{Label: "Undo", URL: at, Method: "POST",
			Fields: []templates.Field{{Name: "reopen", Value: w.Key()}}}, nil
	}
	if what := resets[w.Code]; what != "" && d.State != store.Kept && treated(d, w.Column, what) {
		undo = &templates.Button{Label: "Undo", URL: at, Method: "POST",
			Fields: []templates.Field{{Name: "reset:" + w.Column, Value: what}}}
		return undo, nil
	}
	for i, c := range offered {
		b := answerButton(at, w, c)
		if i == 0 {
			undo = &b
		} else {
			more = append(more, b)
		}
	}
	return undo, more
}

// resets are the treatments of a column's texts that a settled warning can undo.
var resets = map[string]string{"joined-levels": "join_levels", "odd-text": "non_numeric",
	"quoted-values": "strip_quotes"}

func treated(d store.Dataset, column, what string) bool {
	return slices.ContainsFunc(d.Options.Columns, func(s table.ColumnSpec) bool {
		return s.Name == column && (what == "join_levels" && s.JoinLevels || what == "non_numeric" && s.NonNumeric != "" ||
			what == "strip_quotes" && s.StripQuotes)
	})
}

func answerButton(at string, w table.Warning, c table.Choice) templates.Button {
	return templates.Button{Label: c.Label, URL: at, Method: "POST",
		Fields: []templates.Field{{Name: "warning", Value: w.Key()}, {Name: "choice", Value: c.Label}}}
}
