package viz

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func hinge(z float64) float64 { return math.Max(0, 1-z) }

func samplePanel(at float64) Panel {
	return Panel{
		ID: "loss", Title: "Loss", Sentence: "Two losses.", Label: "Two losses over the margin", XName: "margin z",
		X: [2]float64{-8, 8}, Y: [2]float64{0, 4}, Cross: -3, Inline: true,
		Curves: []Curve{
			{ID: "steered", Name: "logistic", Mark: "s1", F: func(z float64) float64 { return math.Log1p(math.Exp(-at * z)) }},
			{ID: "with hinge", Name: "hinge", Mark: "s2", F: hinge, Kinks: []float64{1}},
		},
		Cap: &Rule{At: 2.5, Text: "cap 2.50"}, Flags: []Rule{{At: -.5, Height: 1, Text: "gives up"}}, Ranges: []Rule{{At: 1, To: 2, Text: "δ₁"}},
		Dots: []Dot{{X: 1, Y: 0, Mark: "@c0"}},
	}
}

func sampleField(f func(x, y float64) float64) Field {
	return Field{ID: "al", Title: "Contours", Sentence: "Circles.", Label: "Circles around the origin", F: f, X: [2]float64{-3, 3}, Y: [2]float64{-3, 3}, XName: "ψ₂", YName: "ψ₃",
		Levels: []float64{1, 2}, Decimals: 1, Mark: "s1", Drag: true, Points: []Spot{{X: .5, Y: -.5, Text: "0.75", Symbol: "circle", Ink: "@accent"}},
		Overlay: func(x, y float64) float64 { return x - y }, Rays: []Ray{{ID: "ray", Name: "a line", Mark: "s3", DX: 1, DY: 2}}}
}

func explorerPlots() []Plot {
	return []Plot{
		Lines(samplePanel(1)), Contours(sampleField(func(x, y float64) float64 { return math.Hypot(x, y) })),
		GameBars(Game{ID: "game", Title: "The game", Sentence: "Half and half.", Label: "Half and half", Options: []string{"class 1", "class 2", "abstain"}, Q: []float64{.5, .5}, P: []float64{.25, .25, .5}}),
		Bands(BandScatter{ID: "points", Title: "Points", Sentence: "Three points.", Label: "Three points by band", Pi: []float64{.25, .75}, X: []float64{-1, 0, 1}, Y: []float64{-1, 0, 1}, Band: []int{0, 1, 2}, Cuts: []float64{-.5, .5}}),
	}
}

// TestExplorerGolden compares the explorer's options and map with golden files, and checks what
// must hold for every option.
func TestExplorerGolden(t *testing.T) {
	for _, p := range explorerPlots() {
		checkFigure(t, p.ID, p.Figure)
		var b bytes.Buffer
		if err := json.Indent(&b, p.Option, "", " "); err != nil {
			t.Fatal(err)
		}
		golden(t, "explorer-"+p.ID+".json", append(b.Bytes(), '\n'))
	}
	for name, at := range map[string][2]float64{"map": {.6, 1.6}, "edge": {4, .2}, "nan": {math.NaN(), math.Inf(1)}} {
		checkSVG(t, name, TemperatureMap(at[0], at[1]))
	}
	golden(t, "temperature-map.svg", []byte(strings.ReplaceAll(TemperatureMap(.6, 1.6), "><", ">\n<")+"\n"))
}

// TestSampled: chords between the points stay within half a pixel of the curve, kinks and jumps
// are sharp, and there are never more than 150 points.
func TestSampled(t *testing.T) {
	v, px := view{[2]float64{-8, 8}, [2]float64{0, 4}}, pixels{600, 290}
	for name, c := range map[string]struct {
		f     func(float64) float64
		kinks []float64
	}{
		"logistic":    {func(z float64) float64 { return math.Log1p(math.Exp(-z)) }, nil},
		"exponential": {func(z float64) float64 { return math.Exp(-z) }, nil},
		"hinge":       {hinge, []float64{1}},
		"bump":        {func(z float64) float64 { return 3 * math.Exp(-20*(z-.7)*(z-.7)) }, nil},
		"step": {func(z float64) float64 {
			if z <= 0 {
				return 1
			}
			return 0
		}, []float64{0}},
		"root": {func(z float64) float64 { return math.Sqrt(math.Abs(z)) }, []float64{0}},
	} {
		x, y := sampled(c.f, c.kinks, v, px)
		if len(x) > maxPoints || len(x) < 2 || x[0] != -8 || x[len(x)-1] != 8 {
			t.Errorf("%s: %d points from %v to %v", name, len(x), x[0], x[len(x)-1])
		}
		line := polyLine{x, y}
		worst := 0.0
		for k := range 3001 {
			z := -8 + 16*float64(k)/3000
			want := c.f(z)
			if want > 4 {
				continue
			}
			slope := math.Abs(c.f(z+1e-5)-c.f(z-1e-5)) / 2e-5 * (px.h / 4) / (px.w / 16)
			off := math.Abs(line.at(z)-want) * px.h / 4 / math.Hypot(1, slope)
			if math.IsNaN(off) {
				t.Fatalf("%s: no value at %v", name, z)
			}
			worst = math.Max(worst, off)
		}
		if worst > .6 {
			t.Errorf("%s: %d points stray %.2f px", name, len(x), worst)
		}
		t.Logf("%s: %d points, %.2f px", name, len(x), worst)
	}
	if x, _ := sampled(hinge, []float64{1}, v, px); len(x) > 5 {
		t.Errorf("a hinge takes %d points, want its ends and its kink", len(x))
	}
	rapid.Check(t, func(t *rapid.T) { // for any function: bounded, ordered, finite work
		a, b := rapid.Float64Range(-50, 50).Draw(t, "a"), rapid.Float64Range(-50, 50).Draw(t, "b")
		x, _ := sampled(func(z float64) float64 { return a * math.Sin(b*z) / z }, []float64{0, 1, 1}, v, px)
		if len(x) > maxPoints {
			t.Errorf("%d points", len(x))
		}
		for i := 1; i < len(x); i++ {
			if x[i] < x[i-1] {
				t.Errorf("points go back at %v", x[i])
			}
		}
	})
}

// TestClipped: a line ends slightly outside the view and resumes after a gap.
func TestClipped(t *testing.T) {
	v := view{[2]float64{0, 10}, [2]float64{0, 1}}
	x, y := clipped([]float64{0, 1, 2, 3, 4}, []float64{100, .5, 100, .5, -100}, v)
	got := string(pairs(x, y, v))
	want := "[[0.995,1.02],[1,0.5],[1.005,1.02],[2,null],[2.995,1.02],[3,0.5],[3.005,-0.02],[4,null]]"
	if got != want {
		t.Errorf("clipped to %s, want %s", got, want)
	}
	if x, y = clipped([]float64{0, 1}, []float64{-5, 5}, v); len(x) != 3 || y[0] != -.02 || y[1] != 1.02 {
		t.Errorf("a chord across becomes %v, %v", x, y)
	}
}

// TestIsolines: a circle has the right length and level, a contour of a linear function is
// straight, and a saddle gives two lines.
func TestIsolines(t *testing.T) {
	v := view{[2]float64{-3, 3}, [2]float64{-3, 3}}
	circle := newRaster(func(x, y float64) float64 { return math.Hypot(x, y) }, v, 48).lines(2)
	if len(circle) != 1 || math.Abs(circle[0].length()-4*math.Pi) > .05 {
		t.Fatalf("a circle of radius 2 is %d lines, the first %v long", len(circle), circle[0].length())
	}
	for k := range circle[0].x {
		if r := math.Hypot(circle[0].x[k], circle[0].y[k]); math.Abs(r-2) > .01 {
			t.Errorf("a point of the circle lies at %v", r)
		}
	}
	plane := newRaster(func(x, y float64) float64 { return x + 2*y }, v, 48).lines(.5)
	if len(plane) != 1 || len(plane[0].x) != 2 {
		t.Errorf("a line is %d pieces: %v", len(plane), plane)
	}
	if saddle := newRaster(func(x, y float64) float64 { return x * y }, v, 47).lines(.001); len(saddle) != 2 {
		t.Errorf("x·y = 0.001 is %d lines, want 2", len(saddle))
	}
	if flat := newRaster(func(x, y float64) float64 { return 1 }, v, 10).lines(1); len(flat) != 0 {
		t.Errorf("a plateau has %d lines", len(flat))
	}
	if holes := newRaster(func(x, y float64) float64 { return math.Log(x) }, v, 20).lines(0); len(holes) != 1 {
		t.Errorf("log x = 0 beside −∞ and NaN is %d lines", len(holes))
	}
}

// TestSince: only changed series are sent; a series that the older plot lacks requires the
// whole option.
func TestSince(t *testing.T) {
	old := Lines(samplePanel(1))
	if series, whole := old.ChangedSince(Lines(samplePanel(1))); whole || len(series) != 0 {
		t.Errorf("nothing moved: %d series, whole %v", len(series), whole)
	}
	series, whole := Lines(samplePanel(1.01)).ChangedSince(old)
	ids := ""
	for _, raw := range series {
		var s struct{ ID string }
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		ids += s.ID + " "
	}
	if whole || !strings.HasPrefix(ids, "steered ") || strings.Contains(ids, "hinge") || strings.Contains(ids, "rules") {
		t.Errorf("the steered curve moved: %q, whole %v", ids, whole)
	}
	cap := samplePanel(1)
	cap.Cap.At = 2
	series, whole = Lines(cap).ChangedSince(old)
	if whole || len(series) != 1 || !strings.Contains(string(series[0]), `"markLine"`) || strings.Contains(string(series[0]), `"markArea"`) {
		t.Errorf("the cap moved: %s, whole %v", series, whole)
	}
	for name, change := range map[string]func(*Panel){
		"axis": func(p *Panel) { p.Y[1] = 3 }, "curve": func(p *Panel) { p.Curves = p.Curves[:1] }, "id": func(p *Panel) { p.Curves[1].ID = "x" },
	} {
		p := samplePanel(1)
		change(&p)
		if _, whole := Lines(p).ChangedSince(old); !whole {
			t.Errorf("%s changed, and not the whole option is sent", name)
		}
	}
}

// TestNames: names of curves are inside the plot and do not overlap.
func TestNames(t *testing.T) {
	var o struct {
		Series []struct {
			ID   string
			Data json.RawMessage
		}
	}
	if err := json.Unmarshal(Lines(samplePanel(1)).Option, &o); err != nil {
		t.Fatal(err)
	}
	for _, s := range o.Series {
		if s.ID != "names" {
			continue
		}
		var names []struct {
			Value []float64
			Name  string
		}
		if err := json.Unmarshal(s.Data, &names); err != nil || len(names) == 0 {
			t.Errorf("no curve is named, %v", err)
		}
		for i, a := range names {
			if a.Value[0] < -8 || a.Value[0] > 8 || a.Value[1] < 0 || a.Value[1] > 4 {
				t.Errorf("%s stands at %v, off the plot", a.Name, a.Value)
			}
			for _, b := range names[:i] {
				if math.Abs(a.Value[0]-b.Value[0]) < .8 && math.Abs(a.Value[1]-b.Value[1]) < .15 {
					t.Errorf("%s and %s stand on each other", a.Name, b.Name)
				}
			}
		}
	}
}
