package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"testing"
	"time"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
	"taper/internal/engine/odds"
	"taper/internal/engine/runspec"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/task"
	"taper/internal/testtime"
	"taper/testdata/oracle"
)

// everyMethod lists the models beyond interval and logistic that recover a
// probability, with the formula of it where one line says it (docs/math.md, sections 3 to 6).
var everyMethod = []struct {
	model fit.Spec
	link  string
	p     func(f float64) float64
}{
	{fit.Spec{Loss: "alpha", Params: map[string]any{"alpha": 4.0}}, loss.LinkScaled, func(f float64) float64 { return 1 / (1 + math.Exp(-f/4)) }},
	{fit.Spec{Loss: "alpha", Params: map[string]any{"alpha": 0.5}}, loss.LinkScaled, func(f float64) float64 { return 1 / (1 + math.Exp(-2*f)) }},
	{fit.Spec{Loss: "alpha", Params: map[string]any{"alpha": 1.0}}, loss.LinkLogistic, odds.Sigmoid},
	{fit.Spec{Loss: "exponential"}, loss.LinkScaled, func(f float64) float64 { return 1 / (1 + math.Exp(-2*f)) }},
	{fit.Spec{Loss: "tempered", Params: map[string]any{"t1": 0.6, "t2": 1.0}}, loss.LinkScaled, func(f float64) float64 { return 1 / (1 + math.Exp(-0.6*f)) }},
	{fit.Spec{Loss: "tempered", Params: map[string]any{"t1": 0.6, "t2": 1.6}}, loss.LinkEscort, nil},
	// closed form: p = 1/(1+G−f/2)
	{fit.Spec{Loss: "tempered", Params: map[string]any{"t1": 0.5, "t2": 2.0}}, loss.LinkEscort, func(f float64) float64 {
		g := math.Sqrt(f*f/4 + 1)
		p, q := math.Sqrt(1/(1+g-f/2)), math.Sqrt(1/(1+g+f/2))
		return p / (p + q)
	}},
	// p itself
	{fit.Spec{Loss: "bi-tempered", Params: map[string]any{"t1": 0.5, "t2": 2.0}}, loss.LinkTempered, func(f float64) float64 {
		return 1 / (1 + math.Sqrt(f*f/4+1) - f/2)
	}},
	{fit.Spec{Loss: "t-logistic", Params: map[string]any{"t": 1.6}}, loss.LinkEscort, nil},
	{fit.Spec{Loss: "t-logistic", Params: map[string]any{"t": 1.3}, Solver: "cmp"}, loss.LinkEscort, nil},
	{fit.Spec{Loss: "squared-hinge"}, loss.LinkSquaredHinge, func(f float64) float64 { return min(1, max(0, (1+f)/2)) }},
	{fit.Spec{Loss: "dwd"}, loss.LinkDWD, func(f float64) float64 {
		switch {
		case f > 0.5:
			return 4 * f * f / (4*f*f + 1)
		case f < -0.5:
			return 1 / (4*f*f + 1)
		}
		return 0.5
	}},
	{fit.Spec{Kind: "boost", Params: map[string]any{"alpha": 2.0}, Rounds: 40, Depth: 2}, loss.LinkScaled, func(f float64) float64 { return 1 / (1 + math.Exp(-f/2)) }},
}

// TestEveryMethodFollowsFromItsRows: probabilities by the link, strata by the
// probability at π, cut-offs that invert the link, decisions and log-loss from
// the rows.
func TestEveryMethodFollowsFromItsRows(t *testing.T) {
	long(t)
	records := tabletest.Clinic(260, 31)
	tab := tabletest.FromRecords(records)
	for _, m := range everyMethod {
		s := clinicSpec()
		s.Model = m.model
		s.Model.L2 = fit.L2{Value: 0.02}
		s.Boundaries = []float64{0.2, 0.4, 0.5, 0.7}
		r := mustFit(t, tab, s)
		if r.Link.ID != m.link || r.Model.Link != m.link || r.Beside[0].Title != r.Method || len(r.Beside) != 3 {
			t.Errorf("%s: link %q and %q, beside %v", r.Method, r.Link.ID, r.Model.Link, r.Beside[0].Title)
		}
		how, err := fit.Parse(s.WithDefaults().Model)
		if err != nil {
			t.Fatal(err)
		}
		logLoss, right := 0.0, 0
		for i, row := range r.Rows {
			died := records[i+1][5] == "died"
			if row.Probability == nil {
				t.Fatalf("%s: row %d has no probability", r.Method, i)
			}
			p := *row.Probability
			if m.p != nil && !(math.Abs(p-m.p(row.Score)) <= 1e-12) {
				t.Fatalf("%s: P(%v) = %v, want %v", r.Method, row.Score, p, m.p(row.Score))
			}
			want := 0
			for k, pi := range s.Boundaries {
				if pi < p || pi == p && r.Delta[k] < row.Score {
					want++
				}
			}
			if row.Stratum != want {
				t.Fatalf("%s: P = %v lies in stratum %d, the run says %d", r.Method, p, want, row.Stratum)
			}
			if (row.Score > r.Delta[2]) == died {
				right++
			}
			p = min(max(p, 0x1p-1022), 1-0x1p-53) // 0 and 1 as metric takes them
			if !died {
				p = 1 - p
			}
			logLoss -= math.Log(p) / float64(len(r.Rows))
			if z := row.Score; row.Weight == nil || !(math.Abs(*row.Weight-factor(how, died, z)) <= 1e-9) {
				if _, gives := how.Loss.(loss.Weigher); gives {
					t.Fatalf("%s: weight %v at score %v", r.Method, row.Weight, z)
				}
			}
		}
		if !(math.Abs(*r.Metrics.Test.LogLoss-logLoss) <= 1e-9) || !(math.Abs(*r.Metrics.Test.Accuracy-float64(right)/260) <= 1e-12) {
			t.Errorf("%s: log-loss %v, by hand %v; accuracy %v, by hand %v", r.Method, *r.Metrics.Test.LogLoss, logLoss, *r.Metrics.Test.Accuracy, float64(right)/260)
		}
		for k, pi := range s.Boundaries {
			if _, p := how.Link.Band(task.NewBandReader(how.Link, mustInterval(t, s.Boundaries)).Interval, r.Delta[k]); !(math.Abs(p-pi) <= 1e-9) {
				t.Errorf("%s: P(δ) = %v at boundary %v", r.Method, p, pi)
			}
		}
	}
}

// curvedLink reports whether the log odds of a link are no straight line.
func curvedLink(id string) bool { return id == loss.LinkEscort || id == loss.LinkTempered }

// factor is g = p^(t2−t1) of the model's own probability p of the row's label,
// with (1/α, 1), (1, t), (t1, t2) (docs/clinical.md, Label audit). For t2 = 1, p = σ(z).
func factor(how fit.Method, died bool, f float64) float64 {
	t1, t2 := 1.0, 1.0
	switch how.Family.ID {
	case "alpha":
		t1 = 1 / how.Values.Number("alpha")
	case "t-logistic":
		t2 = how.Values.Number("t")
	case "tempered":
		t1, t2 = how.Values.Number("t1"), how.Values.Number("t2")
	default:
		return math.NaN()
	}
	if !died {
		f = -f
	}
	return math.Pow(loss.Tempered{T1: 1, T2: t2}.Probability(f), t2-t1)
}

func mustInterval(t *testing.T, pi []float64) loss.Interval {
	t.Helper()
	iv, err := loss.NewInterval(pi)
	if err != nil {
		t.Fatal(err)
	}
	return iv
}

// TestScoreAlone: a loss without link is cut at ½ by its sign, has no number
// that needs a probability, and is refused for bands.
func TestScoreAlone(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(200, 32))
	for _, m := range []fit.Spec{{Loss: "hinge"}, {Loss: "ramp"}, {Loss: "probit"}, {Loss: "alpha", Params: map[string]any{"alpha": "inf"}},
		{Loss: "tempered", Params: map[string]any{"t1": 0.0, "t2": 1.2}}, {Kind: "boost", Params: map[string]any{"alpha": "inf"}, Rounds: 5}} {
		for _, l2 := range []fit.L2{{Value: 0.05}, {Mode: "cv"}} {
			if l2.Tuned() && m.Loss != "ramp" {
				continue
			}
			s := clinicSpec()
			s.Task, s.Model, s.Boundaries = "binary", m, nil
			s.Model.L2 = l2
			r := mustFit(t, tab, s)
			test := r.Metrics.Test
			if test.Brier != nil || test.LogLoss != nil || test.CalibrationSlope != nil || test.Accuracy == nil || test.AUC == nil || r.Link.ID != loss.LinkNone || r.Delta[0] != 0 {
				t.Errorf("%s: metrics %+v, link %+v, δ = %v", r.Method, test, r.Link, r.Delta)
			}
			for _, row := range r.Rows {
				if row.Probability != nil || (row.Stratum == 1) != (row.Score > 0) {
					t.Fatalf("%s: row %+v", r.Method, row)
				}
			}
			s.Task, s.Boundaries = "interval", []float64{0.3, 0.6}
			if got := fields(t, s.Validate(tab)); len(got) != 1 || got[0] != "model.loss" {
				t.Errorf("%s: bands refused at %q", r.Method, got)
			}
		}
	}
}

// TestOracleMargin: the whole pipeline, without validation and
// standardisation, reaches the optima of oracle/margin-fit.json.
func TestOracleMargin(t *testing.T) {
	type golden struct {
		Name   string
		Params map[string]any
		Inputs struct {
			X [][]float64
			Y []int
		}
		Expected struct {
			Objective, B string
			W            []string
		}
	}
	off := false
	for _, c := range oracle.Read[golden](t, "margin-fit") {
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
		m := fit.Spec{Loss: c.Params["loss"].(string), L2: fit.L2{Value: c.Params["lambda"].(float64)}, Standardize: &off}
		delete(c.Params, "loss")
		delete(c.Params, "lambda")
		m.Params = c.Params
		r := mustFit(t, tabletest.FromRecords(records), runspec.Spec{Outcome: "y", Positive: table.Levels{"1"}, Model: m, Validation: runspec.Validation{Kind: "none"}})
		if want := number(t, c.Expected.Objective); !(math.Abs(r.Objective-want) <= 1e-8*(1+want)) {
			t.Errorf("%s: objective %.12f, want %.12f", c.Name, r.Objective, want)
		}
		for j, text := range append([]string{c.Expected.B}, c.Expected.W...) {
			if want := number(t, text); !(math.Abs(r.Coefficients[j].Value-want) <= 1e-6+1e-5*math.Abs(want)) {
				t.Errorf("%s: coefficient %d is %v, want %v", c.Name, j, r.Coefficients[j].Value, want)
			}
		}
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestOddsRatios: exp of the slope of logit P, where it is the same everywhere;
// else at score 0 and on average (docs/clinical.md, Statistics), against differences.
func TestOddsRatios(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(200, 33))
	logOdds := func(k fit.Link, f float64) float64 { return odds.Logit(k.Probability(f)) }
	for _, m := range everyMethod {
		s := clinicSpec()
		s.Model = m.model
		s.Model.L2 = fit.L2{Value: 0.05}
		s.Validation.Kind = "none"
		r := mustFit(t, tab, s)
		if m.model.Kind == "boost" {
			if r.Coefficients != nil || len(r.Importance) != len(r.Model.Terms) {
				t.Errorf("trees have coefficients %v and importances %v", r.Coefficients, r.Importance)
			}
			sum := 0.0
			for _, v := range r.Importance {
				sum += v.Share
			}
			if !(math.Abs(sum-1) <= 1e-12) {
				t.Errorf("importances add up to %v", sum)
			}
			continue
		}
		how, _ := fit.Parse(s.WithDefaults().Model)
		const h = 1e-5
		slope := func(f float64) float64 { return (logOdds(how.Link, f+h) - logOdds(how.Link, f-h)) / (2 * h) }
		mean := 0.0
		for _, row := range r.Rows {
			mean += slope(row.Score) / float64(len(r.Rows))
		}
		for k, c := range r.Coefficients[1:] {
			is := func(what string, got *float64, slope float64, want bool) {
				if (got != nil) != want || want && !(math.Abs(*got-math.Exp(slope*c.Value)) <= 1e-6**got) {
					t.Errorf("%s, coefficient %d: %s %v, want %v of %v", r.Method, k, what, val(got), want, math.Exp(slope*c.Value))
				}
			}
			straight, curved := how.Link.Scale > 0, curvedLink(m.link)
			is("odds ratio", c.OddsRatio, slope(0.3), straight)
			is("at 0", c.OddsRatioLocal, slope(0), curved)
			is("average", c.OddsRatioAverage, mean, curved)
		}
		if (r.Link.Note != "") != (curvedLink(m.link)) || r.Link.Formula == "" {
			t.Errorf("%s: link %+v", r.Method, r.Link)
		}
	}
}

func val(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}

// TestMethodsSameBits: one seed, one result, whatever the cores.
func TestMethodsSameBits(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(140, 34))
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	for _, m := range everyMethod {
		s := clinicSpec()
		s.Model = m.model
		if s.Model.L2 = (fit.L2{Value: 0.01}); m.model.Loss == "alpha" {
			s.Model.L2 = fit.L2{Mode: "cv"}
		}
		s.Noise = runspec.Noise{Kind: "large-margin", Rate: 0.1}
		runtime.GOMAXPROCS(1)
		want := mustFit(t, tab, s)
		for _, n := range []int{2, 5} {
			runtime.GOMAXPROCS(n)
			same(t, fmt.Sprintf("%s on %d cores", want.Method, n), want, mustFit(t, tab, s))
		}
	}
}

// TestMethodsCancel: a run ends promptly at its cancel.
func TestMethodsCancel(t *testing.T) {
	testtime.TwoCores(t)
	tab, _, err := synth.Generate("long-servedio", 20_000, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []fit.Spec{{Loss: "tempered"}, {Loss: "t-logistic", Solver: "cmp", L2: fit.L2{Value: 1e-4}}, {Kind: "boost", Rounds: 10_000, Depth: 3}} {
		ctx, cancel := context.WithCancel(context.Background())
		at := make(chan time.Duration, 1)
		time.AfterFunc(100*time.Millisecond, func() { at <- testtime.Spent(); cancel() })
		s := runspec.Spec{Outcome: "y", Positive: table.Levels{"1"}, Task: "binary", Model: m, Noise: runspec.Noise{Kind: "symmetric", Rate: 0.1}}
		_, err := Fit(ctx, tab, s, nil)
		if late := testtime.Spent() - <-at; !errors.Is(err, context.Canceled) || late > promptly {
			t.Errorf("%v: %v, %v after the cancel", m.Loss+m.Kind, err, late)
		}
	}
}

// accuracy runs one split of a table under noise.
func accuracy(t *testing.T, tab *table.Table, s runspec.Spec, seed uint64) float64 {
	t.Helper()
	s.Task, s.Seed = "binary", seed
	return *mustFit(t, tab, s).Metrics.Test.Accuracy
}

// TestLongServedioRow: docs/reference-numbers.md, Results of the methods for linear fits at 10 % symmetric noise,
// 1,000 rows to train on and 5,000 clean ones to test on: α = 2 and 4 are
// perfect where logistic regression reaches .733 ± .009.
func TestLongServedioRow(t *testing.T) {
	long(t)
	const seeds = 4
	sum := map[string]float64{}
	for seed := range uint64(seeds) {
		tab, _, err := synth.Generate("long-servedio", 6000, 100+seed, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := runspec.Spec{Outcome: "y", Positive: table.Levels{"1"}, Validation: runspec.Validation{Kind: "split", Test: 5. / 6}, Noise: runspec.Noise{Kind: "symmetric", Rate: 0.1}}
		for name, m := range map[string]fit.Spec{"2": {Loss: "alpha", Params: map[string]any{"alpha": 2.0}}, "4": {Loss: "alpha", Params: map[string]any{"alpha": 4.0}},
			"logistic": {Loss: "logistic"}, "tempered": {Loss: "tempered", Params: map[string]any{"t1": 0.1, "t2": 1.12}}} {
			s.Model = m
			s.Model.L2 = fit.L2{Value: 1e-4}
			sum[name] += accuracy(t, tab, s, seed) / seeds
		}
	}
	for name, want := range map[string][2]float64{"2": {1, 0.005}, "4": {1, 0.005}, "tempered": {1, 0.005}, "logistic": {0.733, 0.03}} {
		if !(math.Abs(sum[name]-want[0]) <= want[1]) {
			t.Errorf("%s: accuracy %.4f, the reference is %.3f", name, sum[name], want[0])
		}
	}
}

// TestBreastCancerRow: docs/reference-numbers.md, Results of the methods at 10 % noise, 398 rows to train on:
// linear α = 4 at λ = .01 reaches .969, AdaBoost.α with α = 8 .946, with
// α = ½ .909; ± .02 where no interval is printed.
func TestBreastCancerRow(t *testing.T) {
	long(t)
	tab := shipped(t, "wdbc.csv")
	const seeds = 6
	methods := map[string]struct {
		model fit.Spec
		want  float64
	}{
		"linear 4": {fit.Spec{Loss: "alpha", Params: map[string]any{"alpha": 4.0}, L2: fit.L2{Value: 0.01}}, 0.969},
		"boost 8":  {fit.Spec{Kind: "boost", Params: map[string]any{"alpha": 8.0}, L2: fit.L2{Value: 0.01}}, 0.946},
		"boost ½":  {fit.Spec{Kind: "boost", Params: map[string]any{"alpha": 0.5}, L2: fit.L2{Value: 0.01}}, 0.909},
	}
	for name, m := range methods {
		sum := 0.0
		for seed := range uint64(seeds) {
			s := runspec.Spec{Outcome: "diagnosis", Positive: table.Levels{"malignant"}, Model: m.model, Validation: runspec.Validation{Kind: "split", Test: 0.3}, Noise: runspec.Noise{Kind: "symmetric", Rate: 0.1}}
			sum += accuracy(t, tab, s, seed) / seeds
		}
		if !(math.Abs(sum-m.want) <= 0.025) {
			t.Errorf("%s: accuracy %.3f, the reference is %.3f", name, sum, m.want)
		}
	}
}
