package web

import (
	"slices"

	"taper/internal/app"
	"taper/internal/engine/audit"
	"taper/internal/web/page/review"
)

// currentRow is the place in the list of the row that is looked at: the one asked
// for, else the first of the page, or of all, that is open. −1 for an empty list.
func currentRow(r *app.ReviewQueue, q review.State, list []int, decided map[audit.Key]audit.Decision) int {
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
		return min((q.Page-1)*review.Shown, (len(list)-1)/review.Shown*review.Shown)
	}
	for i, at := range list {
		if d, is := decided[r.Audit.Keys[at]]; !is || d.Kind == "" {
			return i
		}
	}
	return from
}
