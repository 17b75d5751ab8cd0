package boundary

import (
	"math"
	"slices"
	"testing"
)

func TestText(t *testing.T) {
	pi := []float64{.25, .3333, .5}
	if got, want := Percents(pi), "25, 33.33 and 50\u00a0%"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Param(pi), ".25,.3333,.5"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Text(pi), "25, 33.33, 50\u00a0%"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestPresets: every preset is found by its rule and boundaries, has as many boundaries as its rule, and keeps the
// smallest distance of pages.
func TestPresets(t *testing.T) {
	for _, p := range Presets {
		if got := PresetOf(p.Mode, p.Pi); got != p.ID {
			t.Errorf("%s is found as %q", p.ID, got)
		}
		if same, ok := PresetByID(p.ID); !ok || same.Label != p.Label {
			t.Errorf("%s is not found by its name", p.ID)
		}
		r, ok := RuleOf(p.Mode)
		if !ok || r.ID != "interval" && len(r.Pi) != len(p.Pi) {
			t.Errorf("%s has %d boundaries, its rule %q takes %d", p.ID, len(p.Pi), p.Mode, len(r.Pi))
		}
		for k, v := range p.Pi {
			if low, high := FreeRange(p.Pi, k); v < low || v > high {
				t.Errorf("%s: %v lies outside its room, %v to %v", p.ID, v, low, high)
			}
		}
	}
	if got := PresetOf("interval", []float64{.25, .5, .76}); got != Custom {
		t.Errorf("boundaries of one's own are %q", got)
	}
	if _, ok := RuleOf("soft"); ok {
		t.Error("a rule that there is not")
	}
}

func TestRoom(t *testing.T) {
	for _, c := range []struct {
		pi        []float64
		k         int
		low, high float64
	}{
		{[]float64{.5}, 0, .001, .999},
		{[]float64{.25, .5, .75}, 1, .26, .74},
		{[]float64{.02, .3}, 1, .021, .999}, // smaller distances for rare outcomes
		{[]float64{.7, .97}, 0, .001, .969},
	} {
		low, high := FreeRange(c.pi, c.k)
		if math.Abs(low-c.low) > 1e-12 || math.Abs(high-c.high) > 1e-12 {
			t.Errorf("%v, boundary %d: %v to %v, want %v to %v", c.pi, c.k+1, low, high, c.low, c.high)
		}
	}
}

func TestWidest(t *testing.T) {
	for _, c := range []struct{ pi, want []float64 }{
		{nil, []float64{.5}},
		{[]float64{.2}, []float64{.2, .6}},
		{[]float64{.25, .5, .75}, []float64{.13, .25, .5, .75}}, // the first of equally wide bands
		{[]float64{.8}, []float64{.4, .8}},
	} {
		if got := Widest(c.pi); !slices.Equal(got, c.want) {
			t.Errorf("%v with one more is %v, want %v", c.pi, got, c.want)
		}
	}
}
