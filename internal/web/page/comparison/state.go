package comparison

import (
	"net/url"
	"slices"
	"strings"

	"taper/internal/engine/compare"
	"taper/internal/engine/usererr"
	"taper/internal/web/format"
)

// State is what an address says: which runs, against which of them, and
// whether what is the same shows too.
type State struct {
	IDs  []string
	Base string // "" is the first
	All  bool
	X, Y string // columns of the plane; "" are those that weigh most
}

// Parse checks the query of the page, of its file and of the API.
func Parse(query url.Values) (q State, err error) {
	for _, id := range strings.Split(query.Get("ids"), ",") {
		if id = strings.TrimSpace(id); id != "" {
			q.IDs = append(q.IDs, id)
		}
	}
	if n := len(q.IDs); n < compare.Least || n > compare.Most {
		return q, usererr.BadField("ids", "must name %s to %s finished runs with commas between them (got %d)",
			format.Small(compare.Least), format.Small(compare.Most), n)
	}
	for i, id := range q.IDs {
		if slices.Contains(q.IDs[:i], id) {
			return q, usererr.BadField("ids", "names %q twice", format.Cut(id, 40))
		}
	}
	if q.Base = query.Get("base"); q.Base != "" && !slices.Contains(q.IDs, q.Base) {
		return q, usererr.BadField("base", "must be one of the ids (got %q)", format.Cut(q.Base, 40))
	}
	q.X, q.Y = query.Get("x"), query.Get("y")
	switch all := query.Get("all"); all {
	case "", "0", "false":
	case "1", "true":
		q.All = true
	default:
		return q, usererr.BadField("all", "must be true or false (got %q)", format.Cut(all, 40))
	}
	return q, nil
}

// base is the place of the baseline among the runs.
func (q State) base() int { return max(0, slices.Index(q.IDs, q.Base)) }

// URL writes the state as a link; what is the default is left out.
func (q State) URL(path string) string {
	each := make([]string, len(q.IDs))
	for i, id := range q.IDs {
		each[i] = url.QueryEscape(id)
	}
	to := path + "?ids=" + strings.Join(each, ",")
	if q.Base != "" && q.base() > 0 {
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
