package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine/audit"
	"taper/internal/engine/job"
	"taper/internal/engine/stat"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/form"
	"taper/internal/web/httpio"
	"taper/internal/web/page/review"
)

// Audit is the audit of a run as the API shows it.
type Audit struct {
	Run      string            `json:"run"`
	Status   string            `json:"status"` // none, queued, running, done, failed
	Progress *Progress         `json:"progress"`
	Error    string            `json:"error,omitempty"`
	Data     string            `json:"data"` // SHA-256 of the uploaded bytes
	Audit    *audit.LabelAudit `json:"audit"`
	Review   *reviewJSON       `json:"review"`
	Trials   []audit.Trial     `json:"trials"`
	Children []string          `json:"children"` // runs on the reviewed labels
	Items    []auditItem       `json:"items"`
	Total    int               `json:"total"`
}

// reviewJSON counts a review; the errors found among the random controls estimate the error rate of all labels.
type reviewJSON struct {
	Reviewed int           `json:"reviewed"`
	Errors   int           `json:"errors"`
	Excluded int           `json:"excluded"`
	Unsure   int           `json:"unsure"`
	Rate     stat.Estimate `json:"rate"`
	Controls int           `json:"controls"`
	Control  stat.Estimate `json:"control_rate"`
}

// auditItem is one row of the queue. Whether it is a random control is not shown.
type auditItem struct {
	Row         int        `json:"row"` // 0-based
	Key         string     `json:"key"`
	Label       string     `json:"label"` // as uploaded
	Other       string     `json:"other"` // the class that a flip gives
	Fold        int        `json:"fold"`
	Suspicion   *float64   `json:"suspicion"`
	Probability *float64   `json:"probability"`
	Margin      *float64   `json:"margin"`
	Weight      *float64   `json:"weight"`
	Relative    *float64   `json:"weight_over_median"` // ξ / median
	Decision    audit.Kind `json:"decision"`           // "" = undecided
	To          string     `json:"to,omitempty"`
	Note        string     `json:"note,omitempty"`
	Decided     *time.Time `json:"decided,omitempty"`
}

// audit answers GET /api/v1/runs/{id}/audit?sort=&state=&label=&limit=&offset=.
func (h *Handlers) audit(c echo.Context) error {
	ctx := c.Request().Context()
	r, err := h.App.Auditable(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	q, err := review.Parse(c.QueryParams())
	if err != nil {
		return err
	}
	var of auditPage
	if err := form.ReadStrict(&of, c.QueryParams()); err != nil {
		return err
	}
	v, err := h.auditJSON(ctx, r, q, of.Limit, of.Offset)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, v)
}

func (h *Handlers) auditJSON(ctx context.Context, r store.Run, q review.State, limit, offset int) (Audit, error) {
	v := Audit{Run: r.ID, Status: "none", Data: r.DatasetSHA, Items: []auditItem{}, Trials: []audit.Trial{},
		Children: []string{}}
	if e, ok := h.App.Jobs.Progress(app.AuditJob(r.ID)); ok && !(e.State.Final() && e.Err == nil) {
		v.Status, v.Progress = string(e.State), progressOf(e.Progress)
		if e.State == job.Failed {
			v.Error = reason(e.Err)
		}
	}
	trials, err := h.DB.Trials(ctx, r.ID)
	if err != nil {
		return v, err
	}
	v.Trials = append(v.Trials, trials...)
	queue, err := h.App.Review(ctx, r)
	if err != nil || queue == nil {
		return v, err
	}
	if v.Status == "none" {
		v.Status = store.Done
	}
	decisions, err := h.App.Decisions(ctx, queue)
	if err != nil {
		return v, err
	}
	children, err := h.DB.Children(ctx, r.ID)
	if err != nil {
		return v, err
	}
	for _, child := range children {
		v.Children = append(v.Children, child.ID)
	}
	decided := app.ByKey(decisions)
	list := queue.List(app.Selection(q.Selection), decided)
	v.Audit, v.Review, v.Total = withoutBulk(queue.Audit.Summary), reviewOut(audit.Count(decisions)), len(list)
	for _, at := range list[min(offset, len(list)):min(offset+limit, len(list))] {
		v.Items = append(v.Items, auditItemOf(queue, at, decided))
	}
	return v, nil
}

// withoutBulk removes the models of trees and kernels, which can take megabytes.
func withoutBulk(a audit.LabelAudit) *audit.LabelAudit {
	if len(a.Models) > 0 && (a.Models[0].Trees != nil || a.Models[0].Kernel != nil) {
		a.Models = nil
	}
	return &a
}

func reviewOut(n audit.Tally) *reviewJSON {
	return &reviewJSON{n.Reviewed, n.Errors, n.Excluded, n.Unsure, stat.Proportion(n.Errors, n.Reviewed), n.Controls,
		stat.Proportion(n.ControlErrors, n.Controls)}
}

// auditItemOf is one row for the API.
func auditItemOf(r *app.ReviewQueue, at int, decided map[audit.Key]audit.Decision) auditItem {
	row, label := r.Audit.Rows[at], r.Label(r.Audit.Rows[at].Row)
	v := auditItem{Row: row.Row, Key: r.Audit.Keys[at].String(), Label: label,
		Other: app.FlipTo(r.Audit.Summary.Classes, label, row), Fold: row.Fold + 1,
		Suspicion: known(row.Suspicion()), Probability: known(row.Probability), Margin: known(row.Margin),
		Weight: known(row.Weight)}
	if m := r.Audit.Summary.Median; m != nil && *m > 0 {
		v.Relative = known(row.Weight / *m)
	}
	if d, is := decided[r.Audit.Keys[at]]; is {
		made := d.Made.UTC()
		v.Decision, v.To, v.Note, v.Decided = d.Kind, d.To, d.Note, &made
	}
	return v
}

// known is a number, nil for none.
func known(v float64) *float64 {
	if v-v != 0 { // NaN or ±∞
		return nil
	}
	return &v
}

// auditRequest is the body of POST: exactly one of its parts.
type auditRequest struct {
	Start     bool                `json:"start,omitempty"`  // ranks the labels, again if they were ranked
	Retune    bool                `json:"retune,omitempty"` // with start: tune λ again
	Decisions []auditDecision     `json:"decisions,omitempty"`
	Undo      bool                `json:"undo,omitempty"`  // of the last decision
	Try       *audit.TrialOptions `json:"try,omitempty"`   // labels flipped deliberately
	Refit     bool                `json:"refit,omitempty"` // starts a child run on the reviewed labels
}

type auditDecision struct {
	Key      string     `json:"key"`
	Decision audit.Kind `json:"decision"`
	To       string     `json:"to,omitempty"`
	Note     string     `json:"note,omitempty"`
}

// auditPost answers POST /api/v1/runs/{id}/audit.
func (h *Handlers) auditPost(c echo.Context) error {
	ctx := c.Request().Context()
	r, err := h.App.Auditable(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	var q auditRequest
	if err := httpio.ReadJSON(c, &q); err != nil {
		return err
	}
	terms, err := h.agreed(c)
	if err != nil {
		return err
	}
	switch {
	case q.parts() != 1:
		return usererr.New(usererr.Invalid, "The body must hold one of start, decisions, undo, try and refit.")
	case q.Start:
		err = h.App.StartAudit(c.Request().Context(), r, audit.Options{Retune: q.Retune}, terms)
	case q.Try != nil:
		err = h.App.StartTrial(c.Request().Context(), r, *q.Try, terms)
	case q.Refit:
		child, err := h.App.StartReviewed(ctx, r)
		if err != nil {
			return err
		}
		c.Response().Header().Set(echo.HeaderLocation, "/api/v1/runs/"+child.ID)
		return c.JSON(http.StatusAccepted, queued{child.ID, store.Queued})
	default:
		return h.decide(c, r, q)
	}
	if err != nil {
		return err
	}
	return c.JSON(http.StatusAccepted, queued{r.ID, store.Queued})
}

func (q auditRequest) parts() (n int) {
	for _, is := range []bool{q.Start, q.Decisions != nil, q.Undo, q.Try != nil, q.Refit} {
		if is {
			n++
		}
	}
	return n
}

// decide stores decisions, or undoes the last one, and answers with the audit.
func (h *Handlers) decide(c echo.Context, r store.Run, q auditRequest) error {
	ctx := c.Request().Context()
	queue, err := h.App.Reviewed(ctx, r)
	if err != nil {
		return err
	}
	if q.Undo {
		if _, err := h.DB.Undo(ctx, queue.Labels); err != nil {
			return err
		}
	}
	var given []audit.Decision
	for _, d := range q.Decisions {
		key, ok := audit.ParseKey(d.Key)
		if !ok {
			return usererr.BadField("decisions", "must hold the key of each row (got %.40q)", d.Key)
		}
		given = append(given, audit.Decision{Key: key, Kind: d.Decision, To: d.To, Note: d.Note})
	}
	if len(given) > 0 {
		if err := h.App.Decide(ctx, queue, given...); err != nil {
			return err
		}
	}
	v, err := h.auditJSON(ctx, r, review.State{Selection: review.Selection{Sort: review.Sorts[0]}}, 50, 0)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, v)
}
