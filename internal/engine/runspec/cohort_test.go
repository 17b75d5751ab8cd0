package runspec

import (
	"math"
	"slices"
	"strings"
	"testing"

	"taper/internal/engine/table"
	"taper/internal/engine/table/tabletest"
	"taper/internal/engine/task"
)

// TestBins compares edges with hand calculation.
func TestBins(t *testing.T) {
	num := []float64{0, 1, 2, 3, 10, math.NaN(), 10, 4, 5, 20}
	if got := (&Bins{4, "length"}).edges(num); !slices.Equal(got, []float64{5, 10}) { // no row lies between 10 and 15
		t.Errorf("equal length: %v", got)
	}
	if got := (&Bins{3, "frequency"}).edges(num); !slices.Equal(got, []float64{2, 5}) {
		t.Errorf("equal frequency: %v", got)
	}
	if got := binNames([]float64{5, 10}); !slices.Equal(got, []string{"at most 5", "5 to 10", "above 10"}) {
		t.Errorf("names %v", got)
	}
	if task.Bin([]float64{5, 10}, 5) != 0 || task.Bin([]float64{5, 10}, 5.1) != 1 || task.Bin([]float64{5, 10}, 11) != 2 {
		t.Error("a value goes to the class below its edge")
	}
}

// TestLevelOrder: numbers are sorted by value, with the file's decimal mark, anything else by
// bytes.
func TestLevelOrder(t *testing.T) {
	for _, c := range []struct {
		decimal      string
		levels, want []string
	}{
		{".", []string{"10", "9", "1"}, []string{"1", "9", "10"}},
		{",", []string{"10", "1,5", "1,25"}, []string{"1,25", "1,5", "10"}},
		{".", []string{"9", "10", "b"}, []string{"10", "9", "b"}},
		{".", []string{"2.0", "2", "1"}, []string{"1", "2", "2.0"}},
	} {
		if got := LevelOrder(c.levels, c.decimal); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.levels, got, c.want)
		}
	}
}

// TestCohortRows: rows of a class are trained on, rows without outcome or of score-only levels
// are scored, others are left out. The cohort of a review shares no memory with its spec.
func TestCohortRows(t *testing.T) {
	tab := tabletest.ByHand(tabletest.Numbers("x", 1, 2, 3, 4, 5, 6), tabletest.Texts("y", "no", "yes", "", "later", "moved", "yes"))
	s := Spec{Outcome: "y", Positive: table.Levels{"yes"}, Negative: table.Levels{"no"}, ScoreOnly: table.Levels{"later"}, Predictors: []string{"x"}}
	c, err := NewCohort(tab, &s)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Rows, []int{0, 1, 5}) || !slices.Equal(c.Label, []int{0, 1, 1}) || !slices.Equal(c.Extra, []int{2, 3}) {
		t.Errorf("rows %v of classes %v, beside them %v", c.Rows, c.Label, c.Extra)
	}
	if c.Level(0) != "no" || c.Level(2) != "" || c.Level(4) != "moved" {
		t.Errorf("levels %q, %q and %q", c.Level(0), c.Level(2), c.Level(4))
	}
	if c.relabel("yes") != c.Code("yes") || c.relabel("nobody") != -1 || c.relabel("") != -1 {
		t.Errorf("codes %d and %d", c.relabel("yes"), c.relabel("nobody"))
	}
	r := &Review{Changes: []Relabel{{Row: 1, To: "no"}}}
	r.clone().Changes[0].Row = 5
	if r.Changes[0].Row != 1 || (*Review)(nil).clone() != nil {
		t.Errorf("%+v", r)
	}
	if KnotWords(0) != "straight line" || KnotWords(4) != "4 knots" {
		t.Errorf("%q, %q", KnotWords(0), KnotWords(4))
	}
}

// TestMostFolds: without an event two rows per class allow any number of folds, and a class
// with one row is named; with an event each fold needs both classes.
func TestMostFolds(t *testing.T) {
	for _, c := range []struct {
		name  string
		event bool
		label []int
		most  int
		few   string
	}{
		{"two of each class", false, []int{0, 0, 1, 1, 2, 2}, maxFolds, ""},
		{"one of a class", false, []int{0, 0, 1, 2, 2}, 1, `1 row of class ‘b’`},
		{"fewer events", true, []int{0, 0, 0, 1, 1}, 2, "2 events"},
		{"as many", true, []int{0, 0, 1, 1}, 2, "2 events"},
		{"fewer others", true, []int{0, 1, 1}, 1, "1 row without the event"},
	} {
		co := &Cohort{Label: c.label, Target: task.Target{Event: c.event, Levels: []string{"a", "b", "c"}[:slices.Max(c.label)+1]}}
		at := make([]int, len(c.label))
		for i := range at {
			at[i] = i
		}
		if most, few := co.MostFolds(at); most != c.most || few != c.few {
			t.Errorf("%s: %d folds, %q; want %d, %q", c.name, most, few, c.most, c.few)
		}
	}
}

// TestCohortWeights: training rows need positive, finite weights; equal weights are dropped.
func TestCohortWeights(t *testing.T) {
	for _, c := range []struct {
		weights []float64
		want    []float64
		says    string
	}{
		{[]float64{2, 1, 0, 3}, []float64{2, 1, 3}, ""}, // the third row has no outcome
		{[]float64{2, 2, 1, 2}, nil, ""},
		{[]float64{2, 0, 1, 3}, nil, "row 2 of"},
		{[]float64{2, 1, 1, -1}, nil, "row 4 of"},
		{[]float64{math.Inf(1), 1, 1, 1}, nil, "row 1 of"},
		{[]float64{1, math.NaN(), 1, 1}, nil, "row 2 of"},
	} {
		tab := tabletest.ByHand(tabletest.Numbers("x", 1, 2, 3, 4), tabletest.Numbers("w", c.weights...),
			tabletest.Texts("y", "no", "yes", "", "yes"))
		got, err := NewCohort(tab, &Spec{Outcome: "y", Positive: table.Levels{"yes"}, Predictors: []string{"x"}, Weights: "w"})
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v: %v, want “%s”", c.weights, err, c.says)
			}
		} else if err != nil || !slices.Equal(got.Weights, c.want) {
			t.Errorf("%v: %+v, %v, want %v", c.weights, got, err, c.want)
		}
	}
}
