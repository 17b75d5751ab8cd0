package task

import (
	"testing"

	"taper/internal/engine/fit"
	"taper/internal/engine/loss"
)

// TestFor: a model that names no task is for the first that learns by its loss.
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

// TestEveryTask holds what tasks promise each other: ids and labels differ, every loss
// exists, and the default model of a task learns it.
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
