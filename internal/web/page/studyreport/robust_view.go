package studyreport

import (
	"context"
	"fmt"
	"slices"

	"taper/internal/engine/fit"
	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/format"
	"taper/web/templates"
)

// View makes the page, or one slide.
func (v *Robust) View(ctx context.Context) (p templates.Robustness, err error) {
	p.Label = v.label()
	if v.Present {
		return p, v.scenePage(ctx, &p)
	}
	p.Form = &v.Form
	v.state(&p)
	if chart, ok := v.chart(v.Spec.Models); ok {
		p.Chart = &chart
		p.Notes = v.notes()
		p.Table = v.keptTable()
		if p.Weights, err = v.weightsView(ctx, true); err != nil {
			return p, err
		}
	} else {
		p.Empty = &templates.Empty{Title: "No numbers yet",
			Text: "The chart appears with the first replicate and fills in as others finish."}
	}
	p.More = v.more()
	return p, nil
}

func (v *Robust) more() []templates.Button {
	if v.Record == nil {
		return nil
	}
	return []templates.Button{
		{Label: "Report of this study", Icon: "document", URL: "/studies/" + v.Record.ID},
		{Label: "The stored result", Icon: "undo", URL: "/robustness"}}
}

// state shows the progress of a user's study.
func (v *Robust) state(p *templates.Robustness) {
	if v.Record == nil {
		return
	}
	var page templates.Study
	ShowState(*v.Record, v.Work, &page)
	p.Progress, p.Controls, p.Banner = page.Progress, page.Controls, page.Banner
	if page.Live != "" {
		p.Live = "/robustness/live?study=" + v.Record.ID
	}
}

// label describes the numbers.
func (v *Robust) label() string {
	source := v.Source
	n := fmt.Sprintf("%d replicates, seed %d.", v.Spec.Replicates, v.Spec.Seed)
	if v.Record == nil {
		return fmt.Sprintf("Stored result: %s, %s rows, %s Taper %s, %s.", source, phrase.Int(v.Spec.Dataset.Rows), n,
			v.Stock.Version, DayWords(v.Stock.Date))
	}
	if rows := v.rows(); rows > 0 {
		source += ", " + phrase.Int(rows) + " rows"
	}
	if v.Record.Status != store.Done {
		return fmt.Sprintf("So far: %s, %d of %s", source, v.replicates(), n)
	}
	return "Computed here: " + source + ", " + n + " Taper " + v.Record.Version + ", " +
		v.Record.Finished.UTC().Format("2 January 2006") + "."
}

// replicates is the largest number of replicates that a model has so far.
func (v *Robust) replicates() (most int) {
	for _, c := range v.Cells {
		most = max(most, c.N)
	}
	return most
}

// rows is the number of rows of the data; 0 = the data were deleted.
func (v *Robust) rows() int {
	d := v.Spec.Dataset
	if d.ID != "" {
		return v.Rows
	}
	for _, g := range synth.Generators {
		if g.ID == d.Generator && d.Rows == 0 {
			return g.Rows
		}
	}
	return d.Rows
}

// chart is accuracy against noise for the given models.
func (v *Robust) chart(models []fit.Spec) (templates.Chart, bool) {
	var labels []string
	for _, m := range models {
		labels = append(labels, study.Label(m))
	}
	var own []study.Cell
	for _, c := range v.Cells {
		if slices.Contains(labels, c.Model) && c.Metric == v.Spec.Metric {
			c.Model = ShortLabel(c.Model)
			own = append(own, c)
		}
	}
	d := GridDrawing(v.Spec)
	d.X.Title = "Training labels flipped"
	if len(d.Metrics) == 0 {
		return templates.Chart{}, false
	}
	m := d.Metrics[0]
	if m.ID == "accuracy" {
		m.Title = "Accuracy on clean rows"
	}
	figures := viz.StudyFigures(d, own, m)
	if len(figures) == 0 {
		return templates.Chart{}, false
	}
	figures[0].ID = "robust"
	chart := control.Figure(viz.WithMarker(figures[0], 100*v.Rate))
	chart.Height = "l"
	return chart, true
}

// keptTable lists the accuracy retained by each model at each rate.
func (v *Robust) keptTable() *templates.Table {
	t := templates.Table{Label: "Accuracy retained by noise rate", Class: "tbl-tight stacks",
		Columns: []templates.Column{{Label: "Model"}, {Label: "Clean", Unit: "accuracy", Num: true, Stack: "clean"}}}
	for _, r := range v.rates {
		if r > 0 {
			t.Columns = append(t.Columns, templates.Column{Label: viz.Short(100*r, 3) + format.Pc, Num: true})
		}
	}
	for _, m := range v.Spec.Models {
		name := study.Label(m)
		clean, _, _ := KeptShare(v.Cells, v.Spec, name, 0)
		cells := []string{ShortLabel(name), viz.Number(clean, 3)}
		for _, r := range v.rates {
			if r > 0 {
				_, _, share := KeptShare(v.Cells, v.Spec, name, r)
				cells = append(cells, keptNumber(share))
			}
		}
		t.Rows = append(t.Rows, control.Row(cells))
	}
	t.Note = "Accuracy as a percentage of the model’s own noise-free accuracy, mean of the replicates."
	return &t
}
