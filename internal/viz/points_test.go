package viz

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// box is the bounding box of a text, or of a pole with zero width.
type box struct {
	left, top, right, bottom float64
	name                     string
}

func (a box) meets(b box) bool {
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

// boxesOf reads the bounding boxes of the texts, and of lines of one class, from an SVG.
func boxesOf(t *testing.T, svg, poles string) (texts, lines []box) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return texts, lines
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		at, word := map[string]float64{}, map[string]string{}
		for _, a := range e.Attr {
			word[a.Name.Local] = a.Value
			at[a.Name.Local], _ = strconv.ParseFloat(a.Value, 64)
		}
		switch {
		case e.Name.Local == "line" && word["class"] == poles:
			lines = append(lines, box{at["x1"] - 0.5, min(at["y1"], at["y2"]), at["x1"] + 0.5, max(at["y1"], at["y2"]), "pole"})
		case e.Name.Local == "text":
			var name string
			if err := dec.DecodeElement(&name, &e); err != nil {
				t.Fatal(err)
			}
			width := 6.2 * float64(len([]rune(name)))
			left := at["x"] - map[string]float64{"middle": width / 2, "end": width}[word["text-anchor"]]
			texts = append(texts, box{left, at["y"] - 10, left + width, at["y"] + 2, name})
		}
	}
}

// TestPointsTextApart: however close the cut-offs are, no text overlaps another text or a pole,
// or leaves the drawing.
func TestPointsTextApart(t *testing.T) {
	line := PointScale{Name: "V1", Labels: []string{"0", "2", "4", "6", "8", "10"}, Points: []float64{0, 20, 40, 60, 80, 100}}
	for _, cuts := range [][]float64{{120, 128, 136}, {5, 7}, {380, 390, 400}, {100, 200, 300}, {200, 200.5, 250, 256}, {0, 400}} {
		total := PointScale{Points: cuts}
		for i := range cuts {
			total.Labels = append(total.Labels, fmt.Sprintf("%d.5 %%", 25*(i+1)))
		}
		texts, poles := boxesOf(t, PointsSVG(PointsChart{Scales: []PointScale{line, line, line, line}, Sums: total, Most: 400}, PointsWidth), "cutl")
		if len(poles) != len(cuts) {
			t.Fatalf("%v: %d flags", cuts, len(poles))
		}
		for i, a := range texts {
			if a.left < 0 || a.right > 680 {
				t.Errorf("%v: %q leaves the drawing", cuts, a.name)
			}
			for _, b := range append(texts[i+1:len(texts):len(texts)], poles...) {
				if a.meets(b) {
					t.Errorf("%v: %q meets %q", cuts, a.name, b.name)
				}
			}
		}
	}
}

// TestPointsLevelsNamed: on the narrowest drawing every level of a category is named, however close they are, and so are
// other levels and missing values; no text overlaps another.
func TestPointsLevelsNamed(t *testing.T) {
	gone := 3.0
	number := PointScale{Name: "V1", Labels: []string{"0", "1", "2", "3"}, Points: []float64{0, 4, 8, 100}, Missing: &gone}
	two := PointScale{Name: "smoker", Labels: []string{"never smoked", "yes"}, Points: []float64{0, 4}, Levels: true}
	many := PointScale{Name: "cp", Labels: []string{"typical", "atypical", "none", "(other)", "missing"}, Points: []float64{0, 8, 9, 97, 100}, Levels: true}
	svg := PointsSVG(PointsChart{Scales: []PointScale{number, two, many}, Sums: PointScale{Labels: []string{"20 %", "60 %"}, Points: []float64{30, 38}},
		Most: 300, Boundaries: []float64{.2, .6}}, 328)
	texts, _ := boxesOf(t, svg, "")
	drawn := map[string]int{}
	for i, a := range texts {
		drawn[a.name]++
		if a.left < 0 || a.right > 328 {
			t.Errorf("%q leaves the drawing", a.name)
		}
		for _, b := range texts[i+1:] {
			if a.meets(b) {
				t.Errorf("%q meets %q", a.name, b.name)
			}
		}
	}
	for name, n := range map[string]int{"never smoked": 1, "yes": 1, "typical": 1, "atypical": 1, "none": 1, "(other)": 1, "missing": 2} {
		if drawn[name] != n {
			t.Errorf("%q is drawn %d times, want %d", name, drawn[name], n)
		}
	}
	foot := regexp.MustCompile(`class="ax ink t1"[^>]* y="([\d.]+)"`).FindStringSubmatch(svg)
	bar := regexp.MustCompile(`<rect[^>]*data-band="1"[^>]* y="([\d.]+)"`).FindStringSubmatch(svg)
	if foot == nil || bar == nil {
		t.Fatal("no cut-off or no band is drawn")
	}
	at, _ := strconv.ParseFloat(foot[1], 64)
	top, _ := strconv.ParseFloat(bar[1], 64)
	if at > top-3 {
		t.Errorf("a cut-off is named at %v, on the bar that begins at %v", at, top)
	}
}

// TestForestNarrowTextApart: names and numbers on one line do not overlap.
func TestForestNarrowTextApart(t *testing.T) {
	all := []Odds{{"a term with a name that is much too long = other", 1.0287, 0.9411, 1.13}, {"bmi", 12.34, 8.1, 2000.5}, {"rare", 3.71, math.NaN(), math.NaN()}}
	texts, _ := boxesOf(t, ForestOddsNarrowSVG(all), "")
	for i, a := range texts {
		if a.left < 0 || a.right > 320 {
			t.Errorf("%q leaves the drawing", a.name)
		}
		for _, b := range texts[i+1:] {
			if a.meets(b) {
				t.Errorf("%q meets %q", a.name, b.name)
			}
		}
	}
}
