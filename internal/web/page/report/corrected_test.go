package report

import (
	"strings"
	"testing"

	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/store"
)

// TestCorrectedIntervalNamed: the table of performance and the notes of the bootstrap, which the report prints too,
// name how the interval of a corrected value is computed.
func TestCorrectedIntervalNamed(t *testing.T) {
	r := &engine.Result{Clinical: &engine.Clinical{}}
	c := Clinical{Run: store.Run{Result: r}, Result: r, Refits: &store.Bootstrap{Result: &engine.Bootstrap{Replicates: 200}}}
	for part, note := range map[string]string{"bootstrap": c.refitNote(), "performance": c.performanceNote(nil)} {
		if !strings.Contains(note, stat.CorrectedInterval) {
			t.Errorf("%s: %q", part, note)
		}
	}
}

// TestMedianOptimismNamed: the notes say whose optimism is a median, and nothing of it in a stored bootstrap that has
// means alone.
func TestMedianOptimismNamed(t *testing.T) {
	r := &engine.Result{Clinical: &engine.Clinical{}}
	for _, median := range []bool{false, true} {
		b := &engine.Bootstrap{Replicates: 200, Metrics: []engine.Corrected{
			{ID: "auc"}, {ID: "calibration_slope", Optimism: stat.Optimism{Median: median}}}}
		c := Clinical{Run: store.Run{Result: r}, Result: r, Refits: &store.Bootstrap{Result: b}}
		for part, note := range map[string]string{"bootstrap": c.refitNote(), "performance": c.performanceNote(nil)} {
			if strings.Contains(note, "For the calibration slope the optimism is the median") != median {
				t.Errorf("%s, median %v: %q", part, median, note)
			}
		}
	}
}
