package review

import (
	"net/url"
	"slices"

	"taper/internal/app"
	"taper/internal/engine/audit"
)

// currentRow is the index in the list of the row shown: the requested row, else the first undecided one of the page
// or of the list. −1 for an empty list.
func currentRow(r *app.ReviewQueue, q State, list []int, decided map[audit.Key]audit.Decision) int {
	if len(list) == 0 {
		return -1
	}
	if at, ok := r.ByRow[q.Row-1]; q.Row > 0 && ok {
		if i := slices.Index(list, at); i >= 0 {
			return i
		}
	}
	from := 0
	if q.Page > 0 {
		return min((q.Page-1)*Shown, (len(list)-1)/Shown*Shown)
	}
	for i, at := range list {
		if d, is := decided[r.Audit.Keys[at]]; !is || d.Kind == "" {
			return i
		}
	}
	return from
}

// RowAfter is the data row, from 1, that followed a row in the list before the decision; the row itself if it is
// the last, or if the page is to stay on it.
func RowAfter(r *app.ReviewQueue, q State, decided map[audit.Key]audit.Decision, key audit.Key, move bool) int {
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

// Back is the state of the page that a form came from, the default if it is invalid.
func Back(back string) State {
	u, err := url.Parse(back)
	if err != nil {
		return State{Selection: Selection{Sort: Sorts[0]}}
	}
	q, err := Parse(u.Query())
	if err != nil {
		return State{Selection: Selection{Sort: Sorts[0]}}
	}
	q.Page = 0
	return q
}
