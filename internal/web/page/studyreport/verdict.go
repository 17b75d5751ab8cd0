package studyreport

import (
	"math"
	"strconv"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine/study"
	"taper/internal/viz"
	"taper/internal/web/format"
	"taper/web/templates"
)

// verdictTable compares the published numbers with ours.
func (v Report) verdictTable() []doc.Node {
	all := v.verdicts()
	if len(all) == 0 {
		if v.known && v.spec.Dataset.ID == "" && v.preset.NoNumbers != "" {
			return []doc.Node{doc.Note(v.preset.NoNumbers)}
		}
		return nil
	}
	t := doc.Table{Label: "Reference numbers and ours", Class: "st-ref", Columns: []doc.Column{
		{Label: "Number"}, {Label: "Reference", Number: true}, {Label: "Ours", Number: true},
		{Label: "Difference", Number: true, Class: "only-w"},
		{Label: "Allowed", Number: true, Class: "only-w"},
		{Label: "Detectable", Unit: "power 80\u00a0%", Number: true, Class: "only-w"},
		{Label: "n", Number: true, Class: "only-w"}, {Label: "Verdict"}, {Label: "Source", Class: "only-w"}}}
	known := doc.List{}
	for _, d := range all {
		t.Rows = append(t.Rows, v.verdictRow(d))
		if d.Allowed != nil && !d.Holds && d.Differs != "" {
			known = append(known, v.numberWords(d.Reference)+" differs: "+d.Differs)
		}
	}
	t.Note = verdictNote
	b := doc.Block{t}
	if len(known) > 0 {
		b = append(b, known)
	}
	return []doc.Node{b}
}

// verdictNote is the acceptance rule below the table.
const verdictNote = "Allowed: |ours − reference| ≤ 3 standard errors of the difference and half a unit of " +
	"the last " +
	"printed digit. Where no interval is printed, the reference’s own standard error is taken from the spread of our " +
	"replicates and the number of its own. Detectable: the smallest true difference that this study would find " +
	"with a power of 80 %. Differences of two numbers are paired by replicate. A claim without a number is " +
	"replicated " +
	"where the difference lies 3 standard errors beyond 0; for it, Detectable is the smallest loss of the " +
	"difference that would be found."

// verdicts evaluates the cells; a running study is not evaluated.
func (v Report) verdicts() []study.Verdict {
	if !v.known || len(v.cells) == 0 || v.spec.Dataset.ID != "" {
		return nil
	}
	return judged(v.preset, v.cells, v.Sets)
}

// plusMinus writes half of an interval below the number that it belongs to, with the given decimals.
func plusMinus(half float64, decimals int) string {
	if least := math.Pow10(-decimals); half < least/2 {
		return "±<" + viz.Number(least, decimals)
	}
	return "±" + viz.Number(half, decimals)
}

func (v Report) verdictRow(d study.Verdict) doc.Row {
	as := doc.To(decimalsOf(d.Value))
	finer := doc.To(as.Digits + 1) // of what says how exact a number is
	reference, own := doc.Cell{Value: d.Value, Format: as}, doc.Cell{Value: d.Ours, Format: as}
	if d.Against != nil {
		reference.Format.Signed, own.Format.Signed = true, true
	}
	if d.Sign != 0 {
		reference = doc.Cell{Value: map[bool]string{true: "above 0", false: "below 0"}[d.Sign > 0]}
	}
	if d.HalfWidth > 0 {
		reference.Note = plusMinus(d.HalfWidth, finer.Digits)
	}
	if d.SE != nil && *d.SE > 0 {
		own.Note = plusMinus(1.96**d.SE, finer.Digits)
	}
	var gap, allowed, notices doc.Cell
	chip := templates.Chip{Icon: "bad", Label: "differs", Kind: "bad"}
	switch {
	case d.Ours == nil:
		chip = templates.Chip{Icon: "dash", Label: "no value yet", Kind: "bare"}
	case d.Allowed == nil:
		chip = templates.Chip{Icon: "dash", Label: "too few replicates", Kind: "bare"}
	case d.Holds:
		chip = templates.Chip{Icon: "check", Label: "replicated", Kind: "accent"}
	}
	if d.Ours != nil && d.Sign == 0 {
		gap = doc.Cell{Value: *d.Ours - d.Value, Format: doc.Format{Digits: as.Digits, Signed: true}}
	}
	if d.Allowed != nil {
		allowed, notices = doc.Cell{Value: *d.Allowed, Format: finer}, doc.Cell{Value: *d.Notices, Format: finer}
	}
	return doc.Row{Cells: []doc.Cell{{Value: v.numberWords(d.Reference)}, reference, own, gap, allowed, notices,
		{Value: d.N}, {View: templates.ChipView(chip)}, {Value: d.Where}}}
}

// atVaries reports whether the cells of a metric differ in At; a median beside a histogram has no place on its axis.
func (v Report) atVaries(metric string) bool {
	first := math.NaN()
	for _, c := range v.cells {
		if c.Metric == metric && c.At != first && !math.IsNaN(first) {
			return true
		}
		if c.Metric == metric {
			first = c.At
		}
	}
	return false
}

// decimalsOf is the number of decimals of a published number; ours has one more.
func decimalsOf(v float64) int {
	text := strings.TrimRight(strconv.FormatFloat(v, 'f', 9, 64), "0")
	_, after, _ := strings.Cut(text, ".")
	return min(9, max(3, len(after)))
}

// numberWords describes a number, or a difference of two.
func (v Report) numberWords(r study.Reference) string {
	switch {
	case r.Against == nil:
		return v.keyWords(r.Key)
	case r.Key.SameBut(*r.Against):
		both := r.Key
		both.Model += " − " + r.Against.Model
		return v.keyWords(both)
	}
	return v.keyWords(r.Key) + " − " + v.keyWords(*r.Against)
}

// keyWords describes a number by the parts of its key that vary in the study.
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
	if v.atVaries(k.Metric) {
		add(strings.TrimSpace(format.LowerTitle(v.axisTitle("at")) + " " + viz.Short(k.At, 4)))
	}
	if v.varies("noise") {
		add(viz.Short(100*k.Noise, 3) + format.Pc + " flipped")
	}
	return strings.Join(parts, ", ")
}
