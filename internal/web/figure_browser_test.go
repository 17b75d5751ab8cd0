package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"

	"taper/internal/viz"
	"taper/internal/web/control"
	"taper/web/templates"
)

// TestFigure: the parts of a figure get to the page in their order.
func TestFigure(t *testing.T) {
	got := control.Figure(viz.Figure{ID: "density", Title: "Score by group", Sentence: "They overlap.", Label: "Two hills", Option: viz.Option(`{"a":1}`),
		Head: []string{"Score", "benign"}, Rows: [][]string{{"−1", "0.2"}},
		Legend: []viz.LegendItem{{Series: "benign", Text: "benign (357)", Mark: "dens0", SVG: "<svg></svg>"}}})
	want := templates.Chart{ID: "density", Title: "Score by group", Sentence: "They overlap.", Finding: "Two hills", Option: []byte(`{"a":1}`),
		Legend: []templates.LegendEntry{{Series: "benign", Label: "benign (357)", Mark: "dens0", Sample: "<svg></svg>"}},
		Table: &templates.Table{Label: "Data of Score by group", Class: "tbl-tight", Tall: true,
			Columns: []templates.Column{{Label: "Score"}, {Label: "benign", Num: true}},
			Rows:    []templates.Row{{Cells: []templates.Cell{{Text: "−1"}, {Text: "0.2"}}}}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestFiguresDraw draws every option among the golden files of internal/viz with ECharts, in both themes, and
// expects a drawing and no console message.
func TestFiguresDraw(t *testing.T) {
	names, err := filepath.Glob("../../internal/viz/testdata/golden/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("no golden options: %v", err)
	}
	var parts []templ.Component
	for _, name := range names {
		option, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		id := strings.TrimSuffix(filepath.Base(name), ".json")
		parts = append(parts, templates.ChartView(templates.Chart{ID: id, Title: id, Sentence: "From the golden file.", Option: option}))
	}
	b := newTab(t, partServer(t, templ.Join(parts...), func(*Server) {}))
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int{1280, 360} {
			b.look(width, scheme)
			b.open("/part")
			b.drawn()
			b.wait(fmt.Sprintf(`document.querySelectorAll('canvas').length === %d`, len(names)))
			for _, empty := range eval[[]string](b, `[...document.querySelectorAll('[data-chart]')].filter((f) => {
				const c = f.querySelector('canvas'); return !c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((v) => v); }).map((f) => f.id)`) {
				t.Errorf("%s, %d px: %s is blank", scheme, width, empty)
			}
			b.fits("figures")
			b.shot(fmt.Sprintf("figures-%d-%s", width, scheme))
		}
	}
	b.expectAll("willReadFrequently") // the test itself reads the canvas
}
