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
	"taper/internal/web/page/stratify"
	"taper/web/templates"
)

// tidySplines forgets the curves of columns that are no predictors any more; one
// that the data lack stays, to be told of.
func (x *steering) tidySplines() {
	chosen := x.chosen()
	for _, name := range slices.Sorted(maps.Keys(x.st.Splines)) {
		if x.t.Column(name) != nil && !slices.Contains(chosen, name) {
			x.st = x.st.WithoutSpline(name)
		}
	}
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
	if !x.st.Bends() || !c.Numeric() || c.Type == table.Date && c.Spec.DateAs != "days" || c.Distinct <= spline.MinKnots {
		return nil
	}
	now := x.st.Splines[c.Name]
	choice := templates.Choice{ID: "spline" + strconv.Itoa(i), Name: "spline", Label: "How " + c.Name + " enters"}
	choice.Options = append(choice.Options, templates.Option{Value: "", Label: "straight line", On: now == 0})
	for k := spline.MinKnots; k <= spline.MaxKnots; k++ {
		choice.Options = append(choice.Options, templates.Option{Value: stratify.SplineKey(c.Name, k),
			Label: engine.KnotWords(k),
			On:    k == now})
	}
	return &choice
}

// splineNote says what the choices mean, or why there are none.
func (x *steering) splineNote() string {
	if x.st.Bends() {
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
