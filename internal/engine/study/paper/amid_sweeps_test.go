package paper

import (
	"math"
	"strings"
	"testing"

	"taper/internal/engine/study"
)

// TestFixedPointSweeps: at t = 2, where exp_t x = 1/(1 − x) and log_t x = 1 − 1/x, the
// count is that of the iteration written out, against a G known in closed form: of two
// classes √(a²/4 + 1), of 50 of which one is 50 above the others √50 − 1 above the largest.
func TestFixedPointSweeps(t *testing.T) {
	wide := make([]float64, 50)
	wide[7] = 50
	for _, c := range []struct {
		a              []float64
		others, below  float64 // classes below the largest, and how far
		gap            float64 // G − max a
		least, atLeast int     // sweeps that it takes at least, Newton's and the fixed point's
	}{
		{[]float64{0.5, -0.5}, 1, 1, math.Sqrt(1.25) - 0.5, 4, 8},
		{[]float64{-10, 10}, 1, 20, math.Sqrt(101) - 10, 3, 7},
		{wide, 49, 50, math.Sqrt(50) - 1, 6, 80},
	} {
		sweeps, scale := 0, 1.0
		for far := 1.0; far > 1e-10; sweeps++ {
			z := 1 + c.others/(1+scale*c.below)
			far, scale = math.Abs(z-1-c.gap), 1/z
		}
		steps, x := 0, 0.0
		for ; !(math.Abs(x-c.gap) <= 1e-10); steps++ {
			p, q := 1/(1+x), 1/(1+c.below+x)
			x += (p + c.others*q - 1) / (p*p + c.others*q*q)
		}
		fixed, newton := fixedPointSweeps(2, c.a), newtonSweeps(2, c.a)
		if fixed != sweeps || newton != steps || fixed < c.atLeast || newton < c.least {
			t.Errorf("%v: %d and %d sweeps, want %d and %d", c.gap, fixed, newton, sweeps, steps)
		}
	}
}

// TestSweepsNote: the page says the fewest and the most that were counted.
func TestSweepsNote(t *testing.T) {
	plan, err := amidSweeps.Build(study.Input{Size: study.Smoke, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	notes := amidSweeps.NotesOn(study.Summarise(plan, mustRun(t, plan, nil)))
	if len(notes) != 1 || !strings.Contains(notes[0], "6 to 111") || !strings.Contains(notes[0], "Here, on other activations, the fixed point takes 1 to ") {
		t.Errorf("%q", notes)
	}
	t.Log(notes)
}
