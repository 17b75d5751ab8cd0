package runlist

import (
	"slices"

	"taper/internal/app"
	"taper/internal/engine/phrase"
	"taper/internal/store"
	"taper/web/templates"
)

// DeleteDialog asks for confirmation before runs are deleted, with their names and the numbers of lost records.
func DeleteDialog(runs []store.Run, back string) (templates.Dialog, []string) {
	var names []string
	var fields []templates.Field
	rows, open, bare := 0, 0, 0
	for _, r := range runs {
		names = append(names, r.Name)
		fields = append(fields, templates.Field{Name: "id", Value: r.ID})
		if r.Wiped.IsZero() {
			rows += r.Summary.N
		} else {
			bare++
		}
		if !app.HasEnded(r.Status) {
			open++
		}
	}
	d := templates.Dialog{ID: "ask", Question: "Delete ‘" + names[0] + "’?", Keep: "Keep",
		Do: templates.Button{Label: "Delete run", Icon: "trash", Kind: "bad", Method: "POST", URL: "/runs/delete",
			Fields: slices.Concat(fields, []templates.Field{{Name: "back", Value: back}})}}
	what := "Its result, its model and " + phrase.Count(rows, "scored row") + " are"
	if len(runs) > 1 {
		d.Question, d.Do.Label = "Delete "+phrase.Count(len(runs), "run")+"?", "Delete "+phrase.Count(len(runs), "run")
		what = "Their results, their models and " + phrase.Count(rows, "scored row") + " are"
	}
	stay := "the data stay"
	switch {
	case bare == len(runs):
		what, stay = map[bool]string{true: "Its model and its report are",
			false: "Their models and their reports are"}[bare == 1], "the data are gone already"
	case bare > 0:
		stay = "the data that are still there stay"
	case rows == 0:
		what = map[bool]string{true: "Its record is", false: "Their records are"}[len(runs) == 1]
	}
	d.Text = what + " wiped from this machine; " + stay + ". This cannot be undone."
	if open > 0 {
		d.Text = phrase.UpperFirst(phrase.Numeral(open)) + map[bool]string{true: " is", false: " are"}[open == 1] +
			" still at work and will be stopped. " + d.Text
	}
	return d, names
}
