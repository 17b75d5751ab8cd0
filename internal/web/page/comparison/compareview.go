// Package comparison shows compared runs: from what internal/engine/compare
// found to the words, tables, figures and planes of a page.
//
// A page is a pure function of its address and of the runs as they are stored;
// where they are stored is the caller's affair. The baseline stands first; a
// run keeps its name and its line whichever is the baseline. What cannot be
// subtracted has no difference, and the page says why.
//
// Files: state is the address; view the page as a whole, with words, settings,
// metrics, finding and note its table; bands and answers who moved; charts,
// fits and borders its figures; plane what the models say of two predictors,
// and surfaces the pictures of that.
package comparison

import (
	"context"
	"fmt"
	"slices"

	"taper/internal/engine/compare"
	"taper/internal/web/format"
)

// Page is runs beside each other, with what was found.
type Page struct {
	State State
	*compare.Comparison

	runs  []compare.Run
	plane *plane // nil until View, and without two numbers that all take
}

// New compares the runs of a state, which are in its order, until the context
// ends. Their names become such as tell them apart.
func New(ctx context.Context, q State, runs []compare.Run) (Page, error) {
	v := Page{State: q, runs: slices.Clone(runs)}
	for i, name := range names(runs) {
		v.runs[i].Name = name
	}
	var err error
	v.Comparison, err = compare.New(ctx, v.runs, q.base())
	return v, err
}

// nameMost is how much of a run's name a head shows.
const nameMost = 44

// names are short names that tell the runs apart: their own, with the method
// where two have one name, with the end of the id where that is the same too.
func names(runs []compare.Run) []string {
	names := make([]string, len(runs))
	for i, r := range runs {
		names[i] = format.Shorten(r.Name, nameMost)
	}
	for _, more := range []func(compare.Run) string{
		func(r compare.Run) string { return r.Result.Method },
		func(r compare.Run) string { return r.ID[max(0, len(r.ID)-4):] },
		func(r compare.Run) string { return r.ID },
	} {
		plain := slices.Clone(names)
		for i, r := range runs {
			if n := len(slices.DeleteFunc(slices.Clone(plain), func(s string) bool { return s != plain[i] })); n > 1 {
				names[i] = plain[i] + ", " + more(r)
			}
		}
	}
	return names
}

// Title says how many runs there are, and of one file on which.
func (v Page) Title() string {
	for _, r := range v.runs {
		if r.SHA256 != v.runs[0].SHA256 {
			return format.UpperFirst(format.Small(len(v.runs))) + " runs compared"
		}
	}
	return fmt.Sprintf("%s runs on %s", format.UpperFirst(format.Small(len(v.runs))),
		format.Shorten(v.runs[0].Data, 60))
}

// Setting words a setting of the run at i by its field in the comparison, ""
// where it has none.
func (v Page) Setting(field string, i int) string { return settingText(field, v.runs[i]) }
