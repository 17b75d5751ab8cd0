package web

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/job"
	"taper/internal/engine/study"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/form"
	"taper/internal/web/page/studyform"
	"taper/internal/web/page/studyreport"
	"taper/web/templates"
)

// studiesPage answers GET /studies?paper=&verdict=&offset=.
func (s *Server) studiesPage(c echo.Context) error {
	l := studyreport.List{Now: s.now()}
	err := form.ReadStrict(&l.ListState, c.QueryParams())
	if err != nil {
		return err
	}
	l.Own, l.Total, err = s.db.Studies(c.Request().Context(),
		store.StudyFilter{Limit: studyreport.Shown, Offset: l.Offset})
	if err != nil {
		return err
	}
	p := s.page(c, "Studies")
	p.Result = templates.Sentence(s.studies.Head())
	p.Actions = templates.Buttons(templates.Button{Label: studyform.OwnGrid, Icon: "plus", Kind: "1", URL: "/studies/new"})
	return s.render(c, http.StatusOK, templates.StudiesPage(p, s.studies.View(l)))
}

// notReplicatedPage answers GET /studies/not-replicated.
func (s *Server) notReplicatedPage(c echo.Context) error {
	p := s.page(c, "What did not replicate")
	p.Crumbs = []templates.Link{{Label: "Studies", URL: "/studies"}, {Label: "What did not replicate"}}
	p.Result = templates.Sentence(s.studies.DifferingHead())
	return s.render(c, http.StatusOK, templates.NotReplicatedPage(p, s.studies.Differing()))
}

// took returns the duration of presets on this machine.
func (s *Server) took(ctx context.Context) studyreport.Took {
	return func(preset string, size study.Size) time.Duration {
		done, _, err := s.db.Studies(ctx, store.StudyFilter{Preset: preset, Status: store.Done, Limit: 20})
		if err != nil {
			return 0 // the list is shown without it
		}
		for _, st := range done {
			if st.Spec.Size == size && st.Elapsed > 0 {
				return st.Elapsed
			}
		}
		return 0
	}
}

// work is the progress of a job; nil where it is unknown.
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
		if err != nil && !usererr.Is(err, usererr.Conflict) { // it has ended: its page says how
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

// studyAsk answers GET /studies/{id}/delete: the confirmation, as a page or, for a script, as a dialog.
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
