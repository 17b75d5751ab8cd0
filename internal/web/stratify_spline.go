package web

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"taper/internal/engine"
	"taper/internal/engine/spline"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/internal/web/format"
	"taper/web/templates"
)

// splines takes the columns that are curves: COLUMN.KNOTS each, the empty text
// and 0 knots for a straight line.
func (p *stateParser) splines() {
	for _, text := range p.q["spline"] {
		if text == "" {
			continue
		}
		at := strings.LastIndexByte(text, '.')
		knots, err := strconv.Atoi(text[at+1:])
		switch {
		case at < 1 || err != nil || knots != 0 && (knots < spline.MinKnots || knots > spline.MaxKnots):
			p.fail("spline", "A curve is written as the column, a point and 3, 4 or 5 knots: age.4, not “"+
				format.Cut(text, 40)+"”. Using a straight line.")
		case knots != 0:
			if p.st.Splines == nil {
				p.st.Splines = map[string]int{}
			}
			p.st.Splines[text[:at]] = knots
		default:
			delete(p.st.Splines, text[:at])
		}
	}
	if len(p.st.Splines) == 0 {
		p.st.Splines = nil
	}
}

// splineKeys are the values of the key spline, in the order of the columns'
// names.
func (st stratifyState) splineKeys() []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(st.Splines)) {
		all = append(all, splineKey(name, st.Splines[name]))
	}
	return all
}

func splineKey(column string, knots int) string { return column + "." + strconv.Itoa(knots) }

// withoutSpline is the state with a column straight.
func (st stratifyState) withoutSpline(column string) stratifyState {
	if st.Splines[column] == 0 {
		return st
	}
	st.Splines = maps.Clone(st.Splines)
	if delete(st.Splines, column); len(st.Splines) == 0 {
		st.Splines = nil
	}
	return st
}

// tidySplines forgets the curves of columns that are no predictors any more; one
// that the data lack stays, to be told of.
func (x *steering) tidySplines() {
	chosen := x.chosen()
	for _, name := range slices.Sorted(maps.Keys(x.st.Splines)) {
		if x.t.Column(name) != nil && !slices.Contains(chosen, name) {
			x.st = x.st.withoutSpline(name)
		}
	}
}

// bends reports whether the method is a linear model, whose columns can be
// curves.
func (st stratifyState) bends() bool { return st.Method.ID != "kernel" && st.Method.ID != "boost" }

// curves are the splines that the model has.
func (st stratifyState) curves() map[string]int {
	if !st.bends() {
		return nil
	}
	return st.Splines
}

// splineProblem is what was wrong with the curves, as a sentence.
func (x *steering) splineProblem() string {
	i := slices.IndexFunc(x.bad, func(f usererr.Field) bool { return strings.HasPrefix(f.Field, "spline") })
	if i < 0 {
		return ""
	}
	if name, ok := strings.CutPrefix(x.bad[i].Field, "splines."); ok {
		return "The curve of ‘" + name + "’ " + x.bad[i].Message + "."
	}
	return format.Problem(x.bad[i])
}

// knotChoice offers how a numeric column enters, nil where it can only be as it
// is.
func (x *steering) knotChoice(c *table.Column, i int) *templates.Choice {
	if !x.st.bends() || !c.Numeric() || c.Type == table.Date && c.Spec.DateAs != "days" || c.Distinct <= spline.MinKnots {
		return nil
	}
	now := x.st.Splines[c.Name]
	choice := templates.Choice{ID: "spline" + strconv.Itoa(i), Name: "spline", Label: "How " + c.Name + " enters"}
	choice.Options = append(choice.Options, templates.Option{Value: "", Label: "straight line", On: now == 0})
	for k := spline.MinKnots; k <= spline.MaxKnots; k++ {
		choice.Options = append(choice.Options, templates.Option{Value: splineKey(c.Name, k), Label: engine.KnotWords(k),
			On: k == now})
	}
	return &choice
}

// splineNote says what the choices mean, or why there are none.
func (x *steering) splineNote() string {
	if x.st.bends() {
		return "A number enters as a straight line, or as a curve with knots at Harrell’s quantiles of the rows trained on."
	}
	if len(x.st.Splines) > 0 {
		return "Curves are for linear models: trees and kernels bend by themselves, so " +
			format.List(slices.Sorted(maps.Keys(x.st.Splines))) + " enters as it is."
	}
	return ""
}

// withKnots names predictors, the curves with their knots.
func withKnots(names []string, splines map[string]int) []string {
	all := slices.Clone(names)
	for i, name := range all {
		if k := splines[name]; k > 0 {
			all[i] = name + " (" + engine.KnotWords(k) + ")"
		}
	}
	return all
}
