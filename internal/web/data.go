package web

import (
	"io"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/app/datasets"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/httpio"
	"taper/internal/web/page/data"
	"taper/web/templates"
)

// dataPage answers GET /data.
func (s *Server) dataPage(c echo.Context) error { return s.showData(c, http.StatusOK, nil) }

// showData renders the list of datasets.
func (s *Server) showData(c echo.Context, status int, problem *templates.Banner) error {
	l := data.List{Limits: s.cfg.Limits, Loss: data.ReadLoss(c.QueryParam("loss"))}
	var err error
	if l.Offset, err = offsetOf(c); err != nil {
		return err
	}
	ctx := c.Request().Context()
	if l.Datasets, l.Total, err = s.db.Datasets(ctx, data.Shown, l.Offset); err != nil {
		return err
	}
	if l.Samples, err = s.db.Samples(ctx); err != nil {
		return err
	}
	var ids []string
	for _, d := range l.Datasets {
		ids = append(ids, d.ID)
	}
	if l.Keep, err = s.db.Keepable(ctx, ids...); err != nil {
		return err
	}
	p := s.page(c, "Data")
	p.Result = l.Sentence()
	return s.render(c, status, templates.DataListPage(p, l.View(problem)))
}

// dataFailed shows the page with the error of a form. Internal errors, and errors of scripts, are handled like all
// others.
func (s *Server) dataFailed(c echo.Context, err error) error {
	e, ok := usererr.As(err)
	if !ok || wantsJSON(c) {
		return err
	}
	return s.showData(c, httpio.Status(e.Code), &templates.Banner{Bad: true, Fact: e.Detail,
		Text: "Nothing was stored."})
}

// uploadData answers POST /data: it streams a file into the data folder.
func (s *Server) uploadData(c echo.Context) error {
	up, form, err := httpio.Receive(c, s.datasets)
	if err != nil {
		return s.dataFailed(c, err)
	}
	defer up.Abort()
	nd := datasets.File{File: form.File, Draft: true}
	if nd.Name, err = s.datasets.NewName(c.Request().Context(), form.Title()); err != nil {
		return s.dataFailed(c, err)
	}
	if err := s.takeOver(c, form.Fields["like"], &nd); err != nil {
		return s.dataFailed(c, err)
	}
	if wantsJSON(c) {
		return httpio.Watched(c, http.StatusCreated, func(report func(string, float64)) (any, error) {
			nd.Report = report
			d, err := s.datasets.Create(c.Request().Context(), up, nd)
			return createdAt(c, d), err
		})
	}
	d, err := s.datasets.Create(c.Request().Context(), up, nd)
	return s.created(c, d, err)
}

// takeOver copies the answers given for an older file to a newer one, for columns with the same names.
func (s *Server) takeOver(c echo.Context, like string, nd *datasets.File) error {
	if like == "" {
		return nil
	}
	old, err := s.db.Dataset(c.Request().Context(), like)
	if err != nil {
		return err
	}
	nd.Options, nd.Choice = old.Options, old.Choice
	return nil
}

// newPlace is the page of a new dataset, with the loss that was chosen before.
type newPlace struct {
	URL string `json:"url"`
}

func createdAt(c echo.Context, d store.Dataset) newPlace {
	return newPlace{data.ReadLoss(c.QueryParam("loss")).On("/data/" + d.ID)}
}

// created redirects to a new dataset, or shows why there is none.
func (s *Server) created(c echo.Context, d store.Dataset, err error) error {
	at := createdAt(c, d)
	switch {
	case err != nil:
		return s.dataFailed(c, err)
	case wantsJSON(c):
		return c.JSON(http.StatusCreated, at)
	}
	return c.Redirect(http.StatusSeeOther, at.URL)
}

// pasteData answers POST /data/paste: a table pasted as text.
func (s *Server) pasteData(c echo.Context) error {
	text, err := formValue(c, "text")
	if err != nil {
		return s.dataFailed(c, err)
	}
	up, err := s.datasets.Upload(strings.NewReader(text))
	if err != nil {
		return s.dataFailed(c, err)
	}
	defer up.Abort()
	name, err := s.datasets.NewName(c.Request().Context(), "Pasted table")
	if err != nil {
		return s.dataFailed(c, err)
	}
	d, err := s.datasets.Create(c.Request().Context(), up, datasets.File{Name: name, File: "pasted.csv", Draft: true})
	return s.created(c, d, err)
}

// generateData answers POST /data/generate.
func (s *Server) generateData(c echo.Context) error {
	var asked struct {
		Generator string `form:"generator"`
		Rows      int    `form:"rows"`
		Seed      uint64 `form:"seed"`
	}
	if err := httpio.ReadForm(c, &asked); err != nil {
		return s.dataFailed(c, err)
	}
	d, err := s.datasets.Generate(c.Request().Context(), asked.Generator, asked.Rows, asked.Seed, nil)
	return s.created(c, d, err)
}

// sampleData answers POST /data/sample: it loads a deleted sample again.
func (s *Server) sampleData(c echo.Context) error {
	name, err := formValue(c, "file")
	if err != nil {
		return err
	}
	f, err := datasets.SampleNamed(name)
	if err != nil {
		return err
	}
	id, err := s.datasets.Sample(c.Request().Context(), f)
	return s.created(c, store.Dataset{ID: id}, err)
}

// deleteDataPage answers GET /data/{id}/delete: the confirmation as a page.
func (s *Server) deleteDataPage(c echo.Context) error {
	d, err := s.db.Dataset(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	keep, err := s.db.Keepable(c.Request().Context(), d.ID)
	if err != nil {
		return err
	}
	q := data.DeleteDialog(d, keep[d.ID])
	return s.ask(c, q, nil, "/data/"+d.ID, templates.Link{Label: "Data", URL: "/data"},
		templates.Link{Label: d.Name, URL: "/data/" + d.ID})
}

// formValue reads one field of a URL-encoded form; the others are then in Request.PostForm.
func formValue(c echo.Context, name string) (string, error) {
	sent, err := httpio.Form(c)
	if err != nil {
		return "", err
	}
	if !sent.Has(name) {
		_, _ = io.Copy(io.Discard, c.Request().Body) // the form has another encoding
		return "", usererr.BadField(name, "is missing")
	}
	return sent.Get(name), nil
}
