package viz

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestOverlay decodes the option: a line per trace, gaps for non-finite values, escaped names,
// fixed and free axes.
func TestOverlay(t *testing.T) {
	f := Overlaid(Overlay{ID: "x", Title: "Title", Sentence: "Says.", Diagonal: "perfect",
		X: Axis{Name: "penalty", Log: true}, Y: Axis{Ends: [2]float64{-2, 2}},
		Lines: []Trace{
			{Name: "@evil </script>", Mark: "s1", X: []float64{1e-4, .02, 1}, Y: []float64{0, math.NaN(), 1}},
			{Name: "b", Mark: "s2", X: []float64{.01, .1}, Y: []float64{1, 2}},
			{Name: "b", Mark: "s2", X: []float64{.01, .1}, Y: []float64{-1, -2}, Continuation: true},
		}})
	var o struct {
		XAxis []struct {
			Type     string
			Min, Max float64
		}
		YAxis  []struct{ Min, Max float64 }
		Series []struct {
			Name string
			Data [][]*float64
		}
	}
	if err := json.Unmarshal(f.Option, &o); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(string(f.Option), "<>") || strings.Contains(string(f.Option), `"@evil`) {
		t.Error("a name is not disarmed")
	}
	if len(o.Series) != 4 || len(f.Legend) != 3 || f.Legend[2].Text != "perfect" || o.Series[1].Name != o.Series[2].Name || f.Legend[0].Series != o.Series[0].Name {
		t.Errorf("%d series, legend %v", len(o.Series), f.Legend)
	}
	if o.Series[0].Data[1][1] != nil || *o.Series[0].Data[2][1] != 1 {
		t.Error("NaN is no gap")
	}
	if x := o.XAxis[0]; x.Type != "log" || x.Min != 1e-4 || x.Max != 1 || o.YAxis[0].Min != -2 || o.YAxis[0].Max != 2 {
		t.Errorf("axes %+v %+v", o.XAxis, o.YAxis)
	}
}

func TestDecades(t *testing.T) {
	for _, test := range []struct {
		lo, hi   float64
		min, max float64
		ticks    int
	}{{1e-5, 1e3, 1e-5, 1e3, 5}, {.2, .3, .1, 1, 2}, {1, 1, 1, 10, 2}, {.03, 40, .01, 100, 5}, {4e-14, 1, 1e-15, 1, 6}} {
		s := decades(test.lo, test.hi)
		if math.Abs(s.Min/test.min-1) > 1e-12 || math.Abs(s.Max/test.max-1) > 1e-12 || len(s.Ticks) != test.ticks || !slices.IsSorted(s.Ticks) {
			t.Errorf("%v to %v: %+v", test.lo, test.hi, s)
		}
	}
}

// TestOverlaySVG finds every line, dot and name in the SVG.
func TestOverlaySVG(t *testing.T) {
	o := Overlay{ID: "x", Title: "Gains", Sentence: "Says <more>.", Diagonal: "in any order", X: Axis{Name: "flagged", Ends: [2]float64{0, 100}},
		Y: Axis{Ends: [2]float64{0, 100}}, Lines: []Trace{
			{Name: "model", Mark: "s1", X: []float64{0, 50, 100}, Y: []float64{0, 100, 100}},
			{Name: "gap", Mark: "s2", X: []float64{0, 50, 100}, Y: []float64{0, math.NaN(), 100}},
			{Name: "point", Mark: "s3", Dot: true, X: []float64{50}, Y: []float64{50}},
		}}
	svg := OverlaySVG(o)
	if strings.Contains(svg, o.Diagonal) { // a curve along the diagonal, or its limits, would run through the name
		t.Error("the diagonal is named in the plot")
	}
	for _, want := range []string{`class="ln s1" d="M34 180L173 8L312 8"`, `class="ln s2" d="M34 180M312 8"`, `class="fill-s3" d="M168 94a`,
		`class="ln step" x1="34" y1="180" x2="312" y2="8"`, "flagged", `aria-label="Gains. Says &lt;more&gt;."`} {
		if !strings.Contains(svg, want) {
			t.Errorf("the drawing lacks %s:\n%s", want, svg)
		}
	}
	if l := o.Legend(); l[0].SVG != "" || !strings.Contains(l[2].SVG, `class="fill-s3"`) {
		t.Errorf("samples %+v", l) // a point has no line
	}
	o.X.Log = true
	defer func() {
		if recover() == nil {
			t.Error("a logarithmic axis was drawn")
		}
	}()
	OverlaySVG(o)
}
