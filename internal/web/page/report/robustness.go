package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/loss"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/internal/web/resultview"
)

// robustnessParts compares the model with logistic regression and the null model on the same folds, and describes
// the bootstrap and the weight factors.
func (p Printed) robustnessParts() []doc.Node {
	var parts []doc.Node
	if len(p.r.Beside) > 0 {
		parts = append(parts, p.besideTable())
	}
	if t := p.pairedTable(); t != nil {
		parts = append(parts, *t)
	}
	if p.c.Statistics.Reclassified != nil {
		parts = append(parts, p.movesTable())
	}
	if f := p.giveUpFigure(); f != nil {
		parts = append(parts, doc.Figures{*f})
	}
	return append(parts, p.stabilityParts()...)
}

// besideTable compares the models evaluated on the same rows; empty columns are left out.
func (p Printed) besideTable() doc.Table {
	t := doc.Table{Label: "Models on the same rows", Class: "stacks stacks-long", Lean: true,
		Columns: []doc.Column{{Label: "Model"}}}
	for _, b := range p.r.Beside {
		class := ""
		if b.ID == "model" {
			class = "is-steer"
		}
		t.Rows = append(t.Rows, doc.Row{Class: class, Cells: []doc.Cell{{Value: b.Title}}})
	}
	for _, s := range stat.Which(func(s stat.Statistic) bool { return s.Averaged && s.InPerformanceTable() }) {
		if !p.c.shows(s) {
			continue
		}
		unit := format.UnitAndDirection(s)
		for i, b := range p.r.Beside {
			cell := p.besideCell(s, b)
			if cell.Small() != "" {
				unit = "95" + format.Pc + " CI, " + s.How
			}
			t.Rows[i].Cells = append(t.Rows[i].Cells, cell)
		}
		t.Columns = append(t.Columns, doc.Column{Label: s.Label, Unit: unit, Number: true})
	}
	t.Note = p.howJudged() + resultview.MeansOfRepeats(p.r, p.run.Spec, "the differences below are")
	switch {
	case p.interval():
		t.Note += " The interval model gives risk bands, not individual probabilities: it has no Brier score and no " +
			"calibration."
	case p.run.Spec.Model.Link() == loss.LinkNone:
		t.Note += " A score of this loss has no probability: the model has no Brier score and no calibration."
	}
	if !p.r.RanksModels() {
		t.Note += " " + engine.CloserFit
	}
	if p.decimals != 3 && p.c.shows(stat.ByID(intervalLoss)) {
		t.Note += " The interval loss is rounded, given as a range or left out where it would disclose masked counts."
	}
	return t
}

// besideCell is a number of one of the models. The calibration intercept of the null model is the log odds of the
// test rows minus those of the training rows, so it reveals both. The interval loss of a comparison model has the
// model's decimals, since the counts of its own bands are not printed; it is masked with the total, because the
// loss of the null model is the events times a price. If logistic regression moves no row it has the model's bands
// and therefore its mask.
func (p Printed) besideCell(s stat.Statistic, b engine.Beside) doc.Cell {
	cell := doc.Measured(s, b.Metrics.Of(s.ID), bands)
	if s.ID == intervalLoss {
		cell.Format = doc.To(max(2, p.decimals))
	}
	switch {
	case s.ID == "calibration_intercept" && b.ID == "null":
		cell.Reveals = ofEvents
	case s.ID == intervalLoss && (b.ID == "model" || b.ID == "logistic" && p.sameBands()):
		return p.c.ownLoss(cell, bands, true)
	case s.ID == intervalLoss:
		cell.Reveals = ofEvents
	}
	return cell
}

// sameBands reports whether logistic regression assigns every row to the same band as the model.
func (p Printed) sameBands() bool {
	m := p.c.Statistics.Reclassified
	if m == nil {
		return false
	}
	for _, of := range []stat.BandChanges{m.Events, m.Others} {
		for i, row := range of.Counts {
			for j, n := range row {
				if i != j && n > 0 {
					return false
				}
			}
		}
	}
	return true
}

// pairedTable lists the differences to logistic regression over the rows that both evaluated, nil if there are
// none; those that would reveal masked counts are left out.
func (p Printed) pairedTable() *doc.Table {
	c := p.c.Statistics.Paired
	if c == nil || !p.r.RanksModels() {
		return nil
	}
	t := &doc.Table{Label: "Difference to logistic regression",
		Columns: []doc.Column{{Label: "Model − logistic regression"},
			{Label: "Difference", Unit: "95" + format.Pc + " CI", Number: true}, {Label: "Result"}}}
	for _, s := range stat.Which(stat.Statistic.Paired) {
		e := c.Difference(s.ID)
		if s.ID == intervalLoss {
			s.Digits = min(s.Digits, p.decimals)
		}
		if e.Value == nil || s.Digits == 0 || p.tells(s) {
			continue
		}
		as := doc.Of(s)
		as.Signed = true
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Value: s.Label + " " + format.Arrow(s.Better)}, estimated(e, as),
			{Value: stat.VerdictWord(s.Better.Verdict(e))}}})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t.Note = "Over the rows that both tested, paired. AUC: DeLong; the others: percentiles of " + phrase.Int(c.Draws) +
		" bootstrap draws" + p.drawn() +
		", seed " + strconv.FormatUint(p.run.Spec.Seed, 10) + "."
	return t
}

// drawn names the unit of resampling.
func (p Printed) drawn() string {
	if g := p.run.Spec.Group; g != "" {
		return ", each drawing groups of " + g + " whole"
	}
	return ""
}

// movesTable is the reclassification from logistic regression's bands, masked.
func (p Printed) movesTable() doc.Table {
	t := doc.Table{Label: "Reclassification versus logistic regression",
		Columns: []doc.Column{{Label: "Against logistic regression’s band"},
			{Label: p.event(), Unit: "rows", Number: true}, {Label: "Non-events", Unit: "rows", Number: true}}}
	for i, name := range []string{"to a higher band", "same band", "to a lower band"} {
		m := p.released[moves].Rows[i]
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Value: name}, {Value: m.Events}, {Value: m.Others}}})
	}
	way := "Events should move up, the non-events down."
	if !p.r.RanksModels() {
		way = engine.CloserFit
	}
	t.Note = "Logistic regression cut at the same boundaries, " + resultview.SameRows(p.run.Spec) + ". " + way
	return t
}

// giveUpFigure is the histogram of the weight factors. In a masked report counts are rounded up, since the number
// of bars is a lower bound of the events.
func (p Printed) giveUpFigure() *doc.Figure {
	if p.r.Pictures == nil || p.r.Pictures.GiveUp == nil || len(p.r.Pictures.GiveUp.Bins) == 0 {
		return nil
	}
	g := p.r.Pictures.GiveUp
	f := doc.Figure{Title: "Weights in the fit", SVG: viz.GiveUpSVG(g, 1), Reveals: mask.OfRows,
		Say: "How much of its weight each row keeps, by its recorded label: 1 is that of logistic regression, near 0 the " +
			"model ignores the label. " + p.Small.span(g.Half).CountText() + " rows keep less than half.",
		Legend: []doc.Mark{{SVG: viz.DotSVG("c1"), Text: p.event()}, {SVG: viz.DotSVG("c0"), Text: "non-events"}}}
	f.Instead = func(mask.Released) doc.Figure {
		binned := f
		binned.SVG, binned.Reveals = viz.GiveUpSVG(g, 2*leastRows), ofBands
		binned.Say += " Bars in steps of " + phrase.Int(2*leastRows) + " rows."
		return binned
	}
	return &f
}

// stabilityParts are the bootstrap results that name no row.
func (p Printed) stabilityParts() []doc.Node {
	b := p.c.checked()
	if b == nil {
		if !p.c.Known {
			return nil
		}
		if o := p.c.Origin; o != nil {
			return []doc.Node{doc.Note("A recalibrated run has no bootstrap, since nothing was fitted " +
				"for it: optimism and stability are those of run " + o.Parent + ".")}
		}
		if p.r.Given != nil {
			return []doc.Node{doc.Note(engine.NoRefits)}
		}
		if p.Alone {
			return []doc.Node{doc.Note("Optimism and stability by bootstrap are not in this report, which holds what spec and " +
				"data alone give.")}
		}
		if p.Kept {
			return []doc.Node{doc.Note("Optimism and stability were not estimated by bootstrap while the data " +
				"were there.")}
		}
		return []doc.Node{doc.Note("Optimism and stability were not estimated by bootstrap. The page of the " +
			"run does so: Check optimism and stability.")}
	}
	s := b.Stability
	note := fmt.Sprintf("Stability: over the bootstrap refits %s%s of the rows fall into another band, on average; %s "+
		"rows do so in more than 30%s of them. ",
		meanShare(s.Mean), format.Pc, p.Small.span(s.Unstable).CountText(), format.Pc)
	corrected := p.c.corrected()
	corrected.Note = "" // the note is part of the stability section
	return []doc.Node{corrected, doc.Note(note + p.c.refitNote())}
}

// withoutCosts removes the mean costs, their differences, and macro F1, which reveal masked answers, from a
// comparison of models; a log loss stays.
func (a answerMask) withoutCosts(t doc.Table, criterion string) doc.Table {
	leave, names := []string{format.ShortLabel("macro_f1"), "Difference", phrase.UpperFirst(criterion)},
		"Costs, differences and macro F1"
	if !a.counted {
		leave = append(leave, format.ShortLabel("accuracy"), format.ShortLabel("abstention_rate"))
		names = "Accuracy, costs, differences and macro F1"
	}
	t = without(t, leave)
	t.Note = strings.Replace(t.Note, " "+resultview.DifferenceToModel, "", 1)
	t.Note += " " + names + " are left out: they would disclose masked answers."
	return t
}

// without removes the columns with the given labels from a table.
func without(t doc.Table, leave []string) doc.Table {
	out := t
	out.Columns, out.Rows = nil, nil
	for _, r := range t.Rows {
		r.Cells = nil
		out.Rows = append(out.Rows, r)
	}
	for k, c := range t.Columns {
		if slices.Contains(leave, c.Label) {
			continue
		}
		out.Columns = append(out.Columns, c)
		for i, r := range t.Rows {
			out.Rows[i].Cells = append(out.Rows[i].Cells, r.Cells[k])
		}
	}
	return out
}

// classRobustness compares the model with softmax regression and the class shares on the same folds. With two
// classes whose counts are masked the shares would reveal the counts, so they are left out.
func (p Printed) classRobustness() []doc.Node {
	var parts []doc.Node
	t, several := p.classes().Beside(), p.r.Classes.Beside
	if p.Small == MaskSmall { // the exact number of answers, which the rounded rate does not give
		for _, r := range t.Rows {
			r.Cells[p.classes().ComparisonAccuracy()].Note = ""
		}
	}
	if p.classTable().Hidden() {
		kept := t.Rows[:0:0]
		for i, b := range several {
			if b.ID != "null" {
				kept = append(kept, t.Rows[i])
			}
		}
		t.Rows = kept
		t = without(t, []string{format.ShortLabel("log_loss")})
		t.Note = strings.Replace(t.Note, resultview.BaselineAnswers, "Softmax regression gives the answer with the lowest "+
			"expected cost. The class shares and the log loss are left out: they would disclose masked counts.", 1)
	}
	if beside := p.answerMask(); beside.hidden {
		t = beside.withoutCosts(t, p.r.Classes.Criterion)
	}
	if len(t.Rows) > 1 {
		parts = append(parts, t)
	} else if len(several) > 1 {
		parts = append(parts, doc.Note("The comparison models are left out: they would disclose masked counts."))
	}
	return append(parts, doc.Note("The bootstrap estimates optimism and stability for binary runs "+
		"only. For multiclass runs no number is corrected for optimism."))
}
