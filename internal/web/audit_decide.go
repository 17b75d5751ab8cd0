package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/audit"
	"taper/internal/engine/usererr"
	"taper/internal/store"
)

// auditDecide answers POST /audit/{run}/decide: one decision, then the next row.
func (s *Server) auditDecide(c echo.Context) error {
	ctx := c.Request().Context()
	r, room, err := s.reviewing(c)
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
	before, err := s.db.Decisions(ctx, room.labels)
	if err != nil {
		return err
	}
	decided := byKey(before)
	if d.Kind == "" { // a note alone leaves what was decided
		d.Kind, d.To = decided[key].Kind, decided[key].To
	}
	if d.Kind == "" && d.Note == decided[key].Note {
		return c.Redirect(http.StatusSeeOther, q.url(r.ID)+"#card")
	}
	next := room.after(q, decided, key, form.Get("decision") != "")
	if err := s.decide(ctx, room, d); err != nil {
		return err
	}
	q.Row = next
	return c.Redirect(http.StatusSeeOther, q.url(r.ID)+"#card")
}

// reviewing reads the run and the audit of a request that decides.
func (s *Server) reviewing(c echo.Context) (store.Run, *auditRoom, error) {
	r, err := s.auditForm(c)
	if err != nil {
		return r, nil, err
	}
	return s.reviewed(c, r)
}

func (s *Server) reviewed(c echo.Context, r store.Run) (store.Run, *auditRoom, error) {
	room, err := s.auditRoom(c.Request().Context(), r)
	if err == nil && room == nil {
		err = usererr.New(usererr.Conflict, "The labels of this run were not ranked yet: audit them first.")
	}
	return r, room, err
}

// after is the data row, from 1, that follows a row in the list as it was; the
// row itself where there is no next, or where it is to stay.
func (r *auditRoom) after(q auditQuery, decided map[audit.Key]audit.Decision, key audit.Key, move bool) int {
	own := r.audit.Rows[r.place[key]].Row + 1
	if !move {
		return own
	}
	list := r.list(q, decided)
	q.Row = own
	at := r.current(q, list, decided)
	if at >= 0 && at+1 < len(list) {
		return r.audit.Rows[list[at+1]].Row + 1
	}
	return own
}

// backQuery is the state of the page that a form came from; what cannot be read
// is the default.
func backQuery(back string) auditQuery {
	u, err := url.Parse(back)
	if err != nil {
		return auditQuery{Sort: auditSorts[0]}
	}
	q, err := readAuditQuery(u.Query())
	if err != nil {
		return auditQuery{Sort: auditSorts[0]}
	}
	q.Page = 0
	return q
}

// auditUndo answers POST /audit/{run}/undo: takes back the last decision and
// shows its row.
func (s *Server) auditUndo(c echo.Context) error {
	r, room, err := s.reviewing(c)
	if err != nil {
		return err
	}
	q := backQuery(c.Request().PostForm.Get("back"))
	d, err := s.db.Undo(c.Request().Context(), room.labels)
	switch {
	case usererr.Is(err, usererr.Conflict) && !wantsJSON(c): // nothing to undo: the page stays
	case err != nil:
		return err
	default:
		q.Row = d.Row + 1
	}
	return c.Redirect(http.StatusSeeOther, q.url(r.ID)+"#card")
}

// decide stores a decision about a row of an audit. A flip without a class goes
// to the likeliest other one.
func (s *Server) decide(ctx context.Context, room *auditRoom, given ...audit.Decision) error {
	for i := range given {
		d := &given[i]
		at, known := room.place[d.Key]
		if !known {
			return usererr.New(usererr.NotFound, "No row of this audit has that key. The data or the columns in use have changed "+
				"since: make the audit anew.")
		}
		row := room.audit.Rows[at]
		classes := room.audit.Summary.Classes
		own := room.label(row.Row) // the class of the label as uploaded
		if room.run.Result != nil {
			own = room.run.Result.ClassOf(own)
		}
		d.Row, d.Label, d.Control = row.Row, room.label(row.Row), room.control[at]
		switch {
		case d.Kind != "" && !d.Kind.Valid():
			return usererr.BadField("decision", "must be keep, flip, exclude or unsure (got %.40q)", d.Kind)
		case len(d.Note) > audit.MaxNote:
			return usererr.BadField("note", "must hold at most %d bytes", audit.MaxNote)
		case d.Kind != audit.Flip:
			d.To = ""
		case d.To == "":
			d.To = flipTo(classes, own, row)
		case !slices.Contains(classes, d.To) || d.To == own:
			return usererr.BadField("to", "must be another class than the label, one of %d (got %.40q)", len(classes), d.To)
		}
	}
	return s.db.Decide(ctx, room.labels, room.run.ID, given...)
}

// flipTo is the class that a row of a class as uploaded is flipped to: the
// likeliest other one. Where an earlier review changed the label that was audited, that is
// the audited one.
func flipTo(classes []string, own string, row audit.Row) string {
	if to := classes[row.Other]; to != own {
		return to
	}
	return classes[row.Label]
}

// byKey indexes decisions.
func byKey(decisions []audit.Decision) map[audit.Key]audit.Decision {
	m := make(map[audit.Key]audit.Decision, len(decisions))
	for _, d := range decisions {
		m[d.Key] = d
	}
	return m
}
