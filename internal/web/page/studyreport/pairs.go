package studyreport

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"taper/internal/engine/study"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// pairs compares the models of one setting replicate by replicate.
func (v Report) pairs() *templates.StudyPairs {
	settings, groups := v.settings()
	if len(settings) == 0 || v.drawing.Kind == study.DrawScatter || v.drawing.Kind == study.DrawHistogram {
		return nil
	}
	at := len(settings) - 1
	if v.Setting >= 0 && v.Setting < len(settings) {
		at = v.Setting
	}
	cells := groups[settings[at]]
	marked := study.CompareBest(cells, v.metric.Higher)
	p := templates.StudyPairs{Action: v.path, Table: v.pairTable(marked),
		Say: "Models share the sample, the split and the noise of a replicate, so their differences are paired. Marked ✓: " +
			"the best, and all that the Wilcoxon signed-rank test does not tell from it at 5" + format.Pc + "."}
	if v.metric.ID != v.drawing.Metrics[0].ID {
		p.Hidden = []templates.Field{{Name: "metric", Value: v.metric.ID}}
	}
	if len(settings) > 1 {
		p.Settings = &templates.Choice{}
		for i, k := range settings {
			p.Settings.Options = append(p.Settings.Options, templates.Option{Value: strconv.Itoa(i), Label: v.settingWords(k),
				On: i == at})
		}
	}
	return &p
}

// settings are the keys but for the model at which several models have two
// replicates or more.
func (v Report) settings() (order []study.Key, groups map[study.Key][]study.Cell) {
	all, groups := []study.Key{}, map[study.Key][]study.Cell{}
	for _, c := range v.of(v.metric.ID) {
		if c.N < 2 {
			continue
		}
		k := c.Key
		k.Model = ""
		if groups[k] == nil {
			all = append(all, k)
		}
		groups[k] = append(groups[k], c)
	}
	for _, k := range all {
		if len(groups[k]) > 1 {
			order = append(order, k)
		}
	}
	return order, groups
}

func (v Report) settingWords(k study.Key) string {
	k.Metric = v.drawing.Metrics[0].ID
	text := v.keyWords(k)
	if len(v.drawing.Metrics) > 1 {
		text = strings.TrimPrefix(strings.TrimPrefix(text, v.metricTitle(k.Metric)), ", ")
	}
	if k.Data != "" && strings.HasPrefix(text, k.Data) {
		return text // a file keeps its name
	}
	return format.UpperFirst(cmp.Or(text, "all"))
}

func (v Report) pairTable(marked []study.Compared) templates.Table {
	t := templates.Table{Label: "Paired differences", Class: "st-pairs", Columns: []templates.Column{
		{Label: "Model"}, {Label: "Mean", Num: true}, {Label: "Minus the best", Unit: "95" + format.Pc + " interval",
			Num: true}, {Label: "p", Unit: "signed rank", Num: true}, {Label: "Mark"}}}
	var own []study.Cell
	for _, m := range marked {
		own = append(own, m.Cell)
	}
	write := viz.StudyWriter(own)
	for _, m := range marked {
		cells := []templates.Cell{{Text: m.Model}, {Text: viz.None}, {Text: viz.None}, {Text: viz.None},
			{Text: "told apart", Class: "muted"}}
		if m.Mean != nil {
			cells[1].Text = write(*m.Mean)
		}
		if p := m.Pair; p != nil && p.Mean != nil {
			cells[2].Text = plusNumber(write, *p.Mean)
			if p.Low != nil && p.High != nil {
				cells[2].CI = viz.Range(write(*p.Low), write(*p.High))
			}
			cells[3].Text = pWords(p.Wilcoxon.P)
		}
		switch {
		case m.Best && m.Pair == nil:
			cells[4] = templates.Cell{Content: templates.ChipView(templates.Chip{Icon: "check", Label: "best", Kind: "accent"})}
		case m.Best:
			cells[4] = templates.Cell{Content: templates.ChipView(templates.Chip{Icon: "check", Label: "not told apart"})}
		}
		t.Rows = append(t.Rows, templates.Row{Cells: cells})
	}
	return t
}

func plusNumber(write func(float64) string, v float64) string {
	if text := write(v); v > 0 {
		return "+" + text
	}
	return write(v)
}

func pWords(p float64) string {
	if p < 0.0001 {
		return "< 0.0001"
	}
	return fmt.Sprintf("%.4f", p)
}
