package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine/audit"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/page/review"
)

// auditDecide answers POST /audit/{run}/decide: it stores one decision and shows the next row.
func (s *Server) auditDecide(c echo.Context) error {
	ctx := c.Request().Context()
	r, queue, err := s.reviewing(c)
	if err != nil {
		return err
	}
	form := c.Request().PostForm
	key, ok := audit.ParseKey(form.Get("key"))
	if !ok {
		return usererr.BadField("key", "must be that of a row")
	}
	q := review.Back(form.Get("back"))
	d := audit.Decision{Key: key, Kind: audit.Kind(form.Get("decision")), To: form.Get("to"), Blind: q.Hides(),
		Note: strings.TrimSpace(strings.ReplaceAll(form.Get("note"), "\r\n", "\n"))}
	before, err := s.app.Decisions(ctx, queue)
	if err != nil {
		return err
	}
	next := review.RowAfter(queue, q, app.ByKey(before), key, d.Kind != "")
	if d.Kind == "" { // a note without a decision keeps the decision
		err = s.app.Annotate(ctx, queue, d)
	} else {
		err = s.app.Decide(ctx, queue, d)
	}
	if err != nil {
		return err
	}
	q.Row = next
	return c.Redirect(http.StatusSeeOther, q.URL(r.ID)+"#card")
}

// reviewing reads the run and the audit of a request about decisions.
func (s *Server) reviewing(c echo.Context) (store.Run, *app.ReviewQueue, error) {
	r, err := s.auditForm(c)
	if err != nil {
		return r, nil, err
	}
	queue, err := s.app.Reviewed(c.Request().Context(), r)
	return r, queue, err
}

// auditUndo answers POST /audit/{run}/undo: it undoes the last decision and shows its row.
func (s *Server) auditUndo(c echo.Context) error {
	r, queue, err := s.reviewing(c)
	if err != nil {
		return err
	}
	q := review.Back(c.Request().PostForm.Get("back"))
	d, err := s.db.Undo(c.Request().Context(), queue.Labels)
	switch {
	case usererr.Is(err, usererr.Conflict) && !wantsJSON(c): // nothing to undo: show the same page
	case err != nil:
		return err
	default:
		q.Row = d.Row + 1
	}
	return c.Redirect(http.StatusSeeOther, q.URL(r.ID)+"#card")
}
