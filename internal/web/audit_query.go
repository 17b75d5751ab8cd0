package web

import (
	"cmp"
	"math"
	"net/url"
	"slices"
	"strconv"

	"taper/internal/app"
	"taper/internal/engine/usererr"
)

// auditQuery is the state of the review: which rows, in what order, which one
// is looked at. The page is a pure function of it and of what was decided.
type auditQuery struct {
	app.Selection
	Row   int  // data row of the card, from 1; 0 = the first that is open
	Page  int  // from 1
	Blind bool // the model's evidence is hidden until a row is decided

	Imported *int // decisions that a file brought just now; no link goes on with it
}

// auditSorts are the orders of the list: "review" is that of suspicion with
// random controls mixed in.
var auditSorts = []string{"review", "suspicion", "margin", "weight", "row"}

// auditStates choose rows by what was decided.
var auditStates = []string{"", "open", "decided", "keep", "flip", "exclude", "unsure"}

// auditShown is the number of rows of a page of the list.
const auditShown = 20

// readAuditQuery checks the query.
func readAuditQuery(v url.Values) (q auditQuery, err error) {
	q.Sort, q.State, q.Label, q.Blind = cmp.Or(v.Get("sort"), auditSorts[0]), v.Get("state"), v.Get("label"),
		v.Get("blind") == "1"
	if !slices.Contains(auditSorts, q.Sort) {
		return q, usererr.BadField("sort", "must be review, suspicion, margin, weight or row (got %.40q)", q.Sort)
	}
	if !slices.Contains(auditStates, q.State) {
		return q, usererr.BadField("state", "must be open, decided, keep, flip, exclude or unsure (got %.40q)", q.State)
	}
	for _, n := range []struct {
		name string
		to   *int
	}{{"row", &q.Row}, {"page", &q.Page}} {
		if text := v.Get(n.name); text != "" {
			if *n.to, err = strconv.Atoi(text); err != nil || *n.to < 1 || *n.to > math.MaxInt32 {
				return q, usererr.BadField(n.name, "must be a whole number from 1 on (got %.40q)", text)
			}
		}
	}
	if text := v.Get("imported"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return q, usererr.BadField("imported", "must be a whole number from 0 on (got %.40q)", text)
		}
		q.Imported = &n
	}
	return q, nil
}

// url writes the state as a link; what is the default is left out.
func (q auditQuery) url(run string) string {
	v := url.Values{}
	set := func(name, value string, on bool) {
		if on {
			v.Set(name, value)
		}
	}
	set("sort", q.Sort, q.Sort != auditSorts[0])
	set("state", q.State, q.State != "")
	set("label", q.Label, q.Label != "")
	set("row", strconv.Itoa(q.Row), q.Row > 0)
	set("page", strconv.Itoa(q.Page), q.Page > 1)
	set("blind", "1", q.Blind)
	to := "/audit/" + url.PathEscape(run)
	if len(v) > 0 {
		to += "?" + v.Encode()
	}
	return to
}
