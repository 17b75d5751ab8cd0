package run

import (
	"encoding/json"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/task"
	"taper/internal/store"
	"taper/internal/web/format"
	"taper/web/templates"
)

// About is the form of name and notes.
func About(r store.Run) templates.RunAbout {
	return templates.RunAbout{URL: Result.URL(r.ID), Name: r.Name, Notes: r.Notes}
}

// Actions are the buttons of a run's page; stratify is the page with its spec, "" where there is none, and host
// that of the request.
func Actions(r store.Run, host, stratify string) templates.RunActions {
	to, api := Result.URL(r.ID), "/api/v1/runs/"+r.ID
	var a templates.RunActions
	if !r.Wiped.IsZero() {
		a.More = append(takeAway(r), templates.Button{Label: "Delete", Kind: "bad", URL: to + "/delete"})
		return a
	}
	if stratify != "" {
		a.Main = append(a.Main, templates.Button{Label: "Open in stratify", Icon: "go", URL: stratify})
	}
	if r.Status == store.Done && r.Result != nil && r.Result.Classes == nil {
		a.Main = append(a.Main, templates.Button{Label: "Show my group", Icon: "screen", URL: to + "/group"})
	}
	if r.Status == store.Done {
		if v := r.Spec.Review; v != nil && v.Parent != "" {
			a.More = append(a.More, templates.Button{Label: "Beside its parent", URL: "/audit/" + v.Parent + "/beside/" + r.ID},
				templates.Button{Label: "Open the parent run", URL: Result.URL(v.Parent)})
		}
		a.More = append(a.More,
			templates.Button{Label: "Compare with others", URL: "/runs?ids=" + r.ID},
			templates.Button{Label: "Rows as CSV", URL: api + "/rows?format=csv", Dropped: true})
		a.More = append(a.More, takeAway(r)...)
		a.More = append(a.More,
			templates.Button{Label: "Verdict card, SVG", URL: Report.URL(r.ID) + "/card.svg", Dropped: true},
			templates.Button{Label: "Verdict card, PNG", URL: Report.URL(r.ID) + "/card.png", Dropped: true})
	}
	if r.Result == nil || !r.Result.IsRecalibrated() { // its settings make the run that it came from
		a.More = append(a.More,
			templates.Button{Label: "Copy the API call", Copy: apiCall(host, r.Spec)},
			templates.Button{Label: "Run again", Method: "POST", URL: to + "/again"})
	}
	a.More = append(a.More, templates.Button{Label: "Delete", Kind: "bad", URL: to + "/delete"})
	return a
}

// exportable reports whether the model of a run can be exported without its rows. A kernel model is a sum over
// training rows, and predictions that came with the data have no known model.
func exportable(r store.Run) bool {
	if r.Result != nil && r.Result.Classes != nil && r.Result.Classes.Rule == task.RuleMixture {
		return false // a linear program for each row
	}
	return !r.Spec.Model.Kernelled() && !r.Spec.Model.Given()
}

// takeAway are the files that score without this program.
func takeAway(r store.Run) []templates.Button {
	if r.Spec.Model.Given() {
		return nil
	}
	all := []templates.Button{
		{Label: "Model as JSON", URL: "/api/v1/runs/" + r.ID + "/model.json?download=1", Dropped: true}}
	if exportable(r) {
		all = append(all, templates.Button{Label: "Calculator, one file", URL: Result.URL(r.ID) + "/calculator.html"})
		if r.Wiped.IsZero() && !r.Result.IsRecalibrated() {
			all = append(all, templates.Button{Label: "Bundle to verify, ZIP", URL: Result.URL(r.ID) + "/bundle.zip",
				Dropped: true}, templates.Button{Label: "Verify a bundle", URL: "/verify"})
		}
		for _, as := range [][2]string{{"JavaScript", "javascript"}, {"Python", "python"}, {"R", "r"},
			{"SQL, for SQLite", "sql"}, {"SQL, for PostgreSQL", "postgresql"}, {"an equation in words", "words"},
			{"LaTeX", "latex"}} {
			if strings.HasPrefix(as[0], "SQL") && !r.Result.Link.ClosedForm() {
				continue
			}
			all = append(all, templates.Button{Label: "Model as " + as[0], URL: "/api/v1/runs/" + r.ID + "/code/" + as[1],
				Dropped: true})
		}
	}
	return all
}

// Next are the next steps after a result; stratify is the page with its spec, "" where there is none, and refits the
// bootstrap of the run, nil before it was started.
func Next(r store.Run, stratify string, refits *store.Bootstrap) doc.Section {
	var all []templates.NextStep
	add := func(label, url, say string) { all = append(all, templates.NextStep{Label: label, URL: url, Say: say}) }
	given := r.Spec.Model.Given()
	if given {
		add("Compare with a model of these data", "/runs?ids="+r.ID,
			"Differences on the rows that both share, with intervals.")
	} else {
		add("Score new patients", Patients.URL(r.ID), "A file or one patient. Nothing you enter is stored.")
		add("Validate on other data", Patients.URL(r.ID)+"#score",
			"External validation: a file of other patients that includes ‘"+phrase.Shorten(r.Spec.Outcome, 40)+"’.")
	}
	if !r.Spec.Multiclass() && !r.Result.IsRecalibrated() && !given {
		label, say := bootstrapStep(refits)
		add(label, Performance.URL(r.ID)+"#optimism-h", say)
	}
	if Has(r, Audit) {
		add("Audit the labels", Audit.URL(r.ID), "Labels that the model confidently disagrees with.")
	}
	if stratify != "" {
		add("Change the settings", stratify, "Boundaries, method and predictors, with the result beside them.")
	}
	if exportable(r) {
		add("Take it with you", Result.URL(r.ID)+"/calculator.html",
			"A calculator in one file. It needs no network, and checks that its scores equal those of this run.")
	}
	add("Print the report", Report.URL(r.ID), "One file with tables, figures and limits.")
	return doc.Section{ID: "next", Title: "What next", Class: "sec",
		Body: []doc.Node{doc.Form{View: templates.NextSteps(all)}}}
}

// bootstrapStep is the step to the bootstrap of a run: to start it, to watch it, or to read its result.
func bootstrapStep(b *store.Bootstrap) (label, say string) {
	switch {
	case b != nil && b.Result != nil:
		say = "Done: " + phrase.Int(b.Result.Replicates) + " refits"
		if m := b.Result.Stability.Mean; m != nil {
			say += "; on average a row falls into another band in " + format.PercentOf(m) + " of them"
		}
		return "See optimism and stability", say + "."
	case b != nil && b.Finished.IsZero():
		return "Watch the bootstrap", "It is running: " + phrase.Int(b.Replicates) + " refits show how stable the bands are."
	}
	return "Correct for optimism", "Refits on bootstrap samples show how stable the bands are."
}

// Stability says beside the forms for patients how stable an answer is, or that nobody estimated it; "" for a
// recalibrated run, whose refits are those of its parent.
func Stability(r store.Run, refits *store.Bootstrap) string {
	switch {
	case r.Spec.Multiclass():
		return "How stable an answer is was not estimated: multiclass runs have no bootstrap."
	case r.Result.IsRecalibrated():
		return ""
	case refits != nil && refits.Result != nil && refits.Result.Stability.Mean != nil:
		b := refits.Result
		return "In " + phrase.Int(b.Replicates) + " bootstrap refits a row fell into another band than here in " +
			format.PercentOf(b.Stability.Mean) + " of them, on average; near a cut-off in more."
	case !r.Wiped.IsZero():
		return "How often refits would put a patient into another band cannot be estimated: the rows were deleted."
	case refits != nil && refits.Finished.IsZero():
		return "How often refits put a patient into another band is being estimated: see Performance."
	}
	return "How often refits would put a patient into another band was not estimated: start the bootstrap on Performance."
}

// apiCall is the shell command that makes the same run.
func apiCall(host string, spec runspec.Spec) string {
	j, err := json.Marshal(spec)
	if err != nil {
		return "" // it was stored as JSON, so it encodes
	}
	quoted := "'" + strings.ReplaceAll(string(j), "'", `'\''`) + "'"
	return "curl -X POST http://" + host + "/api/v1/runs -H 'Content-Type: application/json' -d " + quoted
}
