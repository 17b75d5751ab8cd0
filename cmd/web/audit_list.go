package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"net/url"
	"slices"
	"strconv"

	"taper/internal/engine"
	"taper/internal/engine/audit"
	"taper/internal/engine/errs"
	"taper/internal/engine/job"
)

// auditQuery is the state of the review: which rows, in what order, which one
// is looked at. The page is a pure function of it and of what was decided.
type auditQuery struct {
	Sort  string // one of auditSorts
	State string // one of auditStates
	Label string // class as audited; "" all
	Row   int    // data row of the card, from 1; 0 = the first that is open
	Page  int    // from 1
	Blind bool   // the model's evidence is hidden until a row is decided
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
	q.Sort, q.State, q.Label, q.Blind = or(v.Get("sort"), auditSorts[0]), v.Get("state"), v.Get("label"), v.Get("blind") == "1"
	if !slices.Contains(auditSorts, q.Sort) {
		return q, errs.BadField("sort", "must be review, suspicion, margin, weight or row (got %.40q)", q.Sort)
	}
	if !slices.Contains(auditStates, q.State) {
		return q, errs.BadField("state", "must be open, decided, keep, flip, exclude or unsure (got %.40q)", q.State)
	}
	for _, n := range []struct {
		name string
		to   *int
	}{{"row", &q.Row}, {"page", &q.Page}} {
		if text := v.Get(n.name); text != "" {
			if *n.to, err = strconv.Atoi(text); err != nil || *n.to < 1 || *n.to > math.MaxInt32 {
				return q, errs.BadField(n.name, "must be a whole number from 1 on (got %.40q)", text)
			}
		}
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

// list returns the places in the ranking that the state chooses, in its order.
func (r *auditRoom) list(q auditQuery, decided map[audit.Key]audit.Decision) []int {
	order := r.sorted(q.Sort)
	if q.State == "" && q.Label == "" {
		return order
	}
	kinds := make([]audit.Kind, len(order)) // by place: most rows are open
	for key, d := range decided {
		if at, known := r.place[key]; known {
			kinds[at] = d.Kind
		}
	}
	label := slices.Index(r.audit.Summary.Classes, q.Label)
	all := make([]int, 0, len(order))
	for _, at := range order {
		if (q.Label == "" || r.audit.Rows[at].Label == label) && inState(q.State, kinds[at]) {
			all = append(all, at)
		}
	}
	return all
}

func inState(state string, kind audit.Kind) bool {
	switch state {
	case "":
		return true
	case "open":
		return kind == ""
	case "decided":
		return kind != ""
	}
	return string(kind) == state
}

// sorted returns the places in an order, worked out once; nobody changes it.
func (r *auditRoom) sorted(by string) []int {
	if by == "review" {
		return r.order
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.orders[by] != nil {
		return r.orders[by]
	}
	order := make([]int, len(r.order))
	for i := range order {
		order[i] = i // by suspicion they are
	}
	rows := r.audit.Rows
	key := map[string]func(i int) float64{"margin": func(i int) float64 { return rows[i].Margin }, "weight": func(i int) float64 { return rows[i].Weight }, "row": func(i int) float64 { return float64(rows[i].Row) }}[by]
	if key != nil {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
	}
	r.orders[by] = order
	return order
}

// byKey indexes decisions.
func byKey(decisions []audit.Decision) map[audit.Key]audit.Decision {
	m := make(map[audit.Key]audit.Decision, len(decisions))
	for _, d := range decisions {
		m[d.Key] = d
	}
	return m
}

// current is the place in the list of the row that is looked at: the one asked
// for, else the first of the page, or of all, that is open. −1 for an empty list.
func (r *auditRoom) current(q auditQuery, list []int, decided map[audit.Key]audit.Decision) int {
	if len(list) == 0 {
		return -1
	}
	if at, ok := r.byRow[q.Row-1]; q.Row > 0 && ok {
		if i := slices.Index(list, at); i >= 0 {
			return i
		}
	}
	from := 0
	if q.Page > 0 {
		return min((q.Page-1)*auditShown, (len(list)-1)/auditShown*auditShown)
	}
	for i, at := range list {
		if d, is := decided[r.audit.Keys[at]]; !is || d.Kind == "" {
			return i
		}
	}
	return from
}

// reviewID names the changes of a review.
func reviewID(v *engine.Review) string {
	b, err := json.Marshal(v.Changes)
	if err != nil {
		panic("rows and classes always have JSON")
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:6])
}

// cancelled reports a job that was stopped, by its user or with the program.
func cancelled(err error) bool {
	return errors.Is(err, job.ErrCancelled) || errors.Is(err, job.ErrClosed)
}
