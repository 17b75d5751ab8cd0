package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"taper/internal/engine/fit"
	"taper/internal/engine/job"
	"taper/internal/engine/model"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/testtime"
)

func bootRun(t testing.TB, records [][]string, spec runspec.Spec, o BootstrapOptions) (*Result, *Bootstrap) {
	t.Helper()
	data := tabletest.FromRecords(records)
	r, err := Fit(context.Background(), data, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bootstrapped(context.Background(), data, spec, r, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, b
}

// bootstrapped is the bootstrap of a run, done here.
func bootstrapped(ctx context.Context, t *table.Table, spec runspec.Spec, parent *Result, o BootstrapOptions,
	report func(Progress)) (found *Bootstrap, err error) {
	w, err := NewRefits(ctx, t, spec, parent, o)
	if err != nil {
		return nil, err
	}
	w.Keep = func(_ context.Context, b *Bootstrap) error {
		found = b
		return nil
	}
	err = job.Do(ctx, w, report)
	return found, err
}

// TestBootstrapByHand refits every sample as a run of its own, on a table with
// the rows drawn, and corrects the metrics by Harrell's formula written out.
func TestBootstrapByHand(t *testing.T) {
	long(t)
	const replicates = 40
	records := tabletest.Clinic(160, 4)
	for i, r := range records[1:] { // a missing-value indicator would come and go
		if r[1] == "" {
			records[1+i][1] = "0.25"
		}
	}
	spec := clinicSpec()
	spec.Model.Loss, spec.Predictors = "logistic", []string{"age", "marker", "sex"}
	r, b := bootRun(t, records, spec, BootstrapOptions{Replicates: replicates, Seed: 11})
	spec.Validation.Kind = "none"
	var gap, lossGap float64
	var age []float64
	changed := make([]float64, 160)
	_, _, final := applied(t, r.Model, records)
	for k := range replicates {
		rows := stat.Rows(160).Draw(nil, 11, uint64(k))
		sample := [][]string{records[0]}
		for _, i := range rows {
			sample = append(sample, records[1+i])
		}
		own, err := Fit(context.Background(), tabletest.FromRecords(sample), spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		score, event, band := applied(t, own.Model, records)
		auc, _, _ := stat.AUC(score, event)
		gap += (*own.Metrics.Train.AUC - auc) / replicates
		lossGap += (*own.Metrics.Train.IntervalLoss - stat.IntervalLoss(spec.Boundaries, band, event)) / replicates
		age = append(age, math.Exp(own.Coefficients[1].Value))
		for i := range band {
			if band[i] != final[i] {
				changed[i] += 1.0 / replicates
			}
		}
	}
	if got := metricOf(t, b, "auc"); !(math.Abs(*got.Optimism.Optimism.Value-gap) <= 1e-9) || !(math.Abs(*got.Corrected.Value-(*r.Metrics.Train.AUC-gap)) <= 1e-9) {
		t.Errorf("optimism of the AUC %v, by hand %v", *got.Optimism.Optimism.Value, gap)
	}
	for _, m := range b.Metrics { // none leaves out its estimate; calibration has none
		pinned := slices.Contains([]string{"calibration_intercept", "calibration_slope", "observed_expected", "ici"}, m.ID)
		if e := m.Corrected; pinned != (e.Low == nil) || !pinned && !(*e.Low < *e.Value && *e.Value < *e.High) {
			t.Errorf("corrected %s: %+v", m.ID, e)
		}
	}
	if got := metricOf(t, b, "interval_loss"); !(math.Abs(*got.Optimism.Optimism.Value-lossGap) <= 1e-9) || lossGap >= 0 {
		t.Errorf("optimism of the loss %v, by hand %v", *got.Optimism.Optimism.Value, lossGap)
	}
	slices.Sort(age)
	if low, high := stat.Percentiles(age); !(math.Abs(*b.Coefficients[1].OddsRatio.Low-low) <= 1e-5) || !(math.Abs(*b.Coefficients[1].OddsRatio.High-high) <= 1e-5) {
		t.Errorf("odds ratio of age %v to %v, by hand %v to %v", *b.Coefficients[1].OddsRatio.Low, *b.Coefficients[1].OddsRatio.High, low, high)
	}
	mean, above := 0.0, 0
	for _, c := range changed {
		mean += c / 160
		if c > 0.3+1e-12 {
			above++
		}
	}
	if !(math.Abs(*b.Stability.Mean-mean) <= 1e-9) || b.Stability.Unstable != above || len(b.Stability.Listed) != above || above == 0 {
		t.Errorf("stability %v, %d above; by hand %v, %d", *b.Stability.Mean, b.Stability.Unstable, mean, above)
	}
}

// TestOptimismOfSlope: with few events some samples choose a penalty that leaves no predictor to speak of, and the slope
// of such a model is in the hundreds. The corrected slope stays that of a usual refit.
func TestOptimismOfSlope(t *testing.T) {
	const n = 60
	r := rand.New(rand.NewPCG(n, 3))
	records := [][]string{{"outcome", "a", "b", "c", "d", "e", "f"}}
	for range n {
		row, score := []string{"well"}, -1.5
		for j := range 6 {
			v := r.NormFloat64()
			if row = append(row, strconv.FormatFloat(v, 'f', 4, 64)); j < 2 {
				score += 0.8 * v
			}
		}
		if r.Float64() < 1/(1+math.Exp(-score)) {
			row[0] = "died"
		}
		records = append(records, row)
	}
	spec := clinicSpec()
	spec.Predictors, spec.Model.Loss, spec.Model.L2 = records[0][1:], "logistic", fit.L2{}
	_, b := bootRun(t, records, spec, BootstrapOptions{Replicates: 60, Seed: 11})
	if slices.Max(b.L2) < 100 {
		t.Fatal("no sample chose a large penalty")
	}
	got := metricOf(t, b, "calibration_slope")
	if o := got.Optimism; !got.Median || !(*o.Optimism.Low < *o.Optimism.Value && *o.Optimism.Value < *o.Optimism.High) ||
		!(*o.Optimism.High < 2) || !(*o.Corrected.Value > 0 && *o.Corrected.Value < *o.Apparent) {
		t.Errorf("slope: %+v, optimism %v", o.Corrected, *o.Optimism.Value)
	}
	if got := metricOf(t, b, "auc"); got.Median {
		t.Error("the AUC is corrected by a median")
	}
}

func metricOf(t *testing.T, b *Bootstrap, id string) Corrected {
	t.Helper()
	for _, m := range b.Metrics {
		if m.ID == id {
			return m
		}
	}
	t.Fatalf("no %s", id)
	return Corrected{}
}

// applied scores the records through model.json.
func applied(t *testing.T, m *model.Model, records [][]string) (score []float64, event []bool, band []int) {
	t.Helper()
	var rows []map[string]any
	for _, r := range records[1:] {
		row := map[string]any{}
		for k, name := range records[0] {
			row[name] = r[k]
			if v, err := strconv.ParseFloat(r[k], 64); err == nil {
				row[name] = v
			}
		}
		rows = append(rows, row)
	}
	all, err := model.PredictRows(m, rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range all {
		score, event, band = append(score, p.Score), append(event, m.Positive.Has(records[1+i][5])), append(band, p.Stratum)
	}
	return score, event, band
}

// TestBootstrapKeepsTheReference: two levels of about as many rows take turns as the most common of
// a sample; each sample counts for the term all the same.
func TestBootstrapKeepsTheReference(t *testing.T) {
	spec := clinicSpec()
	spec.Model.Loss, spec.Predictors = "logistic", []string{"age", "sex"}
	r, b := bootRun(t, tabletest.Clinic(160, 4), spec, BootstrapOptions{Replicates: 40, Seed: 11})
	if len(b.Coefficients) != 3 || len(r.Coefficients) != 3 {
		t.Fatalf("terms %+v", b.Coefficients)
	}
	for k, c := range b.Coefficients {
		if c.Refits != b.Replicates || c.Value.Low == nil || c.Name != r.Coefficients[k].Name {
			t.Errorf("%s: %d of %d refits have it: %+v", c.Name, c.Refits, b.Replicates, c.Value)
		}
	}
}

// TestBootstrapRepeats: the same bits on one core and on many, with λ chosen in
// every sample; groups are drawn whole.
func TestBootstrapRepeats(t *testing.T) {
	spec := clinicSpec()
	spec.Model.L2, spec.Group = fit.L2{Mode: "cv"}, "ward"
	var texts []string
	for _, cores := range []int{1, 4} {
		was := runtime.GOMAXPROCS(cores)
		_, b := bootRun(t, tabletest.Clinic(150, 5), spec, BootstrapOptions{Replicates: 20, Seed: 3})
		runtime.GOMAXPROCS(was)
		b.ElapsedS = 0
		text, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
		if distinct := len(slices.Compact(slices.Sorted(slices.Values(b.L2)))); b.Replicates+b.Failed != 20 || distinct < 2 {
			t.Errorf("%d made, %d failed, %d different λ", b.Replicates, b.Failed, distinct)
		}
	}
	if texts[0] != texts[1] {
		t.Error("one core and four differ")
	}
}

// TestBootstrapKinds: trees and kernels are checked too; several classes are
// refused with a sentence, and so is a number out of range.
func TestBootstrapKinds(t *testing.T) {
	records := tabletest.Clinic(150, 6)
	for _, m := range []fit.Spec{{Kind: "boost", Loss: "alpha", Rounds: 5}, {Kind: "kernel", Loss: "logistic", L2: fit.L2{Value: 0.1}, Kernel: &fit.Kernel{Name: "rbf", Gamma: 0.1}}, {Loss: "alpha", Params: map[string]any{"alpha": 2.0}, L2: fit.L2{Value: 0.05}}} {
		spec := clinicSpec()
		spec.Model = m
		_, b := bootRun(t, records, spec, BootstrapOptions{Replicates: 20})
		if b.Replicates != 20 || (b.Coefficients == nil) != (m.Kind != "") {
			t.Errorf("%s %s: %d replicates, %d coefficients", m.Kind, m.Loss, b.Replicates, len(b.Coefficients))
		}
		if m.Loss == "alpha" && m.Kind == "" {
			c := b.Coefficients[1]
			if want := math.Exp(*c.Value.Value / 2); !(math.Abs(*c.OddsRatio.Value-want) <= 1e-12) {
				t.Errorf("odds ratio %v, exp(θ/α) is %v", *c.OddsRatio.Value, want)
			}
		}
	}
	data := tabletest.FromRecords(records)
	if _, err := bootstrapped(context.Background(), data, clinicSpec(), &Result{}, BootstrapOptions{Replicates: 3}, nil); err == nil {
		t.Error("3 replicates were taken")
	}
	if _, err := bootstrapped(context.Background(), data, runspec.Spec{Task: "multiclass"}, &Result{}, BootstrapOptions{}, nil); err == nil {
		t.Error("several classes were taken")
	}
}

// TestBootstrapCancels ends promptly at the word.
func TestBootstrapCancels(t *testing.T) {
	testtime.TwoCores(t)
	data, spec := tabletest.FromRecords(tabletest.Clinic(800, 7)), clinicSpec()
	spec.Model.L2 = fit.L2{Mode: "cv"}
	r, err := Fit(context.Background(), data, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var told time.Duration
	_, err = bootstrapped(ctx, data, spec, r, BootstrapOptions{}, func(p Progress) {
		if p.Fraction > 0 && told == 0 {
			told = testtime.Spent()
			cancel()
		}
	})
	if took := testtime.Spent() - told; !errors.Is(err, context.Canceled) || took > promptly {
		t.Errorf("%v after %v", err, took)
	}
}

// BenchmarkBootstrap is the target of 200 samples of 1,000 rows and 30
// predictors with λ chosen inside (120 s).
func BenchmarkBootstrap(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	records := [][]string{{"y"}}
	for k := range 30 {
		records[0] = append(records[0], "x"+strconv.Itoa(k))
	}
	for range 1000 {
		row, f := []string{""}, -0.5
		for k := range 30 {
			v := rng.NormFloat64()
			f += v * 0.6 / float64(1+k)
			row = append(row, fmt.Sprintf("%.4f", v))
		}
		row[0] = map[bool]string{true: "yes", false: "no"}[rng.Float64() < 1/(1+math.Exp(-f))]
		records = append(records, row)
	}
	spec := runspec.Spec{Outcome: "y", Positive: table.Levels{"yes"}, Boundaries: []float64{0.25, 0.5, 0.75}, Seed: 7}
	for b.Loop() {
		_, boot := bootRun(b, records, spec, BootstrapOptions{Replicates: 20})
		b.ReportMetric(boot.ElapsedS/20*200, "s/200")
	}
}

// TestRefitsCost: more refits of more rows than a job may take are refused.
func TestRefitsCost(t *testing.T) {
	if got, want := fmt.Sprint(BootstrapOptions{Replicates: 2000}.CheckRows(200_000)),
		"replicates must be at most 500 with 200\u202f000 rows: rows × samples may be 100\u202f000\u202f000 (got 2000)."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if err := (BootstrapOptions{}).CheckRows(500_000); err != nil {
		t.Error(err)
	}
}
