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
	gain := 0.0
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
