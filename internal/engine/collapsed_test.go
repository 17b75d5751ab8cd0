package engine

import (
	"slices"
	"testing"
)

// TestCollapsedFolds: of three folds of 20 rows the second never answers ‘mild’. The others answer 12 of 40 rows with
// it, so 6 of 20 were to be expected. ‘Severe’ is answered in 8 of 40 other rows: 4 expected, which may be chance.
func TestCollapsedFolds(t *testing.T) {
	levels := []string{"none", "mild", "severe"}
	folds := []collapsible{{"1", []int{10, 6, 4}}, {"2", []int{20, 0, 0}}, {"3", []int{10, 6, 4}}}
	want := []string{"Fold 2 answers no row with ‘mild’, which other folds do: its fit differs from theirs, and the " +
		"metrics are over all folds."}
	if got := collapsed(folds, levels); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	folds = append(folds, collapsible{"4", []int{20, 0, 0}})
	if got := collapsed(folds, levels); got != nil { // 12 of 60 other rows: 4 expected
		t.Errorf("%q", got)
	}
	folds[0].answers, folds[2].answers = []int{4, 12, 4}, []int{4, 12, 4} // 24 of 60: 8 expected
	want = []string{"Folds 2 and 4 answer no row with ‘mild’, which other folds do: their fits differ from the " +
		"others, and the metrics are over all folds."}
	if got := collapsed(folds, levels); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := collapsed(folds[:1], levels); got != nil {
		t.Errorf("one fold: %q", got)
	}
}
