package main

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/cmd/web/query"
	"taper/internal/engine"
	"taper/internal/engine/audit"
	"taper/internal/engine/errs"
	"taper/internal/store"
	"taper/web/templates"
)

// auditPage answers GET /audit/{run}: the queue of labels to review, or the
// way to it.
func (s *Server) auditPage(c echo.Context) error {
	ctx := c.Request().Context()
	r, err := s.auditable(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	q, err := readAuditQuery(c.QueryParams())
	if err != nil {
		return err
	}
	room, err := s.auditRoom(ctx, r)
	if err != nil {
		return err
	}
	p := s.page(c, "Labels of "+r.Name)
	p.Crumbs = []templates.Link{{Label: "Runs", URL: "/runs"}, {Label: r.Name, URL: "/runs/" + r.ID}, {Label: "Labels"}}
	v := auditView{s: s, run: r, room: room, q: q}
	shown, err := v.page(ctx)
	if err != nil {
		return err
	}
	p.Result = templates.Sentence(v.strong, v.rest)
	return s.render(c, http.StatusOK, templates.AuditPage(p, shown))
}

// auditStart answers POST /audit/{run}: makes the ranking, anew where there is
// one. Decisions stay.
func (s *Server) auditStart(c echo.Context) error {
	r, err := s.auditForm(c)
	if err != nil {
		return err
	}
	if err := s.startAudit(r, engine.AuditOptions{Retune: c.Request().PostForm.Get("retune") == "1"}); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/audit/"+r.ID)
}

// auditForm reads the run of a request that changes something, and its form.
func (s *Server) auditForm(c echo.Context) (store.Run, error) {
	if err := c.Request().ParseForm(); err != nil {
		return store.Run{}, errs.New(errs.Invalid, "The form cannot be read.")
	}
	return s.auditable(c.Request().Context(), c.Param("id"))
}

// auditEvents answers GET /audit/{run}/events?job=trial: progress of the
// ranking, or of a trial.
func (s *Server) auditEvents(c echo.Context) error {
	id := auditJob(c.Param("id"))
	if c.QueryParam("job") == "trial" {
		id = trialJob(c.Param("id"))
	}
	ctx := c.Request().Context()
	states, err := s.jobs.Watch(ctx, id)
	if err != nil { // it ended long ago: the page knows how
		feed := make(chan event, 1)
		feed <- event{store.Done, ending{ID: id, Status: store.Done}}
		close(feed)
		return s.stream(c, feed)
	}
	return s.stream(c, follow(ctx.Done(), states))
}

// auditCancel answers POST /audit/{run}/cancel: stops the ranking, or with
// job=trial the trial.
func (s *Server) auditCancel(c echo.Context) error {
	r, err := s.auditForm(c)
	if err != nil {
		return err
	}
	id := auditJob(r.ID)
	if c.Request().PostForm.Get("job") == "trial" {
		id = trialJob(r.ID)
	}
	s.stopJob(c.Request().Context(), id)
	return c.Redirect(http.StatusSeeOther, "/audit/"+r.ID)
}

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
		return errs.BadField("key", "must be that of a row")
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
		err = errs.New(errs.Conflict, "The labels of this run were not ranked yet: audit them first.")
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
	case errs.Is(err, errs.Conflict) && !wantsJSON(c): // nothing to undo: the page stays
	case err != nil:
		return err
	default:
		q.Row = d.Row + 1
	}
	return c.Redirect(http.StatusSeeOther, q.url(r.ID)+"#card")
}

// auditTry answers POST /audit/{run}/try: labels flipped on purpose.
func (s *Server) auditTry(c echo.Context) error {
	r, err := s.auditForm(c)
	if err != nil {
		return err
	}
	o, err := trialOptions(c.Request().PostForm)
	if err != nil {
		return err
	}
	if err := s.startTrial(r, o); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/audit/"+r.ID+"#try")
}

// trialOptions reads the form: the rate in percent, a decimal comma accepted.
func trialOptions(form url.Values) (o engine.TrialOptions, err error) {
	o.Kind = form.Get("kind")
	rate, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(form.Get("rate")), ",", ".", 1), 64)
	if err != nil || !(rate > 0 && rate <= 45) {
		return o, errs.BadField("rate", "must be a percentage above 0 and at most 45")
	}
	o.Rate = rate / 100
	o.Seed, err = query.ParseWhole("seed", form.Get("seed"), 64)
	return o, err
}

// auditRefit answers POST /audit/{run}/refit: a child run on the reviewed labels.
func (s *Server) auditRefit(c echo.Context) error {
	r, err := s.auditForm(c)
	if err != nil {
		return err
	}
	child, err := s.startChild(c.Request().Context(), r)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/runs/"+child.ID)
}

// auditCSV answers GET /audit/{run}/review.csv: every row of the queue in the
// order of suspicion, with what was decided.
func (s *Server) auditCSV(c echo.Context) error {
	ctx := c.Request().Context()
	r, err := s.auditable(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	_, room, err := s.reviewed(c, r)
	if err != nil {
		return err
	}
	decisions, err := s.db.Decisions(ctx, room.labels)
	if err != nil {
		return err
	}
	decided := byKey(decisions)
	lines := make([]audit.Line, len(room.audit.Rows))
	for i := range room.audit.Rows {
		row := &room.audit.Rows[i]
		l := audit.Line{Decision: decided[room.audit.Keys[i]], Margin: finiteText(row.Margin), Weight: finiteText(row.Weight), Suspicion: finiteText(row.Suspicion())}
		l.Key, l.Row, l.Label = room.audit.Keys[i], row.Row, room.label(row.Row)
		lines[i] = l
	}
	attach(c, "text/csv; charset=utf-8", r.ID+"-review.csv")
	return audit.WriteCSV(c.Response(), r.DatasetSHA, lines)
}

// finiteText is a number as text, "" where there is none.
func finiteText(v float64) string {
	if v != v {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// auditImport answers POST /audit/{run}/review: decisions from a file that was
// exported. Lines that change nothing are passed over; all or none are stored.
func (s *Server) auditImport(c echo.Context) error {
	ctx := c.Request().Context()
	r, err := s.auditable(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	_, room, err := s.reviewed(c, r)
	if err != nil {
		return err
	}
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return errs.New(errs.Invalid, `The request must be multipart/form-data with the file in the part "file".`)
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return errs.BadField("file", "is missing: choose a review as CSV")
		}
		if err != nil {
			return brokenUpload(err)
		}
		if part.FormName() != "file" {
			continue
		}
		given, err := audit.ReadCSV(part, r.DatasetSHA)
		if err != nil {
			return err
		}
		if err := s.importDecisions(c, room, given); err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, "/audit/"+r.ID)
	}
}

func (s *Server) importDecisions(c echo.Context, room *auditRoom, given []audit.Decision) error {
	before, err := s.db.Decisions(c.Request().Context(), room.labels)
	if err != nil {
		return err
	}
	decided := byKey(before)
	var fresh []audit.Decision
	for _, d := range given {
		was, is := decided[d.Key]
		if is && was.Kind == d.Kind && was.Note == d.Note && (d.To == "" || was.To == d.To) {
			continue
		}
		fresh = append(fresh, d)
	}
	if len(fresh) == 0 {
		return nil
	}
	return s.decide(c.Request().Context(), room, fresh...)
}
