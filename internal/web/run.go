package web

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/boundary"
	"taper/internal/web/format"
	"taper/internal/web/httpio"
	"taper/internal/web/page/stratify"
	"taper/internal/web/render"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// runPage answers GET /runs/{id}: progress until the run ends, then what it
// found. With then=report a finished run leads on to its report.
func (s *Server) runPage(c echo.Context) error {
	ctx := c.Request().Context()
	r, err := s.db.Run(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	then := c.QueryParam("then") == "report"
	if then && r.Status == store.Done {
		return c.Redirect(http.StatusSeeOther, "/report/"+r.ID)
	}
	p := s.page(c, r.Name)
	p.Crumbs = []templates.Link{{Label: "Runs", URL: "/runs"}, {Label: r.Name}}
	p.Actions = templates.RunActionsView(runActions(c, r, s.stratifyOf(ctx, r)))
	v := templates.Run{Spec: specFacts(r)}
	switch {
	case !r.Wiped.IsZero():
		if err := s.keptPage(ctx, r, &p, &v); err != nil {
			return err
		}
	case r.Result != nil:
		if note := s.readingNote(ctx, r); note != "" {
			v.Spec = append(v.Spec, templates.Fact{Label: "Reading", Value: note})
		}
		if err := s.finishedRun(c, r, &p, &v); err != nil {
			return err
		}
	case !app.Ended(r.Status):
		s.openRun(r, then, &p, &v)
		v.Use = templates.AboutSection(runAbout(r))
	default:
		v.Use = templates.AboutSection(runAbout(r))
		p.Result = templates.Sentence(format.UpperFirst(r.Status)+".",
			strings.TrimPrefix(r.Error, format.UpperFirst(r.Status)+"."))
		v.Empty = &templates.Empty{Title: "No result", Text: "What was asked is kept, so the same run can be made again.",
			Buttons: []templates.Button{{Label: "Run it again", Icon: "reset", Kind: "1", Method: "POST", URL: "/runs/" + r.ID +
				"/again"}}}
	}
	return s.render(c, http.StatusOK, templates.RunPage(p, v))
}

// openRun shows how far a run is.
func (s *Server) openRun(r store.Run, then bool, p *templates.Page, v *templates.Run) {
	done := "/runs/" + r.ID
	if then {
		done += "?then=report"
	}
	v.Progress = &templates.Progress{ID: "run", Step: "Waiting for the run before it", Events: "/api/v1/runs/" + r.ID +
		"/events", Done: done,
		Cancel: &templates.Button{Label: "Cancel", Icon: "stop", Method: "POST", URL: "/runs/" + r.ID + "/cancel"}}
	if e, ok := s.app.Jobs.Progress(r.ID); ok && r.Status == store.Running {
		v.Progress.Step, v.Progress.Percent, v.Progress.Time = cmp.Or(e.Progress.Message, "Preparing the folds"),
			100*e.Progress.Fraction, format.Elapsed(e.Progress)
	}
	p.Result = templates.Sentence("This run is "+r.Status+".", "The page shows its result when it is done.")
}

// finishedRun shows what a run found.
func (s *Server) finishedRun(c echo.Context, r store.Run, p *templates.Page, v *templates.Run) error {
	ctx := c.Request().Context()
	if r.Result.Classes != nil {
		return s.finishedClasses(ctx, r, p, v)
	}
	band, page, err := bandAndPage(c, len(r.Result.Boundaries))
	if err != nil {
		return err
	}
	on := resultview.Bands{Result: r.Result, Spec: r.Spec, Band: band, Page: page,
		Rows: func() ([]engine.RowScore, error) { return s.db.RunRows(ctx, r.ID) },
		List: func(band, page int) string {
			to := "/runs/" + r.ID + "?band=" + strconv.Itoa(band)
			if page > 1 {
				to += "&page=" + strconv.Itoa(page)
			}
			return to + "#rows-h"
		}}
	res, err := on.View()
	if err != nil {
		return err
	}
	use, err := s.runUse(ctx, r)
	if err != nil {
		return err
	}
	p.Result, p.Open = templates.Sentence(res.Strong, res.Rest), templates.OpenQuestions(res.Open)
	v.Verdict, v.Result, v.Use = engine.Verdict(r.Result), &res, templates.RunUseView(use)
	numbers, err := s.clinicalOf(ctx, r, c.QueryParam("by"), c.QueryParam("order"))
	if err != nil {
		return err
	}
	v.Pictures, v.Clinical, v.Result.Curves = on.Pictures(),
		runSections(numbers.Sections(s.bootstrapProgress(numbers.Refits))),
		render.Parts(numbers.Curves(false))
	asked, err := httpio.Whole(c, "starts", 0, 1, manyStarts)
	if err != nil {
		return err
	}
	if err := s.starts(ctx, r, asked, v.Pictures); err != nil {
		return err
	}
	return nil
}

// runSections are sections of a run's page.
func runSections(all []doc.Section) []templates.Section {
	for i := range all {
		all[i].Class = "clinical"
	}
	return render.Sections(all)
}

// bandAndPage reads which rows of a run are listed.
func bandAndPage(c echo.Context, k int) (band, page int, err error) {
	if band, err = httpio.Whole(c, "band", -1, 0, k); err != nil {
		return 0, 0, err
	}
	page, err = httpio.Whole(c, "page", 1, 1, 1<<30)
	return band, page, err
}

// runCancel answers POST /runs/{id}/cancel.
func (s *Server) runCancel(c echo.Context) error {
	err := s.app.CancelRun(c.Request().Context(), c.Param("id"))
	if err != nil && !usererr.Is(err, usererr.Conflict) { // it has ended by itself: its page says how
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/runs/"+c.Param("id"))
}

// specFacts lists what a run was asked.
func specFacts(r store.Run) []templates.Fact {
	s := r.Spec
	facts := []templates.Fact{
		{Label: "Data", Value: r.DatasetName + ", SHA-256 " + format.Hash(r.DatasetSHA, 8)},
		{Label: "Outcome", Value: s.Outcome + ", event = " + s.Positive.String()},
	}
	if s.Several() {
		facts[1].Value = s.Outcome + ", " + format.Task(s)
	}
	add := func(label, value string) {
		if value != "" {
			facts = append(facts, templates.Fact{Label: label, Value: value})
		}
	}
	add("Other class", s.Negative.String())
	add("Scored only", strings.Join(s.ScoreOnly, ", "))
	if !s.Several() {
		rule, _ := boundary.RuleOf(s.Mode)
		add("Decision rule", strings.ToLower(rule.Label)+", cut at "+boundary.Percents(s.Boundaries))
	}
	add("Model", modelWords(s))
	add("Noise on purpose", format.LabelNoise(s.Noise))
	if v := s.Review; v != nil {
		what := "reviewed: " + format.Count(len(v.Changes), "change")
		if !r.Wiped.IsZero() { // the changes named rows
			what = "reviewed"
		}
		add("Labels", what+" after the audit of run "+v.Parent)
	}
	add("Penalty λ", format.Penalty(s))
	add("Judged by", format.Validation(s.Validation))
	add("Seed", strconv.FormatUint(s.Seed, 10))
	add("Predictors", cmp.Or(format.Names(s.Predictors, 10), "every usable column"))
	add("Curves", format.Splines(s))
	add("Groups by", s.Group)
	add("Weights", s.Weights)
	if !r.Wiped.IsZero() {
		add("Data deleted", store.Day(r.Wiped))
	}
	add("Made", r.Created.UTC().Format("2 January 2006, 15:04")+" UTC, Taper "+r.Version)
	return facts
}

func modelWords(s engine.Spec) string {
	m := s.Model
	text := m.Kind + ", " + s.Title()
	if !m.Penalised() {
		text += ", depth " + strconv.Itoa(m.Depth) + ", coefficients by " + m.ThetaRule
	} else if m.Solver != "" && m.Solver != "auto" {
		text += ", solver " + m.Solver
	}
	return text
}

// stratifyOf is the page of a run's spec, "" where the page cannot show it or
// the data are gone.
func (s *Server) stratifyOf(ctx context.Context, r store.Run) string {
	d, err := s.db.Dataset(ctx, r.Dataset)
	st, shows := stratify.OfRun(r.Spec, d)
	if err != nil || !shows {
		return ""
	}
	return st.URL()
}
