package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"taper/internal/engine/check"
	"taper/internal/engine/external"
	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/model"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/task"
	"taper/internal/testtime"
)

func irisSpec(task, loss string) runspec.Spec {
	return runspec.Spec{Outcome: "species", Task: task, Model: fit.Spec{Loss: loss, L2: fit.L2{Value: 1. / 64}}, Seed: 3}
}

func fitOf(t *testing.T, tbl *table.Table, s runspec.Spec) *Result {
	t.Helper()
	r, err := Fit(context.Background(), tbl, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// generated is a table of a generator.
func generated(t *testing.T, id string, rows int, params map[string]float64) *table.Table {
	t.Helper()
	return tabletest.FromRecords(simulated(t, id, rows, params))
}

func simulated(t *testing.T, id string, rows int, params map[string]float64) [][]string {
	t.Helper()
	set, _, err := synth.Generate(id, rows, 5, params)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := synth.WriteCSV(&b, set); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// TestIrisIsThatOfThePaper holds the linear adversarial zero-one loss, tuned
// inside each fold, to Fathony et al. 2018, Table 2: 96.3 ± 3.1 % over 20 splits, and
// Lee, Lin and Wahba's to 79.7 %.
func TestIrisIsThatOfThePaper(t *testing.T) {
	long(t)
	tbl := shipped(t, "iris.csv")
	for loss, want := range map[string]float64{"al-zero-one": .963, "llw": .797} {
		s := irisSpec("multiclass", loss)
		s.Model.L2 = fit.L2{Mode: "cv"}
		r := fitOf(t, tbl, s)
		if got := *r.Classes.Metrics.Test.Accuracy; !(math.Abs(got-want) <= .031) {
			t.Errorf("%s: accuracy %.3f, the paper has %.3f", loss, got, want)
		}
		if len(r.FoldL2) != 5 || len(r.Tuning) < 9 || r.Stopped != "gap" {
			t.Errorf("%s: %d λ of folds, %d points, stopped by %q", loss, len(r.FoldL2), len(r.Tuning), r.Stopped)
		}
	}
}

// TestIrisAbstains holds the abstention loss to Fathony et al. 2018, Table 6: .037.
func TestIrisAbstains(t *testing.T) {
	long(t)
	s := irisSpec("abstain", "al-abstain")
	s.Model.L2 = fit.L2{Mode: "cv"}
	r := fitOf(t, shipped(t, "iris.csv"), s)
	m := r.Classes.Metrics.Test
	if !(math.Abs(*m.AbstentionLoss-.037) <= .02) || *m.AbstentionRate == 0 {
		t.Errorf("loss %.3f at a rate of %.3f", *m.AbstentionLoss, *m.AbstentionRate)
	}
	if !(math.Abs(r.Classes.Cost-*m.AbstentionLoss) <= 1e-12) || len(r.Classes.Coverage) < 2 {
		t.Errorf("cost %v beside the loss %v, %d points of coverage", r.Classes.Cost, *m.AbstentionLoss, len(r.Classes.Coverage))
	}
}

// TestSeveralOracle fits the exact optima of an independent solver through a
// run: the objective of standardize = false on all rows.
func TestSeveralOracle(t *testing.T) {
	raw, err := os.ReadFile("../../testdata/oracle/al-fit.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Name   string
			Params struct {
				Loss, Features string
				Lambda         float64
				Alpha          *float64
			}
			Inputs struct {
				X     [][]float64
				Label []int
			}
			Expected struct {
				Objective string
			}
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	off, seen := false, 0
	for _, c := range file.Cases {
		task := map[string]string{"al-abstain": "abstain", "al-ordinal": "ordinal", "al-squared": "ordinal"}[c.Params.Loss]
		if c.Params.Features != "th" && c.Params.Features != "mc" {
			continue // two classes
		}
		seen++
		records := [][]string{{"y", "x1", "x2"}}
		for i, x := range c.Inputs.X {
			records = append(records, []string{strconv.Itoa(c.Inputs.Label[i]), fmt.Sprint(x[0]), fmt.Sprint(x[1])})
		}
		s := runspec.Spec{Outcome: "y", Task: cmp.Or(task, "multiclass"), Predictors: []string{"x1", "x2"}, Validation: runspec.Validation{Kind: "none"},
			Model: fit.Spec{Loss: c.Params.Loss, Features: c.Params.Features, L2: fit.L2{Value: c.Params.Lambda}, Standardize: &off}}
		if c.Params.Features == "mc" { // the oracle has no constant feature, as a kernel has none
			s.Model.Kind, s.Model.Kernel = "kernel", &fit.Kernel{Name: "linear"}
		}
		if c.Params.Alpha != nil {
			s.Model.Params = map[string]any{"alpha": *c.Params.Alpha}
		}
		r := fitOf(t, tabletest.FromRecords(records), s)
		want, err := strconv.ParseFloat(c.Expected.Objective, 64)
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(r.Objective-want) <= 2e-6*want) {
			t.Errorf("%s: objective %.9f, want %.9f", c.Name, r.Objective, want)
		}
	}
	if seen != 16 {
		t.Errorf("%d cases, want 16", seen)
	}
}

// TestClassOrderDoesNotMatter gives the classes in another order: nothing but
// their places changes.
func TestClassOrderDoesNotMatter(t *testing.T) {
	tbl := generated(t, "blobs", 150, map[string]float64{"k": 3})
	a := runspec.Spec{Outcome: "y", Task: "multiclass", Model: fit.Spec{L2: fit.L2{Value: .02}}, Seed: 3, Validation: runspec.Validation{Kind: "none"}}
	one := fitOf(t, tbl, a)
	b := a
	b.Levels = slices.Clone(one.Classes.Levels)
	slices.Reverse(b.Levels)
	two := fitOf(t, tbl, b)
	if !slices.Equal(two.Classes.Levels, b.Levels) {
		t.Fatalf("levels %v, want %v", two.Classes.Levels, b.Levels)
	}
	if !(math.Abs(one.Objective-two.Objective) <= 2e-6*one.Objective) {
		t.Errorf("objectives %v and %v", one.Objective, two.Objective)
	}
	k := len(b.Levels)
	wrong := 0
	for i, x := range one.Classes.Metrics.Test.Confusion {
		for j, n := range x {
			wrong += max(0, n-two.Classes.Metrics.Test.Confusion[k-1-i][k-1-j])
		}
	}
	if wrong > 1 { // a row on the boundary may fall either way
		t.Errorf("confusion %v and, reversed, %v", one.Classes.Metrics.Test.Confusion, two.Classes.Metrics.Test.Confusion)
	}
}

// TestSeveralSameBits fits on one core and on two.
func TestSeveralSameBits(t *testing.T) {
	tbl := generated(t, "ordinal-stripes", 120, nil)
	for _, m := range []fit.Spec{{Loss: "al-ordinal", L2: fit.L2{Mode: "cv"}}, {Loss: "softmax", L2: fit.L2{Mode: "cv-1se"}}, {Kind: "kernel", Loss: "al-ordinal", Features: "mc", L2: fit.L2{Value: .01}, Kernel: &fit.Kernel{Name: "rbf", Gamma: .5}}} {
		s := runspec.Spec{Outcome: "y", Task: "ordinal", Model: m, Seed: 11, Noise: runspec.Noise{Kind: "symmetric", Rate: .1}, Validation: runspec.Validation{Kind: "cv", Folds: 3}}
		var texts []string
		for _, cores := range []int{1, 2} {
			before := runtime.GOMAXPROCS(cores)
			r := fitOf(t, tbl, s)
			runtime.GOMAXPROCS(before)
			r.Seconds, r.ElapsedS = 0, 0
			b, err := json.Marshal(struct {
				*Result
				Rows []RowScore
			}{r, r.Rows})
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(b))
		}
		if texts[0] != texts[1] {
			t.Errorf("%s: two cores give other bits than one", m.Loss)
		}
	}
}

// TestSeveralCancel stops a long tuning.
func TestSeveralCancel(t *testing.T) {
	testtime.TwoCores(t)
	tbl := generated(t, "blobs", 1500, map[string]float64{"k": 5})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var told time.Duration
	_, err := Fit(ctx, tbl, runspec.Spec{Outcome: "y", Task: "multiclass", Model: fit.Spec{Kind: "kernel"}, Seed: 1}, func(p Progress) {
		if p.Fraction > 0 && told == 0 {
			told = testtime.Spent()
			cancel()
		}
	})
	if late := testtime.Spent() - told; !errors.Is(err, context.Canceled) || late > promptly {
		t.Errorf("%v, %v after the cancel", err, late)
	}
}

// TestSeveralNoise flips nested sets of labels, each to one of the other
// classes, and only where they train.
func TestSeveralNoise(t *testing.T) {
	tbl := shipped(t, "iris.csv")
	labels := func(rate float64) ([]int, []int) {
		s := irisSpec("multiclass", "ww")
		s.Noise = runspec.Noise{Kind: "random", Rate: rate}
		p, err := Prepare(context.Background(), tbl, s)
		if err != nil {
			t.Fatal(err)
		}
		trains := make([]int, len(p.Cohort.Rows))
		for at := range trains {
			trains[at] = p.LabelOf(at)
		}
		return trains, p.Cohort.Label
	}
	few, clean := labels(.1)
	many, _ := labels(.4)
	to := map[[2]int]int{}
	n, m := 0, 0
	for i := range clean {
		if few[i] != clean[i] {
			n++
			if many[i] != few[i] {
				t.Errorf("row %d: %d at 10 %%, %d at 40 %%", i, few[i], many[i])
			}
		}
		if many[i] != clean[i] {
			m++
			to[[2]int{clean[i], many[i]}]++
		}
	}
	if n != 15 || m != 60 || len(to) != 6 {
		t.Errorf("%d and %d labels flipped, want 15 and 60; %v", n, m, to)
	}
}

// TestSeveralFolds keeps groups whole and gives every training part every
// class.
func TestSeveralFolds(t *testing.T) {
	records := [][]string{{"x", "ward", "y"}}
	for i := range 90 {
		records = append(records, []string{strconv.Itoa(i * 7 % 23), "w" + strconv.Itoa(i/3), "abc"[i%3 : i%3+1]})
	}
	s := runspec.Spec{Outcome: "y", Task: "multiclass", Group: "ward", Predictors: []string{"x"}, Model: fit.Spec{L2: fit.L2{Value: .1}}, Seed: 4}
	p, err := Prepare(context.Background(), tabletest.FromRecords(records), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range p.Parts[0] {
		in := map[int]bool{}
		for _, at := range q.Train() {
			in[p.Cohort.Group[at]] = true
		}
		var n [3]int
		for _, at := range q.Test() {
			if in[p.Cohort.Group[at]] {
				t.Fatalf("fold %s shares a group with its training part", q.Name)
			}
			n[p.Cohort.Label[at]]++
		}
		if n != [3]int{6, 6, 6} {
			t.Errorf("fold %s holds %v of the classes", q.Name, n)
		}
	}
}

// severalPortables are a model of each kind of answer.
func severalPortables() map[string]runspec.Spec {
	off := 1. / 32
	spec := func(task string, m fit.Spec) runspec.Spec {
		m.L2 = fit.L2{Value: off}
		return runspec.Spec{Outcome: "y", Task: task, Model: m, Seed: 2, Validation: runspec.Validation{Kind: "split", Test: .4}}
	}
	return map[string]runspec.Spec{
		"al":       spec("multiclass", fit.Spec{}),
		"softmax":  spec("multiclass", fit.Spec{Loss: "softmax"}),
		"median":   spec("ordinal", fit.Spec{Loss: "softmax"}),
		"tempered": spec("abstain", fit.Spec{Loss: "tempered-multiclass", Params: map[string]any{"t1": .7, "t2": 1.3}}),
		"th":       spec("ordinal", fit.Spec{}),
		"at":       spec("ordinal", fit.Spec{Loss: "all-threshold"}),
		"lead":     spec("abstain", fit.Spec{}),
		"price":    spec("ordinal-abstain", fit.Spec{}),
		"prices":   spec("ordinal-abstain", fit.Spec{Loss: "softmax"}),
		"cs":       spec("abstain", fit.Spec{Loss: "cs"}),
		"ova":      spec("abstain", fit.Spec{Loss: "ova"}),
		"kernel":   spec("multiclass", fit.Spec{Kind: "kernel", Kernel: &fit.Kernel{Name: "rbf", Gamma: .3}}),

		"costs": spec("multiclass", fit.Spec{Loss: "al-cost", Params: costs(
			[]float64{0, 1, 2, 3, 4}, []float64{2, 0, 1, 2, 3}, []float64{4, 2, 0, 1, 2}, []float64{6, 4, 2, 0, 1}, []float64{9, 6, 4, 2, 0})}),
		"costs of order": spec("ordinal", fit.Spec{Loss: "al-cost", Params: costs(
			[]float64{0, 1, 4, 9, 16}, []float64{1, 0, 1, 4, 9}, []float64{4, 1, 0, 1, 4}, []float64{9, 4, 1, 0, 1}, []float64{16, 9, 4, 1, 0})}),
		"costs of no answer": spec("abstain", fit.Spec{Loss: "al-cost", Params: costs(
			[]float64{0, 1, 1, 1, 2}, []float64{1, 0, 1, 1, 1}, []float64{1, 1, 0, 1, 1}, []float64{1, 1, 1, 0, 1}, []float64{3, 1, 1, 1, 0}, []float64{.4, .3, .3, .3, .4})}),
		"costs of a kernel": spec("multiclass", fit.Spec{Loss: "al-cost", Kind: "kernel", Kernel: &fit.Kernel{Name: "rbf", Gamma: .3}, Params: costs(
			[]float64{0, 1, 1, 1, 1}, []float64{1, 0, 1, 1, 1}, []float64{1, 1, 0, 1, 1}, []float64{1, 1, 1, 0, 1}, []float64{5, 5, 5, 5, 0})}),
	}
}

func costs(rows ...[]float64) map[string]any { return map[string]any{"matrix": rows} }

// TestCostsAreTheTasks: a loss of any costs whose spec gives no matrix learns by what the
// answers of the task cost, and finds what the loss made for them finds.
func TestCostsAreTheTasks(t *testing.T) {
	tbl := generated(t, "ordinal-stripes", 120, nil)
	for _, c := range []struct{ task, own string }{
		{"multiclass", "al-zero-one"}, {"ordinal", "al-ordinal"}, {"abstain", "al-abstain"},
	} {
		spec := runspec.Spec{Outcome: "y", Task: c.task, Validation: runspec.Validation{Kind: "none"},
			Model: fit.Spec{Loss: "al-cost", Features: "mc", L2: fit.L2{Value: .02}}}
		if c.task != "ordinal" {
			spec.Model.Features = ""
		}
		any := fitOf(t, tbl, spec)
		spec.Model.Loss = c.own
		own := fitOf(t, tbl, spec)
		if !(math.Abs(any.Objective-own.Objective) <= 1e-5*own.Objective) {
			t.Errorf("%s: objective %v, that of %s is %v", c.task, any.Objective, c.own, own.Objective)
		}
		if any.Classes.Criterion != own.Classes.Criterion || !reflect.DeepEqual(any.Model.Params["matrix"], own.Model.Costs) {
			t.Errorf("%s: %s by %v, %s of %s by %v", c.task, any.Classes.Criterion, any.Model.Params, own.Classes.Criterion,
				c.own, own.Model.Costs)
		}
	}
}

// TestOrdinalAbstains fits ordered classes with no answer at a price: what the rows cost
// counted one by one, all answered as without that answer where it is dear, and none where
// it is for nothing.
func TestOrdinalAbstains(t *testing.T) {
	tbl := generated(t, "ordinal-stripes", 150, nil)
	at := func(loss string, price float64) *Result {
		s := runspec.Spec{Outcome: "y", Task: "ordinal-abstain", Price: &price, Model: fit.Spec{Loss: loss, L2: fit.L2{Value: .02}},
			Validation: runspec.Validation{Kind: "cv", Folds: 3}}
		return fitOf(t, tbl, s)
	}
	for _, loss := range []string{"al-cost", "softmax"} {
		for _, price := range []float64{.4, .8} {
			r := at(loss, price)
			m, total, none := r.Classes.Metrics.Test, 0.0, 0
			for _, row := range r.Rows {
				if row.Predicted == stat.Abstained {
					total, none = total+price, none+1
					continue
				}
				total += math.Abs(float64(row.Predicted - slices.Index(r.Classes.Levels, row.Outcome)))
			}
			n := float64(len(r.Rows))
			if !(math.Abs(r.Classes.Cost-total/n) <= 1e-12) || !(math.Abs(*m.AbstentionLoss-total/n) <= 1e-12) ||
				!(math.Abs(*m.AbstentionRate-float64(none)/n) <= 1e-12) || none == 0 || none == len(r.Rows) {
				t.Errorf("%s at %v: cost %v, loss %v, rate %v; by the rows %v and %d of %d without an answer", loss, price,
					r.Classes.Cost, *m.AbstentionLoss, *m.AbstentionRate, total/n, none, len(r.Rows))
			}
			if r.Classes.Criterion != "abstention loss" || len(r.Classes.Coverage) < 2 {
				t.Errorf("%s: tuned by the %s, %d points of coverage", loss, r.Classes.Criterion, len(r.Classes.Coverage))
			}
		}
	}
	dear := at("al-cost", 100)
	plain := fitOf(t, tbl, runspec.Spec{Outcome: "y", Task: "ordinal", Model: fit.Spec{L2: fit.L2{Value: .02}},
		Validation: runspec.Validation{Kind: "cv", Folds: 3}})
	if m := dear.Classes.Metrics.Test; *m.AbstentionRate != 0 || !(math.Abs(dear.Objective-plain.Objective) <= 1e-4*plain.Objective) ||
		!(math.Abs(*m.MAE-*plain.Classes.Metrics.Test.MAE) <= .02) {
		t.Errorf("at 100: rate %v, objective %v beside %v, error %v beside %v", *m.AbstentionRate, dear.Objective,
			plain.Objective, *m.MAE, *plain.Classes.Metrics.Test.MAE)
	}
	if m := at("al-cost", 0).Classes.Metrics.Test; *m.AbstentionRate != 1 || *m.AbstentionLoss != 0 || m.Accuracy != nil {
		t.Errorf("for nothing: %v", m)
	}
}

// TestPriceOfNoAnswer: the price has a default, must be in its range, and belongs to a task
// that has one, which makes its costs of it.
func TestPriceOfNoAnswer(t *testing.T) {
	tbl, price := shipped(t, "iris.csv"), func(v float64) *float64 { return &v }
	if s := irisSpec("ordinal-abstain", "").WithDefaults(); s.Model.Loss != "al-cost" || s.Model.Features != "th" || *s.Price != .5 {
		t.Errorf("%+v", s)
	}
	if s := irisSpec("ordinal", "").WithDefaults(); s.Price != nil {
		t.Errorf("ordinal has the price %v", *s.Price)
	}
	for _, c := range []struct {
		name, want string
		change     func(*runspec.Spec)
	}{
		{"below", "price must be between 0 and 1000 (got -1)", func(s *runspec.Spec) { s.Price = price(-1) }},
		{"above", "price must be between 0 and 1000 (got 1001)", func(s *runspec.Spec) { s.Price = price(1001) }},
		{"of another task", `price belongs to task ordinal-abstain (got task ‘ordinal’)`,
			func(s *runspec.Spec) { s.Task, s.Model.Loss, s.Price = "ordinal", "al-ordinal", price(1) }},
		{"of two classes", "price belongs to task ordinal-abstain", func(s *runspec.Spec) { s.Task, s.Price = "binary", price(1) }},
		{"beside a matrix", "model.params.matrix belongs to other tasks", func(s *runspec.Spec) {
			s.Model.Params = costs([]float64{0, 1, 1}, []float64{1, 0, 1}, []float64{1, 1, 0}, []float64{.5, .5, .5})
		}},
		{"a loss that weighs no answer", "model.loss must be one of al-cost, softmax, tempered-multiclass",
			func(s *runspec.Spec) { s.Model.Loss = "al-ordinal" }},
	} {
		s := irisSpec("ordinal-abstain", "al-cost")
		c.change(&s)
		if err := s.Validate(tbl); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestSeveralModelScores scores the rows of a run from its model.json, by the
// engine and by score.py.
func TestSeveralModelScores(t *testing.T) {
	records := simulated(t, "ordinal-stripes", 140, nil)
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(records); err != nil {
		t.Fatal(err)
	}
	for name, s := range severalPortables() {
		t.Run(name, func(t *testing.T) {
			r := fitOf(t, tabletest.FromRecords(records), s)
			text, err := json.Marshal(r.Model)
			if err != nil {
				t.Fatal(err)
			}
			m := new(model.Model)
			if err := json.Unmarshal(text, m); err != nil {
				t.Fatal(err)
			}
			scorer, err := m.Scorer()
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range r.Rows {
				p := scorer.Score(cells(records[0], records[row.Row+1])).Classes
				if p.Class != row.Predicted || !slices.Equal(p.Scores, row.Scores) || !slices.Equal(p.Probabilities, row.Probabilities) {
					t.Fatalf("row %d: the model says %+v, the run %+v", row.Row, p, row)
				}
			}
			far := append(slices.Clone(b.Bytes()), strings.Repeat("1e6,", len(records[0])-1)+"\n"...)
			scoreElsewhere(t, r, text, far)
			farAway(t, r.Model, strings.Join(records[0], ",")+"\n"+string(far[b.Len():]))
		})
	}
}

// farAway predicts one row far outside the data: no class, no probability, the
// scores alone.
func farAway(t *testing.T, m *model.Model, file string) {
	t.Helper()
	out, err := csv.NewReader(strings.NewReader(written(t, m, file))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(out[0], "prediction")
	k := len(m.Levels)
	if out[1][at] != check.OutsideData || out[1][at-1] == "" != (m.Link != loss.LinkNone) || slices.Contains(out[0], "probability_"+m.Levels[0]) != (m.Link != loss.LinkNone) {
		t.Errorf("a row far away: %v, %v", out[0], out[1])
	}
	if first := slices.Index(out[0], "score_"+m.Levels[0]); slices.Contains(out[1][first:first+k], "") {
		t.Errorf("a row far away has no scores: %v", out[1])
	}
	scorer, _ := m.Scorer()
	text, err := json.Marshal(scorer.Score(func(string) (string, bool) { return "1e6", true }))
	if err != nil || !strings.Contains(string(text), `"prediction":null,"abstained":false,"outside":true`) || !strings.Contains(string(text), `"probabilities":null,"mixture":null`) {
		t.Errorf("as JSON: %s, %v", text, err)
	}
}

// scoreElsewhere holds score.py to the rows of a multiclass run, and
// to the row after them, which is far outside the data.
func scoreElsewhere(t *testing.T, r *Result, text, data []byte) {
	t.Helper()
	var modules []string
	if r.Model.Rule == task.RuleMixture {
		modules = append(modules, "scipy") // its answer is a linear program
	}
	python := pythonWith(t, modules...)
	dir := t.TempDir()
	modelFile, file := filepath.Join(dir, "m.json"), filepath.Join(dir, "d.csv")
	if os.WriteFile(modelFile, text, 0o600) != nil || os.WriteFile(file, data, 0o600) != nil {
		t.Fatal("cannot write")
	}
	out, err := exec.Command(python, "portable/score.py", modelFile, file).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil || len(lines) != bytes.Count(data, []byte("\n")) || !slices.Equal(lines[0], model.ClassColumns(r.Model.Levels)) {
		t.Fatalf("%d lines, head %v, %v", len(lines), lines[0], err)
	}
	k := len(r.Model.Levels)
	if last := lines[len(lines)-1]; last[2*k] != check.OutsideData || last[2*k-1] != "" || last[0] == "" {
		t.Errorf("score.py of a row far away: %v", last)
	}
	for _, row := range r.Rows {
		got := lines[row.Row+1]
		answer := model.AbstainText
		if row.Predicted != stat.Abstained {
			answer = r.Model.Levels[row.Predicted]
		}
		if got[2*k] != answer {
			t.Errorf("row %d: score.py answers %s, the run %s", row.Row, got[2*k], answer)
		}
		for c := range k {
			if v, _ := strconv.ParseFloat(got[c], 64); !(math.Abs(v-row.Scores[c]) <= 1e-9*(1+math.Abs(v))) {
				t.Errorf("row %d: score.py scores %v, the run %v", row.Row, v, row.Scores[c])
			}
			if row.Probabilities != nil {
				if v, _ := strconv.ParseFloat(got[k+c], 64); !(math.Abs(v-row.Probabilities[c]) <= 1e-9) {
					t.Errorf("row %d: score.py gives P = %v, the run %v", row.Row, v, row.Probabilities[c])
				}
			}
		}
	}
}

// TestSeveralRefuses names what is wrong.
func TestSeveralRefuses(t *testing.T) {
	tbl := shipped(t, "iris.csv")
	for field, change := range map[string]func(*runspec.Spec){
		"positive":       func(s *runspec.Spec) { s.Positive = table.Levels{"setosa"} },
		"boundaries":     func(s *runspec.Spec) { s.Boundaries = []float64{.5} },
		"levels[1]":      func(s *runspec.Spec) { s.Levels = []string{"setosa", "rose"} },
		"levels":         func(s *runspec.Spec) { s.Levels = []string{"setosa"} },
		"score_only[0]":  func(s *runspec.Spec) { s.Levels, s.ScoreOnly = []string{"setosa", "virginica"}, []string{"setosa"} },
		"model.loss":     func(s *runspec.Spec) { s.Model.Loss = "al-abstain" },
		"model.kind":     func(s *runspec.Spec) { s.Model.Kind = "boost" },
		"model.features": func(s *runspec.Spec) { s.Model.Features = "th" },
		"model.solver":   func(s *runspec.Spec) { s.Model.Solver = "newton" },
		"model.params.matrix": func(s *runspec.Spec) {
			s.Model.Loss, s.Model.Params = "al-cost", map[string]any{"matrix": [][]float64{{0, 1}, {1, 0}}}
		},
		"model.kernel.gamma": func(s *runspec.Spec) { s.Model.Kind, s.Model.Kernel = "kernel", &fit.Kernel{Name: "rbf", Gamma: -1.} },
		"noise.kind":         func(s *runspec.Spec) { s.Noise = runspec.Noise{Kind: "class", RatePositive: .1} },
		"bins":               func(s *runspec.Spec) { s.Bins = &runspec.Bins{Count: 3} },
		"validation.folds":   func(s *runspec.Spec) { s.Validation = runspec.Validation{Kind: "cv", Folds: 99} },
	} {
		s := irisSpec("multiclass", "al-zero-one")
		change(&s)
		err := s.Validate(tbl)
		if err == nil || !strings.Contains(err.Error(), field+" ") {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// TestSeveralEvaluates evaluates the model on its own rows as another file, and
// follows every row of a run to its metrics.
func TestSeveralEvaluates(t *testing.T) {
	r := fitOf(t, shipped(t, "iris.csv"), irisSpec("multiclass", "softmax"))
	right := 0
	for _, row := range r.Rows {
		if r.Classes.Levels[row.Predicted] == row.Outcome {
			right++
		}
		if !(math.Abs(sum(row.Probabilities)-1) <= 1e-12) {
			t.Fatalf("row %d: probabilities add up to %v", row.Row, sum(row.Probabilities))
		}
	}
	if got := *r.Classes.Metrics.Test.Accuracy; !(math.Abs(got-float64(right)/150) <= 1e-12) {
		t.Errorf("accuracy %v, the rows say %d of 150", got, right)
	}
	data, err := os.ReadFile("../../testdata/csv/iris.csv")
	if err != nil {
		t.Fatal(err)
	}
	e, err := external.EvaluateCSV(context.Background(), r.Model, data, model.PredictOptions{}, external.EvaluateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if e.Rows != 150 || *e.Classes.Accuracy != *r.Classes.Metrics.Train.Accuracy {
		t.Errorf("%d rows at %v, the run has %v", e.Rows, *e.Classes.Accuracy, *r.Classes.Metrics.Train.Accuracy)
	}
	var out bytes.Buffer
	var seen model.Summary
	if err := model.PredictCSV(context.Background(), r.Model, data, &out, model.PredictOptions{Summary: &seen}); err != nil {
		t.Fatal(err)
	}
	lines, _ := csv.NewReader(&out).ReadAll()
	if want := append([]string{"sepal_length", "sepal_width", "petal_length", "petal_width", "species"}, append(model.ClassColumns(r.Classes.Levels), "warning")...); !slices.Equal(lines[0], want) || seen.Rows != 150 {
		t.Errorf("head %v, %d rows", lines[0], seen.Rows)
	}
}

// manyValues has a numeric outcome of more distinct values than a column may
// have levels, and one of them missing.
func manyValues(n int) [][]string {
	rng := rand.New(rand.NewPCG(4, 0))
	rows := [][]string{{"x", "value"}}
	for i := range n {
		x := rng.NormFloat64()
		value := strconv.FormatFloat(20+5*x+rng.NormFloat64(), 'f', 3, 64)
		if i == 7 {
			value = ""
		}
		rows = append(rows, []string{strconv.FormatFloat(x, 'f', 3, 64), value})
	}
	return rows
}

// TestBinsOfManyValues cuts an outcome that has too many values for levels:
// every row present trains and counts, the one without an outcome is scored.
func TestBinsOfManyValues(t *testing.T) {
	tbl := tabletest.FromRecords(manyValues(120))
	if c := tbl.Column("value"); c.Code != nil || len(c.Levels) > 0 {
		t.Fatal("the outcome has levels: the test says nothing")
	}
	for _, by := range []string{"length", "frequency"} {
		s := runspec.Spec{Outcome: "value", Task: "ordinal", Bins: &runspec.Bins{Count: 5, By: by}, Seed: 2}
		r := fitOf(t, tbl, s)
		if f := r.Flow; f.Trained != 119 || f.Scored != 119 || f.NoOutcome != 1 || len(f.Dropped)+len(f.ScoreOnly) > 0 {
			t.Errorf("%s: %+v", by, f)
		}
		n := 0
		for _, c := range r.Classes.Rows {
			n += c.Scored
		}
		if n != 119 || len(r.Rows) != 120 {
			t.Errorf("%s: %d rows in classes, %d listed", by, n, len(r.Rows))
		}
		if by == "frequency" && (r.Classes.Rows[0].Scored < 23 || r.Classes.Rows[0].Scored > 24) {
			t.Errorf("the first of five classes of equal frequency holds %d of 119 rows", r.Classes.Rows[0].Scored)
		}
	}
}

// TestMeansHaveNoInterval: metrics of a repeated cross-validation have no interval from the counts of its first repeat,
// right after the run and when its stored result is read, also where every repeat has the same metrics.
func TestMeansHaveNoInterval(t *testing.T) {
	tbl := generated(t, "ordinal-stripes", 120, nil)
	s := runspec.Spec{Outcome: "y", Task: "ordinal", Model: fit.Spec{Loss: "al-ordinal", L2: fit.L2{Value: 100}}, Seed: 11}
	for repeats, has := range map[int]bool{1: true, 2: false} {
		s.Validation = runspec.Validation{Kind: "cv", Folds: 3, Repeats: repeats}
		made := fitOf(t, tbl, s)
		text, err := json.Marshal(made)
		if err != nil {
			t.Fatal(err)
		}
		read := &Result{}
		if err := json.Unmarshal(text, read); err != nil {
			t.Fatal(err)
		}
		read.MarkMeans()
		for from, r := range map[string]*Result{"made": made, "read": read} {
			m := r.Classes.Metrics
			for _, c := range []stat.Classes{m.Test, m.Baselines["null"], r.Classes.Beside[1].Metrics} {
				if e := c.Of("macro_f1"); e.Value == nil || (e.Low != nil) != has {
					t.Errorf("%d repeats, %s: macro F1 %v, %v", repeats, from, *e.Value, e.Low)
				}
			}
			if (r.MeanCost().Low != nil) != has {
				t.Errorf("%d repeats, %s: mean cost %+v", repeats, from, r.MeanCost())
			}
		}
	}
}
