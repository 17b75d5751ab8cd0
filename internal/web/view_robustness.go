package web

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"taper/internal/engine/fit"
	"taper/internal/engine/study"
	"taper/internal/engine/synth"
	"taper/internal/store"
	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/internal/web/format"
	"taper/internal/web/page/studyform"
	"taper/internal/web/page/studyreport"
	"taper/web/templates"
)

// page builds what is shown, or the scene before an audience.
func (v *robust) page(c echo.Context) (p templates.Robustness, err error) {
	p.Label = v.label(c.Request().Context())
	if v.present {
		return p, v.scenePage(c, &p)
	}
	f, err := v.s.robustForm(c, v.spec)
	if err != nil {
		return p, err
	}
	p.Form = &f
	v.state(&p)
	if chart, ok := v.chart(v.spec.Models); ok {
		p.Chart = &chart
		p.Notes = v.notes()
		p.Table = v.keptTable()
		if p.Weights, err = v.weightsView(c, true); err != nil {
			return p, err
		}
	} else {
		p.Empty = &templates.Empty{Title: "No numbers yet",
			Text: "The chart is drawn with the first replicate that is done, and grows with the others."}
	}
	p.More = v.more()
	return p, nil
}

func (v *robust) more() []templates.Button {
	if v.st == nil {
		return nil
	}
	return []templates.Button{
		{Label: "Report of this study", Icon: "document", URL: "/studies/" + v.st.ID},
		{Label: "The stored result", Icon: "undo", URL: "/robustness"}}
}

// state shows how far a study of one's own is.
func (v *robust) state(p *templates.Robustness) {
	if v.st == nil {
		return
	}
	var page templates.Study
	v.s.studyState(*v.st, &page)
	p.Progress, p.Controls, p.Banner = page.Progress, page.Controls, page.Banner
	if page.Live != "" {
		p.Live = "/robustness/live?study=" + v.st.ID
		p.Progress.Done = "/robustness?study=" + v.st.ID
	}
}

// label says what the numbers are.
func (v *robust) label(ctx context.Context) string {
	source := v.s.sourceName(ctx, v.spec.Dataset)
	n := fmt.Sprintf("%d replicates, seed %d.", v.spec.Replicates, v.spec.Seed)
	if v.st == nil {
		return fmt.Sprintf("Stored result: %s, %s rows, %s Taper %s, %s.", source, viz.Count(v.spec.Dataset.Rows), n,
			v.stock.Version, dayWords(v.stock.Date))
	}
	if rows := v.rows(ctx); rows > 0 {
		source += ", " + viz.Count(rows) + " rows"
	}
	if v.st.Status != store.Done {
		return "So far: " + source + ", " + n
	}
	return "Computed here: " + source + ", " + n + " Taper " + v.st.Version + ", " +
		v.st.Finished.UTC().Format("2 January 2006") + "."
}

// rows are those of the data; 0 = the data are gone.
func (v *robust) rows(ctx context.Context) int {
	d := v.spec.Dataset
	if d.ID != "" {
		set, _ := v.s.db.Dataset(ctx, d.ID) // a study outlives its data
		return set.Rows
	}
	for _, g := range synth.Generators {
		if g.ID == d.Generator && d.Rows == 0 {
			return g.Rows
		}
	}
	return d.Rows
}

// chart is accuracy against noise for some of the models.
func (v *robust) chart(models []fit.Spec) (templates.Chart, bool) {
	var labels []string
	for _, m := range models {
		labels = append(labels, study.Label(m))
	}
	var own []study.Cell
	for _, c := range v.cells {
		if slices.Contains(labels, c.Model) && c.Metric == v.spec.Metric {
			c.Model = studyreport.ShortLabel(c.Model)
			own = append(own, c)
		}
	}
	d := studyreport.GridDrawing(v.spec)
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
	chart := control.Figure(viz.Marked(figures[0], 100*v.rate))
	chart.Height = "l"
	return chart, true
}

// keptTable lists what each model keeps at each rate.
func (v *robust) keptTable() *templates.Table {
	t := templates.Table{Label: "Share of the clean accuracy that is kept", Class: "tbl-tight",
		Columns: []templates.Column{{Label: "Model"}, {Label: "Clean", Unit: "accuracy", Num: true}}}
	for _, r := range v.rates {
		if r > 0 {
			t.Columns = append(t.Columns, templates.Column{Label: viz.Short(100*r, 3) + format.Pc, Num: true})
		}
	}
	for _, m := range v.spec.Models {
		name := study.Label(m)
		clean, _, _ := studyreport.KeptShare(v.cells, v.spec, name, 0)
		cells := []string{studyreport.ShortLabel(name), viz.Number(clean, 3)}
		for _, r := range v.rates {
			if r > 0 {
				_, _, share := studyreport.KeptShare(v.cells, v.spec, name, r)
				cells = append(cells, viz.Percent(share, 0))
			}
		}
		t.Rows = append(t.Rows, control.Row(cells))
	}
	t.Note = "Per cent of its own accuracy without noise that a model keeps, mean of the replicates."
	return &t
}

// robustForm is the control column.
func (s *Server) robustForm(c echo.Context, spec study.Spec) (f templates.RobustForm, err error) {
	f = templates.RobustForm{Noise: studyform.NoiseChoice(spec.Noise.Kind),
		Rates:      strings.ReplaceAll(studyform.Rates(spec.Noise.Rates), ",", ""),
		Replicates: strconv.Itoa(spec.Replicates), Seed: strconv.FormatUint(spec.Seed, 10)}
	if spec.Dataset.Rows > 0 {
		f.Rows = strconv.Itoa(spec.Dataset.Rows)
	}
	f.Data, err = s.dataChoice(c.Request().Context(), spec.Dataset, true)
	var more string
	f.Models, more = studyform.ModelChoices(spec.Models)
	for l := range strings.Lines(more) {
		l = strings.TrimSpace(l)
		if m, err := studyform.ReadModel(l); err == nil {
			f.Models = append(f.Models, templates.Option{Value: l, Label: study.Label(m.WithDefaults("")), On: true})
		}
	}
	return f, err
}
