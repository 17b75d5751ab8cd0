package report

import (
	"fmt"
	"math"
	"slices"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
)

// corrected shows each number with its optimism.
func (c Clinical) corrected() doc.Table {
	b := c.checked()
	t := doc.Table{Label: "Optimism", Columns: []doc.Column{
		{Label: "Measure"}, {Label: "Apparent", Number: true}, {Label: "Optimism", Unit: "95" + format.Pc + " CI of the mean",
			Number: true},
		{Label: "Corrected", Unit: "95" + format.Pc + " CI", Number: true}, {Label: c.judgedName(), Number: true},
	}}
	for _, s := range c.correctedStatistics() {
		got := b.Metrics[slices.IndexFunc(b.Metrics, func(m engine.Corrected) bool { return m.ID == s.ID })]
		cells := []doc.Cell{measured(s)}
		for _, e := range []stat.Estimate{{Value: got.Apparent}, got.Optimism.Optimism, got.Corrected,
			{Value: c.Statistics.Judged.Of(s.ID).Value}} {
			cells = append(cells, doc.Measured(s, e, bands))
		}
		t.Rows = append(t.Rows, c.withLoss(s, doc.Row{Cells: cells}, 4))
	}
	t.Note = c.refitNote()
	return t
}

// correctedStatistics are those that the refits corrected.
func (c Clinical) correctedStatistics() []stat.Statistic {
	return stat.Which(func(s stat.Statistic) bool {
		return slices.ContainsFunc(c.checked().Metrics, func(m engine.Corrected) bool { return m.ID == s.ID })
	})
}

func (c Clinical) refitNote() string {
	b := c.checked()
	note := fmt.Sprintf("%s on bootstrap samples of %s, seed %d; %s.", format.Count(b.Replicates, "refit"),
		format.Count(b.Stability.Rows, "row"), b.Seed, b.Tuning)
	if c.Run.Spec.Group != "" {
		note += " Groups were drawn whole."
	}
	if b.Failed > 0 {
		note += " " + format.Count(b.Failed, "sample") + " without both classes made no model."
	}
	return note + " Optimism: the model of a sample on that sample minus on the rows of the run, on average (Harrell " +
		"et al. 1996). " + viz.Number(b.ElapsedS, 0) + format.NBSP + "s."
}

// stability says how often refits put rows into another band.
func (c Clinical) stability() doc.Table {
	s := c.checked().Stability
	t := doc.Table{Label: "Stability of the bands", Columns: []doc.Column{
		{Label: "Band", Unit: "of the final model"}, {Label: "Rows", Number: true},
		{Label: "In another band", Unit: "% of the refits, mean", Number: true}, {Label: "Unstable rows", Unit: "above 30" +
			format.Pc, Number: true},
	}}
	names := viz.BandNames(c.Result.Boundaries)
	for j, b := range s.Bands {
		t.Rows = append(t.Rows, doc.TextRow([]string{names[j], viz.Count(b.N), meanShare(b.Changed), viz.Count(b.Unstable)}))
	}
	t.Foot = doc.TextRow([]string{"All", viz.Count(s.Rows), meanShare(s.Mean), viz.Count(s.Unstable)}).Cells
	return t
}

func meanShare(v *float64) string {
	if v == nil {
		return viz.None
	}
	return viz.Percent(*v, 1)
}

// unstableShown bounds the rows listed on the page; the API gives more.
const unstableShown = 100

// unstable lists the rows that many refits put elsewhere: on the page only,
// never in print.
func (c Clinical) unstable() doc.Table {
	s := c.checked().Stability
	t := doc.Table{Caption: "Unstable rows", Class: "tbl-tight", Tall: len(s.Listed) > 10,
		Columns: []doc.Column{{Label: "Row"}, {Label: "Band"}, {Label: "In another band", Unit: "% of the refits",
			Number: true}}}
	names := viz.BandNames(c.Result.Boundaries)
	for i, u := range s.Listed {
		if i == unstableShown {
			t.Note = "The first " + viz.Count(unstableShown) + " of " + viz.Count(s.Unstable) + "."
			break
		}
		t.Rows = append(t.Rows, doc.TextRow([]string{viz.Count(u.Row + 1), names[u.Band], viz.Percent(u.Changed, 1)}))
	}
	return t
}

// forestShown bounds the terms of a forest plot: the ones furthest from 1.
const forestShown = 30

// forest draws the odds ratios in both widths; nil where the model has none.
func (c Clinical) forest() doc.Node {
	all := c.oddsShown()
	if len(all) == 0 {
		return nil
	}
	return doc.Drawing{Wide: viz.ForestOddsSVG(all), Narrow: viz.ForestOddsNarrowSVG(all)}
}

// oddsShown are the odds ratios worth drawing.
func (c Clinical) oddsShown() []viz.Odds {
	b := c.checked()
	if b == nil {
		return nil
	}
	var all []viz.Odds
	of := func(v *float64) float64 {
		if v == nil {
			return math.NaN()
		}
		return *v
	}
	for _, k := range b.Coefficients {
		if k.OddsRatio.Value != nil {
			all = append(all, viz.Odds{Name: k.Name, Value: *k.OddsRatio.Value, Low: of(k.OddsRatio.Low),
				High: of(k.OddsRatio.High)})
		}
	}
	if len(all) > forestShown {
		slices.SortStableFunc(all, func(a, b viz.Odds) int {
			return -compareFloat(math.Abs(math.Log(a.Value)), math.Abs(math.Log(b.Value)))
		})
		all = all[:forestShown]
	}
	return all
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// forestSay says what the intervals are.
func (c Clinical) forestSay() string {
	if len(c.oddsShown()) == 0 {
		return "No odds ratios to draw." + resultview.OddsNote(c.Result, c.Run.Spec)
	}
	say := "Odds ratios with percentile intervals over the refits; the penalty draws them towards 1, and so their " +
		"intervals."
	if scale := c.Model.LinkScale; c.Result.Link.ID == "logistic-scaled" && scale > 0 {
		say += " The link is σ(" + viz.Short(scale, 3) + "·f), so an odds ratio is exp(" + viz.Short(scale, 3) + "·θ)."
	}
	return say + c.missedSay()
}

// missedSay explains the dash of a term without an interval, "" without any.
func (c Clinical) missedSay() string {
	b := c.checked()
	if b == nil || !slices.ContainsFunc(b.Coefficients, func(k engine.CoefficientDraw) bool {
		return k.Value.Low == nil
	}) {
		return ""
	}
	return " (" + viz.None + "): the term is missing from too many refits."
}

// withCI returns the interval of a coefficient over the refits, "" without.
func (c Clinical) withCI(name string) (value, odds stat.Estimate) {
	if b := c.checked(); b != nil {
		for _, k := range b.Coefficients {
			if k.Name == name {
				return k.Value, k.OddsRatio
			}
		}
	}
	return
}
