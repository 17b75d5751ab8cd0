package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/httpio"
	"taper/web/templates"
)

// studiesShown is the number of the user's own studies on a page.
const studiesShown = 20

// papers are the headings of the presets by the first part of their ids.
var papers = []struct{ prefix, title string }{
	{"amid", "Two-temperature logistic regression (Amid, Warmuth, Srinivasan 2019)"},
	{"fathony", "Adversarial multiclass prediction (Fathony and others 2018)"},
	{"ding", "t-logistic regression (Ding, Vishwanathan 2010)"},
	{"sypherd", "α-loss, robustness for simple models (Sypherd and others 2023)"},
	{"kimes", "Several decision rules at once (Kimes, Hayes, Marron, Liu 2016)"},
}

// studiesPage answers GET /studies.
func (s *Server) studiesPage(c echo.Context) error {
	ctx := c.Request().Context()
	offset, err := httpio.Whole(c, "offset", 0, 0, 1<<31-1)
	if err != nil {
		return err
	}
	own, total, err := s.db.Studies(ctx, store.StudyFilter{Limit: studiesShown, Offset: offset})
	if err != nil {
		return err
	}
	p := s.page(c, "Studies")
	p.Result = templates.Sentence(fmt.Sprintf("%d figures and tables", len(paper.Presets)),
		"of the papers, redone by one click: each with its protocol, the reference numbers beside ours, and what does not "+
			"hold as it was claimed. Stored results open at once.")
	p.Actions = templates.Buttons(templates.Button{Label: "Start a grid of your own", Icon: "plus", Kind: "1",
		URL: "/studies/new"})
	v := templates.StudyList{Papers: s.studyPapers(ctx)}
	for _, st := range own {
		v.Own = append(v.Own, s.studyItem(st))
	}
	if total > len(own) {
		v.Total = viz.Range(viz.Count(offset+1), viz.Count(offset+len(own))) + " of " + viz.Count(total)
		if offset > 0 {
			v.Prev = "/studies?offset=" + strconv.Itoa(max(0, offset-studiesShown))
		}
		if offset+studiesShown < total {
			v.Next = "/studies?offset=" + strconv.Itoa(offset+studiesShown)
		}
	}
	return s.render(c, http.StatusOK, templates.StudiesPage(p, v))
}

// studyItem is a line of the user's own studies.
func (s *Server) studyItem(st store.Study) templates.StudyItem {
	item := templates.StudyItem{URL: "/studies/" + st.ID, Name: st.Name, Status: templates.Status(st.Status),
		Done: strconv.Itoa(st.Done) + " of " + strconv.Itoa(st.Units), Percent: doneShare(st.Done, st.Units),
		Open: !app.Ended(st.Status), Worked: viz.None,
		Made: relativeTime(st.Created, s.now()), MadeAt: st.Created.UTC().Format(time.RFC3339), Ask: "/studies/" + st.ID +
			"/delete"}
	if st.Elapsed > 0 {
		item.Worked = format.Duration(st.Elapsed)
	}
	if p, ok := paper.Presets.ByID(st.Spec.Preset); ok {
		item.Sub = p.Figure + ", " + string(st.Spec.Size)
	} else {
		item.Sub = fmt.Sprintf("%d models, %d rates, %d replicates", len(st.Spec.Models), len(st.Spec.Noise.Rates),
			st.Spec.Replicates)
	}
	return item
}

// studyPapers lists the presets by paper.
func (s *Server) studyPapers(ctx context.Context) []templates.StudyPaper {
	var all []templates.StudyPaper
	for _, by := range papers {
		g := templates.StudyPaper{ID: "paper-" + by.prefix, Title: by.title}
		for _, p := range paper.Presets {
			if first, _, _ := strings.Cut(p.ID, "-"); first == by.prefix {
				g.Presets = append(g.Presets, s.presetLine(ctx, p))
			}
		}
		if len(g.Presets) > 0 {
			all = append(all, g)
		}
	}
	return all
}

func (s *Server) presetLine(ctx context.Context, p study.Preset) templates.StudyPreset {
	line := templates.StudyPreset{Figure: p.Figure, Title: p.Title, Shows: firstSentences(p.Protocol, 160),
		URL:    "/studies/preset/" + p.ID,
		Stored: "No stored result", Work: s.presetWork(ctx, p), Uploads: p.Uploads}
	if l, ok := s.shelf.labels()[p.ID]; ok {
		line.Stored, line.Verdict = l.text, l.verdict
		line.Runs = append(line.Runs, templates.Button{Label: "Open stored result", Icon: "go", URL: line.URL})
	}
	line.Runs = append(line.Runs, s.presetRuns(p)...)
	for i := range line.Runs {
		if line.Runs[i].Kind == "1" {
			line.Runs[i].Kind = ""
		}
	}
	return line
}

// firstSentences cuts a protocol after the sentence that passes n letters.
func firstSentences(text string, n int) string {
	for i := range text {
		if i >= n && strings.HasPrefix(text[i:], ". ") {
			return text[:i+1]
		}
	}
	return text
}

// presetWork says how much a preset is: how long it took here, or its units.
func (s *Server) presetWork(ctx context.Context, p study.Preset) string {
	if s.shelf.oneSize(p) {
		return "One size, within a minute on 2 cores" + s.took(ctx, p.ID, study.Full)
	}
	text := "Quick: within a minute on 2 cores" + s.took(ctx, p.ID, study.Quick)
	if ratio := s.shelf.plan(p, study.Full).weight / s.shelf.plan(p, study.Quick).weight; ratio > 1 {
		return text + ". Full: about " + viz.Short(ratio, 2) + " times the work" + s.took(ctx, p.ID, study.Full)
	}
	return text + ". Full: more rows" + s.took(ctx, p.ID, study.Full)
}

// took is how long the last run of a preset in a size worked here.
func (s *Server) took(ctx context.Context, id string, size study.Size) string {
	done, _, err := s.db.Studies(ctx, store.StudyFilter{Preset: id, Status: store.Done, Limit: 20})
	if err != nil {
		return "" // a list is no less a list without it
	}
	for _, st := range done {
		if st.Spec.Size == size && st.Elapsed > 0 {
			return " (took " + format.Duration(st.Elapsed) + " here)"
		}
	}
	return ""
}

// studyHalt answers POST /studies/{id}/pause and …/cancel.
func (s *Server) studyHalt(status string) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := s.app.HaltStudy(c.Request().Context(), c.Param("id"), status)
		if err != nil && !usererr.Is(err, usererr.Conflict) { // it has ended by itself: its page says how
			return err
		}
		return c.Redirect(http.StatusSeeOther, "/studies/"+c.Param("id"))
	}
}

// studyResume answers POST /studies/{id}/resume.
func (s *Server) studyResume(c echo.Context) error {
	if err := s.app.ResumeStudy(c.Request().Context(), c.Param("id")); err != nil && !usererr.Is(err, usererr.Conflict) {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/studies/"+c.Param("id"))
}

// studyAsk answers GET /studies/{id}/delete: the question, as a page or for a
// script as a dialog.
func (s *Server) studyAsk(c echo.Context) error {
	st, err := s.db.Study(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	d := templates.Dialog{ID: "delete-study", Question: "Delete ‘" + st.Name + "’?",
		Text: fmt.Sprintf("Its %d computed units are wiped from this machine. The same call computes them again.", st.Done),
		Keep: "Keep",
		Do: templates.Button{Label: "Delete the study", Icon: "trash", Kind: "bad", Method: "POST", URL: "/studies/" +
			st.ID + "/delete"}}
	if wantsJSON(c) {
		html, err := rendered(c, templates.DialogView(d))
		if err != nil {
			return err
		}
		return c.JSON(http.StatusOK, map[string]string{"html": html})
	}
	p := s.page(c, d.Question)
	p.Crumbs = []templates.Link{{Label: "Studies", URL: "/studies"}, {Label: st.Name, URL: "/studies/" + st.ID}}
	return s.render(c, http.StatusOK, templates.AskPage(p, d, nil, "/studies/"+st.ID))
}

// studyDelete answers POST /studies/{id}/delete.
func (s *Server) studyDelete(c echo.Context) error {
	if err := s.app.DeleteStudy(c.Request().Context(), c.Param("id")); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/studies")
}
