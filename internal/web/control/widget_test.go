package control

import (
	"math"
	"slices"
	"strings"
	"testing"

	"taper/internal/viz"
	"taper/web/templates"
)

func TestSlider(t *testing.T) {
	for _, c := range []struct {
		in        templates.Slider
		low, high float64
		text      string
	}{
		{in: templates.Slider{Min: 1, Max: 2, Value: 1.5}, low: 1, high: 2, text: "1.50"},
		{in: templates.Slider{Min: 1, Max: 2, Value: 3.125}, low: 1, high: 3.125, text: "3.125"},
		{in: templates.Slider{Min: 1, Max: 2, Value: .5, Text: "½"}, low: .5, high: 2, text: "½"},
	} {
		if s := Slider(c.in); s.Min != c.low || s.Max != c.high || s.Text != c.text {
			t.Errorf("at %v: %v to %v, %q; want %v to %v, %q", c.in.Value, s.Min, s.Max, s.Text, c.low, c.high, c.text)
		}
	}
}

// TestAlphaStops: the stops increase from ¼ to ∞ by at most a fifth per step and contain ½, 1 and 4. Callers
// may change the slice.
func TestAlphaStops(t *testing.T) {
	stops := AlphaStops()
	for i := 1; i < len(stops)-1; i++ {
		if !(stops[i] > stops[i-1] && stops[i] < 1.2*stops[i-1]) {
			t.Errorf("%v follows %v", stops[i], stops[i-1])
		}
	}
	for _, v := range []float64{.25, .5, 1, 4, math.Inf(1)} {
		if !slices.Contains(stops, v) {
			t.Errorf("there is no stop at %v", v)
		}
	}
	stops[0] = 0
	if AlphaStops()[0] != .25 {
		t.Error("the stops are shared")
	}
}

// TestInfiniteStop: the field of a slider at its last stop shows ∞, in no language of programs.
func TestInfiniteStop(t *testing.T) {
	s := Stops(templates.Slider{ID: "a", Name: "alpha"}, math.Inf(1), 1, AlphaStops(), nil)
	var page strings.Builder
	if err := templates.SliderView(*s).Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), `value="∞"`) || strings.Contains(page.String(), "inf") {
		t.Error(page.String())
	}
}

func TestFigure(t *testing.T) {
	c := Figure(viz.Figure{ID: "roc", Title: "ROC", Sentence: "It rises.", Label: "AUC 0.9", Head: []string{"Rate", "Share"}, Rows: [][]string{{"0", "1"}, {"2", "3"}},
		Legend: []viz.LegendItem{{Series: "a", Text: "A", Mark: "s1"}}})
	if c.ID != "roc" || c.Finding != "AUC 0.9" || c.Table == nil || c.Table.Label != "Data of ROC" || len(c.Table.Rows) != 2 || c.Table.Rows[1].Cells[1].Text != "3" {
		t.Errorf("%+v", c)
	}
	if c.Table.Columns[0].Num || !c.Table.Columns[1].Num {
		t.Error("numbers stand in all columns but the first")
	}
	if len(c.Legend) != 1 || c.Legend[0].Label != "A" {
		t.Errorf("legend %+v", c.Legend)
	}
	if Figure(viz.Figure{ID: "empty"}).Table != nil {
		t.Error("a figure without rows has a table")
	}
}
