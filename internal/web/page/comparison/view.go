package comparison

import (
	"context"
	"slices"
	"strings"

	"taper/internal/doc"
	"taper/internal/engine/compare"
	"taper/web/templates"
)

// Controls are the controls of the comparison, above its notices.
func (v Page) Controls() templates.Compare {
	return templates.Compare{Views: v.views(), Base: v.baseChoice(), Hidden: v.hidden("all", "x", "y"),
		Notices: v.notices()}
}

// Document is the comparison: the table of differences, then curves, planes, bands, reclassification and
// coefficients. It computes the planes, until the context ends.
func (v Page) Document(ctx context.Context) (d doc.Document, err error) {
	if v.plane, err = v.findPlane(ctx); err != nil {
		return d, err
	}
	all := []doc.Section{{ID: "differs", Title: "What differs", Body: []doc.Node{v.differences()}},
		{Body: []doc.Node{v.figures()}}}
	all = append(append(all, v.surfaces()...), doc.Section{ID: "bands", Title: "Band by band", Body: v.bands()})
	d.Title = v.Title()
	d.Sections = append(append(all, v.moves()...), doc.Section{ID: "terms", Title: "Coefficients", Body: v.terms()})
	return d, nil
}

// differences are the settings and metrics that differ, or all of them.
func (v Page) differences() doc.Block {
	t := doc.Table{Label: "What differs", Class: "tbl-compare" + v.stacks(), Columns: []doc.Column{{Label: v.corner()}}}
	for k, h := range v.heads(v.order()) {
		c := doc.Column{View: templates.CompareName(h), Number: true, Stack: h.Name}
		if k == 0 {
			c.Unit, c.Stack = "baseline", h.Name+" (baseline)"
		}
		if t.Columns = append(t.Columns, c); k > 0 {
			t.Columns = append(t.Columns, doc.Column{Label: "difference", Number: true})
		}
	}
	settings, same := v.settingRows(v.Differences), ""
	metrics, equal := v.metricRows()
	if v.State.All {
		settings = v.settingRows(v.inOrder())
	} else {
		same = v.sameSentence(v.settingRows(v.Same), equal)
	}
	t.Rows = append(settings, metrics...)
	out := doc.Block{t}
	if same != "" {
		out = append(out, doc.Note(same))
	}
	return append(out, doc.Note(v.note()))
}

// stacks is the class by which rows are stacked on a narrow screen, where the runs are too many for columns.
func (v Page) stacks() string {
	if len(v.runs) > 2 {
		return " stacks"
	}
	return ""
}

func (v Page) views() []templates.View {
	only, all := v.State, v.State
	only.All, all.All = false, true
	return []templates.View{{Label: "Differences only", URL: only.URL("/compare"), On: !v.State.All},
		{Label: "Everything", URL: all.URL("/compare"), On: v.State.All}}
}

func (v Page) baseChoice() templates.Choice {
	c := templates.Choice{Name: "base", Label: "Baseline"}
	for i, id := range v.IDs {
		o := templates.Option{Value: id, Label: v.Names[i], On: i == v.Base}
		c.Options = append(c.Options, o)
	}
	return c
}

func (v Page) notices() []templates.Notice {
	var list []templates.Notice
	for _, w := range v.Warnings {
		fact, text, _ := strings.Cut(w.Message, ". ")
		list = append(list, templates.Notice{ID: "about-" + w.Code, Fact: fact + ".", Text: text})
	}
	return list
}

// New compares the runs, which are in the order of the state, until the context ends. It replaces their names by
// distinguishing ones.
func New(ctx context.Context, q State, runs []compare.Run) (Page, error) {
	v := Page{State: q, runs: slices.Clone(runs)}
	for i, name := range names(runs) {
		v.runs[i].Name = name
	}
	var err error
	v.Comparison, err = compare.New(ctx, v.runs, q.base())
	return v, err
}
