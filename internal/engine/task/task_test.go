package task

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"taper/internal/engine/fit"
	"taper/internal/engine/fit/multiclass"
	"taper/internal/engine/loss"
	"taper/internal/engine/stat"
)

// TestFor: a model without a task gets the first task that its loss can learn.
func TestFor(t *testing.T) {
	for _, c := range []struct {
		name    string
		m       fit.Spec
		ordered bool
		want    Task
	}{
		{"none named", fit.Spec{}, false, Binary{}},
		{"trees of a loss of classes", fit.Spec{Kind: "boost", Loss: "al-zero-one"}, true, Binary{}},
		{"a loss that nobody learns by", fit.Spec{Loss: "zero-one"}, true, Binary{}},
		{"a margin", fit.Spec{Loss: "hinge"}, false, Binary{}},
		{"boundaries", fit.Spec{Kind: "kernel", Loss: "interval"}, false, Interval{}},
		{"classes", fit.Spec{Loss: "softmax"}, false, Multiclass{}},
		{"ordered classes", fit.Spec{Loss: "softmax"}, true, Ordinal{}},
		{"any costs", fit.Spec{Loss: "al-cost"}, false, Multiclass{}},
		{"any costs and thresholds", fit.Spec{Loss: "al-cost", Features: "th"}, false, Ordinal{}},
		{"an order", fit.Spec{Loss: "reduction"}, false, Ordinal{}},
		{"no answer", fit.Spec{Loss: "al-abstain"}, false, Abstaining{}},
		{"no answer and thresholds", fit.Spec{Loss: "al-abstain", Features: "th"}, false, Abstaining{}},
		{"no answer of ordered classes", fit.Spec{Loss: "al-abstain"}, true, Abstaining{}},
	} {
		if got := For(c.m, c.ordered); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got.ID(), c.want.ID())
		}
	}
}

// TestEveryTask: ids and labels are unique, every loss exists, and the default model of a task
// can learn it.
func TestEveryTask(t *testing.T) {
	seen := map[string]bool{}
	for _, about := range All {
		if w := about.Words(); seen[about.ID()] || !about.Event() && (seen[w.Label] || w.Kind == "" || w.Note == "") {
			t.Errorf("%s: %+v", about.ID(), w)
		} else {
			seen[about.ID()], seen[w.Label] = true, true
		}
		for _, id := range about.Losses() {
			if f, ok := loss.FamilyByID(id); !ok || (f.Margin != nil) != about.Event() {
				t.Errorf("%s learns by %q", about.ID(), id)
			}
		}
		m := Defaults(about, fit.Spec{})
		if m.Loss != about.Losses()[0] || Defaults(about, fit.Spec{Kind: "boost"}).Loss != "alpha" {
			t.Errorf("%s: the loss is %s by default", about.ID(), m.Loss)
		}
		if !about.Event() {
			if c := about.Cost(fit.Method{}, 4, loss.Interval{}); c.Classes() != 4 || c.Abstains() != about.Abstains() {
				t.Errorf("%s costs %v", about.ID(), c)
			}
		}
	}
}

// TestTables: the losses of each task in order, and how predictions follow from the scores of
// each loss. The API, menus and defaults depend on it.
func TestTables(t *testing.T) {

	price := func(p float64) Task { return OrdinalAbstaining{}.WithPrice(p) }
	for _, c := range []struct {
		task    Task
		losses  string // those listed; smooth ones that are not listed follow
		rules   map[string]string
		ordered bool
	}{
		{Multiclass{}, "al-zero-one softmax ww cs llw ova tempered-multiclass al-cost", map[string]string{
			"softmax": RuleExpected, "al-zero-one": RuleLargest, "al-cost": RuleMixture, "ova": RuleLargest}, false},
		{Ordinal{}, "al-ordinal al-squared all-threshold immediate-threshold reduction softmax al-zero-one ww cs llw ova " +
			"tempered-multiclass al-cost", map[string]string{"all-threshold": RuleThresholds, "al-ordinal": RuleLargest}, true},
		{Abstaining{}, "al-abstain softmax ova cs tempered-multiclass al-cost", map[string]string{
			"al-abstain": RuleLead, "ova": RulePositive, "cs": RuleLead, "softmax": RuleExpected, "al-cost": RuleMixture}, false},
		{price(.3), "al-cost softmax tempered-multiclass", map[string]string{"al-cost": RuleMixture, "softmax": RuleExpected}, true},
	} {
		got := strings.Join(c.task.Losses(), " ")
		if got != c.losses && !strings.HasPrefix(got, c.losses+" ") {
			t.Errorf("%s learns by %s", c.task.ID(), got)
		}
		for id, want := range c.rules {
			f, _ := loss.FamilyByID(id)
			if got := c.task.Rule(f); got != want {
				t.Errorf("%s calls by %q under %s, want %q", c.task.ID(), got, id, want)
			}
		}
		if c.task.Ordered() != c.ordered {
			t.Errorf("%s: ordered %v", c.task.ID(), c.task.Ordered())
		}
	}
	if got, want := strings.Join(IDs(All), " "), "binary interval multiclass ordinal abstain ordinal-abstain"; got != want {
		t.Errorf("tasks %s", got)
	}
	if got := strings.Join(IDs(ClassTasks()), " "); got != "multiclass ordinal abstain ordinal-abstain" {
		t.Errorf("tasks of classes: %s", got)
	}
}

// TestCosts: zero–one, distance, and abstention at ½, at the α of its loss, or at the price of
// the task.
func TestCosts(t *testing.T) {
	abstaining := func(m fit.Spec) fit.Method {
		how, err := fit.Parse(m)
		if err != nil {
			t.Fatal(err)
		}
		return how
	}
	for _, c := range []struct {
		name string
		got  Cost
		want Cost
		none float64
	}{
		{"classes", Multiclass{}.Cost(fit.Method{}, 3, loss.Interval{}), Cost{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}, 0},
		{"ordered", Ordinal{}.Cost(fit.Method{}, 3, loss.Interval{}), Cost{{0, 1, 2}, {1, 0, 1}, {2, 1, 0}}, 0},
		{"no answer", Abstaining{}.Cost(abstaining(fit.Spec{Loss: "softmax"}), 2, loss.Interval{}), Cost{{0, 1}, {1, 0}, {.5, .5}}, .5},
		{"no answer at α", Abstaining{}.Cost(abstaining(fit.Spec{Loss: "al-abstain", Params: map[string]any{"alpha": .2}}), 2, loss.Interval{}),
			Cost{{0, 1}, {1, 0}, {.2, .2}}, .2},
		{"no answer at a price", OrdinalAbstaining{}.WithPrice(.7).Cost(fit.Method{}, 2, loss.Interval{}), Cost{{0, 1}, {1, 0}, {.7, .7}}, .7},
		{"an own matrix", Multiclass{}.Cost(fit.Method{}.WithCosts(nil), 2, loss.Interval{}), Cost{{0, 1}, {1, 0}}, 0},
	} {
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if got := c.got.Abstention(); got != c.none {
			t.Errorf("%s: no answer costs %v, want %v", c.name, got, c.none)
		}
	}
	p := OrdinalAbstaining{}.Price()
	if p.Min != 0 || p.Max != 1000 || p.SliderMin != 0 || p.SliderMax != 2 || p.Step != .05 || p.Default.Number != .5 {
		t.Errorf("price %+v", p)
	}
	if _, _, err := Method(Multiclass{}, fit.Spec{Loss: "none such"}, 3, loss.Interval{}); err == nil {
		t.Error("a loss that does not exist is no error")
	}
	if m := Defaults(Ordinal{}, fit.Spec{Loss: "al-squared"}); m.Features != multiclass.Thresholds {
		t.Errorf("the squared loss has features %q", m.Features)
	}
	if m := Defaults(Ordinal{}, fit.Spec{Loss: "softmax"}); m.Features != "" {
		t.Errorf("softmax has features %q", m.Features)
	}
	if m := Defaults(Ordinal{}, fit.Spec{}); m.Features != multiclass.Thresholds {
		t.Errorf("the default of ordered classes has features %q", m.Features)
	}
}

// TestTargets: which rows have a class.
func TestTargets(t *testing.T) {
	codes := Target{Codes: [][]int32{{2}, {0, 3}}}
	for code, want := range map[int32]int{0: 1, 1: -1, 2: 0, 3: 1, -1: -1} {
		if got := codes.Class(code, math.NaN()); got != want || codes.Has(code) != (want >= 0) {
			t.Errorf("code %d is of class %d, has one: %v", code, got, codes.Has(code))
		}
	}
	cuts := Target{Cuts: []float64{1, 2}}
	for v, want := range map[float64]int{.5: 0, 1: 0, 1.5: 1, 2.5: 2} {
		if got := cuts.Class(-1, v); got != want {
			t.Errorf("%v is of class %d, want %d", v, got, want)
		}
	}
	if cuts.Class(0, math.NaN()) != -1 || !cuts.Has(-1) {
		t.Error("a number that is missing has a class, or codes of numbers have none")
	}
}

// TestReader: rows read one after another give the scores, probabilities and predictions of
// each row alone, by every rule.
func TestReader(t *testing.T) {
	cost := Cost{{0, 1, 4}, {1, 0, 1}, {4, 1, 0}, {.4, .4, .4}}
	for rule, want := range map[string][]int{
		RuleExpected: {stat.Abstained, 1, 2}, RuleLargest: {0, 1, 2}, RuleLead: {stat.Abstained, 1, stat.Abstained}, RuleThresholds: {2, 1, 0}, RuleMixture: {2, 1, 0},
	} {
		r := NewReader(echo{}, rule, cost)
		raw := []float64{.5, .3, .2, 0, .9, .1, 0, .1, .9}
		all := r.All(raw)
		if d := cmp.Diff(Answers{Score: []float64{5, 3, 2, 0, 9, 1, 0, 1, 9}, Prob: raw, Class: want}, all, cmpopts.EquateApprox(0, 1e-12)); d != "" {
			t.Errorf("%s: %s", rule, d)
		}
		for i := range want {
			score, prob := make([]float64, 3), make([]float64, 3)
			call, outputs, probable := r.Row(score, prob, raw[3*i:3*i+3])
			if !probable || call != want[i] || !slices.Equal(outputs, raw[3*i:3*i+3]) || !slices.Equal(prob, outputs) || score[0] != 10*prob[0] {
				t.Errorf("%s, row %d: call %d of %v, probabilities %v, scores %v", rule, i, call, outputs, prob, score)
			}
		}
	}
}

// echo is a model whose outputs are its columns: these are the probabilities, scores are ten
// times as large, and the decision counts classes from the other end, to distinguish the three
// rules.
type echo struct{}

func (echo) Outputs() int                { return 3 }
func (echo) Potentials(dst, x []float64) { copy(dst, x) }
func (echo) PerClass(dst, f []float64) {
	for i, v := range f {
		dst[i] = 10 * v
	}
}
func (echo) Decide(f []float64) int { return 2 - loss.Argmax(f) }
func (echo) DecideOrAbstain(f []float64) int {
	if f[1] < .5 {
		return loss.Abstain
	}
	return 1
}
func (echo) Probabilities(dst, f []float64) bool { copy(dst, f); return true }
