package study

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/prep"
	"taper/internal/engine/synth"
	"taper/internal/engine/table"
	"taper/internal/engine/usererr"
	"taper/testdata"
)

func irisData(t *testing.T) *Data {
	t.Helper()
	c, err := table.Read(t.Context(), testdata.Read("iris.csv"), table.Options{}, table.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	return &Data{Name: "iris", Table: c, Outcome: "species"}
}

// TestGridClasses: three classes on an upload, linear and kernel, with λ and γ
// chosen inside the training rows. Iris is known at 95 % and more.
func TestGridClasses(t *testing.T) {
	if testing.Short() {
		t.Skip("tuning takes seconds")
	}
	s := Spec{Dataset: Source{ID: "i"}, Outcome: "species", Seed: 2, Replicates: 1, Test: 0.3, Models: []fit.Spec{
		{Kind: "linear", Loss: "al-zero-one", L2: fit.L2{Value: 1e-3}},
		{Kind: "linear", Loss: "ww"},
		{Kind: "kernel", Loss: "al-zero-one", Kernel: &fit.Kernel{Name: "rbf", Gamma: "cv"}, L2: fit.L2{Value: 1e-3}},
	}}
	p, err := NewPlan(nil, s, irisData(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Summarise(p, mustRun(t, p, nil)) {
		if c.N != 1 || c.Metric == "accuracy" && *c.Mean < 0.88 {
			t.Errorf("%s: %d values, mean %v", c.Model, c.N, *c.Mean)
		}
	}
}

// TestGridMemory: the estimate of a unit holds the models of all the trials of a search.
func TestGridMemory(t *testing.T) {
	task := Task{Table: irisData(t).Table, Predictors: []string{"petal_length", "petal_width"}, Levels: []string{"a", "b", "c"}}
	trees := fit.Spec{Kind: "boost", Loss: "logistic", Rounds: 4000, Depth: 10}
	work, model := trees.Memory(task.Table.Rows, prep.MostTerms(task.Table.Shape(), task.Predictors, nil), 3)
	if got := (grid{}).unitMemory(task, fit.Method{Spec: trees}); got < work+20*model {
		t.Errorf("%d bytes, while a fit takes %d and its model %d", got, work, model)
	}
}

// TestGridSuits: a loss that cannot part the classes of the data is refused before a
// unit fails of it.
func TestGridSuits(t *testing.T) {
	costs := map[string]any{"matrix": []any{[]any{0., 1.}, []any{1., 0.}}}
	s := Spec{Dataset: Source{ID: "i"}, Outcome: "species", Replicates: 1, Models: []fit.Spec{
		{Loss: "softmax", L2: fit.L2{Value: 1}}, {Loss: "hinge", L2: fit.L2{Value: 1}}, {Loss: "al-cost", Params: costs, L2: fit.L2{Value: 1}},
	}}
	_, err := NewPlan(nil, s, irisData(t))
	e, ok := usererr.As(err)
	if !ok || len(e.Fields) != 2 || e.Fields[0].Field != "models[1].loss" || e.Fields[1].Field != "models[2].params.matrix" {
		t.Errorf("%+v", err)
	}
}

// TestGridTakesBoundaries: an interval loss is fitted for the boundaries it names, and
// has a name with them.
func TestGridTakesBoundaries(t *testing.T) {
	for _, c := range []struct {
		pi   any
		want []float64
		name string
	}{{nil, nil, "Interval surrogate, λ = 1"}, {[]any{0.2, 0.8}, []float64{0.2, 0.8}, "Interval surrogate, π = [0.2 0.8], λ = 1"}} {
		m := fit.Spec{Kind: "linear", Loss: "interval", L2: fit.L2{Value: 1}}
		if c.pi != nil {
			m.Params = map[string]any{"pi": c.pi}
		}
		how, err := fit.Parse(m)
		if err != nil {
			t.Fatal(err)
		}
		if got := (grid{}).taskOf(how, 2).Boundaries; !slices.Equal(got, c.want) || Label(m) != c.name {
			t.Errorf("%v: boundaries %v, name %q", c.pi, got, Label(m))
		}
	}
}

// TestGridLabels: models that differ have names that differ.
func TestGridLabels(t *testing.T) {
	no := false
	specs := []fit.Spec{
		{Kind: "linear", Loss: "logistic"}, {Kind: "linear", Loss: "logistic", L2: fit.L2{Value: 0.1}}, {Kind: "linear", Loss: "logistic", L2: fit.L2{Mode: "cv-1se"}},
		{Kind: "linear", Loss: "logistic", Standardize: &no}, {Kind: "linear", Loss: "al-ordinal", Features: "mc"}, {Kind: "linear", Loss: "al-ordinal", Features: "th"},
		{Kind: "kernel", Loss: "hinge", Kernel: &fit.Kernel{Name: "rbf", Gamma: 0.5}}, {Kind: "kernel", Loss: "hinge", Kernel: &fit.Kernel{Name: "poly", Degree: 2}}, {Kind: "kernel", Loss: "hinge", Kernel: &fit.Kernel{Name: "poly", Degree: 3}},
		{Kind: "boost", Loss: "alpha", Rounds: 10, Depth: 1}, {Kind: "boost", Loss: "alpha", Rounds: 10, Depth: 2}, {Kind: "boost", Loss: "alpha", Rounds: 20, Depth: 1}, {Kind: "boost", Loss: "alpha", Rounds: 10, Depth: 1, ThetaRule: "alpha-log"},
	}
	seen := map[string]int{}
	for i, s := range specs {
		if k, ok := seen[Label(s)]; ok {
			t.Errorf("models %d and %d are both %q", k, i, Label(s))
		}
		seen[Label(s)] = i
	}
}

// TestGridMetrics: every metric of a two-class grid is what its definition says
// of the same fit.
func TestGridMetrics(t *testing.T) {
	r := Draw("gmm", 800, 4, map[string]float64{"prevalence": 0.4})
	how, err := fit.Parse(fit.Spec{Kind: "linear", Loss: "alpha", Params: map[string]any{"alpha": 2.0}, L2: fit.L2{Value: 1e-3}})
	if err != nil {
		t.Fatal(err)
	}
	f := Fitter{Method: how, Task: fit.Task{Classes: 2}, Seed: 1}
	m, _, err := f.Fit(t.Context(), r.Span(0, 400))
	if err != nil {
		t.Fatal(err)
	}
	test := r.Span(400, 800)
	var tp, tn, pos, brier, logLoss, pairs, ahead float64
	p, score := make([]float64, len(test.Y)), make([]float64, len(test.Y))
	for i, y := range test.Y {
		score[i] = m.Fitted.Score(test.X.Row(i))
		p[i] = 1 / (1 + math.Exp(-score[i]/2)) // the link of α = 2
		right := p[i]
		if y == 0 {
			right = 1 - p[i]
		}
		brier += (1 - right) * (1 - right)
		logLoss -= math.Log(right)
		pos += float64(y)
		switch {
		case y == 1 && right > 0.5:
			tp++
		case y == 0 && right > 0.5:
			tn++
		}
	}
	for i, y := range test.Y {
		for k, o := range test.Y {
			if y == 1 && o == 0 {
				pairs++
				if score[i] > score[k] {
					ahead++
				}
			}
		}
	}
	n := float64(len(test.Y))
	for id, want := range map[string]float64{
		"accuracy": (tp + tn) / n, "sensitivity": tp / pos, "specificity": tn / (n - pos), "balanced_accuracy": (tp/pos + tn/(n-pos)) / 2,
		"brier": brier / n, "log_loss": logLoss / n, "auc": ahead / pairs, "mae": 1 - (tp+tn)/n, "abstention_loss": 1 - (tp+tn)/n, "abstention_rate": 0,
	} {
		if got := Evaluate(m, test, id); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("%s: %v, want %v", id, got, want)
		}
	}
}

// TestGridIntervalLoss: the interval loss of a grid is that of its boundaries: the decision curve at them
// in other units (docs/math.md, Interval classification), of probabilities cut at π or of the surrogate's
// score cut at logit π. Of a known probability it lies just above the Bayes loss.
func TestGridIntervalLoss(t *testing.T) {
	pi := []float64{0.15, 0.4, 0.7}
	r := Draw("gmm", 800, 4, map[string]float64{"prevalence": 0.4})
	test := r.Span(400, 800)
	for _, c := range []struct {
		loss string
		cut  func(pi float64) float64 // of the score
	}{
		{"logistic", func(pi float64) float64 { return math.Log(pi / (1 - pi)) }},
		{"exponential", func(pi float64) float64 { return math.Log(pi/(1-pi)) / 2 }},
		{"interval", func(pi float64) float64 { return math.Log(pi / (1 - pi)) }},
	} {
		how, err := fit.Parse(fit.Spec{Kind: "linear", Loss: c.loss, L2: fit.L2{Value: 1e-3}}.WithDefaults(""))
		if err != nil {
			t.Fatal(err)
		}
		g := grid{spec: Spec{Boundaries: pi}}
		m, _, err := Fitter{Method: how, Task: g.taskOf(how, 2), Seed: 1}.Fit(t.Context(), r.Span(0, 400))
		if err != nil {
			t.Fatal(err)
		}
		want, n := 0.0, float64(len(test.Y))
		for _, p := range pi {
			var events, right, wrong float64
			for i, y := range test.Y {
				above := m.Fitted.Score(test.X.Row(i)) > c.cut(p)
				events += float64(y)
				if above && y == 1 {
					right++
				} else if above {
					wrong++
				}
			}
			netBenefit := right/n - wrong/n*p/(1-p)
			want += 2 / float64(len(pi)) * (1 - p) * (events/n - netBenefit)
		}
		if got := Evaluate(m, test, "interval_loss"); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("%s: %v, want %v", c.loss, got, want)
		}
	}

	s := Spec{Dataset: Source{Generator: "kimes-1.2", Rows: 4000, Params: map[string]float64{"p": 2}}, Replicates: 4,
		Test: 0.5, Metric: "interval_loss", Boundaries: []float64{1. / 3, 2. / 3}, Seed: 3,
		Models: []fit.Spec{{Loss: "interval", L2: fit.L2{Value: 1e-4}}, {Loss: "logistic", L2: fit.L2{Value: 1e-4}}}}
	p := mustPlan(t, s)
	for _, c := range Summarise(p, mustRun(t, p, nil)) {
		if bayes := synth.KimesBayesLoss("1.2", s.Boundaries); *c.Mean < bayes-0.01 || *c.Mean > bayes+0.03 {
			t.Errorf("%s: %v where the Bayes loss is %v", c.Model, *c.Mean, bayes)
		}
	}
}

// TestGridIntervalLossNeedsTwoClasses: bands are those of one risk.
func TestGridIntervalLossNeedsTwoClasses(t *testing.T) {
	s := Spec{Dataset: Source{Generator: "ordinal-stripes", Rows: 100}, Metric: "interval_loss",
		Boundaries: []float64{0.5}, Replicates: 1}
	_, err := NewPlan(nil, s, nil)
	e, ok := usererr.As(err)
	if !ok || !slices.ContainsFunc(e.Fields, func(f usererr.Field) bool {
		return f.Field == "metric" && strings.Contains(f.Message, "two classes (got 5)")
	}) {
		t.Error(err)
	}
}

// TestSearchKeepsWhatIsGiven: with γ open, λ is chosen by its rule or stays as given.
func TestSearchKeepsWhatIsGiven(t *testing.T) {
	r := Draw("moons", 120, 5, nil)
	chosen := func(l2 fit.L2) float64 {
		how, err := fit.Parse(fit.Spec{Kind: "kernel", Loss: "hinge", L2: l2, Kernel: &fit.Kernel{Name: "rbf", Gamma: "cv"}})
		if err != nil {
			t.Fatal(err)
		}
		l, err := how.Trainer(fit.Task{Classes: 2}, 1)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := Fitter{Method: how, Task: l.Task(), Seed: 1}.setting(t.Context(), l, r)
		if err != nil {
			t.Fatal(err)
		}
		return got.L2
	}
	if got := chosen(fit.L2{Value: 0.03}); got != 0.03 {
		t.Errorf("λ = 0.03 was given and %v taken", got)
	}
	if best, oneSE := chosen(fit.L2{Mode: "cv"}), chosen(fit.L2{Mode: "cv-1se"}); oneSE < best {
		t.Errorf("one SE takes λ = %v beside %v", oneSE, best)
	}
}

// TestGridFails says which class is missing.
func TestGridFails(t *testing.T) {
	how, err := fit.Parse(fit.Spec{Kind: "linear", Loss: "logistic"})
	if err != nil {
		t.Fatal(err)
	}
	r := Draw("moons", 40, 1, nil)
	for i := range r.Y {
		r.Y[i] = 1
	}
	f := Fitter{Method: how, Task: fit.Task{Classes: 2}}
	if _, _, err := f.Fit(t.Context(), r); !usererr.Is(err, usererr.Invalid) {
		t.Error(err)
	}
}

// TestGridEveryGenerator: each recipe can be a study's data.
func TestGridEveryGenerator(t *testing.T) {
	for _, g := range synth.Generators {
		s := Spec{Dataset: Source{Generator: g.ID, Rows: 120}, Replicates: 1, Test: 0.25, Models: []fit.Spec{{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: 0.1}}}}
		if g.ID == "blobs" || g.ID == "ordinal-stripes" || g.ID == "ordinal-fan" {
			s.Models[0].Loss = "softmax"
		}
		p, err := NewPlan(nil, s, nil)
		if err != nil {
			t.Errorf("%s: %v", g.ID, err)
			continue
		}
		v, err := Run(context.WithoutCancel(t.Context()), p)
		if err != nil {
			t.Errorf("%s: %v", g.ID, err)
			continue
		}
		if got := v[p.Units[0].ID][0]; !(got > 0.2 && got <= 1) {
			t.Errorf("%s: accuracy %v", g.ID, got)
		}
	}
}

// TestGridClassNoise: rates of two classes make as many settings.
func TestGridClassNoise(t *testing.T) {
	p := mustPlan(t, Spec{Dataset: Source{Generator: "moons", Rows: 60}, Replicates: 2,
		Models: []fit.Spec{{L2: fit.L2{Value: .01}}},
		Noise:  Noise{Kind: "class", Rates: []float64{0.2, 0.2}, Negative: []float64{0, 0.1}}})
	cells := Summarise(p, mustRun(t, p, nil))
	if len(cells) != 2 || cells[0].N != 2 || !slices.Equal([]float64{cells[0].At, cells[1].At}, []float64{0, 0.1}) {
		t.Errorf("%+v", cells)
	}
}
