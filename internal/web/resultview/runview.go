// Package resultview turns the result of one run into what pages show of it:
// bands, figures, tables and sentences, of two classes or of several.
//
// The page of a run, the live page of a state that nobody saved, and the printed
// report share these parts. What a page knows around a result (addresses, the
// rows to list, the figures wanted) it hands over; nothing here reads a request
// or the store.
//
// Files: runview, rows, doubts, model, pictures and whatif are Bands, a result
// of two classes; curves its splines; classes… a result of several classes.
package resultview

import (
	"fmt"
	"strconv"
	"strings"

	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/format"
	"taper/internal/web/render"
	"taper/web/templates"
)

// Bands is a result of two classes with what a page knows around it. The same
// parts make /stratify and /runs/{id}.
type Bands struct {
	Result *engine.Result
	Spec   engine.Spec
	Axes   Axes
	Want   func(id string) bool // figures to draw; nil: all

	Rows       func() ([]engine.RowScore, error)      // for the list of a band
	Band, Page int                                    // the rows listed: band −1 for none, page from 1
	List       func(band, page int) string            // URL that lists rows
	Cut        func(pi []float64, mode string) string // URL with other boundaries; nil: nothing can be changed
	Leave      func(column string) string             // URL without a predictor, "" when it is none; nil: nothing can be changed
	Bandless   string                                 // why curves have no band here, "" where the check by refits makes one
	WhatIf     string                                 // where one row is asked for, "" without
}

// Axes are the frozen axes of the two charts.
type Axes struct{ Density, PCA viz.Axes }

// View makes the view of a result.
func (s Bands) View() (templates.Result, error) {
	v := templates.Result{Strata: s.strata(), Reject: s.reject(), Icons: s.icons(), Besides: s.beside(),
		Coefficients: s.coefficients(), Flow: s.flow(), Fit: s.fit()}
	v.Strong, v.Rest = engine.Headline(s.Result)
	v.Rest = strings.TrimPrefix(v.Rest, " ")
	v.IconsTitle = "Of 100 people in each band"
	v.Open = Unanswered(s.Result, s.answers)
	v.Banners, v.Notices, v.MoreNotices = s.doubts()
	figures := []namedFigure{
		{"fig-density", "density", func() viz.Figure { return viz.Density(s.Result, s.Axes.Density) }},
		{"fig-scatter", "pca", func() viz.Figure { return viz.PCAScatter(s.Result, s.Axes.PCA) }},
	}
	if s.Result.NoPredictor && s.Cut == nil { // nothing to draw; where a slider moves, the next state may have
		figures = figures[1:]
	}
	v.Figures = s.figures(figures)
	for i := range v.Figures {
		v.Figures[i].Chart.Fit = s.Cut != nil // where something can be dragged
	}
	v.Fitting = s.fitting()
	v.Curves = render.Parts(Curves{Result: s.Result, Without: s.Bandless}.Nodes())
	if s.WhatIf != "" && s.Result.Model != nil {
		v.WhatIf = WhatIfForm(s.Result.Model, s.WhatIf, nil)
	}
	var err error
	v.Rows, err = s.rowList()
	return v, err
}

// namedFigure is a figure that is drawn only where it is wanted.
type namedFigure struct {
	slot, id string
	draw     func() viz.Figure
}

func (s Bands) figures(all []namedFigure) []templates.Slot {
	var slots []templates.Slot
	for _, f := range all {
		if s.Want == nil || s.Want(f.id) {
			slots = append(slots, templates.Slot{ID: f.slot, Chart: control.Figure(f.draw())})
		}
	}
	return slots
}

// event names the event in words.
func (s Bands) event() string { return format.Event(s.Result.Outcome, s.Result.Positive) }

// interval reports whether the model promises bands and no probabilities.
func (s Bands) interval() bool { return s.Spec.Model.Loss == "interval" }

// soft reports whether the score has a probability.
func (s Bands) soft() bool { return s.Spec.Model.Link() != engine.LinkNone }

func (s Bands) strata() templates.Strata {
	t := templates.Strata{Event: s.event(), Axis: templates.SVG(viz.ForestAxisSVG())}
	n, events := 0, 0
	for _, b := range s.Result.Strata {
		n, events = n+b.N, events+b.Events
	}
	for k, b := range s.Result.Strata {
		t.Bands = append(t.Bands, Stratum(b, n))
		if s.List != nil {
			t.Bands[k].URL = s.List(k, 1)
		}
	}
	t.Total = templates.StrataBand{Name: "All", Rows: viz.Count(n), Share: "100.0", Events: viz.Count(events)}
	if n > 0 {
		low, high := stat.Wilson(events, n)
		t.Total.Rate, t.Total.CI = viz.Percent(float64(events)/float64(n), 1),
			viz.Range(viz.Percent(low, 1), viz.Percent(high, 1))
	}
	t.Notes = []string{s.howJudged() + " Wilson 95" + format.Pc +
		" CI. Inside: the whole CI lies in the band. Compatible: the rate does, the CI does not. " +
		"Unclear: the rate lies outside, the CI touches the band. Outside: no part of the CI lies in it. " +
		"Too few (greyed): the CI settles nothing, of under 30 rows, or under 5 events or non-events."}
	if link := s.Result.Link; s.soft() && link.Formula != "" {
		t.Notes[0] += " Bands are cut at the probability that the loss recovers from the score f: " + link.Formula + "."
	}
	return t
}

// Stratum is the line of a band in a table of strata; all is the number of rows
// of all bands.
func Stratum(b stat.Stratum, all int) templates.StrataBand {
	v := templates.StrataBand{
		Name: viz.BandName(b.Lower, b.Upper), Rows: viz.Count(b.N), Share: viz.None, Events: viz.Count(b.Events),
		Rate: viz.None, LR: viz.None, Swatch: templates.SVG(viz.SwatchSVG(b.Lower, b.Upper)),
		Forest:  templates.SVG(viz.ForestSVG(b)),
		Verdict: templates.Verdict(b.Verdict), Few: b.Verdict == stat.TooFew,
	}
	if all > 0 {
		v.Share = viz.Percent(float64(b.N)/float64(all), 1)
	}
	if b.Observed != nil && b.Low != nil && b.High != nil {
		v.Rate, v.CI = viz.Percent(*b.Observed, 1), viz.Range(viz.Percent(*b.Low, 1), viz.Percent(*b.High, 1))
	}
	if b.LR != nil && !v.Few {
		v.LR = viz.Short(*b.LR, 2)
	}
	return v
}

// howJudged says which rows the numbers are from, and where λ came from.
func (s Bands) howJudged() string {
	text := "Out of fold: every row was scored by a model that had not seen it."
	switch {
	case s.Result.Apparent:
		return "Apparent: every row was scored by a model that had seen it."
	case s.Spec.Validation.Kind == "split":
		text = "Held out: rows the model had not seen."
	}
	switch {
	case s.Result.Optimistic:
		text += " λ was chosen on these same folds, so the numbers are slightly optimistic; a saved run chooses it inside " +
			"each fold."
	case s.nested():
		text += " λ was chosen inside each fold, without the rows that judge: stratify, which chooses it once for all " +
			"folds, shows slightly other numbers."
	}
	return text
}

// nested reports whether λ was chosen in the training part of each fold.
func (s Bands) nested() bool {
	return s.Spec.Model.L2.Tuned() && len(s.Result.FoldL2) > 1
}

// reject summarises the rule that may answer "don't know".
func (s Bands) reject() []templates.Fact {
	x := s.Result.Reject
	if x == nil {
		return nil
	}
	n := s.Result.Flow.Scored
	return []templates.Fact{
		{Label: "Reportable", Value: fmt.Sprintf("%s of %s rows, %s%s", viz.Count(x.Accepted), viz.Count(n),
			viz.Percent(x.Rate, 1), format.Pc)},
		{Label: "Errors among them", Value: viz.Count(x.Errors) + perCent(x.ErrorRate)},
		{Label: "Events among “don’t know”", Value: fmt.Sprintf("%s of %s rows", viz.Count(x.RejectedEvents),
			viz.Count(n-x.Accepted))},
		{Label: "Mean loss at cost " + viz.Short(x.Cost, 3), Value: viz.Number(x.Loss, 4)},
	}
}

func perCent(p *float64) string {
	if p == nil {
		return ""
	}
	return ", " + viz.Percent(*p, 1) + format.Pc
}

func (s Bands) icons() []templates.Icons {
	var all []templates.Icons
	event := s.event()
	for _, b := range s.Result.Strata {
		i := templates.Icons{Name: viz.BandName(b.Lower, b.Upper), Text: "No rows."}
		few, of100 := b.Verdict == stat.TooFew, 0
		if b.Observed != nil {
			of100 = int(100**b.Observed + .5)
			i.Text = strconv.Itoa(of100) + " of 100 " + event
			if strings.Contains(event, " = ") {
				i.Text = strconv.Itoa(of100) + " of 100 with " + event
			}
			if few {
				i.Text += ", too few to rely on"
			}
		}
		i.Art = templates.SVG(viz.IconsSVG(of100, few, i.Name+": "+i.Text))
		all = append(all, i)
	}
	return all
}

// beside compares the models; the sentence is the verdict's on the losses.
func (s Bands) beside() templates.Beside {
	sentences := engine.Verdict(s.Result)
	b := templates.Beside{Say: sentences[len(sentences)-1]}
	b.Table = templates.Table{Label: "Models on the same folds", Columns: []templates.Column{
		{Label: "Model"}}}
	for _, s := range viz.ShortList {
		b.Table.Columns = append(b.Table.Columns, templates.Column{Label: s.Label + " " + format.Arrow(s.Better), Num: true})
	}
	b.Table.Columns[len(viz.ShortList)].Class = "only-w"
	for _, k := range s.Result.Strata {
		b.Table.Columns = append(b.Table.Columns, templates.Column{Label: viz.BandName(k.Lower, k.Upper),
			Unit: "events / rows", Num: true, Class: "only-w"})
	}
	b.Table.Columns = append(b.Table.Columns, templates.Column{Label: "Bands inside", Unit: "or compatible", Num: true})
	for _, m := range s.Result.Beside {
		b.Table.Rows = append(b.Table.Rows, besideRow(m))
	}
	b.Table.Note = "↓ lower is better, ↑ higher is better; ± one standard error over the rows of the difference to the " +
		"model above. A band is too few where its CI settles nothing, of under 30 rows, or under 5 events or non-events."
	switch {
	case s.interval():
		b.Table.Note += " The interval model has no Brier score: it promises bands, not single percentages."
	case !s.soft():
		b.Table.Note += " A score of this loss has no probability, so the model has no Brier score."
	}
	return b
}

func besideRow(m engine.Beside) templates.Row {
	row := templates.Row{Cells: []templates.Cell{{Text: m.Title}}}
	for _, s := range viz.ShortList {
		row.Cells = append(row.Cells, templates.Cell{Text: format.StatisticOf(s, m.Metrics.Of(s.ID).Value)})
	}
	if m.Difference != nil && m.DifferenceSE != nil {
		sign := "+"
		if *m.Difference < 0 {
			sign = ""
		}
		row.Cells[1].CI = sign + viz.Number(*m.Difference, 4) + " ± " + viz.Number(*m.DifferenceSE, 4)
	}
	if m.ID == "model" {
		row.Class = "is-steer"
	}
	good, judged := 0, 0
	for _, k := range m.Strata {
		text := viz.None
		if k.N > 0 {
			text = viz.Count(k.Events) + " / " + viz.Count(k.N)
		}
		row.Cells = append(row.Cells, templates.Cell{Text: text})
		switch k.Verdict {
		case stat.Inside, stat.Compatible:
			good, judged = good+1, judged+1
		case stat.Unclear, stat.Outside:
			judged++
		}
	}
	row.Cells = append(row.Cells, templates.Cell{Text: strconv.Itoa(good) + " of " + strconv.Itoa(judged)})
	return row
}
