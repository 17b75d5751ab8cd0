package engine

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"taper/internal/engine/fit"
	"taper/internal/engine/odds"
	"taper/internal/engine/parallel"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/tune"
	"taper/internal/testtime"
	"taper/testdata/oracle"
)

// mustFit runs a spec that must succeed, and takes the seconds out.
func mustFit(t testing.TB, tab *table.Table, s runspec.Spec) *Result {
	t.Helper()
	r, err := Fit(context.Background(), tab, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	described(t, r)
	r.Seconds, r.ElapsedS = 0, 0
	return r
}

// described reports warnings whose code no list explains.
func described(t testing.TB, r *Result) {
	t.Helper()
	for _, w := range r.Warnings {
		if Codes[w.Code] == "" && table.Codes[w.Code] == "" || w.Message == "" {
			t.Errorf("warning %q is in no list of codes: %q", w.Code, w.Message)
		}
	}
}

// same compares two results to the bit.
func same(t *testing.T, what string, a, b *Result) {
	t.Helper()
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("%s changes the result:\n%s", what, diff)
	}
}

// TestBackground: a run that gives way to others all the time is the same to the bit, of every kind of fit.
func TestBackground(t *testing.T) {
	var f parallel.Foreground
	defer f.Begin()()
	tab := tabletest.FromRecords(tabletest.Clinic(120, 3))
	for name, model := range map[string]fit.Spec{
		"interval": {Loss: "interval"}, "logistic": {Loss: "logistic"}, "trees": {Kind: "boost", Loss: "alpha", Rounds: 20},
		"t-logistic": {Loss: "t-logistic"}, "kernel": {Kind: "kernel", Loss: "logistic", Kernel: &fit.Kernel{Name: "rbf", Gamma: .1}},
	} {
		s := clinicSpec()
		s.Model = model
		want := mustFit(t, tab, s)
		got, err := Fit(f.Behind(t.Context()), tab, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		got.Seconds, got.ElapsedS = 0, 0
		same(t, name+" in the background", want, got)
	}
}

// TestOracleFit: the whole pipeline, without validation and standardisation,
// reaches the optima of oracle/interval-fit.json (interior point, gap 1e-30).
func TestOracleFit(t *testing.T) {
	type golden struct {
		Name   string
		Params struct {
			Pi     []float64
			Lambda float64
		}
		Inputs struct {
			X [][]float64
			Y []int
		}
		Expected struct {
			Objective string
			W         []string
			Index     []int
		}
		Flags map[string]bool
	}
	off := false
	for _, c := range oracle.Read[golden](t, "interval-fit") {
		records := [][]string{{"y"}}
		for j := range c.Inputs.X[0] {
			records[0] = append(records[0], "x"+strconv.Itoa(j))
		}
		for i, x := range c.Inputs.X {
			row := []string{strconv.Itoa(c.Inputs.Y[i])}
			for _, v := range x {
				row = append(row, strconv.FormatFloat(v, 'g', -1, 64))
			}
			records = append(records, row)
		}
		r := mustFit(t, tabletest.FromRecords(records), runspec.Spec{Outcome: "y", Positive: table.Levels{"1"}, Boundaries: c.Params.Pi,
			Model: fit.Spec{L2: fit.L2{Value: c.Params.Lambda}, Standardize: &off}, Validation: runspec.Validation{Kind: "none"}})
		want, _ := strconv.ParseFloat(c.Expected.Objective, 64)
		if !(math.Abs(r.Objective-want) <= 2e-6*want) {
			t.Errorf("%s: objective %.10f, want %.10f", c.Name, r.Objective, want)
		}
		if r.Gap == nil || *r.Gap > 1e-6 {
			t.Errorf("%s: gap %v", c.Name, r.Gap)
		}
		if !r.Apparent || len(r.Rows) != len(c.Inputs.Y) || r.Rows[0].Split != "train" {
			t.Errorf("%s: not said to be apparent", c.Name)
		}
		for j, text := range c.Expected.W {
			if w, _ := strconv.ParseFloat(text, 64); !(math.Abs(r.Coefficients[j+1].Value-w) <= 5e-3*(1+math.Abs(w))) {
				t.Errorf("%s: w[%d] = %v, want %v", c.Name, j, r.Coefficients[j+1].Value, w)
			}
		}
	}
}

// TestResultFollowsFromRows recomputes strata, ℓ_π and decisions from the rows
// by the definitions of docs/clinical.md, Statistics and docs/math.md, Interval classification.
func TestResultFollowsFromRows(t *testing.T) {
	records := tabletest.Clinic(300, 8)
	for _, v := range []runspec.Validation{{Kind: "cv", Folds: 4}, {Kind: "split", Test: 0.4}, {Kind: "none"}} {
		for _, lossID := range []string{"interval", "logistic"} {
			s := clinicSpec()
			s.Validation, s.Model.Loss = v, lossID
			r := mustFit(t, tabletest.FromRecords(records), s)
			pi := s.Boundaries
			n, events := make([]int, 4), make([]int, 4)
			sum, right, judged := 0.0, 0, 0
			for i, row := range r.Rows {
				if row.Row != i || row.Outcome != records[i+1][5] {
					t.Fatalf("row %d is %+v", i, row)
				}
				if (row.Probability == nil) != (lossID == "interval") {
					t.Fatalf("%s: probability %v", lossID, row.Probability)
				}
				if row.Split == "train" && v.Kind == "split" {
					continue
				}
				judged++
				k, died := 0, row.Outcome == "died"
				for j, p := range pi {
					if math.Log(p/(1-p)) < row.Score {
						k++
						if !died {
							sum += 2 / float64(len(pi)) * p
						}
					} else if died {
						sum += 2 / float64(len(pi)) * (1 - pi[j])
					}
				}
				if k != row.Stratum {
					t.Fatalf("score %v lies in band %d, not %d", row.Score, k, row.Stratum)
				}
				n[k]++
				if died {
					events[k]++
				}
				if (row.Score > math.Log(0.4/0.6)) == died { // 0.4 is nearest to one half
					right++
				}
			}
			for k, band := range r.Strata {
				if band.N != n[k] || band.Events != events[k] {
					t.Errorf("%s %s: band %d holds %d/%d, rows give %d/%d", v.Kind, lossID, k, band.Events, band.N, events[k], n[k])
				}
			}
			if got, want := *r.Metrics.Test.IntervalLoss, sum/float64(judged); !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("%s %s: ℓ_π %v, rows give %v", v.Kind, lossID, got, want)
			}
			if got, want := *r.Metrics.Test.Accuracy, float64(right)/float64(judged); r.Cut != 0.4 || !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("%s %s: accuracy %v at %v, rows give %v", v.Kind, lossID, got, r.Cut, want)
			}
			if r.Flow.Scored != judged || (lossID == "interval") != (r.Metrics.Test.Brier == nil) {
				t.Errorf("%s %s: %d rows judged, brier %v", v.Kind, lossID, r.Flow.Scored, r.Metrics.Test.Brier)
			}
			b, err := json.Marshal(r)
			if err != nil || len(b) == 0 {
				t.Errorf("%s %s: %v", v.Kind, lossID, err)
			}
		}
	}
}

func TestSameBits(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(150, 9))
	s := clinicSpec()
	s.Validation.Repeats, s.Model.L2 = 2, fit.L2{Mode: "cv"}
	want := mustFit(t, tab, s)
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	for _, n := range []int{1, 3, 8} {
		runtime.GOMAXPROCS(n)
		same(t, strconv.Itoa(n)+" cores", want, mustFit(t, tab, s))
	}
	other := s
	other.Seed++
	if mustFit(t, tab, other).Objective == want.Objective && cmp.Equal(mustFit(t, tab, other).Strata, want.Strata) {
		t.Error("another seed gave the same folds")
	}
}

// TestRunsDoNotTouchEachOther: what a Prepared did before, and at the same
// time, leaves no trace in a result.
func TestRunsDoNotTouchEachOther(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(200, 10))
	s := clinicSpec()
	want := mustFit(t, tab, s)
	want.Trace, want.Pictures, want.Clinical = nil, nil, nil // Fit alone keeps them
	p, err := Prepare(context.Background(), tab, s)
	if err != nil {
		t.Fatal(err)
	}
	specs := make([]runspec.Spec, 12)
	for i := range specs {
		specs[i] = s
		if i%3 != 0 {
			specs[i].Boundaries = []float64{0.05 * float64(i), 0.9}
			specs[i].Model.L2.Value = 0.1 * float64(i%4+1)
		}
	}
	err = parallel.ForEach(context.Background(), len(specs), 0, func(i int) error {
		r, err := p.Run(context.Background(), specs[i], nil)
		if err != nil {
			return err
		}
		if r.Seconds, r.ElapsedS = 0, 0; i%3 == 0 {
			same(t, "an earlier run", want, r)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(*runspec.Spec){func(s *runspec.Spec) { s.Seed++ }, func(s *runspec.Spec) { s.Predictors = s.Predictors[1:] }, func(s *runspec.Spec) { s.Validation.Folds = 3 }} {
		other := s
		change(&other)
		if _, err := p.Run(context.Background(), other, nil); err == nil {
			t.Error("a Prepared took another's spec")
		}
	}
}

// TestFollow: the answers to a moving slider have the numbers of a run, from fewer steps, and leave no trace in it.
func TestFollow(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(300, 12))
	s := clinicSpec()
	p, err := Prepare(context.Background(), tab, s)
	if err != nil {
		t.Fatal(err)
	}
	far, near := 0, 0
	for k := range 12 {
		s.Boundaries = []float64{.1 + .02*float64(k), .6}
		got, err := p.Follow(context.Background(), s, true, nil)
		if err != nil {
			t.Fatal(err)
		}
		after, err := p.Run(context.Background(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := Prepare(context.Background(), tab, s)
		if err != nil {
			t.Fatal(err)
		}
		want, err := fresh.Run(context.Background(), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*Result{got, after, want} {
			r.Seconds, r.ElapsedS = 0, 0
		}
		same(t, "a run after moves", want, after)
		for i, row := range got.Rows {
			if w := want.Rows[i]; math.Abs(row.Score-w.Score) > 1e-7 || row.Stratum != w.Stratum {
				t.Fatalf("%v: row %d has the score %v in band %d, not %v in %d", s.Boundaries, i, row.Score, row.Stratum, w.Score, w.Stratum)
			}
		}
		if k > 0 {
			far, near = far+want.Iterations, near+got.Iterations
		}
	}
	if t.Logf("%d steps, then %d", far, near); near >= far {
		t.Error("starts from the position before save no step")
	}
	s.Model.Loss = "logistic"
	if Follows(s) {
		t.Error("a smooth loss has no start to follow from")
	}
	s.Boundaries = []float64{.3, .6}
	got, err := p.Follow(context.Background(), s, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.Run(context.Background(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	got.Seconds, got.ElapsedS, want.Seconds, want.ElapsedS = 0, 0, 0, 0
	same(t, "logistic", want, got)
}

// TestNothingLeaks corrupts every row of fold 1 but one, its numbers and its
// levels: neither the preprocessing, nor λ, nor the score of the row left
// alone may change.
func TestNothingLeaks(t *testing.T) {
	records := tabletest.Clinic(160, 11)
	s := clinicSpec()
	s.Model.L2 = fit.L2{Mode: "cv"}
	honest := mustFit(t, tabletest.FromRecords(records), s)
	var kept *RowScore
	for i, row := range honest.Rows {
		if row.Split != "1" {
			continue
		}
		if kept == nil {
			kept = &honest.Rows[i]
			continue
		}
		record := slices.Clone(records[row.Row+1])
		record[0], record[1], record[2], record[3] = strconv.Itoa(1e6+i), "", "X"+strconv.Itoa(i), "Z"
		records[row.Row+1] = record
	}
	spoilt := mustFit(t, tabletest.FromRecords(records), s)
	if got := spoilt.Rows[kept.Row]; got.Score != kept.Score || got.Split != "1" {
		t.Errorf("the row left alone scores %v, was %v", got.Score, kept.Score)
	}
	if spoilt.FoldL2[0] != honest.FoldL2[0] {
		t.Errorf("fold 1 chose λ = %v, was %v", spoilt.FoldL2[0], honest.FoldL2[0])
	}
	changed := 0
	for i, row := range spoilt.Rows {
		if row.Split != "1" && row.Score != honest.Rows[i].Score {
			changed++
		}
	}
	if changed == 0 {
		t.Error("spoilt training rows changed no score: the test sees nothing")
	}
}

func TestNestedTuning(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(120, 12))
	s := clinicSpec()
	s.Model.L2, s.Seed = fit.L2{Mode: "cv"}, 3
	r := mustFit(t, tab, s)
	distinct := slices.Clone(r.FoldL2)
	slices.Sort(distinct)
	if len(r.FoldL2) != 5 || len(slices.Compact(distinct)) < 2 {
		t.Errorf("five folds chose λ = %v: the test wants them to differ", r.FoldL2)
	}
	if len(r.Tuning) != 26 || r.Tuning[0].L2 != math.Ldexp(1, -15) || r.Tuning[25].L2 != 1024 {
		t.Fatalf("curve of %d points", len(r.Tuning))
	}
	best, oneSE := 25, 25
	for m := 25; m >= 0; m-- {
		if r.Tuning[m].Mean < r.Tuning[best].Mean-1e-12 {
			best = m
		}
	}
	for r.Tuning[oneSE].Mean > r.Tuning[best].Mean+r.Tuning[best].SE+1e-12 {
		oneSE--
	}
	if r.L2 != r.Tuning[best].L2 || *r.L2OneSE != r.Tuning[oneSE].L2 || r.Optimistic {
		t.Errorf("λ = %v and %v by one SE, the curve says %v and %v", r.L2, *r.L2OneSE, r.Tuning[best].L2, r.Tuning[oneSE].L2)
	}
	s.Model.L2.Mode = "cv-1se"
	if one := mustFit(t, tab, s); one.L2 != *r.L2OneSE || one.L2 < r.L2 {
		t.Errorf("cv-1se took λ = %v, want %v", one.L2, *r.L2OneSE)
	}
	s.Model.L2.Mode, s.Model.Tuning = "cv", "same-folds"
	flat := mustFit(t, tab, s)
	if !flat.Optimistic || !slices.Equal(flat.FoldL2, slices.Repeat([]float64{r.L2}, 5)) || !warned(flat, WarnOptimistic) {
		t.Errorf("same folds: λ = %v, optimistic %v", flat.FoldL2, flat.Optimistic)
	}
}

// TestTuningCurveByHand recomputes one point of the curve: five folds of fits
// at a fixed λ, ℓ_π of the rows held out.
func TestTuningCurveByHand(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(130, 13))
	s := clinicSpec()
	s.Model.L2 = fit.L2{Mode: "cv"}
	curve := mustFit(t, tab, s).Tuning
	s.Model.L2 = fit.L2{Value: curve[9].L2}
	r := mustFit(t, tab, s)
	var sum, n [6]float64
	for _, row := range r.Rows {
		k, _ := strconv.Atoi(row.Split)
		n[k]++
		for j, p := range s.Boundaries {
			switch {
			case row.Outcome == "died" && row.Stratum <= j:
				sum[k] += 2.0 / 3 * (1 - p)
			case row.Outcome != "died" && row.Stratum > j:
				sum[k] += 2.0 / 3 * p
			}
		}
	}
	mean := 0.0
	for k := 1; k <= 5; k++ {
		mean += sum[k] / n[k] / 5
	}
	if !(math.Abs(mean-curve[9].Mean) <= 1e-3) { // a row may sit on a cut-off within the solver's tolerance
		t.Errorf("mean ℓ_π %v at λ = %v, the curve says %v", mean, curve[9].L2, curve[9].Mean)
	}
}

func TestRepeatsAverage(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(150, 14))
	s := clinicSpec()
	first := mustFit(t, tab, s)
	s.Validation.Repeats = 3
	r := mustFit(t, tab, s)
	if !cmp.Equal(r.Strata, first.Strata) || !cmp.Equal(r.Rows, first.Rows) {
		t.Error("strata and rows are not those of the first repeat")
	}
	if cmp.Equal(r.Metrics.Test, first.Metrics.Test) || !(math.Abs(*r.Metrics.Test.AUC-*first.Metrics.Test.AUC) <= 0.05) || len(r.FoldL2) != 15 {
		t.Error("metrics are not means over the repeats")
	}
}

func TestScoreOnlyRows(t *testing.T) {
	records := tabletest.Clinic(200, 15)
	for i := 1; i <= 20; i++ {
		records[i][5] = "lost"
	}
	records[21][5] = ""
	records[22][5] = "moved"
	tab := tabletest.FromRecords(records)
	s := clinicSpec()
	s.Negative, s.ScoreOnly = table.Levels{"alive"}, []string{"lost"}
	r := mustFit(t, tab, s)
	want := Flow{Read: 200, Dropped: []table.Drop{{Kind: table.DropLevel, Reason: `Outcome ‘moved’: neither class, not to be scored.`, Rows: 1}}, NoOutcome: 1,
		ScoreOnly: []table.LevelRows{{Level: "lost", Rows: 20}}, Trained: 178, TrainedEvents: r.Flow.TrainedEvents, Scored: 178, ScoredEvents: r.Flow.TrainedEvents}
	if diff := cmp.Diff(want, r.Flow); diff != "" {
		t.Error(diff)
	}
	if len(r.Rows) != 199 || r.Rows[0].Split != "scored" || r.Rows[0].Outcome != "lost" || r.Rows[20].Outcome != "" || r.Rows[20].Split != "scored" {
		t.Errorf("rows: %d, first %+v", len(r.Rows), r.Rows[0])
	}
	levels := []string{}
	for _, d := range r.Density {
		levels = append(levels, d.Level)
		area := 0.0
		for i := range d.X[1:] {
			area += (d.X[i+1] - d.X[i]) * (d.Y[i] + d.Y[i+1]) / 2
		}
		if d.Trained != (d.Level != "lost") || len(d.X) != 200 || !(math.Abs(area-1) <= 0.03) {
			t.Errorf("density of %s: trained %v, area %v", d.Level, d.Trained, area)
		}
	}
	if !slices.Equal(levels, []string{"alive", "died", "lost"}) {
		t.Errorf("densities of %q", levels)
	}
	// A row that is only scored has no part in the model.
	records[1][0], records[1][2] = "999", "Q"
	again := mustFit(t, tabletest.FromRecords(records), s)
	if again.Objective != r.Objective || again.Rows[100].Score != r.Rows[100].Score || again.Rows[0].Score == r.Rows[0].Score {
		t.Error("a row scored only takes part in training")
	}
}

func TestADNILike(t *testing.T) {
	tab, meta, err := synth.Generate("adni-like", 0, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := runspec.Spec{Outcome: meta.Outcome, Positive: table.Levels{"AD"}, Negative: table.Levels{"NC"}, ScoreOnly: []string{"sMCI", "pMCI"},
		Boundaries: []float64{0.25, 0.5, 0.75}, Validation: runspec.Validation{Kind: "cv", Folds: 2}, Seed: 4}
	r := mustFit(t, tab, s)
	median := map[string]float64{}
	for _, d := range r.Density {
		median[d.Level] = d.Median
	}
	if !(median["NC"] < median["sMCI"] && median["sMCI"] < median["pMCI"] && median["pMCI"] < median["AD"]) {
		t.Errorf("medians %v are not in the order NC, sMCI, pMCI, AD", median)
	}
	if r.Flow.Trained != 411 || len(r.PCA.X) != 411 || len(r.Rows) != 804 {
		t.Errorf("%d rows trained, %d in the scatter plot, %d in all", r.Flow.Trained, len(r.PCA.X), len(r.Rows))
	}
	// The order of all groups is tested, and of those that the model has not seen where there are two.
	var group []int
	var score []float64
	for _, row := range r.Rows {
		if k := slices.Index(s.ScoreOnly, row.Outcome); k >= 0 {
			group, score = append(group, k), append(score, row.Score)
		}
	}
	o := r.ordering(s, r.Rows, nil)
	if !slices.Equal(o.Levels, []string{"NC", "sMCI", "pMCI", "AD"}) || o.N[0]+o.N[3] != 411 || o.N[1]+o.N[2] != 393 || o.Unseen == nil {
		t.Fatalf("the order is tested of %q, %d rows", o.Levels, o.N)
	}
	if diff := cmp.Diff(stat.Trend(group, score), *o.Unseen); diff != "" {
		t.Error(diff)
	}
	one := s
	one.ScoreOnly = []string{"pMCI"}
	if o := r.ordering(one, r.Rows, nil); o.Unseen != nil || !slices.Equal(o.Levels, []string{"NC", "pMCI", "AD"}) {
		t.Errorf("one unseen group has an order: %+v", o)
	}
	// Strata lie along the first component: its mean moves one way from band to
	// band.
	var sum, n [4]float64
	for i, k := range r.PCA.Band {
		sum[k] += r.PCA.X[i]
		n[k]++
	}
	if first, last := sum[0]/n[0], sum[3]/n[3]; math.Abs(first-last) < 3 || (sum[1]/n[1]-first)*(last-first) < 0 || (last-sum[2]/n[2])*(last-first) < 0 {
		t.Errorf("means of PC1 by band: %v of %v rows", sum, n)
	}
}

func TestWeightsReachTheFit(t *testing.T) {
	records := tabletest.Clinic(150, 16)
	records[0] = append(records[0], "w")
	double := [][]string{records[0]}
	for i := 1; i <= 150; i++ {
		w := "1"
		if i%3 == 0 {
			w = "2"
		}
		records[i] = append(records[i], w)
		double = append(double, records[i])
		if w == "2" {
			double = append(double, records[i])
		}
	}
	off := false
	s := clinicSpec()
	s.Predictors, s.Validation.Kind, s.Model.Standardize = []string{"age", "sex"}, "none", &off
	twice := mustFit(t, tabletest.FromRecords(double), s)
	s.Weights = "w"
	r := mustFit(t, tabletest.FromRecords(records), s)
	if !(math.Abs(r.Objective-twice.Objective) <= 3e-6*r.Objective) || !warned(r, WarnWeights) {
		t.Errorf("objective %v with weights, %v with rows twice", r.Objective, twice.Objective)
	}
}

// TestConstantWeights: weights that never vary are called constant and act as none.
func TestConstantWeights(t *testing.T) {
	records := tabletest.Clinic(150, 16)
	records[0] = append(slices.Clone(records[0]), "w")
	for i := range records[1:] {
		records[i+1] = append(slices.Clone(records[i+1]), "7")
	}
	s := clinicSpec()
	s.Predictors, s.Validation.Kind = []string{"age", "sex"}, "none"
	s.Task, s.Boundaries = "binary", nil
	// of a sum
	s.Model = fit.Spec{Kind: "linear", Loss: "t-logistic", Params: map[string]any{"t": 1.3}, L2: fit.L2{Value: 1}}
	without := mustFit(t, tabletest.FromRecords(records), s)
	s.Weights = "w"
	with := mustFit(t, tabletest.FromRecords(records), s)
	if with.Objective != without.Objective {
		t.Errorf("objective %v with weights, %v without", with.Objective, without.Objective)
	}
	for _, w := range with.Warnings {
		if w.Code == WarnWeights && strings.Contains(w.Message, "is constant") {
			return
		}
	}
	t.Errorf("%+v", with.Warnings)
}

// TestSmallNumbersInWarnings: what people read has powers of ten, not the form of a field.
func TestSmallNumbersInWarnings(t *testing.T) {
	got := scattered([]Start{{Start: "zero", Objective: 1.25e-9, Kept: true}, {Start: "random", Objective: 2.5e-5}})
	want := "1 of 2 initialisations ended at a worse minimum (from random: objective 2.5\u202f×\u202f10⁻⁵; kept, from zero: " +
		"1.25\u202f×\u202f10⁻⁹): the objective has several minima, and a better one than the kept may exist."
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
	j := &eventRun{comparison: &comparison{spec: runspec.Spec{Model: fit.Spec{L2: fit.L2{Value: 1e-6}}}}}
	if got, want := j.flat(), "a penalty of λ = 10⁻⁶ shrinks the scores almost to a constant."; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestEdgeWords: the sentence names the parameter, the end, and a number beyond it.
func TestEdgeWords(t *testing.T) {
	for _, c := range []struct {
		edge tune.Edge
		want string
	}{
		{tune.Edge{Value: 1. / 32768}, "λ was chosen at the lower end of its grid, 3.05\u202f×\u202f10⁻⁵: a smaller λ may do better. " +
			"Widen the grid: give λ as a number, for example 1.91e−6, and compare the runs."},
		{tune.Edge{Gamma: true, High: true, Value: 4}, "γ was chosen at the upper end of its grid, 4: a larger γ may do " +
			"better. Widen the grid: give γ as a number, for example 64, and compare the runs."},
	} {
		if got := edgeWords(c.edge); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestGridEdge: a run whose λ lies at the lower end of its grid warns where a smaller one would
// do better, as with classes that a line separates. One where it would not, and one whose model
// is constant at the largest λ, do not.
func TestGridEdge(t *testing.T) {
	for _, c := range []struct {
		name  string
		edges bool
		label func(i int, x, u float64) bool // u: uniform
		l2    float64
	}{
		{"a line separates the classes", true, func(_ int, x, _ float64) bool { return x > 0 }, 1. / 32768},
		{"much to learn of many rows", false, func(_ int, x, u float64) bool { return u < odds.Sigmoid(8*x) }, 1. / 32768},
		{"nothing to learn", false, func(i int, _, _ float64) bool { return i%2 > 0 }, 1024},
	} {
		r := rand.New(rand.NewPCG(3, 1))
		records := [][]string{{"x", "y"}}
		for i := range 2000 {
			x, y := r.NormFloat64(), "no"
			if c.label(i, x, r.Float64()) {
				y = "yes"
			}
			records = append(records, []string{strconv.FormatFloat(x, 'f', 6, 64), y})
		}
		s := runspec.Spec{Dataset: "d", Outcome: "y", Positive: table.Levels{"yes"}, Task: "binary", Seed: 1,
			Model:      fit.Spec{Kind: "linear", Loss: "logistic", L2: fit.L2{Mode: "cv"}},
			Validation: runspec.Validation{Kind: "cv", Folds: 3}}
		if got := mustFit(t, tabletest.FromRecords(records), s); warned(got, WarnGridEdge) != c.edges || got.L2 != c.l2 {
			t.Errorf("%s: λ %v, warnings %+v", c.name, got.L2, got.Warnings)
		}
	}
}

func warned(r *Result, code string) bool {
	return slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Code == code })
}

func TestCancelAndProgress(t *testing.T) {
	testtime.TwoCores(t)
	tab := tabletest.FromRecords(tabletest.Clinic(6000, 17))
	s := clinicSpec()
	s.Model.L2, s.Validation.Repeats = fit.L2{Mode: "cv"}, 20 // minutes of work
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	last := testtime.Spent()
	var cancelled time.Duration
	fraction := 0.0
	report := func(p Progress) {
		now := testtime.Spent()
		if late := now - last; p.Fraction < fraction || p.Message == "" || late > promptly {
			t.Errorf("report %+v after %v, fraction was %v", p, late, fraction)
		}
		last, fraction = now, p.Fraction
		if fraction > 0.001 && cancelled == 0 {
			cancelled = now
			cancel()
		}
	}
	if _, err := Fit(ctx, tab, s, report); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled: %v", err)
	}
	if late := testtime.Spent() - cancelled; late > promptly || fraction > 0.5 {
		t.Errorf("stopped %v after the cancel, at fraction %v", late, fraction)
	}
}

func TestProgressEndsAtOne(t *testing.T) {
	for _, v := range []runspec.Validation{{Kind: "cv", Folds: 3}, {Kind: "split"}, {Kind: "none"}} {
		s := clinicSpec()
		s.Validation, s.Model.L2 = v, fit.L2{Mode: "cv"}
		var last Progress
		if _, err := Fit(context.Background(), tabletest.FromRecords(tabletest.Clinic(100, 18)), s, func(p Progress) { last = p }); err != nil {
			t.Fatal(err)
		}
		if last.Fraction != 1 {
			t.Errorf("%s: the last report says %v", v.Kind, last.Fraction)
		}
	}
}

func BenchmarkRunLive(b *testing.B) {
	s := runspec.Spec{Outcome: "diagnosis", Positive: table.Levels{"malignant"}, Boundaries: []float64{0.25, 0.5, 0.75}, Seed: 7, Model: fit.Spec{L2: fit.L2{Value: 0.003}}}
	p, err := Prepare(context.Background(), shipped(b, "wdbc.csv"), s)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s.Boundaries[0] += 1e-4
		if _, err := p.Run(context.Background(), s, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNested is a whole run with nested tuning: 30 paths of 26 λ for the
// interval model and as many for logistic regression.
func BenchmarkNested(b *testing.B) {
	tab, meta, err := synth.Generate("gmm", 1000, 1, nil)
	if err != nil {
		b.Fatal(err)
	}
	noise, _, err := synth.Generate("adni-like", 1000, 2, nil)
	if err != nil {
		b.Fatal(err)
	}
	tab.Columns = append(tab.Columns, noise.Columns[:28]...)
	s := runspec.Spec{Outcome: meta.Outcome, Positive: table.Levels{meta.Positive}, Boundaries: []float64{0.1, 0.2, 0.4}, Seed: 7}
	for b.Loop() {
		if _, err := Fit(context.Background(), tab, s, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// TestRejectMode: with boundaries a and b a rejected event costs b's 1 − b and a rejected
// non-event a; the cost named is their mean, and the loss counts them apart.
func TestRejectMode(t *testing.T) {
	s := clinicSpec()
	s.Task, s.Mode, s.Boundaries, s.Model.Loss = "interval", "reject", []float64{.2, .6}, "interval"
	r := mustFit(t, tabletest.FromRecords(tabletest.Clinic(240, 5)), s)
	// By band and event: a missed event pays 1 − π at each boundary above it, a false alarm π
	// at each below.
	price := map[bool][3]float64{true: {.8 + .4, .4, 0}, false: {0, .2, .2 + .6}}
	var loss float64
	accepted, errors, rejectedEvents := 0, 0, 0
	judged := 0
	for _, row := range r.Rows {
		if row.Split == "scored" {
			continue
		}
		judged++
		event := row.Outcome == "died"
		loss += price[event][row.Stratum]
		switch {
		case row.Stratum != 1:
			accepted++
			if (row.Stratum == 2) != event {
				errors++
			}
		case event:
			rejectedEvents++
		}
	}
	got := r.Reject
	if got == nil || !(math.Abs(got.Cost-(.2+.4)/2) <= 1e-15) || !(math.Abs(got.Loss-loss/float64(judged)) <= 1e-12) ||
		got.Accepted != accepted || got.Errors != errors || got.RejectedEvents != rejectedEvents || rejectedEvents == 0 || errors == 0 {
		t.Errorf("%+v; the rows say %d accepted, %d wrong, %d rejected events, loss %v of %d", got, accepted, errors, rejectedEvents,
			loss/float64(judged), judged)
	}
}

// TestTrainingRowsRankNoModel: a run without validation has differences to other models without intervals, standard
// errors and tests, as its rows trained the models; one with folds has them.
func TestTrainingRowsRankNoModel(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(300, 8))
	classes := generated(t, "ordinal-stripes", 120, nil)
	for _, v := range []runspec.Validation{{Kind: "cv", Folds: 3}, {Kind: "none"}} {
		ranks := v.Kind == "cv"
		s := clinicSpec()
		s.Boundaries, s.Model, s.Validation = []float64{.3}, fit.Spec{Kind: "boost", Loss: "alpha", Rounds: 20}, v
		r := mustFit(t, tab, s)
		c := r.Clinical
		for name, e := range map[string]stat.Estimate{"loss": r.LossDifference(r.Beside[1]), "NRI": *c.Reclassified.NRI,
			"NRI of events": c.Reclassified.Events.Net, "up": c.Reclassified.Others.Up, "AUC": c.AUC.Difference,
			"paired AUC": c.Paired.AUC.Difference, "Brier": c.Paired.Brier.Difference} {
			if e.Value == nil || (e.Low != nil) != ranks {
				t.Errorf("%s, %s: %+v", v.Kind, name, e)
			}
		}
		if (c.AUC.P != nil) != ranks || (c.Paired.LogLoss.SE != nil) != ranks || c.AUC.A.Low == nil {
			t.Errorf("%s: %+v, %+v", v.Kind, c.AUC, c.Paired.LogLoss)
		}
		s = runspec.Spec{Outcome: "y", Task: "ordinal", Model: fit.Spec{Loss: "al-ordinal", L2: fit.L2{Value: .01}}, Seed: 11, Validation: v}
		if e := fitOf(t, classes, s).Classes.Beside[1].CostDifference(); e.Value == nil || (e.Low != nil) != ranks {
			t.Errorf("%s, classes: %+v", v.Kind, e)
		}
	}
}
