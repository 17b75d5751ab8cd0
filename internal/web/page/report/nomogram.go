package report

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/phrase"
	"taper/internal/engine/prep"
	"taper/internal/engine/spline"
	"taper/internal/engine/usererr"
	"taper/internal/viz"
	"taper/internal/web/resultview"
	"taper/web/templates"
)

// The widths of a nomogram on screen, in pixels. Before an audience it has a height as well: 475 px are drawn on 74 %
// of a screen of 1080 px, so that text of 12 px is 20 px there.
const (
	pointsWide   = 1180.0
	pointsNarrow = 328.0 // as wide as the text of a phone, so that 12 px are 12 px there
	pointsScene  = 600.0
	pointsTall   = 475.0
)

// NomogramURL is the address of a run's interactive nomogram.
func NomogramURL(run string) string { return "/runs/" + run + "/nomogram" }

// HasNomogram reports whether the model can be drawn as a nomogram.
func (c Clinical) HasNomogram() bool {
	plan, _ := c.points()
	return plan != nil
}

// Nomogram is the interactive nomogram. The form sends the value of column i as "v" followed by i; missing values
// take the usual ones. On the projector it is masked as reports are.
func (c Clinical) Nomogram(sent url.Values, small SmallCounts) (templates.Nomogram, error) {
	v := templates.Nomogram{URL: NomogramURL(c.Run.ID), Prev: "/runs/" + c.Run.ID + "/group",
		End: "/runs/" + c.Run.ID + "/model"}
	plan, why := c.points()
	if plan == nil {
		return v, usererr.New(usererr.Conflict, "%s The Model page shows what this model has.", why)
	}
	released := mask.Released{trained: small.release(c.counts()[trained])}
	if released.Discloses(ofTrained) {
		return v, usererr.New(usererr.Conflict, "Fewer than 10 events or non-events are masked, and the nomogram would "+
			"disclose the count. The Model page shows it.")
	}
	sum := 0.0
	for k, col := range plan.columns {
		i := slices.IndexFunc(c.Model.Columns, func(o prep.Column) bool { return o.Name == col.Name })
		text := resultview.ValueOf(col, i, sent)
		points := (c.contribution(col, text) - plan.least[k]) / plan.unit
		plan.Scales[k].Mark = &points
		sum += points
		v.Fields = append(v.Fields, c.nomogramField(col, i, text, points))
	}
	plan.Sums.Mark = &sum
	v.Sum, v.Narrow = pointsText(sum), templates.SVG(viz.PointsSVG(plan.PointsChart, pointsNarrow))
	plan.Tall = pointsTall
	v.SVG = templates.SVG(viz.PointsSVG(plan.PointsChart, pointsScene))
	answer, err := resultview.WhatIfAnswer(c.Model, sent)
	if err != nil {
		return v, err
	}
	v.Answer = *answer
	return v, nil
}

// nomogramField is the control of one value: a slider over the usual range, or a list of levels.
func (c Clinical) nomogramField(col prep.Column, i int, text string, points float64) templates.NomogramField {
	f := resultview.WhatIfField(col, "v"+strconv.Itoa(i), text)
	v := templates.NomogramField{ID: "n" + strconv.Itoa(i) + "-points", Input: f.Input, Choice: f.Choice,
		Points: pointsText(points)}
	if text == "" {
		v.Points += ", missing"
	}
	now, err := strconv.ParseFloat(text, 64)
	if f.Input == nil || col.Origin != nil || err != nil || math.IsInf(now, 0) || math.IsNaN(now) {
		return v
	}
	low, high := c.usual(col)
	if s := slices.IndexFunc(c.Result.Splines, func(s engine.SplineCurve) bool { return s.Column == col.Name }); s >= 0 {
		low, high = bulk(c.Result.Splines[s])
	}
	step := math.Pow(10, math.Floor(math.Log10(max(high-low, 1e-12)/50)))
	v.Slider = &templates.Slider{ID: "n" + strconv.Itoa(i), Name: "v" + strconv.Itoa(i), Label: col.Name, NoReset: true,
		Compact: true, Min: math.Floor(min(low, now)/step) * step, Max: math.Ceil(max(high, now)/step) * step,
		Step: step, Value: now, Default: col.Median, Text: phrase.Field(now, 6)}
	return v
}

// contribution is what a value of a column adds to the score. A missing value is replaced by the median and adds
// the missing indicator where the model has one.
func (c Clinical) contribution(col prep.Column, text string) (sum float64) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	missing := text == ""
	if err != nil {
		v = col.Median
	}
	known := slices.Contains(col.Categories(), text)
	for k, t := range c.Model.Terms {
		if t.Column != col.Name {
			continue
		}
		beta := c.Result.Coefficients[k+1].Value
		switch {
		case t.Kind == prep.Value:
			sum += beta * v
		case t.Kind == prep.Spline:
			sum += beta * spline.Term(v, col.Knots, t.Knot-1)
		case t.Kind == prep.Level && t.Level == text, t.Kind == prep.MissingLevel && missing,
			t.Kind == prep.OtherLevel && !missing && !known && col.Kind != prep.Number:
			sum += beta
		}
	}
	return sum
}

// NomogramParts are the parts of the page that change with the values.
func NomogramParts(v templates.Nomogram) map[string]templ.Component {
	all := map[string]templ.Component{"nomogram": templates.NomogramChart(v),
		"nomogram-answer": templates.NomogramAnswer(v)}
	for _, f := range v.Fields {
		all[f.ID] = templates.Words(f.Points)
	}
	return all
}

func pointsText(v float64) string {
	text := viz.Number(v, 0)
	if text == "1" {
		return "1 point"
	}
	return text + " points"
}
