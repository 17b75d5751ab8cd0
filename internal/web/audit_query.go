package web

import (
	"fmt"
	"net/url"
	"strconv"

	"taper/internal/engine/usererr"
	"taper/internal/web/form"
)

// auditQuery is the state of the review: which rows, in what order, which one
// is looked at. The page is a pure function of it and of what was decided.
type auditQuery struct {
	selection `prefix:""`
	Row       int  `form:"row" range:"1 2147483647"`  // data row of the card, from 1; 0 = the first that is open
	Page      int  `form:"page" range:"1 2147483647"` // 0 = that of the card
	Blind     bool `form:"blind" options:"1"`         // the model's evidence is hidden until a row is decided

	Imported *int // decisions that a file brought just now; no link goes on with it
}

// selection is app.Selection with its keys.
type selection struct {
	Sort  string `form:"sort" default:"review"` // one of auditSorts
	State string `form:"state"`                 // one of auditStates
	Label string `form:"label"`
}

// auditSorts are the orders of the list: "review" is that of suspicion with
// random controls mixed in.
var auditSorts = []string{"review", "suspicion", "margin", "weight", "row"}

// auditStates choose rows by what was decided.
var auditStates = []string{"", "open", "decided", "keep", "flip", "exclude", "unsure"}

// auditShown is the number of rows of a page of the list.
const auditShown = 20

// Field settles the words that a key may be, and what is said of others.
func (q *auditQuery) Field(f *form.Field) {
	must := "must be a whole number from 1 on"
	switch f.Key {
	case "sort":
		f.Options, must = auditSorts, "must be review, suspicion, margin, weight or row"
	case "state":
		f.Options, must = auditStates, "must be open, decided, keep, flip, exclude or unsure"
	case "page": // the first needs no key
		f.Default = nil
		f.Write = func() []string {
			if q.Page <= 1 {
				return nil
			}
			return []string{strconv.Itoa(q.Page)}
		}
	}
	f.Problem = func(text string) string { return fmt.Sprintf(must+" (got %.40q)", text) }
}

// readAuditQuery checks the query.
func readAuditQuery(v url.Values) (q auditQuery, err error) {
	if bad := form.Parse(&q, v); len(bad) > 0 {
		return q, usererr.BadField(bad[0].Field, "%s", bad[0].Message)
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
	return withQuery("/audit/"+url.PathEscape(run), form.Values(&q).Encode())
}
