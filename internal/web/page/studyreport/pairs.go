package studyreport

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine/phrase"
	"taper/internal/engine/stat"
	"taper/internal/engine/study"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// pairs compares the models of one setting over paired replicates.
func (v Report) pairs() []doc.Node {
	settings, groups := v.settings()
	if len(settings) == 0 || v.drawing.Kind == study.DrawScatter || v.drawing.Kind == study.DrawHistogram {
		return nil
	}
	at := len(settings) - 1
	if v.Setting >= 0 && v.Setting < len(settings) {
		at = v.Setting
	}
	var body []doc.Node
	if len(settings) > 1 {
		var choice templates.Choice
		for i, k := range settings {
			choice.Options = append(choice.Options, templates.Option{Value: strconv.Itoa(i), Label: v.settingWords(k),
				On: i == at})
		}
		var hidden []templates.Field
		if v.Metric != "" {
			hidden = []templates.Field{{Name: "metric", Value: v.Metric}}
		}
		body = append(body, doc.Form{View: templates.StudySettings(v.path, choice, hidden)})
	}
	return append(body, doc.Block{v.pairTable(study.CompareBest(groups[settings[at]], v.metric.Higher))})
}

// settings are the keys without the model for which at least two models have at least two replicates.
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
		return text // names of files are not changed
	}
	return phrase.UpperFirst(cmp.Or(text, "all"))
}

func (v Report) pairTable(marked []study.ComparedCell) doc.Table {
	t := doc.Table{Label: "Paired differences", Class: "st-pairs stacks stacks-long", Columns: []doc.Column{
		{Label: "Model"}, {Label: "Mean", Number: true},
		{Label: "Difference from the best", Unit: "95" + format.Pc + " interval", Number: true,
			Stack: "Difference, 95" + format.Pc + " interval"},
		{Label: "p", Unit: "signed rank", Number: true}, {Label: "Verdict", Unit: "by the interval"}}}
	var own []study.Cell
	for _, m := range marked {
		own = append(own, m.Cell)
	}
	as, direction := numbersOf(own), stat.LowerBetter
	if v.metric.Higher {
		direction = stat.HigherBetter
	}
	for _, m := range marked {
		var less, p doc.Cell
		if m.Pair != nil && m.Pair.Mean != nil {
			less = doc.Cell{Value: m.Pair.Mean, Low: m.Pair.Low, High: m.Pair.High, Format: as}
			less.Format.Signed, less.Format.Bare = true, true
			p.Value = pWords(m.Pair.Wilcoxon.P)
		}
		mark := doc.Cell{Class: "muted"}
		switch {
		case m.Best && m.Pair == nil:
			mark = doc.Cell{View: templates.ChipView(templates.Chip{Icon: "check", Label: "best", Kind: "accent"})}
		case m.Pair != nil && v.resplits(): // more replicates would make any difference significant
			mark.Value, p = viz.None, doc.Cell{}
		case m.Pair != nil: // by the interval in this row; the signed-rank test may differ
			d := stat.Estimate{Value: m.Pair.Mean, Low: m.Pair.Low, High: m.Pair.High}
			mark.Value = stat.VerdictWord(direction.Verdict(d))
		}
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Value: m.Model}, {Value: m.Mean, Format: as}, less, p, mark}})
	}
	return t
}

// resplits reports whether the replicates are divisions of the same uploaded rows. They overlap, so tests that take
// them as independent have no level (Nadeau and Bengio 2003).
func (v Report) resplits() bool { return v.spec.Dataset.ID != "" }

func pWords(p float64) string {
	if p < 0.0001 {
		return "<\u00a00.0001"
	}
	return fmt.Sprintf("%.4f", p)
}
