package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine/study"
	"taper/internal/engine/study/paper"
	"taper/internal/store"
	"taper/internal/web/form"
	"taper/internal/web/httpio"
)

// Study is a study as the API shows it; its cells are those of finished units.
type Study struct {
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
	Progress Progress        `json:"progress"`
	Spec     study.Spec      `json:"spec"`
	Cells    []study.Cell    `json:"cells,omitempty"`
	Verdicts []study.Verdict `json:"verdicts,omitempty"`
	Warnings []string        `json:"warnings,omitempty"`
}

func (h *Handlers) studyView(st store.Study) Study {
	v := Study{ID: st.ID, Name: st.Name, Status: st.Status, Error: st.Error, Version: st.Version,
		Created:  st.Created.UTC(),
		ElapsedS: worked(st), Units: st.Units, Done: st.Done, Spec: st.Spec, Progress: Progress{Message: st.Status}}
	if !st.Finished.IsZero() {
		at := st.Finished.UTC()
		v.Finished = &at
	}
	if st.Units > 0 {
		v.Progress.Fraction = float64(st.Done) / float64(st.Units)
	}
	if e, ok := h.App.Jobs.Progress(st.ID); ok && !app.HasEnded(st.Status) {
		v.Progress = *progressOf(e.Progress)
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

// presets answers GET /api/v1/presets.
func (h *Handlers) presets(c echo.Context) error {
	items := make([]presetItem, len(paper.Presets))
	for i, p := range paper.Presets {
		items[i] = presetItem{p.ID, p.Title, p.Source, p.Figure, p.Protocol, p.Uploads, study.Sizes}
	}
	return c.JSON(http.StatusOK, list[presetItem]{items, len(items)})
}

// studyBody is the spec of a study as sent. Its pointer fields replace those of the same name in the spec, so that
// 0 and a missing field differ.
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
	return spec, study.SentFields{Replicates: q.Replicates, Test: q.Test, Models: spec.Models,
		Rates: spec.Noise.Rates}.Check()
}

// createStudy answers POST /api/v1/studies.
func (h *Handlers) createStudy(c echo.Context) error {
	var q studyBody
	if err := httpio.ReadJSON(c, &q); err != nil {
		return err
	}
	spec, err := q.spec()
	if err != nil {
		return err
	}
	terms, err := h.agreed(c)
	if err != nil {
		return err
	}
	st, err := h.App.StartStudyOn(c.Request().Context(), spec, terms)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, "/api/v1/studies/"+st.ID)
	return c.JSON(http.StatusAccepted, queued{st.ID, st.Status})
}

// studies answers GET /api/v1/studies?preset=&dataset=&status=&limit=&offset=.
func (h *Handlers) studies(c echo.Context) error {
	var f studyFilter
	if err := form.ReadStrict(&f, c.QueryParams()); err != nil {
		return err
	}
	studies, total, err := h.DB.Studies(c.Request().Context(), store.StudyFilter(f))
	if err != nil {
		return err
	}
	items := make([]Study, len(studies))
	for i, st := range studies {
		items[i] = h.studyView(st)
	}
	return c.JSON(http.StatusOK, list[Study]{items, total})
}

// study answers GET /api/v1/studies/{id}.
func (h *Handlers) study(c echo.Context) error {
	st, cells, err := h.readStudy(c)
	if err != nil {
		return err
	}
	v := h.studyView(st)
	v.Cells, v.Warnings = cells, study.Warnings(cells)
	if p, ok := paper.Presets.ByID(st.Spec.Preset); ok {
		v.Verdicts = p.Verdicts(cells)
	}
	return c.JSON(http.StatusOK, v)
}

// studyCSV answers GET /api/v1/studies/{id}/cells.csv?of=replicates: the summary of every cell, or each replicate.
func (h *Handlers) studyCSV(c echo.Context) error {
	st, cells, err := h.readStudy(c)
	if err != nil {
		return err
	}
	return CellsCSV(c, st.ID, cells)
}

// CellsCSV answers with the cells of a stored or a user's study as CSV.
func CellsCSV(c echo.Context, id string, cells []study.Cell) error {
	var file struct {
		Of string `form:"of" default:"cells" options:"cells,replicates"`
	}
	if err := form.ReadStrict(&file, c.QueryParams()); err != nil {
		return err
	}
	httpio.Attach(c, "text/csv; charset=utf-8", id+"-"+file.Of+".csv")
	if file.Of == "replicates" {
		return study.WriteCSV(c.Response(), cells)
	}
	return study.WriteSummaryCSV(c.Response(), cells)
}

// studyEvents answers GET /api/v1/studies/{id}/events: progress until the study stops, then its outcome.
func (h *Handlers) studyEvents(c echo.Context) error {
	ctx := c.Request().Context()
	st, err := h.DB.Study(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	return h.Streams.announce(c, st.ID, ending{ID: st.ID, Status: st.Status, Error: st.Error})
}

// cancelStudy answers POST /api/v1/studies/{id}/cancel.
func (h *Handlers) cancelStudy(c echo.Context) error {
	return h.afterStudy(c, h.App.HaltStudy(c.Request().Context(), c.Param("id"), store.Cancelled))
}

// pauseStudy answers POST /api/v1/studies/{id}/pause.
func (h *Handlers) pauseStudy(c echo.Context) error {
	return h.afterStudy(c, h.App.HaltStudy(c.Request().Context(), c.Param("id"), store.Paused))
}

// resumeStudy answers POST /api/v1/studies/{id}/resume.
func (h *Handlers) resumeStudy(c echo.Context) error {
	return h.afterStudy(c, h.App.ResumeStudy(c.Request().Context(), c.Param("id")))
}

// afterStudy answers with the study after a change.
func (h *Handlers) afterStudy(c echo.Context, err error) error {
	if err != nil {
		return err
	}
	st, err := h.DB.Study(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, h.studyView(st))
}

// deleteStudy answers DELETE /api/v1/studies/{id}.
func (h *Handlers) deleteStudy(c echo.Context) error {
	if err := h.App.DeleteStudy(c.Request().Context(), c.Param("id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// worked is the computing time of a study, in seconds.
func worked(st store.Study) float64 { return st.Elapsed.Round(time.Millisecond).Seconds() }

// readStudy reads the study of a request with its cells.
func (h *Handlers) readStudy(c echo.Context) (store.Study, []study.Cell, error) {
	st, err := h.DB.Study(c.Request().Context(), c.Param("id"))
	if err != nil {
		return st, nil, err
	}
	cells, err := h.App.StudyCells(c.Request().Context(), st)
	return st, cells, err
}
