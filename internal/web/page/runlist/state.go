package runlist

import (
	"net/url"
	"strings"

	"taper/internal/store"
	"taper/internal/web/form"
)

// Filter is store.RunFilter with the keys of the API and of the page.
type Filter struct {
	Dataset string `form:"dataset" about:"Runs of one dataset"`
	Status  string `form:"status" about:"Runs of one status"`
	Loss    string `form:"loss" about:"Runs of one loss"`
	Query   string `form:"q" about:"Every word must occur in name, loss, data or outcome"`
	Sort    string `form:"sort" about:"Undefined values come last"`
	Desc    bool   `form:"desc" options:"true" about:"Largest first"`
	Limit   int    `form:"limit" default:"50" range:"1 1000" about:"Maximum number of items"`
	Offset  int    `form:"offset" range:"0 2147483647" about:"Items to skip"`
}

// Field sets the allowed values.
func (r *Filter) Field(f *form.Field) {
	switch f.Key {
	case "status":
		f.Options = store.RunStatuses()
	case "sort":
		f.Options = store.RunSorts()
	case "desc":
		f.Read = form.Switch(&r.Desc)
	}
}

// Most is the largest number of runs on a page of the list.
const Most = 200

// State is the address of the list: which runs it shows, and in which order.
type State struct {
	Chosen []string `form:"ids"` // selected, on this page or another
	Filter `prefix:""`
}

// Field sets what differs from the API, which allows longer pages.
func (q *State) Field(f *form.Field) {
	switch f.Key {
	case "ids":
		f.Read = form.ReadOne(func(text string) error {
			if q.Chosen = nil; text != "" {
				q.Chosen = strings.Split(text, ",")
			}
			q.Chosen = q.Chosen[:min(len(q.Chosen), Most)]
			return nil
		})
		f.Write = func() []string {
			if len(q.Chosen) == 0 {
				return nil
			}
			return []string{strings.Join(q.Chosen, ",")}
		}
	case "limit":
		f.Max = Most
	}
}

// Parse reads the state of the list.
func Parse(query url.Values) (q State, err error) {
	err = form.ReadStrict(&q, query)
	if q.Sort == "" {
		q.Desc = false // newest first
	}
	return q, err
}

// URL is the address of the state without defaults.
func (q State) URL(path string) string {
	return form.Address(path, strings.ReplaceAll(form.Values(&q).Encode(), "%2C", ","))
}

// filtered reports whether the state has a filter.
func (q State) filtered() bool {
	return strings.TrimSpace(q.Query) != "" || q.Dataset != "" || q.Status != "" || q.Loss != ""
}

// plain is the same order without a filter, from the first page.
func (q State) plain() State {
	return State{q.Chosen, Filter{Sort: q.Sort, Desc: q.Desc, Limit: q.Limit}}
}
