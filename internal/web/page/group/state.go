// Package group shows the people of a run to an audience: each band as a hundred people, who change bands while a
// boundary is dragged.
package group

import (
	"net/url"
	"slices"
	"strconv"

	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/boundary"
	"taper/internal/web/form"
)

// State is the address of the page.
type State struct {
	Pi     []float64 `form:"pi"`     // boundaries, as many as the run has
	Counts string    `form:"counts"` // "shown" shows small counts, otherwise they are masked

	Run store.Run
}

// Field sets the limits given by the run.
func (st *State) Field(f *form.Field) {
	switch f.Key {
	case "pi":
		f.Default = []string{boundary.Param(st.Run.Result.Boundaries)}
		f.Read = func(texts []string) error {
			pi, problem := boundaries(texts, len(st.Run.Result.Boundaries))
			if problem != "" {
				return form.ReadError(problem)
			}
			st.Pi = pi
			return nil
		}
		f.Write = func() []string { return []string{boundary.Param(st.Pi)} }
	case "counts":
		f.Options = []string{"", "shown"}
	}
}

// boundaries reads n increasing shares.
func boundaries(texts []string, n int) (pi []float64, problem string) {
	if pi, problem = boundary.Read(texts); problem != "" {
		return nil, problem
	}
	for k := 1; k < len(pi); k++ {
		if pi[k] <= pi[k-1] {
			return nil, "must rise from one boundary to the next"
		}
	}
	if len(pi) != n {
		return nil, "takes as many boundaries as the run has, which are " + strconv.Itoa(n)
	}
	return pi, ""
}

// Read reads an address and returns an error for invalid values; forms send per cent.
func Read(q url.Values, run store.Run) (State, error) {
	st := State{Run: run}
	return st, form.ReadStrict(&st, form.Fractions(q))
}

// URL is the address of the state.
func (st State) URL() string { return Address(st.Run) + form.Query(&st) }

// Address is the address of a run's page.
func Address(r store.Run) string { return "/runs/" + r.ID + "/group" }

// Has reports whether a run has this page: it needs bands and rows.
func Has(r store.Run) bool {
	return r.Result != nil && r.Result.Classes == nil && r.Wiped.IsZero() && len(r.Result.Boundaries) > 0
}

// moved reports whether a boundary differs from that of the run.
func (st State) moved() bool { return !slices.Equal(st.Pi, st.Run.Result.Boundaries) }

// percent writes boundary k in per cent.
func (st State) percent(k int) string { return viz.Short(100*st.Pi[k], 4) }
