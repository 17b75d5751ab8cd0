// Package comparison shows compared runs: from what internal/engine/compare
// found to the words, tables, figures and planes of a page.
//
// A page is a pure function of its address and of the runs as they are stored;
// where they are stored is the caller's affair. The baseline stands first; a
// run keeps its name and its line whichever is the baseline. What cannot be
// subtracted has no difference, and the page says why.
//
// Files: state is the address; page the runs, their names and their order; view
// the whole, with words, settings, metrics, finding and note its table; bands who
// moved; charts, fits and borders its figures; plane what the models say of two
// predictors, and surfaces the pictures of that.
package comparison

import (
	"fmt"
	"slices"
	"strings"

	"taper/internal/engine/compare"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/viz/fluid"
	"taper/web/templates"
)

// Page is runs beside each other, with what was found.
type Page struct {
	State State
	*compare.Comparison

	runs  []compare.Run
	plane *plane // nil until Document, and without two numbers that all take
}

// nameMost is how much of a run's name a head shows.
const nameMost = 44

// names are short names that tell the runs apart: their own, with the method
// where two have one name, with the end of the id where that is the same too. A
// name that all have tells nothing apart and is left out, and so are the outcome
// and boundaries in default names where all runs have the same, so that heads
// and legends stay short.
func names(runs []compare.Run) []string {
	names := make([]string, len(runs))
	outcomes, boundaries := false, false // they differ
	for _, r := range runs {
		outcomes = outcomes || r.Spec.Outcome != runs[0].Spec.Outcome
		boundaries = boundaries || !slices.Equal(r.Spec.Boundaries, runs[0].Spec.Boundaries)
	}
	for i, r := range runs {
		name := r.Name
		if number, ok := r.Spec.AfterDefault(name); ok && !outcomes {
			name = r.Spec.ShortName(boundaries) + number
		}
		names[i] = phrase.Shorten(name, nameMost)
	}
	for _, more := range []func(compare.Run) string{
		func(r compare.Run) string { return r.Result.Method },
		func(r compare.Run) string { return r.ID[max(0, len(r.ID)-4):] },
		func(r compare.Run) string { return r.ID },
	} {
		plain := slices.Clone(names)
		count := func(name string) (n int) {
			for _, s := range plain {
				if s == name {
					n++
				}
			}
			return n
		}
		for i, r := range runs {
			switch n := count(plain[i]); {
			case n == len(runs) && n > 1 && plain[i] == phrase.Shorten(r.Name, nameMost) && more(r) != "":
				names[i] = more(r)
			case n > 1:
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
			return phrase.UpperFirst(phrase.Numeral(len(v.runs))) + " runs compared"
		}
	}
	return fmt.Sprintf("%s runs on %s", phrase.UpperFirst(phrase.Numeral(len(v.runs))),
		phrase.Shorten(v.runs[0].Data, 60))
}

// Setting words a setting of the run at i by its field in the comparison, ""
// where it has none.
func (v Page) Setting(field string, i int) string { return settingText(field, v.runs[i]) }

// plane is the plane with the fields of the runs.
type plane struct {
	across, up predictor
	columns    []string // that may be chosen
	held       bool     // some run takes more than the two
	fields     []planeField
}

// predictor is a number with the range that all runs trained on.
type predictor struct {
	Name     string
	Min, Max float64
}

// planeField is what a run says at the nodes, row by row from below.
type planeField struct {
	side    int
	nodes   []model.Prediction
	borders []fluid.Contour
}

// order lists the runs as the page shows them: the baseline first.
func (v Page) order() []int {
	out := []int{v.Base}
	for i := range v.runs {
		if i != v.Base {
			out = append(out, i)
		}
	}
	return out
}

// runMarks are the lines of the runs, by their place in the URL: a run keeps
// its line when the baseline changes.
var runMarks = [compare.Most]string{"s2", "s1", "s3", "s4", "s5", "s6"}

// each calls f for the runs in the order of the page.
func (v Page) each(f func(i int)) {
	for _, i := range v.order() {
		f(i)
	}
}

func (v Page) heads(order []int) []templates.CompareHead {
	var list []templates.CompareHead
	for _, i := range order {
		list = append(list, templates.CompareHead{Name: v.Names[i], URL: "/runs/" + v.IDs[i], Mark: runMarks[i]})
	}
	return list
}

// corner says which rows the metrics are from.
func (v Page) corner() string {
	kind := v.runs[0].Spec.Validation.Kind
	for _, r := range v.runs {
		if r.Spec.Validation.Kind != kind {
			return "On the test rows of each run"
		}
	}
	switch kind {
	case "split":
		return "On rows held out"
	case "none":
		return "On the training rows"
	}
	return "Out of fold"
}

// per lists a number of every run that has it: "0.912 for A, 0.913 for B".
func (v Page) per(text func(i int) string) string {
	var each []string
	v.each(func(i int) {
		if t := text(i); t != "" {
			each = append(each, t+" for "+v.Names[i])
		}
	})
	return strings.Join(each, ", ")
}

// hidden are the ids and those of the other keys of the state that are named
// and not their default.
func (v Page) hidden(keys ...string) []templates.Field {
	list := []templates.Field{{Name: "ids", Value: strings.Join(v.IDs, ",")}}
	all := ""
	if v.State.All {
		all = "1"
	}
	state := map[string]string{"base": v.State.Base, "all": all, "x": v.State.X, "y": v.State.Y}
	for _, key := range keys {
		if value := state[key]; value != "" {
			list = append(list, templates.Field{Name: key, Value: value})
		}
	}
	return list
}
