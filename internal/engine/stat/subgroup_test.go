package stat

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A level's row is what the whole package says of its rows alone, and small
// levels say nothing.
func TestSubgroups(t *testing.T) {
	p, event := forecasts()
	s := Scores{Event: event, Score: p, Probability: p}
	level := make([]int, len(p))
	var own Scores
	for i := range level {
		switch {
		case i < 19:
			level[i] = 0
		case i%2 == 0:
			level[i] = 1
			own.Event, own.Score = append(own.Event, event[i]), append(own.Score, p[i])
		default:
			level[i] = -1
		}
	}
	g := Subgroups([]string{"19 rows", "even", "nobody"}, level, s)
	if !g[0].Suppressed || g[0].N != 19 || g[0].AUC.Value != nil || !g[2].Suppressed || g[2].N != 0 {
		t.Errorf("%+v, %+v", g[0], g[2])
	}
	want := Perform(Scores{Event: own.Event, Score: own.Score, Probability: own.Score})
	if d := cmp.Diff(Subgroup{"even", want.N, want.Events, false, want.Rate, want.AUC, want.ObservedExpected, want.CalibrationSlope}, g[1]); d != "" {
		t.Error(d)
	}
	s.Probability = nil
	if g := Subgroups([]string{"", "even", ""}, level, s); g[1].Slope.Value != nil || g[1].AUC.Value == nil {
		t.Errorf("without probability: %+v", g[1])
	}
	// docs/clinical.md, Statistics: under 20 rows, 10 events or 10 non-events nothing is said.
	for _, c := range []struct {
		rows, events int
		suppressed   bool
	}{{20, 10, false}, {19, 10, true}, {20, 9, true}, {30, 9, true}, {19, 9, true}, {200, 10, false}, {24, 15, true}, {200, 191, true}, {200, 190, false}} {
		event, score := make([]bool, c.rows), make([]float64, c.rows)
		for i := range event {
			event[i], score[i] = i < c.events, float64(i%7)
		}
		g := Subgroups([]string{"all"}, make([]int, c.rows), Scores{Event: event, Score: score})[0]
		if g.Suppressed != c.suppressed || (g.AUC.Value == nil) != c.suppressed || g.N != c.rows || g.Events != c.events {
			t.Errorf("%d rows with %d events: %+v", c.rows, c.events, g)
		}
	}
}

// Reference: R pmsampsize(type = "b", csrsquared = 0.288, parameters = 24,
// prevalence = 0.174): 623, 662, 221 (the example of Riley et al. 2020, as the
// tests of its Python twin state it); the fourth by hand, which pmsampsize leaves out.
func TestRileyAgainstPmsampsize(t *testing.T) {
	s := Riley(1000, 174, 24, 0.288)
	if *s.N1 != 623 || *s.N2 != 662 || *s.N3 != 221 || *s.N4 != 801 || *s.Required != 801 {
		t.Errorf("%d, %d, %d, %d, %d", *s.N1, *s.N2, *s.N3, *s.N4, *s.Required)
	}
	close(t, "EPP", *s.EPP, 7.25, 1e-15)
	mirrored := Riley(1000, 826, 24, 0.288)
	if noun, n := mirrored.Fewer(); noun != "non-event" || n != 174 {
		t.Errorf("of 826 events %d %ss are the fewer", n, noun)
	}
	close(t, "EPP of the rarer class", *mirrored.EPP, 7.25, 1e-15)
	for name, s := range map[string]SampleSize{"R² = 0": Riley(100, 20, 3, 0), "R² above S": Riley(100, 50, 3, 0.95), "negative": Riley(100, 20, 3, -0.1)} {
		if s.N1 != nil || s.Required != nil || s.N3 == nil {
			t.Errorf("%s: %+v", name, s)
		}
		if want := max(*s.N3, *s.N4); *s.AtLeast() != want {
			t.Errorf("%s: at least %d rows, want %d", name, *s.AtLeast(), want)
		}
	}
	if s := Riley(0, 0, 0, 0.1); s.EPP != nil || s.N3 != nil {
		t.Errorf("no rows: %+v", s)
	}
}

// TestErrorOfRisks: the fourth criterion by hand, at a share of 0.41 and 13 parameters; of two shares that differ in
// which class is the event it is the same, and beyond 30 parameters, where its equation was not fitted, there is none.
func TestErrorOfRisks(t *testing.T) {
	for events, parameters := range map[int]int{410: 13, 590: 13} {
		if s := Riley(1000, events, parameters, 0.3); s.N4 == nil || *s.N4 != 682 || *s.Required != 682 {
			t.Errorf("%d events: %+v", events, s)
		}
	}
	if s := Riley(1000, 410, 30, 0.3); s.N4 == nil {
		t.Error("30 parameters have no size")
	}
	for _, s := range []SampleSize{Riley(1000, 410, 31, 0.3), Riley(1000, 410, 0, 0.3)} {
		if s.N4 != nil {
			t.Errorf("%d parameters: %d", s.Parameters, *s.N4)
		}
	}
	if s := Riley(1000, 410, 31, 0.3); *s.Required != max(*s.N1, *s.N2, *s.N3) {
		t.Errorf("without the fourth: %+v", s)
	}
}

// Reference: sklearn 1.2.1 linear_model.LinearRegression().fit(others, x).score,
// as 1/(1 − R²).
func TestVIFAgainstSklearn(t *testing.T) {
	x := waves()
	for j, want := range []float64{9.65394422762152, 18.018859086172135, 3.5325786902421186, 11.480172323519575, 5.058592767953037} {
		close(t, "VIF", *VIF(x, 12, 5)[j], want, 1e-10)
	}
}

func TestVIFCollinear(t *testing.T) {
	var x []float64
	for i := range 9 {
		a, b := float64(i), float64(i*i%5)
		x = append(x, a, b, 2*a-1, 7, float64(i*i*i%7))
	}
	v := VIF(x, 9, 5)
	if v[0] != nil || v[2] != nil || v[3] != nil || v[1] == nil || v[4] == nil {
		t.Errorf("%v", v)
	}
	if v := VIF([]float64{1, 2, 3}, 3, 1); !(math.Abs(*v[0]-1) <= 1e-12) {
		t.Errorf("one column: %v", *v[0])
	}
	if v := VIF(nil, 0, 2); v[0] != nil {
		t.Error("VIF without rows")
	}
}
