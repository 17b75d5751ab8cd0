package render

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"taper/internal/doc"
	"taper/internal/viz"
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

// TestMedium: lines are a chart on a page and a drawing in print.
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

// TestLive finds the parts that a live answer replaces wherever they stand.
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
