package studyreport

import (
	"strconv"
	"strings"

	"taper/internal/engine/study"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// verdictTable puts the reference numbers beside ours.
func (v Report) verdictTable() *templates.Table {
	all := v.verdicts()
	if len(all) == 0 {
		return nil
	}
	t := templates.Table{Label: "Reference numbers beside ours", Class: "st-ref", Columns: []templates.Column{
		{Label: "Number"}, {Label: "Reference", Num: true}, {Label: "Ours", Num: true},
		{Label: "Difference", Num: true, Class: "only-w"},
		{Label: "Allowed", Num: true, Class: "only-w"}, {Label: "n", Num: true, Class: "only-w"}, {Label: "Verdict"},
		{Label: "Where", Class: "only-w"}}}
	for _, d := range all {
		t.Rows = append(t.Rows, v.verdictRow(d))
	}
	t.Note = "Accepted: |ours − reference| ≤ 3 standard errors of the difference; where no interval is printed, the " +
		"tolerance of that table."
	return &t
}

// verdicts judges what has cells; a study that is under way is not judged.
func (v Report) verdicts() []study.Verdict {
	if !v.known || len(v.cells) == 0 || v.spec.Dataset.ID != "" {
		return nil
	}
	return v.preset.Verdicts(v.cells)
}

func (v Report) verdictRow(d study.Verdict) templates.Row {
	chip := templates.Chip{Icon: "check", Label: "holds", Kind: "accent"}
	if !d.Holds {
		chip = templates.Chip{Icon: "bad", Label: "differs", Kind: "bad"}
	}
	ours, gap, allowed := viz.None, viz.None, viz.None
	digits := decimalsOf(d.Value)
	if d.Ours != nil {
		ours, gap, allowed = viz.Number(*d.Ours, digits), viz.Signed(*d.Ours-d.Value, digits), viz.Short(d.Allowed, 2)
	} else {
		chip = templates.Chip{Icon: "dash", Label: "no value yet", Kind: "bare"}
	}
	reference := templates.Cell{Text: viz.Number(d.Value, digits)}
	if d.Half > 0 {
		reference.CI = "±" + viz.Short(d.Half, 2)
	}
	own := templates.Cell{Text: ours}
	if d.SE != nil && *d.SE > 0 {
		own.CI = "±" + viz.Short(1.96**d.SE, 2)
	}
	return templates.Row{Cells: []templates.Cell{
		{Text: v.keyWords(d.Key)}, reference, own, {Text: gap}, {Text: allowed}, {Text: strconv.Itoa(d.N)},
		{Content: templates.ChipView(chip)}, {Text: d.Where}}}
}

// decimalsOf shows a reference to its own digits, and ours to one more.
func decimalsOf(v float64) int {
	text := strings.TrimRight(strconv.FormatFloat(v, 'f', 9, 64), "0")
	_, after, _ := strings.Cut(text, ".")
	return min(9, max(3, len(after)))
}

// keyWords names a number: what of its key the study tells apart.
func (v Report) keyWords(k study.Key) string {
	var parts []string
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	add(k.Model)
	if v.varies("data") {
		add(k.Data)
	}
	if len(v.drawing.Metrics) > 1 || !v.shows(k.Metric) {
		add(v.metricTitle(k.Metric))
	}
	if v.varies("at") {
		add(strings.TrimSpace(format.LowerTitle(v.axisTitle("at")) + " " + viz.Short(k.At, 4)))
	}
	if v.varies("noise") {
		add(viz.Short(100*k.Noise, 3) + format.Pc + " flipped")
	}
	return strings.Join(parts, ", ")
}
