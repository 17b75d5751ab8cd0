package studyreport

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"taper/internal/engine/fit"
	"taper/internal/engine/study"
	"taper/internal/store"
)

// grid is a grid of one model on generated data with results at no noise and at 20 %.
func grid(generator string) *Robust {
	spec := study.Spec{Dataset: study.Source{Generator: generator, Rows: 400}, Models: []fit.Spec{{Loss: "logistic"}},
		Metric: "accuracy", Noise: study.Noise{Kind: "symmetric", Rates: []float64{0, .2}}, Replicates: 10}.WithDefaults()
	clean, noisy := .99, .73
	name := study.Label(spec.Models[0])
	v := &Robust{Spec: spec, Cells: []study.Cell{
		{Key: study.Key{Model: name, Metric: "accuracy"}, Mean: &clean},
		{Key: study.Key{Model: name, Metric: "accuracy", Noise: .2}, Mean: &noisy}}}
	v.Rate, v.Scene = .2, 1
	return v
}

// TestFirstSlideSaysHowDataWereMade: the first slide says that data were built so that convex losses fail, and says
// nothing of the kind about other data.
func TestFirstSlideSaysHowDataWereMade(t *testing.T) {
	for generator, built := range map[string]bool{"long-servedio": true, "moons": false} {
		_, sentence := grid(generator).SceneHead(t.Context())
		html, err := templ.ToGoHTML(t.Context(), sentence)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(html), "every convex loss fails"); got != built {
			t.Errorf("%s: %q", generator, html)
		}
	}
}

// TestHeadlineOfARunningGrid: while a study runs, the headline says so first, and how far it is.
func TestHeadlineOfARunningGrid(t *testing.T) {
	for status, want := range map[string]string{store.Running: "Running, 12 of 40 jobs done.",
		store.Paused: "Paused, 12 of 40 jobs done.", store.Done: "With 20"} {
		v := grid("moons")
		v.Record = &store.Study{Status: status, Done: 12, Units: 40}
		if strong, _ := v.Words(); !strings.HasPrefix(strong, want) {
			t.Errorf("%s: %q", status, strong)
		}
		v.Cells = nil
		if strong, _ := v.Words(); status != store.Done && strong != want {
			t.Errorf("%s without results: %q", status, strong)
		}
	}
}
