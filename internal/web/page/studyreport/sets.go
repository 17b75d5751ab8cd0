package studyreport

import (
	"slices"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine/phrase"
	"taper/internal/engine/study"
	"taper/internal/engine/study/stored"
	"taper/internal/web/format"
)

// Shipped is what the program contains of a preset: its stored result, and the results on datasets of its paper
// that are not included themselves.
type Shipped struct {
	stored.Result
	Sets []stored.Result `json:"sets,omitempty"`
}

// ShippedOf returns what the program contains of a preset; false where there is nothing.
func ShippedOf(p study.Preset) (s Shipped, ok bool) {
	s.Result, ok = stored.Get(p.ID)
	for _, set := range p.Data.Sets {
		if r, ships := stored.Get(p.ResultID(set)); ships {
			s.Sets = append(s.Sets, r)
		}
	}
	return s, ok
}

// AllCells are the cells of the preset's own data, then those of the other datasets.
func (s Shipped) AllCells() []study.Cell {
	all := slices.Clone(s.Cells)
	for _, r := range s.Sets {
		all = append(all, r.Cells...)
	}
	return all
}

// judged are the verdicts on the cells of a preset, including those on the other datasets.
func judged(p study.Preset, cells []study.Cell, sets []stored.Result) []study.Verdict {
	all := p.Verdicts(cells)
	for _, r := range sets {
		s, _ := p.SetByResult(r.ID)
		for _, ref := range s.References {
			all = append(all, ref.Verdict(cells))
		}
	}
	return all
}

// dataTable lists the datasets of the cells, as the table of the paper does.
func (v Report) dataTable() []doc.Node {
	if len(v.Sets) == 0 {
		return nil
	}
	t := doc.Table{Label: "Datasets", Class: "st-sets", Columns: []doc.Column{{Label: "Data"},
		{Label: "Rows", Number: true}, {Label: "Train", Number: true, Class: "only-w"},
		{Label: "Test", Number: true, Class: "only-w"}, {Label: "Features", Number: true},
		{Label: "Classes", Number: true}, {Label: "Source"}, {Label: "What differs"}},
		Note: v.preset.Data.Absent}
	for _, own := range v.preset.Data.Own {
		own.Package = "ships with the program"
		if own.Outcome == "" {
			own.Package = "drawn by the program"
		}
		t.Rows = append(t.Rows, setRow(own, ""))
	}
	for _, r := range v.Sets {
		s, _ := v.preset.SetByResult(r.ID)
		t.Rows = append(t.Rows, setRow(s.Set, strings.TrimSpace(s.Differs+" "+s.Why)))
	}
	withoutEmpty(&t, 2, 4)
	return []doc.Node{doc.Block{t}}
}

// withoutEmpty drops the columns from to to−1 if no row has a value there.
func withoutEmpty(t *doc.Table, from, to int) {
	for _, r := range t.Rows {
		for _, c := range r.Cells[from:to] {
			if c.Value != nil {
				return
			}
		}
	}
	t.Columns = slices.Delete(t.Columns, from, to)
	for i := range t.Rows {
		t.Rows[i].Cells = slices.Delete(t.Rows[i].Cells, from, to)
	}
}

func setRow(s study.Set, differs string) doc.Row {
	count := func(n int) doc.Cell {
		if n == 0 {
			return doc.Cell{}
		}
		return doc.Cell{Value: n}
	}
	trains := 0
	if s.Test > 0 {
		trains = s.Rows - s.Test
	}
	classes := count(s.Classes)
	if s.Classes == 0 {
		classes.Value = "5 and 10"
	}
	return doc.Row{Cells: []doc.Cell{{Value: s.Name}, count(s.Rows), count(trains), count(s.Test), count(s.Features),
		classes, {Value: s.Package}, {Value: differs}}}
}

// fewestTested is the number of replicates from which the signed-rank test can reject at 5 %: of n pairs its smallest
// p-value is 2/2ⁿ.
const fewestTested = 6

// tooFew reports whether no cell of the study has enough replicates for a test.
func (v Report) tooFew() bool {
	return !slices.ContainsFunc(v.of(v.drawing.Metrics[0].ID), func(c study.Cell) bool { return c.N >= fewestTested })
}

// markNote explains the mark, in tables that have it.
func (v Report) markNote() string {
	if !v.drawing.Totals {
		return ""
	}
	if v.tooFew() {
		return "Fewer than " + phrase.Numeral(fewestTested) + " replicates: no difference can be significant, so none is " +
			"marked best."
	}
	return "✓: best mean, or not significantly different from it (Wilcoxon signed-rank test, 5" + format.Pc + ")."
}

// marks are the marks of the cells of a metric, in tables that have them.
func (v Report) marks(m study.Metric) []string {
	own := v.of(m.ID)
	marks := make([]string, len(own))
	if !v.drawing.Totals || m.ID != v.drawing.Metrics[0].ID || v.tooFew() {
		return marks
	}
	for i, c := range study.CompareBest(own, m.Higher) {
		if c.Best {
			marks[i] = "✓"
		}
	}
	return marks
}

// totals are the last rows of a table: the mean over datasets and the number of marks of each model. With one dataset
// they are left out.
func (v Report) totals() []doc.Node {
	if !v.drawing.Totals || v.metric.ID != v.drawing.Metrics[0].ID {
		return nil
	}
	own := v.of(v.metric.ID)
	all := study.Totals(own, v.metric.Higher)
	if !slices.ContainsFunc(all, func(t study.Total) bool { return t.Sets > 1 }) {
		return nil
	}
	t := doc.Table{Label: "Summary rows", Columns: []doc.Column{{Label: "Over"}, {Label: "Method"},
		{Label: "Sets", Number: true}, {Label: "Mean", Number: true}, {Label: "Marked", Number: true}},
		Note: "The mean over the datasets of the table above, and the number of datasets on which the method has " +
			"the mark. The paper averages over all of its datasets."}
	as := numbersOf(own)
	for _, total := range all {
		marked := doc.Cell{Value: total.Best}
		if v.tooFew() {
			marked = doc.Cell{}
		}
		t.Rows = append(t.Rows, doc.Row{Cells: []doc.Cell{{Value: total.Group}, {Value: total.Model}, {Value: total.Sets},
			{Value: total.Mean, Format: as}, marked}})
	}
	withoutEmpty(&t, 4, 5)
	return []doc.Node{doc.Block{t}}
}

// dataSection names the sources of the datasets.
func (v Report) dataSection() doc.Section {
	title := "Data"
	if figure := v.preset.Data.Figure; figure != "" {
		title += ", as in " + figure + " of the paper"
	}
	return doc.Section{ID: "data", Title: title, Body: v.dataTable(),
		Say: "Where a package is named the file does not ship, its results do. ‘make paper-data’ writes it to " +
			"bench/paperdata/out, with its version, licence and checksum. Uploaded to this preset, with the last column as " +
			"the outcome, it gives the same numbers."}
}
