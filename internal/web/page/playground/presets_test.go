package playground

import (
	"fmt"
	"strings"
	"testing"
)

// The claims of the presets: in the default state with 20 % noise the difference is at least ten points, for other
// seeds the mean is as large, and the demonstration of Sypherd et al. 2023 and Amid et al. 2019 holds for every
// seed.
func TestPresetsHoldTheirClaims(t *testing.T) {
	p := New(Config{})
	clean := func(m *modelView) float64 { return 100 * shareOf(m.verdict.CleanAccuracy) }
	gain, fall := 0.0, [2]float64{}
	for seed := range 10 {
		a := at(t, p, fmt.Sprintf("seed=%d", seed))
		gain += (clean(a.Models.B) - clean(a.Models.A)) / 10
		if a.bench.corruption.Count != 60 || a.bench.corruption.TrainingCount != 300 || !strings.Contains(a.Sentence, "farthest from the boundary") {
			t.Errorf("seed %d: %d of %d flipped: %s", seed, a.bench.corruption.Count, a.bench.corruption.TrainingCount, a.Sentence)
		}
		for _, link := range []string{classicAlpha, classicTempered} {
			_, query, _ := strings.Cut(link, "?")
			a := at(t, p, fmt.Sprintf("%s&seed=%d", query, seed))
			if x, y := clean(a.Models.A), clean(a.Models.B); x > 80 || y != 100 || a.bench.corruption.Count != 60 {
				t.Errorf("%s, seed %d: A %.1f %%, B %.1f %%", link, seed, x, y)
			}
		}
	}
	if a := at(t, p, ""); clean(a.Models.B)-clean(a.Models.A) < 10 || gain < 10 || len(a.Problems) > 0 {
		t.Errorf("%s On average B is %.1f points better. %v", a.Sentence, gain, a.Problems)
	}
	for seed := range 10 {
		var share, rare [2]float64
		for k, noise := range []string{"&noise=none&rate=0", ""} {
			a := at(t, p, fmt.Sprintf("data=gmm&b.method=tempered&seed=%d%s", seed, noise))
			c := a.Models.A.verdict.Classes.Confusion
			share[k], rare[k] = clean(a.Models.A), float64(c[1][1])/float64(c[1][0]+c[1][1])
		}
		fall[0], fall[1] = fall[0]+(share[0]-share[1])/10, fall[1]+10*(rare[0]-rare[1])
		if share[0]-share[1] > 3 || seed == 0 && rare[0]-rare[1] < .1 {
			t.Errorf("chance, seed %d: accuracy %.1f %%, recall %.2f without and with flips", seed, share, rare)
		}
	}
	if fall[0] > 1.5 || fall[1] < 4 {
		t.Errorf("chance: accuracy falls by %.1f points, recall by %.1f on average", fall[0], fall[1])
	}
	if a := at(t, p, "data=long-servedio-2d"); !strings.Contains(strings.Join(a.Notes, " "), "2.95") {
		t.Errorf("notes %q", a.Notes)
	}
	for _, preset := range presets {
		_, query, _ := strings.Cut(preset.URL, "?")
		a := at(t, p, query)
		if drawn(t, a); len(a.Problems) > 0 {
			t.Errorf("%s: %v", preset.ID, a.Problems)
		}
		if a.URL != preset.URL {
			t.Errorf("%s: the address of %s is %s", preset.ID, preset.URL, a.URL)
		}
	}
}
