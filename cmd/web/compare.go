package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/cmd/web/wording"
	"taper/internal/engine/compare"
	"taper/internal/engine/errs"
	"taper/internal/store"
	"taper/web/templates"
)

// compareQuery is the state of the page: which runs, against which of them,
// and whether what is the same shows too.
type compareQuery struct {
	IDs  []string
	Base string // "" is the first
	All  bool
	X, Y string // columns of the plane; "" are those that weigh most
}

// readCompare checks the query of the page and of the API.
func readCompare(c echo.Context) (q compareQuery, err error) {
	for _, id := range strings.Split(c.QueryParam("ids"), ",") {
		if id = strings.TrimSpace(id); id != "" {
			q.IDs = append(q.IDs, id)
		}
	}
	if n := len(q.IDs); n < compare.Least || n > compare.Most {
		return q, errs.BadField("ids", "must name %s to %s finished runs with commas between them (got %d)", wording.Small(compare.Least), wording.Small(compare.Most), n)
	}
	for i, id := range q.IDs {
		if slices.Contains(q.IDs[:i], id) {
			return q, errs.BadField("ids", "names %q twice", wording.Cut(id, 40))
		}
	}
	if q.Base = c.QueryParam("base"); q.Base != "" && !slices.Contains(q.IDs, q.Base) {
		return q, errs.BadField("base", "must be one of the ids (got %q)", wording.Cut(q.Base, 40))
	}
	q.X, q.Y = c.QueryParam("x"), c.QueryParam("y")
	switch all := c.QueryParam("all"); all {
	case "", "0", "false":
	case "1", "true":
		q.All = true
	default:
		return q, errs.BadField("all", "must be true or false (got %q)", wording.Cut(all, 40))
	}
	return q, nil
}

// base is the place of the baseline among the runs.
func (q compareQuery) base() int { return max(0, slices.Index(q.IDs, q.Base)) }

// idList writes ids as the URL has them.
func idList(ids []string) string {
	var each []string
	for _, id := range ids {
		each = append(each, url.QueryEscape(id))
	}
	return strings.Join(each, ",")
}

// url writes the state as a link; what is the default is left out.
func (q compareQuery) url(path string) string {
	to := path + "?ids=" + idList(q.IDs)
	if q.base() > 0 {
		to += "&base=" + url.QueryEscape(q.Base)
	}
	if q.All {
		to += "&all=1"
	}
	for _, axis := range []struct{ name, column string }{{"x", q.X}, {"y", q.Y}} {
		if axis.column != "" {
			to += "&" + axis.name + "=" + url.QueryEscape(axis.column)
		}
	}
	return to
}

// sideBySide is the runs of a comparison as they are stored, with what was found.
type sideBySide struct {
	q    compareQuery
	runs []store.Run
	rows []compare.Run // the same with names that tell them apart
	*compare.Comparison

	plane *comparePlane // nil without two numbers that all take
}

// compareRuns reads the runs and compares them.
func (s *Server) compareRuns(ctx context.Context, q compareQuery) (v sideBySide, err error) {
	v = sideBySide{q: q}
	for _, id := range q.IDs { // every id is looked at before much is read
		r, err := s.db.RunLine(ctx, id)
		if err != nil {
			return v, err
		}
		if r.Status != store.Done {
			return v, unfinished(r)
		}
	}
	for _, id := range q.IDs {
		r, err := s.db.Run(ctx, id)
		if err != nil {
			return v, err
		}
		c := compare.Run{ID: id, Data: r.DatasetName, SHA256: r.DatasetSHA, Version: r.Version, Spec: r.Spec, Result: r.Result}
		if c.Rows, err = s.db.RunRows(ctx, id); err != nil {
			return v, err
		}
		if c.Model, err = s.db.RunModel(ctx, id); err != nil {
			return v, err
		}
		v.runs, v.rows = append(v.runs, r), append(v.rows, c)
	}
	for i, name := range runNames(v.runs) {
		v.rows[i].Name = name
	}
	v.Comparison, err = compare.New(ctx, v.rows, q.base())
	return v, err
}

// unfinished says why a run cannot be compared.
func unfinished(r store.Run) error {
	if ended(r.Status) {
		return errs.New(errs.Conflict, "‘%s’ (%s) is %s and has no result to compare. Leave it out, or run it again.", r.Name, r.ID, r.Status)
	}
	return errs.New(errs.Conflict, "‘%s’ (%s) is %s and has no result yet. Compare it when it is done.", r.Name, r.ID, r.Status)
}

// nameMost is how much of a run's name a head shows.
const nameMost = 44

// runNames are short names that tell the runs apart: their own, with the method
// where two have one name, with the end of the id where that is the same too.
func runNames(runs []store.Run) []string {
	names := make([]string, len(runs))
	for i, r := range runs {
		names[i] = wording.Shorten(r.Name, nameMost)
	}
	for _, more := range []func(store.Run) string{
		func(r store.Run) string { return r.Result.Method },
		func(r store.Run) string { return r.ID[max(0, len(r.ID)-4):] },
		func(r store.Run) string { return r.ID },
	} {
		plain := slices.Clone(names)
		for i, r := range runs {
			if n := len(slices.DeleteFunc(slices.Clone(plain), func(s string) bool { return s != plain[i] })); n > 1 {
				names[i] = plain[i] + ", " + more(r)
			}
		}
	}
	return names
}

// comparePage answers GET /compare?ids=a,b: the runs beside each other. The
// list of runs sends its ticks as id=a&id=b.
func (s *Server) comparePage(c echo.Context) error {
	if ticked := append(c.QueryParams()["also"], c.QueryParams()["id"]...); len(ticked) > 0 {
		return c.Redirect(http.StatusSeeOther, "/compare?ids="+idList(ticked))
	}
	q, err := readCompare(c)
	if err != nil {
		return err
	}
	v, err := s.compareRuns(c.Request().Context(), q)
	if err != nil {
		return err
	}
	if v.plane, err = v.findPlane(c.Request().Context()); err != nil {
		return err
	}
	p := s.page(c, v.title())
	p.Help = "/help/compare"
	p.Crumbs = []templates.Link{{Label: "Runs", URL: "/runs?ids=" + idList(q.IDs)}, {Label: "compare"}}
	p.Actions = templates.Buttons(templates.Button{Label: "Copy link", Icon: "link", Copy: "here"},
		templates.Button{Label: "As CSV", Icon: "download", URL: compareQuery{IDs: q.IDs, Base: q.Base}.url("/compare.csv"), Dropped: true})
	strong, rest := v.finding()
	p.Result = templates.Sentence(strong, rest)
	return s.render(c, http.StatusOK, templates.ComparePage(p, v.view()))
}

// title says how many runs there are, and of one file on which.
func (v sideBySide) title() string {
	for _, r := range v.runs {
		if r.DatasetSHA != v.runs[0].DatasetSHA {
			return wording.UpperFirst(wording.Small(len(v.runs))) + " runs compared"
		}
	}
	return fmt.Sprintf("%s runs on %s", wording.UpperFirst(wording.Small(len(v.runs))), wording.Shorten(v.runs[0].DatasetName, 60))
}
