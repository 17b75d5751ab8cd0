package web

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// runJSON is a run as the API shows it. Result's fields stand beside the
// record's; until the run is done the main ones are null.
type runJSON struct {
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
	Deleted  *time.Time     `json:"data_deleted"` // when the data were wiped and the model was kept
	Progress *progress      `json:"progress"`
	Spec     *engine.Spec   `json:"spec,omitempty"`
	Reading  *table.Options `json:"reading,omitempty"` // how the file was read; of runs kept since that is noted
	*engine.Result
}

// noResult stands for the Result of a run that has none.
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

// MarshalJSON writes the result's fields, or null for them.
func (v runJSON) MarshalJSON() ([]byte, error) {
	type plain runJSON
	if v.Result != nil && v.Result.Classes != nil { // in place of the two-class metrics
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

// progress is how far a run is.
type progress struct {
	Fraction float64 `json:"fraction"`
	Message  string  `json:"message"`
	ETA      float64 `json:"eta_s"`
}

func (s *Server) runView(r store.Run) runJSON {
	v := runJSON{
		ID: r.ID, Name: r.Name, Notes: r.Notes, Status: r.Status, Error: r.Error, Dataset: r.Dataset,
		Data: r.DatasetName, SHA256: r.DatasetSHA, Version: r.Version, Created: r.Created.UTC(),
		Spec: &r.Spec, Reading: r.ColumnsReading(), Result: r.Result, Progress: &progress{Message: r.Status},
	}
	if !r.Finished.IsZero() {
		at := r.Finished.UTC()
		v.Finished = &at
	}
	v.Deleted = wipedAt(r)
	if r.Status == store.Done {
		v.Progress.Fraction = 1
	}
	if e, ok := s.app.Jobs.Progress(r.ID); ok && !app.Ended(r.Status) {
		v.Progress = &progress{e.Progress.Fraction, e.Progress.Message, e.Progress.ETA}
	}
	return v
}

// apiCreateRun answers POST /api/v1/runs.
func (s *Server) apiCreateRun(c echo.Context) error {
	spec, err := engine.DecodeSpec(c.Request().Body)
	if err != nil {
		return err
	}
	r, err := s.app.StartRun(c.Request().Context(), spec)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, "/api/v1/runs/"+r.ID)
	return c.JSON(http.StatusAccepted, queued{r.ID, store.Queued})
}

// runItem is a run in a list.
type runItem struct {
	ID           string    `json:"id"`
	Name         string    `json:"name"`
	Notes        string    `json:"notes"`
	Status       string    `json:"status"`
	Dataset      string    `json:"dataset"`
	Data         string    `json:"data"`
	Created      time.Time `json:"created"`
	Loss         string    `json:"loss"`
	Task         string    `json:"task"`
	Outcome      string    `json:"outcome"`
	Boundaries   []float64 `json:"boundaries"`
	N            int       `json:"n"`
	Events       int       `json:"events"`
	AUC          *float64  `json:"auc"`
	IntervalLoss *float64  `json:"interval_loss"`
	Brier        *float64  `json:"brier"`
	Accuracy     *float64  `json:"accuracy"`        // tasks multiclass and ordinal
	MAE          *float64  `json:"mae"`             // task ordinal
	Abstention   *float64  `json:"abstention_loss"` // task abstain
	Seconds      float64   `json:"seconds"`
	BandsOK      int       `json:"bands_ok"`
	BandsJudged  int       `json:"bands_judged"`

	Deleted *time.Time `json:"data_deleted"` // when the data were wiped and the model was kept
}

// wipedAt is when the data of a run were wiped; nil while they are there.
func wipedAt(r store.Run) *time.Time {
	if r.Wiped.IsZero() {
		return nil
	}
	return &r.Wiped
}

// apiRuns answers GET /api/v1/runs?q=&dataset=&status=&loss=&sort=&desc=.
func (s *Server) apiRuns(c echo.Context) error {
	q, err := readRunQuery(c, runsShown, 1000)
	if err != nil {
		return err
	}
	runs, total, err := s.db.Runs(c.Request().Context(), q.RunFilter)
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
			Seconds:    m.Seconds, BandsOK: m.BandsOK, BandsJudged: m.BandsJudged, Deleted: wipedAt(r),
		}
	}
	return c.JSON(http.StatusOK, list[runItem]{items, total})
}

// apiRun answers GET /api/v1/runs/{id}.
func (s *Server) apiRun(c echo.Context) error {
	r, err := s.db.Run(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, s.runView(r))
}

// runPatch is the body of PATCH /api/v1/runs/{id}.
type runPatch struct {
	Name  string `json:"name,omitempty"`
	Notes string `json:"notes,omitempty"`
}

// apiPatchRun answers PATCH /api/v1/runs/{id}: name and notes, nothing else
// of a run ever changes.
func (s *Server) apiPatchRun(c echo.Context) error {
	ctx := c.Request().Context()
	r, err := s.db.Run(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	q := runPatch{r.Name, r.Notes}
	if err := readJSON(c, &q); err != nil {
		return err
	}
	if err := s.app.RenameRun(ctx, r.ID, q.Name, q.Notes); err != nil {
		return err
	}
	return s.apiRun(c)
}

// apiDeleteRun answers DELETE /api/v1/runs/{id}.
func (s *Server) apiDeleteRun(c echo.Context) error {
	if err := s.app.DeleteRun(c.Request().Context(), c.Param("id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// apiCancelRun answers POST /api/v1/runs/{id}/cancel.
func (s *Server) apiCancelRun(c echo.Context) error {
	if err := s.app.CancelRun(c.Request().Context(), c.Param("id")); err != nil {
		return err
	}
	return s.apiRun(c)
}

// apiRunRows answers GET /api/v1/runs/{id}/rows.
func (s *Server) apiRunRows(c echo.Context) error {
	if f := c.QueryParam("format"); f != "" && f != "csv" {
		return usererr.BadField("format", "must be csv (got %q)", f)
	}
	ctx := c.Request().Context()
	rows, err := s.db.RunRows(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	m, err := s.db.RunModel(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	if len(rows) > 0 && rows[0].Scores != nil {
		return classRowsCSV(c, rows, m.Levels)
	}
	attach(c, "text/csv; charset=utf-8", c.Param("id")+"-rows.csv")
	w := table.NewCSV(c.Response())
	w.Write("row", "outcome", "split", "score", "probability", "stratum", "band", "weight", "flipped", "row_number")
	bands := stat.BandLabels(m.Boundaries)
	for _, r := range rows {
		w.Write(
			strconv.Itoa(r.Row), r.Outcome, r.Split, decimal(&r.Score), decimal(r.Probability),
			strconv.Itoa(r.Stratum), bands[r.Stratum], decimal(r.Weight), strconv.FormatBool(r.Flipped), strconv.Itoa(r.Row+1),
		)
	}
	return w.Flush()
}

// decimal is the shortest text that reads back as the same number.
func decimal(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// apiModel answers GET /api/v1/runs/{id}/model.json.
func (s *Server) apiModel(c echo.Context) error {
	m, err := s.db.RunModel(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	if c.QueryParam("download") != "" {
		attach(c, echo.MIMEApplicationJSON, c.Param("id")+"-model.json")
	}
	return c.JSON(http.StatusOK, m)
}
