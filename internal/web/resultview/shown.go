package resultview

import (
	"slices"

	"taper/internal/doc"
	"taper/internal/doc/mask"
	"taper/internal/engine"
	"taper/internal/engine/phrase"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/format"
)

// BeforeAfter compares the numbers that a page showed for a fit with those of the saved run; nil for runs that were
// not saved from such a page. The masks do not cover the bands of the page, so their rows, and numbers weighted by
// them, are for the screen only.
func BeforeAfter(spec runspec.Spec, r *engine.Result) []doc.Node {
	b := r.Before
	if b == nil {
		return nil
	}
	t := doc.Table{Label: "Before and after validation", Class: "tbl-tight", Columns: []doc.Column{{Label: "Number"},
		{Label: "Before validation", Unit: b.How, Number: true}, {Label: "Validated", Unit: r.Validation, Number: true}}}
	if b.L2 != nil {
		t.Rows = append(t.Rows, doc.TextRow([]string{"Penalty λ", viz.Short(*b.L2, 3), penalties(r)}))
	}
	if after := r.Shown(""); b.Rows != nil && after.Rows != nil {
		row := doc.TextRow([]string{"Rows in bands inside their limits", inBands(*b.Rows, *b.Bands),
			inBands(*after.Rows, *after.Bands)})
		row.Reveals = mask.OfRows
		t.Rows = append(t.Rows, row)
	}
	for _, s := range stat.All {
		before, ok := b.Metrics[s.ID]
		after := r.Judged(s.ID)
		if !ok || after == nil {
			continue
		}
		label := s.Label
		if r.Classes == nil && s.Needs&stat.NeedCut != 0 {
			label += " at a threshold of " + format.Threshold(spec, r)
		}
		row := doc.Row{Cells: []doc.Cell{{Value: label}, {Value: before, Format: doc.Of(s)},
			{Value: *after, Format: doc.Of(s)}}}
		if s.ID != "auc" && s.ID != "accuracy" {
			row.Reveals = mask.OfRows
		}
		t.Rows = append(t.Rows, row)
	}
	return []doc.Node{t}
}

// penalties are the λ chosen in the evaluation folds.
func penalties(r *engine.Result) string {
	if len(r.FoldL2) == 0 {
		return viz.Short(r.L2, 3)
	}
	low, high := viz.Short(slices.Min(r.FoldL2), 3), viz.Short(slices.Max(r.FoldL2), 3)
	if low == high {
		return low
	}
	return viz.Range(low, high)
}

func inBands(rows, bands int) string {
	if bands == 0 {
		return "none"
	}
	return phrase.Int(rows) + " in " + phrase.Count(bands, "band")
}

// before is BeforeAfter as a section.
func before(spec runspec.Spec, r *engine.Result) []doc.Section {
	body := BeforeAfter(spec, r)
	if len(body) == 0 {
		return nil
	}
	return []doc.Section{{ID: "before", Title: "Before and after validation", Body: body}}
}
