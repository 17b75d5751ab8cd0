package runspec

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/usererr"
)

// clinicSpec is the run of the tests: three boundaries off the symmetric
// point, λ fixed.
func clinicSpec() Spec {
	return Spec{
		Outcome: "outcome", Positive: table.Levels{"died"}, Predictors: []string{"age", "marker", "sex", "site"},
		Boundaries: []float64{0.2, 0.4, 0.7}, Model: fit.Spec{L2: fit.L2{Value: 0.01}}, Seed: 7,
	}
}

// fields returns the names of the wrong fields of an error.
func fields(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	e, ok := usererr.As(err)
	if !ok || e.Code != usererr.Invalid || strings.Contains(err.Error(), "%!") {
		t.Fatalf("not an error for the user: %v", err)
	}
	var names []string
	for _, f := range e.Fields {
		names = append(names, f.Field)
	}
	return names
}

func TestValidateNamesTheField(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(120, 1))
	for _, c := range []struct {
		change func(*Spec)
		field  string
		says   string
	}{
		{func(s *Spec) { s.Boundaries = []float64{0.5, 0.25} }, "boundaries[1]", "must be greater than boundaries[0] (0.5)"},
		{func(s *Spec) { s.Boundaries = []float64{0.5, 1} }, "boundaries[1]", "between 0 and 1"},
		{func(s *Spec) { s.Outcome = "none" }, "outcome", `must be a column of the data (got ‘none’)`},
		{func(s *Spec) { s.Outcome = "" }, "outcome", "must name"},
		{func(s *Spec) { s.Outcome, s.Predictors = "age", nil }, "outcome", "at most 50 levels"},
		{func(s *Spec) { s.Positive = table.Levels{"maybe"} }, "positive", "‘alive’"},
		{func(s *Spec) { s.Positive = nil }, "positive", "must name the event"},
		{func(s *Spec) { s.Negative = table.Levels{"died"} }, "negative", "must differ"},
		{func(s *Spec) { s.Negative = table.Levels{"ill"} }, "negative", `got ‘ill’`},
		{func(s *Spec) { s.Outcome, s.Positive, s.Predictors = "site", table.Levels{"A"}, nil }, "negative", `one of ‘B’, ‘C’`},
		{func(s *Spec) { s.ScoreOnly = []string{"lost"} }, "score_only[0]", `got ‘lost’`},
		{func(s *Spec) { s.ScoreOnly = []string{"died"} }, "score_only[0]", "trained on"},
		{func(s *Spec) { s.ScoreOnly = []string{"alive"} }, "negative", `only ‘died’ is left`},
		{func(s *Spec) { s.Predictors = []string{"age", "sex", "marker", "weight"} }, "predictors[3]", `got ‘weight’`},
		{func(s *Spec) { s.Predictors = []string{"age", "outcome"} }, "predictors[1]", "cannot be the outcome"},
		{func(s *Spec) { s.Predictors = []string{"age", "age"} }, "predictors[1]", "twice"},
		{func(s *Spec) { s.Predictors = []string{} }, "predictors", "at least one"},
		{func(s *Spec) { s.Group = "hospital" }, "group", `got ‘hospital’`},
		{func(s *Spec) { s.Group = "outcome" }, "group", "cannot be the outcome"},
		{func(s *Spec) { s.Weights, s.Predictors = "sex", nil }, "weights", "numeric"},
		{func(s *Spec) { s.Weights, s.Predictors = "marker", nil }, "weights", "must be positive"},
		{func(s *Spec) { s.Task = "regression" }, "task", "must be one of binary, interval, multiclass, ordinal, abstain"},
		{func(s *Spec) { s.Task = "binary"; s.Model.Loss = "interval" }, "model.loss", "for two classes take logistic"},
		{func(s *Spec) { s.Model.Loss = "tempered"; s.Model.Params = map[string]any{"t1": 5.0} }, "model.params.t1", "between 0 and 4"},
		{func(s *Spec) { s.Model.Loss = "tempered"; s.Model.Params = map[string]any{"t": 1.5} }, "model.params.t", "takes t1 and t2"},
		{func(s *Spec) { s.Model.Loss = "alpha"; s.Model.Params = map[string]any{"alpha": 0.0} }, "model.params.alpha", "greater than 0"},
		{func(s *Spec) {
			s.Model.Loss = "ramp"
			s.Boundaries = []float64{0.5}
			s.Model.Params = map[string]any{"s": 1.0}
		}, "model.params.s", "less than 1"},
		{func(s *Spec) { s.Model.Loss = "t-logistic"; s.Model.Params = map[string]any{"t": "two"} }, "model.params.t", "must be a number"},
		{func(s *Spec) { s.Model.Loss = "logistic"; s.Model.Params = map[string]any{"t": 1.2} }, "model.params.t", "not a parameter of logistic"},
		{func(s *Spec) { s.Model.Loss = "zero-one" }, "model.loss", "its slope is 0"},
		{func(s *Spec) { s.Model.Loss = "softmax" }, "model.loss", "must be one of tempered, "},
		{func(s *Spec) { s.Model.Loss = "hinge" }, "model.loss", "recovers no probability (Hinge)"},
		{func(s *Spec) { s.Model.Loss = "alpha"; s.Model.Params = map[string]any{"alpha": "inf"} }, "model.loss", "α = ∞"},
		{func(s *Spec) { s.Model.Loss = "tempered"; s.Model.Params = map[string]any{"t1": 0.0} }, "model.loss", "take boundaries [0.5]"},
		{func(s *Spec) { s.Model.Loss = "alpha"; s.Model.Params = map[string]any{"alpha": 1.7e308} }, "boundaries[0]", "no finite cut-off"},
		{func(s *Spec) { s.Model.Loss = "alpha"; s.Model.Solver = "cmp" }, "model.solver", "auto, lbfgs for the alpha loss"},
		{func(s *Spec) { s.Model.Kind, s.Model.Loss = "boost", "tempered" }, "model.loss", "must be alpha for kind boost"},
		{func(s *Spec) { s.Model.Kind, s.Model.Rounds = "boost", 100_000 }, "model.rounds", "from 1 to 10000"},
		{func(s *Spec) { s.Model.Kind, s.Model.Depth = "boost", 17 }, "model.depth", "from 1 to 16"},
		{func(s *Spec) { s.Model.Kind, s.Model.ThetaRule = "boost", "half" }, "model.theta_rule", "line-search"},
		{func(s *Spec) { s.Model.Kind, s.Model.Solver = "boost", "lbfgs" }, "model.solver", "must be auto for kind boost"},
		{func(s *Spec) {
			s.Model.Kind, s.Model.ThetaRule, s.Boundaries = "boost", "alpha-log", []float64{0.5}
			s.Model.Params = map[string]any{"alpha": "inf"}
		}, "model.theta_rule", "must not be"},
		{func(s *Spec) { s.Model.Params = map[string]any{"t1": 5.0} }, "model.params.t1", "not a parameter of the interval surrogate"},
		{func(s *Spec) { s.Model.Params = map[string]any{"pi": []any{0.3}} }, "model.params.pi", "must be the boundaries"},
		{func(s *Spec) { s.Model.Params = map[string]any{"pi": "half"} }, "model.params.pi", "list"},
		{func(s *Spec) { s.Model.Kind = "forest" }, "model.kind", "must be linear, kernel, boost or given"},
		{func(s *Spec) { s.Model.Solver = "lbfgs" }, "model.solver", "newton"},
		{func(s *Spec) { s.Model.Tuning = "luck" }, "model.tuning", "same-folds"},
		{func(s *Spec) { s.Model.Tuning = "same-folds"; s.Validation.Kind = "split" }, "model.tuning", "only with"},
		{func(s *Spec) { s.Model.L2.Value = -1 }, "model.l2", "from 1e-30 to 1e30"},
		{func(s *Spec) { s.Validation.Kind = "loo" }, "validation.kind", "cv, split or none"},
		{func(s *Spec) { s.Validation = Validation{Kind: "cv", Folds: 1} }, "validation.folds", "between 2 and 50"},
		{func(s *Spec) { s.Validation = Validation{Kind: "cv", Folds: 51} }, "validation.folds", "between 2 and 50"},
		{func(s *Spec) { s.Validation = Validation{Kind: "cv", Repeats: -1} }, "validation.repeats", "between 1 and 100"},
		{func(s *Spec) { s.Validation = Validation{Kind: "split", Test: 1.5} }, "validation.test", "between 0 and 1"},
		{func(s *Spec) { s.Noise.Kind = "flips" }, "noise.kind", "must be one of none, symmetric"},
		{func(s *Spec) { s.Noise = Noise{Rate: 0.1} }, "noise.rate", "must be 0 for noise none"},
		{func(s *Spec) { s.Noise = Noise{Kind: "random", Rate: 1.1} }, "noise.rate", "between 0 and 1"},
		{func(s *Spec) { s.Noise = Noise{Kind: "class", RatePositive: -0.1} }, "noise.rate_positive", "between 0 and 1"},
		{func(s *Spec) { s.Noise = Noise{Kind: "symmetric", RateNegative: 0.1} }, "noise.rate_negative", "must be 0 for noise symmetric"},
		{func(s *Spec) { s.Mode = "reject" }, "boundaries", "2 probabilities in mode reject"},
		{func(s *Spec) { s.Mode = "soft" }, "mode", "reject"},
		{func(s *Spec) { s.Model.Tuning, s.Model.L2 = TuningSet, fit.L2{Mode: "cv-1se"} }, "model.tuning", "no standard error"},
		{func(s *Spec) { s.Model.Loss = "zero-one" }, "model.loss", "zero-one cannot be trained: its slope is 0"},
		{func(s *Spec) { s.Review = &Review{Changes: []Relabel{{Row: 3, To: "moved"}}} }, "review.changes[0].to", `(got ‘moved’)`},
	} {
		s := clinicSpec()
		c.change(&s)
		err := s.Validate(tab)
		if got := fields(t, err); !slices.Equal(got, []string{c.field}) {
			t.Errorf("%s: named %q", c.field, got)
		} else if !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %q does not say %q", c.field, err, c.says)
		}
	}
}

// TestValidateClasses: what a spec of several classes says wrong, and its limits.
func TestValidateClasses(t *testing.T) {
	tab := tabletest.CSV(t, "../../../testdata/csv/iris.csv")
	for _, c := range []struct {
		change func(*Spec)
		field  string
		says   string
	}{
		{func(s *Spec) {}, "", ""},
		{func(s *Spec) { s.Model.Tuning, s.Model.L2 = TuningSet, fit.L2{Mode: "cv"} }, "", ""},
		{func(s *Spec) { s.Levels = []string{"setosa", "virginica"} }, "", ""},
		{func(s *Spec) { s.Levels = []string{"setosa", "setosa"} }, "levels[1]", "is in the list twice (‘setosa’)"},
		{func(s *Spec) { s.Levels = []string{"setosa", "rose"} }, "levels[1]", `(got ‘rose’)`},
		{func(s *Spec) { s.Levels = []string{"setosa"} }, "levels", "at least two classes"},
		{func(s *Spec) {
			s.Model.Kind, s.Model.Kernel = "kernel", &fit.Kernel{Name: "poly", Gamma: 1., Degree: 20}
		}, "", ""},
		{func(s *Spec) {
			s.Model.Kind, s.Model.Kernel = "kernel", &fit.Kernel{Name: "poly", Gamma: 1., Degree: 21}
		}, "model.kernel.degree", "(got 21)"},
		{func(s *Spec) { s.Model.Kind, s.Model.Kernel = "kernel", &fit.Kernel{Name: "rbf", Gamma: 1e7} }, "model.kernel.gamma", "at most 1e6"},
	} {
		s := Spec{Outcome: "species", Task: "multiclass", Model: fit.Spec{Loss: "al-zero-one", L2: fit.L2{Value: .1}}}
		c.change(&s)
		s = s.WithDefaults()
		err := s.Validate(tab)
		if got := strings.Join(fields(t, err), " "); got != c.field || !strings.Contains(errorText(err), c.says) {
			t.Errorf("%q %q: %v", c.field, c.says, err)
		}
	}
	empty := tabletest.ByHand(tabletest.Numbers("x", 1, 2), tabletest.Texts("y", "", ""))
	s := Spec{Outcome: "y", Positive: table.Levels{"1"}, Predictors: []string{"x"}}
	if err := s.Validate(empty); !strings.Contains(errorText(err), "outcome ‘y’ is empty") {
		t.Errorf("an outcome without a value: %v", err)
	}
	if got := fields(t, CheckModel(fit.Spec{Kind: "linear", Loss: "logistic", L2: fit.L2{Value: -1}}, nil)); !slices.Equal(got, []string{"model.l2"}) {
		t.Errorf("λ = −1: named %q", got)
	}
}

func TestValidateNamesAllFields(t *testing.T) {
	s := clinicSpec()
	s.Positive, s.Model.Kind, s.Boundaries, s.Validation.Folds = table.Levels{"maybe"}, "forest", []float64{0.5, 0.5}, 99
	got := fields(t, s.Validate(tabletest.FromRecords(tabletest.Clinic(120, 1))))
	want := []string{"model.kind", "boundaries[1]", "validation.folds", "positive"}
	if !slices.Equal(got, want) {
		t.Errorf("named %q, want %q", got, want)
	}
}

// fewEvents is a table of 60 rows with the given number of events, two a ward.
func fewEvents(events int) [][]string {
	records := [][]string{{"x", "ward", "y"}}
	for i := range 60 {
		y := "0"
		if i < events {
			y = "1"
		}
		records = append(records, []string{string(rune('0'+i%10)) + "." + string(rune('0'+i*7%10)), "w" + string(rune('A'+i/2)), y})
	}
	return records
}

func TestValidateCountsEvents(t *testing.T) {
	for _, c := range []struct {
		events int
		change func(*Spec)
		says   string
	}{
		{7, func(s *Spec) { s.Validation.Folds = 7 }, ""},
		{7, func(s *Spec) { s.Validation.Folds = 8 }, "validation.folds must be at most 7: only 7 events."},
		{55, func(s *Spec) { s.Validation.Folds = 8 }, "validation.folds must be at most 5: only 5 rows without the event."},
		{8, func(s *Spec) { s.Validation.Folds = 5; s.Group = "ward" }, "validation.folds must be at most 4: only 4 groups with events."},
		{1, func(s *Spec) { s.Validation.Folds = 2 }, "validation.folds must be at most 1: only 1 event."},
		{3, func(s *Spec) { s.Validation.Folds = 2; s.Model.L2 = fit.L2{} }, "model.l2 cannot be tuned with only 1 event in a training part: give a number."},
		{3, func(s *Spec) { s.Validation.Folds = 2 }, ""},
		{3, func(s *Spec) { s.Validation = Validation{Kind: "split", Test: 0.01} }, "validation.test leaves a part without events: choose a share nearer to one half."},
		{0, func(s *Spec) {}, `outcome has one value only: only ‘0’ is present in ‘y’.`},
	} {
		s := Spec{Outcome: "y", Positive: table.Levels{"1"}, Predictors: []string{"x"}, Model: fit.Spec{L2: fit.L2{Value: 1}}}
		c.change(&s)
		if c.events == 0 {
			s.Positive = table.Levels{"0"}
		}
		err := s.Validate(tabletest.FromRecords(fewEvents(c.events)))
		if got := errorText(err); got != c.says {
			t.Errorf("%d events: %q, want %q", c.events, got, c.says)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestValidateCost: more fits of more rows than a run may take are refused
// before anything is held for them.
func TestValidateCost(t *testing.T) {
	const rows = 25_000
	records := tabletest.FromRecords(tabletest.Clinic(rows, 3))
	for _, c := range []struct {
		v    Validation
		says string
	}{
		{Validation{Kind: "cv", Folds: 50, Repeats: 100},
			"validation.repeats must be at most 80 with 50 folds of 25\u202f000 rows: rows × folds × repeats may be 100\u202f000\u202f000 (got 100)."},
		{Validation{Kind: "cv", Folds: 5, Repeats: 2}, ""},
	} {
		s := clinicSpec()
		s.Validation = c.v
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := s.Validate(records)
		runtime.ReadMemStats(&after)
		if got := errorText(err); got != c.says {
			t.Errorf("%+v: %q, want %q", c.v, got, c.says)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1000*rows {
			t.Errorf("%+v: %d MB", c.v, took>>20)
		}
	}
	if got, want := errorText(Validation{Kind: "cv", Folds: 50, Repeats: 1}.cost(4_000_000)),
		"validation.folds must be at most 25 with 4\u202f000\u202f000 rows: rows × folds × repeats may be 100\u202f000\u202f000 (got 50)."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestDefaults(t *testing.T) {
	s := Spec{}.WithDefaults()
	if s.Task != "interval" || s.Model.Kind != "linear" || s.Model.Loss != "interval" || s.Model.L2.Mode != "cv" ||
		!*s.Model.Standardize || s.Validation != (Validation{Kind: "cv", Folds: 5, Repeats: 1}) || !slices.Equal(s.Boundaries, []float64{0.25, 0.5, 0.75}) {
		t.Errorf("defaults: %+v", s)
	}
	if b := (Spec{Task: "binary"}).WithDefaults(); b.Model.Loss != "logistic" || !slices.Equal(b.Boundaries, []float64{0.5}) {
		t.Errorf("binary defaults: %+v", b)
	}
	pi := Spec{Model: fit.Spec{Params: map[string]any{"pi": []any{0.1, 0.3}}}}.WithDefaults()
	if !slices.Equal(pi.Boundaries, []float64{0.1, 0.3}) {
		t.Errorf("params.pi gives %v", pi.Boundaries)
	}
	if again := s.WithDefaults(); again.PrepareKey() != s.PrepareKey() || again.Validation != s.Validation {
		t.Error("defaults of defaults differ")
	}
}

// TestManyWrongChanges: a review with many wrong rows is refused with some of them, not with a sentence for each.
func TestManyWrongChanges(t *testing.T) {
	tab := tabletest.FromRecords(tabletest.Clinic(120, 1))
	s := clinicSpec()
	s.Review = &Review{Changes: make([]Relabel, 200_000)}
	for i := range s.Review.Changes {
		s.Review.Changes[i].Row = 1000 + i
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := s.Validate(tab)
	runtime.ReadMemStats(&after)
	if got := fields(t, err); len(got) != 20 || got[0] != "review.changes[0].row" {
		t.Errorf("%d fields: %.500v", len(got), err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
		t.Errorf("%d bytes were allocated", took)
	}
}
