package playground

import (
	"slices"
	"testing"
)

// FuzzPoints: accepted points are finite, and their text parses back to them.
func FuzzPoints(f *testing.F) {
	for _, text := range []string{"", "1,2,0;-.5,1e3,4", "; 1,1,1 ;", "NaN,0,0", "1,2", "1e6,−2,3", "1,2,5", "1,2,01"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		own, err := parsePoints(text)
		if err != nil {
			return
		}
		for _, p := range own {
			if !(max(p.X, -p.X) <= 1e6) || !(max(p.Y, -p.Y) <= 1e6) || p.Class < 0 || p.Class > 4 {
				t.Fatalf("%q holds %+v", text, p)
			}
		}
		if again, err := parsePoints(pointsText(own)); err != nil || !slices.Equal(again, own) {
			t.Errorf("%q is %v, written %q, which is %v: %v", text, own, pointsText(own), again, err)
		}
	})
}
