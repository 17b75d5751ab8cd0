// Package run makes the pages of one run, each a document: its result and limits, its performance, its model, and
// the actions it offers.
//
// Binary and multiclass runs have the same pages with different parts; the result determines which. These pages are
// for the screen and show all counts; masking is done by package report. Nothing here reads a request or the store:
// a Record holds what a page is made of.
package run

import (
	"cmp"
	"strconv"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/store"
	"taper/internal/web/boundary"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// Record is a run with what its page shows.
type Record struct {
	Run      store.Run
	Page     Page
	Reading  string              // how the file would be read differently by this version; "" if alike
	Headline resultview.Headline // of a finished run
	Sections []doc.Section       // of its result, as the page shows it
	Verdict  []string            // of a run whose data were deleted, from its report
	Progress *templates.Progress // of an unfinished run
	Forms    doc.View            // forms and actions below the result; nil for none
}

// Answer is the headline of the page with the serious questions that nobody answered, which every page of a result
// shows.
func (r Record) Answer() (strong, rest string, open []templates.Notice) {
	status := phrase.UpperFirst(r.Run.Status) + "."
	switch {
	case !r.Run.Wiped.IsZero():
		if open = resultview.Unanswered(r.Run.Result, nil); r.Page == Result {
			strong, rest = "The model was kept, its data were deleted", "on "+store.Day(r.Run.Wiped)+"."
		}
		return strong, rest, open
	case r.Run.Result != nil:
		return r.Headline.Strong, r.Headline.Rest, r.Headline.Open
	case r.Progress != nil:
		return "This run is " + r.Run.Status + ".", "The page shows its result when it is done.", nil
	}
	return status, strings.TrimPrefix(r.Run.Error, status), nil
}

// Document is the page below its headline.
func (r Record) Document() doc.Document {
	d := doc.Document{Title: r.Run.Name}
	add := func(sections ...doc.Section) { d.Sections = append(d.Sections, sections...) }
	switch {
	case !r.Run.Wiped.IsZero():
		if r.Page == Result {
			kept := templates.BannerView(templates.Banner{Fact: "No row of the data is left on this machine.",
				Text: "The settings, the model and the report as it stood remain; counts of 1 to 9 are masked in it. Names of " +
					"columns and levels stay in the model. Anything that needs the rows is gone: the list of rows, comparisons, " +
					"audits, bootstrap results."})
			add(doc.Section{Body: []doc.Node{doc.Part{View: kept}}},
				doc.Section{ID: "verdict", Title: "Verdict", Class: "sec run-verdict", Body: []doc.Node{doc.List(r.Verdict)}})
		}
		if add(Clinical(r.Sections)...); r.Page == Model {
			add(r.Settings())
		}
	case r.Run.Result != nil:
		add(r.Sections...)
	case r.Progress != nil:
		add(doc.Section{Body: []doc.Node{doc.Form{View: templates.ProgressView(*r.Progress)}}}, r.Settings())
	default:
		again := templates.EmptyView(templates.Empty{Title: "No result",
			Text: "The settings are kept, so the same run can be made again.",
			Buttons: []templates.Button{{Label: "Run it again", Icon: "reset", Kind: "1", Method: "POST",
				URL: "/runs/" + r.Run.ID + "/again"}}})
		add(doc.Section{Body: []doc.Node{doc.Form{View: again}}}, r.Settings())
	}
	if r.Forms != nil {
		add(doc.Section{Body: []doc.Node{doc.Form{View: r.Forms}}})
	}
	return d
}

// KeptPage is the page that shows a section of a kept report. Sections that no page names by title are shown on the
// first, so that nothing of older reports is lost.
func KeptPage(title string, r store.Run) Page {
	switch title {
	case "Performance", "Robustness", "Subgroups":
		return Performance
	case "Classification":
		if r.Spec.Multiclass() { // the answers by true class take the place of strata
			return Result
		}
		return Performance
	case "Data", "Model":
		return Model
	}
	return Result
}

// Clinical groups sections as the report does.
func Clinical(all []doc.Section) []doc.Section {
	for i := range all {
		all[i].Class = "clinical"
	}
	return all
}

// Settings are the settings of a run.
func (r Record) Settings() doc.Section {
	return doc.Section{ID: "spec", Title: "Settings", Class: "sec", Body: []doc.Node{r.settings()}}
}

func (r Record) settings() doc.Facts {
	s := r.Run.Spec
	facts := doc.Facts{
		{Label: "Data", Value: r.Run.DatasetName + ", SHA-256 " + format.Hash(r.Run.DatasetSHA, 8)},
		{Label: "Outcome", Value: s.Outcome + ", event = " + s.Positive.String()},
	}
	if s.Multiclass() {
		facts[1].Value = s.Outcome + ", " + format.Task(s)
	}
	add := func(label, value string) {
		if value != "" {
			facts = append(facts, doc.Fact{Label: label, Value: value})
		}
	}
	add("Non-event class", s.Negative.String())
	add("Scored, not used for training", strings.Join(s.ScoreOnly, ", "))
	if !s.Multiclass() {
		rule, _ := boundary.RuleOf(s.Mode)
		add("Decision rule", strings.ToLower(rule.Label)+", cut at "+boundary.Percents(s.Boundaries))
	}
	add("Model", modelWords(s))
	add("Added label noise", format.LabelNoise(s.Noise))
	if v := s.Review; v != nil {
		what := "reviewed: " + phrase.Count(len(v.Changes), "change")
		if !r.Run.Wiped.IsZero() { // the changes name rows, which were deleted
			what = "reviewed"
		}
		add("Labels", what+" after the audit of run "+v.Parent)
	}
	add("Penalty λ", format.Penalty(s))
	add("Validation", format.Validation(s.Validation))
	add("Seed", strconv.FormatUint(s.Seed, 10))
	predictors := "Predictors"
	if s.Model.Given() {
		predictors = "Predictors of the regression beside it"
	}
	add(predictors, cmp.Or(format.Names(s.Predictors, 10), "every usable column"))
	add("Restricted cubic splines", format.Splines(s))
	add("Groups by", s.Group)
	add("Weights", s.Weights)
	if !r.Run.Wiped.IsZero() {
		add("Data deleted", store.Day(r.Run.Wiped))
	}
	add("Created", r.Run.Created.UTC().Format("2 January 2006, 15:04")+" UTC, Taper "+r.Run.Version)
	add("Data reading", r.Reading)
	return facts
}

func modelWords(s runspec.Spec) string {
	m := s.Model
	if m.Given() {
		return s.Title() + ", as it came with the data"
	}
	text := m.Kind + ", " + s.Title()
	if !m.Penalised() {
		text += ", depth " + strconv.Itoa(m.Depth) + ", coefficients by " + m.ThetaRule
	} else if m.Solver != "" && m.Solver != "auto" {
		text += ", solver " + m.Solver
	}
	return text
}
