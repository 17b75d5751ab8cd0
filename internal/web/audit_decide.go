package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/app"
	"taper/internal/engine/audit"
	"taper/internal/engine/usererr"
	"taper/internal/store"
	"taper/internal/web/page/review"
)

// auditDecide answers POST /audit/{run}/decide: one decision, then the next row.
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
	q := backQuery(form.Get("back"))
	d := audit.Decision{Key: key, Kind: audit.Kind(form.Get("decision")), To: form.Get("to"), Blind: q.Blind,
		Note: strings.TrimSpace(strings.ReplaceAll(form.Get("note"), "\r\n", "\n"))}
	before, err := s.db.Decisions(ctx, queue.Labels)
	if err != nil {
		return err
	}
	decided := app.ByKey(before)
	if d.Kind == "" { // a note alone leaves what was decided
		d.Kind, d.To = decided[key].Kind, decided[key].To
	}
	if d.Kind == "" && d.Note == decided[key].Note {
		return c.Redirect(http.StatusSeeOther, q.URL(r.ID)+"#card")
	}
	next := rowAfter(queue, q, decided, key, form.Get("decision") != "")
	if err := s.app.Decide(ctx, queue, d); err != nil {
		return err
	}
	q.Row = next
	return c.Redirect(http.StatusSeeOther, q.URL(r.ID)+"#card")
}

// reviewing reads the run and the audit of a request that decides.
func (s *Server) reviewing(c echo.Context) (store.Run, *app.ReviewQueue, error) {
	r, err := s.auditForm(c)
	if err != nil {
		return r, nil, err
	}
	queue, err := s.app.Reviewed(c.Request().Context(), r)
	return r, queue, err
}

// rowAfter is the data row, from 1, that follows a row in the list as it was; the
// row itself where there is no next, or where it is to stay.
func rowAfter(r *app.ReviewQueue, q review.State, decided map[audit.Key]audit.Decision, key audit.Key, move bool) int {
	own := r.Audit.Rows[r.Place[key]].Row + 1
	if !move {
		return own
	}
	list := r.List(app.Selection(q.Selection), decided)
	q.Row = own
	at := currentRow(r, q, list, decided)
	if at >= 0 && at+1 < len(list) {
		return r.Audit.Rows[list[at+1]].Row + 1
	}
	return own
}

// backQuery is the state of the page that a form came from; what cannot be read
// is the default.
func backQuery(back string) review.State {
	u, err := url.Parse(back)
	if err != nil {
		return review.State{Selection: review.Selection{Sort: review.Sorts[0]}}
	}
	q, err := review.Parse(u.Query())
	if err != nil {
		return review.State{Selection: review.Selection{Sort: review.Sorts[0]}}
	}
	q.Page = 0
	return q
}

// auditUndo answers POST /audit/{run}/undo: takes back the last decision and
// shows its row.
func (s *Server) auditUndo(c echo.Context) error {
	r, queue, err := s.reviewing(c)
	if err != nil {
		return err
	}
	q := backQuery(c.Request().PostForm.Get("back"))
	d, err := s.db.Undo(c.Request().Context(), queue.Labels)
	switch {
	case usererr.Is(err, usererr.Conflict) && !wantsJSON(c): // nothing to undo: the page stays
	case err != nil:
		return err
	default:
		q.Row = d.Row + 1
	}
	return c.Redirect(http.StatusSeeOther, q.URL(r.ID)+"#card")
}
