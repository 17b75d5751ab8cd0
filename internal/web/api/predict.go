package api

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/app/datasets"
	"taper/internal/engine/external"
	"taper/internal/engine/model"
	"taper/internal/engine/stat"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/httpio"
)

// predict answers POST /api/v1/runs/{id}/predict: it scores new rows with the run's model. JSON is answered with
// JSON; a CSV or Excel file with a CSV of the same dialect. With ?evaluate=1, for a file that contains the outcome,
// the answer is an external validation.
func (h *Handlers) predict(c echo.Context) error {
	ctx := c.Request().Context()
	r, err := h.DB.Run(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	if err := r.RequireResult(); err != nil {
		return err
	}
	m, err := h.DB.RunModel(ctx, r.ID)
	if err != nil {
		return err
	}
	kind, _, _ := mime.ParseMediaType(c.Request().Header.Get(echo.HeaderContentType))
	switch {
	case kind == echo.MIMEApplicationJSON, kind != "text/csv" && startsObject(c.Request()):
		return h.predictJSON(c, r, m)
	case kind == echo.MIMEMultipartForm:
		return usererr.New(usererr.Invalid, "The request is a form: send the file itself as the body, with the content type "+
			"text/csv.")
	}
	up, err := h.App.Datasets.Upload(c.Request().Body)
	if err != nil {
		return httpio.BrokenUpload(err)
	}
	data, err := up.Take(ctx)
	if err != nil {
		return err
	}
	return h.predictFile(c, r, m, data, "scored.csv")
}

// startsObject reports whether a body starts like a JSON object: many clients send JSON with another content type.
func startsObject(r *http.Request) bool {
	b := bufio.NewReader(r.Body)
	r.Body = struct {
		io.Reader
		io.Closer
	}{b, r.Body}
	first, err := b.Peek(1)
	return err == nil && first[0] == '{'
}

// rowsRequest is a body of rows in JSON: the cells of each row by column.
type rowsRequest struct {
	Rows []json.RawMessage `json:"rows"`
}

// predictedRows are scored JSON rows.
type predictedRows struct {
	Rows []model.Prediction `json:"rows"`
}

// predictedEvaluation is an external validation by JSON rows, with their scores.
type predictedEvaluation struct {
	Rows []model.Prediction `json:"rows"`
	evaluationJSON
}

func (h *Handlers) predictJSON(c echo.Context, r store.Run, m *model.Model) error {
	judge, a, err := evaluated(c)
	if err != nil {
		return err
	}
	var q rowsRequest
	if err := httpio.ReadJSON(c, &q); err != nil {
		return err
	}
	rows := make([]map[string]any, len(q.Rows))
	for i, raw := range q.Rows {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber() // keep the text of numbers
		if err := d.Decode(&rows[i]); err != nil || rows[i] == nil {
			return usererr.BadField("rows["+strconv.Itoa(i)+"]", "must be an object of cells by column")
		}
	}
	if err := m.Work(len(rows)).Check(model.Scoring, h.App.PredictOptions().MostWork); err != nil {
		return err
	}
	if !judge {
		scored, err := model.PredictRows(m, rows)
		if err != nil {
			return err
		}
		return c.JSON(http.StatusOK, predictedRows{scored})
	}
	a.Name = cmp.Or(a.Name, "rows.json")
	scored, e, id, err := h.App.ValidateRows(c.Request().Context(), r, m, rows, bytes.Join(raws(q.Rows), []byte{'\n'}), a)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, predictedEvaluation{scored, answered(c, e, m, id)})
}

// raws are the rows as sent, which the hash of JSON rows is computed from.
func raws(rows []json.RawMessage) (all [][]byte) {
	for _, row := range rows {
		all = append(all, row)
	}
	return all
}

// answered is an evaluation for the API; if it was stored, it sets Location.
func answered(c echo.Context, e *external.Evaluation, m *model.Model, id string) evaluationJSON {
	if id != "" {
		c.Response().Header().Set(echo.HeaderLocation, "/api/v1/evaluations/"+id)
	}
	return evaluationOf(e, m, id)
}

// evaluated reads ?evaluate= and the parameters it allows: by, keep and name.
func evaluated(c echo.Context) (bool, app.ValidationRequest, error) {
	judge, err := truth(c, "evaluate", false)
	if err != nil {
		return false, app.ValidationRequest{}, err
	}
	a := app.ValidationRequest{By: c.QueryParam("by"), Name: strings.TrimSpace(c.QueryParam("name"))}
	if a.Keep, err = truth(c, "keep", true); err != nil {
		return false, a, err
	}
	if len(a.Name) > datasets.MaxName {
		return false, a, usererr.BadField("name", "must hold at most %d bytes (got %d)", datasets.MaxName, len(a.Name))
	}
	return judge, a, nil
}

// truth reads a parameter that is 1 or 0.
func truth(c echo.Context, name string, otherwise bool) (bool, error) {
	switch v := c.QueryParam(name); v {
	case "":
		return otherwise, nil
	case "0", "1":
		return v == "1", nil
	default:
		return false, usererr.BadField(name, "must be 1 or 0 (got %.40q)", v)
	}
}

// predictFile writes the scored file, or the evaluation of the model on it.
func (h *Handlers) predictFile(c echo.Context, r store.Run, m *model.Model, data []byte, name string) error {
	ctx := c.Request().Context()
	judge, a, err := evaluated(c)
	if err != nil {
		return err
	}
	if !judge {
		o := h.App.PredictOptions()
		if o.Names, err = truth(c, "names", false); err != nil {
			return err
		}
		return model.PredictCSV(ctx, m, data, &httpio.FileAnswer{C: c, Kind: "text/csv", Name: name}, o)
	}
	a.Name = cmp.Or(a.Name, "data.csv")
	e, id, err := h.App.ValidateFile(ctx, r, m, data, a)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, answered(c, e, m, id))
}

// evaluationJSON is an evaluation with the metrics of its task, and its id if it was stored.
type evaluationJSON struct {
	*external.Evaluation
	ID      string `json:"id,omitempty"`
	Metrics any    `json:"metrics"`

	MeanCost *stat.Estimate `json:"mean_cost,omitempty"`
}

// evaluationOf is an evaluation of the model m for the API.
func evaluationOf(e *external.Evaluation, m *model.Model, id string) evaluationJSON {
	v := evaluationJSON{Evaluation: e, ID: id, Metrics: evaluationMetrics(e)}
	if e.Classes != nil && e.Cost != nil {
		v.MeanCost = new(e.Classes.MeanCost(m.Costs, *e.Cost))
	}
	return v
}

func evaluationMetrics(e *external.Evaluation) any {
	if e.Classes != nil {
		return e.Classes
	}
	return e.Metrics
}
