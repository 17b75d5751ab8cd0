package engine

import (
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/runspec"
	"taper/internal/engine/table"
)

// FuzzOrder: names of groups come back from an address as they were, and whatever else stands there is either refused
// or an order of at least two different groups.
func FuzzOrder(f *testing.F) {
	f.Add("well", "frail, old", "well,ill")
	f.Add(`"ill"`, "=1+1", `"well`)
	f.Add(" a", "b\n", "a,,b")
	f.Fuzz(func(t *testing.T, a, b, text string) {
		spec := runspec.Spec{ScoreOnly: []string{a, b}}
		r := &Result{Negative: table.Levels{"well"}, Positive: table.Levels{"ill"}}
		if order, err := r.ReadOrder(spec, text); err == nil && order != nil {
			if slices.Sort(order); len(order) < 2 || len(slices.Compact(order)) != len(order) {
				t.Errorf("%q is read as %q", text, order)
			}
		}
		groups := r.Groups(spec)
		if a == "" || b == "" || strings.ContainsAny(a+b, "\r") || len(slices.Compact(slices.Sorted(slices.Values(groups)))) < 4 {
			return // the levels of a column are different, not empty and have no line ends of Windows
		}
		slices.Reverse(groups)
		if got, err := r.ReadOrder(spec, WriteOrder(groups)); err != nil || !slices.Equal(got, groups) {
			t.Errorf("%q comes back as %q, %v", groups, got, err)
		}
	})
}
