package main

import "testing"

// TestStudyPagesLook opens every page of studies and of robustness in both
// themes, wide and narrow.
func TestStudyPagesLook(t *testing.T) {
	p := start(t, "")
	for _, page := range []struct{ name, path string }{
		{"studies", "/studies"},
		{"study-line", "/studies/preset/sypherd-fig5"},
		{"study-box", "/studies/preset/sypherd-fig4"},
		{"study-table", "/studies/preset/sypherd-fig3"},
		{"study-scatter", "/studies/preset/sypherd-fig12"},
		{"study-panels", "/studies/preset/sypherd-fig7"},
		{"study-forest", "/studies/preset/sypherd-fig8?metric=log_odds"},
		{"study-new", "/studies/new"},
		{"study-preset-form", "/studies/new?preset=sypherd-fig6"},
		{"robustness", "/robustness"},
		{"robustness-convex", "/robustness?rate=0.4&model=0"},
		{"scene-1", "/robustness?present=1"},
		{"scene-3", "/robustness?present=1&scene=3"},
		{"scene-4", "/robustness?present=1&scene=4"},
	} {
		t.Run(page.name, func(t *testing.T) {
			b := newTab(t, p.base)
			everyLook(b, page.name, page.path)
		})
	}
}
