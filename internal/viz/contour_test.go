package viz

import (
	"strings"
	"testing"
)

// TestPlace: labels of lines that run together keep clear of each other, and a line without room has none.
func TestPlace(t *testing.T) {
	line, v := polyLine{x: []float64{0, 4}, y: []float64{1, 1}}, view{[2]float64{0, 4}, [2]float64{0, 2}}
	var all labelPlaces
	var found []float64
	for range 9 {
		if x, y, ok := all.place(line, v); ok {
			found = append(found, x)
			if y != 1 {
				t.Errorf("the label lies at y = %v, off its line", y)
			}
		}
	}
	if len(found) < 3 || len(found) == 9 || found[0] != 2 {
		t.Errorf("labels at %v; want the first in the middle, and several but not all of nine", found)
	}
	for i, a := range found {
		for _, b := range found[:i] {
			if d := a - b; d < .13*4 && d > -.13*4 {
				t.Errorf("labels at %v and %v overlap", a, b)
			}
		}
	}
}

// TestContourPlates: a line does not shine through its number.
func TestContourPlates(t *testing.T) {
	p := Contours(Field{ID: "f", F: func(x, y float64) float64 { return x + y }, X: [2]float64{-1, 1}, Y: [2]float64{-1, 1},
		Levels: []float64{0}, Points: []Spot{{Text: "0.5", Symbol: "circle", Ink: "@s1"}}})
	for _, name := range []string{"levels", "spots"} {
		for _, tr := range p.traces {
			if tr.id != name {
				continue
			}
			all := encoded(tr.style) + string(tr.data)
			if !strings.Contains(all, `"backgroundColor":"@paper"`) || !strings.Contains(all, `"opacity":1`) {
				t.Errorf("%s: %s", name, all)
			}
		}
	}
}
