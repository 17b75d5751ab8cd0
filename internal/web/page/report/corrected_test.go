package report

import (
	"strings"
	"testing"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/check"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
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

// TestCorrectedOfFewEvents: where the data checks call a model exploratory for its few events, so do the notes of the
// corrected values and intervals.
func TestCorrectedOfFewEvents(t *testing.T) {
	for _, few := range []bool{false, true} {
		r := &engine.Result{Clinical: &engine.Clinical{}}
		if w, warns := check.FewEvents([2]int{200, 30}, 4); warns && few {
			r.Warnings = append(r.Warnings, w)
		}
		c := Clinical{Run: store.Run{Result: r}, Result: r, Refits: &store.Bootstrap{Result: &engine.Bootstrap{Replicates: 200}}}
		for part, note := range map[string]string{"bootstrap": c.refitNote(), "performance": c.performanceNote(nil)} {
			if strings.Contains(note, "fewer than 10 events or non-events per parameter: corrected values and their "+
				"intervals are exploratory only.") != few {
				t.Errorf("%s, few events %v: %q", part, few, note)
			}
		}
	}
}

// TestCurveErrorWithoutIntervalExplained: the note says why the ICI has no interval, and nothing where it has one.
func TestCurveErrorWithoutIntervalExplained(t *testing.T) {
	for _, low := range []*float64{nil, new(0.02)} {
		judged := stat.Performance{ICI: stat.Estimate{Value: new(0.03), Low: low, High: low}}
		r := &engine.Result{Clinical: &engine.Clinical{}}
		c := Clinical{Run: store.Run{Result: r}, Result: r, Statistics: engine.Statistics{Judged: judged}}
		note := c.performanceNote([]stat.Statistic{stat.ByID("ici")})
		if got := strings.Contains(note, "has no interval"); got != (low == nil) {
			t.Errorf("with an interval %v: %q", low != nil, note)
		}
	}
}

// TestStepsOfTheBootstrap: λ is chosen again where it was chosen at all, so not for trees.
func TestStepsOfTheBootstrap(t *testing.T) {
	for _, c := range []struct {
		model  fit.Spec
		chosen bool
	}{{fit.Spec{Kind: "linear", L2: fit.L2{Mode: "cv"}}, true}, {fit.Spec{Kind: "linear", L2: fit.L2{Value: 0.1}}, false},
		{fit.Spec{Kind: "boost", L2: fit.L2{Mode: "cv"}}, false}} {
		run := store.Run{Spec: runspec.Spec{Model: c.model}, Result: &engine.Result{}}
		for _, section := range (Clinical{Run: run, Result: run.Result}).PerformanceSections(nil) {
			if section.ID == "optimism" && strings.Contains(section.Say, "λ") != c.chosen {
				t.Errorf("%+v: %q", c.model, section.Say)
			}
		}
	}
}

// TestNoCorrectedDistance: a distance is larger in rows drawn with replacement whether the model is overfitted or not,
// so no corrected ICI stands in the table.
func TestNoCorrectedDistance(t *testing.T) {
	r := &engine.Result{Clinical: &engine.Clinical{}}
	b := &engine.Bootstrap{Replicates: 200, Metrics: []engine.Corrected{
		{ID: "auc", Optimism: stat.Optimism{Corrected: interval(.77, .7, .8)}},
		{ID: "ici", Optimism: stat.Optimism{Corrected: interval(.01, 0, .1)}}}}
	c := Clinical{Run: store.Run{Result: r}, Result: r, Known: true, Refits: &store.Bootstrap{Result: b}}
	c.Statistics.Judged = stat.Performance{AUC: interval(.8, .7, .9), ICI: interval(.02, .01, .04)}
	for _, row := range c.Performance().Rows {
		corrected := row.Cells[len(row.Cells)-1]
		if want := strings.HasPrefix(row.Cells[0].Text(), "AUC"); strings.Contains(corrected.Text(), "0.") != want {
			t.Errorf("%s: corrected %q", row.Cells[0].Text(), corrected.Text())
		}
	}
	if note := c.performanceNote(stat.PerformanceTable()); strings.Contains(note, "Without an interval once corrected: ICI") {
		t.Error(note)
	}
}

// TestTwoApparentValues: where the bootstrap has another apparent value than the run, because a later version fitted
// the model again, both tables say so; nothing is said of values that print alike.
func TestTwoApparentValues(t *testing.T) {
	for again, want := range map[float64]bool{.8301: false, .8412: true} {
		r := &engine.Result{Clinical: &engine.Clinical{}}
		b := &engine.Bootstrap{Replicates: 200, Metrics: []engine.Corrected{
			{ID: "auc", Optimism: stat.Optimism{Apparent: &again, Corrected: interval(.77, .7, .8)}}}}
		c := Clinical{Run: store.Run{Result: r, Version: "0.9"}, Result: r, Known: true, Refits: &store.Bootstrap{Result: b}}
		c.Statistics.Judged, c.Statistics.Apparent = stat.Performance{AUC: interval(.8, .7, .9)},
			stat.Performance{AUC: interval(.83, .8, .9)}
		for _, note := range []string{c.Performance().Note, c.corrected().Note} {
			if got := strings.Contains(note, "fits otherwise than version 0.9, which made the run"); got != want {
				t.Errorf("apparent AUC %v beside 0.83: %q", again, note)
			}
		}
	}
}

// TestTrainingRowsOnce: a run evaluated on its training rows has one column for them, which says so, beside the
// corrected values; predictions that came with the data have none.
func TestTrainingRowsOnce(t *testing.T) {
	value := .83
	b := &engine.Bootstrap{Replicates: 200, Metrics: []engine.Corrected{
		{ID: "auc", Optimism: stat.Optimism{Apparent: &value, Corrected: interval(.77, .7, .8)}}}}
	for kind, want := range map[string]string{
		"none": "Measure, Apparent, Corrected; Measure, Apparent, Optimism, Corrected",
		"cv":   "Measure, Apparent, Cross-validated, Corrected; Measure, Apparent, Optimism, Corrected, Cross-validated"} {
		r := &engine.Result{Clinical: &engine.Clinical{}, Apparent: kind == "none"}
		c := Clinical{Run: store.Run{Result: r}, Result: r, Known: true, Refits: &store.Bootstrap{Result: b}}
		c.Run.Spec.Validation.Kind = kind
		c.Statistics.Judged, c.Statistics.Apparent = stat.Performance{AUC: interval(.83, .8, .9)}, stat.Performance{AUC: interval(.83, .8, .9)}
		var tables []string
		for _, table := range []doc.Table{c.Performance(), c.corrected()} {
			var names []string
			for _, column := range table.Columns {
				names = append(names, column.Label)
			}
			tables = append(tables, strings.Join(names, ", "))
			if len(table.Rows) == 0 || len(table.Rows[0].Cells) != len(names) {
				t.Errorf("%s: %+v under %q", kind, table.Rows, names)
			}
		}
		if got := strings.Join(tables, "; "); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
		c.Statistics.Reclassified = new(stat.Reclassification)
		if say := c.PerformanceSections(nil)[0].Say; strings.Contains(say, "on the same rows.") != (kind == "none") {
			t.Errorf("%s: %q", kind, say)
		}
	}
}

// TestICIByChanceNamed: the note of the ICI refers to the ICI by chance only where the table has it; runs of grouped
// rows have none.
func TestICIByChanceNamed(t *testing.T) {
	for _, chance := range []bool{true, false} {
		r := &engine.Result{Clinical: &engine.Clinical{}}
		c := Clinical{Run: store.Run{Result: r}, Result: r, Known: true}
		c.Statistics.Judged = stat.Performance{AUC: interval(.8, .7, .9), Brier: interval(.2, .1, .3), ICI: interval(.02, .01, .04)}
		if chance {
			c.Statistics.Judged.Set(stat.ChanceICI, interval(.03, .01, .05))
		}
		if note := c.Performance().Note; strings.Contains(note, "the ICI by chance") != chance {
			t.Errorf("chance %t: %s", chance, note)
		}
	}
}
