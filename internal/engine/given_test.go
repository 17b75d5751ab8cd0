package engine

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/check"
	"taper/internal/engine/fit"
	"taper/internal/engine/runspec"
	"taper/internal/engine/stat"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
)

// judgedTable is a simulated clinic with 22 % events: two predictors, a level, and what a model of elsewhere says:
// a probability, its log odds, points, and points that fall with the risk. Some rows have no prediction.
func judgedTable(n int) *table.Table {
	random := rand.New(rand.NewPCG(5, 8))
	var age, marker, p, logit, points, falling []float64
	var sex, outcome []string
	for range n {
		a, m, s := 40+30*random.Float64(), random.NormFloat64(), []string{"f", "m"}[random.IntN(2)]
		f := -1.6 + .05*(a-55) + 1.1*m
		if s == "m" {
			f += .5
		}
		event := random.Float64() < 1/(1+math.Exp(-f))
		given := .8*f - .3 + .4*random.NormFloat64()
		age, marker, sex = append(age, math.Round(a)), append(marker, m), append(sex, s)
		outcome = append(outcome, map[bool]string{true: "died", false: "alive"}[event])
		p, logit = append(p, 1/(1+math.Exp(-given))), append(logit, given)
		points, falling = append(points, math.Round(3*given)), append(falling, -math.Round(3*given))
	}
	p[3], p[4], p[5] = 0, 1, .25 // certain, and on a boundary
	for _, row := range []int{10, 60} {
		p[row], logit[row], points[row], falling[row] = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	}
	return tabletest.ByHand(tabletest.Numbers("age", age...), tabletest.Numbers("marker", marker...),
		tabletest.Texts("sex", sex...), tabletest.Numbers("p", p...), tabletest.Numbers("logit", logit...),
		tabletest.Numbers("points", points...), tabletest.Numbers("falling", falling...),
		tabletest.Texts("outcome", outcome...))
}

// judge is a run on the predictions of a column.
func judge(t *testing.T, of *table.Table, column, scale string) *Result {
	t.Helper()
	r, err := Fit(context.Background(), of, judgeSpec(column, scale), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func judgeSpec(column, scale string) runspec.Spec {
	return runspec.Spec{Outcome: "outcome", Positive: table.Levels{"died"}, Predictors: []string{"age", "marker", "sex"},
		Boundaries: []float64{.1, .25, .6}, Seed: 3,
		Model: fit.Spec{Kind: fit.KindGiven, Columns: []string{column}, Scale: scale, L2: fit.L2{Value: .01}}}
}

// TestGivenIsTheRunAgain feeds the held-out probabilities of logistic regression back as a column: every number of
// the performance, every band and every row must be that of the regression, whose difference to itself is 0.
func TestGivenIsTheRunAgain(t *testing.T) {
	of := judgedTable(400)
	spec := judgeSpec("p", fit.ScaleProbability)
	spec.Model = fit.Spec{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: .01}}
	fitted, err := Fit(context.Background(), of, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	held := make([]float64, of.Rows)
	for _, row := range fitted.Rows {
		held[row.Row] = *row.Probability
	}
	of.Columns = append(of.Columns, tabletest.Numbers("held", held...))
	got := judge(t, of, "held", fit.ScaleProbability)
	if !reflect.DeepEqual(got.Strata, fitted.Strata) {
		t.Errorf("strata %+v, want %+v", got.Strata, fitted.Strata)
	}
	for _, s := range stat.Which(stat.Statistic.InPerformance) {
		a, b := got.Clinical.Judged.Of(s.ID), fitted.Clinical.Judged.Of(s.ID)
		for _, pair := range [][2]*float64{{a.Value, b.Value}, {a.Low, b.Low}, {a.High, b.High}} {
			if d := math.Abs(stat.OrNaN(pair[0]) - stat.OrNaN(pair[1])); d > 1e-12 || (pair[0] == nil) != (pair[1] == nil) {
				t.Errorf("%s: %v, want %v", s.ID, stat.OrNaN(pair[0]), stat.OrNaN(pair[1]))
			}
		}
	}
	if m, want := got.Metrics.Test, fitted.Metrics.Test; math.Abs(*m.Accuracy-*want.Accuracy) > 1e-12 ||
		math.Abs(*m.Sensitivity-*want.Sensitivity) > 1e-12 || math.Abs(*m.LogLoss-*want.LogLoss) > 1e-12 {
		t.Errorf("metrics %+v, want %+v", m, want)
	}
	if d := got.Clinical.AUC; d == nil || math.Abs(*d.Difference.Value) > 1e-12 {
		t.Errorf("AUC less that of the same numbers: %+v", d)
	}
	for i, row := range got.Rows {
		if row.Stratum != fitted.Rows[i].Stratum || row.Split != fitted.Rows[i].Split {
			t.Fatalf("row %d: %+v, want %+v", i, row, fitted.Rows[i])
		}
	}
}

// TestGivenScales evaluates one model as a probability, as log odds, and by points: what follows from ranks alone is
// the same, and a row on a boundary lies below it.
func TestGivenScales(t *testing.T) {
	of := judgedTable(400)
	p, logit := judge(t, of, "p", fit.ScaleProbability), judge(t, of, "logit", fit.ScaleLogit)
	if p.Flow.Trained != 398 || p.Given.Missing != 2 || !slices.ContainsFunc(p.Flow.Dropped, func(d table.Drop) bool {
		return d.Kind == table.DropPrediction && d.Rows == 2
	}) {
		t.Errorf("flow %+v, given %+v", p.Flow, p.Given)
	}
	band := map[int]int{}
	for _, row := range p.Rows {
		if band[row.Row] = row.Stratum; row.Probability == nil || *row.Probability != of.Column("p").Num[row.Row] {
			t.Fatalf("row %d has another probability than was given", row.Row)
		}
	}
	if band[3] != 0 || band[4] != 3 || band[5] != 1 {
		t.Errorf("0, 1 and 25 %% lie in bands %d, %d, %d", band[3], band[4], band[5])
	}
	other := 0
	for _, row := range logit.Rows {
		if row.Row > 5 && row.Stratum != band[row.Row] {
			other++
		}
	}
	if other > 0 {
		t.Errorf("%d rows change band when the probability comes as log odds", other)
	}
	if *p.Metrics.Test.Brier <= 0 || p.Clinical.Judged.CalibrationSlope.Value == nil {
		t.Errorf("a given probability without calibration: %+v", p.Clinical.Judged)
	}
	if r := p.Clinical; r.Parameters != 0 || r.Inflation != nil || len(p.Coefficients) != 0 || p.L2 != 0 || len(p.FoldL2) > 0 {
		t.Errorf("terms or λ of a model that nobody knows: %+v", r)
	}
	if !slices.ContainsFunc(p.Warnings, func(w Warning) bool { return w.Code == WarnGiven }) {
		t.Error("nothing says that the origin is unknown")
	}
}

// TestGivenCutoffs finds the cut-offs of points again by trying all of them, on all rows and, for the bands, on the
// rows of the other folds. Points that fall with the risk give the same bands.
func TestGivenCutoffs(t *testing.T) {
	of := judgedTable(400)
	up, down := judge(t, of, "points", fit.ScaleScore), judge(t, of, "falling", fit.ScaleScore)
	if up.Given.Falls || !down.Given.Falls {
		t.Errorf("directions: %v, %v", up.Given.Falls, down.Given.Falls)
	}
	if !reflect.DeepEqual(up.Strata, down.Strata) || !reflect.DeepEqual(up.Metrics.Test, down.Metrics.Test) {
		t.Errorf("strata of falling points %+v, want %+v", down.Strata, up.Strata)
	}
	back := down.Given.Cutoffs
	if c := up.Given.Cutoffs[1]; back[1].Value != -c.Value || *back[1].Low != -*c.High {
		t.Errorf("cut-offs of falling points %+v, want those of %+v with the other sign", back[1], c)
	}
	// the largest of the cut-offs that cost least, by trying every one
	best := func(rows []RowScore, pi float64) float64 {
		least, at := math.Inf(1), math.NaN()
		for c := -20.5; c < 20; c++ {
			cost := 0.0
			for _, r := range rows {
				switch event := r.Outcome == "died"; {
				case event && r.Score < c:
					cost += 1 - pi
				case !event && r.Score > c:
					cost += pi
				}
			}
			if cost <= least+1e-9 {
				least, at = min(cost, least), c
			}
		}
		return at
	}
	cost := func(rows []RowScore, pi, c float64) (sum float64) {
		for _, r := range rows {
			switch event := r.Outcome == "died"; {
			case event && r.Score <= c:
				sum += 1 - pi
			case !event && r.Score > c:
				sum += pi
			}
		}
		return sum
	}
	for k, c := range up.Given.Cutoffs {
		if got, want := cost(up.Rows, c.Boundary, c.Value), cost(up.Rows, c.Boundary, best(up.Rows, c.Boundary)); math.Abs(got-want) > 1e-9 {
			t.Errorf("cut-off %d costs %v, another %v", k, got, want)
		}
		if c.Low == nil || *c.Low > c.Value || *c.High < c.Value || up.Delta[k] != c.Value {
			t.Errorf("cut-off %d: %+v, delta %v", k, c, up.Delta[k])
		}
	}
	for _, fold := range []string{"1", "2", "3", "4", "5"} {
		var train, test []RowScore
		for _, r := range up.Rows {
			if r.Split == fold {
				test = append(test, r)
			} else {
				train = append(train, r)
			}
		}
		for k, pi := range up.Boundaries {
			c := best(train, pi)
			for _, r := range test {
				if above := r.Stratum > k; above != (r.Score > c) {
					t.Fatalf("fold %s, π = %v: row %d with %v points lies above it: %v; the cut-off is %v", fold, pi, r.Row, r.Score,
						above, c)
				}
			}
		}
	}
	if up.Metrics.Test.Brier != nil || up.Rows[0].Probability != nil {
		t.Error("points have no probability")
	}
}

// TestGivenFormula evaluates a formula as the column that it makes.
func TestGivenFormula(t *testing.T) {
	of := judgedTable(300)
	f := make([]float64, of.Rows)
	for i := range f {
		f[i] = -1.6 + .05*(of.Column("age").Num[i]-55) + 1.1*of.Column("marker").Num[i]
		if of.Column("sex").Levels[of.Column("sex").Code[i]] == "m" {
			f[i] += .5
		}
	}
	of.Columns = append(of.Columns, tabletest.Numbers("f", f...))
	want := judge(t, of, "f", fit.ScaleLogit)
	for _, text := range []string{"-1.6 + .05*(age − 55) + 1.1·marker + 0.5*(sex = m)",
		"(Intercept)\t-4.35\nage\t0.05\nmarker\t1.1\nsex = m\t0.5"} {
		spec := judgeSpec("", "")
		spec.Model.Columns, spec.Model.Formula = nil, text
		got, err := Fit(context.Background(), of, spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Given.Columns, []string{"age", "marker", "sex"}) {
			t.Errorf("columns %v", got.Given.Columns)
		}
		for i, row := range got.Rows {
			if math.Abs(row.Score-want.Rows[i].Score) > 1e-12 || row.Stratum != want.Rows[i].Stratum {
				t.Fatalf("row %d: %+v, want %+v", i, row, want.Rows[i])
			}
		}
	}
}

// TestHorizonOfUsedTimes: a time that a formula reads, or that groups or weights the rows, is used, so that nothing says
// that it is not.
func TestHorizonOfUsedTimes(t *testing.T) {
	for name, c := range map[string]struct {
		alter func(s *runspec.Spec)
		want  bool
	}{
		"not used":   {func(s *runspec.Spec) {}, true},
		"formula":    {func(s *runspec.Spec) { s.Model.Formula += " + .001*days" }, false},
		"prediction": {func(s *runspec.Spec) { s.Model = judgeSpec("days", fit.ScaleScore).Model }, false},
		"group":      {func(s *runspec.Spec) { s.Group = "days" }, false},
		"weights": {func(s *runspec.Spec) {
			s.Weights, s.Model = "days", fit.Spec{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: .01}}
		}, false},
	} {
		of := judgedTable(300)
		days := make([]float64, of.Rows)
		for i := range days {
			days[i] = float64(1 + i*37%113)
		}
		of.Columns = append(of.Columns, tabletest.Numbers("days", days...))
		spec := judgeSpec("", fit.ScaleLogit)
		spec.Model.Columns, spec.Model.Formula = nil, "-4.35 + .05*age + 1.1*marker"
		c.alter(&spec)
		r, err := Fit(context.Background(), of, spec, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		if got := slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Code == check.WarnNoHorizon }); got != c.want {
			t.Errorf("%s: warned %v, want %v", name, got, c.want)
		}
	}
}

// TestGivenAlone evaluates a file that holds an outcome and a prediction and nothing else: the regression beside it
// has no predictors.
func TestGivenAlone(t *testing.T) {
	full := judgedTable(200)
	of := tabletest.ByHand(full.Column("p"), full.Column("outcome"))
	spec := judgeSpec("p", fit.ScaleProbability)
	spec.Predictors = nil
	r, err := Fit(context.Background(), of, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.NoPredictor || *r.Metrics.Test.AUC < .6 {
		t.Errorf("AUC %v, no predictor %v", *r.Metrics.Test.AUC, r.NoPredictor)
	}
	if auc := r.Metrics.Baselines["logistic"].AUC; auc == nil || *auc != .5 {
		t.Errorf("AUC of a regression without predictors: %v", auc)
	}
}

// TestGivenClasses feeds the held-out probabilities of softmax regression back as columns.
func TestGivenClasses(t *testing.T) {
	of := shipped(t, "iris.csv")
	spec := irisSpec("multiclass", "softmax")
	spec.Model.L2 = fit.L2{Value: .01}
	fitted := fitOf(t, of, spec)
	names := []string{"p1", "p2", "p3"}
	for k, name := range names {
		held := make([]float64, of.Rows)
		for _, row := range fitted.Rows {
			held[row.Row] = row.Probabilities[k]
		}
		of.Columns = append(of.Columns, tabletest.Numbers(name, held...))
	}
	of.Column("p1").Num[7] = math.NaN()
	spec.Model = fit.Spec{Kind: fit.KindGiven, Columns: names, L2: fit.L2{Value: .01}}
	spec.Predictors = []string{"sepal_length", "sepal_width", "petal_length", "petal_width"}
	got := fitOf(t, of, spec)
	if got.Given.Missing != 1 || got.Flow.Scored != fitted.Flow.Scored-1 {
		t.Errorf("%d rows scored, %d without a prediction", got.Flow.Scored, got.Given.Missing)
	}
	was := map[int]RowScore{}
	for _, row := range fitted.Rows {
		was[row.Row] = row
	}
	for _, row := range got.Rows {
		for k, p := range row.Probabilities {
			if math.Abs(p-was[row.Row].Probabilities[k]) > 1e-12 || row.Predicted != was[row.Row].Predicted {
				t.Fatalf("row %d: %+v, want %+v", row.Row, row, was[row.Row])
			}
		}
	}
	of.Column("p2").Num[20] = .9
	if err := spec.Validate(of); err == nil || !strings.Contains(err.Error(), "row 21 adds up to") {
		t.Errorf("probabilities that do not add up: %v", err)
	}
}

// TestGivenRefused names what a given model cannot have.
func TestGivenRefused(t *testing.T) {
	of := judgedTable(90)
	for _, c := range []struct {
		field  string
		change func(s *runspec.Spec)
	}{
		{"model.columns", func(s *runspec.Spec) { s.Model.Columns = nil }},
		{"model.columns", func(s *runspec.Spec) { s.Model.Columns = []string{"p", "logit"} }},
		{"model.columns[0]", func(s *runspec.Spec) { s.Model.Columns = []string{"sex"} }},
		{"model.columns[0]", func(s *runspec.Spec) { s.Model.Columns = []string{"nobody"} }},
		{"model.columns[0]", func(s *runspec.Spec) { s.Model.Columns = []string{"logit"} }}, // no probability
		{"model.scale", func(s *runspec.Spec) { s.Model.Scale = "percent" }},
		{"model.direction", func(s *runspec.Spec) { s.Model.Direction = fit.Lower }},
		{"model.loss", func(s *runspec.Spec) { s.Model.Loss = "logistic" }},
		{"model.formula", func(s *runspec.Spec) { s.Model.Formula = "age" }},
		{"model.formula", func(s *runspec.Spec) { s.Model.Columns, s.Model.Formula = nil, "age +" }},
		{"model.formula", func(s *runspec.Spec) { s.Model.Columns, s.Model.Formula = nil, "weight * 2" }},
		{"validation.kind", func(s *runspec.Spec) { s.Validation.Kind = "none" }},
		{"noise.kind", func(s *runspec.Spec) { s.Noise.Kind, s.Noise.Rate = "symmetric", .1 }},
		{"predictors[0]", func(s *runspec.Spec) { s.Predictors = []string{"p"} }},
	} {
		spec := judgeSpec("p", fit.ScaleProbability)
		c.change(&spec)
		if got := fields(t, spec.Validate(of)); !slices.Contains(got, c.field) {
			t.Errorf("%s: got %v", c.field, got)
		}
	}
	spec := judgeSpec("logit", "")
	if err := spec.Validate(of); err == nil || !strings.Contains(err.Error(), "row ") {
		t.Errorf("no row named: %v", err)
	}
}
