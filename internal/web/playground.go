package web

import (
	"context"
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/app/datasets"
	"taper/internal/engine"
	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
	"taper/internal/store"
	"taper/web/templates"
)

// playPage answers GET /playground: a state as a page whose first HTML contains its numbers, figures and tables.
func (s *Server) playPage(c echo.Context) error {
	v, err := s.play.Page(c.Request().Context(), c.QueryParams())
	if err != nil {
		return err
	}
	status := http.StatusOK
	if v.Problem != "" {
		status = http.StatusUnprocessableEntity
	}
	p := s.page(c, "Playground")
	p.Help, p.Result, p.Body = "/help/playground", v.Sentence, "live"
	if v.Presents {
		p.Root, p.Body = "bare", "live presents"
	}
	p.Actions = templates.PlayActions(v.View)
	return s.render(c, status, templates.PlayPage(p, v.View))
}

// playLive answers GET /playground/live: a state as JSON.
func (s *Server) playLive(c echo.Context) error {
	a, err := s.play.Live(c.Request().Context(), c.QueryParams())
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, a)
}

// playProbe answers GET /playground/probe: the predictions of both models at one point.
func (s *Server) playProbe(c echo.Context) error {
	says, err := s.play.Probe(c.Request().Context(), c.QueryParams())
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, says)
}

// startShown starts the run of a model that the playground showed.
func (s *Server) startShown(ctx context.Context, spec runspec.Spec, before *engine.Shown) (store.Run, error) {
	return s.app.StartRunAs(ctx, spec, app.RunOptions{Before: before})
}

// playSave answers POST /playground/save: it saves model A, B or both as runs.
func (s *Server) playSave(c echo.Context) error {
	if _, err := formValue(c, "which"); err != nil {
		return err
	}
	runs, err := s.play.Save(c.Request().Context(), c.Request().PostForm)
	if err != nil {
		return err
	}
	to := "/runs"
	if len(runs) == 1 {
		to += "/" + runs[0].ID
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// playFiles are the datasets in the form the playground needs.
type playFiles struct {
	*datasets.Service
	db *store.DB
}

func (f playFiles) Dataset(ctx context.Context, id string) (store.Dataset, error) {
	return f.db.Dataset(ctx, id)
}

func (f playFiles) Recent(ctx context.Context, most int) ([]store.Dataset, error) {
	all, _, err := f.db.Datasets(ctx, most, 0)
	return all, err
}

func (playFiles) Predictors(d store.Dataset, t *table.Table) []string {
	return datasets.Predictors(d, t)
}

func (playFiles) Stamp(d store.Dataset) string { return app.Stamp(d) }

func (f playFiles) Keep(ctx context.Context, name string, csv io.Reader, c store.Choice,
	simulated bool) (store.Dataset, error) {
	up, err := f.Upload(csv)
	if err != nil {
		return store.Dataset{}, err
	}
	defer up.Abort()
	if name, err = f.NewName(ctx, name); err != nil {
		return store.Dataset{}, err
	}
	return f.Create(ctx, up, datasets.File{Name: name, File: "playground.csv", Choice: c, Simulated: simulated,
		Source: "the playground"})
}
