package web

import (
	"cmp"
	"slices"

	"taper/internal/engine/audit"
)

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
	key := map[string]func(i int) float64{"margin": func(i int) float64 { return rows[i].Margin },
		"weight": func(i int) float64 {
			return rows[i].Weight
		}, "row": func(i int) float64 { return float64(rows[i].Row) }}[by]
	if key != nil {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
	}
	r.orders[by] = order
	return order
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
