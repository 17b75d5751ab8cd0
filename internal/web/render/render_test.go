package render

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"taper/internal/doc"
	"taper/internal/viz"
	"taper/web/templates"
)

func html(t *testing.T, parts []templ.Component) string {
	t.Helper()
	var b strings.Builder
	for _, p := range parts {
		if err := p.Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestMedium: a figure of lines is a chart on a page and a drawing in print.
func TestMedium(t *testing.T) {
	body := []doc.Node{doc.Figures{{Lines: &viz.Overlay{ID: "gains", Title: "Gains", Sentence: "All.",
		Lines: []viz.Trace{{Name: "model", Mark: "s1", X: []float64{0, 1}, Y: []float64{0, 1}}}}}}}
	page, print := html(t, Parts(body)), html(t, Report(doc.Document{Sections: []doc.Section{{Title: "Curves", Body: body}}}, "").Sections[0].Parts)
	if !strings.Contains(page, `id="gains-option"`) || !strings.Contains(page, `id="fig-gains"`) {
		t.Errorf("no chart on the page: %s", page)
	}
	if strings.Contains(print, "<script") || !strings.Contains(print, `<path class="ln s1"`) || !strings.Contains(print, "model") {
		t.Errorf("no drawing in print: %s", print)
	}
}

// TestLive finds the parts of a live answer at every level of nesting.
func TestLive(t *testing.T) {
	parts, places := LiveParts([]doc.Section{{Body: []doc.Node{
		doc.Group{ID: "outer", Body: []doc.Node{doc.Note("a"), doc.Group{Class: "sec", Body: []doc.Node{doc.Note("b")}}}},
		doc.Pair{{doc.Section{Body: []doc.Node{doc.Group{ID: "inner", Body: []doc.Node{doc.Note("c")}}}}}},
		doc.Figures{{Place: "left", Chart: &viz.Figure{ID: "tuning"}}, {Chart: &viz.Figure{ID: "fixed"}}},
	}}})
	if len(parts) != 2 || html(t, []templ.Component{parts["inner"]}) != `<p class="tbl-note">c</p>` {
		t.Errorf("parts %v", parts)
	}
	if len(places) != 1 || places[0].ID != "left" || places[0].Chart.ID != "tuning" {
		t.Errorf("places %+v", places)
	}
}

// TestReportOrder: the header and the first page come first; then sections are numbered and appendices lettered,
// and a long table is replaced by a link to its appendix. A document without a first page keeps the order of its
// sections.
func TestReportOrder(t *testing.T) {
	long := doc.Table{Label: "Terms", Columns: []doc.Column{{Label: "Term"}}}
	for range 21 {
		long.Rows = append(long.Rows, doc.TextRow([]string{"term"}))
	}
	sections := []doc.Section{
		{Title: "Masks", Level: doc.Appendix, Body: doc.Nodes{doc.Note("none")}},
		{Title: "Model", Body: doc.Nodes{long}},
		{Title: "Verdict", Level: doc.Summary, Body: doc.Nodes{doc.Verdict{"good"}}},
	}
	sheet := func(all []doc.Section) string {
		return html(t, []templ.Component{templates.ReportSheet(Report(doc.Document{Title: "Run", Sections: all}, ""))})
	}
	for _, c := range []struct {
		name string
		html string
		want []string // in this order
	}{
		{"with a first page", sheet(sections), []string{`<div class="rep-one" id="summary">`, "<h1>Run</h1>", "<h2>Verdict</h2>",
			"</div><section>", "<h2><span>1</span> Model</h2>", `<a href="#appendix-a">appendix A</a>`,
			`<section id="appendix-a"><h2><span>Appendix A</span> Terms</h2>`, "<table",
			`<section id="appendix-b"><h2><span>Appendix B</span> Masks</h2>`}},
		{"without", sheet([]doc.Section{{Title: "Verdict", Body: doc.Nodes{doc.Verdict{"good"}}}, {Title: "Model", Body: doc.Nodes{long}}}),
			[]string{"<h1>Run</h1>", "<h2><span>1</span> Verdict</h2>", "<h2><span>2</span> Model</h2>", "<table"}},
	} {
		at := 0
		for _, want := range c.want {
			k := strings.Index(c.html[at:], want)
			if k < 0 {
				t.Fatalf("%s: %q does not follow in %s", c.name, want, c.html)
			}
			at += k + len(want)
		}
	}
}
