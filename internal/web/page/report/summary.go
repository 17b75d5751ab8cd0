package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
)

// summary is the first page, complete in itself: the verdict, the bands with their figures and key figures, and the
// most serious limits. For several classes the answers by true class take the place of the strata.
func (p Printed) summary() []doc.Section {
	found := doc.Section{Title: "Strata", Level: doc.Summary, Body: p.counted(Printed.strataParts)}
	if p.several() {
		found = doc.Section{Title: "Answers", Level: doc.Summary, Body: p.counted(Printed.classAnswers)}
	}
	return []doc.Section{
		{Title: "Verdict", Level: doc.Summary, Body: p.counted(Printed.verdictParts)},
		found,
		{Title: mainLimits, Level: doc.Summary, Body: p.counted(Printed.gravest)},
	}
}

// mainLimits heads the limits on the first page; the section Limits lists all.
const mainLimits = "Main limits"

// mostGrave is the number of limits on the first page.
const mostGrave = 3

// keyCount is the number of key figures on the first page.
const keyCount = 5

// keyFigures are five numbers for the first page. Those without a threshold come first: the core measures that are
// single numbers (Van Calster et al. 2025), AUC, calibration and net benefit, then the Brier score. A model without
// probabilities has its interval loss and the share of events in its outer bands. judged names the rows evaluated.
func (c Clinical) keyFigures(judged string) doc.Table {
	t := doc.Table{Label: "Key figures", Class: "tbl-tight", Columns: []doc.Column{{Label: "Key figures"},
		{Label: judged, Unit: "95" + format.Pc + " CI where given", Number: true}}}
	if !c.Known {
		return t
	}
	measure := func(id string) {
		s, e := stat.ByID(id), c.Statistics.Judged.Of(id)
		if e.Value != nil {
			t.Rows = append(t.Rows, c.withLoss(s, doc.Row{Cells: []doc.Cell{measured(s), doc.Measured(s, e, bands)}}, 1))
		}
	}
	for _, id := range []string{"auc", "calibration_slope", "observed_expected"} {
		measure(id)
	}
	t.Rows = append(t.Rows, c.benefitRow()...)
	if c.Statistics.Judged.Brier.Value != nil {
		measure("brier")
	}
	if len(t.Rows) < keyCount {
		measure(intervalLoss)
	}
	if last := len(c.Result.Strata) - 1; last > 0 && len(t.Rows) < keyCount {
		t.Rows = append(t.Rows, c.eventsIn(last, "highest"), c.eventsIn(0, "lowest"))
	}
	t.Rows = t.Rows[:min(len(t.Rows), keyCount)]
	return t
}

// benefitRow is the net benefit at the boundaries with its interval, as under Performance, at most at the first, the
// middle and the last boundary; where counts are masked, the range that the printed counts allow. None without
// boundaries.
func (c Clinical) benefitRow() []doc.Row {
	at := make([]int, 0, len(c.Statistics.Boundaries))
	for k := range c.Statistics.Boundaries {
		at = append(at, k)
	}
	if len(at) == 0 {
		return nil
	}
	if len(at) > tablesWide {
		at = []int{0, len(at) / 2, len(at) - 1}
	}
	written := func(between string, of func(k int) string) string {
		texts := make([]string, len(at))
		for i, k := range at {
			texts[i] = of(k)
		}
		return strings.Join(texts, between)
	}
	pi := func(k int) string { return viz.Short(100*c.Statistics.Boundaries[k].Threshold, 4) }
	exact := func(k int) string { return worded(c.Statistics.Boundaries[k].NetBenefit(), inPercent) }
	left := func(t mask.Table, k int) (text string, ranged bool) {
		low, high, alike := math.Inf(1), math.Inf(-1), true
		all := printedTable(t).at(k).corners(c.Statistics.Boundaries[k].Threshold)
		for _, corner := range all {
			e := corner.NetBenefit()
			low, high = min(low, stat.OrNaN(e.Value)), max(high, stat.OrNaN(e.Value))
			alike = alike && sameEstimate(e, all[0].NetBenefit())
		}
		if len(all) > 0 && alike {
			return worded(all[0].NetBenefit(), inPercent), false
		}
		return rangeCell(low, high, low <= high)(inPercent).Text(), low <= high
	}
	return []doc.Row{{Cells: []doc.Cell{{Value: "Net benefit", Note: "per 100, at " + written(", ", pi) + format.Pc},
		{Value: written("; ", exact), Reveals: ofBands, Instead: func(r mask.Released) doc.Cell {
			cell := doc.Cell{}
			cell.Value = written("; ", func(k int) string {
				text, ranged := left(r[bands], k)
				if ranged {
					cell.Note = "without brackets: " + leftByCounts
				}
				return text
			})
			return cell
		}}}}}
}

// eventsIn is the share of the events in band j; word describes the band.
func (c Clinical) eventsIn(j int, word string) doc.Row {
	s, all := c.Result.Strata[j], 0
	for _, one := range c.Result.Strata {
		all += one.Events
	}
	return doc.Row{Cells: []doc.Cell{
		{Value: "Events in the " + word + " band", Note: "% of all, " + viz.BandName(s.Lower, s.Upper)},
		{Value: inPercent.Write(float64(s.Events) / float64(max(all, 1))), Reveals: ofBands,
			Instead: func(r mask.Released) doc.Cell {
				part, whole := r[bands].Rows[j].Events, r[bands].Total.Events
				if whole.Low <= 0 {
					return doc.Cell{}
				}
				return rangeCell(float64(part.Low)/float64(whole.High), min(1, float64(part.High)/float64(whole.Low)),
					true)(inPercent)
			}}}}
}

// classAnswers are the answers by true class with the AUC of each class, where there are few classes, the figures of
// all rows, and which figures are masked.
func (p Printed) classAnswers() (parts []doc.Node) {
	if p.answersFirst() {
		parts = append(parts, p.Small.shareTable(p.r.Classes.Metrics.Test))
	}
	facts, masked := p.classFacts(), doc.Nodes{}
	switch ranked := resultview.ProbabilityFacts(p.r.Classes.Metrics.Test); {
	case len(ranked) == 0:
	case p.classTable().Hidden():
		masked = append(masked, doc.Note(probabilitiesMasked))
	default:
		facts = slices.Concat(ranked, facts)
	}
	if beside := p.answerMask(); beside.hidden {
		masked = append(masked, doc.Note(beside.note(p.r.Classes)))
	}
	var pair doc.Pair
	if t := p.classAUC(); t != nil && p.answersFirst() {
		pair = append(pair, doc.Nodes{*t})
	}
	var figures doc.Nodes
	if len(facts) > 0 {
		figures = doc.Nodes{doc.Facts(facts[:min(len(facts), keyCount)])}
	}
	if figures = append(figures, masked...); len(figures) > 0 {
		pair = append(pair, figures)
	}
	return append(parts, pair)
}

// answersFirst reports whether the answers by true class fit on the first page.
func (p Printed) answersFirst() bool { return len(p.r.Classes.Metrics.Test.Levels) <= mostPriced }

// gravest are the most serious limits, without those that the verdict states.
func (p Printed) gravest() []doc.Node { return gravestOf(p.limits()) }

func gravestOf(all []limit) []doc.Node {
	all = slices.DeleteFunc(slices.Clone(all), func(l limit) bool { return l.harm == saidAbove })
	slices.SortStableFunc(all, func(a, b limit) int { return cmp.Compare(a.harm, b.harm) })
	var texts doc.List
	for _, l := range all[:min(len(all), mostGrave)] {
		texts = append(texts, l.text)
	}
	if len(texts) == 0 {
		return nil
	}
	return []doc.Node{texts}
}

// masks explains how small counts, and what would reveal them, are treated.
func (s SmallCounts) masks() doc.Nodes {
	if s == ShowSmall {
		return doc.Nodes{doc.Note("Small counts are shown in full: patients may be recognised. Without ?counts=shown in " +
			"its address the report masks counts of 1 to " + phrase.Int(leastRows-1) + ".")}
	}
	return doc.Nodes{doc.List{
		"Counts of 1 to 9 are masked, and so is every count from which one would follow by subtraction. What is " +
			"printed in their place is the range that follows from all counts and rates printed. Confidence intervals, such " +
			"as that of the AUC, depend on the number of events and can narrow it. Where the number of all events is masked, " +
			"so are calibration intercept and slope.",
		"A masked band has no confidence interval, which would disclose its count together with its rows: its rate " +
			"is the range of possible rates. It has a verdict only where every rate in the range has the same verdict.",
		"Where a band is masked, each band of a density has the area of its printed count. A masked band is drawn " +
			"evenly, with the area of the middle of its range. Groups that are only scored are left out.",
		"Curves and histograms are drawn in steps of ten rows or more, and histograms not at all where a band is masked.",
		"Coefficients per SD and intervals that would disclose how many rows have a rare level read “masked”.",
	}}
}
