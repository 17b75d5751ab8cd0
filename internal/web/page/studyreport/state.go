package studyreport

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"taper/internal/app"
	"taper/internal/engine/job"
	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/study/stored"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/progress"
	"taper/web/templates"
)

// Item is a line in the list of the user's own studies.
func Item(st store.Study, now time.Time) templates.StudyItem {
	item := templates.StudyItem{URL: "/studies/" + st.ID, Name: st.Name, Status: templates.Status(st.Status),
		Done: strconv.Itoa(st.Done) + " of " + strconv.Itoa(st.Units), Percent: doneShare(st.Done, st.Units),
		Open: !app.HasEnded(st.Status), Worked: viz.None,
		Made: format.Ago(st.Created, now), MadeAt: st.Created.UTC().Format(time.RFC3339), Ask: "/studies/" + st.ID +
			"/delete"}
	if st.Elapsed > 0 {
		item.Worked = format.Duration(st.Elapsed)
	}
	if item.Open {
		item.Control = controlOf(st.ID, "Pause", "pause", "pause")
	} else if st.Status != store.Done {
		item.Control = controlOf(st.ID, "Resume", "play", "resume")
	}
	if p, ok := paper.Presets.ByID(st.Spec.Preset); ok {
		item.Sub = p.Figure + ", " + string(st.Spec.Size)
	} else {
		item.Sub = strings.Join([]string{phrase.Count(len(st.Spec.Models), "model"),
			phrase.Count(len(st.Spec.Noise.Rates), "rate"), phrase.Count(st.Spec.Replicates, "replicate")}, ", ")
	}
	return item
}

// controlOf is a button that pauses, resumes or cancels a study.
func controlOf(id, label, icon, what string) templates.Button {
	return templates.Button{Label: label, Icon: icon, Method: "POST", URL: "/studies/" + id + "/" + what}
}

// ShowState adds the progress of an unfinished study to its page. work is the progress of its job, nil where it is
// unknown.
func ShowState(st store.Study, work *job.Event, v *templates.Study) {
	jobs := strconv.Itoa(st.Done) + " of " + strconv.Itoa(st.Units) + " jobs"
	switch st.Status {
	case store.Queued, store.Running:
		v.Live = "/studies/" + st.ID + "/live"
		v.Progress = &templates.Progress{Job: st.ID, Step: jobs, Percent: doneShare(st.Done, st.Units)}
		if work != nil {
			progress.Show(v.Progress, *work)
		}
		v.Controls = []templates.Button{controlOf(st.ID, "Pause", "pause", "pause"),
			controlOf(st.ID, "Cancel", "stop", "cancel")}
	case store.Paused, store.Interrupted, store.Cancelled, store.Failed:
		again := controlOf(st.ID, "Resume", "play", "resume")
		v.Banner = &templates.Banner{Fact: phrase.UpperFirst(st.Status) + " after " + jobs + ".", Text: st.Error +
			" Results are kept; Resume computes only the rest.", Bad: st.Status == store.Failed, Button: &again}
		v.Banner.Text = strings.TrimSpace(strings.TrimPrefix(v.Banner.Text, "Cancelled."))
	}
}

// doneShare is done/all in per cent.
func doneShare(done, all int) float64 {
	if all == 0 {
		return 0
	}
	return 100 * float64(done) / float64(all)
}

// Actions are the buttons of a study.
func Actions(st store.Study) []templates.Button {
	buttons := []templates.Button{}
	if st.Spec.Preset == "" && len(st.Spec.Noise.Rates) > 1 {
		buttons = append(buttons, templates.Button{Label: "Show it to someone", Icon: "screen", URL: "/robustness?study=" +
			st.ID})
	}
	return append(buttons,
		templates.Button{Label: "Change and run again", Icon: "pencil", URL: "/studies/new?study=" + st.ID},
		templates.Button{Label: "Delete", Icon: "trash", Kind: "bad", URL: "/studies/" + st.ID + "/delete"})
}

// Facts are the facts of a study that was run here.
func Facts(st store.Study) []templates.Fact {
	facts := []templates.Fact{{Label: "Made", Value: st.Created.UTC().Format("2 January 2006, 15:04") + " UTC, Taper " +
		st.Version}}
	if st.Elapsed > 0 {
		facts = append(facts, templates.Fact{Label: "Run time", Value: format.Duration(st.Elapsed)})
	}
	return append(facts, templates.Fact{Label: "Id", Value: st.ID, Mono: true})
}

// StoredFacts are the facts of a stored result.
func StoredFacts(r stored.Result) []templates.Fact {
	return []templates.Fact{{Label: "Stored result", Value: "Taper " + r.Version + ", " + DayWords(r.Date) +
		", ships with the program"}}
}

// DayWords writes 2026-11-20 as 20 November 2026.
func DayWords(date string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return t.Format("2 January 2006")
}

// ExternalModelView asks for the predictions of another program; nil where the study does not allow them.
func ExternalModelView(st store.Study, cells []study.Cell) *templates.StudyExternalModel {
	o, err := app.OutsideMethod(st)
	if err != nil {
		return nil
	}
	v := &templates.StudyExternalModel{Title: "Add " + o.Name, Rows: "/studies/" + st.ID + "/rows.csv",
		To: "/studies/" + st.ID + "/outside",
		Text: "Train " + o.Name + " on the rows of each replicate whose part is train, with their corrupted labels, and " +
			"predict those whose part is test. The predictions are tested against the clean labels, which stay here.",
		Columns: "CSV with the columns " + o.Place + ", replicate, row, prediction: 0, 1, or the probability of 1"}
	if slices.ContainsFunc(cells, func(c study.Cell) bool { return c.Model == o.Model() }) {
		v.Text += " Another file replaces the one in the figure."
	}
	return v
}
