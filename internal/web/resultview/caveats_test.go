package resultview

import (
	"fmt"
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/check"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/viz"
	"taper/internal/web/render"
)

// TestMergeButton: a warning about a band with few rows has a button that removes the boundary to its smaller
// neighbour, on the live page and on that of a saved run.
func TestMergeButton(t *testing.T) {
	pi := []float64{.25, .5, .75}
	for _, c := range []struct {
		name       string
		mode       string
		rows       []int // of each band; fewer than 30 are too few
		label, url string
	}{
		{"towards the smaller neighbour below", "interval", []int{100, 20, 300, 400}, "Merge with " + viz.BandName(0, .25), "[0.5 0.75]"},
		{"towards the smaller neighbour above", "interval", []int{300, 20, 100, 400}, "Merge with " + viz.BandName(.5, .75), "[0.25 0.75]"},
		{"the lowest", "interval", []int{20, 300, 100, 400}, "Merge with " + viz.BandName(.25, .5), "[0.5 0.75]"},
		{"the highest", "interval", []int{300, 100, 400, 20}, "Merge with " + viz.BandName(.5, .75), "[0.25 0.5]"},
		{"a reject zone has no other boundaries", "reject", []int{300, 20, 100, 400}, "", ""},
	} {
		r := &engine.Result{Boundaries: pi}
		for k, n := range c.rows {
			s := stat.Stratum{N: n, Verdict: stat.Inside}
			if k > 0 {
				s.Lower = pi[k-1]
			}
			if s.Upper = 1; k < len(pi) {
				s.Upper = pi[k]
			}
			if n < stat.MinRows {
				s.Verdict = stat.TooFew
				r.Warnings = append(r.Warnings, engine.Warning{Code: check.WarnFewInStratum, Message: "20 rows. Consider merging it."})
			}
			r.Strata = append(r.Strata, s)
		}
		to := func(pi []float64) string { return fmt.Sprint(pi) }
		for page, s := range map[string]Bands{
			"kept": {Result: r, Spec: runspec.Spec{Mode: c.mode}, Refit: to},
			"live": {Result: r, Spec: runspec.Spec{Mode: c.mode}, Cut: func(pi []float64, _ string) string { return to(pi) }},
			"none": {Result: r, Spec: runspec.Spec{Mode: c.mode}},
		} {
			all := s.merges()
			if len(all) != 1 {
				t.Fatalf("%s, %s: %d banners", c.name, page, len(all))
			}
			b := all[0].Button
			if c.label == "" || page == "none" {
				if b != nil {
					t.Errorf("%s, %s: %+v", c.name, page, b)
				}
				continue
			}
			if b == nil || b.Label != c.label || b.URL != c.url || b.Steer != (page == "live") {
				t.Errorf("%s, %s: %+v, want %s to %s", c.name, page, b, c.label, c.url)
			}
		}
	}
}

// TestTrainingRowsOnBothPages: that a run was evaluated on its training rows stands with its verdict and with its
// performance, also of several classes; that intervals ignore the groups of rows stands with the core measures.
func TestTrainingRowsOnBothPages(t *testing.T) {
	loss := .5
	c := &engine.ClassResult{Levels: []string{"a", "b"}, Task: "multiclass"}
	c.Metrics.Test = stat.Multiclass(stat.Answers{Levels: c.Levels, Label: []int{0, 1}, Predicted: []int{0, 1}})
	c.Metrics.Test.LogLoss = &loss
	r := &engine.Result{Apparent: true, Classes: c, Flow: engine.Flow{Groups: 2}, Boundaries: []float64{.5}, Warnings: []engine.Warning{
		{Code: engine.WarnApparent, Message: "No hold-out."}}}
	said := func(sections []doc.Section) string {
		var html strings.Builder
		for _, s := range sections {
			html.WriteString(s.Say)
			for _, part := range render.Parts(s.Body) {
				if err := part.Render(t.Context(), &html); err != nil {
					t.Fatal(err)
				}
			}
		}
		return html.String()
	}
	several, two := Classes{Result: r}, Bands{Result: r}
	for name, page := range map[string][]doc.Section{"answers": several.AnswerPage(), "performance of classes": several.PerformancePage(),
		"performance": two.PerformancePage()} {
		if !strings.Contains(said(page), "No hold-out.") {
			t.Errorf("%s does not say that the rows trained the model", name)
		}
	}
	if got := said(several.core()); !strings.Contains(got, "also those of one group") {
		t.Errorf("core measures: %s", got)
	}
}
