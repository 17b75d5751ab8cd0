// Package comparison is the page of compared runs: it turns the result of internal/engine/compare into texts,
// tables and figures.
//
// The page is a pure function of its address and of stored runs, which the caller reads. The baseline comes first;
// a run keeps its name and line style when the baseline changes. Numbers whose difference has no meaning have none,
// and the page says why.
//
// Files: state has the address; page the runs, their names and order; view the whole page; words, settings,
// metrics, finding and note the table; bands the reclassification; charts, fits and borders the figures; plane the
// predictions over two predictors, and surfaces the pictures of them.
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

// Page is a comparison of runs with its result.
type Page struct {
	State State
	*compare.Comparison

	runs  []compare.Run
	plane *plane // nil before Document, and unless all runs share two numeric predictors
}

// nameMost is the number of characters of a run's name in a table head.
const nameMost = 44

// names are short names that distinguish the runs: their own names, with the method where these are equal, and with
// the end of the id where methods are equal too. A name common to all runs is left out, and so are outcome and
// boundaries in default names where they are the same, to keep heads and legends short.
func names(runs []compare.Run) []string {
	names := make([]string, len(runs))
	outcomes, boundaries := false, false // whether they differ
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

// Title gives the number of runs, and the file where all have the same.
func (v Page) Title() string {
	for _, r := range v.runs {
		if r.SHA256 != v.runs[0].SHA256 {
			return phrase.UpperFirst(phrase.Numeral(len(v.runs))) + " runs compared"
		}
	}
	return fmt.Sprintf("%s runs on %s", phrase.UpperFirst(phrase.Numeral(len(v.runs))),
		phrase.Shorten(v.runs[0].Data, 60))
}

// Setting is the text of a setting of run i, by its field in the comparison; "" where the run has no such setting.
func (v Page) Setting(field string, i int) string { return settingText(field, v.runs[i]) }

// plane is the plane of two predictors with the fields of the runs.
type plane struct {
	across, up predictor
	columns    []string // that can be chosen
	held       bool     // some run has further predictors, held constant
	fields     []planeField
}

// predictor is a numeric column with the range that all runs were trained on.
type predictor struct {
	Name     string
	Min, Max float64
}

// planeField is the prediction of a run at the nodes, row by row from the bottom.
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

// runMarks are the line styles by place in the address, so that a run keeps its line when the baseline changes.
var runMarks = [compare.Most]string{"s2", "s1", "s3", "s4", "s5", "s6"}

// each calls f for the runs in the order shown.
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

// corner names the rows of the metrics.
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

// per lists a number for every run that has it: "0.912 for A, 0.913 for B".
func (v Page) per(text func(i int) string) string {
	var each []string
	v.each(func(i int) {
		if t := text(i); t != "" {
			each = append(each, t+" for "+v.Names[i])
		}
	})
	return strings.Join(each, ", ")
}

// hidden are form fields for the ids, and for the given keys that differ from their defaults.
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
