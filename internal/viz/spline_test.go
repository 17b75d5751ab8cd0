package viz

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"taper/internal/engine"
)

// bump is a curve on [20, 80] with its median at 50 and 30 values in each bin.
func bump(name string, scale float64) engine.SplineCurve {
	c := engine.SplineCurve{Column: name, Knots: []float64{30, 50, 70}, Reference: 50, Quartiles: [2]float64{40, 60}, Scale: scale, Bins: make([]int, 40)}
	for i := range c.Bins {
		c.Bins[i] = i % 4
	}
	for x := 20.0; x <= 80; x += 2 {
		c.X, c.Effect = append(c.X, x), append(c.Effect, math.Cos((x-50)/15)-1)
	}
	return c
}

func around(c engine.SplineCurve, by float64) *engine.SplineBand {
	b := &engine.SplineBand{Column: c.Column}
	for _, v := range c.Effect {
		low, high := v-by, v+by
		b.Low, b.High = append(b.Low, &low), append(b.High, &high)
	}
	return b
}

func TestSplineSVG(t *testing.T) {
	c := bump(hostile, 1)
	plain := SplineSVG(SplinePlot{Curve: c, From: 20, To: 80})
	for id, p := range map[string]SplinePlot{
		"plain":   {Curve: c, From: 20, To: 80},
		"band":    {Curve: c, Band: around(c, 0.4), From: 20, To: 80},
		"huge":    {Curve: c, Band: around(c, 1e9), From: 20, To: 80},
		"print":   {Curve: c, Band: around(c, 0.2), From: 33, To: 66, Step: 20},
		"no odds": {Curve: bump("x", 0), From: 20, To: 80},
		"steep":   {Curve: bump("x", 40), From: 20, To: 80},
	} {
		s := SplineSVG(p)
		checkSVG(t, id, s)
		if got, want := strings.Contains(s, `class="conf"`), p.Band != nil; got != want {
			t.Errorf("%s: band %v, want %v", id, got, want)
		}
		if got, want := strings.Contains(s, "odds ratio"), p.Curve.Scale > 0; got != want {
			t.Errorf("%s: odds ratios %v, want %v", id, got, want)
		}
	}
	if strings.Contains(plain, "<img") || strings.Count(plain, "fill-ink") != 3 || strings.Count(plain, `class="rug"`) != 30 {
		t.Errorf("%d knots, %d bars", strings.Count(plain, "fill-ink"), strings.Count(plain, `class="rug"`))
	}
	if print := SplineSVG(SplinePlot{Curve: c, From: 33, To: 66, Step: 20}); strings.Count(print, "fill-ink") != 1 || strings.Contains(print, ">80<") {
		t.Error("print shows what lies beyond its range")
	}
	flat := bump("flat", 1)
	for i := range flat.Effect {
		flat.Effect[i] = 0
	}
	checkSVG(t, "flat", SplineSVG(SplinePlot{Curve: flat, From: 20, To: 80}))
	gone := bump("gone", 1)
	gone.Bins = nil
	checkSVG(t, "without counts", SplineSVG(SplinePlot{Curve: gone, From: 20, To: 80}))
	gap := around(c, 0.4)
	gap.Low[3] = nil
	if strings.Contains(SplineSVG(SplinePlot{Curve: c, Band: gap, From: 20, To: 80}), `class="conf"`) {
		t.Error("a band with a hole is drawn as if it were whole")
	}
}

// The curve is 0 at the median, and printed counts are rounded up: bars of one and of twenty
// values have equal height.
func TestSplinePlaces(t *testing.T) {
	c := bump("age", 1)
	s := SplineSVG(SplinePlot{Curve: c, From: 20, To: 80, Step: 20})
	zero := regexp.MustCompile(`class="step" x1="[\d.]+" y1="([\d.]+)"`).FindStringSubmatch(s)
	median := regexp.MustCompile(`class="cross" x1="([\d.]+)"`).FindStringSubmatch(s)
	if zero == nil || median == nil || !strings.Contains(s, "L"+median[1]+" "+zero[1]) {
		t.Errorf("the curve does not pass (%v, %v)", median, zero)
	}
	heights := map[string]bool{}
	for _, m := range regexp.MustCompile(`class="rug"[^>]* height="([\d.]+)"`).FindAllStringSubmatch(s, -1) {
		heights[m[1]] = true
	}
	if len(heights) != 1 {
		t.Errorf("rounded counts have the heights %v", heights)
	}
	origin := 18262.0
	c.Origin = &origin
	if got := SplineValue(c, 31); got != "2020-02-01" {
		t.Errorf("a date reads %q", got)
	}
	if _, err := strconv.ParseFloat(SplineValue(bump("age", 0), 31.25), 64); err != nil {
		t.Error(err)
	}
}
