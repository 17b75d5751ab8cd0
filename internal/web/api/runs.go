package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine"
	"taper/internal/engine/model"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/form"
	"taper/internal/web/format"
	"taper/internal/web/httpio"
	"taper/internal/web/page/runlist"
)

// Run is a run as the API shows it. The fields of its result are on the same level as those of the record; until
// the run is done the main ones are null.
type Run struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Notes    string         `json:"notes"`
	Status   string         `json:"status"`
	Error    string         `json:"error,omitempty"`
	Dataset  string         `json:"dataset"`
	Data     string         `json:"data"`
	SHA256   string         `json:"sha256"`
	Version  string         `json:"version"`
	Created  time.Time      `json:"created"`
	Finished *time.Time     `json:"finished"`
	Deleted  *time.Time     `json:"data_deleted"` // when the data were deleted and the model was kept
	Progress *Progress      `json:"progress"`
	Spec     *runspec.Spec  `json:"spec,omitempty"`
	Reading  *table.Options `json:"reading,omitempty"` // how the file was read; not stored by early versions
	MeanCost *stat.Estimate `json:"mean_cost,omitempty"`
	*engine.Result
}

// noResult are the fields of a missing result.
type noResult struct {
	Metrics      any `json:"metrics"`
	Strata       any `json:"strata"`
	Tuning       any `json:"tuning"`
	Coefficients any `json:"coefficients"`
	Objective    any `json:"objective"`
	Gap          any `json:"gap"`
	GradientNorm any `json:"gradient_norm"`
	Iterations   any `json:"iterations"`
	Evaluations  any `json:"evaluations"`
	Seconds      any `json:"seconds"`
	ElapsedS     any `json:"elapsed_s"`
	Warnings     any `json:"warnings"`
}

// MarshalJSON writes the fields of the result, null if there is none.
func (v Run) MarshalJSON() ([]byte, error) {
	type plain Run
	if v.Result != nil && v.Result.Classes != nil { // in place of the binary metrics
		return json.Marshal(struct {
			plain
			Metrics engine.ClassMetrics `json:"metrics"`
		}{plain(v), v.Result.Classes.Metrics})
	}
	if v.Result != nil {
		return json.Marshal(plain(v))
	}
	return json.Marshal(struct {
		plain
		noResult
	}{plain: plain(v)})
}

func (h *Handlers) runView(r store.Run) Run {
	v := Run{
		ID: r.ID, Name: r.Name, Notes: r.Notes, Status: r.Status, Error: r.Error, Dataset: r.Dataset,
		Data: r.DatasetName, SHA256: r.DatasetSHA, Version: r.Version, Created: r.Created.UTC(),
		Spec: &r.Spec, Reading: r.ColumnsReading(), Result: r.Result, Progress: &Progress{Message: r.Status},
	}
	if !r.Finished.IsZero() {
		at := r.Finished.UTC()
		v.Finished = &at
	}
	v.Deleted = wipedAt(r)
	if r.Result != nil && r.Result.Classes != nil {
		v.MeanCost = new(r.Result.MeanCost())
	}
	if r.Status == store.Done {
		v.Progress.Fraction = 1
	}
	if e, ok := h.App.Jobs.Progress(r.ID); ok && !app.HasEnded(r.Status) {
		v.Progress = progressOf(e.Progress)
	}
	return v
}

// createRun answers POST /api/v1/runs.
func (h *Handlers) createRun(c echo.Context) error {
	raw, err := httpio.Body(c)
	if err != nil {
		return err
	}
	spec, err := runspec.Decode(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	terms, err := h.agreed(c)
	if err != nil {
		return err
	}
	r, err := h.App.StartRunAs(c.Request().Context(), spec, app.RunOptions{Terms: terms})
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, "/api/v1/runs/"+r.ID)
	return c.JSON(http.StatusAccepted, queued{r.ID, store.Queued})
}

// runItem is a run in a list.
type runItem struct {
	ID             string    `json:"id"`
	Name           string    `json:"name"`
	Notes          string    `json:"notes"`
	Status         string    `json:"status"`
	Dataset        string    `json:"dataset"`
	Data           string    `json:"data"`
	Created        time.Time `json:"created"`
	Loss           string    `json:"loss"`
	Task           string    `json:"task"`
	Outcome        string    `json:"outcome"`
	Boundaries     []float64 `json:"boundaries"`
	N              int       `json:"n"`
	Events         int       `json:"events"`
	AUC            *float64  `json:"auc"`
	IntervalLoss   *float64  `json:"interval_loss"`
	Brier          *float64  `json:"brier"`
	Accuracy       *float64  `json:"accuracy"`        // tasks multiclass and ordinal
	MAE            *float64  `json:"mae"`             // task ordinal
	Abstention     *float64  `json:"abstention_loss"` // task abstain
	Seconds        float64   `json:"seconds"`
	BandsOK        int       `json:"bands_ok"`
	BandsEvaluated int       `json:"bands_judged"`

	Deleted *time.Time `json:"data_deleted"` // when the data were deleted and the model was kept
}

// wipedAt is when the data of a run were deleted; nil while they exist.
func wipedAt(r store.Run) *time.Time {
	if r.Wiped.IsZero() {
		return nil
	}
	return &r.Wiped
}

// runs answers GET /api/v1/runs?q=&dataset=&status=&loss=&sort=&desc=.
func (h *Handlers) runs(c echo.Context) error {
	var q runlist.Filter
	if err := form.ReadStrict(&q, c.QueryParams()); err != nil {
		return err
	}
	runs, total, err := h.DB.Runs(c.Request().Context(), store.RunFilter(q))
	if err != nil {
		return err
	}
	items := make([]runItem, len(runs))
	for i, r := range runs {
		m := r.Summary
		items[i] = runItem{
			ID: r.ID, Name: r.Name, Notes: r.Notes, Status: r.Status, Dataset: r.Dataset, Data: r.DatasetName,
			Created: r.Created.UTC(), Loss: m.Loss, Task: m.Task, Outcome: m.Outcome, Boundaries: m.Boundaries,
			N: m.N, Events: m.Events, AUC: m.Statistics["auc"], IntervalLoss: m.Statistics["interval_loss"],
			Brier: m.Statistics["brier"], Accuracy: m.Statistics["accuracy"], MAE: m.Statistics["mae"],
			Abstention: m.Statistics["abstention_loss"],
			Seconds:    m.Seconds, BandsOK: m.BandsOK, BandsEvaluated: m.BandsEvaluated, Deleted: wipedAt(r),
		}
	}
	return c.JSON(http.StatusOK, list[runItem]{items, total})
}

// run answers GET /api/v1/runs/{id}.
func (h *Handlers) run(c echo.Context) error {
	r, err := h.DB.Run(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, h.runView(r))
}

// runPatch is the body of PATCH /api/v1/runs/{id}.
type runPatch struct {
	Name  *string `json:"name,omitempty"`
	Notes *string `json:"notes,omitempty"`
}

// patchRun answers PATCH /api/v1/runs/{id}. Only name and notes of a run can change.
func (h *Handlers) patchRun(c echo.Context) error {
	var q runPatch
	if err := httpio.ReadJSON(c, &q); err != nil {
		return err
	}
	if err := h.App.DescribeRun(c.Request().Context(), c.Param("id"), store.About(q)); err != nil {
		return err
	}
	return h.run(c)
}

// deleteRun answers DELETE /api/v1/runs/{id}.
func (h *Handlers) deleteRun(c echo.Context) error {
	if err := h.App.DeleteRun(c.Request().Context(), c.Param("id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// cancelRun answers POST /api/v1/runs/{id}/cancel.
func (h *Handlers) cancelRun(c echo.Context) error {
	if err := h.App.CancelRun(c.Request().Context(), c.Param("id")); err != nil {
		return err
	}
	return h.run(c)
}

// runRows answers GET /api/v1/runs/{id}/rows.
func (h *Handlers) runRows(c echo.Context) error {
	if f := c.QueryParam("format"); f != "" && f != "csv" {
		return usererr.BadField("format", "must be csv (got %q)", f)
	}
	ctx := c.Request().Context()
	rows, err := h.DB.RunRows(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	m, err := h.DB.RunModel(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	return RowsCSV(c, c.Param("id")+"-rows.csv", rows, m)
}

// RowsCSV answers with a model's predictions for rows, as a file of that name.
func RowsCSV(c echo.Context, name string, rows []engine.RowScore, m *model.Model) error {
	if len(rows) > 0 && rows[0].Scores != nil {
		return classRowsCSV(c, name, rows, m.Levels)
	}
	httpio.Attach(c, "text/csv; charset=utf-8", name)
	w := table.NewCSV(c.Response())
	w.Write("row", "outcome", "split", "score", "probability", "stratum", "band", "weight", "flipped", "row_number")
	bands := stat.BandLabels(m.Boundaries)
	for _, r := range rows {
		w.Write(
			strconv.Itoa(r.Row), r.Outcome, r.Split, format.ExactNumber(&r.Score), format.ExactNumber(r.Probability),
			strconv.Itoa(r.Stratum), bands[r.Stratum], format.ExactNumber(r.Weight), strconv.FormatBool(r.Flipped),
			strconv.Itoa(r.Row+1),
		)
	}
	return w.Flush()
}

// model answers GET /api/v1/runs/{id}/model.json.
func (h *Handlers) model(c echo.Context) error {
	m, err := h.DB.RunModel(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	if err := m.NotGiven(); err != nil {
		return err
	}
	if c.QueryParam("download") != "" {
		httpio.Attach(c, echo.MIMEApplicationJSON, c.Param("id")+"-model.json")
	}
	return c.JSON(http.StatusOK, m)
}

// code answers GET /api/v1/runs/{id}/code/{language}: a file to save.
func (h *Handlers) code(c echo.Context) error {
	code, err := h.App.Code(c.Request().Context(), c.Param("id"), c.Param("language"))
	if err != nil {
		return err
	}
	httpio.Attach(c, code.Kind, c.Param("id")+"-"+code.Name)
	return c.Blob(http.StatusOK, code.Kind, []byte(code.Text))
}

// runEvents answers GET /api/v1/runs/{id}/events: progress until the run ends, then its outcome. For an ended run
// the outcome is the only event.
func (h *Handlers) runEvents(c echo.Context) error {
	r, err := h.DB.Run(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	return h.Streams.announce(c, r.ID, ending{ID: r.ID, Status: r.Status, Error: r.Error})
}
