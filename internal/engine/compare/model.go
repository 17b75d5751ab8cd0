package compare

import (
	"slices"

	"taper/internal/engine"
	"taper/internal/engine/stat"
)

// Strata is the strata table of a run.
type Strata struct {
	Run        string         `json:"run"`
	Boundaries []float64      `json:"boundaries"`
	Bands      []stat.Stratum `json:"strata"`
}

func strataOf(r Run) Strata {
	s := Strata{r.ID, r.Result.Boundaries, r.Result.Strata}
	if s.Bands == nil {
		s.Bands = []stat.Stratum{}
	}
	return s
}

// Term is a coefficient of the final fits, per population SD and in natural units; nil where a
// run lacks the term. Spline terms are compared only between splines with the same knots.
type Term struct {
	Name         string     `json:"name"`
	Class        string     `json:"class,omitempty"` // several classes: the class whose score it belongs to
	Standardized []*float64 `json:"standardized"`
	Deltas       []*float64 `json:"deltas"` // differences of Standardized
	Values       []*float64 `json:"values"`
}

// terms joins the coefficients by name, in the order of the baseline and then of the other
// runs.
func terms(runs []Run, base int) []Term {
	type key struct{ name, class string }
	list, at := []Term{}, map[key]int{}
	place := func(i int) {
		for _, c := range runs[i].Result.Coefficients {
			k, known := at[key{c.Name, c.Class}]
			if !known {
				k = len(list)
				at[key{c.Name, c.Class}] = k
				list = append(list, Term{c.Name, c.Class, make([]*float64, len(runs)), make([]*float64, len(runs)),
					make([]*float64, len(runs))})
			}
			list[k].set(i, c)
		}
	}
	place(base)
	for i := range runs {
		if i != base {
			place(i)
		}
	}
	for k := range list {
		list[k].subtract(base, func(i int) bool {
			return slices.Equal(runs[i].Result.KnotsOf(list[k].Name), runs[base].Result.KnotsOf(list[k].Name))
		})
	}
	return list
}

func (t *Term) set(i int, c engine.Coefficient) {
	t.Standardized[i], t.Values[i] = c.Standardized, &c.Value
}

// subtract computes the differences from the baseline where the term means the same.
func (t *Term) subtract(base int, same func(i int) bool) {
	for i, v := range t.Standardized {
		if i != base && v != nil && t.Standardized[base] != nil && same(i) {
			d := *v - *t.Standardized[base]
			t.Deltas[i] = &d
		}
	}
}
