package web

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/job"
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/page/studyreport"
	"taper/web/templates"
)

// studiesPage answers GET /studies.
func (s *Server) studiesPage(c echo.Context) error {
	ctx := c.Request().Context()
	offset, err := offsetOf(c)
	if err != nil {
		return err
	}
	own, total, err := s.db.Studies(ctx, store.StudyFilter{Limit: studyreport.Shown, Offset: offset})
	if err != nil {
		return err
	}
	p := s.page(c, "Studies")
	p.Result = templates.Sentence(fmt.Sprintf("%d figures and tables", len(paper.Presets)),
		"of the papers, redone by one click: each with its protocol, the reference numbers beside ours, and what does not "+
			"hold as it was claimed. Stored results open at once.")
	p.Actions = templates.Buttons(templates.Button{Label: "Start a grid of your own", Icon: "plus", Kind: "1",
		URL: "/studies/new"})
	all := studyreport.List{Papers: s.studies.Papers(s.took(ctx)), Own: own, Total: total, Offset: offset, Now: s.now()}
	return s.render(c, http.StatusOK, templates.StudiesPage(p, all.View()))
}

// took finds how long presets worked here.
func (s *Server) took(ctx context.Context) studyreport.Took {
	return func(preset string, size study.Size) time.Duration {
		done, _, err := s.db.Studies(ctx, store.StudyFilter{Preset: preset, Status: store.Done, Limit: 20})
		if err != nil {
			return 0 // a list is no less a list without it
		}
		for _, st := range done {
			if st.Spec.Size == size && st.Elapsed > 0 {
				return st.Elapsed
			}
		}
		return 0
	}
}

// work is what the manager says of a job; nil where it knows none.
func (s *Server) work(id string) *job.Event {
	if e, known := s.app.Jobs.Progress(id); known {
		return &e
	}
	return nil
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
	return s.ask(c, studyreport.DeleteDialog(st), nil, "/studies/"+st.ID,
		templates.Link{Label: "Studies", URL: "/studies"},
		templates.Link{Label: st.Name, URL: "/studies/" + st.ID})
}

// studyDelete answers POST /studies/{id}/delete.
func (s *Server) studyDelete(c echo.Context) error {
	if err := s.app.DeleteStudy(c.Request().Context(), c.Param("id")); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/studies")
}
