package web

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/study/stored"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/format"
	"taper/internal/web/httpio"
	"taper/internal/web/page/studyreport"
	"taper/web/templates"
)

// showStudy reads what of a study is asked for.
func (s *Server) showStudy(c echo.Context, path string, spec study.Spec,
	cells []study.Cell) (v studyreport.Report, err error) {
	if v, err = studyreport.New(path, spec, cells, c.QueryParam("metric")); err != nil {
		return v, err
	}
	v.Host = c.Request().Host
	if spec.Dataset.ID != "" {
		if d, err := s.db.Dataset(c.Request().Context(), spec.Dataset.ID); err == nil {
			v.Data = d.Name // a study outlives its data
		}
	}
	if v.Setting, err = httpio.Whole(c, "setting", -1, 0, 1<<20); err != nil {
		return v, err
	}
	v.Page, err = httpio.Whole(c, "page", 1, 1, 1<<30)
	return v, err
}

// studyPage answers GET /studies/{id}: the report, partial while it runs.
func (s *Server) studyPage(c echo.Context) error { return s.studyReport(c, http.StatusOK, nil) }

// studyReport is the page of a study, with what went wrong with a request of it.
func (s *Server) studyReport(c echo.Context, status int, problem *templates.Banner) error {
	st, cells, err := s.study(c)
	if err != nil {
		return err
	}
	shown, err := s.showStudy(c, "/studies/"+st.ID, st.Spec, cells)
	if err != nil {
		return err
	}
	if plan, err := s.app.StudyPlan(c.Request().Context(), &st); err == nil {
		shown.Notes = plan.Notes
	}
	shown.Facts = append(shown.SpecFacts(), studyFacts(st)...)
	p := s.page(c, st.Name)
	p.Crumbs = []templates.Link{{Label: "Studies", URL: "/studies"}, {Label: shown.FigureName()}}
	v := shown.View()
	v.Files = []templates.Button{
		{Label: "Cells as CSV", Icon: "download", URL: "/api/v1/studies/" + st.ID + "/cells.csv", Dropped: true},
		{Label: "Every replicate as CSV", Icon: "download", URL: "/api/v1/studies/" + st.ID + "/cells.csv?of=replicates",
			Dropped: true},
		{Label: "JSON", Icon: "document", URL: "/api/v1/studies/" + st.ID},
	}
	s.studyState(st, &v)
	if shown.Empty() && st.Status != store.Done {
		v.Empty = &templates.Empty{Title: "No numbers yet",
			Text: "The figure is drawn with the first unit that is done, and grows with the others."}
	}
	if problem != nil {
		v.Banner = problem
	}
	v.Outside = outsideView(st, cells)
	p.Result = shown.Sentence(st.Status)
	p.Actions = templates.Buttons(studyActions(st)...)
	return s.render(c, status, templates.StudyPage(p, v))
}

// studyState shows how far a study is that is not done.
func (s *Server) studyState(st store.Study, v *templates.Study) {
	path := "/studies/" + st.ID
	post := func(label, icon, what string) templates.Button {
		return templates.Button{Label: label, Icon: icon, Method: "POST", URL: path + "/" + what}
	}
	units := strconv.Itoa(st.Done) + " of " + strconv.Itoa(st.Units) + " units"
	switch st.Status {
	case store.Queued, store.Running:
		v.Live = path + "/live"
		v.Progress = &templates.Progress{ID: "study", Step: "Waiting for the study before it", Events: "/api/v1/studies/" +
			st.ID + "/events", Percent: doneShare(st.Done, st.Units)}
		if e, ok := s.app.Jobs.Progress(st.ID); ok && st.Status == store.Running {
			v.Progress.Step, v.Progress.Percent, v.Progress.Time = cmp.Or(e.Progress.Message, units), 100*e.Progress.Fraction,
				format.TimeLeft(e.Progress)
		}
		v.Controls = []templates.Button{post("Pause", "pause", "pause"), post("Cancel", "stop", "cancel")}
	case store.Paused, store.Interrupted, store.Cancelled, store.Failed:
		again := post("Resume", "play", "resume")
		v.Banner = &templates.Banner{Fact: format.UpperFirst(st.Status) + " after " + units + ".", Text: st.Error +
			" What is done stays: going on computes only the rest.", Bad: st.Status == store.Failed, Button: &again}
		v.Banner.Text = strings.TrimSpace(strings.TrimPrefix(v.Banner.Text, "Cancelled."))
	}
}

// doneShare is done of all in per cent.
func doneShare(done, all int) float64 {
	if all == 0 {
		return 0
	}
	return 100 * float64(done) / float64(all)
}

func studyActions(st store.Study) []templates.Button {
	buttons := []templates.Button{}
	if st.Spec.Preset == "" && len(st.Spec.Noise.Rates) > 1 {
		buttons = append(buttons, templates.Button{Label: "Show it to someone", Icon: "screen", URL: "/robustness?study=" +
			st.ID})
	}
	return append(buttons,
		templates.Button{Label: "Change and run again", Icon: "pencil", URL: "/studies/new?study=" + st.ID},
		templates.Button{Label: "Delete", Icon: "trash", Kind: "bad", URL: "/studies/" + st.ID + "/delete"})
}

func studyFacts(st store.Study) []templates.Fact {
	facts := []templates.Fact{{Label: "Made", Value: st.Created.UTC().Format("2 January 2006, 15:04") + " UTC, Taper " +
		st.Version}}
	if st.Elapsed > 0 {
		facts = append(facts, templates.Fact{Label: "At work", Value: format.Duration(st.Elapsed)})
	}
	return append(facts, templates.Fact{Label: "Id", Value: st.ID, Mono: true})
}

// studyLive answers GET /studies/{id}/live: what there is so far.
func (s *Server) studyLive(c echo.Context) error {
	st, cells, err := s.study(c)
	if err != nil {
		return err
	}
	shown, err := s.showStudy(c, "/studies/"+st.ID, st.Spec, cells)
	if err != nil {
		return err
	}
	return sendParts(c, map[string]templ.Component{"study-body": templates.StudyBodyView(shown.Body())})
}

// studyPresetPage answers GET /studies/preset/{preset}: the stored result.
func (s *Server) studyPresetPage(c echo.Context) error {
	p, ok := paper.Presets.ByID(c.Param("preset"))
	if !ok {
		return usererr.New(usererr.NotFound, "There is no preset %.40q.", c.Param("preset"))
	}
	path := "/studies/preset/" + p.ID
	r, has := stored.Get(p.ID)
	if !has {
		r.Spec = study.Spec{Preset: p.ID, Size: study.Quick, Seed: 1}
	}
	shown, err := s.showStudy(c, path, r.Spec, r.Cells)
	if err != nil {
		return err
	}
	shown.Notes = r.Notes
	page := s.page(c, p.Title)
	page.Crumbs = []templates.Link{{Label: "Studies", URL: "/studies"}, {Label: shown.FigureName()}}
	page.Actions = templates.Buttons(s.presetRuns(p)...)
	shown.Facts = shown.SpecFacts()
	v := templates.Study{}
	if has {
		shown.Facts = append(shown.Facts, storedFacts(r)...)
		page.Result = shown.Sentence(store.Done)
		v = shown.View()
		v.Files = []templates.Button{
			{Label: "Cells as CSV", Icon: "download", URL: path + "/cells.csv", Dropped: true},
			{Label: "Every replicate as CSV", Icon: "download", URL: path + "/cells.csv?of=replicates", Dropped: true},
			{Label: "JSON", Icon: "download", URL: path + "/result.json", Dropped: true},
		}
	} else {
		v = shown.View()
		page.Result = templates.Sentence("No result ships with the program.", "Run it here.")
		if s.shelf.plan(p, study.Quick).alone {
			page.Result = templates.Sentence("No result ships with the program:",
				"these numbers are times, and times are the machine’s own.")
		}
		v.Empty = &templates.Empty{Title: "Nothing computed yet", Text: "Run it here: the page fills as the units finish.",
			Buttons: s.presetRuns(p)[:1]}
	}
	return s.render(c, http.StatusOK, templates.StudyPage(page, v))
}

// presetRuns start a preset in its sizes.
func (s *Server) presetRuns(p study.Preset) []templates.Button {
	run := func(label string, size study.Size, kind string) templates.Button {
		return templates.Button{Label: label, Icon: "play", Kind: kind, Method: "POST", URL: "/studies",
			Fields: []templates.Field{{Name: "preset", Value: p.ID}, {Name: "size", Value: string(size)},
				{Name: "seed", Value: "1"}}}
	}
	change := "Change and run"
	if p.Uploads {
		change = "On my data"
	}
	more := templates.Button{Label: change, Icon: "pencil", URL: "/studies/new?preset=" + p.ID}
	if s.shelf.oneSize(p) {
		return []templates.Button{run("Run here", study.Full, "1"), more}
	}
	return []templates.Button{run("Run quick", study.Quick, "1"), run("Run full", study.Full, ""), more}
}

// storedPreset is the stored result that a path names.
func storedPreset(c echo.Context) (stored.Result, error) {
	r, ok := stored.Get(c.Param("preset"))
	if !ok {
		return r, usererr.New(usererr.NotFound, "No result of %.40q ships with the program.", c.Param("preset"))
	}
	return r, nil
}

// studyPresetCSV answers GET /studies/preset/{preset}/cells.csv?of=.
func (s *Server) studyPresetCSV(c echo.Context) error {
	r, err := storedPreset(c)
	if err != nil {
		return err
	}
	of := c.QueryParam("of")
	if of != "" && of != "cells" && of != "replicates" {
		return usererr.BadField("of", "must be cells or replicates (got %.40q)", of)
	}
	httpio.Attach(c, "text/csv; charset=utf-8", r.ID+"-"+cmp.Or(of, "cells")+".csv")
	if of == "replicates" {
		return study.WriteCSV(c.Response(), r.Cells)
	}
	return study.WriteSummaryCSV(c.Response(), r.Cells)
}

// studyPresetJSON answers GET /studies/preset/{preset}/result.json.
func (s *Server) studyPresetJSON(c echo.Context) error {
	r, err := storedPreset(c)
	if err != nil {
		return err
	}
	httpio.Attach(c, "application/json", r.ID+".json")
	return c.JSON(http.StatusOK, r)
}

// storedFacts label a stored result.
func storedFacts(r stored.Result) []templates.Fact {
	return []templates.Fact{{Label: "Stored result", Value: "Taper " + r.Version + ", " + dayWords(r.Date) +
		", ships with the program"}}
}

// dayWords writes 2026-11-20 as 20 November 2026.
func dayWords(date string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return t.Format("2 January 2006")
}

// study reads the study that a request names, with its cells.
func (s *Server) study(c echo.Context) (store.Study, []study.Cell, error) {
	st, err := s.db.Study(c.Request().Context(), c.Param("id"))
	if err != nil {
		return st, nil, err
	}
	cells, err := s.app.StudyCells(c.Request().Context(), st)
	return st, cells, err
}
