package comparison

import (
	"net/url"
	"slices"
	"strings"

	"taper/internal/engine/compare"
	"taper/internal/engine/phrase"
	"taper/internal/engine/usererr"
	"taper/internal/web/form"
	"taper/internal/web/format"
)

// State is the address: the runs, the baseline, and whether equal values are shown.
type State struct {
	IDs  []string `form:"ids" required:"true" about:"Two to six ids, separated by commas"`
	Base string   `form:"base" about:"The baseline. Default: the first id"`
	All  bool     `form:"all" options:"1" about:"Only the page uses it: settings that are equal are shown, too"`
	X    string   `form:"x"` // columns of the plane; "" = those with the largest weights
	Y    string   `form:"y"`
}

// Field sets the form of ids, and which of them can be the baseline.
func (q *State) Field(f *form.Field) {
	switch f.Key {
	case "ids":
		f.Read = form.ReadOne(func(text string) error {
			q.IDs = nil
			for _, id := range strings.Split(text, ",") {
				if id = strings.TrimSpace(id); id != "" {
					q.IDs = append(q.IDs, id)
				}
			}
			return nil
		})
		f.Write = func() []string { return []string{strings.Join(q.IDs, ",")} }
	case "base":
		f.Options = q.IDs
		f.Problem = func(text string) string {
			return usererr.Sprintf("must be one of the ids (got %q)", format.Cut(text, 40))
		}
		f.Write = func() []string {
			if q.base() == 0 {
				return nil
			}
			return []string{q.Base}
		}
	case "all":
		f.Read = form.Switch(&q.All)
	}
}

// Parse reads the query of the page, its file and the API.
func Parse(query url.Values) (q State, err error) {
	err = form.ReadStrict(&q, query)
	if n := len(q.IDs); n < compare.Least || n > compare.Most {
		return q, usererr.BadField("ids", "must name %s to %s finished runs, separated by commas (got %d); choose them in "+
			"the list of runs", phrase.Numeral(compare.Least), phrase.Numeral(compare.Most), n)
	}
	for i, id := range q.IDs {
		if slices.Contains(q.IDs[:i], id) {
			return q, usererr.BadField("ids", "names %q twice", format.Cut(id, 40))
		}
	}
	return q, err
}

// base is the index of the baseline.
func (q State) base() int { return max(0, slices.Index(q.IDs, q.Base)) }

// URL is the address of the state without defaults.
func (q State) URL(path string) string { return path + form.Query(&q) }
