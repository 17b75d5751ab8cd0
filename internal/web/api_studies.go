package web

import (
	"cmp"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// studyJSON is a study as the API shows it; cells are those of its finished
// units.
type studyJSON struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Status   string          `json:"status"`
	Error    string          `json:"error,omitempty"`
	Version  string          `json:"version"`
	Created  time.Time       `json:"created"`
	Finished *time.Time      `json:"finished"`
	ElapsedS float64         `json:"elapsed_s"`
	Units    int             `json:"units"`
	Done     int             `json:"units_done"`
	Progress progress        `json:"progress"`
	Spec     study.Spec      `json:"spec"`
	Cells    []study.Cell    `json:"cells,omitempty"`
	Verdicts []study.Verdict `json:"verdicts,omitempty"`
}

func (s *Server) studyView(st store.Study) studyJSON {
	v := studyJSON{ID: st.ID, Name: st.Name, Status: st.Status, Error: st.Error, Version: st.Version,
		Created:  st.Created.UTC(),
		ElapsedS: worked(st), Units: st.Units, Done: st.Done, Spec: st.Spec, Progress: progress{Message: st.Status}}
	if !st.Finished.IsZero() {
		at := st.Finished.UTC()
		v.Finished = &at
	}
	if st.Units > 0 {
		v.Progress.Fraction = float64(st.Done) / float64(st.Units)
	}
	if e, ok := s.app.Jobs.Progress(st.ID); ok && !app.Ended(st.Status) {
		v.Progress = progress{e.Progress.Fraction, e.Progress.Message, e.Progress.ETA}
	}
	return v
}

// presetItem is a preset in a list.
type presetItem struct {
	ID       string       `json:"id"`
	Title    string       `json:"title"`
	Source   string       `json:"source"`
	Figure   string       `json:"figure"`
	Protocol string       `json:"protocol"`
	Uploads  bool         `json:"uploads"`
	Sizes    []study.Size `json:"sizes"`
}

// apiPresets answers GET /api/v1/presets.
func (s *Server) apiPresets(c echo.Context) error {
	items := make([]presetItem, len(paper.Presets))
	for i, p := range paper.Presets {
		items[i] = presetItem{p.ID, p.Title, p.Source, p.Figure, p.Protocol, p.Uploads, study.Sizes}
	}
	return c.JSON(http.StatusOK, list[presetItem]{items, len(items)})
}

// studyBody is the spec of a study as it is sent. Its own fields take the place
// of the spec's of the same names, so that a zero is told from a field left out.
type studyBody struct {
	study.Spec
	Replicates *int     `json:"replicates"`
	Test       *float64 `json:"test"`
}

func (q studyBody) spec() (study.Spec, error) {
	spec := q.Spec
	if q.Replicates != nil {
		spec.Replicates = *q.Replicates
	}
	if q.Test != nil {
		spec.Test = *q.Test
	}
	return spec, study.Given{Replicates: q.Replicates, Test: q.Test, Models: spec.Models, Rates: spec.Noise.Rates}.Check()
}

// apiCreateStudy answers POST /api/v1/studies.
func (s *Server) apiCreateStudy(c echo.Context) error {
	var q studyBody
	if err := readJSON(c, &q); err != nil {
		return err
	}
	spec, err := q.spec()
	if err != nil {
		return err
	}
	st, err := s.app.StartStudy(c.Request().Context(), spec)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, "/api/v1/studies/"+st.ID)
	return c.JSON(http.StatusAccepted, queued{st.ID, st.Status})
}

// apiStudies answers GET /api/v1/studies?preset=&dataset=&status=&limit=&offset=.
func (s *Server) apiStudies(c echo.Context) error {
	limit, offset, err := paging(c, 1000)
	if err != nil {
		return err
	}
	f := store.StudyFilter{Preset: c.QueryParam("preset"), Dataset: c.QueryParam("dataset"),
		Status: c.QueryParam("status"), Limit: limit, Offset: offset}
	studies, total, err := s.db.Studies(c.Request().Context(), f)
	if err != nil {
		return err
	}
	items := make([]studyJSON, len(studies))
	for i, st := range studies {
		items[i] = s.studyView(st)
	}
	return c.JSON(http.StatusOK, list[studyJSON]{items, total})
}

// apiStudy answers GET /api/v1/studies/{id}.
func (s *Server) apiStudy(c echo.Context) error {
	st, cells, err := s.study(c)
	if err != nil {
		return err
	}
	v := s.studyView(st)
	v.Cells = cells
	if p, ok := paper.Presets.ByID(st.Spec.Preset); ok {
		v.Verdicts = p.Verdicts(cells)
	}
	return c.JSON(http.StatusOK, v)
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

// apiStudyCSV answers GET /api/v1/studies/{id}/cells.csv?of=replicates: the
// summary of every cell, or each replicate.
func (s *Server) apiStudyCSV(c echo.Context) error {
	of := c.QueryParam("of")
	if of != "" && of != "cells" && of != "replicates" {
		return usererr.BadField("of", "must be cells or replicates (got %q)", of)
	}
	st, cells, err := s.study(c)
	if err != nil {
		return err
	}
	attach(c, "text/csv; charset=utf-8", st.ID+"-"+cmp.Or(of, "cells")+".csv")
	if of == "replicates" {
		return study.WriteCSV(c.Response(), cells)
	}
	return study.WriteSummaryCSV(c.Response(), cells)
}

// apiStudyEvents answers GET /api/v1/studies/{id}/events: progress until the
// study stops, then how.
func (s *Server) apiStudyEvents(c echo.Context) error {
	ctx := c.Request().Context()
	st, err := s.db.Study(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	return s.announce(c, st.ID, ending{st.ID, st.Status, st.Error})
}

// apiCancelStudy answers POST /api/v1/studies/{id}/cancel.
func (s *Server) apiCancelStudy(c echo.Context) error {
	return s.afterStudy(c, s.app.HaltStudy(c.Request().Context(), c.Param("id"), store.Cancelled))
}

// apiPauseStudy answers POST /api/v1/studies/{id}/pause.
func (s *Server) apiPauseStudy(c echo.Context) error {
	return s.afterStudy(c, s.app.HaltStudy(c.Request().Context(), c.Param("id"), store.Paused))
}

// apiResumeStudy answers POST /api/v1/studies/{id}/resume.
func (s *Server) apiResumeStudy(c echo.Context) error {
	return s.afterStudy(c, s.app.ResumeStudy(c.Request().Context(), c.Param("id")))
}

// afterStudy shows the study a change has left.
func (s *Server) afterStudy(c echo.Context, err error) error {
	if err != nil {
		return err
	}
	st, err := s.db.Study(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, s.studyView(st))
}

// apiDeleteStudy answers DELETE /api/v1/studies/{id}.
func (s *Server) apiDeleteStudy(c echo.Context) error {
	if err := s.app.DeleteStudy(c.Request().Context(), c.Param("id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// worked is the time a study has been at work.
func worked(st store.Study) float64 { return st.Elapsed.Round(time.Millisecond).Seconds() }
