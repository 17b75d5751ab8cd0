package viz

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestScoreSVG finds the mark between the cut-offs of its band, and an arrow for a score off
// the scale.
func TestScoreSVG(t *testing.T) {
	pi := []float64{0.1, 0.3, 0.6}
	delta := []float64{math.Log(1. / 9), math.Log(3. / 7), math.Log(1.5)}
	cut := regexp.MustCompile(`<line class="cutl" x1="([0-9.]+)"`)
	mark := regexp.MustCompile(`<line class="st-ink w15" x1="([0-9.]+)"`)
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		score float64
		band  int
	}{{-3, 0}, {-1.5, 1}, {-0.5, 2}, {0.39, 2}, {0.42, 3}} {
		svg := ScoreSVG(pi, delta, c.score)
		at := number(mark.FindStringSubmatch(svg)[1])
		band := 0
		for _, m := range cut.FindAllStringSubmatch(svg, -1) {
			if number(m[1]) < at {
				band++
			}
		}
		if band != c.band {
			t.Errorf("score %v is drawn in band %d, want %d", c.score, band, c.band)
		}
	}
	for _, far := range []float64{-40, 40} {
		svg := ScoreSVG(pi, delta, far)
		if mark.MatchString(svg) || !strings.Contains(svg, "Score "+Number(far, 2)) {
			t.Errorf("score %v: %s", far, svg)
		}
	}
	if one := ScoreSVG([]float64{0.5}, []float64{0}, 0.1); strings.Count(one, "cutl") != 1 {
		t.Errorf("one boundary: %s", one)
	}
}

// TestScoreReadable: on a phone the drawing is not reduced, and cut-offs close together are named on lines of their own.
func TestScoreReadable(t *testing.T) {
	svg := ScoreSVG([]float64{.1, .12, .14, .5}, []float64{-2.2, -2.0, -1.8, 0}, -1)
	if !strings.Contains(svg, `viewBox="0 0 328 `) {
		t.Errorf("not 328 px wide: %.120s", svg)
	}
	texts, _ := boxesOf(t, svg, "")
	for i, a := range texts {
		if a.left < 0 || a.right > scoreW {
			t.Errorf("%q leaves the drawing", a.name)
		}
		for _, b := range texts[i+1:] {
			if a.meets(b) {
				t.Errorf("%q meets %q", a.name, b.name)
			}
		}
	}
}
