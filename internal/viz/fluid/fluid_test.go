package fluid

import (
	"encoding/xml"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"taper/internal/viz"
)

// wellFormed fails the test unless the drawing parses as XML.
func wellFormed(t *testing.T, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
	}
}

// TestSurfaceSVG: a contour is at the position that the axes give, with its name on the line.
func TestSurfaceSVG(t *testing.T) {
	x, y := viz.FrozenScale(-2, 2, 5), viz.FrozenScale(0, 10, 5)
	svg := SurfaceSVG(x, y, []Contour{{Kind: "half", Label: `P = ½ <"`, Lines: [][][2]float64{{{-1, 0}, {-1, 10}}}}})
	wellFormed(t, "<g>"+svg+"</g>")
	if names := strings.Index(svg, `<svg class="fluid names"`); names < 0 || names > strings.Index(svg, "P = ½") {
		t.Error("the name of the line is among the lines, where points hide it")
	}
	for _, want := range []string{
		`<path class="iso" d="M.25 1L.25 0"/>`, // x = −1 is at a quarter of the width; y points upwards
		`P = ½ &lt;&#34;</text>`,               // escaped
		`>−2</text>`, `>10</text>`,             // ticks with a real minus
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
}

// TestSurfaceNames: two names do not overlap; otherwise one is left out.
func TestSurfaceNames(t *testing.T) {
	x, y := viz.FrozenScale(0, 1, 5), viz.FrozenScale(0, 1, 5)
	at := func(v float64) [][][2]float64 {
		return [][][2]float64{{{.1, v}, {.3, v}, {.5, v}, {.7, v}, {.9, v}}}
	}
	svg := SurfaceSVG(x, y, []Contour{{Kind: "boundary", Label: "one", Lines: at(.5)}, {Kind: "boundary", Label: "two", Lines: at(.52)}})
	if strings.Count(svg, ">one<") != 1 || strings.Count(svg, ">two<") != 1 {
		t.Fatalf("each line should be named once: %s", svg)
	}
	place := func(name string) string {
		before, _, _ := strings.Cut(svg, ">"+name+"<")
		before = before[strings.LastIndex(before, "<text"):]
		_, after, _ := strings.Cut(before, ` x="`)
		at, _, _ := strings.Cut(after, `"`)
		return at
	}
	if place("one") == place("two") {
		t.Errorf("both names stand at %s", place("one"))
	}
}

// TestLossPictureSVG: points outside are left out, flipped ones are rings, and the held axes
// stay until the points no longer fit.
func TestLossPictureSVG(t *testing.T) {
	p := LossPicture{Curves: []LossCurve{{Z: []float64{-4, 0, 4}, V: []float64{4, 1, 0}}}, CleanZ: []float64{2}, CleanV: []float64{.5}, FlipZ: []float64{-2}, FlipV: []float64{2.5}, Ends: [2]float64{-4, 4}, Top: 2.5, Cap: 3, Steered: true, Axis: "margin z"}
	svg := p.SVG()
	wellFormed(t, svg)
	x, y := p.Scales()
	if x.Min != -4 || x.Max != 4 || y.Min != 0 || y.Max < 3.12 {
		t.Errorf("axes %v to %v and %v to %v", x.Min, x.Max, y.Min, y.Max)
	}
	for _, want := range []string{`class="pg-ring" d="M.25 `, `>cap 3.00</text>`, `class="ln s1"`, `class="pg-clean" d="M.75 `} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
	p.Held = [3]float64{-5, 5, 8}
	if x, y := p.Scales(); x.Min != -5 || y.Max != 8 {
		t.Errorf("held axes were let go: %v, %v", x, y)
	}
	p.Held = [3]float64{-3.5, 3.5, 8}
	if svg := p.SVG(); strings.Contains(svg, `class="ln s1" d="M-`) || !strings.Contains(svg, `class="ln s1" d="M0 .`) {
		t.Errorf("the curve leaves its frame: %s", svg)
	}
	p.Held = [3]float64{-5, 5, 2}
	if _, y := p.Scales(); y.Max < 3 {
		t.Errorf("the held top %v hides the points", y.Max)
	}
}

// TestRings: up to 120 rings share few paths, and each is whole: rings that touch do not share a path.
func TestRings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	xs, ys := make([]float64, 60), make([]float64, 60)
	for i := range xs {
		xs[i] = .2 + .5*r.Float64()
		ys[i] = xs[i] * xs[i]
	}
	var f fluid
	x, y := viz.FrozenScale(0, 1, 5), viz.FrozenScale(0, 1, 5)
	f.rings(x, y, xs, ys)
	svg := f.svg("")
	wellFormed(t, svg)
	pairs := regexp.MustCompile(`<path class="pg-ring" d="([^"]*)"/><path class="pg-hole" d="([^"]*)"/>`).FindAllStringSubmatch(svg, -1)
	if n := strings.Count(svg, "<path"); n != 2*len(pairs) || n > 40 {
		t.Fatalf("%d paths in %d pairs for 60 rings", n, len(pairs))
	}
	layer := func(i int) (at int) {
		at = -1
		for k, p := range pairs {
			if p[1] != p[2] {
				t.Fatalf("rings %s, holes %s", p[1], p[2])
			}
			if strings.Contains(p[1]+"M", "M"+unit(x.At(xs[i], 0, 1))+" "+unit(y.At(ys[i], 1, 0))+"h0M") {
				if at >= 0 {
					t.Errorf("ring %d is drawn twice", i)
				}
				at = k
			}
		}
		if at < 0 {
			t.Errorf("ring %d is not drawn", i)
		}
		return at
	}
	const width, height, across = 240, 98, 8.4 // px: smaller than the picture on any screen, and a ring
	for i := range xs {
		for j := range i {
			near := math.Hypot(width*(xs[i]-xs[j]), height*(ys[i]-ys[j])) < across
			if a, b := layer(j), layer(i); near && a == b {
				t.Errorf("rings %d and %d touch, and share path %d", j, i, a)
			}
		}
	}
}

// TestHistogramSVG: flipped counts are stacked on clean ones, and bars are buttons.
func TestHistogramSVG(t *testing.T) {
	h := Histogram{Edges: []float64{0, .5, 1}, Clean: []int{0, 6}, Flipped: []int{4, 2}, Brushed: 1, Axis: "g", Marks: []HistogramMark{{At: .25, Label: "flipped, median 0.25", Steer: true}}}
	svg := h.SVG("w-b")
	wellFormed(t, svg)
	_, y := h.Scales()
	if y.Max < 8 {
		t.Fatalf("the axis ends at %v, the stack of 8 does not fit", y.Max)
	}
	for _, want := range []string{
		`aria-label="` + viz.Range("0", "0.5") + `: 0 clean, 4 flipped"`, `aria-pressed="true" data-bin="1"`,
		`y="` + portion(1-8/y.Max) + `"`, // the top of the second stack
		`height="` + portion(6/y.Max) + `"`, `url(#w-b-hatch)`, `>flipped, median 0.25</text>`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
	if strings.Count(svg, `tabindex="0"`) != 1 {
		t.Error("the bars should be one stop of the Tab key")
	}
	h.Marks = append(h.Marks, HistogramMark{At: .75, Label: "others, median 0.75"})
	svg = h.SVG("w-b")
	if _, y := h.Scales(); 150*(1-8/y.Max) < 28 { // 14 of 150 px per name
		t.Errorf("the names of the marks lie on the bars: the axis ends at %v over 8", y.Max)
	}
	if strings.LastIndex(svg, "<line") > strings.Index(svg, ">flipped, median") {
		t.Error("a line crosses a name")
	}
	if strings.Count(svg, `class="fill-paper"`) != 2 || !strings.Contains(svg, `y1="14"`) {
		t.Errorf("a line does not end at its name, or a name has no plate: %s", svg)
	}
}

// TestCurvePath: a curve is clipped where it leaves the plot.
func TestCurvePath(t *testing.T) {
	x, y := viz.FrozenScale(0, 4, 4), viz.FrozenScale(0, 1, 4)
	for _, c := range []struct {
		name, want string
		xs, ys     []float64
	}{
		{"enters from above", "M.25 0L.5 1", []float64{0, 2}, []float64{2, 0}},
		{"leaves and stays out", "M0 1L.125 0", []float64{0, 1, 2}, []float64{0, 2, 3}},
		{"gap", "M0 1M.5 1L.75 1", []float64{0, 1, 2, 3}, []float64{0, math.NaN(), 0, 0}},
	} {
		if got := curvePath(x, y, c.xs, c.ys); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestTickAtTheEnd: the label of a tick at the right end of an axis stays inside the frame.
func TestTickAtTheEnd(t *testing.T) {
	f := &fluid{}
	f.xTicks(viz.FrozenScale(0, 1, 5), "")
	svg := f.svg("")
	if !strings.Contains(svg, `x="100%" y="100%" dx="0" dy="17" text-anchor="end">1.0<`) {
		t.Errorf("the last label is not before the end: %s", svg)
	}
	if !strings.Contains(svg, `text-anchor="middle">0.8<`) {
		t.Errorf("a label inside the axis is not in the middle of its tick: %s", svg)
	}
}

// TestLongNameInside: a long name of a line stays inside the frame on a phone.
func TestLongNameInside(t *testing.T) {
	scale := viz.FrozenScale(0, 1, 5)
	up := [][2]float64{{.8, 0}, {.85, .5}, {.92, .9}}
	at, ok := labelPlace(scale, scale, up, half("no answer"), nil)
	if !ok || at[0] > .9 {
		t.Errorf("the name is at %v, %t", at, ok)
	}
	if at, ok = labelPlace(scale, scale, up, half("P = ½"), nil); !ok || at[0] < .91 {
		t.Errorf("a short name is at %v, %t, not at the top", at, ok)
	}
}
