package report

import (
	"cmp"
	"math"
	"slices"

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
		{Label: judged + " (95" + format.Pc + " CI where given)", Number: true}}} // a line, as the page may be full
	if !c.Known {
		return t
	}
	measure := func(id string) {
		s, e := stat.ByID(id), c.Statistics.Judged.Of(id)
		if e.Value != nil && c.shows(s) {
			t.Rows = append(t.Rows, c.withLoss(s, doc.Row{Cells: []doc.Cell{measured(s), doc.Measured(s, e, bands)}}, 1))
		}
	}
	measure("auc")
	measure("calibration_slope")
	measure("observed_expected")
	t.Rows = append(t.Rows, c.benefitRow()...)
	measure("brier")
	if len(t.Rows) < keyCount {
		measure(intervalLoss)
	}
	if last := len(c.Result.Strata) - 1; last > 0 && len(t.Rows) < keyCount {
		t.Rows = append(t.Rows, c.eventsIn(last, "highest"), c.eventsIn(0, "lowest"))
	}
	t.Rows = t.Rows[:min(len(t.Rows), keyCount)]
	return t
}

// benefitRow is the net benefit at the middle boundary with its interval; Classification has it at all of them. Where
// counts are masked it is the range that the printed counts allow. None without boundaries.
func (c Clinical) benefitRow() []doc.Row {
	if len(c.Statistics.Boundaries) == 0 || c.Result.IsRecalibrated() {
		return nil
	}
	k := (len(c.Statistics.Boundaries) - 1) / 2
	at := c.Statistics.Boundaries[k]
	cell := estimated(at.NetBenefit(), inPercent)
	cell.Reveals = ofBands
	cell.Instead = func(r mask.Released) doc.Cell {
		all := printedTable(r[bands]).at(k).corners(at.Threshold)
		low, high, alike := math.Inf(1), math.Inf(-1), len(all) > 0
		for _, corner := range all {
			e := corner.NetBenefit()
			low, high = min(low, stat.OrNaN(e.Value)), max(high, stat.OrNaN(e.Value))
			alike = alike && sameEstimate(e, all[0].NetBenefit())
		}
		if alike {
			return estimated(all[0].NetBenefit(), inPercent)
		}
		return maskedRange(low, high, low <= high)
	}
	return []doc.Row{{Cells: []doc.Cell{
		{Value: "Net benefit", Note: "per 100, at " + viz.Short(100*at.Threshold, 4) + format.Pc}, cell}}}
}

// maskedRange is a range in per cent in place of a key figure, said to be no interval of the same digits.
func maskedRange(low, high float64, ok bool) doc.Cell {
	cell := rangeCell(low, high, ok)(inPercent)
	if ok && cell.Text() != inPercent.Write(low) {
		cell.Note = leftByMasks
	}
	return cell
}

// leftByMasks describes a range among key figures; the first page has no room for leftByCounts there.
const leftByMasks = "range of masked counts"

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
				return maskedRange(float64(part.Low)/float64(whole.High), min(1, float64(part.High)/float64(whole.Low)), true)
			}}}}
}

// classAnswers are the answers by true class with the AUC of each class, where there are few classes, the figures of
// all rows, and which figures are masked.
func (p Printed) classAnswers() (parts []doc.Node) {
	if p.answersFirst() {
		parts = append(parts, p.Small.shareTable(p.r.Classes.Metrics.Test, abstains(p.r)))
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
		return doc.Nodes{doc.Note("Small counts are shown in full: patients may be recognised. Counts " +
			"of 1 to " + phrase.Int(leastRows-1) + " are masked unless they are asked for.")}
	}
	return doc.Nodes{doc.List{
		"Counts of 1 to 9 are masked, and so is every count from which one would follow by subtraction. What is " +
			"printed in their place is the range that follows from all counts and rates printed. Confidence intervals, such " +
			"as that of the AUC, depend on the number of events and can narrow it. Where the number of all events is masked, " +
			"so are calibration intercept and slope.",
		"A masked band has no confidence interval, which would disclose its count together with its rows: its rate " +
			"is the range of possible rates. It has a verdict only where every rate in the range has the same verdict.",
		"Where a band is masked, each band of a density has the area of its printed count. A masked band is drawn " +
			"evenly, with the area of the middle of its range. Groups not used for training are left out.",
		"Curves and histograms are drawn in steps of ten rows or more, and histograms not at all where a band is masked.",
		"Coefficients per SD and intervals that would disclose how many rows have a rare level read “masked”. The " +
			"coefficients themselves are printed: terms of columns that lack values in the same rows have equal ones, from " +
			"which a masked count can follow.",
	}}
}
