package api

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/app/datasets"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/form"
	"taper/internal/web/httpio"
)

// Dataset is a dataset as the API shows it.
type Dataset struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	File      string          `json:"file"`
	State     string          `json:"state"`
	Rows      int             `json:"rows"`
	Bytes     int64           `json:"bytes"`
	SHA256    string          `json:"sha256"`
	Created   time.Time       `json:"created"`
	Simulated bool            `json:"simulated"`
	Source    string          `json:"source,omitempty"`
	Dialect   table.Dialect   `json:"dialect"`
	Columns   []table.Profile `json:"columns"`
	Warnings  []table.Warning `json:"warnings"`
	Dropped   []table.Drop    `json:"dropped"`
	LeftOut   []store.LeftOut `json:"left_out,omitempty"` // columns, once confirmed
	Outcome   string          `json:"outcome,omitempty"`
	Positive  table.Levels    `json:"positive,omitempty"`
	Negative  table.Levels    `json:"negative,omitempty"`
	ScoreOnly []string        `json:"score_only,omitempty"`
	Group     string          `json:"group,omitempty"`
	Weights   string          `json:"weights,omitempty"`
	Problem   string          `json:"problem,omitempty"` // drafts: why the file cannot be read
	Runs      int             `json:"runs"`
}

func datasetView(d store.Dataset) Dataset {
	v := Dataset{
		ID: d.ID, Name: d.Name, File: d.File, State: d.State, Rows: d.Rows, Bytes: d.Bytes, SHA256: d.SHA256,
		Created: d.Created.UTC(), Simulated: d.Simulated, Source: d.Source, Dialect: d.Dialect,
		Columns: d.Profiles, Warnings: d.Warnings, Dropped: d.Dropped, LeftOut: d.LeftOut, Runs: d.Runs,
		Outcome: d.Choice.Outcome, Positive: d.Choice.Positive, Negative: d.Choice.Negative,
		ScoreOnly: d.Choice.ScoreOnly, Group: d.Choice.Group, Weights: d.Choice.Weights,
	}
	if d.Problem != nil {
		v.Problem = d.Problem.Detail
	}
	if v.Columns == nil {
		v.Columns = []table.Profile{}
	}
	if v.Warnings == nil {
		v.Warnings = []table.Warning{}
	}
	return v
}

// list is a page of a list.
type list[T any] struct {
	Items []T `json:"items"`
	Total int `json:"total"`
}

// queued is a job that waits.
type queued struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// createDataset answers POST /api/v1/datasets.
func (h *Handlers) createDataset(c echo.Context) error {
	up, form, err := httpio.Receive(c, h.App.Datasets)
	if err != nil {
		return err
	}
	defer up.Abort()
	if err := checkFields(form); err != nil {
		return err
	}
	dialect, err := dialectOf(form)
	if err != nil {
		return err
	}
	return httpio.Watched(c, http.StatusCreated, func(report func(string, float64)) (any, error) {
		d, err := h.App.Datasets.Create(c.Request().Context(), up, datasets.File{
			Name: form.Title(), File: form.File, Options: table.Options{Dialect: dialect}, Report: report,
		})
		return datasetView(d), err
	})
}

// patchDataset answers PATCH /api/v1/datasets/{id}.
func (h *Handlers) patchDataset(c echo.Context) error {
	var p datasets.Patch
	if err := httpio.ReadJSON(c, &p); err != nil {
		return err
	}
	d, err := h.App.Datasets.Patch(c.Request().Context(), c.Param("id"), p)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, datasetView(d))
}

// datasets answers GET /api/v1/datasets.
func (h *Handlers) datasets(c echo.Context) error {
	var of paging
	if err := form.ReadStrict(&of, c.QueryParams()); err != nil {
		return err
	}
	ds, total, err := h.DB.Datasets(c.Request().Context(), of.Limit, of.Offset)
	if err != nil {
		return err
	}
	items := make([]Dataset, len(ds))
	for i, d := range ds {
		items[i] = datasetView(d)
	}
	return c.JSON(http.StatusOK, list[Dataset]{items, total})
}

// dataset answers GET /api/v1/datasets/{id}.
func (h *Handlers) dataset(c echo.Context) error {
	d, err := h.DB.Dataset(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, datasetView(d))
}

// previewJSON is the first rows of a file, as texts.
type previewJSON struct {
	Header []string   `json:"header"`
	Lines  []int      `json:"lines"`
	Rows   [][]string `json:"rows"`
}

// preview answers GET /api/v1/datasets/{id}/preview.
func (h *Handlers) preview(c echo.Context) error {
	var of previewRows
	if err := form.ReadStrict(&of, c.QueryParams()); err != nil {
		return err
	}
	ctx := c.Request().Context()
	d, err := h.DB.Dataset(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	p, err := h.App.Datasets.Preview(ctx, d, of.Rows)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, previewJSON{p.Header, p.Line, p.Rows})
}

// download answers GET /api/v1/datasets/{id}/download: the uploaded file if it still exists, else the kept columns.
func (h *Handlers) download(c echo.Context) error {
	ctx := c.Request().Context()
	d, err := h.DB.Dataset(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	if d.State != store.Kept {
		f, err := h.DB.OpenWhole(ctx, d.ID)
		if err != nil {
			return err
		}
		defer f.Close()
		// The answer has no stated length: where the file is wiped meanwhile, the error comes at its end.
		_, err = io.Copy(&httpio.FileAnswer{C: c, Kind: uploadKind(d), Name: d.File}, f)
		return err
	}
	t, err := h.App.Datasets.Table(ctx, d)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(d.File, filepath.Ext(d.File)) + ".csv"
	httpio.Attach(c, "text/csv; charset=utf-8", name)
	return table.WriteCSV(c.Response(), t)
}

// uploadKind is the media type of an upload. Browsers must not guess it from the content, which is not ours.
func uploadKind(d store.Dataset) string {
	switch d.Dialect.Format {
	case "csv":
		return "text/csv"
	case "xlsx":
		return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	}
	return echo.MIMEOctetStream
}

// generators answers GET /api/v1/generators.
func (h *Handlers) generators(c echo.Context) error {
	return c.JSON(http.StatusOK, list[synth.Generator]{synth.Generators, len(synth.Generators)})
}

// generateRequest is the body of POST /api/v1/datasets/generate.
type generateRequest struct {
	Generator string             `json:"generator"`
	Rows      *int               `json:"rows,omitempty"` // nil = the default of the generator
	Seed      uint64             `json:"seed,omitempty"`
	Params    map[string]float64 `json:"params,omitempty"`
}

// generate answers POST /api/v1/datasets/generate.
func (h *Handlers) generate(c echo.Context) error {
	var q generateRequest
	if err := httpio.ReadJSON(c, &q); err != nil {
		return err
	}
	rows := 0
	if q.Rows != nil {
		if rows = *q.Rows; rows == 0 {
			return usererr.BadField("rows", "must be at least 1 (got 0)")
		}
	}
	d, err := h.App.Datasets.Generate(c.Request().Context(), q.Generator, rows, q.Seed, q.Params)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, datasetView(d))
}
