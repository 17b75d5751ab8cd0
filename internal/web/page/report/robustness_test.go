package report

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"taper/internal/doc"
	"taper/internal/engine"
	"taper/internal/engine/stat"
	"taper/internal/store"
	"taper/internal/viz"
)

// withBaselines is judgedRun with two comparison models: the null model, which assigns all rows to the band of the
// prevalence, and logistic regression, which moves no row.
func withBaselines(pi []float64, counts ...[2]int) (store.Run, Clinical) {
	run := judgedRun(pi, counts...)
	r := run.Result
	n, events := r.Flow.Scored, r.Flow.ScoredEvents
	var own, null []int
	var event []bool
	for j, c := range counts {
		for i := range c[0] {
			own, event = append(own, j), append(event, i < c[1])
		}
	}
	null = nullBand(pi, n, events)
	loss, base := stat.IntervalLoss(pi, own, event), stat.IntervalLoss(pi, null, event)
	intercept := 0.25
	r.Metrics.Test.IntervalLoss = &loss
	r.Metrics.Baselines = map[string]stat.Binary{"logistic": {IntervalLoss: &loss}, "null": {IntervalLoss: &base, CalibrationIntercept: &intercept}}
	r.Beside = []engine.Beside{{ID: "model", Metrics: r.Metrics.Test}, {ID: "logistic", Metrics: r.Metrics.Baselines["logistic"]}, {ID: "null", Metrics: r.Metrics.Baselines["null"]}}
	moves := stat.Reclassify(own, own, event, len(pi)+1)
	c := Clinical{Run: run, Result: r}
	c.Statistics.Reclassified = &moves
	return run, c
}

// nullBand is the band that the null model assigns to every row.
func nullBand(pi []float64, n, events int) []int {
	band := make([]int, n)
	for i := range band {
		for _, p := range pi {
			if float64(events)/float64(n) > p {
				band[i]++
			}
		}
	}
	return band
}

// TestBaselinesAdversary: for 60 rows with 7 events, printed as 2 to 9, the null model's loss of 0.12 once allowed
// only 7. The test enumerates every total that agrees with the printed table of models, and with what is kept
// without the data.
func TestBaselinesAdversary(t *testing.T) {
	check := func(t rapid.TB, pi []float64, counts [][2]int) {
		run, c := withBaselines(pi, counts...)
		p := New(run, store.Dataset{}, c).printed()
		total := p.strata.Total
		cells := map[string]string{}
		table := p.masked(p.besideTable()).(doc.Table)
		for i, row := range table.Rows {
			for k, cell := range row.Cells[1:] {
				cells[run.Result.Beside[i].ID+" "+table.Columns[k+1].Label] = cell.Text()
			}
		}
		if total.Events.Shown() {
			if cells["null Interval loss"] == viz.None {
				t.Fatalf("%v: the total is shown, the null model’s loss is not", counts)
			}
			return
		}
		if !total.N.Shown() {
			return
		}
		if text := cells["null Calibration intercept"]; text != "" && text != viz.None {
			t.Fatalf("%v: the null model's intercept is printed as %q", counts, text)
		}
		if kept := p.Numbers().Metrics.Baselines; kept["null"].IntervalLoss != nil || kept["null"].CalibrationIntercept != nil || kept["logistic"].IntervalLoss != nil {
			t.Fatalf("%v: kept with %+v", counts, kept)
		}
		possible := 0
		for e := total.Events.Low; e <= total.Events.High; e++ {
			event := make([]bool, total.N.Low)
			for i := range e {
				event[i] = true
			}
			loss := stat.IntervalLoss(pi, nullBand(pi, total.N.Low, e), event)
			printed, err := strconv.ParseFloat(cells["null Interval loss"], 64)
			if err != nil || math.Abs(loss-printed) <= 0.005+1e-9 {
				possible++
			}
		}
		if possible < 5 {
			t.Fatalf("%v: %d events in all, printed as %s; %q allows %d totals", counts, run.Result.Flow.ScoredEvents, total.Events.CountText(), cells["null Interval loss"], possible)
		}
	}
	alike := func(t rapid.TB, pi []float64, counts [][2]int) {
		run, c := withBaselines(pi, counts...)
		p := New(run, store.Dataset{}, c).printed()
		if got := p.masked(p.besideTable()).(doc.Table).Rows[1].Cells[1].Text(); got != p.LossText() {
			t.Fatalf("%v: logistic regression with the bands of the model prints %q, the model %q", counts, got, p.LossText())
		}
	}
	t.Run("7 of 60", func(t *testing.T) { check(t, []float64{0.25, 0.5, 0.75}, [][2]int{{40, 2}, {12, 2}, {5, 2}, {3, 1}}) })
	t.Run("logistic regression moves no row", func(t *testing.T) { alike(t, []float64{0.5}, [][2]int{{100, 3}, {60, 50}}) })
	t.Run("any", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			pi := []float64{0.1, 0.4, 0.75}[:rapid.IntRange(1, 3).Draw(t, "boundaries")]
			counts := make([][2]int, len(pi)+1)
			for j := range counts {
				n := rapid.IntRange(0, 60).Draw(t, "n")
				few := rapid.IntRange(0, min(n, 6)).Draw(t, "few")
				counts[j] = [2]int{n, few}
			}
			if counts[0][0] == 0 {
				counts[0][0] = 20
			}
			check(t, pi, counts)
			alike(t, pi, counts)
		})
	})
}

// TestConstantTells: in a fit without predictors the intercept is the log odds of the events and the objective is
// their entropy; with small weights both come close. Where the total is masked neither may be printed.
func TestConstantTells(t *testing.T) {
	for _, tt := range []struct {
		events int
		weight float64
		hidden bool
	}{{7, 0, true}, {7, 0.3, true}, {30, 0, false}} {
		run, c := withBaselines([]float64{0.5}, [2]int{60, tt.events}, [2]int{0, 0})
		r := run.Result
		r.NoPredictor, r.L2, r.Objective = tt.weight == 0, 1, 0.36034
		r.Flow.Trained, r.Flow.TrainedEvents = 60, tt.events
		r.Coefficients = []engine.Coefficient{{Name: "(intercept)", Value: -2.0239, Standardized: new(-2.0239)}, {Name: "a", Value: tt.weight, Standardized: new(tt.weight)}}
		p := New(run, store.Dataset{}, c).printed()
		text := p.equation() + p.convergence()
		for _, row := range p.masked(p.coefficients()).(doc.Table).Rows {
			for _, cell := range row.Cells {
				text += " " + cell.Text()
			}
		}
		for _, number := range []string{"2.02", "0.36"} {
			if strings.Contains(text, number) == tt.hidden {
				t.Errorf("%d events, weight %v: %s", tt.events, tt.weight, text)
			}
		}
		if say := p.seen(); tt.weight == 0 && say[0] != "No predictor is used: at this penalty the model gives every row the same answer." {
			t.Errorf("the verdict is %q", say)
		}
	}
}
