package report

import (
	"fmt"
	"slices"
	"strings"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/check"
	"taper/internal/engine/model"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// Headline sums up the core measures of a run on its test rows.
func (c Clinical) Headline() (strong, rest string) {
	j := c.Statistics.Judged
	strong = "AUC " + worded(j.AUC, doc.Of(stat.ByID("auc"))) + "."
	if c.Result.IsRecalibrated() { // by its own shift these rows no longer calibrate it
		return strong, "These are the rows of the parent run; the risks were recalibrated for another population, where " +
			"their calibration must be measured."
	}
	var more []string
	for _, id := range []string{"calibration_slope", "observed_expected", "interval_loss"} {
		if e := j.Of(id); e.Value != nil && (id != "interval_loss" || len(more) == 0) {
			s := stat.ByID(id)
			more = append(more, s.InSentence()+" "+worded(e, doc.Of(s)))
		}
	}
	return strong, phrase.UpperFirst(strings.Join(more, "; ")) + ". 95" + format.Pc + " CI in brackets."
}

// shows reports whether a statistic is shown of the run: of a recalibrated one only the ranking does not depend on the
// population.
func (c Clinical) shows(s stat.Statistic) bool { return s.ID == "auc" || !c.Result.IsRecalibrated() }

// Performance compares the model on its training rows with the test rows, and with the optimism-corrected
// estimates.
func (c Clinical) Performance() doc.Table {
	b := c.checked()
	t := doc.Table{Label: "Performance", Lean: true, Columns: []doc.Column{
		{Label: "Measure"}, {Label: "Apparent", Unit: "final fit, own rows", Number: true},
		{Label: c.judgedName(), Unit: "95" + format.Pc + " CI", Number: true},
	}}
	once := c.Result.Given != nil || c.Result.OwnRows() // predictions that came with the data have no training rows
	if once {
		t.Columns = slices.Delete(t.Columns, 1, 2)
	}
	if b != nil {
		t.Class = "stacks stacks-wide" // too many columns for a phone
		t.Columns = append(t.Columns, doc.Column{Label: "Corrected", Unit: phrase.Int(b.Replicates) + " refits",
			Number: true})
	}
	var shown []stat.Statistic
	for _, s := range stat.PerformanceTable() {
		seen, judged := c.Statistics.Apparent.Of(s.ID), c.Statistics.Judged.Of(s.ID)
		if judged.Value == nil && seen.Value == nil || !c.shows(s) {
			continue
		}
		shown = append(shown, s)
		r := doc.Row{Cells: []doc.Cell{measured(s), doc.Measured(s, seen, bands), doc.Measured(s, judged, bands)}}
		own := 2 // the cell of the test rows
		if once {
			r.Cells, own = slices.Delete(r.Cells, 1, 2), 1
		}
		if b != nil {
			corrected := correctedOf(b, s.ID)
			if s.Contrast == stat.NoContrast { // refits on drawn rows are farther from the diagonal, overfitted or not
				corrected = stat.Estimate{}
			}
			r.Cells = append(r.Cells, doc.Measured(s, corrected, bands))
		}
		t.Rows = append(t.Rows, c.withLoss(s, r, own))
	}
	t.Note = c.performanceNote(shown)
	return t
}

// curveNote explains a calibration error without an interval.
func curveNote(judged stat.Performance) string {
	if judged.ICI.Value == nil || judged.ICI.Low != nil {
		return ""
	}
	return " The ICI has no interval where its bootstrap percentiles do not contain it, or where the rows are too few " +
		"or too many for the bootstrap."
}

func (c Clinical) performanceNote(shown []stat.Statistic) string {
	note := "Intervals: " + format.Hows(shown)
	if i := slices.IndexFunc(shown, func(s stat.Statistic) bool { return s.ID == "ici" }); i >= 0 {
		note += " ICI: " + phrase.LowerFirst(shown[i].Text)
		if slices.ContainsFunc(shown, func(s stat.Statistic) bool { return s.ID == stat.ChanceICI }) {
			note += " Compare it with the ICI by chance."
		}
		if c.Run.Result.Clinical != nil {
			note += curveNote(c.Statistics.Judged)
		}
	}
	if c.Run.Spec.Validation.Repeats > 1 {
		note += " Values of the first repeat."
	}
	if c.Origin != nil {
		note += " The risks were recalibrated for another population; the rows are those of the parent run."
	} else if c.Run.Result.Clinical == nil {
		note += " Some intervals are missing: the run was made before they were kept."
	}
	if c.Statistics.Judged.Brier.Value == nil {
		note += " The model has no probabilities: no Brier score and no calibration."
	} else if c.Result.Given != nil {
		note += " Probabilities as they were given."
	} else {
		note += " Probabilities by the " + model.LinkName(c.Result.Link.ID) + " link."
	}
	if c.checked() != nil {
		note += " Corrected: apparent minus the mean optimism of the refits (Harrell); its interval: " +
			stat.CorrectedInterval + "." + pinnedNote(shown) + c.medianNote() + c.otherFitNote() + c.fewNote()
	}
	return note
}

// pinnedNote says why some corrected statistics have no interval.
func pinnedNote(shown []stat.Statistic) string {
	var names []string
	for _, s := range shown {
		if s.Pinned && s.Contrast != stat.NoContrast {
			names = append(names, s.InSentence())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " Without an interval once corrected: " + phrase.Join(names) +
		", since the refits show their bias and not their variance."
}

// calibrationFigure is the smooth calibration curve of the report; none without probabilities or with too few rows
// of either class.
func (c Clinical) calibrationFigure() doc.Figures {
	s := c.Statistics.Calibration
	if s == nil || len(s.Points) == 0 || c.Result.IsRecalibrated() { // by its own shift it is off the diagonal
		return nil
	}
	curve := "Smooth curve with its 95" + format.Pc + " band over the diagonal. " + s.Smoother() + s.Ends()
	f := doc.Figure{Title: "Calibration", Say: curve + " Below: how often each risk was predicted.",
		SVG: viz.CalibrationSVG(*s, 1), Reveals: mask.OfRows,
		Legend: []doc.Mark{{SVG: viz.DotSVG("c1"), Text: c.event()}, {SVG: viz.DotSVG("c0"), Text: "non-events"}}}
	f.Instead = func(r mask.Released) doc.Figure {
		coarse := f
		coarse.Reveals = ofEvents
		if r[bands].Hidden() { // the bars within a band give a lower bound of its events
			bare := *s
			bare.Histogram = nil
			coarse.SVG, coarse.Say, coarse.Legend = viz.CalibrationSVG(bare, 1), curve, nil
			return coarse
		}
		coarse.SVG = viz.CalibrationSVG(*s, 2*leastRows)
		coarse.Say = curve + " Below: how often each risk was predicted, in steps of " + phrase.Int(2*leastRows) + " rows."
		return coarse
	}
	return doc.Figures{f}
}

// corrected lists each statistic with its optimism.
func (c Clinical) corrected() doc.Table {
	b := c.checked()
	t := doc.Table{Label: "Optimism", Class: "stacks stacks-wide", Columns: []doc.Column{
		{Label: "Measure"}, {Label: "Apparent", Number: true}, {Label: "Optimism", Unit: "simulation error",
			Number: true},
		{Label: "Corrected", Unit: "95" + format.Pc + " CI", Number: true},
	}}
	if !c.Result.OwnRows() { // those of its own rows are the apparent ones
		t.Columns = append(t.Columns, doc.Column{Label: c.judgedName(), Number: true})
	}
	own := 4 // the cell of the test rows
	if c.Result.OwnRows() {
		own = 1
	}
	for _, s := range c.correctedStatistics() {
		got := b.Metrics[slices.IndexFunc(b.Metrics, func(m engine.Corrected) bool { return m.ID == s.ID })]
		cells := []doc.Cell{measured(s)}
		for _, e := range []stat.Estimate{{Value: got.Apparent}, got.Optimism.Optimism, got.Corrected,
			{Value: c.Statistics.Judged.Of(s.ID).Value}} {
			cells = append(cells, doc.Measured(s, e, bands))
		}
		t.Rows = append(t.Rows, c.withLoss(s, doc.Row{Cells: cells[:len(t.Columns)]}, own))
	}
	t.Note = c.refitNote()
	return t
}

// correctedStatistics are those with an optimism-corrected estimate.
func (c Clinical) correctedStatistics() []stat.Statistic {
	return stat.Which(func(s stat.Statistic) bool {
		return slices.ContainsFunc(c.checked().Metrics, func(m engine.Corrected) bool { return m.ID == s.ID })
	})
}

func (c Clinical) refitNote() string {
	b := c.checked()
	note := fmt.Sprintf("%s on bootstrap samples of %s, seed %d; %s.", phrase.Count(b.Replicates, "refit"),
		phrase.Count(b.Stability.Rows, "row"), b.Seed, b.Tuning)
	if c.Run.Spec.Group != "" {
		note += " Groups were drawn whole."
	}
	if b.Failed > 0 {
		note += " " + phrase.Count(b.Failed, "sample") + " without both classes made no model."
	}
	return note + " Optimism: the model of a sample on that sample minus on the rows of the run, on average (Harrell " +
		"et al. 1996). The interval of the optimism is its simulation error, which more refits make smaller (" +
		stat.MeanInterval + "); that of the corrected value: " + stat.CorrectedInterval + "." + c.medianNote() +
		c.otherFitNote() + c.fewNote() + " " + viz.Number(b.ElapsedS, 0) + phrase.NBSP + "s."
}

// otherFitNote says why the bootstrap of a run has apparent values other than the run's: it fitted the model again, and
// the same version gives the same bits.
func (c Clinical) otherFitNote() string {
	for _, m := range c.checked().Metrics {
		seen, as := c.Statistics.Apparent.Of(m.ID).Value, doc.Of(stat.ByID(m.ID))
		if seen == nil || m.Apparent == nil || as.Write(*seen) == as.Write(*m.Apparent) {
			continue
		}
		return " The bootstrap fitted the model again. A later version of Taper prepares the data or fits otherwise than " +
			"version " + c.Run.Version + ", which made the run: so apparent values of the bootstrap, to which optimism and " +
			"corrected values refer, differ from those of the run."
	}
	return ""
}

// fewNote cautions where the data checks call the model exploratory: refits on samples of few events vary so much that
// the correction is uncertain, too. It has no counts, which a report may mask.
func (c Clinical) fewNote() string {
	few := func(w engine.Warning) bool { return w.Code == check.WarnFewEvents }
	if !slices.ContainsFunc(c.Result.Warnings, few) {
		return ""
	}
	return " The model has fewer than " + phrase.Int(check.EventsPerParameter) + " events or non-events per parameter: " +
		"corrected values and their intervals are exploratory only."
}

// medianNote says whose optimism is a median. A bootstrap stored by an older program has means alone.
func (c Clinical) medianNote() string {
	var names []string
	for _, m := range c.checked().Metrics {
		if m.Median {
			names = append(names, stat.ByID(m.ID).InSentence())
		}
	}
	if names == nil {
		return ""
	}
	return " For the " + phrase.List(names) + " the optimism is the median, with the " + stat.MedianInterval +
		": a few refits whose risks hardly differ have slopes of any size."
}

// stability says how often bootstrap fits assign rows to another band.
func (c Clinical) stability() doc.Table {
	s := c.checked().Stability
	t := doc.Table{Label: "Stability of the bands", Columns: []doc.Column{
		{Label: "Band", Unit: "of the final model"}, {Label: "Rows", Number: true},
		{Label: "In another band", Unit: "% of the refits, mean", Number: true}, {Label: "Unstable rows", Unit: "above 30" +
			format.Pc, Number: true},
	}}
	names := viz.BandNames(c.Result.Boundaries)
	for j, b := range s.Bands {
		row := doc.TextRow([]string{names[j], phrase.Int(b.N), meanShare(b.Changed), phrase.Int(b.Unstable)})
		row.Cells[0].Band = j + 1
		t.Rows = append(t.Rows, row)
	}
	t.Foot = doc.TextRow([]string{"All", phrase.Int(s.Rows), meanShare(s.Mean), phrase.Int(s.Unstable)}).Cells
	return t
}

// unstableShown bounds the rows listed on the page; the API returns all.
const unstableShown = 100

// unstable lists the rows that many bootstrap fits assign to another band. It is shown on the page only, since a
// report names no rows.
func (c Clinical) unstable() doc.Table {
	s := c.checked().Stability
	t := doc.Table{Caption: "Unstable rows", Class: "tbl-tight", Tall: true,
		Columns: []doc.Column{{Label: "Row"}, {Label: "Band"}, {Label: "In another band", Unit: "% of the refits",
			Number: true}}}
	names := viz.BandNames(c.Result.Boundaries)
	for i, u := range s.Listed {
		if i == unstableShown {
			t.Note = "The first " + phrase.Int(unstableShown) + " of " + phrase.Int(s.Unstable) + "."
			break
		}
		row := doc.TextRow([]string{phrase.Int(u.Row + 1), names[u.Band], viz.Percent(u.Changed, 1)})
		row.Cells[1].Band = u.Band + 1
		t.Rows = append(t.Rows, row)
	}
	return t
}

// sampleSize gives the minimum sample sizes after Riley et al.
func (c Clinical) sampleSize() []doc.Fact {
	n := c.Statistics.SampleSize
	noun, fewer := n.Fewer()
	whole := func(v *int) string {
		if v == nil {
			return viz.None
		}
		return phrase.Int(*v) + " rows"
	}
	facts := []doc.Fact{
		{Label: phrase.UpperFirst(noun) + "s per parameter (EPP, EPV)", Value: viz.NumberOf(n.EPP, 1) +
			fmt.Sprintf(" (%s for %s)", phrase.Count(fewer, noun), phrase.Count(n.Parameters, "parameter"))},
		{Label: "Minimum n for shrinkage ≥ 0.9 (Riley)", Value: whole(n.N1)},
		{Label: "Minimum n for optimism ≤ 0.05 in Nagelkerke R² (Riley)", Value: whole(n.N2)},
		{Label: "Minimum n for overall risk ± 0.05 (Riley)", Value: whole(n.N3)},
		{Label: "Minimum n for a mean absolute error of the risks ≤ 0.05 (Riley; van Smeden et al. 2019)",
			Value: whole(n.N4)},
	}
	if n.N4 == nil && n.Parameters > stat.MostForError {
		facts[len(facts)-1].Value = "none: its equation holds up to " + phrase.Int(stat.MostForError) + " parameters"
	}
	if most := n.AtLeast(); most != nil {
		label, word := "Required and available", "no fewer than required"
		if n.Required == nil {
			label = "Required by these criteria at least, and available"
		}
		if *most > n.N {
			word = "fewer than required"
		}
		facts = append(facts, doc.Fact{Label: label, Value: phrase.Int(*most) + " rows, " +
			phrase.Int(n.N) + " training rows: " + word})
	}
	r2 := "no R²: the model has no probabilities, so two criteria cannot be computed"
	if n.CoxSnell != nil {
		r2 = "Cox–Snell R² " + viz.Number(*n.CoxSnell, 3) + ", " + strings.ToLower(c.judgedName()) +
			": R² is that of these data, not known in advance"
	}
	return append(facts, doc.Fact{Label: "Based on", Value: r2})
}

// inflation lists the variance inflation factors of the terms; nil without.
func (c Clinical) inflation() *doc.Table {
	if len(c.Statistics.Inflation) == 0 {
		return nil
	}
	t := &doc.Table{Label: "Variance inflation", Columns: []doc.Column{{Label: "Term"},
		{Label: "VIF", Number: true}}}
	for _, v := range c.Statistics.Inflation {
		t.Rows = append(t.Rows, doc.TextRow([]string{v.Name, viz.NumberOf(v.VIF, 2)}))
	}
	t.Note = "1/(1 − R²) of each term on the others, on the training rows. VIF > 10 suggests collinearity; – means " +
		"perfect collinearity."
	return t
}

// ordered is the trend test over ordered groups.
func (c Clinical) ordered() doc.Table {
	o := c.Statistics.Ordered
	t := doc.Table{Label: "Score by group, in order", Columns: []doc.Column{{Label: c.Result.Outcome},
		{Label: "Rows", Number: true}, {Label: "Median score", Number: true}, {Label: "Part"}}}
	for k, level := range o.Levels {
		part := "scored, not used for training"
		if level == c.Result.Positive.String() || level == c.Result.Negative.String() {
			part = "trained on, scored out of fold"
			if c.Run.Spec.Validation.Kind != "cv" {
				part = "trained on"
			}
		}
		of := mask.Ref{Table: orderGroups, Row: k}
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Value: level},
			{Value: o.N[k], Reveals: of,
				Instead: func(r mask.Released) doc.Cell { return doc.Cell{Value: r[orderGroups].Rows[k].N} }},
			{Value: o.Median[k], Format: doc.To(2), Reveals: of}, {Value: part}}})
	}
	t.Note = "The tests assume that the groups have the order of this table"
	if c.Order == "" {
		t.Note += ", which is non-events, groups not used for training, events unless another is chosen"
	}
	t.Note += ". For groups without an order they mean nothing. All groups: " + trendWords(o.All)
	if o.Unseen != nil {
		t.Note += " Groups no model trained on: " + trendWords(*o.Unseen)
	}
	t.Note += trendIntervals(o.All)
	return t
}

// trendIntervals names the level and the methods of the intervals in trendWords; "" without any.
func trendIntervals(g stat.OrderedGroups) string {
	var hows []string
	if g.Concordance.Low != nil {
		hows = append(hows, "of the share "+stat.ConcordanceInterval)
	}
	if g.Spearman.Low != nil {
		hows = append(hows, "of ρ "+stat.SpearmanInterval)
	}
	if hows == nil {
		return ""
	}
	return " 95" + format.Pc + " CI in brackets: " + strings.Join(hows, "; ") + "."
}

func trendWords(g stat.OrderedGroups) string {
	return fmt.Sprintf("of two rows of different groups the one further on scores higher in %s; Jonckheere–Terpstra z "+
		"= %s, p %s; Spearman’s ρ = %s.",
		percentWords(g.Concordance), viz.NumberOf(g.Z, 2), pValue(g.P), worded(g.Spearman, doc.To(3)))
}

// subgroupTable evaluates the levels of a column.
func (c Clinical) subgroupTable() doc.Table {
	t := doc.Table{Label: "Subgroups", Columns: subgroupColumns(c.By)}
	for i, g := range c.Groups {
		if c.Result.IsRecalibrated() { // calibration is that to the rows of the parent run
			g.ObservedExpected, g.Slope = stat.Estimate{}, stat.Estimate{}
		}
		r := doc.Row{Cells: append([]doc.Cell{{Value: g.Level}, {Value: g.N}, {Value: g.Events}}, groupCells(g)...),
			Reveals: mask.Ref{Table: groups, Row: i},
			Instead: func(r mask.Released) doc.Row { return groupRow(g, r[groups].Rows[i]) }}
		if g.Suppressed {
			r.Class = "is-few"
			r.Cells[3] = doc.Cell{Value: "too few"}
		}
		t.Rows = append(t.Rows, r)
	}
	t.Note = "On the evaluation rows. Groups with fewer than 20 rows, 10 events or 10 non-events are not evaluated. " +
		"A numeric column of more than " + phrase.Int(table.MostGroups) + " values is divided at its tertiles."
	if c.Result.IsRecalibrated() {
		t.Note += " The rows are those of the parent run, which cannot show how recalibrated risks are calibrated."
	}
	t.MaskedNote = doc.MaskedNote{Text: " Counts of 1 to 9 and their complements are masked, and so is " +
		"calibration that would disclose them.",
		Reveals: mask.Ref{Table: groups, Row: mask.All}}
	return t
}

func subgroupColumns(by string) []doc.Column {
	all := []doc.Column{{Label: by}, {Label: "Rows", Number: true}, {Label: "Events", Number: true}}
	for _, id := range stat.SubgroupStatistics {
		c := doc.Column{Label: format.ShortLabel(id), Number: true}
		if unit := stat.ByID(id).Unit; unit != "" {
			c.Unit = unit + " (95 % CI)"
		}
		all = append(all, c)
	}
	return all
}

func groupCells(g stat.Subgroup) (cells []doc.Cell) {
	for _, id := range stat.SubgroupStatistics {
		cells = append(cells, statisticCell(stat.ByID(id), g.Of(id)))
	}
	return cells
}

// groupRow prints a subgroup. A masked subgroup may be called too small, or have the numbers of an evaluated one,
// only where its printed counts reveal that anyway.
func groupRow(g stat.Subgroup, m mask.Row) doc.Row {
	r := doc.Row{Cells: []doc.Cell{{Value: g.Level}, {Value: m.N.CountText()}, {Value: m.Events.CountText()}}}
	if m.N.High < stat.SubgroupRows || min(m.Events.High, m.Others.High) < stat.SubgroupEvents {
		r.Class = "is-few"
		r.Cells = append(r.Cells, doc.Cell{Value: "too few"}, doc.Cell{Value: ""}, doc.Cell{Value: ""}, doc.Cell{Value: ""})
		return r
	}
	if m.N.Shown() && m.Events.Shown() {
		r.Cells = append(r.Cells, groupCells(g)...)
		return r
	}
	none := doc.Cell{}
	low, high, ok := m.Rates()
	rest := []doc.Cell{rangeCell(low, high, ok)(inPercent), none, none, none}
	if m.N.Low >= stat.SubgroupRows && min(m.Events.Low, m.Others.Low) >= stat.SubgroupEvents {
		rest[1] = groupCells(g)[1] // the interval of a calibration slope would tell the events
	}
	r.Cells = append(r.Cells, rest...)
	return r
}
