package engine

import (
	"slices"
	"testing"
)

// TestCollapsedFolds: of three folds of 20 rows the second never answers ‘mild’. The others answer 12 of 40 rows with
// it, so 6 of 20 were to be expected. ‘Severe’ is answered in 8 of 40 other rows: 4 expected, which may be due to chance.
func TestCollapsedFolds(t *testing.T) {
	levels := []string{"none", "mild", "severe"}
	folds := []collapsible{{"1", []int{8, 8, 4}}, {"2", []int{20, 0, 0}}, {"3", []int{8, 8, 4}}}
	want := []string{"In fold 2 no row is answered with ‘mild’, although in other folds some are: its fit or its rows " +
		"differ. The metrics are over all folds."}
	if got := collapsed(folds, levels); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	folds = append(folds, collapsible{"4", []int{20, 0, 0}})
	if got := collapsed(folds, levels); got != nil { // 16 of 60 other rows: 5 expected
		t.Errorf("%q", got)
	}
	folds[0].answers, folds[2].answers = []int{4, 12, 4}, []int{4, 12, 4} // 24 of 60: 8 expected
	want = []string{"In folds 2 and 4 no row is answered with ‘mild’, although in other folds some are: their fits or " +
		"rows differ. The metrics are over all folds."}
	if got := collapsed(folds, levels); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := collapsed(folds[:1], levels); got != nil {
		t.Errorf("one fold: %q", got)
	}
}
